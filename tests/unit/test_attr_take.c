/* SPDX-License-Identifier: Apache-2.0 */
/* Templates of callers, good and hostile (case B011). */
#include "core/attr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static CK_BBOOL yes = CK_TRUE, no = CK_FALSE;

static enum err take(const CK_ATTRIBUTE *t, CK_ULONG n)
{
	struct attrset *s = NULL;
	enum err e = attr_take(t, n, &s);

	assert_int_equal(s != NULL, e == OK);
	attrset_free(s);
	return e;
}

static enum err take_one(CK_ATTRIBUTE_TYPE type, void *p, CK_ULONG n)
{
	CK_ATTRIBUTE t = { type, p, n };

	return take(&t, 1);
}

static void test_values_arrive(void **state)
{
	CK_OBJECT_CLASS cls = CKO_SECRET_KEY;
	char label[] = "kek";
	CK_ATTRIBUTE t[] = { { CKA_LABEL, label, 3 },
			     { CKA_CLASS, &cls, sizeof(cls) },
			     { CKA_SENSITIVE, &yes, 1 },
			     { CKA_ID, NULL, 0 } };
	struct attrset *s = NULL;

	(void)state;
	assert_int_equal(attr_take(t, 4, &s), OK);
	memset(label, 'x', sizeof(label)); /* a copy was made */
	cls = 0;
	assert_int_equal(attrset_count(s), 4);
	assert_int_equal(attrset_ulong(s, CKA_CLASS, 99), CKO_SECRET_KEY);
	assert_true(attrset_bool(s, CKA_SENSITIVE, false));
	assert_true(span_eq(attrset_bytes(s, CKA_LABEL), span_str("kek")));
	assert_true(attrset_has(s, CKA_ID));
	attrset_free(s);
	assert_int_equal(take(NULL, 0), OK);
}

static void test_bad_values(void **state)
{
	CK_ULONG number = 32;
	CK_BBOOL two = 2;
	char date[] = "20260230";

	(void)state;
	assert_int_equal(take_one(CKA_VALUE_LEN, &number, 4), E_ATTR_VALUE);
	assert_int_equal(take_one(CKA_VALUE_LEN, &number, 0), E_ATTR_VALUE);
	assert_int_equal(take_one(CKA_ENCRYPT, &two, 1), E_ATTR_VALUE);
	assert_int_equal(take_one(CKA_ENCRYPT, &yes, 0), E_ATTR_VALUE);
	assert_int_equal(take_one(CKA_ENCRYPT, &number, 8), E_ATTR_VALUE);
	assert_int_equal(take_one(CKA_START_DATE, date, 8), E_ATTR_VALUE);
	assert_int_equal(take_one(CKA_LABEL, NULL, 3), E_ATTR_VALUE);
	assert_int_equal(take_one(CKA_LABEL, NULL, (CK_ULONG)-1), E_ATTR_VALUE);
	assert_int_equal(take_one(CKA_LABEL, date, (CK_ULONG)-1), E_ATTR_VALUE);
	assert_int_equal(take_one(CKA_LABEL, date, (CK_ULONG)1 << 40), E_ATTR_VALUE);
	assert_int_equal(take_one(CKA_ALLOWED_MECHANISMS, &number, 7), E_ATTR_VALUE);
	/* Attributes of nobody are taken as bytes: what they are used for refuses them. */
	assert_int_equal(take_one(CKA_VENDOR_DEFINED | 1, &number, 5), OK);
}

static void test_bad_arguments(void **state)
{
	CK_ATTRIBUTE t = { CKA_TOKEN, &yes, 1 };

	(void)state;
	assert_int_equal(take(NULL, 1), E_ARGUMENTS);
	assert_int_equal(take(&t, (CK_ULONG)-1), E_ARGUMENTS);
	assert_int_equal(take(&t, 1UL << 60), E_ARGUMENTS);
}

static void test_twice(void **state)
{
	CK_ATTRIBUTE t[] = { { CKA_ENCRYPT, &yes, 1 },
			     { CKA_TOKEN, &no, 1 },
			     { CKA_ENCRYPT, &no, 1 } };

	(void)state;
	assert_int_equal(take(t, 3), E_TEMPLATE_INCONSISTENT);
	t[2].pValue = &yes;
	assert_int_equal(take(t, 3), OK);
}

static void test_nested(void **state)
{
	CK_ATTRIBUTE inner[] = { { CKA_SENSITIVE, &yes, 1 }, { CKA_EXTRACTABLE, &no, 1 } };
	CK_ATTRIBUTE t = { CKA_UNWRAP_TEMPLATE, inner, sizeof(inner) };
	struct attrset *s = NULL, *in = NULL;

	(void)state;
	assert_int_equal(attr_take(&t, 1, &s), OK);
	assert_int_equal(attrset_decode(attrset_bytes(s, CKA_UNWRAP_TEMPLATE), false, &in), OK);
	assert_int_equal(attrset_count(in), 2);
	assert_true(attrset_bool(in, CKA_SENSITIVE, false));
	assert_false(attrset_bool(in, CKA_EXTRACTABLE, true));
	attrset_free(in);
	attrset_free(s);
	/* with nothing in it, it is as if there were none: read and searched for alike */
	t.ulValueLen = 0;
	assert_int_equal(attr_take(&t, 1, &s), OK);
	assert_int_equal(attrset_bytes(s, CKA_UNWRAP_TEMPLATE).n, 0);
	attrset_free(s);
	assert_int_equal(take_one(CKA_WRAP_TEMPLATE, inner, sizeof(inner) - 1), E_ATTR_VALUE);
	assert_int_equal(take_one(CKA_WRAP_TEMPLATE, NULL, sizeof(inner)), E_ATTR_VALUE);
	assert_int_equal(take_one(CKA_WRAP_TEMPLATE, NULL, 0), OK);
	inner[1].ulValueLen = 2;
	assert_int_equal(take_one(CKA_WRAP_TEMPLATE, inner, sizeof(inner)), E_ATTR_VALUE);
	inner[1] = (CK_ATTRIBUTE){ CKA_SENSITIVE, &no, 1 };
	assert_int_equal(take_one(CKA_WRAP_TEMPLATE, inner, sizeof(inner)),
			 E_TEMPLATE_INCONSISTENT);
}

