/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AES key wrapping: RFC 3394 (KW), RFC 5649 (KWP), and PKCS#7 padding before RFC 3394. The number
 * 0x210A, CKM_AES_KEY_WRAP_PAD, is the last of these, as the standard's header says and other
 * modules do; some read it as KWP.
 */
#include "base/buf.h"
#include "base/mem.h"
#include "crypto/aesctx.h"
#include "crypto/bound.h"
#include "crypto/families.h"
#include "crypto/param_rules.h"

/* Half a block, the unit of all of them. */
#define SEMIBLOCK 8

/* RFC 3394, 2.2.3.1 and RFC 5649, 3. Given always: a reused context would keep the IV before. */
static const uint8_t kw_iv[SEMIBLOCK] = { 0xa6, 0xa6, 0xa6, 0xa6, 0xa6, 0xa6, 0xa6, 0xa6 };
static const uint8_t kwp_iv[4] = { 0xa6, 0x59, 0x59, 0xa6 };

/* Padded by at least that many bytes to whole semiblocks, and one in front. */
static size_t wrapped_bound(size_t n, size_t padding)
{
	return bound_add(bound_up(bound_add(n, padding), SEMIBLOCK), SEMIBLOCK);
}

static struct span iv_or(const struct run *r, struct span standard)
{
	struct span given = pbytes_span(&r->param.iv);

	return given.n != 0 ? given : standard;
}

static enum err kw_begin(struct run *r)
{
	return aes_open(r, AES_MODE_KW, iv_or(r, span(kw_iv, sizeof(kw_iv))));
}

static enum err kwp_begin(struct run *r)
{
	return aes_open(r, AES_MODE_KWP, iv_or(r, span(kwp_iv, sizeof(kwp_iv))));
}

static size_t unwrapped_bound(size_t n)
{
	return n < SEMIBLOCK ? 0 : n - SEMIBLOCK;
}

static size_t kw_bound(const struct run *r, size_t n, bool last)
{
	(void)last;
	return r->use == USE_ENCRYPT ? bound_add(n, SEMIBLOCK) : unwrapped_bound(n);
}

/* libcrypto's wrapping of one input that has a valid length; o has room. */
static enum err wrap_feed(struct run *r, struct span in, struct sink *o)
{
	enum err e = in.n <= AES_PIECE ? aes_feed(r->state, in, o) : aes_bad_length(r);

	return e == E_FAILED && r->use == USE_DECRYPT ? E_CIPHERTEXT : e;
}

/* RFC 3394: at least two semiblocks go in, three come out. */
static enum err kw_once(struct run *r, struct span in, struct sink *o)
{
	size_t min = r->use == USE_ENCRYPT ? 2 * SEMIBLOCK : 3 * SEMIBLOCK;

	if (in.n < min || in.n % SEMIBLOCK != 0)
		return aes_bad_length(r);
	if (sink_room(o) < kw_bound(r, in.n, true))
		return E_TOO_SMALL;
	return wrap_feed(r, in, o);
}

/*
 * Not in o: when the wrapping is wrong, libcrypto wipes as many bytes as went in (CRYPTO_128_unwrap_pad), which are eight more than
 * ever come out.
 */
static enum err unwrap_apart(struct run *r, struct span in, struct sink *o)
{
	struct buf apart = { .secret = true, .max = AES_PIECE };
	struct sink place;
	enum err e = in.n <= AES_PIECE ? buf_reserve(&apart, in.n) : aes_bad_length(r);

	if (e != OK)
		return e;
	place = sink(apart.p, apart.cap);
	e = wrap_feed(r, in, &place);
	if (e == OK && !sink_put(o, span(place.p, place.n)))
		e = E_TOO_SMALL;
	buf_free(&apart);
	return e;
}

static const struct mech_ops kw_ops = {
	.begin = kw_begin,
	.bound = kw_bound,
	.once = kw_once,
	.drop = aes_drop,
};

static size_t kwp_bound(const struct run *r, size_t n, bool last)
{
	(void)last;
	return r->use == USE_ENCRYPT ? wrapped_bound(n, 0) : unwrapped_bound(n);
}

/* RFC 5649: at least one byte goes in, two semiblocks come out. */
static enum err kwp_once(struct run *r, struct span in, struct sink *o)
{
	if (r->use == USE_ENCRYPT ? in.n == 0 : in.n < 2 * SEMIBLOCK || in.n % SEMIBLOCK != 0)
		return aes_bad_length(r);
	if (sink_room(o) < kwp_bound(r, in.n, true))
		return E_TOO_SMALL;
	return r->use == USE_ENCRYPT ? wrap_feed(r, in, o) : unwrap_apart(r, in, o);
}

