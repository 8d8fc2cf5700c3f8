/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HMAC, CMAC and GMAC against OpenSSL's own EVP_MAC; cut MACs; keys that change under a kept
 * context.
 */
#include "pair.h"

#include <setjmp.h>
#include <stdarg.h>

#include <openssl/core_names.h>
#include <openssl/params.h>

#include <cmocka.h>

static const struct {
	CK_MECHANISM_TYPE full, general;
	CK_KEY_TYPE type;
	const char *digest;
	size_t size;
} rows[] = {
	{ CKM_SHA_1_HMAC, CKM_SHA_1_HMAC_GENERAL, CKK_SHA_1_HMAC, "SHA1", 20 },
	{ CKM_SHA224_HMAC, CKM_SHA224_HMAC_GENERAL, CKK_SHA224_HMAC, "SHA224", 28 },
	{ CKM_SHA256_HMAC, CKM_SHA256_HMAC_GENERAL, CKK_SHA256_HMAC, "SHA256", 32 },
	{ CKM_SHA384_HMAC, CKM_SHA384_HMAC_GENERAL, CKK_SHA384_HMAC, "SHA384", 48 },
	{ CKM_SHA512_HMAC, CKM_SHA512_HMAC_GENERAL, CKK_SHA512_HMAC, "SHA512", 64 },
	{ CKM_SHA512_224_HMAC, CKM_SHA512_224_HMAC_GENERAL, CKK_SHA512_224_HMAC, "SHA512-224", 28 },
	{ CKM_SHA512_256_HMAC, CKM_SHA512_256_HMAC_GENERAL, CKK_SHA512_256_HMAC, "SHA512-256", 32 },
	{ CKM_SHA3_224_HMAC, CKM_SHA3_224_HMAC_GENERAL, CKK_SHA3_224_HMAC, "SHA3-224", 28 },
	{ CKM_SHA3_256_HMAC, CKM_SHA3_256_HMAC_GENERAL, CKK_SHA3_256_HMAC, "SHA3-256", 32 },
	{ CKM_SHA3_384_HMAC, CKM_SHA3_384_HMAC_GENERAL, CKK_SHA3_384_HMAC, "SHA3-384", 48 },
	{ CKM_SHA3_512_HMAC, CKM_SHA3_512_HMAC_GENERAL, CKK_SHA3_512_HMAC, "SHA3-512", 64 },
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static uint8_t text[300], secret[200];

static int up(void **state)
{
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (uint8_t)(i * 5 + 1);
	for (size_t i = 0; i < sizeof(secret); i++)
		secret[i] = (uint8_t)(i * 11 + 9);
	return crypto_up(state);
}

static struct attrset *secret_of(CK_KEY_TYPE type, size_t n)
{
	struct attrset *a = set_new(CKO_SECRET_KEY, type);

	set_put(a, CKA_VALUE, span(secret, n));
	return a;
}

/* The MAC as plain OpenSSL makes it; p2 is a parameter besides the digest or cipher, or the end. */
static size_t plain(const char *mac, const char *what, const char *sub, OSSL_PARAM p2, size_t key_n,
		    struct span in, uint8_t out[EVP_MAX_MD_SIZE])
{
	char name[32] = "";
	OSSL_PARAM params[3] = { OSSL_PARAM_construct_utf8_string(what, name, strlen(sub)), p2,
				 OSSL_PARAM_construct_end() };
	EVP_MAC *m = EVP_MAC_fetch(NULL, mac, NULL);
	EVP_MAC_CTX *c = EVP_MAC_CTX_new(m);
	size_t n = 0;

	OPENSSL_strlcpy(name, sub, sizeof(name));
	assert_int_equal(EVP_MAC_init(c, secret, key_n, params), 1);
	assert_int_equal(EVP_MAC_update(c, in.p, in.n), 1);
	assert_int_equal(EVP_MAC_final(c, out, &n, EVP_MAX_MD_SIZE), 1);
	EVP_MAC_CTX_free(c);
	EVP_MAC_free(m);
	return n;
}

static void one_hmac(size_t row, CK_KEY_TYPE type, size_t key_n, size_t n, size_t part)
{
	struct call c = { rows[row].full, NULL, 0 };
	struct attrset *key = secret_of(type, key_n);
	struct buf got = { 0 };
	uint8_t right[EVP_MAX_MD_SIZE];
	size_t right_n = plain("HMAC", OSSL_MAC_PARAM_DIGEST, rows[row].digest,
			       OSSL_PARAM_construct_end(), key_n, span(text, n), right);

	assert_int_equal(right_n, rows[row].size);
	assert_int_equal(work(c, USE_SIGN, key, span(text, n), part, &got), OK);
	assert_int_equal(got.n, right_n);
	assert_memory_equal(got.p, right, right_n);
	assert_int_equal(check(c, key, span(text, n), part, buf_span(&got)), OK);
	got.p[got.n - 1] ^= 0x80;
	assert_int_equal(check(c, key, span(text, n), part, buf_span(&got)), E_SIGNATURE);
	buf_free(&got);
	attrset_free(key);
}

static void test_hmac(void **state)
{
	(void)state;
	for (size_t row = 0; row < ROWS; row++) {
		one_hmac(row, rows[row].type, 32, 0, 0);
		one_hmac(row, CKK_GENERIC_SECRET, 1, 16, 0);
		one_hmac(row, CKK_GENERIC_SECRET, 200, 300, 0); /* longer than a block */
		one_hmac(row, rows[row].type, 64, 300, 77);
	}
}

/* As many leading bytes as asked for, from 1 to all. */
static void test_general(void **state)
{
	struct attrset *key = secret_of(CKK_GENERIC_SECRET, 40);
	struct buf full = { 0 }, got = { 0 };

	(void)state;
	for (size_t row = 0; row < ROWS; row++) {
		CK_ULONG n;
		struct call c = { rows[row].general, &n, sizeof(n) };

		buf_clear(&full);
		assert_int_equal(work((struct call){ rows[row].full, NULL, 0 }, USE_SIGN, key,
				      span(text, 50), 0, &full),
				 OK);
		for (n = 1; n <= rows[row].size; n++) {
			buf_clear(&got);
			assert_int_equal(work(c, USE_SIGN, key, span(text, 50), 0, &got), OK);
			assert_int_equal(got.n, n);
			assert_memory_equal(got.p, full.p, n);
			assert_int_equal(check(c, key, span(text, 50), 0, buf_span(&got)), OK);
			assert_int_equal(check(c, key, span(text, 50), 0, span(got.p, n - 1)),
					 E_SIGNATURE_LEN);
		}
		assert_int_equal(work(c, USE_SIGN, key, span(text, 50), 0, &got),
				 E_MECHANISM_PARAM);
		n = 0;
		assert_int_equal(work(c, USE_SIGN, key, span(text, 50), 0, &got),
				 E_MECHANISM_PARAM);
	}
	buf_free(&full);
	buf_free(&got);
	attrset_free(key);
}

static void test_cmac(void **state)
{
	static const char *const ciphers[] = { "AES-128-CBC", "AES-192-CBC", "AES-256-CBC" };
	struct call c = { CKM_AES_CMAC, NULL, 0 };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct attrset *key = secret_of(CKK_AES, 16 + 8 * i);

		for (size_t n = 0; n <= 64; n++) {
			struct buf got = { 0 };
			uint8_t right[EVP_MAX_MD_SIZE];

			plain("CMAC", OSSL_MAC_PARAM_CIPHER, ciphers[i], OSSL_PARAM_construct_end(),
			      16 + 8 * i, span(text, n), right);
			assert_int_equal(work(c, USE_SIGN, key, span(text, n), n % 7, &got), OK);
			assert_int_equal(got.n, 16);
			assert_memory_equal(got.p, right, 16);
			assert_int_equal(check(c, key, span(text, n), 0, buf_span(&got)), OK);
			buf_free(&got);
		}
		attrset_free(key);
	}
}

