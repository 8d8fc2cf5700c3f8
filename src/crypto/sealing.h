/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the store seals with: a fixed small set of primitives, each in one size, so that there is
 * nothing to choose and nothing to get wrong. Not for PKCS#11 operations, those go through mech.h.
 *
 * crypto_start must have been called. All functions may be called by any number of threads at once,
 * take no locks, and run libcrypto inside the secret-arena tag. Errors other than those named:
 * E_MEMORY, E_FAILED, E_SELFTEST (the known-answer test of the primitive failed). Outputs are
 * unchanged or wiped on error.
 */
#ifndef CHANCERY_CRYPTO_SEALING_H
#define CHANCERY_CRYPTO_SEALING_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

enum {
	SEALING_KEY = 32,   /* bytes of every key here */
	SEALING_NONCE = 12, /* random, in front of what it sealed */
	SEALING_TAG = 16,   /* after it */
	/* how much longer sealed data is than plain data */
	SEALING_EXTRA = SEALING_NONCE + SEALING_TAG,
	SEALING_MAC = 32 /* bytes of a MAC and of a digest */
};

/*
 * AES-256-GCM under key, appended to out: nonce, ciphertext, tag. The nonce is random: a key seals
 * at most 2^32 times. aad is bound, not stored.
 */
enum err sealing_seal(const uint8_t key[SEALING_KEY], struct span aad, struct span plain,
		      struct buf *out);
/*
 * The reverse, appended to plain (a secret buffer if the content is secret). E_CORRUPT when it was
 * not sealed so.
 */
enum err sealing_open(const uint8_t key[SEALING_KEY], struct span aad, struct span sealed,
		      struct buf *plain);

/* HKDF-SHA-256 (RFC 5869, extract and expand) of secret; n from 1 to 255 * 32, else E_ARGUMENTS. */
enum err sealing_hkdf(struct span secret, struct span salt, struct span info, uint8_t *key,
		      size_t n);

/*
 * HMAC-SHA-256 of the parts one after the other. Lengths are not part of it: the caller frames what
 * varies.
 */
enum err sealing_mac(const uint8_t key[SEALING_KEY], const struct span *parts, size_t count,
		     uint8_t mac[SEALING_MAC]);
/* SHA-256 of the parts one after the other. */
enum err sealing_digest(const struct span *parts, size_t count, uint8_t digest[SEALING_MAC]);

/*
 * Argon2id (RFC 9106, version 0x13) of a PIN. memory_kib >= 8 * lanes, passes >= 1, lanes >= 1,
 * salt >= 8 bytes, else E_ARGUMENTS. Lanes are computed one after the other: the module has no
 * threads of its own.
 */
enum err sealing_argon2id(struct span pin, struct span salt, uint32_t memory_kib, uint32_t passes,
			  uint32_t lanes, uint8_t key[SEALING_KEY]);
/* PBKDF2-HMAC-SHA-256 of a PIN; iterations >= 1, else E_ARGUMENTS. */
enum err sealing_pbkdf2(struct span pin, struct span salt, uint32_t iterations,
			uint8_t key[SEALING_KEY]);

#endif
