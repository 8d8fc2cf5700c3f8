/* SPDX-License-Identifier: Apache-2.0 */
/* AES in its modes without authentication, and the rows of all AES ciphers. */
#include "base/mem.h"
#include "crypto/aesctx.h"
#include "crypto/bound.h"
#include "crypto/families.h"
#include "crypto/param_rules.h"

/* IEEE 1619, 5.1: a data unit has at most 2^20 blocks. */
#define XTS_MAX ((size_t)AES_BLOCK << 20)

static bool pads(const struct run *r)
{
	return r->mech->type == CKM_AES_CBC_PAD;
}

/*
 * Bytes of output after `in` bytes of input have been given: whole blocks, and for unpadding all
 * but the last.
 */
static size_t released(const struct run *r, size_t in)
{
	if (pads(r) && r->use == USE_DECRYPT)
		return in == 0 ? 0 : (in - 1) / AES_BLOCK * AES_BLOCK;
	return in / AES_BLOCK * AES_BLOCK;
}

static enum err block_open(struct run *r, enum aes_mode mode, struct span iv)
{
	enum err e = aes_open(r, mode, iv);
	struct aes_state *s = r->state;

	if (e != OK)
		return e;
	return EVP_CIPHER_CTX_set_padding(s->ctx, pads(r)) == 1 ? OK : E_FAILED;
}

static enum err ecb_begin(struct run *r)
{
	return block_open(r, AES_MODE_ECB, span(NULL, 0));
}

static enum err cbc_begin(struct run *r)
{
	return block_open(r, AES_MODE_CBC, pbytes_span(&r->param.iv));
}

/* Exact, except that unpadding may yield up to a block less than the bound says. */
static size_t block_bound(const struct run *r, size_t n, bool last)
{
	const struct aes_state *s = r->state;
	size_t in = bound_add(s->in, n);

	if (!last)
		return released(r, in) - s->out;
	if (!pads(r))
		return in - s->out;
	if (r->use == USE_ENCRYPT)
		return bound_up(bound_add(in, 1), AES_BLOCK) - s->out;
	return in == 0 ? 0 : in - 1 - s->out;
}

static enum err block_update(struct run *r, struct span in, struct sink *o)
{
	if (sink_room(o) < block_bound(r, in.n, false))
		return E_TOO_SMALL;
	return aes_feed(r->state, in, o);
}

/*
 * The last block, unpadded in a place of its own: the caller's has room for what is left of it
 * only.
 */
static enum err unpad(struct aes_state *s, struct sink *o)
{
	uint8_t last[AES_BLOCK];
	int n = 0;
	enum err e = E_CIPHERTEXT;

	if (EVP_CipherFinal_ex(s->ctx, last, &n) == 1)
		e = sink_put(o, span(last, (size_t)n)) ? OK : E_TOO_SMALL;
	mem_wipe(last, sizeof(last));
	return e;
}

static enum err block_final(struct run *r, struct sink *o)
{
	struct aes_state *s = r->state;
	int n = 0;

	if (pads(r) && r->use == USE_ENCRYPT) {
		if (sink_room(o) < AES_BLOCK)
			return E_TOO_SMALL;
		if (EVP_CipherFinal_ex(s->ctx, o->p + o->n, &n) != 1)
			return E_FAILED;
		o->n += (size_t)n;
		return OK;
	}
	if (s->in % AES_BLOCK != 0 || (pads(r) && s->in == 0))
		return aes_bad_length(r);
	return pads(r) ? unpad(s, o) : OK;
}

/* A length that cannot be right is refused before anything is made. */
static enum err block_once(struct run *r, struct span in, struct sink *o)
{
	enum err e;

	if ((!pads(r) || r->use == USE_DECRYPT) && in.n % AES_BLOCK != 0)
		return aes_bad_length(r);
	e = block_update(r, in, o);
	return e == OK ? block_final(r, o) : e;
}

static const struct mech_ops ecb_ops = {
	.begin = ecb_begin,
	.bound = block_bound,
	.update = block_update,
	.final = block_final,
	.once = block_once,
	.drop = aes_drop,
};

static const struct mech_ops cbc_ops = {
	.begin = cbc_begin,
	.bound = block_bound,
	.update = block_update,
	.final = block_final,
	.once = block_once,
	.drop = aes_drop,
};

static enum err ctr_begin(struct run *r)
{
	return aes_open(r, AES_MODE_CTR, pbytes_span(&r->param.iv));
}

static uint64_t be64(const uint8_t p[8])
{
	uint64_t v = 0;

	for (size_t i = 0; i < 8; i++)
		v = v << 8 | p[i];
	return v;
}