static const struct mech_ops kwp_ops = {
	.begin = kwp_begin,
	.bound = kwp_bound,
	.once = kwp_once,
	.drop = aes_drop,
};

/* One to eight bytes of padding; the bound when unwrapping is what is left if it is one. */
static size_t pkcs7_bound(const struct run *r, size_t n, bool last)
{
	(void)last;
	if (r->use == USE_ENCRYPT)
		return wrapped_bound(n, 1);
	return n <= SEMIBLOCK ? 0 : n - SEMIBLOCK - 1;
}

static enum err pkcs7_wrap(struct run *r, struct span in, struct sink *o)
{
	uint8_t pad = (uint8_t)(SEMIBLOCK - in.n % SEMIBLOCK);
	struct buf padded = { .secret = true, .max = AES_PIECE };
	enum err e;

	if (sink_room(o) < pkcs7_bound(r, in.n, true))
		return E_TOO_SMALL;
	if ((e = buf_reserve(&padded, in.n + pad)) != OK)
		return e;
	e = buf_put(&padded, in);
	for (unsigned i = 0; e == OK && i < pad; i++)
		e = buf_put_u8(&padded, pad);
	if (e == OK)
		e = kw_once(r, buf_span(&padded), o);
	buf_free(&padded);
	return e;
}

/*
 * Bytes without the padding; false when it is none. Behind an integrity check, so time tells
 * nothing.
 */
static bool unpadded(struct span in, size_t *n)
{
	uint8_t pad = in.p[in.n - 1];

	if (pad == 0 || pad > SEMIBLOCK)
		return false;
	for (size_t i = in.n - pad; i < in.n; i++)
		if (in.p[i] != pad)
			return false;
	*n = in.n - pad;
	return true;
}

static enum err pkcs7_unwrap(struct run *r, struct span in, struct sink *o)
{
	struct buf padded = { .secret = true, .max = AES_PIECE };
	struct sink place;
	size_t n = 0;
	enum err e;

	if ((e = buf_reserve(&padded, unwrapped_bound(in.n))) != OK)
		return e;
	place = sink(padded.p, padded.cap);
	e = kw_once(r, in, &place);
	if (e == OK && !unpadded(span(place.p, place.n), &n))
		e = E_CIPHERTEXT;
	if (e == OK && !sink_put(o, span(place.p, n)))
		e = E_TOO_SMALL;
	buf_free(&padded);
	return e;
}

static enum err pkcs7_once(struct run *r, struct span in, struct sink *o)
{
	return r->use == USE_ENCRYPT ? pkcs7_wrap(r, in, o) : pkcs7_unwrap(r, in, o);
}

static const struct mech_ops pkcs7_ops = {
	.begin = kw_begin,
	.bound = pkcs7_bound,
	.once = pkcs7_once,
	.drop = aes_drop,
};

#define WRAP(mech, how, rule, name, unit, more)                                            \
	{                                                                                  \
		.type = (mech), .key_type = CKK_AES, .key_type2 = CKK_AES,                 \
		.flags = CKF_ENCRYPT | CKF_DECRYPT | CKF_WRAP | CKF_UNWRAP, .min_key = 16, \
		.max_key = 32, .traits = MECH_SINGLE | MECH_UNWRAP_BLIND | (more),         \
		.hash = CK_UNAVAILABLE_INFORMATION, .param = (rule), .ops = &(how),        \
		.needs = (name), .kat = (name), .wrap_unit = (unit)                        \
	}

const struct mech aeswrap_mechs[] = {
	WRAP(CKM_AES_KEY_WRAP, kw_ops, param_kw_iv, "AES-256-WRAP", SEMIBLOCK, MECH_APPROVED),
	WRAP(CKM_AES_KEY_WRAP_KWP, kwp_ops, param_kwp_iv, "AES-256-WRAP-PAD", 0,
	     MECH_APPROVED | MECH_WRAP_EXACT),
	WRAP(CKM_AES_KEY_WRAP_PAD, pkcs7_ops, param_kw_iv, "AES-256-WRAP", 0, MECH_WRAP_EXACT),
	WRAP(CKM_AES_KEY_WRAP_PKCS7, pkcs7_ops, param_kw_iv, "AES-256-WRAP", 0, MECH_WRAP_EXACT),
};
const size_t aeswrap_mechs_n = sizeof(aeswrap_mechs) / sizeof(aeswrap_mechs[0]);
