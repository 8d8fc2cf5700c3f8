/* SPDX-License-Identifier: Apache-2.0 */
/* libcrypto's key derivation functions with their parameters as arguments. For src/crypto only. */
#ifndef CHANCERY_CRYPTO_KDFCTX_H
#define CHANCERY_CRYPTO_KDFCTX_H

#include "base/err.h"
#include "base/span.h"
#include "crypto/hash.h"

struct hkdf_input {
	const struct hash *hash;
	bool extract, expand; /* one of them at least */
	struct span secret;   /* keying material, or for expansion alone the pseudo-random key */
	struct span salt;     /* empty: as many zeros as the digest has bytes (RFC 5869, 2.2) */
	struct span info;
};

/*
 * n bytes at out: up to 255 digests when expanding, exactly one digest when only extracting.
 * E_FAILED.
 */
enum err kdf_hkdf(const struct hkdf_input *in, uint8_t *out, size_t n);
/* PBKDF2 with HMAC of h. E_FAILED. */
enum err kdf_pbkdf2(const struct hash *h, struct span password, struct span salt,
		    uint64_t iterations, uint8_t *out, size_t n);
/* Argon2id, version 0x13. E_FAILED. */
enum err kdf_argon2id(struct span password, struct span salt, uint32_t memory_kib, uint32_t passes,
		      uint32_t lanes, uint8_t *out, size_t n);

#endif
