/* SPDX-License-Identifier: Apache-2.0 */
/* C_SetAttributeValue and C_CopyObject (case B010). */
#include "core/attr.h"

#include "attrs.h"
#include <chancery/chancery.h>
#include "crypto/key.h"
#include "crypto/lib.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct attr_who user = { .user = true };
static const struct attr_who officer = { .so = true };
static const struct attr_who compat = { .user = true, .compat = true };

static int start(void **state)
{
	(void)state;
	return crypto_start() == OK ? 0 : -1;
}

static int stop(void **state)
{
	(void)state;
	crypto_stop();
	return 0;
}

/* A finished secret key with these flags. */
static struct attrset *key(bool sensitive, bool extractable)
{
	struct attrset *s = ATTRS(NUM(CKA_CLASS, CKO_SECRET_KEY), NUM(CKA_KEY_TYPE, CKK_AES),
				  NUM(CKA_VALUE_LEN, 16), FLAG(CKA_SENSITIVE, sensitive),
				  FLAG(CKA_EXTRACTABLE, extractable));

	assert_int_equal(attr_begin(HOW_GENERATE, &user, CKO_SECRET_KEY, CKK_AES, s), OK);
	assert_int_equal(attrset_put(s, CKA_VALUE, span_str("0123456789abcdef")), OK);
	assert_int_equal(attr_finish(HOW_GENERATE, &user, NULL, NULL, s), OK);
	return s;
}

/* Frees change; *out (may be NULL) gets the result. */
static enum err set_as(const struct attr_who *who, const struct attrset *old,
		       struct attrset *change, struct attrset **out)
{
	struct attrset *s = NULL;
	enum err e = attr_set(who, old, change, &s);

	assert_int_equal(s != NULL, e == OK);
	attrset_free(change);
	if (out != NULL)
		*out = s;
	else
		attrset_free(s);
	return e;
}

static enum err copy_as(const struct attr_who *who, const struct attrset *old,
			struct attrset *change, struct attrset **out)
{
	struct attrset *s = NULL;
	enum err e = attr_copy(who, old, change, &s);

	assert_int_equal(s != NULL, e == OK);
	attrset_free(change);
	if (out != NULL)
		*out = s;
	else
		attrset_free(s);
	return e;
}

static enum err set(const struct attrset *old, struct attrset *change)
{
	return set_as(&user, old, change, NULL);
}

static enum err copy(const struct attrset *old, struct attrset *change)
{
	return copy_as(&user, old, change, NULL);
}

static void test_one_way(void **state)
{
	struct attrset *open = key(false, true), *closed = key(true, false);

	(void)state;
	assert_int_equal(set(open, ATTRS(FLAG(CKA_SENSITIVE, true))), OK);
	assert_int_equal(set(open, ATTRS(FLAG(CKA_SENSITIVE, false))), OK);
	assert_int_equal(set(open, ATTRS(FLAG(CKA_EXTRACTABLE, false))), OK);
	assert_int_equal(set(closed, ATTRS(FLAG(CKA_SENSITIVE, false))), E_ATTR_READ_ONLY);
	assert_int_equal(set(closed, ATTRS(FLAG(CKA_EXTRACTABLE, true))), E_ATTR_READ_ONLY);
	assert_int_equal(
		set(closed, ATTRS(FLAG(CKA_SENSITIVE, true), FLAG(CKA_EXTRACTABLE, false))), OK);
	assert_int_equal(copy(closed, ATTRS(FLAG(CKA_SENSITIVE, false))), E_ATTR_READ_ONLY);
	assert_int_equal(copy(closed, ATTRS(FLAG(CKA_EXTRACTABLE, true))), E_ATTR_READ_ONLY);
	assert_int_equal(copy(open, ATTRS(FLAG(CKA_SENSITIVE, true), FLAG(CKA_EXTRACTABLE, false))),
			 OK);
	assert_int_equal(set(open, ATTRS(FLAG(CKA_WRAP_WITH_TRUSTED, true))), OK);
	attrset_free(open);
	attrset_free(closed);
}

