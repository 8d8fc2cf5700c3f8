/* SPDX-License-Identifier: Apache-2.0 */
#include "crypto/kdfctx.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

/* libcrypto's parameters point to writable memory, which it only reads. */
union writable {
	const void *read;
	void *write;
};

static OSSL_PARAM param_bytes(const char *key, struct span s)
{
	static const uint8_t none;
	union writable p = { .read = s.n != 0 ? s.p : &none };

	return OSSL_PARAM_construct_octet_string(key, p.write, s.n);
}

static OSSL_PARAM param_name(const char *key, const char *name)
{
	union writable p = { .read = name };

	return OSSL_PARAM_construct_utf8_string(key, p.write, 0);
}

/*
 * Argon2 in libcrypto goes on when it had no memory for one of its hashes, and gives a key that has nothing to do with the
 * password. The allocation that failed is in the error queue, though.
 */
static enum err derive(enum alg a, const OSSL_PARAM *params, uint8_t *out, size_t n)
{
	EVP_KDF *kdf = fetch_kdf(a);
	EVP_KDF_CTX *ctx = kdf != NULL ? EVP_KDF_CTX_new(kdf) : NULL;
	enum err e = E_FAILED;

	ERR_clear_error();
	if (ctx != NULL && EVP_KDF_derive(ctx, out, n, params) == 1 && ERR_peek_error() == 0)
		e = OK;
	else
		ERR_clear_error();
	EVP_KDF_CTX_free(ctx);
	return e;
}

static int hkdf_mode(const struct hkdf_input *in)
{
	if (in->extract && in->expand)
		return EVP_KDF_HKDF_MODE_EXTRACT_AND_EXPAND;
	return in->extract ? EVP_KDF_HKDF_MODE_EXTRACT_ONLY : EVP_KDF_HKDF_MODE_EXPAND_ONLY;
}

enum err kdf_hkdf(const struct hkdf_input *in, uint8_t *out, size_t n)
{
	int mode = hkdf_mode(in);
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_int(OSSL_KDF_PARAM_MODE, &mode),
		param_name(OSSL_KDF_PARAM_DIGEST, fetch_name(in->hash->alg)),
		param_bytes(OSSL_KDF_PARAM_KEY, in->secret),
		param_bytes(OSSL_KDF_PARAM_SALT, in->salt),
		param_bytes(OSSL_KDF_PARAM_INFO, in->info),
		OSSL_PARAM_construct_end(),
	};

	return derive(ALG_HKDF, params, out, n);
}

enum err kdf_pbkdf2(const struct hash *h, struct span password, struct span salt,
		    uint64_t iterations, uint8_t *out, size_t n)
{
	OSSL_PARAM params[] = {
		param_name(OSSL_KDF_PARAM_DIGEST, fetch_name(h->alg)),
		param_bytes(OSSL_KDF_PARAM_PASSWORD, password),
		param_bytes(OSSL_KDF_PARAM_SALT, salt),
		OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_ITER, &iterations),
		OSSL_PARAM_construct_end(),
	};

	return derive(ALG_PBKDF2, params, out, n);
}

enum err kdf_argon2id(struct span password, struct span salt, uint32_t memory_kib, uint32_t passes,
		      uint32_t lanes, uint8_t *out, size_t n)
{
	uint32_t threads = 1;
	OSSL_PARAM params[] = {
		param_bytes(OSSL_KDF_PARAM_PASSWORD, password),
		param_bytes(OSSL_KDF_PARAM_SALT, salt),
		OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_ARGON2_MEMCOST, &memory_kib),
		OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_ITER, &passes),
		OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_ARGON2_LANES, &lanes),
		OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_THREADS, &threads),
		OSSL_PARAM_construct_end(),
	};

	return derive(ALG_ARGON2ID, params, out, n);
}
