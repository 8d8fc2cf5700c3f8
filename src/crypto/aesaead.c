/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AES-GCM and AES-CCM. When decrypting, all input is there before any of it is released, and
 * whatever is wrong with it is the one E_AEAD.
 */
#include "base/mem.h"
#include "crypto/aesctx.h"
#include "crypto/bound.h"
#include "crypto/gcmlong.h"
#include "crypto/key_type.h"

/* SP 800-38D, 5.2.1.1: bytes of plaintext under one IV. */
#define GCM_MAX (((uint64_t)1 << 36) - 32)

/* Additional data; libcrypto knows it by the absence of an output. */
static enum err feed_aad(struct aes_state *s, struct span aad)
{
	int n = 0;

	if (aad.n == 0)
		return OK;
	return EVP_CipherUpdate(s->ctx, NULL, &n, aad.p, (int)aad.n) == 1 ? OK : E_FAILED;
}

static enum err tag_put(struct run *r, struct sink *o)
{
	struct aes_state *s = r->state;
	size_t n = r->param.tag_len;

	if (EVP_CIPHER_CTX_ctrl(s->ctx, EVP_CTRL_AEAD_GET_TAG, (int)n, o->p + o->n) != 1)
		return E_FAILED;
	o->n += n;
	return OK;
}

/* The tag that is expected; libcrypto wants it in writable memory. */
static enum err tag_expect(struct aes_state *s, struct span tag)
{
	uint8_t copy[AES_BLOCK];

	memcpy(copy, tag.p, tag.n);
	return EVP_CIPHER_CTX_ctrl(s->ctx, EVP_CTRL_AEAD_SET_TAG, (int)tag.n, copy) == 1 ? OK
											 : E_FAILED;
}

static size_t aead_bound(const struct run *r, size_t n, bool last)
{
	size_t tag = r->param.tag_len;

	if (!last)
		return n;
	if (r->use == USE_ENCRYPT)
		return bound_add(n, tag);
	return n < tag ? 0 : n - tag;
}

/* Unauthenticated plaintext is not left behind. */
static enum err refuse(struct sink *o, size_t from)
{
	if (o->n > from)
		mem_wipe(o->p + from, o->n - from);
	o->n = from;
	return E_AEAD;
}

static enum err gcm_begin(struct run *r)
{
	struct span iv = pbytes_span(&r->param.iv), aad = pbytes_span(&r->param.aad);
	struct aes_state *s;
	enum err e;

	if (iv.n <= GCM_EVP_IV_MAX) {
		e = aes_open(r, AES_MODE_GCM, iv);
		return e == OK ? feed_aad(r->state, aad) : e;
	}
	if ((e = aes_select(r, AES_MODE_GCM)) != OK)
		return e;
	s = r->state;
	return gcmlong_new(r->key, iv, aad, &s->longer);
}

static enum err gcm_feed(struct run *r, struct span in, struct sink *o)
{
	struct aes_state *s = r->state;
	enum err e;

	if (s->longer == NULL || in.n == 0)
		return aes_feed(s, in, o);
	e = gcmlong_crypt(s->longer, r->use == USE_ENCRYPT, in, o->p + o->n);
	if (e == OK) {
		o->n += in.n;
		s->in += in.n;
	}
	return e;
}

static enum err gcm_update(struct run *r, struct span in, struct sink *o)
{
	struct aes_state *s = r->state;

	if (bound_add(s->in, in.n) > GCM_MAX)
		return aes_bad_length(r);
	return sink_room(o) < in.n ? E_TOO_SMALL : gcm_feed(r, in, o);
}

static enum err gcm_final(struct run *r, struct sink *o)
{
	struct aes_state *s = r->state;
	uint8_t tag[AES_BLOCK];
	int n = 0;
	enum err e;

	if (sink_room(o) < r->param.tag_len)
		return E_TOO_SMALL;
	if (s->longer == NULL)
		return EVP_CipherFinal_ex(s->ctx, tag, &n) == 1 ? tag_put(r, o) : E_FAILED;
	if ((e = gcmlong_tag(s->longer, tag)) == OK)
		(void)sink_put(o, span(tag, r->param.tag_len));
	return e;
}

/* Whether the tag is that of all that was fed. */
static bool gcm_authentic(struct aes_state *s, struct span tag)
{
	uint8_t right[AES_BLOCK];
	int n = 0;

	if (s->longer == NULL)
		return tag_expect(s, tag) == OK && EVP_CipherFinal_ex(s->ctx, right, &n) == 1;
	return gcmlong_tag(s->longer, right) == OK && mem_equal(right, tag.p, tag.n);
}

static enum err gcm_decrypt(struct run *r, struct span in, struct sink *o)
{
	size_t from = o->n, tag = r->param.tag_len;
	enum err e;

