/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C_GetOperationState and C_SetOperationState (3.2, 5.6.6 and 5.6.7), for digests. What is saved
 * leaves the module in the clear, so nothing that a key has touched is: such a state is
 * unsaveable.
 *
 * Form, little-endian: magic, u64 mechanism, u64 bytes so far, u32 phase, u32 length, the
 * digest's own state, SHA-256 of all before.
 */
#include "core/op_private.h"

#include "crypto/sealing.h"

#define MAGIC     "CHYOPST1"
#define MAGIC_LEN 8
/* More than any state that is saved: SHA-512's, the longest, has less than 300 bytes. */
#define STATE_MAX 512

/* Whether any operation other than a digest is under way: a state is saved whole or not at all. */
static bool others_active(const struct session *s)
{
	for (size_t i = 0; i < OP_COUNT; i++) {
		if (i != OP_DIGEST && s->ops[i] != NULL && s->ops[i]->phase != OP_IDLE)
			return true;
	}
	return false;
}

static enum err saveable(const struct session *s, struct op **op)
{
	bool others = others_active(s);

	*op = op_active(s, OP_DIGEST);
	if (*op == NULL)
		return others ? E_STATE_UNSAVEABLE : E_NO_OPERATION;
	if (others || (*op)->keyed || (*op)->phase == OP_DONE || (*op)->run.mech->ops->save == NULL)
		return E_STATE_UNSAVEABLE;
	return OK;
}

static enum err put_checksum(struct buf *b)
{
	uint8_t sum[SEALING_MAC];
	struct span all = buf_span(b);
	enum err e = sealing_digest(&all, 1, sum);

	return e == OK ? buf_put(b, span(sum, sizeof(sum))) : e;
}

static enum err encode(const struct op *op, struct buf *b)
{
	struct buf inner = { .secret = true };
	enum err e = op->run.mech->ops->save(&op->run, &inner);

	if (e == OK)
		e = buf_put(b, span(MAGIC, MAGIC_LEN));
	if (e == OK)
		e = buf_put_u64(b, op->run.mech->type);
	if (e == OK)
		e = buf_put_u64(b, op->bytes);
	if (e == OK)
		e = buf_put_u32(b, op->phase);
	if (e == OK)
		e = buf_put_u32(b, (uint32_t)inner.n);
	if (e == OK)
		e = buf_put(b, buf_span(&inner));
	if (e == OK)
		e = put_checksum(b);
	buf_free(&inner);
	return e;
}

enum err op_save(struct session *s, struct out o)
{
	struct buf b = { .secret = true };
	struct op *op = NULL;
	bool query = o.p == NULL;
	enum err e = o.n == NULL ? E_ARGUMENTS : saveable(s, &op);

	if (e == OK)
		e = encode(op, &b);
	if (e == OK && !query && *o.n < b.n)
		e = E_TOO_SMALL;
	if (e == OK && !query)
		memcpy(o.p, b.p, b.n);
	if (e == OK || e == E_TOO_SMALL)
		*o.n = b.n;
	buf_free(&b);
	return e;
}

struct saved {
	uint64_t mech;
	uint64_t bytes;
	uint32_t phase;
	struct span inner;
};

static bool checksum_right(struct span all)
{
	uint8_t sum[SEALING_MAC];
	struct span body;

	if (all.n < sizeof(sum))
		return false;
	body = span(all.p, all.n - sizeof(sum));
	return sealing_digest(&body, 1, sum) == OK &&
	       span_eq(span(sum, sizeof(sum)), span(all.p + body.n, sizeof(sum)));
}

static bool decode(struct span in, struct saved *v)
{
	struct span magic;
	uint32_t len;

	if (!checksum_right(in))
		return false;
	in.n -= SEALING_MAC;
	return take_bytes(&in, MAGIC_LEN, &magic) && span_eq(magic, span(MAGIC, MAGIC_LEN)) &&
	       take_u64(&in, &v->mech) && take_u64(&in, &v->bytes) && take_u32(&in, &v->phase) &&
	       (v->phase == OP_READY || v->phase == OP_PARTS) && take_u32(&in, &len) &&
	       len == in.n && take_bytes(&in, len, &v->inner);
}

static enum err load(struct session *s, const struct mech *m, const struct saved *v)
{
	struct op *op = NULL;
	enum err e = op_place(s, OP_DIGEST, &op);

	if (e != OK)
		return e;
	(void)op_cancel(s,
			~CKF_FIND_OBJECTS); /* what is restored takes the place of what is active */
	e = op_start(op, OP_DIGEST, m, NULL);
	if (e == OK)
		e = m->ops->load(&op->run, v->inner);
	if (e != OK) {
		(void)op_end(s, op, e);
		return e;
	}
	op->phase = v->phase;
	op->bytes = v->bytes;
	return OK;
}

enum err op_restore(struct session *s, struct span state, CK_OBJECT_HANDLE enc_key,
		    CK_OBJECT_HANDLE auth_key)
{
	const struct mech *m;
	struct saved v;

	if (state.p == NULL)
		return E_ARGUMENTS;
	/* a length that no state has is not read for it: there may not be as much */
	if (state.n > STATE_MAX || !decode(state, &v))
		return E_STATE_INVALID;
	m = mech_find(v.mech);
	if (m == NULL || m->ops == NULL || (m->flags & CKF_DIGEST) == 0 || m->param != NULL ||
	    m->ops->load == NULL)
		return E_STATE_INVALID;
	if (enc_key != CK_INVALID_HANDLE || auth_key != CK_INVALID_HANDLE)
		return E_KEY_NOT_NEEDED;
	return load(s, m, &v);
}