static uint64_t low_bits(CK_ULONG bits)
{
	return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

/*
 * How often the counter part of the block can be counted up before it overflows; more than 2^64 - 1
 * is that.
 */
static uint64_t ctr_steps(const struct param *par)
{
	const uint8_t *block = pbytes_span(&par->iv).p;
	uint64_t high = be64(block), low = be64(block + 8);
	uint64_t high_mask = par->counter_bits > 64 ? low_bits(par->counter_bits - 64) : 0;
	uint64_t low_mask = low_bits(par->counter_bits);

	if ((high & high_mask) != high_mask)
		return UINT64_MAX;
	return low_mask - (low & low_mask);
}

static size_t stream_bound(const struct run *r, size_t n, bool last)
{
	(void)r;
	(void)last;
	return n;
}

/*
 * PKCS#11 3.2, AES-CTR: overflow of the counter part is CKR_DATA_LEN_RANGE. As it never overflows,
 * it makes no difference that libcrypto counts in all 128 bits.
 */
static enum err ctr_update(struct run *r, struct span in, struct sink *o)
{
	struct aes_state *s = r->state;

	if (in.n == 0)
		return OK;
	if ((bound_add(s->in, in.n) - 1) / AES_BLOCK > ctr_steps(&r->param))
		return aes_bad_length(r);
	return sink_room(o) < in.n ? E_TOO_SMALL : aes_feed(s, in, o);
}

static enum err stream_final(struct run *r, struct sink *o)
{
	(void)r;
	(void)o;
	return OK;
}

static const struct mech_ops ctr_ops = {
	.begin = ctr_begin,
	.bound = stream_bound,
	.update = ctr_update,
	.final = stream_final,
	.drop = aes_drop,
};

static enum err cts_begin(struct run *r)
{
	return aes_open(r, AES_MODE_CTS, pbytes_span(&r->param.iv));
}

static enum err xts_begin(struct run *r)
{
	return aes_open(r, AES_MODE_XTS, pbytes_span(&r->param.iv));
}

/* Both steal from the last whole block, so they want at least one, and all input at once. */
static enum err stealing_once(struct run *r, struct span in, struct sink *o, size_t max)
{
	if (in.n < AES_BLOCK || in.n > max)
		return aes_bad_length(r);
	return sink_room(o) < in.n ? E_TOO_SMALL : aes_feed(r->state, in, o);
}

static enum err cts_once(struct run *r, struct span in, struct sink *o)
{
	return stealing_once(r, in, o, AES_PIECE);
}

static enum err xts_once(struct run *r, struct span in, struct sink *o)
{
	return stealing_once(r, in, o, XTS_MAX);
}

static const struct mech_ops cts_ops = {
	.begin = cts_begin,
	.bound = stream_bound,
	.once = cts_once,
	.drop = aes_drop,
};

static const struct mech_ops xts_ops = {
	.begin = xts_begin,
	.bound = stream_bound,
	.once = xts_once,
	.drop = aes_drop,
};

#define BOTH_WAYS (CKF_ENCRYPT | CKF_DECRYPT | CKF_WRAP | CKF_UNWRAP)
#define AES(mech, name, ...)                                                                       \
	{                                                                                          \
		.type = (mech), .key_type = CKK_AES, .key_type2 = CKK_AES, .flags = BOTH_WAYS,     \
		.min_key = 16, .max_key = 32, .hash = CK_UNAVAILABLE_INFORMATION, .needs = (name), \
		.kat = (name), __VA_ARGS__                                                         \
	}

const struct mech aes_mechs[] = {
	AES(CKM_AES_ECB, "AES-256-ECB", .traits = MECH_APPROVED, .ops = &ecb_ops,
	    .wrap_unit = AES_BLOCK),
	AES(CKM_AES_CBC, "AES-256-CBC", .traits = MECH_APPROVED, .ops = &cbc_ops,
	    .param = param_iv16, .wrap_unit = AES_BLOCK),
	AES(CKM_AES_CBC_PAD, "AES-256-CBC", .traits = MECH_APPROVED | MECH_WRAP_EXACT,
	    .ops = &cbc_ops, .param = param_iv16),
	AES(CKM_AES_CTR, "AES-256-CTR",
	    .traits = MECH_APPROVED | MECH_WRAP_EXACT | MECH_WRAP_KEYSTREAM, .ops = &ctr_ops,
	    .param = param_ctr),
	AES(CKM_AES_CTS, "AES-256-CBC-CTS", .traits = MECH_APPROVED | MECH_BUFFER | MECH_WRAP_EXACT,
	    .ops = &cts_ops, .param = param_iv16),
	AES(CKM_AES_GCM, "AES-256-GCM",
	    .traits = MECH_APPROVED | MECH_BUFFER_DECRYPT | MECH_WRAP_EXACT | MECH_UNWRAP_BLIND |
		      MECH_WRAP_KEYSTREAM,
	    .ops = &gcm_ops, .param = param_gcm),
	AES(CKM_AES_CCM, "AES-256-CCM",
	    .traits = MECH_APPROVED | MECH_BUFFER | MECH_WRAP_EXACT | MECH_UNWRAP_BLIND |
		      MECH_WRAP_KEYSTREAM,
	    .ops = &ccm_ops, .param = param_ccm),
	{
		.type = CKM_AES_XTS,
		.key_type = CKK_AES_XTS,
		.key_type2 = CKK_AES_XTS,
		.flags = BOTH_WAYS,
		.min_key = 32,
		.max_key = 64,
		.traits = MECH_APPROVED | MECH_BUFFER | MECH_WRAP_EXACT,
		.hash = CK_UNAVAILABLE_INFORMATION,
		.param = param_iv16,
		.ops = &xts_ops,
		.needs = "AES-256-XTS",
		.kat = "AES-256-XTS",
	},
};
const size_t aes_mechs_n = sizeof(aes_mechs) / sizeof(aes_mechs[0]);