static void test_gmac(void **state)
{
	static uint8_t iv[128] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
	static const size_t iv_sizes[] = { 12, 1, 16, 12, 128 };
	struct attrset *key = secret_of(CKK_AES, 32);

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		CK_GCM_PARAMS p = { .pIv = iv, .ulIvLen = iv_sizes[i], .ulTagBits = 104 };
		struct call c = { CKM_AES_GMAC, &p, sizeof(p) };
		struct buf got = { 0 };
		uint8_t right[EVP_MAX_MD_SIZE];

		plain("GMAC", OSSL_MAC_PARAM_CIPHER, "AES-256-GCM",
		      OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_IV, iv, p.ulIvLen), 32,
		      span(text, 100), right);
		assert_int_equal(work(c, USE_SIGN, key, span(text, 100), 33 * i, &got), OK);
		assert_int_equal(got.n, 13);
		assert_memory_equal(got.p, right, 13);
		assert_int_equal(check(c, key, span(text, 100), 0, buf_span(&got)), OK);
		iv[0] ^= 1;
		assert_int_equal(check(c, key, span(text, 100), 0, buf_span(&got)), E_SIGNATURE);
		buf_free(&got);
	}
	attrset_free(key);
}

static void mac_with(struct run *r, const struct mech *m, struct key *k, struct param *par,
		     uint8_t out[EVP_MAX_MD_SIZE])
{
	struct sink o = sink(out, EVP_MAX_MD_SIZE);

	assert_int_equal(run_begin(r, m, USE_SIGN, k, par), OK);
	assert_int_equal(run_once(r, span(text, 20), &o), OK);
	run_end(r);
}

