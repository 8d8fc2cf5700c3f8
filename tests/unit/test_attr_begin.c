/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The beginning of objects beyond single rows: class and type, defaults (case B012), rules between
 * attributes.
 */
#include "core/attr.h"

#include "attrs.h"
#include <chancery/chancery.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define NONE CK_UNAVAILABLE_INFORMATION

static const struct attr_who user = { .user = true };

/* Frees s. */
static enum err begin(enum attr_how how, CK_OBJECT_CLASS cls, CK_KEY_TYPE kt, struct attrset *s)
{
	enum err e = attr_begin(how, &user, cls, kt, s);

	attrset_free(s);
	return e;
}

static enum err create(struct attrset *s)
{
	return begin(HOW_CREATE, NONE, NONE, s);
}

#define CLASS(c) NUM(CKA_CLASS, c)
#define TYPE(t)  NUM(CKA_KEY_TYPE, t)

static void test_class_and_type(void **state)
{
	(void)state;
	assert_int_equal(create(ATTRS(TYPE(CKK_AES), TEXT(CKA_VALUE, "x"))), E_TEMPLATE_INCOMPLETE);
	assert_int_equal(create(ATTRS(CLASS(CKO_SECRET_KEY), TEXT(CKA_VALUE, "x"))),
			 E_TEMPLATE_INCOMPLETE);
	assert_int_equal(create(ATTRS(CLASS(99))), E_ATTR_VALUE);
	assert_int_equal(create(ATTRS(CLASS(CKO_VENDOR_DEFINED))), E_ATTR_VALUE);
	assert_int_equal(create(ATTRS(CLASS(CKO_SECRET_KEY), TYPE(CKK_RSA), TEXT(CKA_VALUE, "x"))),
			 E_ATTR_VALUE);
	assert_int_equal(create(ATTRS(CLASS(CKO_SECRET_KEY), TYPE(CKK_VENDOR_DEFINED))),
			 E_ATTR_VALUE);
	assert_int_equal(create(ATTRS(CLASS(CKO_SECRET_KEY), TYPE(NONE))), E_ATTR_VALUE);
	assert_int_equal(create(ATTRS(CLASS(CKO_CERTIFICATE), NUM(CKA_CERTIFICATE_TYPE, 7))),
			 E_ATTR_VALUE);
	/* The mechanism makes something else than the template says. */
	assert_int_equal(begin(HOW_GENERATE, CKO_SECRET_KEY, CKK_AES,
			       ATTRS(TYPE(CKK_DES3), NUM(CKA_VALUE_LEN, 32))),
			 E_TEMPLATE_INCONSISTENT);
	assert_int_equal(begin(HOW_GENERATE, CKO_SECRET_KEY, CKK_AES,
			       ATTRS(CLASS(CKO_PUBLIC_KEY), NUM(CKA_VALUE_LEN, 32))),
			 E_TEMPLATE_INCONSISTENT);
	assert_int_equal(
		begin(HOW_GENERATE, CKO_SECRET_KEY, CKK_AES, ATTRS(NUM(CKA_VALUE_LEN, 32))), OK);
	/* A mechanism that makes keys of any type: the template says which. */
	assert_int_equal(begin(HOW_GENERATE, CKO_SECRET_KEY, NONE, ATTRS(NUM(CKA_VALUE_LEN, 32))),
			 E_TEMPLATE_INCOMPLETE);
	assert_int_equal(begin(HOW_GENERATE, CKO_SECRET_KEY, NONE,
			       ATTRS(TYPE(CKK_AES), NUM(CKA_VALUE_LEN, 32))),
			 OK);
	assert_int_equal(begin(HOW_SET, CKO_SECRET_KEY, CKK_AES, ATTRS(NUM(CKA_VALUE_LEN, 32))),
			 E_INTERNAL);
}

static CK_ULONG settled(enum attr_how how, CK_ATTRIBUTE_TYPE t, struct attrset *s)
{
	CK_ULONG v;

	assert_int_equal(attr_begin(how, &user, NONE, NONE, s), OK);
	v = attrset_ulong(s, t, NONE);
	attrset_free(s);
	return v;
}

