/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that libcrypto documents but has marked deprecated, as in sha.c: the only ones whose state is the caller's. */
#define OPENSSL_SUPPRESS_DEPRECATED

#include "crypto/sha256.h"

#include "base/mem.h"

#include <openssl/sha.h>

static bool update(SHA256_CTX *c, const struct span *parts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (parts[i].n != 0 && SHA256_Update(c, parts[i].p, parts[i].n) != 1)
			return false;
	return true;
}

/* After a block of its own, if there is one. */
static bool hash(const uint8_t *block, const struct span *parts, size_t count, uint8_t *digest)
{
	struct span first = span(block, block != NULL ? SHA256_BLOCK : 0);
	SHA256_CTX c;
	bool ok = SHA256_Init(&c) == 1 && update(&c, &first, 1) && update(&c, parts, count) &&
		  SHA256_Final(digest, &c) == 1;

	mem_wipe(&c, sizeof(c));
	return ok;
}

bool sha256_digest(const struct span *parts, size_t count, uint8_t digest[SHA256_SIZE])
{
	return hash(NULL, parts, count, digest);
}

/* RFC 2104, 2: the key filled up to a block with zeros, and masked. */
static void mask(const uint8_t *key, uint8_t with, uint8_t block[SHA256_BLOCK])
{
	for (size_t i = 0; i < SHA256_BLOCK; i++)
		block[i] = (uint8_t)(i < SHA256_SIZE ? key[i] ^ with : with);
}

bool sha256_mac(const uint8_t key[SHA256_SIZE], const struct span *parts, size_t count,
		uint8_t mac[SHA256_SIZE])
{
	uint8_t block[SHA256_BLOCK], inner[SHA256_SIZE];
	struct span in = span(inner, sizeof(inner));
	bool ok;

	mask(key, 0x36, block);
	ok = hash(block, parts, count, inner);
	mask(key, 0x5c, block);
	ok = ok && hash(block, &in, 1, mac);
	mem_wipe(block, sizeof(block));
	mem_wipe(inner, sizeof(inner));
	return ok;
}
