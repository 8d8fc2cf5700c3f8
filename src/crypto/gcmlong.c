/* SPDX-License-Identifier: Apache-2.0 */
#include "crypto/gcmlong.h"

#include "base/mem.h"
#include "crypto/fetch.h"
#include "crypto/key_type.h"

#include <openssl/modes.h>

#define BLOCK 16

struct gcmlong {
	EVP_CIPHER_CTX *ecb; /* encrypts, for both directions */
	GCM128_CONTEXT *gcm;
	bool failed; /* the block cipher did, and could not say so */
};

/* One block, as libcrypto's GCM calls for it. */
static void block(const uint8_t in[BLOCK], uint8_t out[BLOCK], const void *key)
{
	union {
		const void *read;
		struct gcmlong *g;
	} k = { .read = key };
	int n = 0;

	if (EVP_EncryptUpdate(k.g->ecb, out, &n, in, BLOCK) != 1 || n != BLOCK)
		k.g->failed = true;
}

static bool ecb_start(struct gcmlong *g, const struct key *key)
{
	EVP_CIPHER *aes = fetch_cipher((enum alg)(ALG_AES_128_ECB + (key->value_n - 16) / 8));

	g->ecb = EVP_CIPHER_CTX_new();
	return aes != NULL && g->ecb != NULL &&
	       EVP_EncryptInit_ex2(g->ecb, aes, key->value, NULL, NULL) == 1 &&
	       EVP_CIPHER_CTX_set_padding(g->ecb, 0) == 1;
}

static bool gcm_start(struct gcmlong *g, struct span iv, struct span aad)
{
	g->gcm = CRYPTO_gcm128_new(g, block);
	if (g->gcm == NULL)
		return false;
	CRYPTO_gcm128_setiv(g->gcm, iv.p, iv.n);
	return CRYPTO_gcm128_aad(g->gcm, aad.p, aad.n) == 0 && !g->failed;
}

enum err gcmlong_new(const struct key *key, struct span iv, struct span aad, struct gcmlong **out)
{
	struct gcmlong *g = mem_alloc(sizeof(*g));

	if (g == NULL)
		return E_MEMORY;
	if (!ecb_start(g, key) || !gcm_start(g, iv, aad)) {
		gcmlong_free(g);
		return E_FAILED;
	}
	*out = g;
	return OK;
}

void gcmlong_free(struct gcmlong *g)
{
	if (g == NULL)
		return;
	if (g->gcm != NULL)
		CRYPTO_gcm128_release(g->gcm);
	EVP_CIPHER_CTX_free(g->ecb);
	mem_free(g);
}

enum err gcmlong_crypt(struct gcmlong *g, bool encrypt, struct span in, uint8_t *out)
{
	int e = encrypt ? CRYPTO_gcm128_encrypt(g->gcm, in.p, out, in.n)
			: CRYPTO_gcm128_decrypt(g->gcm, in.p, out, in.n);

	return e == 0 && !g->failed ? OK : E_FAILED;
}

enum err gcmlong_tag(struct gcmlong *g, uint8_t tag[16])
{
	CRYPTO_gcm128_tag(g->gcm, tag, BLOCK);
	return g->failed ? E_FAILED : OK;
}
