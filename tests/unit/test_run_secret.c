/* SPDX-License-Identifier: Apache-2.0 */
/* What libcrypto allocates while it works with a key, expanded keys among it, is in the secret arena. */
#include "attrs.h"
#include "base/mem.h"
#include "crypto/key.h"
#include "crypto/lib.h"
#include "crypto/mech.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define SCHEDULE 176 /* bytes of an expanded AES-128 key (FIPS 197) */
#define BLOCK    64  /* the smallest block of a digest, which holds what went in last */

static size_t secret_used(void)
{
	struct mem_stats s;

	mem_stats(&s);
	return s.secret_used;
}

static void test_context(void **state)
{
	struct attrset *a = ATTRS(NUM(CKA_CLASS, CKO_SECRET_KEY), NUM(CKA_KEY_TYPE, CKK_AES),
				  TEXT(CKA_VALUE, "0123456789abcdef"));
	const struct mech *m = mech_find(CKM_AES_ECB);
	struct key *k = NULL;
	struct run r = { 0 };
	size_t before;

	(void)state;
	assert_int_equal(key_parse(a, &k), OK);
	assert_int_equal(run_begin(&r, m, USE_ENCRYPT, k, NULL), OK); /* the self-test, too */
	run_free(&r);
	before = secret_used();
	assert_int_equal(run_begin(&r, m, USE_ENCRYPT, k, NULL), OK);
	assert_true(secret_used() >= before + SCHEDULE);
	run_free(&r);
	assert_int_equal(secret_used(), before);
	key_unref(k);
	attrset_free(a);
}

/*
 * C_DigestKey puts keys into digests, so their state is secret memory from the beginning. Seen to fail: the context of
 * SHA-3 made outside of crypto_secret_enter and crypto_secret_leave.
 */
static void test_digest(void **state)
{
	static const CK_MECHANISM_TYPE types[] = { CKM_SHA_1,    CKM_SHA256,   CKM_SHA512,
						   CKM_SHA3_224, CKM_SHA3_256, CKM_SHA3_512 };

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		const struct mech *m = mech_find(types[i]);
		struct run r = { 0 };
		size_t before;

		assert_int_equal(run_begin(&r, m, USE_DIGEST, NULL, NULL),
				 OK); /* the self-test, too */
		run_free(&r);
		before = secret_used();
		assert_int_equal(run_begin(&r, m, USE_DIGEST, NULL, NULL), OK);
		assert_true(secret_used() >= before + BLOCK);
		assert_int_equal(run_update(&r, span_str("0123456789abcdef"), NULL), OK);
		run_free(&r);
		assert_int_equal(secret_used(), before);
	}
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
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_context),
					    cmocka_unit_test(test_digest) };

	return cmocka_run_group_tests(tests, start, stop);
}
