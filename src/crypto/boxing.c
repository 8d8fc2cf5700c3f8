/* SPDX-License-Identifier: Apache-2.0 */
#include "crypto/boxing.h"

#include "base/mem.h"
#include "crypto/fetch.h"
#include "crypto/kat.h"
#include "crypto/pkey.h"
#include "crypto/sealing.h"

#include <openssl/core_names.h>
#include <openssl/err.h>

#define KEM "X25519MLKEM768"

enum { SECRET = 64 };

static atomic_uchar tested;

/* What libcrypto keeps of the algorithms for good does not belong into the secret arena: it is fetched before. */
static bool have_kem(void)
{
	return fetch_has(KEM) && fetch_kem(ALG_X25519MLKEM768) != NULL && fetch_has("X25519") &&
	       fetch_exchange(ALG_X25519) != NULL;
}

/* A secret, and what gives it to the holder of the private key. */
static bool encapsulate(EVP_PKEY *to, uint8_t ct[BOXING_CT], uint8_t secret[SECRET])
{
	EVP_PKEY_CTX *c = EVP_PKEY_CTX_new_from_pkey(crypto_ctx(), to, NULL);
	size_t ct_n = BOXING_CT, secret_n = SECRET;
	bool ok = c != NULL && EVP_PKEY_encapsulate_init(c, NULL) > 0 &&
		  EVP_PKEY_encapsulate(c, ct, &ct_n, secret, &secret_n) > 0 && ct_n == BOXING_CT &&
		  secret_n == SECRET;

	EVP_PKEY_CTX_free(c);
	return ok;
}

static bool decapsulate(EVP_PKEY *key, const uint8_t ct[BOXING_CT], uint8_t secret[SECRET])
{
	EVP_PKEY_CTX *c = EVP_PKEY_CTX_new_from_pkey(crypto_ctx(), key, NULL);
	size_t n = SECRET;
	bool ok = c != NULL && EVP_PKEY_decapsulate_init(c, NULL) > 0 &&
		  EVP_PKEY_decapsulate(c, secret, &n, ct, BOXING_CT) > 0 && n == SECRET;

	EVP_PKEY_CTX_free(c);
	return ok;
}

enum err boxing_pairwise(uint8_t *out, size_t n)
{
	uint8_t ct[BOXING_CT], secrets[2][SECRET];
	EVP_PKEY *pair = NULL;
	enum err e = E_FAILED;

	if (!have_kem())
		return e;
	crypto_secret_enter();
	e = pkey_generate(KEM, NULL, &pair);
	if (e == OK && !(encapsulate(pair, ct, secrets[0]) && decapsulate(pair, ct, secrets[1])))
		e = pkey_fail(E_FAILED);
	EVP_PKEY_free(pair);
	crypto_secret_leave();
	if (e == OK)
		memset(out, mem_equal(secrets[0], secrets[1], SECRET), n);
	mem_wipe(secrets, sizeof(secrets));
	return e;
}

/* From the public key and what was sent to it: so that a box opens for this key alone. */
static enum err box_key(struct span public_key, const uint8_t *ct, const uint8_t secret[SECRET],
			uint8_t key[SEALING_KEY])
{
	const struct span sent[] = { span(ct, BOXING_CT), public_key };
	uint8_t salt[SEALING_MAC];
	enum err e = sealing_digest(sent, 2, salt);

	if (e != OK)
		return e;
	return sealing_hkdf(span(secret, SECRET), span(salt, sizeof(salt)),
			    span_str("chancery roll seal 1"), key, SEALING_KEY);
}

/* To a key that libcrypto takes for one. */
static enum err send(struct span public_key, uint8_t *ct, uint8_t secret[SECRET])
{
	EVP_PKEY *to = NULL;
	enum err e;

	if (!have_kem())
		return E_FAILED;
	crypto_secret_enter();
	e = pkey_of_bytes(KEM, false, OSSL_PKEY_PARAM_PUB_KEY, public_key, &to);
	if (e == E_ATTR_VALUE)
		e = E_DATA;
	if (e == OK && !encapsulate(to, ct, secret))
		e = pkey_fail(E_FAILED);
	EVP_PKEY_free(to);
	crypto_secret_leave();
	return e;
}

enum err boxing_seal(struct span public_key, struct span aad, struct span plain, struct buf *out)
{
	uint8_t secret[SECRET], key[SEALING_KEY];
	size_t was = out->n;
	enum err e = selftest_named(KEM, &tested);

	if (e == OK && public_key.n != BOXING_PUBLIC)
		e = E_DATA;
	if (e == OK)
		e = buf_reserve(out, BOXING_CT);
	if (e == OK)
		e = send(public_key, out->p + was, secret);
	if (e == OK)
		e = box_key(public_key, out->p + was, secret, key);
	if (e == OK) {
		out->n += BOXING_CT;
		e = sealing_seal(key, aad, plain, out);
	}
	if (e != OK)
		out->n = was;
	mem_wipe(secret, sizeof(secret));
	mem_wipe(key, sizeof(key));
	return e;
}
