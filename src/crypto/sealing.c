/* SPDX-License-Identifier: Apache-2.0 */
#include "crypto/sealing.h"

#include "base/mem.h"
#include "crypto/fetch.h"
#include "crypto/kat.h"
#include "crypto/kdfctx.h"
#include "crypto/lib.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>

/* OpenSSL counts in int; no record of the store comes near. */
#define SEALED_MAX ((size_t)1 << 30)

/* Each is tested before its first use. */
enum primitive { AEAD, MAC, DIGEST, HKDF, ARGON2ID, PBKDF2, PRIMITIVES };

static atomic_uchar tested[PRIMITIVES];

static enum err ready(enum primitive p)
{
	static const char *const kats[PRIMITIVES] = {
		[AEAD] = "AES-256-GCM", [MAC] = "HMAC-SHA256",   [DIGEST] = "SHA256",
		[HKDF] = "HKDF",        [ARGON2ID] = "ARGON2ID", [PBKDF2] = "PBKDF2",
	};

	return selftest_named(kats[p], &tested[p]);
}

/*
 * The end of every primitive: outside the tag again, and nothing left in libcrypto's error queue.
 */
static enum err done(enum err e)
{
	crypto_secret_leave();
	if (e != OK)
		ERR_clear_error();
	return e;
}

/* AES-256-GCM of `in` to out, which has as many bytes, up to its end, which compares the tag. */
static bool crypt(EVP_CIPHER_CTX *c, struct span aad, struct span in, uint8_t *out)
{
	int n = 0;

	if (aad.n != 0 && EVP_CipherUpdate(c, NULL, &n, aad.p, (int)aad.n) != 1)
		return false;
	return in.n == 0 || EVP_CipherUpdate(c, out, &n, in.p, (int)in.n) == 1;
}

static bool finish(EVP_CIPHER_CTX *c)
{
	uint8_t none[16];
	int n = 0;

	return EVP_CipherFinal_ex(c, none, &n) == 1;
}

static bool start(EVP_CIPHER_CTX *c, const uint8_t *key, const uint8_t *nonce, bool encrypt)
{
	EVP_CIPHER *gcm = fetch_cipher(ALG_AES_256_GCM);

	return c != NULL && gcm != NULL &&
	       EVP_CipherInit_ex2(c, gcm, key, nonce, encrypt, NULL) == 1;
}

static enum err seal(const uint8_t *key, struct span aad, struct span plain, uint8_t *out)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	uint8_t *body = out + SEALING_NONCE;
	enum err e = crypto_random(out, SEALING_NONCE);

	if (e == OK &&
	    (!start(c, key, out, true) || !crypt(c, aad, plain, body) || !finish(c) ||
	     EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, SEALING_TAG, body + plain.n) != 1))
		e = E_FAILED;
	EVP_CIPHER_CTX_free(c);
	return e;
}

enum err sealing_seal(const uint8_t key[SEALING_KEY], struct span aad, struct span plain,
		      struct buf *out)
{
	enum err e = ready(AEAD);

	if (e != OK)
		return e;
	if (plain.n > SEALED_MAX || aad.n > SEALED_MAX)
		return E_DATA_LEN;
	if ((e = buf_reserve(out, plain.n + SEALING_EXTRA)) != OK)
		return e;
	crypto_secret_enter();
	e = done(seal(key, aad, plain, out->p + out->n));
	if (e == OK)
		out->n += plain.n + SEALING_EXTRA;
	else
		mem_wipe(out->p + out->n, plain.n + SEALING_EXTRA);
	return e;
}

static enum err open_sealed(const uint8_t *key, struct span aad, struct span sealed, uint8_t *out)
{
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	struct span body = span(sealed.p + SEALING_NONCE, sealed.n - SEALING_EXTRA);
	uint8_t tag[SEALING_TAG];
	enum err e = E_FAILED;

	memcpy(tag, body.p + body.n, sizeof(tag));
	if (start(c, key, sealed.p, false) &&
	    EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, sizeof(tag), tag) == 1 &&
	    crypt(c, aad, body, out))
		e = finish(c) ? OK : E_CORRUPT; /* only here: a want of memory is no wrong PIN */
	EVP_CIPHER_CTX_free(c);
	return e;
}

enum err sealing_open(const uint8_t key[SEALING_KEY], struct span aad, struct span sealed,
		      struct buf *plain)
{
	enum err e = ready(AEAD);
	uint8_t *to;
	size_t n;