static void test_wrap_with_trusted_stays(void **state)
{
	struct attrset *open = key(false, true), *s = NULL;

	(void)state;
	assert_int_equal(set_as(&user, open, ATTRS(FLAG(CKA_WRAP_WITH_TRUSTED, true)), &s), OK);
	assert_int_equal(set(s, ATTRS(FLAG(CKA_WRAP_WITH_TRUSTED, false))), E_ATTR_READ_ONLY);
	assert_int_equal(copy(s, ATTRS(FLAG(CKA_WRAP_WITH_TRUSTED, false))), E_ATTR_READ_ONLY);
	attrset_free(s);
	attrset_free(open);
}

/* What a key was cannot be made undone, by no change and no copy. */
static void test_history_stays(void **state)
{
	struct attrset *open = key(false, true), *s = NULL;

	(void)state;
	assert_int_equal(copy_as(&user, open,
				 ATTRS(FLAG(CKA_EXTRACTABLE, false), FLAG(CKA_SENSITIVE, true)),
				 &s),
			 OK);
	assert_false(attrset_bool(s, CKA_EXTRACTABLE, true));
	assert_false(attrset_bool(s, CKA_NEVER_EXTRACTABLE, true));
	assert_false(attrset_bool(s, CKA_ALWAYS_SENSITIVE, true));
	assert_true(attrset_bool(s, CKA_LOCAL, false));
	attrset_free(s);
	attrset_free(open);
	open = key(true, false);
	assert_int_equal(copy_as(&user, open, ATTRS(TEXT(CKA_LABEL, "twin")), &s), OK);
	assert_true(attrset_bool(s, CKA_ALWAYS_SENSITIVE, false));
	assert_true(attrset_bool(s, CKA_NEVER_EXTRACTABLE, false));
	attrset_free(s);
	attrset_free(open);
}

static void test_copy_is_another_object(void **state)
{
	struct attrset *old = key(true, false), *s = NULL;

	(void)state;
	/* What it is anyway is no change (CKA_CLASS, mostly). */
	assert_int_equal(copy_as(&user, old,
				 ATTRS(NUM(CKA_CLASS, CKO_SECRET_KEY), NUM(CKA_KEY_TYPE, CKK_AES),
				       NUM(CKA_VALUE_LEN, 16), FLAG(CKA_TOKEN, true)),
				 &s),
			 OK);
	assert_true(attrset_bool(s, CKA_TOKEN, false));
	assert_false(span_eq(attrset_bytes(s, CKA_UNIQUE_ID), attrset_bytes(old, CKA_UNIQUE_ID)));
	assert_true(span_eq(attrset_bytes(s, CKA_VALUE), attrset_bytes(old, CKA_VALUE)));
	assert_int_equal(copy(old, ATTRS(NUM(CKA_CLASS, CKO_DATA))), E_ATTR_READ_ONLY);
	assert_int_equal(copy(old, ATTRS(NUM(CKA_VALUE_LEN, 32))), E_ATTR_READ_ONLY);
	assert_int_equal(set(old, ATTRS(NUM(CKA_CLASS, CKO_SECRET_KEY))), E_ATTR_READ_ONLY);
	attrset_free(s);
	attrset_free(old);
}

/* A copy must not tell whether a guess at the value was right, nor take over an id. */
static void test_copy_answers_no_guesses(void **state)
{
	struct attrset *old = key(true, false);
	struct span id = attrset_bytes(old, CKA_UNIQUE_ID);

	(void)state;
	assert_int_equal(copy(old, ATTRS(TEXT(CKA_VALUE, "0123456789abcdef"))), E_ATTR_READ_ONLY);
	assert_int_equal(copy(old, ATTRS(TEXT(CKA_VALUE, "0123456789abcdeX"))), E_ATTR_READ_ONLY);
	assert_int_equal(copy(old, ATTRS(BYTES(CKA_UNIQUE_ID, id.p, id.n))), E_ATTR_READ_ONLY);
	assert_int_equal(copy(old, ATTRS(FLAG(CKA_LOCAL, true))), E_ATTR_READ_ONLY);
	attrset_free(old);
}

