/* SPDX-License-Identifier: Apache-2.0 */
/* C_GetAttributeValue, entry by entry (cases B006 and R12). */
#include "core/attr.h"

#include "attrs.h"
#include <chancery/chancery.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NOTHING CK_UNAVAILABLE_INFORMATION

static struct attrset *aes(bool sensitive, bool extractable)
{
	return ATTRS(NUM(CKA_CLASS, CKO_SECRET_KEY), NUM(CKA_KEY_TYPE, CKK_AES),
		     TEXT(CKA_LABEL, "kek"), TEXT(CKA_VALUE, "0123456789abcdef"),
		     NUM(CKA_VALUE_LEN, 16), FLAG(CKA_SENSITIVE, sensitive),
		     FLAG(CKA_EXTRACTABLE, extractable), FLAG(CKA_TRUSTED, true));
}

static enum err get(const struct attrset *s, CK_ATTRIBUTE *t, CK_ULONG n)
{
	bool secret;

	return attr_get(s, true, t, n, true, &secret);
}

struct b006 {
	CK_KEY_TYPE kt;
	uint8_t value[16], modulus[8], small[1];
	CK_MECHANISM_TYPE allowed[4];
};

static void b006_fill(struct b006 *b, CK_ATTRIBUTE t[6], bool reverse)
{
	const CK_ATTRIBUTE entries[6] = {
		{ CKA_KEY_TYPE, &b->kt, sizeof(b->kt) },
		{ CKA_VALUE, b->value, sizeof(b->value) },
		{ CKA_MODULUS, b->modulus, sizeof(b->modulus) },
		{ CKA_LABEL, NULL, 0 },
		{ CKA_CLASS, b->small, sizeof(b->small) },
		{ CKA_ALLOWED_MECHANISMS, b->allowed, sizeof(b->allowed) },
	};

	for (size_t i = 0; i < 6; i++)
		t[i] = entries[reverse ? 5 - i : i];
}

static void b006_check(CK_ATTRIBUTE t[6], const struct b006 *b, bool reverse)
{
	static const CK_ULONG want[6] = { sizeof(CK_KEY_TYPE), NOTHING, NOTHING, 3, NOTHING, 0 };

	for (size_t i = 0; i < 6; i++)
		assert_int_equal(t[reverse ? 5 - i : i].ulValueLen, want[i]);
	assert_int_equal(b->kt, CKK_AES);
	assert_memory_equal(b->value, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
	assert_int_equal(b->small[0], 0);
}

static void test_every_entry_is_processed(void **state)
{
	struct attrset *key = aes(true, true);

	(void)state;
	for (int reverse = 0; reverse <= 1; reverse++) {
		struct b006 b = { 0 };
		CK_ATTRIBUTE t[6];

		b006_fill(&b, t, reverse != 0);
		/* The first obstacle on the way names the result. */
		assert_int_equal(get(key, t, 6), reverse ? E_TOO_SMALL : E_ATTR_SENSITIVE);
		b006_check(t, &b, reverse != 0);
	}
	attrset_free(key);
}

/* R12: readable only when it is not sensitive and extractable. */
static void test_sensitive_or_not_extractable(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		bool sensitive = (i & 1) != 0, extractable = (i & 2) != 0;
		struct attrset *key = aes(sensitive, extractable);
		bool readable = !sensitive && extractable, secret = !readable;
		uint8_t value[16] = { 0 };
		CK_ATTRIBUTE t = { CKA_VALUE, value, sizeof(value) };

		assert_int_equal(attr_get(key, true, &t, 1, true, &secret),
				 readable ? OK : E_ATTR_SENSITIVE);
		assert_int_equal(secret, readable);
		assert_int_equal(t.ulValueLen, readable ? 16 : NOTHING);
		assert_memory_equal(
			value, readable ? "0123456789abcdef" : "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
			16);
		t = (CK_ATTRIBUTE){ CKA_VALUE_LEN, value, 8 };
		assert_int_equal(attr_get(key, true, &t, 1, true, &secret), OK);
		assert_false(secret); /* not a value that could have been hidden */
		attrset_free(key);
	}
}

