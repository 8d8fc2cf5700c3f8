/* SPDX-License-Identifier: Apache-2.0 */
/* What the module itself says about objects: origin, history, ids, check values. */
#include "core/attr.h"

#include "attrs.h"
#include "core/attr_check_value.h"
#include "core/attr_crc64.h"
#include "crypto/lib.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct attr_who user = { .user = true };
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

static struct attrset *aes(bool sensitive, bool extractable)
{
	return ATTRS(NUM(CKA_CLASS, CKO_SECRET_KEY), NUM(CKA_KEY_TYPE, CKK_AES),
		     TEXT(CKA_VALUE, "0123456789abcdef"), FLAG(CKA_SENSITIVE, sensitive),
		     FLAG(CKA_EXTRACTABLE, extractable));
}

static void test_origin(void **state)
{
	static const struct mech made_by = { .type = CKM_AES_KEY_GEN };
	static const enum attr_how ways[] = { HOW_CREATE, HOW_GENERATE, HOW_UNWRAP, HOW_DERIVE };

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct attrset *key = aes(true, false);
		bool local = ways[i] == HOW_GENERATE;

		assert_int_equal(attr_finish(ways[i], &user, &made_by, NULL, key), OK);
		assert_int_equal(attrset_bool(key, CKA_LOCAL, !local), local);
		assert_int_equal(attrset_ulong(key, CKA_KEY_GEN_MECHANISM, 7),
				 local ? CKM_AES_KEY_GEN : CK_UNAVAILABLE_INFORMATION);
		attrset_free(key);
	}
}

/* Every way, every combination, every base key. */
static void check_history(enum attr_how how, int flags, const struct attrset *base)
{
	bool sensitive = (flags & 1) != 0, extractable = (flags & 2) != 0;
	bool base_sensitive = base != NULL && attrset_bool(base, CKA_ALWAYS_SENSITIVE, false);
	bool base_kept = base != NULL && attrset_bool(base, CKA_NEVER_EXTRACTABLE, false);
	struct attrset *key = aes(sensitive, extractable);
	bool always = false, never = false;

	if (how == HOW_GENERATE) {
		always = sensitive;
		never = !extractable;
	} else if (how == HOW_DERIVE) {
		always = sensitive && base_sensitive;
		never = !extractable && base_kept;
	}
	assert_int_equal(attr_finish(how, &compat, NULL, base, key), OK);
	assert_int_equal(attrset_bool(key, CKA_ALWAYS_SENSITIVE, !always), always);
	assert_int_equal(attrset_bool(key, CKA_NEVER_EXTRACTABLE, !never), never);
	attrset_free(key);
}

static void test_history(void **state)
{
	(void)state;
	for (enum attr_how how = HOW_CREATE; how <= HOW_DERIVE; how++)
		for (int flags = 0; flags < 4; flags++) {
			check_history(how, flags, NULL);
			for (int b = 0; b < 4; b++) {
				struct attrset *base =
					ATTRS(FLAG(CKA_ALWAYS_SENSITIVE, (b & 1) != 0),
					      FLAG(CKA_NEVER_EXTRACTABLE, (b & 2) != 0));

				check_history(how, flags, base);
				attrset_free(base);
			}
		}
}

static void test_unique_ids(void **state)
{
	struct attrset *a = ATTRS(NUM(CKA_CLASS, CKO_DATA)), *b = ATTRS(NUM(CKA_CLASS, CKO_DATA));
	struct span id;

	(void)state;
	assert_int_equal(attr_finish(HOW_CREATE, &user, NULL, NULL, a), OK);
	assert_int_equal(attr_finish(HOW_CREATE, &user, NULL, NULL, b), OK);
	id = attrset_bytes(a, CKA_UNIQUE_ID);
	assert_int_equal(id.n, 36);
	assert_int_equal(strspn((const char *)id.p, "0123456789abcdef-"), 36);
	assert_int_equal(id.p[14], '4');
	assert_false(span_eq(id, attrset_bytes(b, CKA_UNIQUE_ID)));
	/* Data objects have no origin. */
	assert_false(attrset_has(a, CKA_LOCAL));
	assert_false(attrset_has(a, CKA_ALWAYS_SENSITIVE));
	attrset_free(a);
	attrset_free(b);
}

static void test_length_of_derived_data_goes(void **state)
{
	struct attrset *s =
		ATTRS(NUM(CKA_CLASS, CKO_DATA), NUM(CKA_VALUE_LEN, 5), TEXT(CKA_VALUE, "12345"));

	(void)state;
	assert_int_equal(attr_finish(HOW_DERIVE, &user, NULL, NULL, s), OK);
	assert_false(attrset_has(s, CKA_VALUE_LEN));
	attrset_free(s);
}