static void test_policy_flags(void **state)
{
	struct attrset *s = key(true, false), *change = ATTRS(TEXT(CKA_LABEL, "x")), *out = NULL;

	(void)state;
	assert_int_equal(attrset_put_bool(s, CKA_MODIFIABLE, false), OK);
	assert_int_equal(attr_set(&user, s, change, &out), E_PROHIBITED);
	assert_int_equal(attr_copy(&user, s, change, &out), OK);
	attrset_free(out);
	assert_int_equal(attrset_put_bool(s, CKA_COPYABLE, false), OK);
	assert_int_equal(attr_copy(&user, s, change, &out), E_PROHIBITED);
	attrset_free(change);
	attrset_free(s);
}

static void test_copyable_is_one_way(void **state)
{
	struct attrset *s = key(true, false), *out = NULL;

	(void)state;
	assert_int_equal(set_as(&user, s, ATTRS(FLAG(CKA_COPYABLE, false)), &out), OK);
	assert_int_equal(set(out, ATTRS(FLAG(CKA_COPYABLE, true))), E_ATTR_READ_ONLY);
	attrset_free(out);
	/* The rest of the three only in a copy. */
	assert_int_equal(set(s, ATTRS(FLAG(CKA_MODIFIABLE, false))), E_ATTR_READ_ONLY);
	assert_int_equal(set(s, ATTRS(FLAG(CKA_DESTROYABLE, false))), E_ATTR_READ_ONLY);
	assert_int_equal(copy(s, ATTRS(FLAG(CKA_MODIFIABLE, false), FLAG(CKA_DESTROYABLE, false))),
			 OK);
	attrset_free(s);
}

static void test_not_changeable(void **state)
{
	CK_MECHANISM_TYPE m = CKM_AES_CBC;
	struct attrset *s = key(true, false);

	(void)state;
	assert_int_equal(set(s, ATTRS(BYTES(CKA_ALLOWED_MECHANISMS, &m, sizeof(m)))),
			 E_ATTR_READ_ONLY);
	assert_int_equal(set(s, ATTRS(FLAG(CKA_ALWAYS_AUTHENTICATE, true))), E_ATTR_TYPE);
	assert_int_equal(set(s, ATTRS(TEXT(CKA_MODULUS, "x"))), E_ATTR_TYPE);
	assert_int_equal(set(s, ATTRS(TEXT(CKA_VENDOR_DEFINED | 1, "x"))), E_ATTR_TYPE);
	assert_int_equal(set(s, ATTRS(NUM(CKA_CHANCERY_ROLES, 0))), E_ATTR_TYPE);
	assert_int_equal(copy(s, ATTRS(NUM(CKA_CHANCERY_ROLES, 0))), E_ATTR_TYPE);
	assert_int_equal(set(s, ATTRS(TEXT(CKA_LABEL, "x"), FLAG(CKA_TOKEN, true))),
			 E_ATTR_READ_ONLY);
	attrset_free(s);
}

static void test_check_value_may_go(void **state)
{
	struct attrset *s = key(true, false), *out = NULL;

	(void)state;
	assert_int_equal(attrset_put(s, CKA_CHECK_VALUE, span_str("abc")), OK);
	assert_int_equal(set(s, ATTRS(TEXT(CKA_CHECK_VALUE, "abd"))), E_ATTR_READ_ONLY);
	assert_int_equal(set_as(&user, s, ATTRS(EMPTY(CKA_CHECK_VALUE)), &out), OK);
	assert_int_equal(attrset_bytes(out, CKA_CHECK_VALUE).n, 0);
	attrset_free(out);
	attrset_free(s);
}