/* An array inside an array may lie at any address. */
static void test_unaligned_array(void **state)
{
	CK_ATTRIBUTE inner = { CKA_SENSITIVE, &yes, 1 };
	uint8_t bytes[sizeof(inner) + 1];

	(void)state;
	memcpy(bytes + 1, &inner, sizeof(inner));
	assert_int_equal(take_one(CKA_UNWRAP_TEMPLATE, bytes + 1, sizeof(inner)), OK);
}

static void test_both_spellings(void **state)
{
	CK_ATTRIBUTE inner = { CKA_SENSITIVE, &yes, 1 };
	CK_ATTRIBUTE t[] = { { CKA_ENCAPSULATE_TEMPLATE | CKF_ARRAY_ATTRIBUTE, &inner,
			       sizeof(inner) },
			     { CKA_ENCAPSULATE_TEMPLATE, &inner, sizeof(inner) } };
	struct attrset *s = NULL;

	(void)state;
	for (CK_ULONG i = 0; i < 2; i++) {
		assert_int_equal(attr_take(&t[i], 1, &s), OK);
		assert_true(attrset_has(s, CKA_ENCAPSULATE_TEMPLATE));
		attrset_free(s);
	}
	assert_int_equal(take(t, 2), OK);
	t[1].ulValueLen = 0;
	assert_int_equal(take(t, 2), E_TEMPLATE_INCONSISTENT);
}

/* Nested n times; the innermost is a flag. */
static enum err take_deep(size_t n)
{
	CK_ATTRIBUTE level[8] = { { CKA_TOKEN, &yes, 1 } };

	assert_in_range(n, 0, 7);
	for (size_t i = 1; i <= n; i++)
		level[i] = (CK_ATTRIBUTE){ CKA_WRAP_TEMPLATE, &level[i - 1], sizeof(level[0]) };
	return take(&level[n], 1);
}

static void test_depth(void **state)
{
	(void)state;
	assert_int_equal(take_deep(4), OK);
	assert_int_equal(take_deep(5), E_ATTR_VALUE);
}

/* Entries of nested templates count, each time they are listed. */
static void test_number_of_entries(void **state)
{
	CK_ATTRIBUTE inner[30], outer[40];

	(void)state;
	for (size_t i = 0; i < 30; i++)
		inner[i] = (CK_ATTRIBUTE){ CKA_VENDOR_DEFINED | i, &yes, 1 };
	for (size_t i = 0; i < 40; i++)
		outer[i] = (CK_ATTRIBUTE){ CKA_WRAP_TEMPLATE, inner, sizeof(inner) };
	assert_int_equal(take(outer, 33), OK);
	assert_int_equal(take(outer, 40), E_ATTR_VALUE);
}

/*
 * A template that contains itself, and one that lists itself many times over: bounded, not deep,
 * not long.
 */
static void test_bombs(void **state)
{
	CK_ATTRIBUTE self = { CKA_WRAP_TEMPLATE, NULL, sizeof(self) };
	CK_ATTRIBUTE level[4][200];
	uint8_t *big = calloc(1, 1 << 20);
	CK_ATTRIBUTE many[64];

	(void)state;
	assert_non_null(big);
	self.pValue = &self;
	assert_int_equal(take(&self, 1), E_ATTR_VALUE);
	for (size_t l = 0; l < 4; l++)
		for (size_t i = 0; i < 200; i++)
			level[l][i] = l == 0 ? (CK_ATTRIBUTE){ CKA_VENDOR_DEFINED | i, &yes, 1 }
					     : (CK_ATTRIBUTE){ CKA_WRAP_TEMPLATE, level[l - 1],
							       sizeof(level[0]) };
	assert_int_equal(take(level[3], 200), E_ATTR_VALUE);
	for (size_t i = 0; i < 64; i++)
		many[i] = (CK_ATTRIBUTE){ CKA_VENDOR_DEFINED | i, big, 1 << 20 };
	assert_int_equal(take(many, 64), E_ATTR_VALUE);
	assert_int_equal(take(many, 8), OK);
	free(big);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values_arrive),  cmocka_unit_test(test_bad_values),
		cmocka_unit_test(test_bad_arguments),  cmocka_unit_test(test_twice),
		cmocka_unit_test(test_nested),         cmocka_unit_test(test_unaligned_array),
		cmocka_unit_test(test_both_spellings), cmocka_unit_test(test_bombs),
		cmocka_unit_test(test_depth),          cmocka_unit_test(test_number_of_entries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
