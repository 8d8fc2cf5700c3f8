/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-256 and HMAC-SHA-256 on the stack, for sealing.c: libcrypto's contexts are allocated, its HMAC allocates for each key, and a
 * record of the roll takes four of these. What was hashed is wiped.
 */
#ifndef CHANCERY_CRYPTO_SHA256_H
#define CHANCERY_CRYPTO_SHA256_H

#include "base/span.h"

enum { SHA256_SIZE = 32, SHA256_BLOCK = 64 };

/* Of the parts one after the other. false: libcrypto failed, and the output is worthless. */
bool sha256_digest(const struct span *parts, size_t count, uint8_t digest[SHA256_SIZE]);
bool sha256_mac(const uint8_t key[SHA256_SIZE], const struct span *parts, size_t count,
		uint8_t mac[SHA256_SIZE]);

#endif