	if (e != OK)
		return e;
	if (sealed.n < SEALING_EXTRA || sealed.n > SEALED_MAX || aad.n > SEALED_MAX)
		return E_CORRUPT;
	n = sealed.n - SEALING_EXTRA;
	if ((e = buf_reserve(plain, n)) != OK)
		return e;
	crypto_secret_enter();
	to = n != 0 ? plain->p + plain->n : NULL;
	e = done(open_sealed(key, aad, sealed, to));
	if (e == OK)
		plain->n += n;
	else if (n != 0)
		mem_wipe(to, n);
	return e;
}

enum err sealing_hkdf(struct span secret, struct span salt, struct span info, uint8_t *key,
		      size_t n)
{
	struct hkdf_input in = {
		.hash = hash_of(CKM_SHA256),
		.extract = true,
		.expand = true,
		.secret = secret,
		.salt = salt,
		.info = info,
	};
	enum err e = ready(HKDF);

	if (e != OK)
		return e;
	if (n == 0 || n > 255 * SEALING_MAC || secret.n == 0)
		return E_ARGUMENTS;
	crypto_secret_enter();
	e = done(kdf_hkdf(&in, key, n));
	if (e != OK)
		mem_wipe(key, n);
	return e;
}

static bool mac_parts(EVP_MAC_CTX *c, const uint8_t *key, const struct span *parts, size_t count,
		      uint8_t *mac)
{
	char digest[] = "SHA256";
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
		OSSL_PARAM_construct_end(),
	};
	size_t n = 0;

	if (c == NULL || EVP_MAC_init(c, key, SEALING_KEY, params) != 1)
		return false;
	for (size_t i = 0; i < count; i++)
		if (parts[i].n != 0 && EVP_MAC_update(c, parts[i].p, parts[i].n) != 1)
			return false;
	return EVP_MAC_final(c, mac, &n, SEALING_MAC) == 1;
}

enum err sealing_mac(const uint8_t key[SEALING_KEY], const struct span *parts, size_t count,
		     uint8_t mac[SEALING_MAC])
{
	enum err e = ready(MAC);
	EVP_MAC *hmac;
	EVP_MAC_CTX *c;

	if (e != OK)
		return e;
	crypto_secret_enter();
	hmac = fetch_mac(ALG_HMAC);
	c = hmac != NULL ? EVP_MAC_CTX_new(hmac) : NULL;
	e = mac_parts(c, key, parts, count, mac) ? OK : E_FAILED;
	EVP_MAC_CTX_free(c);
	if (e != OK)
		mem_wipe(mac, SEALING_MAC);
	return done(e);
}

static bool digest_parts(EVP_MD_CTX *c, const struct span *parts, size_t count, uint8_t *digest)
{
	EVP_MD *md = fetch_md(ALG_SHA256);

	if (c == NULL || md == NULL || EVP_DigestInit_ex2(c, md, NULL) != 1)
		return false;
	for (size_t i = 0; i < count; i++)
		if (EVP_DigestUpdate(c, parts[i].p, parts[i].n) != 1)
			return false;
	return EVP_DigestFinal_ex(c, digest, NULL) == 1;
}

enum err sealing_digest(const struct span *parts, size_t count, uint8_t digest[SEALING_MAC])
{
	enum err e = ready(DIGEST);
	EVP_MD_CTX *c;

	if (e != OK)
		return e;
	crypto_secret_enter();
	c = EVP_MD_CTX_new();
	e = digest_parts(c, parts, count, digest) ? OK : E_FAILED;
	EVP_MD_CTX_free(c);
	if (e != OK)
		mem_wipe(digest, SEALING_MAC);
	return done(e);
}

enum err sealing_argon2id(struct span pin, struct span salt, uint32_t memory_kib, uint32_t passes,
			  uint32_t lanes, uint8_t key[SEALING_KEY])
{
	enum err e = ready(ARGON2ID);

	if (e != OK)
		return e;
	if (lanes == 0 || passes == 0 || memory_kib / 8 < lanes || salt.n < 8)
		return E_ARGUMENTS;
	/* not in the tag: the memory is large, short-lived and wiped when freed */
	e = kdf_argon2id(pin, salt, memory_kib, passes, lanes, key, SEALING_KEY);
	if (e != OK)
		mem_wipe(key, SEALING_KEY);
	return e;
}

enum err sealing_pbkdf2(struct span pin, struct span salt, uint32_t iterations,
			uint8_t key[SEALING_KEY])
{
	enum err e = ready(PBKDF2);

	if (e != OK)
		return e;
	if (iterations == 0)
		return E_ARGUMENTS;
	crypto_secret_enter();
	e = done(kdf_pbkdf2(hash_of(CKM_SHA256), pin, salt, iterations, key, SEALING_KEY));
	if (e != OK)
		mem_wipe(key, SEALING_KEY);
	return e;
}
