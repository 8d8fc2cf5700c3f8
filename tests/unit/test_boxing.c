/* SPDX-License-Identifier: Apache-2.0 */
/* What is sealed to an auditor opens with the private key, by libcrypto alone and by the steps of docs/AUDIT.md, and with nothing else. */
#include "crypto/boxing.h"
#include "crypto/sealing.h"
#include "pair.h"

#include <openssl/core_names.h>
#include <openssl/kdf.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define KEM "X25519MLKEM768"

static EVP_PKEY *auditor;
static uint8_t public_key[BOXING_PUBLIC];

static int up(void **state)
{
	size_t n = 0;

	if (crypto_up(state) != 0)
		return -1;
	auditor = EVP_PKEY_Q_keygen(NULL, NULL, KEM);
	assert_non_null(auditor);
	assert_int_equal(EVP_PKEY_get_octet_string_param(auditor,
							 OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY,
							 public_key, sizeof(public_key), &n),
			 1);
	assert_int_equal(n, BOXING_PUBLIC);
	return 0;
}

static int down(void **state)
{
	EVP_PKEY_free(auditor);
	return crypto_down(state);
}

static struct span key(void)
{
	return span(public_key, sizeof(public_key));
}

static void decapsulate(const uint8_t *ct, uint8_t secret[64])
{
	EVP_PKEY_CTX *c = EVP_PKEY_CTX_new_from_pkey(NULL, auditor, NULL);
	size_t n = 64;

	assert_int_equal(EVP_PKEY_decapsulate_init(c, NULL), 1);
	assert_int_equal(EVP_PKEY_decapsulate(c, secret, &n, ct, BOXING_CT), 1);
	assert_int_equal(n, 64);
	EVP_PKEY_CTX_free(c);
}

static void hkdf(uint8_t *secret, size_t secret_n, uint8_t *salt, size_t salt_n, char *info,
		 uint8_t out[32])
{
	char md[] = "SHA256";
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, md, 0),
		OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, secret, secret_n),
		OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, salt, salt_n),
		OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, info, strlen(info)),
		OSSL_PARAM_construct_end(),
	};
	EVP_KDF *kdf = EVP_KDF_fetch(NULL, "HKDF", NULL);
	EVP_KDF_CTX *c = EVP_KDF_CTX_new(kdf);

	assert_int_equal(EVP_KDF_derive(c, out, 32, params), 1);
	EVP_KDF_CTX_free(c);
	EVP_KDF_free(kdf);
}

static void box_key(const uint8_t *ct, uint8_t out[32])
{
	char info[] = "chancery roll seal 1";
	uint8_t both[BOXING_CT + BOXING_PUBLIC], salt[32], secret[64];

	decapsulate(ct, secret);
	memcpy(both, ct, BOXING_CT);
	memcpy(both + BOXING_CT, public_key, BOXING_PUBLIC);
	assert_int_equal(EVP_Digest(both, sizeof(both), salt, NULL, EVP_sha256(), NULL), 1);
	hkdf(secret, sizeof(secret), salt, sizeof(salt), info, out);
}

/* The length of the plain text, or -1. */
static int box_open(struct span sealed, struct span aad, uint8_t *plain)
{
	const uint8_t *nonce = sealed.p + BOXING_CT, *box = nonce + SEALING_NONCE;
	int n = (int)(sealed.n - BOXING_CT - SEALING_EXTRA), m = 0;
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	uint8_t k[32], tag[SEALING_TAG];
	bool ok;

	box_key(sealed.p, k);
	memcpy(tag, box + n, sizeof(tag));
	assert_int_equal(EVP_DecryptInit_ex(c, EVP_aes_256_gcm(), NULL, k, nonce), 1);
	assert_int_equal(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, sizeof(tag), tag), 1);
	assert_int_equal(EVP_DecryptUpdate(c, NULL, &m, aad.p, (int)aad.n), 1);
	assert_int_equal(EVP_DecryptUpdate(c, plain, &m, box, n), 1);
	ok = EVP_DecryptFinal_ex(c, plain + n, &m) == 1;
	EVP_CIPHER_CTX_free(c);
	return ok ? n : -1;
}