static void test_implied_class_and_type(void **state)
{
	(void)state;
	assert_int_equal(settled(HOW_UNWRAP, CKA_CLASS, ATTRS(TYPE(CKK_AES))), CKO_SECRET_KEY);
	assert_int_equal(settled(HOW_UNWRAP, CKA_CLASS, ATTRS(TYPE(CKK_EC))), CKO_PRIVATE_KEY);
	assert_int_equal(settled(HOW_DERIVE, CKA_CLASS, ATTRS(TYPE(CKK_AES))), CKO_SECRET_KEY);
	assert_int_equal(settled(HOW_DERIVE, CKA_KEY_TYPE, ATTRS(FLAG(CKA_TOKEN, false))),
			 CKK_GENERIC_SECRET);
	assert_int_equal(begin(HOW_UNWRAP, NONE, NONE, ATTRS(CLASS(CKO_SECRET_KEY))),
			 E_TEMPLATE_INCOMPLETE);
	assert_int_equal(begin(HOW_UNWRAP, NONE, NONE, ATTRS(CLASS(CKO_PUBLIC_KEY), TYPE(CKK_RSA))),
			 E_TEMPLATE_INCONSISTENT);
	assert_int_equal(
		begin(HOW_DERIVE, NONE, NONE, ATTRS(CLASS(CKO_PRIVATE_KEY), TYPE(CKK_RSA))),
		E_TEMPLATE_INCONSISTENT);
}

static void test_foreign_attributes(void **state)
{
	struct buf form = { 0 };
	struct span in = attrs_nested(ATTRS(FLAG(CKA_VENDOR_DEFINED | 1, true)), &form);

	(void)state;
	/* 4.1.1: known elsewhere contradicts the class, unknown is invalid. */
	assert_int_equal(create(ATTRS(CLASS(CKO_DATA), TEXT(CKA_MODULUS, "x"))),
			 E_TEMPLATE_INCONSISTENT);
	assert_int_equal(create(ATTRS(CLASS(CKO_DATA), TEXT(CKA_VENDOR_DEFINED | 1, "x"))),
			 E_ATTR_TYPE);
	assert_int_equal(create(ATTRS(CLASS(CKO_DATA), NUM(CKA_CHANCERY_ROLES, 1))), E_ATTR_TYPE);
	assert_int_equal(create(ATTRS(CLASS(CKO_SECRET_KEY), TYPE(CKK_AES), TEXT(CKA_VALUE, "x"),
				      BYTES(CKA_UNWRAP_TEMPLATE, in.p, in.n))),
			 E_ATTR_TYPE);
	buf_free(&form);
}

/* What only the deriving mechanism wants to know. */
static void test_length_of_derived_data(void **state)
{
	(void)state;
	assert_int_equal(begin(HOW_DERIVE, CKO_DATA, NONE, ATTRS(NUM(CKA_VALUE_LEN, 32))), OK);
	assert_int_equal(create(ATTRS(CLASS(CKO_DATA), NUM(CKA_VALUE_LEN, 32))),
			 E_TEMPLATE_INCONSISTENT);
	assert_int_equal(begin(HOW_DERIVE, CKO_DATA, NONE, ATTRS(TEXT(CKA_VALUE, "mine"))),
			 E_ATTR_READ_ONLY);
}

static void check_flags(const struct attrset *s, const struct give *want, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		assert_true(attrset_has(s, want[i].type));
		assert_int_equal(attrset_bool(s, want[i].type, !want[i].number), want[i].number);
	}
}

