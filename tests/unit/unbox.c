/* SPDX-License-Identifier: Apache-2.0 */
#include "unbox.h"

#include "crypto/boxing.h"
#include "crypto/sealing.h"

#include <openssl/core_names.h>
#include <openssl/kdf.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void take_public(EVP_PKEY *auditor, uint8_t public_key[BOXING_PUBLIC])
{
	size_t n = 0;

	assert_int_equal(EVP_PKEY_get_octet_string_param(auditor,
							 OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY,
							 public_key, BOXING_PUBLIC, &n),
			 1);
	assert_int_equal(n, BOXING_PUBLIC);
}

EVP_PKEY *unbox_key(uint8_t public_key[BOXING_PUBLIC])
{
	EVP_PKEY *auditor = EVP_PKEY_Q_keygen(NULL, NULL, "X25519MLKEM768");

	assert_non_null(auditor);
	take_public(auditor, public_key);
	return auditor;
}

static void decapsulate(EVP_PKEY *auditor, const uint8_t *ct, uint8_t secret[64])
{
	EVP_PKEY_CTX *c = EVP_PKEY_CTX_new_from_pkey(NULL, auditor, NULL);
	size_t n = 64;

	assert_int_equal(EVP_PKEY_decapsulate_init(c, NULL), 1);
	assert_int_equal(EVP_PKEY_decapsulate(c, secret, &n, ct, BOXING_CT), 1);
	assert_int_equal(n, 64);
	EVP_PKEY_CTX_free(c);
}

void unbox_hkdf(uint8_t *secret, size_t secret_n, uint8_t *salt, size_t salt_n, char *info,
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

static void box_key(EVP_PKEY *auditor, const uint8_t *ct, uint8_t out[32])
{
	char info[] = "chancery roll seal 1";
	uint8_t both[BOXING_CT + BOXING_PUBLIC], salt[32], secret[64];

	decapsulate(auditor, ct, secret);
	memcpy(both, ct, BOXING_CT);
	take_public(auditor, both + BOXING_CT);
	assert_int_equal(EVP_Digest(both, sizeof(both), salt, NULL, EVP_sha256(), NULL), 1);
	unbox_hkdf(secret, sizeof(secret), salt, sizeof(salt), info, out);
}

int unbox(EVP_PKEY *auditor, struct span sealed, struct span aad, uint8_t *plain)
{
	const uint8_t *nonce = sealed.p + BOXING_CT, *box = nonce + SEALING_NONCE;
	int n = (int)(sealed.n - BOXING_CT - SEALING_EXTRA), m = 0;
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	uint8_t k[32], tag[SEALING_TAG];
	bool ok;

	box_key(auditor, sealed.p, k);
	memcpy(tag, box + n, sizeof(tag));
	assert_int_equal(EVP_DecryptInit_ex(c, EVP_aes_256_gcm(), NULL, k, nonce), 1);
	assert_int_equal(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, sizeof(tag), tag), 1);
	assert_int_equal(EVP_DecryptUpdate(c, NULL, &m, aad.p, (int)aad.n), 1);
	assert_int_equal(EVP_DecryptUpdate(c, plain, &m, box, n), 1);
	ok = EVP_DecryptFinal_ex(c, plain + n, &m) == 1;
	EVP_CIPHER_CTX_free(c);
	return ok ? n : -1;
}
