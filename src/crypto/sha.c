/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-1 and SHA-2 by the structures that libcrypto documents but has marked deprecated: EVP in 3.5
 * has no way to read a running state, and C_GetOperationState needs one. The block functions are
 * the same.
 */
#define OPENSSL_SUPPRESS_DEPRECATED

#include "crypto/sha.h"

static int sha1_update(union sha_ctx *c, struct span in)
{
	return SHA1_Update(&c->sha1, in.p, in.n);
}

static int sha1_final(union sha_ctx *c, uint8_t *out)
{
	return SHA1_Final(out, &c->sha1);
}

static int sha256_update(union sha_ctx *c, struct span in)
{
	return SHA256_Update(&c->sha256, in.p, in.n);
}

static int sha256_final(union sha_ctx *c, uint8_t *out)
{
	return SHA256_Final(out, &c->sha256);
}

static int sha512_update(union sha_ctx *c, struct span in)
{
	return SHA512_Update(&c->sha512, in.p, in.n);
}

static int sha512_final(union sha_ctx *c, uint8_t *out)
{
	return SHA512_Final(out, &c->sha512);
}

/*
 * The saved state: chaining words, length in bits (low word, high word), and the bytes that do not
 * fill a block yet, with their count in front. All numbers little-endian.
 */
static enum err words32_save(const SHA_LONG *const words[], size_t n, const void *data,
			     unsigned num, struct buf *out)
{
	enum err e = OK;

	for (size_t i = 0; e == OK && i < n; i++)
		e = buf_put_u32(out, *words[i]);
	if (e == OK)
		e = buf_put_u32(out, num);
	return e == OK ? buf_put(out, span(data, num)) : e;
}

static bool words32_load(SHA_LONG *const words[], size_t n, void *data, unsigned *num,
			 struct span *in)
{
	struct span pending;
	uint32_t count;

	for (size_t i = 0; i < n; i++)
		if (!take_u32(in, words[i]))
			return false;
	if (!take_u32(in, &count) || count >= SHA_CBLOCK || !take_bytes(in, count, &pending))
		return false;
	if (count != 0)
		memcpy(data, pending.p, count);
	*num = count;
	return true;
}

static enum err sha1_save(const union sha_ctx *c, struct buf *out)
{
	const SHA_CTX *s = &c->sha1;
	const SHA_LONG *const words[] = { &s->h0, &s->h1, &s->h2, &s->h3, &s->h4, &s->Nl, &s->Nh };

	return words32_save(words, 7, s->data, s->num, out);
}

static bool sha1_load(union sha_ctx *c, struct span *in)
{
	SHA_CTX *s = &c->sha1;
	SHA_LONG *const words[] = { &s->h0, &s->h1, &s->h2, &s->h3, &s->h4, &s->Nl, &s->Nh };

	return words32_load(words, 7, s->data, &s->num, in);
}

static enum err sha256_save(const union sha_ctx *c, struct buf *out)
{
	const SHA256_CTX *s = &c->sha256;
	const SHA_LONG *words[10] = { [8] = &s->Nl, [9] = &s->Nh };

	for (size_t i = 0; i < 8; i++)
		words[i] = &s->h[i];
	return words32_save(words, 10, s->data, s->num, out);
}

static bool sha256_load(union sha_ctx *c, struct span *in)
{
	SHA256_CTX *s = &c->sha256;
	SHA_LONG *words[10] = { [8] = &s->Nl, [9] = &s->Nh };

	for (size_t i = 0; i < 8; i++)
		words[i] = &s->h[i];
	return words32_load(words, 10, s->data, &s->num, in);
}

static enum err sha512_save(const union sha_ctx *c, struct buf *out)
{
	const SHA512_CTX *s = &c->sha512;
	enum err e = OK;

	for (size_t i = 0; e == OK && i < 8; i++)
		e = buf_put_u64(out, s->h[i]);
	if (e == OK)
		e = buf_put_u64(out, s->Nl);
	if (e == OK)
		e = buf_put_u64(out, s->Nh);
	if (e == OK)
		e = buf_put_u32(out, s->num);
	return e == OK ? buf_put(out, span(s->u.p, s->num)) : e;
}

