/* SPDX-License-Identifier: Apache-2.0 */
/* What C_FindObjects finds (case R11), and the templates that keys carry. */
#include "core/attr.h"

#include "attrs.h"
#include <chancery/chancery.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct attrset *aes(bool sensitive)
{
	return ATTRS(
		NUM(CKA_CLASS, CKO_SECRET_KEY), NUM(CKA_KEY_TYPE, CKK_AES), TEXT(CKA_LABEL, "kek"),
		TEXT(CKA_ID, "\1\2"), TEXT(CKA_VALUE, "0123456789abcdef"), NUM(CKA_VALUE_LEN, 16),
		FLAG(CKA_SENSITIVE, sensitive), FLAG(CKA_EXTRACTABLE, !sensitive),
		FLAG(CKA_TRUSTED, true), FLAG(CKA_TOKEN, false), TEXT(CKA_START_DATE, "20260101"));
}

/* Frees templ. */
static bool match(const struct attrset *obj, struct attrset *templ)
{
	bool found = attr_match(obj, true, true, templ);

	attrset_free(templ);
	return found;
}

static void flip(struct attrset *s, const struct attr *a)
{
	uint8_t v[64];

	assert_in_range(a->v.n, 1, sizeof(v));
	memcpy(v, a->v.p, a->v.n);
	v[a->v.n - 1] ^= 1;
	assert_int_equal(attrset_put(s, a->type, span(v, a->v.n)), OK);
}

/* Every attribute alone and in pairs: as it is, changed in one bit, and too short. */
static void test_every_attribute_counts(void **state)
{
	struct attrset *obj = aes(false);

	(void)state;
	for (size_t i = 0; i < attrset_count(obj); i++)
		for (size_t j = 0; j < attrset_count(obj); j++) {
			struct attr a = attrset_at(obj, i), b = attrset_at(obj, j);
			struct attrset *t =
				ATTRS(BYTES(a.type, a.v.p, a.v.n), BYTES(b.type, b.v.p, b.v.n));

			assert_true(attr_match(obj, true, true, t));
			flip(t, &b);
			assert_false(attr_match(obj, true, true, t));
			assert_int_equal(attrset_put(t, b.type, span(b.v.p, b.v.n - 1)), OK);
			assert_false(attr_match(obj, true, true, t));
			attrset_free(t);
		}
	attrset_free(obj);
}

static void test_unknown_matches_nothing(void **state)
{
	struct attrset *obj = aes(false), *none = attrset_new(false);

	(void)state;
	assert_true(attr_match(obj, true, true, none));
	assert_false(match(obj, ATTRS(TEXT(CKA_VENDOR_DEFINED | 1, "x"))));
	assert_false(match(obj, ATTRS(EMPTY(CKA_VENDOR_DEFINED | 1))));
	assert_false(match(obj, ATTRS(TEXT(CKA_MODULUS, "x"))));
	assert_false(match(obj, ATTRS(EMPTY(CKA_MODULUS))));
	assert_int_equal(attrset_put_ulong(obj, CKA_CHANCERY_ROLES, 1), OK);
	assert_false(match(obj, ATTRS(NUM(CKA_CHANCERY_ROLES, 1))));
	/* As it reads: an attribute the object could have is empty. */
	assert_true(match(obj, ATTRS(EMPTY(CKA_END_DATE))));
	assert_false(match(obj, ATTRS(EMPTY(CKA_START_DATE))));
	attrset_free(none);
	attrset_free(obj);
}

static void test_secrets_are_not_found(void **state)
{
	struct attrset *hidden = aes(true), *shown = aes(false);
	struct attrset *guess = ATTRS(TEXT(CKA_VALUE, "0123456789abcdef")),
		       *rest = ATTRS(TEXT(CKA_LABEL, "kek"), NUM(CKA_VALUE_LEN, 16));

	(void)state;
	assert_false(match(hidden, ATTRS(TEXT(CKA_VALUE, "0123456789abcdef"))));
	assert_false(match(hidden, ATTRS(EMPTY(CKA_VALUE))));
	assert_true(match(shown, ATTRS(TEXT(CKA_VALUE, "0123456789abcdef"))));
	assert_false(match(shown, ATTRS(TEXT(CKA_VALUE, "0123456789abcdeX"))));
	assert_false(attr_match(shown, true, false, guess));
	assert_true(attr_match(shown, true, false, rest));
	attrset_free(guess);
	attrset_free(rest);
	attrset_free(hidden);
	attrset_free(shown);
}