static void test_dates_stay_in_order(void **state)
{
	struct attrset *s = key(true, false), *out = NULL;

	(void)state;
	assert_int_equal(set_as(&user, s, ATTRS(TEXT(CKA_END_DATE, "20260101")), &out), OK);
	assert_int_equal(set(out, ATTRS(TEXT(CKA_START_DATE, "20260102"))),
			 E_TEMPLATE_INCONSISTENT);
	assert_int_equal(set(out, ATTRS(TEXT(CKA_START_DATE, "20251231"))), OK);
	attrset_free(out);
	attrset_free(s);
}

static void test_trust(void **state)
{
	struct attrset *s = key(true, false), *trusted = NULL, *twin = NULL;

	(void)state;
	assert_int_equal(set(s, ATTRS(FLAG(CKA_TRUSTED, true))), E_ATTR_READ_ONLY);
	assert_int_equal(copy(s, ATTRS(FLAG(CKA_TRUSTED, true))), E_ATTR_READ_ONLY);
	assert_int_equal(set_as(&officer, s, ATTRS(FLAG(CKA_TRUSTED, true)), &trusted), OK);
	/* A copy by somebody else is another key under the same trust: no. */
	assert_int_equal(copy_as(&user, trusted, ATTRS(TEXT(CKA_LABEL, "twin")), &twin), OK);
	assert_false(attrset_bool(twin, CKA_TRUSTED, true));
	attrset_free(twin);
	assert_int_equal(copy_as(&officer, trusted, ATTRS(TEXT(CKA_LABEL, "twin")), &twin), OK);
	assert_true(attrset_bool(twin, CKA_TRUSTED, false));
	attrset_free(twin);
	attrset_free(trusted);
	attrset_free(s);
}

static void test_trusted_certificates(void **state)
{
	struct attrset *s =
		ATTRS(NUM(CKA_CLASS, CKO_CERTIFICATE), NUM(CKA_CERTIFICATE_TYPE, CKC_X_509),
		      TEXT(CKA_VALUE, "v"), TEXT(CKA_SUBJECT, "s"), FLAG(CKA_TRUSTED, true));

	(void)state;
	assert_int_equal(set_as(&user, s, ATTRS(TEXT(CKA_LABEL, "x")), NULL), E_PROHIBITED);
	assert_int_equal(set_as(&officer, s, ATTRS(TEXT(CKA_LABEL, "x")), NULL), OK);
	assert_int_equal(set_as(&officer, s, ATTRS(FLAG(CKA_TRUSTED, false)), NULL), OK);
	assert_int_equal(attrset_put_bool(s, CKA_TRUSTED, false), OK);
	assert_int_equal(set_as(&user, s, ATTRS(TEXT(CKA_LABEL, "x")), NULL), OK);
	attrset_free(s);
}

/* A copy of a private key stays private; data may be published by who may read it. */
static void test_private_stays_private(void **state)
{
	struct attrset *s = key(true, false);
	struct attrset *data = ATTRS(NUM(CKA_CLASS, CKO_DATA), FLAG(CKA_PRIVATE, true));

	(void)state;
	assert_int_equal(copy(s, ATTRS(FLAG(CKA_PRIVATE, false))), E_TEMPLATE_INCONSISTENT);
	assert_int_equal(copy_as(&compat, s, ATTRS(FLAG(CKA_PRIVATE, false)), NULL), OK);
	assert_int_equal(set(s, ATTRS(FLAG(CKA_PRIVATE, false))), E_ATTR_READ_ONLY);
	assert_int_equal(copy(data, ATTRS(FLAG(CKA_PRIVATE, false))), OK);
	attrset_free(data);
	attrset_free(s);
}