static bool take_long64(struct span *in, SHA_LONG64 *v)
{
	uint64_t u;

	if (!take_u64(in, &u))
		return false;
	*v = u;
	return true;
}

static bool sha512_load(union sha_ctx *c, struct span *in)
{
	SHA512_CTX *s = &c->sha512;
	struct span pending;
	uint32_t count;

	for (size_t i = 0; i < 8; i++)
		if (!take_long64(in, &s->h[i]))
			return false;
	if (!take_long64(in, &s->Nl) || !take_long64(in, &s->Nh) || !take_u32(in, &count))
		return false;
	if (count >= SHA512_CBLOCK || !take_bytes(in, count, &pending))
		return false;
	if (count != 0)
		memcpy(s->u.p, pending.p, count);
	s->num = count;
	return true;
}

static const struct sha_family sha1_family = { sha1_update, sha1_final, sha1_save, sha1_load };
static const struct sha_family sha256_family = { sha256_update, sha256_final, sha256_save,
						 sha256_load };
static const struct sha_family sha512_family = { sha512_update, sha512_final, sha512_save,
						 sha512_load };

static int sha1_init(union sha_ctx *c)
{
	return SHA1_Init(&c->sha1);
}

static int sha224_init(union sha_ctx *c)
{
	return SHA224_Init(&c->sha256);
}

static int sha256_init(union sha_ctx *c)
{
	return SHA256_Init(&c->sha256);
}

static int sha384_init(union sha_ctx *c)
{
	return SHA384_Init(&c->sha512);
}

static int sha512_init(union sha_ctx *c)
{
	return SHA512_Init(&c->sha512);
}

/* libcrypto has no public function for these two; FIPS 180-4, 5.3.6 gives their initial words. */
static int sha512_t_init(union sha_ctx *c, const SHA_LONG64 words[8], unsigned size)
{
	if (SHA512_Init(&c->sha512) != 1)
		return 0;
	memcpy(c->sha512.h, words, sizeof(c->sha512.h));
	c->sha512.md_len = size;
	return 1;
}

static int sha512_224_init(union sha_ctx *c)
{
	static const SHA_LONG64 words[8] = { 0x8c3d37c819544da2, 0x73e1996689dcd4d6,
					     0x1dfab7ae32ff9c82, 0x679dd514582f9fcf,
					     0x0f6d2b697bd44da8, 0x77e36f7304c48942,
					     0x3f9d85a86a1d36c8, 0x1112e6ad91d692a1 };

	return sha512_t_init(c, words, 28);
}

static int sha512_256_init(union sha_ctx *c)
{
	static const SHA_LONG64 words[8] = { 0x22312194fc2bf72c, 0x9f555fa3c84c64c2,
					     0x2393b86b6f53b151, 0x963877195940eabd,
					     0x96283ee2a88effe3, 0xbe5e1e2553863992,
					     0x2b0199fc2c85b8aa, 0x0eb72ddc81c52ca2 };

	return sha512_t_init(c, words, 32);
}

static const struct sha shas[] = {
	{ CKM_SHA_1, 20, &sha1_family, sha1_init },
	{ CKM_SHA224, 28, &sha256_family, sha224_init },
	{ CKM_SHA256, 32, &sha256_family, sha256_init },
	{ CKM_SHA384, 48, &sha512_family, sha384_init },
	{ CKM_SHA512, 64, &sha512_family, sha512_init },
	{ CKM_SHA512_224, 28, &sha512_family, sha512_224_init },
	{ CKM_SHA512_256, 32, &sha512_family, sha512_256_init },
};

const struct sha *sha_of(CK_MECHANISM_TYPE mech)
{
	for (size_t i = 0; i < sizeof(shas) / sizeof(shas[0]); i++)
		if (shas[i].mech == mech)
			return &shas[i];
	return NULL;
}