/*
 * The context that stays keyed must be keyed anew when key or digest change, at the same address
 * too.
 */
static void test_kept_key(void **state)
{
	const struct mech *m256 = mech_find(CKM_SHA256_HMAC), *m384 = mech_find(CKM_SHA384_HMAC);
	struct attrset *a = secret_of(CKK_GENERIC_SECRET, 30),
		       *b = secret_of(CKK_GENERIC_SECRET, 31);
	struct key *ka = key_of(a), *kb = key_of(b);
	uint8_t first[EVP_MAX_MD_SIZE], again[EVP_MAX_MD_SIZE], other[EVP_MAX_MD_SIZE];
	struct run r = { 0 };

	(void)state;
	mac_with(&r, m256, ka, NULL, first);
	mac_with(&r, m256, ka, NULL, again);
	assert_memory_equal(first, again, 32);
	mac_with(&r, m256, kb, NULL, other);
	assert_memory_not_equal(first, other, 32);
	mac_with(&r, m384, kb, NULL, other);
	mac_with(&r, m256, ka, NULL, again);
	assert_memory_equal(first, again, 32);
	key_unref(ka); /* the run still has it */
	ka = key_of(b);
	mac_with(&r, m256, ka, NULL, other);
	assert_memory_not_equal(first, other, 32);
	key_unref(ka);
	key_unref(kb);
	run_free(&r);
	attrset_free(a);
	attrset_free(b);
}

static void test_wrong_keys(void **state)
{
	struct attrset *aes = secret_of(CKK_AES, 32), *sha1 = secret_of(CKK_SHA_1_HMAC, 32);
	struct buf out = { 0 };

	(void)state;
	assert_int_equal(work((struct call){ CKM_SHA256_HMAC, NULL, 0 }, USE_SIGN, aes,
			      span(text, 1), 0, &out),
			 E_KEY_TYPE);
	assert_int_equal(work((struct call){ CKM_SHA256_HMAC, NULL, 0 }, USE_SIGN, sha1,
			      span(text, 1), 0, &out),
			 E_KEY_TYPE);
	assert_int_equal(work((struct call){ CKM_AES_CMAC, NULL, 0 }, USE_SIGN, sha1, span(text, 1),
			      0, &out),
			 E_KEY_TYPE);
	assert_int_equal(out.n, 0);
	buf_free(&out);
	attrset_free(aes);
	attrset_free(sha1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hmac),     cmocka_unit_test(test_general),
		cmocka_unit_test(test_cmac),     cmocka_unit_test(test_gmac),
		cmocka_unit_test(test_kept_key), cmocka_unit_test(test_wrong_keys),
	};

	return cmocka_run_group_tests(tests, up, crypto_down);
}
