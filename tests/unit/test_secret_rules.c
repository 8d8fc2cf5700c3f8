/* SPDX-License-Identifier: Apache-2.0 */
/* Secret keys as they come in: values that are refused, check values, and what was padded when it was wrapped. */
#include "attrs.h"
#include "crypto/key.h"
#include "crypto/lib.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define HALF  "0123456789abcdef"
#define OTHER "fedcba9876543210"

static enum err parse(CK_KEY_TYPE type, const char *value)
{
	struct attrset *a = ATTRS(NUM(CKA_CLASS, CKO_SECRET_KEY), NUM(CKA_KEY_TYPE, type),
				  BYTES(CKA_VALUE, value, strlen(value)));
	struct key *k = NULL;
	enum err e = key_parse(a, &k);

	key_unref(k);
	attrset_free(a);
	return e;
}

static void test_xts_halves(void **state)
{
	(void)state;
	assert_int_equal(parse(CKK_AES_XTS, HALF OTHER), OK);
	assert_int_equal(parse(CKK_AES_XTS, HALF HALF), E_ATTR_VALUE);
	assert_int_equal(parse(CKK_AES, HALF HALF), OK);
}

static enum err complete(const char *check, size_t n)
{
	struct attrset *a =
		ATTRS(NUM(CKA_CLASS, CKO_SECRET_KEY), NUM(CKA_KEY_TYPE, CKK_GENERIC_SECRET),
		      TEXT(CKA_VALUE, "abc"), BYTES(CKA_CHECK_VALUE, check, n));
	enum err e = key_complete(a);

	attrset_free(a);
	return e;
}

static void test_check_value(void **state)
{
	(void)state;
	assert_int_equal(complete("\xa9\x99\x3e", 3), OK); /* of SHA-1("abc") */
	assert_int_equal(complete("\xa9\x99\x3f", 3), E_ATTR_VALUE);
	assert_int_equal(complete("\xa9\x99", 2), E_ATTR_VALUE);
	assert_int_equal(complete(NULL, 0), OK); /* not wanted */
}

static enum err unwrapped(const char *in, size_t n, bool exact)
{
	struct attrset *a = ATTRS(NUM(CKA_CLASS, CKO_SECRET_KEY),
				  NUM(CKA_KEY_TYPE, CKK_GENERIC_SECRET), NUM(CKA_VALUE_LEN, 4));
	enum err e = key_unwrap_form(span(in, n), exact, a);

	if (e == OK)
		assert_int_equal(attrset_bytes(a, CKA_VALUE).n, 4);
	attrset_free(a);
	return e;
}

/* A key cut short could be guessed a byte at a time. */
static void test_only_zeros_are_cut_off(void **state)
{
	(void)state;
	assert_int_equal(unwrapped("abcd", 4, false), OK);
	assert_int_equal(unwrapped("abcd\0\0\0\0", 8, false), OK);
	assert_int_equal(unwrapped("abcd\0\0\0\1", 8, false), E_WRAPPED_LEN);
	assert_int_equal(unwrapped("abcde", 5, false), E_WRAPPED_LEN);
	assert_int_equal(unwrapped("abc", 3, false), E_WRAPPED_LEN);
	assert_int_equal(unwrapped("abcd", 4, true), OK);
	assert_int_equal(unwrapped("abcd\0\0\0\0", 8, true), E_WRAPPED_LEN);
}

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_xts_halves),
		cmocka_unit_test(test_check_value),
		cmocka_unit_test(test_only_zeros_are_cut_off),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