	if (in.n < tag)
		return E_CIPHERTEXT_LEN;
	if ((e = gcm_update(r, span(in.p, in.n - tag), o)) != OK)
		return e;
	if (!gcm_authentic(r->state, span(in.p + in.n - tag, tag)))
		return refuse(o, from);
	return OK;
}

static enum err gcm_once(struct run *r, struct span in, struct sink *o)
{
	enum err e;

	if (r->use == USE_DECRYPT)
		return gcm_decrypt(r, in, o);
	if (sink_room(o) < aead_bound(r, in.n, true))
		return E_TOO_SMALL;
	e = gcm_update(r, in, o);
	return e == OK ? gcm_final(r, o) : e;
}

const struct mech_ops gcm_ops = {
	.begin = gcm_begin,
	.bound = aead_bound,
	.update = gcm_update,
	.final = gcm_final,
	.once = gcm_once,
	.drop = aes_drop,
};

/*
 * The key goes in with the lengths, which are in the parameter, and the data's own length: in
 * `once`.
 */
static enum err ccm_begin(struct run *r)
{
	enum err e = aes_select(r, AES_MODE_CCM);

	if (e == OK)
		aes_unkey(r->state);
	return e;
}

/* Lengths of nonce and tag are fixed when the key is set, so they come first. */
static enum err ccm_lengths(struct run *r, struct span tag)
{
	struct aes_state *s = r->state;
	bool encrypt = r->use == USE_ENCRYPT;
	int iv_n = (int)r->param.iv.n, tag_n = (int)r->param.tag_len;

	if (EVP_CipherInit_ex2(s->ctx, s->cipher, NULL, NULL, encrypt, NULL) != 1)
		return E_FAILED;
	if (EVP_CIPHER_CTX_ctrl(s->ctx, EVP_CTRL_AEAD_SET_IVLEN, iv_n, NULL) != 1)
		return E_FAILED;
	if (!encrypt)
		return tag_expect(s, tag);
	return EVP_CIPHER_CTX_ctrl(s->ctx, EVP_CTRL_AEAD_SET_TAG, tag_n, NULL) == 1 ? OK : E_FAILED;
}

static enum err ccm_prepare(struct run *r, struct span tag)
{
	struct aes_state *s = r->state;
	const uint8_t *iv = pbytes_span(&r->param.iv).p;
	int n = 0;
	enum err e = ccm_lengths(r, tag);

	if (e != OK)
		return e;
	if (EVP_CipherInit_ex2(s->ctx, NULL, r->key->value, iv, r->use == USE_ENCRYPT, NULL) != 1)
		return E_FAILED;
	if (EVP_CipherUpdate(s->ctx, NULL, &n, NULL, (int)r->param.data_len) != 1)
		return E_FAILED;
	return feed_aad(s, pbytes_span(&r->param.aad));
}

/*
 * libcrypto's CCM wants one call for the data, also when there is none: that is what makes the tag.
 */
static int ccm_data(struct aes_state *s, struct span in, struct sink *o)
{
	uint8_t none[1] = { 0 };
	int n = 0;
	int ok = EVP_CipherUpdate(s->ctx, o->n < o->cap ? o->p + o->n : none, &n,
				  in.n != 0 ? in.p : none, (int)in.n);

	if (ok == 1)
		o->n += (size_t)n;
	return ok;
}

static enum err ccm_encrypt(struct run *r, struct span in, struct sink *o)
{
	enum err e;

	if (in.n != r->param.data_len || in.n > AES_PIECE)
		return E_DATA_LEN;
	if (sink_room(o) < aead_bound(r, in.n, true))
		return E_TOO_SMALL;
	if ((e = ccm_prepare(r, span(NULL, 0))) != OK)
		return e;
	return ccm_data(r->state, in, o) == 1 ? tag_put(r, o) : E_FAILED;
}

static enum err ccm_decrypt(struct run *r, struct span in, struct sink *o)
{
	size_t tag = r->param.tag_len, len = in.n - tag, from = o->n;
	enum err e;

	if (in.n < tag || len != r->param.data_len || len > AES_PIECE)
		return E_CIPHERTEXT_LEN;
	if (sink_room(o) < len)
		return E_TOO_SMALL;
	if ((e = ccm_prepare(r, span(in.p + len, tag))) != OK)
		return e;
	if (ccm_data(r->state, span(in.p, len), o) == 1)
		return OK;
	o->n = from + len;
	return refuse(o, from);
}

static enum err ccm_once(struct run *r, struct span in, struct sink *o)
{
	return r->use == USE_ENCRYPT ? ccm_encrypt(r, in, o) : ccm_decrypt(r, in, o);
}

const struct mech_ops ccm_ops = {
	.begin = ccm_begin,
	.bound = aead_bound,
	.once = ccm_once,
	.drop = aes_drop,
};