/* Nobody copies what the module itself shows. */
static void test_module_objects(void **state)
{
	struct attrset *s =
		ATTRS(NUM(CKA_CLASS, CKO_PROFILE), NUM(CKA_PROFILE_ID, CKP_BASELINE_PROVIDER));

	(void)state;
	assert_int_equal(copy(s, ATTRS(NUM(CKA_CLASS, CKO_PROFILE))), E_PROHIBITED);
	assert_int_equal(set(s, ATTRS(NUM(CKA_PROFILE_ID, CKP_EXTENDED_PROVIDER))),
			 E_ATTR_READ_ONLY);
	assert_int_equal(set(s, ATTRS(TEXT(CKA_LABEL, "x"))), E_ATTR_TYPE);
	attrset_free(s);
}

/* An Ed25519 private key, RFC 8032, 7.1, test 1. */
static struct attrset *ed25519(void)
{
	static const uint8_t params[] = { 0x06, 0x03, 0x2b, 0x65, 0x70 };
	static const uint8_t value[] = { 0x9d, 0x61, 0xb1, 0x9d, 0xef, 0xfd, 0x5a, 0x60,
					 0xba, 0x84, 0x4a, 0xf4, 0x92, 0xec, 0x2c, 0xc4,
					 0x44, 0x49, 0xc5, 0x69, 0x7b, 0x32, 0x69, 0x19,
					 0x70, 0x3b, 0xac, 0x03, 0x1c, 0xae, 0x7f, 0x60 };
	struct attrset *s =
		ATTRS(NUM(CKA_CLASS, CKO_PRIVATE_KEY), NUM(CKA_KEY_TYPE, CKK_EC_EDWARDS),
		      BYTES(CKA_EC_PARAMS, params, sizeof(params)),
		      BYTES(CKA_VALUE, value, sizeof(value)));
	const CK_ULONG any = CK_UNAVAILABLE_INFORMATION;

	assert_int_equal(attr_begin(HOW_CREATE, &user, any, any, s), OK);
	assert_int_equal(key_complete(s), OK);
	assert_int_equal(attr_finish(HOW_CREATE, &user, NULL, NULL, s), OK);
	return s;
}

/* Setting one attribute leaves the key whole; CKA_PUBLIC_KEY_INFO is what the key says. */
static void test_key_material_stays(void **state)
{
	struct attrset *s = ed25519(), *out = NULL;
	struct span info = attrset_bytes(s, CKA_PUBLIC_KEY_INFO);
	struct key *parsed = NULL;

	(void)state;
	assert_int_not_equal(info.n, 0);
	assert_int_equal(set(s, ATTRS(BYTES(CKA_PUBLIC_KEY_INFO, info.p, info.n))), OK);
	assert_int_equal(set(s, ATTRS(BYTES(CKA_PUBLIC_KEY_INFO, info.p, info.n - 1))),
			 E_ATTR_VALUE);
	assert_int_equal(
		set_as(&user, s, ATTRS(TEXT(CKA_LABEL, "ed"), EMPTY(CKA_PUBLIC_KEY_INFO)), &out),
		OK);
	assert_int_equal(key_parse(out, &parsed), OK);
	key_unref(parsed);
	/* Emptied, it may come back. */
	assert_int_equal(set(out, ATTRS(BYTES(CKA_PUBLIC_KEY_INFO, info.p, info.n))), OK);
	attrset_free(out);
	attrset_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_way),
		cmocka_unit_test(test_wrap_with_trusted_stays),
		cmocka_unit_test(test_history_stays),
		cmocka_unit_test(test_copy_is_another_object),
		cmocka_unit_test(test_copy_answers_no_guesses),
		cmocka_unit_test(test_policy_flags),
		cmocka_unit_test(test_copyable_is_one_way),
		cmocka_unit_test(test_not_changeable),
		cmocka_unit_test(test_check_value_may_go),
		cmocka_unit_test(test_dates_stay_in_order),
		cmocka_unit_test(test_trust),
		cmocka_unit_test(test_trusted_certificates),
		cmocka_unit_test(test_private_stays_private),
		cmocka_unit_test(test_module_objects),
		cmocka_unit_test(test_key_material_stays),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