/* B012: nothing is open unless asked for. */
static void test_defaults_of_keys(void **state)
{
	static const struct give closed[] = {
		{ CKA_PRIVATE, GIVE_FLAG, 1, { NULL, 0 } },
		{ CKA_SENSITIVE, GIVE_FLAG, 1, { NULL, 0 } },
		{ CKA_EXTRACTABLE, GIVE_FLAG, 0, { NULL, 0 } },
		{ CKA_TOKEN, GIVE_FLAG, 0, { NULL, 0 } },
		{ CKA_MODIFIABLE, GIVE_FLAG, 1, { NULL, 0 } },
		{ CKA_COPYABLE, GIVE_FLAG, 1, { NULL, 0 } },
		{ CKA_DESTROYABLE, GIVE_FLAG, 1, { NULL, 0 } },
		{ CKA_DECRYPT, GIVE_FLAG, 0, { NULL, 0 } },
		{ CKA_SIGN, GIVE_FLAG, 0, { NULL, 0 } },
		{ CKA_UNWRAP, GIVE_FLAG, 0, { NULL, 0 } },
		{ CKA_DERIVE, GIVE_FLAG, 0, { NULL, 0 } },
		{ CKA_WRAP_WITH_TRUSTED, GIVE_FLAG, 0, { NULL, 0 } }
	};
	static const struct give secret[] = { { CKA_ENCRYPT, GIVE_FLAG, 0, { NULL, 0 } },
					      { CKA_VERIFY, GIVE_FLAG, 0, { NULL, 0 } },
					      { CKA_WRAP, GIVE_FLAG, 0, { NULL, 0 } },
					      { CKA_TRUSTED, GIVE_FLAG, 0, { NULL, 0 } } };
	struct attrset *aes = ATTRS(NUM(CKA_VALUE_LEN, 32)), *rsa = ATTRS(TEXT(CKA_LABEL, "r"));

	(void)state;
	assert_int_equal(attr_begin(HOW_GENERATE, &user, CKO_SECRET_KEY, CKK_AES, aes), OK);
	check_flags(aes, closed, sizeof(closed) / sizeof(closed[0]));
	check_flags(aes, secret, sizeof(secret) / sizeof(secret[0]));
	assert_int_equal(attr_begin(HOW_GENERATE, &user, CKO_PRIVATE_KEY, CKK_RSA, rsa), OK);
	check_flags(rsa, closed, sizeof(closed) / sizeof(closed[0]));
	assert_false(attrset_bool(rsa, CKA_ALWAYS_AUTHENTICATE, true));
	attrset_free(aes);
	attrset_free(rsa);
}

/* B047: what everybody may see is public unless asked otherwise. */
static void test_defaults_of_public_objects(void **state)
{
	struct attrset *cert = ATTRS(CLASS(CKO_CERTIFICATE), NUM(CKA_CERTIFICATE_TYPE, CKC_X_509),
				     TEXT(CKA_SUBJECT, "s"), TEXT(CKA_VALUE, "v"));
	struct attrset *pub = ATTRS(NUM(CKA_MODULUS_BITS, 2048));

	(void)state;
	assert_int_equal(attr_begin(HOW_CREATE, &user, NONE, NONE, cert), OK);
	assert_false(attrset_bool(cert, CKA_PRIVATE, true));
	assert_false(attrset_bool(cert, CKA_TRUSTED, true));
	assert_int_equal(attrset_ulong(cert, CKA_CERTIFICATE_CATEGORY, 9), 0);
	assert_int_equal(attr_begin(HOW_GENERATE, &user, CKO_PUBLIC_KEY, CKK_RSA, pub), OK);
	assert_false(attrset_bool(pub, CKA_PRIVATE, true));
	assert_false(attrset_bool(pub, CKA_WRAP, true));
	attrset_free(cert);
	attrset_free(pub);
}

#define X509   CLASS(CKO_CERTIFICATE), NUM(CKA_CERTIFICATE_TYPE, CKC_X_509), TEXT(CKA_SUBJECT, "s")
#define HASHES TEXT(CKA_HASH_OF_SUBJECT_PUBLIC_KEY, "h"), TEXT(CKA_HASH_OF_ISSUER_PUBLIC_KEY, "h")

static void test_certificates(void **state)
{
	(void)state;
	assert_int_equal(create(ATTRS(X509, EMPTY(CKA_VALUE))), E_TEMPLATE_INCOMPLETE);
	assert_int_equal(create(ATTRS(X509, EMPTY(CKA_VALUE), TEXT(CKA_URL, "u"))),
			 E_TEMPLATE_INCOMPLETE);
	assert_int_equal(create(ATTRS(X509, EMPTY(CKA_VALUE), TEXT(CKA_URL, "u"), HASHES)), OK);
	assert_int_equal(
		create(ATTRS(X509, TEXT(CKA_VALUE, "v"), NUM(CKA_CERTIFICATE_CATEGORY, 2))), OK);
	assert_int_equal(
		create(ATTRS(X509, TEXT(CKA_VALUE, "v"), NUM(CKA_CERTIFICATE_CATEGORY, 4))),
		E_ATTR_VALUE);
	assert_int_equal(create(ATTRS(CLASS(CKO_CERTIFICATE), NUM(CKA_CERTIFICATE_TYPE, CKC_WTLS),
				      EMPTY(CKA_SUBJECT), TEXT(CKA_VALUE, "v"))),
			 E_TEMPLATE_INCOMPLETE);
}

#define TRUST CLASS(CKO_TRUST), TEXT(CKA_ISSUER, "i"), TEXT(CKA_SERIAL_NUMBER, "1")