/* SHA-1("abc") begins with a9993e (FIPS 180-4 example). */
static void test_check_value_of_certificates(void **state)
{
	struct attrset *s = ATTRS(NUM(CKA_CLASS, CKO_CERTIFICATE), TEXT(CKA_VALUE, "abc"));

	(void)state;
	assert_int_equal(attr_check_value(s), OK);
	assert_true(span_eq(attrset_bytes(s, CKA_CHECK_VALUE), span_str("\xa9\x99\x3e")));
	assert_int_equal(attr_check_value(s), OK);
	assert_int_equal(attrset_put(s, CKA_CHECK_VALUE, span_str("\xa9\x99\x3f")), OK);
	assert_int_equal(attr_check_value(s), E_ATTR_VALUE);
	assert_int_equal(attrset_put(s, CKA_CHECK_VALUE, span(NULL, 0)), OK);
	assert_int_equal(attr_check_value(s), OK);
	assert_int_equal(attrset_bytes(s, CKA_CHECK_VALUE).n, 0);
	attrset_free(s);
}

/* The check value of CRC-64/ECMA-182 is over "123456789". */
static const uint8_t crc[] = { 0x6c, 0x40, 0xdf, 0x5f, 0x0b, 0x49, 0x73, 0x47 };

static void check_crc(struct attrset *s, bool known)
{
	assert_int_equal(attr_crc64(s), OK);
	assert_int_equal(attrset_has(s, CKA_PUBLIC_CRC64_VALUE), known);
	if (known)
		assert_true(
			span_eq(attrset_bytes(s, CKA_PUBLIC_CRC64_VALUE), span(crc, sizeof(crc))));
	attrset_free(s);
}

static void test_crc_of_public_keys(void **state)
{
	/* SubjectPublicKeyInfo with an empty algorithm around the nine digits */
	static const uint8_t info[] = { 0x30, 0x0e, 0x30, 0x00, 0x03, 0x0a, 0x00, '1',
					'2',  '3',  '4',  '5',  '6',  '7',  '8',  '9' };
	struct attrset *wrong = ATTRS(NUM(CKA_CLASS, CKO_PUBLIC_KEY), NUM(CKA_KEY_TYPE, CKK_RSA),
				      TEXT(CKA_MODULUS, "12345678"),
				      BYTES(CKA_PUBLIC_CRC64_VALUE, crc, sizeof(crc)));

	(void)state;
	check_crc(ATTRS(NUM(CKA_CLASS, CKO_PUBLIC_KEY), NUM(CKA_KEY_TYPE, CKK_RSA),
			TEXT(CKA_MODULUS, "123456789")),
		  true);
	check_crc(ATTRS(NUM(CKA_CLASS, CKO_PRIVATE_KEY), NUM(CKA_KEY_TYPE, CKK_RSA),
			TEXT(CKA_MODULUS, "123456789")),
		  true);
	check_crc(ATTRS(NUM(CKA_CLASS, CKO_PUBLIC_KEY), NUM(CKA_KEY_TYPE, CKK_ML_DSA),
			TEXT(CKA_VALUE, "123456789")),
		  true);
	check_crc(ATTRS(NUM(CKA_CLASS, CKO_PRIVATE_KEY), NUM(CKA_KEY_TYPE, CKK_ML_DSA),
			TEXT(CKA_VALUE, "secret"), NUM(CKA_PARAMETER_SET, 1),
			BYTES(CKA_PUBLIC_KEY_INFO, info, sizeof(info))),
		  true);
	check_crc(ATTRS(NUM(CKA_CLASS, CKO_PRIVATE_KEY), NUM(CKA_KEY_TYPE, CKK_EC),
			TEXT(CKA_VALUE, "123456789")),
		  false);
	check_crc(ATTRS(NUM(CKA_CLASS, CKO_SECRET_KEY), NUM(CKA_KEY_TYPE, CKK_AES),
			TEXT(CKA_VALUE, "123456789")),
		  false);
	assert_int_equal(attr_crc64(wrong), E_ATTR_VALUE);
	attrset_free(wrong);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_origin),
		cmocka_unit_test(test_history),
		cmocka_unit_test(test_unique_ids),
		cmocka_unit_test(test_length_of_derived_data_goes),
		cmocka_unit_test(test_check_value_of_certificates),
		cmocka_unit_test(test_crc_of_public_keys),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