static void test_lengths(void **state)
{
	struct attrset *key = aes(false, true);
	uint8_t room[32];
	bool secret = true;
	CK_ATTRIBUTE t = { CKA_VALUE, NULL, 12345 };

	(void)state;
	assert_int_equal(attr_get(key, true, &t, 1, true, &secret), OK);
	assert_int_equal(t.ulValueLen, 16);
	assert_false(secret); /* a length is no secret */
	memset(room, 0xaa, sizeof(room));
	t = (CK_ATTRIBUTE){ CKA_VALUE, room, 15 };
	assert_int_equal(attr_get(key, true, &t, 1, true, &secret), E_TOO_SMALL);
	assert_int_equal(t.ulValueLen, NOTHING);
	assert_int_equal(room[0], 0xaa);
	assert_false(secret);
	/* A length left over from an earlier refusal is no room. */
	t = (CK_ATTRIBUTE){ CKA_VALUE, room, NOTHING };
	assert_int_equal(get(key, &t, 1), E_TOO_SMALL);
	t = (CK_ATTRIBUTE){ CKA_VALUE, room, 32 };
	assert_int_equal(attr_get(key, true, &t, 1, true, &secret), OK);
	assert_int_equal(t.ulValueLen, 16);
	assert_int_equal(room[16], 0xaa);
	assert_true(secret);
	assert_int_equal(get(key, NULL, 1), E_ARGUMENTS);
	assert_int_equal(get(key, NULL, 0), OK);
	attrset_free(key);
}

static void test_trusted_needs_verification(void **state)
{
	struct attrset *key = aes(true, false);
	CK_BBOOL trusted = 7;
	CK_ATTRIBUTE t = { CKA_TRUSTED, &trusted, 1 };
	bool secret;

	(void)state;
	assert_int_equal(attr_get(key, false, &t, 1, true, &secret), OK);
	assert_int_equal(trusted, CK_FALSE);
	assert_int_equal(attr_get(key, true, &t, 1, true, &secret), OK);
	assert_int_equal(trusted, CK_TRUE);
	attrset_free(key);
}

/* Our own record inside objects, and what is not the standard's. */
static void test_nobodys_attributes(void **state)
{
	static const CK_ATTRIBUTE_TYPE types[] = { CKA_CHANCERY_ROLES, CKA_VENDOR_DEFINED,
						   0x7fffffff, NOTHING };
	struct attrset *key = aes(false, true);

	(void)state;
	assert_int_equal(attrset_put_ulong(key, types[0], 1), OK);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		CK_ATTRIBUTE t = { types[i], NULL, 0 };

		assert_int_equal(get(key, &t, 1), E_ATTR_TYPE);
		assert_int_equal(t.ulValueLen, NOTHING);
	}
	attrset_free(key);
}

static struct attrset *with_template(void)
{
	struct attrset *key = aes(true, false);
	struct buf deep = { 0 }, form = { 0 };
	struct span in = attrs_nested(ATTRS(FLAG(CKA_SENSITIVE, true)), &deep);

	in = attrs_nested(ATTRS(TEXT(CKA_LABEL, "inside"), FLAG(CKA_EXTRACTABLE, false),
				BYTES(CKA_UNWRAP_TEMPLATE, in.p, in.n)),
			  &form);
	assert_int_equal(attrset_put(key, CKA_WRAP_TEMPLATE, in), OK);
	buf_free(&form);
	buf_free(&deep);
	return key;
}