static void test_trust(void **state)
{
	(void)state;
	assert_int_equal(create(ATTRS(TRUST)), OK);
	assert_int_equal(create(ATTRS(TRUST, NUM(CKA_TRUST_SERVER_AUTH, CKT_NOT_TRUSTED))), OK);
	assert_int_equal(create(ATTRS(TRUST, NUM(CKA_TRUST_SERVER_AUTH, CKT_TRUSTED))),
			 E_TEMPLATE_INCOMPLETE);
	assert_int_equal(create(ATTRS(TRUST, NUM(CKA_TRUST_OCSP_SIGNING, CKT_TRUST_ANCHOR),
				      TEXT(CKA_HASH_OF_CERTIFICATE, "h"))),
			 OK);
	assert_int_equal(create(ATTRS(TRUST, NUM(CKA_TRUST_SERVER_AUTH, 5))), E_ATTR_VALUE);
}

#define AES CLASS(CKO_SECRET_KEY), TYPE(CKK_AES), TEXT(CKA_VALUE, "0123456789abcdef")

/* Nobody but the security officer makes a trusted object; that an object is not may anybody say. */
static void test_trusted_from_the_beginning(void **state)
{
	const struct attr_who so = { .so = true };
	struct attrset *s = ATTRS(AES, FLAG(CKA_TRUSTED, true));

	(void)state;
	assert_int_equal(create(ATTRS(AES, FLAG(CKA_TRUSTED, true))), E_ATTR_READ_ONLY);
	assert_int_equal(create(ATTRS(AES, FLAG(CKA_TRUSTED, false))), OK);
	assert_int_equal(attr_begin(HOW_CREATE, &so, NONE, NONE, s), OK);
	attrset_free(s);
}

static void test_dates_in_order(void **state)
{
	(void)state;
	assert_int_equal(create(ATTRS(AES, TEXT(CKA_START_DATE, "20260101"),
				      TEXT(CKA_END_DATE, "20260101"))),
			 OK);
	assert_int_equal(create(ATTRS(AES, TEXT(CKA_START_DATE, "20260102"),
				      TEXT(CKA_END_DATE, "20260101"))),
			 E_TEMPLATE_INCONSISTENT);
	assert_int_equal(create(ATTRS(AES, TEXT(CKA_START_DATE, "20260102"), EMPTY(CKA_END_DATE))),
			 OK);
}

static void test_always_authenticate(void **state)
{
	(void)state;
	assert_int_equal(begin(HOW_GENERATE, CKO_PRIVATE_KEY, CKK_EC,
			       ATTRS(FLAG(CKA_ALWAYS_AUTHENTICATE, true))),
			 OK);
	assert_int_equal(
		begin(HOW_GENERATE, CKO_PRIVATE_KEY, CKK_EC,
		      ATTRS(FLAG(CKA_ALWAYS_AUTHENTICATE, true), FLAG(CKA_PRIVATE, false))),
		E_TEMPLATE_INCONSISTENT);
}

/* B011 */
static void test_values_out_of_range(void **state)
{
	(void)state;
	assert_int_equal(
		begin(HOW_GENERATE, CKO_SECRET_KEY, CKK_AES, ATTRS(NUM(CKA_VALUE_LEN, 1UL << 40))),
		E_ATTR_VALUE);
	assert_int_equal(create(ATTRS(AES, NUM(CKA_VALUE_LEN, 16))), E_ATTR_READ_ONLY);
	assert_int_equal(create(ATTRS(AES, NUM(CKA_OBJECT_VALIDATION_FLAGS, 1))), E_ATTR_VALUE);
	assert_int_equal(create(ATTRS(AES, NUM(CKA_OBJECT_VALIDATION_FLAGS, 0))), OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_class_and_type),
		cmocka_unit_test(test_implied_class_and_type),
		cmocka_unit_test(test_foreign_attributes),
		cmocka_unit_test(test_length_of_derived_data),
		cmocka_unit_test(test_defaults_of_keys),
		cmocka_unit_test(test_defaults_of_public_objects),
		cmocka_unit_test(test_certificates),
		cmocka_unit_test(test_trust),
		cmocka_unit_test(test_trusted_from_the_beginning),
		cmocka_unit_test(test_dates_in_order),
		cmocka_unit_test(test_always_authenticate),
		cmocka_unit_test(test_values_out_of_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