static void test_trust_needs_verification(void **state)
{
	struct attrset *obj = aes(true), *t = ATTRS(FLAG(CKA_TRUSTED, true)),
		       *f = ATTRS(FLAG(CKA_TRUSTED, false));

	(void)state;
	assert_true(attr_match(obj, true, true, t));
	assert_false(attr_match(obj, false, true, t));
	assert_true(attr_match(obj, false, true, f));
	attrset_free(t);
	attrset_free(f);
	attrset_free(obj);
}

/* A key whose CKA_WRAP_TEMPLATE has these attributes; frees inner. */
static struct attrset *carrier(struct attrset *inner)
{
	struct buf form = { 0 };
	struct span in = attrs_nested(inner, &form);
	struct attrset *s =
		ATTRS(BYTES(CKA_WRAP_TEMPLATE, in.p, in.n), BYTES(CKA_UNWRAP_TEMPLATE, in.p, in.n),
		      BYTES(CKA_ENCAPSULATE_TEMPLATE, in.p, in.n));

	buf_free(&form);
	return s;
}

static void test_agrees(void **state)
{
	struct attrset *key = carrier(ATTRS(FLAG(CKA_SENSITIVE, true), TEXT(CKA_LABEL, "kek")));
	struct attrset *obj = aes(true), *other = aes(false), *none = attrset_new(false);

	(void)state;
	assert_true(attr_agrees(key, CKA_WRAP_TEMPLATE, obj));
	assert_false(attr_agrees(key, CKA_WRAP_TEMPLATE, other));
	assert_false(attr_agrees(key, CKA_WRAP_TEMPLATE, none));
	assert_true(attr_agrees(key, CKA_DERIVE_TEMPLATE, none));
	assert_true(attr_agrees(none, CKA_WRAP_TEMPLATE, none));
	assert_false(attr_agrees(key, CKA_ENCAPSULATE_TEMPLATE | CKF_ARRAY_ATTRIBUTE, other));
	attrset_free(key);
	attrset_free(obj);
	attrset_free(other);
	attrset_free(none);
}

/* The template is made by whoever makes the wrapping key, so it would be a way to guess. */
static void test_no_secret_agrees(void **state)
{
	struct attrset *key = carrier(ATTRS(TEXT(CKA_VALUE, "0123456789abcdef")));
	struct attrset *hidden = aes(true), *shown = aes(false);

	(void)state;
	assert_false(attr_agrees(key, CKA_WRAP_TEMPLATE, hidden));
	assert_false(attr_agrees(key, CKA_WRAP_TEMPLATE, shown));
	attrset_free(key);
	attrset_free(hidden);
	attrset_free(shown);
}

/* What a key must have is not met by one that lacks it, not even when it must be empty. */
static void test_absent_does_not_agree(void **state)
{
	struct attrset *key = carrier(ATTRS(EMPTY(CKA_START_DATE)));
	struct attrset *none = attrset_new(false), *empty = ATTRS(EMPTY(CKA_START_DATE));

	(void)state;
	assert_false(attr_agrees(key, CKA_WRAP_TEMPLATE, none));
	assert_true(attr_agrees(key, CKA_WRAP_TEMPLATE, empty));
	attrset_free(key);
	attrset_free(none);
	attrset_free(empty);
}

static void test_impose(void **state)
{
	struct attrset *key =
		carrier(ATTRS(FLAG(CKA_EXTRACTABLE, false), TEXT(CKA_LABEL, "imported")));
	struct attrset *t = ATTRS(FLAG(CKA_EXTRACTABLE, false), TEXT(CKA_ID, "1"));
	struct attrset *clash = ATTRS(FLAG(CKA_EXTRACTABLE, true));

	(void)state;
	assert_int_equal(attr_impose(key, CKA_UNWRAP_TEMPLATE, t), OK);
	assert_int_equal(attrset_count(t), 3);
	assert_true(span_eq(attrset_bytes(t, CKA_LABEL), span_str("imported")));
	assert_int_equal(attr_impose(key, CKA_UNWRAP_TEMPLATE, clash), E_TEMPLATE_INCONSISTENT);
	assert_int_equal(attr_impose(key, CKA_DERIVE_TEMPLATE, clash), OK);
	attrset_free(key);
	attrset_free(t);
	attrset_free(clash);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_attribute_counts),
		cmocka_unit_test(test_unknown_matches_nothing),
		cmocka_unit_test(test_secrets_are_not_found),
		cmocka_unit_test(test_trust_needs_verification),
		cmocka_unit_test(test_agrees),
		cmocka_unit_test(test_no_secret_agrees),
		cmocka_unit_test(test_absent_does_not_agree),
		cmocka_unit_test(test_impose),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