/* 5.7.5: first the number of entries, then their types and lengths, then their values. */
static void test_nested_in_three_steps(void **state)
{
	struct attrset *key = with_template();
	CK_ATTRIBUTE t = { CKA_WRAP_TEMPLATE, NULL, 0 }, in[3], deep = { 0 };
	CK_BBOOL extractable = 9, sensitive = 9;
	char label[6];

	(void)state;
	assert_int_equal(get(key, &t, 1), OK);
	assert_int_equal(t.ulValueLen, sizeof(in));
	memset(in, 0, sizeof(in));
	t.pValue = in;
	assert_int_equal(get(key, &t, 1), OK);
	assert_int_equal(in[0].type, CKA_LABEL);
	assert_int_equal(in[0].ulValueLen, 6);
	assert_int_equal(in[1].type, CKA_EXTRACTABLE);
	assert_int_equal(in[1].ulValueLen, 1);
	assert_int_equal(in[2].type, CKA_UNWRAP_TEMPLATE);
	assert_int_equal(in[2].ulValueLen, sizeof(deep));
	in[0].pValue = label;
	in[1].pValue = &extractable;
	in[2].pValue = &deep;
	deep.pValue = &sensitive;
	deep.ulValueLen = 1;
	assert_int_equal(get(key, &t, 1), OK);
	assert_memory_equal(label, "inside", 6);
	assert_int_equal(extractable, CK_FALSE);
	assert_int_equal(deep.type, CKA_SENSITIVE);
	assert_int_equal(sensitive, CK_TRUE);
	attrset_free(key);
}

static void test_nested_too_small(void **state)
{
	struct attrset *key = with_template();
	CK_ATTRIBUTE in[3] = { { 0 } }, t = { CKA_WRAP_TEMPLATE, in, sizeof(in) - 1 };
	CK_BBOOL extractable = 9;
	char label[5];

	(void)state;
	assert_int_equal(get(key, &t, 1), E_TOO_SMALL);
	assert_int_equal(t.ulValueLen, NOTHING);
	assert_int_equal(in[1].type, 0);
	/* One entry without room: the others are filled. */
	in[0].pValue = label;
	in[0].ulValueLen = sizeof(label);
	in[1].pValue = &extractable;
	in[1].ulValueLen = 1;
	t.ulValueLen = sizeof(in);
	assert_int_equal(get(key, &t, 1), E_TOO_SMALL);
	assert_int_equal(t.ulValueLen, sizeof(in));
	assert_int_equal(in[0].ulValueLen, NOTHING);
	assert_int_equal(in[1].ulValueLen, 1);
	assert_int_equal(extractable, CK_FALSE);
	attrset_free(key);
}

static void test_nested_absent(void **state)
{
	struct attrset *key = aes(true, false);
	CK_ATTRIBUTE in[1] = { { 0 } }, t = { CKA_WRAP_TEMPLATE, NULL, 5 };

	(void)state;
	assert_int_equal(get(key, &t, 1), OK);
	assert_int_equal(t.ulValueLen, 0);
	t = (CK_ATTRIBUTE){ CKA_WRAP_TEMPLATE, in, sizeof(in) };
	assert_int_equal(get(key, &t, 1), OK);
	assert_int_equal(t.ulValueLen, 0);
	attrset_free(key);
}

static void test_both_spellings(void **state)
{
	struct buf form = { 0 };
	struct span in = attrs_nested(ATTRS(FLAG(CKA_SENSITIVE, true)), &form);
	struct attrset *key = ATTRS(NUM(CKA_CLASS, CKO_PUBLIC_KEY), NUM(CKA_KEY_TYPE, CKK_ML_KEM),
				    BYTES(CKA_ENCAPSULATE_TEMPLATE, in.p, in.n));
	static const CK_ATTRIBUTE_TYPE types[] = { CKA_ENCAPSULATE_TEMPLATE, 0x4000062a };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		CK_ATTRIBUTE t = { types[i], NULL, 0 };

		assert_int_equal(get(key, &t, 1), OK);
		assert_int_equal(t.ulValueLen, sizeof(CK_ATTRIBUTE));
		assert_int_equal(t.type, types[i]);
	}
	attrset_free(key);
	buf_free(&form);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_entry_is_processed),
		cmocka_unit_test(test_sensitive_or_not_extractable),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_trusted_needs_verification),
		cmocka_unit_test(test_nobodys_attributes),
		cmocka_unit_test(test_nested_in_three_steps),
		cmocka_unit_test(test_nested_too_small),
		cmocka_unit_test(test_nested_absent),
		cmocka_unit_test(test_both_spellings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
