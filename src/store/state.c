/* SPDX-License-Identifier: Apache-2.0 */
#include "store/state.h"

#include "base/le.h"
#include "store/put.h"

#define LABEL 32
#define FRAME (16 + sizeof(struct ident) + LABEL + 4)

static const char domain[16] = "chancery state";

/* sum += part, modulo 2^256; both little-endian. */
static void add(uint8_t sum[STATE_ROOT], const uint8_t part[STATE_ROOT])
{
	unsigned carry = 0;

	for (size_t i = 0; i < STATE_ROOT; i++) {
		carry += (unsigned)sum[i] + part[i];
		sum[i] = (uint8_t)carry;
		carry >>= 8;
	}
}

/* part = -part, modulo 2^256. */
static void negate(uint8_t part[STATE_ROOT])
{
	static const uint8_t one[STATE_ROOT] = { 1 };

	for (size_t i = 0; i < STATE_ROOT; i++)
		part[i] = (uint8_t)~part[i];
	add(part, one);
}

enum err state_sum_add(uint8_t sum[STATE_ROOT], const struct seal *k, struct span frame,
		       struct span tag)
{
	const struct span parts[] = { frame, tag };
	uint8_t part[STATE_ROOT];
	enum err e = sealing_mac(k->root, parts, 2, part);

	if (e == OK)
		add(sum, part);
	return e;
}

enum err state_sum_sub(uint8_t sum[STATE_ROOT], const struct seal *k, struct span frame,
		       struct span tag)
{
	const struct span parts[] = { frame, tag };
	uint8_t part[STATE_ROOT];
	enum err e = sealing_mac(k->root, parts, 2, part);

	if (e == OK) {
		negate(part);
		add(sum, part);
	}
	return e;
}

enum err state_add(struct state *st, const struct seal *k, const struct row *row)
{
	uint8_t frame[RECORD_FRAME];
	enum err e;

	if (row->tag.n == 0)
		return OK;
	e = state_sum_add(st->root, k, record_frame(k, row, frame), row->tag);
	st->count += e == OK;
	return e;
}

enum err state_sub(struct state *st, const struct seal *k, const struct row *row)
{
	uint8_t frame[RECORD_FRAME];
	enum err e;

	if (row->tag.n == 0)
		return OK;
	e = state_sum_sub(st->root, k, record_frame(k, row, frame), row->tag);
	st->count -= e == OK;
	return e;
}

static struct span bind(const struct seal *k, const char *label, uint32_t flags,
			uint8_t frame[FRAME])
{
	struct sink s = sink(frame, FRAME);

	sink_put(&s, span(domain, sizeof(domain)));
	sink_put(&s, span(&k->ident, sizeof(k->ident)));
	sink_put(&s, span(label, LABEL));
	put_u32(&s, flags);
	return span(frame, s.n);
}

enum err state_seal(const struct state *st, const struct seal *k, const char *label, uint32_t flags,
		    uint8_t sealed[STATE_SEALED])
{
	uint8_t plain[STATE_PLAIN], frame[FRAME];
	struct sink s = sink(plain, sizeof(plain));
	struct buf out = { 0 };
	enum err e;

	sink_put(&s, span(st->root, sizeof(st->root)));
	put_u64(&s, st->count);
	put_u64(&s, st->changes);
	sink_put(&s, span(st->pin, sizeof(st->pin)));
	sink_put(&s, span(st->uses, sizeof(st->uses)));
	put_u64(&s, st->uses_count);
	e = sealing_seal(k->state, bind(k, label, flags, frame), span(plain, s.n), &out);
	if (e == OK)
		memcpy(sealed, out.p, STATE_SEALED);
	buf_free(&out);
	return e;
}

enum err state_open(struct state *st, const struct seal *k, const char *label, uint32_t flags,
		    struct span sealed)
{
	struct buf plain = { 0 };
	uint8_t frame[FRAME];
	enum err e = sealed.n == STATE_SEALED ? OK : E_CORRUPT;

	if (e == OK)
		e = sealing_open(k->state, bind(k, label, flags, frame), sealed, &plain);
	if (e == OK) {
		memcpy(st->root, plain.p, STATE_ROOT);
		st->count = le_get64(plain.p + STATE_ROOT);
		st->changes = le_get64(plain.p + STATE_ROOT + 8);
		memcpy(st->pin, plain.p + STATE_ROOT + 16, sizeof(st->pin));
		memcpy(st->uses, plain.p + STATE_ROOT + 16 + sizeof(st->pin), STATE_ROOT);
		st->uses_count = le_get64(plain.p + STATE_PLAIN - 8);
	}
	buf_free(&plain);
	return e;
}