static struct span aad(void)
{
	return span_str("seed, of roll and file");
}

static struct span seed(void)
{
	return span_str("thirty-two bytes that nobody has");
}

/* Mutations: boxing-salt-binds, boxing-info. */
static void test_opens(void **state)
{
	struct buf sealed = { 0 };
	uint8_t plain[64];

	(void)state;
	assert_int_equal(buf_put_u8(&sealed, 0x77), OK); /* appends */
	assert_int_equal(boxing_seal(key(), aad(), seed(), &sealed), OK);
	assert_int_equal(sealed.n, 1 + BOXING_CT + SEALING_NONCE + 32 + SEALING_TAG);
	assert_int_equal(box_open(span(sealed.p + 1, sealed.n - 1), aad(), plain), 32);
	assert_memory_equal(plain, seed().p, 32);
	buf_free(&sealed);
}

/* Every byte of it counts, and so does what it is bound to. Mutation: boxing-aad. */
static void test_refuses(void **state)
{
	struct buf sealed = { 0 };
	uint8_t plain[64];

	(void)state;
	assert_int_equal(boxing_seal(key(), aad(), seed(), &sealed), OK);
	for (size_t i = 0; i < sealed.n; i += i < BOXING_CT - 7 ? 7 : 1) {
		sealed.p[i] ^= 1;
		assert_int_equal(box_open(buf_span(&sealed), aad(), plain), -1);
		sealed.p[i] ^= 1;
	}
	assert_int_equal(box_open(buf_span(&sealed), span_str("of another file"), plain), -1);
	assert_int_equal(box_open(buf_span(&sealed), aad(), plain), 32);
	buf_free(&sealed);
}

static void test_never_the_same(void **state)
{
	struct buf a = { 0 }, b = { 0 };

	(void)state;
	assert_int_equal(boxing_seal(key(), aad(), seed(), &a), OK);
	assert_int_equal(boxing_seal(key(), aad(), seed(), &b), OK);
	assert_memory_not_equal(a.p, b.p, 32);
	assert_memory_not_equal(a.p + BOXING_CT, b.p + BOXING_CT, SEALING_NONCE);
	buf_free(&a);
	buf_free(&b);
}

/* Mutation: boxing-key-length. */
static void test_no_key(void **state)
{
	static const size_t lengths[] = {
		0, 1, 32, 1184, BOXING_PUBLIC - 1, BOXING_PUBLIC + 1, 2432
	};
	uint8_t bytes[2432];
	struct buf out = { 0 };

	(void)state;
	memcpy(bytes, public_key, sizeof(public_key));
	assert_int_equal(buf_put_u8(&out, 0x77), OK);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		assert_int_equal(boxing_seal(span(bytes, lengths[i]), aad(), seed(), &out), E_DATA);
	memset(bytes, 0xff, 3); /* no coefficient is so large (FIPS 203, 7.2) */
	assert_int_equal(boxing_seal(span(bytes, BOXING_PUBLIC), aad(), seed(), &out), E_DATA);
	/* a point of small order gives a secret that everybody knows (RFC 7748, 6.1) */
	memcpy(bytes, public_key, sizeof(public_key));
	memset(bytes + BOXING_PUBLIC - 32, 0, 32);
	assert_int_not_equal(boxing_seal(span(bytes, BOXING_PUBLIC), aad(), seed(), &out), OK);
	assert_int_equal(out.n, 1);
	buf_free(&out);
}

static void test_full_buffer(void **state)
{
	(void)state;
	for (size_t max = 1; max < BOXING_CT + SEALING_EXTRA + 32; max += 97) {
		struct buf small = { .max = max };

		assert_int_equal(boxing_seal(key(), aad(), seed(), &small), E_DATA_LEN);
		assert_int_equal(small.n, 0);
		buf_free(&small);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_opens),          cmocka_unit_test(test_refuses),
		cmocka_unit_test(test_never_the_same), cmocka_unit_test(test_no_key),
		cmocka_unit_test(test_full_buffer),
	};

	return cmocka_run_group_tests(tests, up, down);
}
