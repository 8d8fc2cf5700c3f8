/* SPDX-License-Identifier: Apache-2.0 */
#include "crypto/sealing.h"

#include "base/mem.h"
#include "crypto/fetch.h"
#include "crypto/kat.h"
#include "crypto/kdfctx.h"
#include "crypto/lib.h"
#include "crypto/sha256.h"

#include <openssl/err.h>

/* OpenSSL counts in int; no record of the store comes near. */
#define SEALED_MAX ((size_t)1 << 30)

/* Each is tested before its first use. */
enum primitive { AEAD, MAC, DIGEST, HKDF, ARGON2ID, PBKDF2, PRIMITIVES };

static atomic_uchar tested[PRIMITIVES];

static enum err ready(enum primitive p)
{
	static const char *const kats[PRIMITIVES] = {
		[AEAD] = "AES-256-GCM", [MAC] = "SEALING-MAC",   [DIGEST] = "SHA256",
		[HKDF] = "HKDF",        [ARGON2ID] = "ARGON2ID", [PBKDF2] = "PBKDF2",
	};

	return selftest_named(kats[p], &tested[p]);
}

/*
 * The end of every primitive of libcrypto's contexts: outside the tag again, and nothing left in libcrypto's error queue.
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

enum err sealing_mac(const uint8_t key[SEALING_KEY], const struct span *parts, size_t count,
		     uint8_t mac[SEALING_MAC])
{
	enum err e = ready(MAC);

	if (e != OK)
		return e;
	if (sha256_mac(key, parts, count, mac))
		return OK;
	mem_wipe(mac, SEALING_MAC);
	return E_FAILED;
}

enum err sealing_digest(const struct span *parts, size_t count, uint8_t digest[SEALING_MAC])
{
	enum err e = ready(DIGEST);

	if (e != OK)
		return e;
	if (sha256_digest(parts, count, digest))
		return OK;
	mem_wipe(digest, SEALING_MAC);
	return E_FAILED;
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
