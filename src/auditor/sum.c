/* SPDX-License-Identifier: Apache-2.0 */
/* The low-level functions: a context on the stack, where EVP would cost as much as the hash of a short record. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "auditor/sum.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

enum { BLOCK = 64 };

void sum_of(struct span a, struct span b, uint8_t out[SUM])
{
	SHA256_CTX c;

	SHA256_Init(&c);
	SHA256_Update(&c, a.p, a.n);
	SHA256_Update(&c, b.p, b.n);
	SHA256_Final(out, &c);
}

/* One of the two hashes of HMAC: the key, filled up and masked, and what follows. */
static void masked(struct span key, uint8_t mask, struct span a, struct span b, uint8_t out[SUM])
{
	uint8_t block[BLOCK];
	SHA256_CTX c;

	memset(block, mask, sizeof(block));
	for (size_t i = 0; i < key.n; i++)
		block[i] ^= key.p[i];
	SHA256_Init(&c);
	SHA256_Update(&c, block, sizeof(block));
	SHA256_Update(&c, a.p, a.n);
	SHA256_Update(&c, b.p, b.n);
	SHA256_Final(out, &c);
	OPENSSL_cleanse(block, sizeof(block));
}

/* key: at most a block. */
static void hmac(struct span key, struct span a, struct span b, uint8_t out[SUM])
{
	uint8_t inner[SUM];

	masked(key, 0x36, a, b, inner);
	masked(key, 0x5c, span(inner, sizeof(inner)), span(NULL, 0), out);
}

void sum_mac(const uint8_t key[SUM], struct span data, uint8_t out[SUM])
{
	hmac(span(key, SUM), data, span(NULL, 0), out);
}

void sum_ratchet(uint8_t key[SUM])
{
	sum_of(span_str("rat"), span(key, SUM), key);
}

void sum_hkdf(struct span secret, struct span salt, const char *info, uint8_t out[SUM])
{
	const uint8_t one = 1;
	uint8_t prk[SUM];

	hmac(salt, secret, span(NULL, 0), prk);
	hmac(span(prk, sizeof(prk)), span_str(info), span(&one, 1), out);
	OPENSSL_cleanse(prk, sizeof(prk));
}
