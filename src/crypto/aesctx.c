/* SPDX-License-Identifier: Apache-2.0 */
#include "crypto/aesctx.h"

#include "base/mem.h"
#include "crypto/fetch.h"
#include "crypto/gcmlong.h"
#include "crypto/key_type.h"

/* By the length of the key: 128, 192, 256 bits; XTS keys count both halves. */
/* clang-format off */
static const enum alg algs[AES_MODE_COUNT][3] = {
	[AES_MODE_ECB] = { ALG_AES_128_ECB, ALG_AES_192_ECB, ALG_AES_256_ECB },
	[AES_MODE_CBC] = { ALG_AES_128_CBC, ALG_AES_192_CBC, ALG_AES_256_CBC },
	[AES_MODE_CTR] = { ALG_AES_128_CTR, ALG_AES_192_CTR, ALG_AES_256_CTR },
	[AES_MODE_CTS] = { ALG_AES_128_CTS, ALG_AES_192_CTS, ALG_AES_256_CTS },
	[AES_MODE_GCM] = { ALG_AES_128_GCM, ALG_AES_192_GCM, ALG_AES_256_GCM },
	[AES_MODE_CCM] = { ALG_AES_128_CCM, ALG_AES_192_CCM, ALG_AES_256_CCM },
	[AES_MODE_XTS] = { ALG_AES_128_XTS, ALG_COUNT, ALG_AES_256_XTS },
	[AES_MODE_KW] = { ALG_AES_128_WRAP, ALG_AES_192_WRAP, ALG_AES_256_WRAP },
	[AES_MODE_KWP] = { ALG_AES_128_WRAP_PAD, ALG_AES_192_WRAP_PAD, ALG_AES_256_WRAP_PAD },
};
/* clang-format on */

static EVP_CIPHER *cipher_of(enum aes_mode mode, size_t key_bytes)
{
	size_t aes_bytes = mode == AES_MODE_XTS ? key_bytes / 2 : key_bytes;
	enum alg a;

	if (aes_bytes < 16 || aes_bytes > 32 || aes_bytes % 8 != 0)
		return NULL;
	a = algs[mode][(aes_bytes - 16) / 8];
	return a != ALG_COUNT ? fetch_cipher(a) : NULL;
}

static struct aes_state *state_new(void)
{
	struct aes_state *s = mem_alloc(sizeof(*s));

	if (s == NULL)
		return NULL;
	s->ctx = EVP_CIPHER_CTX_new();
	if (s->ctx == NULL) {
		mem_free(s);
		return NULL;
	}
	/* libcrypto asks for this before it lets the key-wrap modes be used through EVP */
	EVP_CIPHER_CTX_set_flags(s->ctx, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
	return s;
}

void aes_drop(void *state)
{
	struct aes_state *s = state;

	EVP_CIPHER_CTX_free(s->ctx);
	gcmlong_free(s->longer);
	key_unref(s->key);
	mem_free(s);
}

void aes_unkey(struct aes_state *s)
{
	key_unref(s->key);
	s->key = NULL;
	s->iv_n = 0;
}

static enum err set_key(struct aes_state *s, struct key *key, bool encrypt)
{
	aes_unkey(s);
	if (EVP_CipherInit_ex2(s->ctx, s->cipher, key->value, NULL, encrypt, NULL) != 1)
		return E_FAILED;
	s->encrypt = encrypt;
	s->key = key_ref(key);
	return OK;
}

/* A length that may vary is told before the IV itself. */
static enum err set_iv(struct aes_state *s, struct span iv, bool varies)
{
	if (varies && s->iv_n != iv.n) {
		if (EVP_CIPHER_CTX_ctrl(s->ctx, EVP_CTRL_AEAD_SET_IVLEN, (int)iv.n, NULL) != 1)
			return E_FAILED;
		s->iv_n = iv.n;
	}
	return EVP_CipherInit_ex2(s->ctx, NULL, NULL, iv.p, s->encrypt, NULL) == 1 ? OK : E_FAILED;
}

enum err aes_select(struct run *r, enum aes_mode mode)
{
	EVP_CIPHER *cipher = cipher_of(mode, r->key->value_n);
	struct aes_state *s = r->state;

	if (cipher == NULL)
		return E_KEY_SIZE;
	if (s == NULL && (r->state = s = state_new()) == NULL)
		return E_MEMORY;
	gcmlong_free(s->longer);
	s->longer = NULL;
	s->in = 0;
	s->out = 0;
	if (s->cipher != cipher)
		aes_unkey(s);
	s->cipher = cipher;
	return OK;
}

enum err aes_open(struct run *r, enum aes_mode mode, struct span iv)
{
	bool encrypt = r->use == USE_ENCRYPT;
	enum err e = aes_select(r, mode);
	struct aes_state *s = r->state;

	if (e != OK)
		return e;
	if (s->key != r->key || s->encrypt != encrypt) {
		if ((e = set_key(s, r->key, encrypt)) != OK)
			return e;
	}
	return set_iv(s, iv, mode == AES_MODE_GCM);
}

enum err aes_feed(struct aes_state *s, struct span in, struct sink *o)
{
	while (in.n != 0) {
		size_t n = in.n < AES_PIECE ? in.n : AES_PIECE;
		int made = 0;

		if (EVP_CipherUpdate(s->ctx, o->p + o->n, &made, in.p, (int)n) != 1)
			return E_FAILED;
		o->n += (size_t)made;
		s->in += n;
		s->out += (uint64_t)made;
		in = span(in.p + n, in.n - n);
	}
	return OK;
}
