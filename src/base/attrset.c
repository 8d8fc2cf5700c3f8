/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of a set lie one after the other in one block, so that an object of thirty attributes
 * costs three allocations and not thirty. A value that is replaced by one of another length leaves
 * a wiped hole, which goes when the block next grows.
 */
#include "base/attrset.h"

#include "base/le.h"
#include "base/mem.h"

#define SERIAL_HEAD 4  /* the count */
#define SERIAL_ATTR 12 /* type and length of each attribute */

struct attrset {
	struct attr *a; /* sorted by type; spans point into block */
	size_t n;
	size_t room;
	uint8_t *block;
	size_t used; /* bytes of block that are taken, holes included */
	size_t cap;
	bool secret;
};

struct attrset *attrset_new(bool secret)
{
	struct attrset *s = mem_alloc(sizeof(*s));

	if (s != NULL)
		s->secret = secret;
	return s;
}

void attrset_free(struct attrset *s)
{
	if (s == NULL)
		return;
	mem_free(s->block);
	mem_free(s->a);
	mem_free(s);
}

size_t attrset_count(const struct attrset *s)
{
	return s->n;
}

struct attr attrset_at(const struct attrset *s, size_t i)
{
	return s->a[i];
}

/* The place of the first attribute whose type is not below t. */
static size_t lower_bound(const struct attrset *s, CK_ATTRIBUTE_TYPE t)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->a[mid].type < t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct attr *attrset_get(const struct attrset *s, CK_ATTRIBUTE_TYPE t)
{
	size_t i = lower_bound(s, t);

	return i < s->n && s->a[i].type == t ? &s->a[i] : NULL;
}

bool attrset_has(const struct attrset *s, CK_ATTRIBUTE_TYPE t)
{
	return attrset_get(s, t) != NULL;
}

bool attrset_bool(const struct attrset *s, CK_ATTRIBUTE_TYPE t, bool dflt)
{
	const struct attr *a = attrset_get(s, t);

	return a != NULL && a->v.n == sizeof(CK_BBOOL) ? a->v.p[0] != CK_FALSE : dflt;
}

CK_ULONG attrset_ulong(const struct attrset *s, CK_ATTRIBUTE_TYPE t, CK_ULONG dflt)
{
	const struct attr *a = attrset_get(s, t);

	return a != NULL && a->v.n == sizeof(CK_ULONG) ? le_get64(a->v.p) : dflt;
}

struct span attrset_bytes(const struct attrset *s, CK_ATTRIBUTE_TYPE t)
{
	const struct attr *a = attrset_get(s, t);

	return a != NULL ? a->v : span(NULL, 0);
}

/* Room for n attributes in all. */
static enum err room_for(struct attrset *s, size_t n)
{
	size_t room = s->room == 0 ? 8 : s->room * 2;
	struct attr *a;

	if (n <= s->room)
		return OK;
	if (room < n)
		room = n;
	a = mem_alloc(room * sizeof(*a));
	if (a == NULL)
		return E_MEMORY;
	if (s->n != 0)
		memcpy(a, s->a, s->n * sizeof(*a));
	mem_free(s->a);
	s->a = a;
	s->room = room;
	return OK;
}

static size_t live_bytes(const struct attrset *s)
{
	size_t sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += s->a[i].v.n;
	return sum;
}

/* Copies v behind the taken bytes of a block that has the room. An empty v needs none, nor a block. */
static struct span append(uint8_t *block, size_t *used, struct span v)
{
	struct span at = span(NULL, 0);

	if (v.n == 0)
		return at;
	at = span(block + *used, v.n);
	memcpy(block + *used, v.p, v.n);
	*used += v.n;
	return at;
}

/* Moves every value, without the holes, and then v into a new block of cap bytes. */
static enum err move_block(struct attrset *s, size_t cap, struct span v, struct span *at)
{
	uint8_t *block = s->secret ? mem_alloc_secret(cap) : mem_alloc(cap);
	size_t used = 0;

	if (block == NULL)
		return E_MEMORY;
	*at = append(block, &used, v); /* first: v may lie in the old block */
	for (size_t i = 0; i < s->n; i++)
		s->a[i].v = append(block, &used, s->a[i].v);
	mem_free(s->block);
	s->block = block;
	s->used = used;
	s->cap = cap;
	return OK;
}

/* Puts a copy of v into the block. */
static enum err store(struct attrset *s, struct span v, struct span *at)
{
	size_t need;

	if (v.n > UINT32_MAX)
		return E_DATA_LEN;
	if (v.n <= s->cap - s->used) {
		*at = append(s->block, &s->used, v);
		return OK;
	}
	need = live_bytes(s) + v.n;
	return move_block(s, need < 64 ? 64 : need + need / 2, v, at);
}

static void wipe_value(const struct attrset *s, struct span v)
{
	if (v.n != 0)
		mem_wipe(s->block + (v.p - s->block), v.n);
}

static enum err replace(struct attrset *s, size_t i, struct span v)
{
	struct span at;
	enum err e;

	if (v.n == s->a[i].v.n) {
		if (v.n != 0)
			memmove(s->block + (s->a[i].v.p - s->block), v.p, v.n);
		return OK;
	}
	e = store(s, v, &at);
	if (e != OK)
		return e;
	wipe_value(s, s->a[i].v);
	s->a[i].v = at;
	return OK;
}

enum err attrset_put(struct attrset *s, CK_ATTRIBUTE_TYPE t, struct span v)
{
	size_t i = lower_bound(s, t);
	struct span at;
	enum err e;

	if (i < s->n && s->a[i].type == t)
		return replace(s, i, v);
	e = room_for(s, s->n + 1);
	if (e == OK)
		e = store(s, v, &at);
	if (e != OK)
		return e;
	memmove(&s->a[i + 1], &s->a[i], (s->n - i) * sizeof(*s->a));
	s->a[i] = (struct attr){ t, at };
	s->n++;
	return OK;
}

enum err attrset_put_bool(struct attrset *s, CK_ATTRIBUTE_TYPE t, bool v)
{
	CK_BBOOL b = v ? CK_TRUE : CK_FALSE;

	return attrset_put(s, t, span(&b, sizeof(b)));
}

enum err attrset_put_ulong(struct attrset *s, CK_ATTRIBUTE_TYPE t, CK_ULONG v)
{
	uint8_t le[8];

	le_put64(le, v);
	return attrset_put(s, t, span(le, sizeof(le)));
}

enum err attrset_default(struct attrset *s, CK_ATTRIBUTE_TYPE t, struct span v)
{
	return attrset_has(s, t) ? OK : attrset_put(s, t, v);
}

void attrset_drop(struct attrset *s, CK_ATTRIBUTE_TYPE t)
{
	size_t i = lower_bound(s, t);

	if (i == s->n || s->a[i].type != t)
		return;
	wipe_value(s, s->a[i].v);
	s->n--;
	memmove(&s->a[i], &s->a[i + 1], (s->n - i) * sizeof(*s->a));
}

enum err attrset_merge(struct attrset *dst, const struct attrset *src)
{
	enum err e = OK;

	for (size_t i = 0; e == OK && i < src->n; i++)
		e = attrset_put(dst, src->a[i].type, src->a[i].v);
	return e;
}

/* An empty set with room for n attributes of bytes in all, so that filling it allocates no more. */
static struct attrset *new_sized(bool secret, size_t n, size_t bytes)
{
	struct attrset *s = attrset_new(secret);
	struct span none;

	if (s == NULL)
		return NULL;
	if (room_for(s, n) == OK && move_block(s, bytes, span(NULL, 0), &none) == OK)
		return s;
	attrset_free(s);
	return NULL;
}

struct attrset *attrset_copy(const struct attrset *s, bool secret)
{
	struct attrset *c = new_sized(secret, s->n, live_bytes(s));

	if (c == NULL)
		return NULL;
	for (; c->n < s->n; c->n++) {
		const struct attr *from = &s->a[c->n];

		c->a[c->n] = (struct attr){ from->type, append(c->block, &c->used, from->v) };
	}
	return c;
}

enum err attrset_encode(const struct attrset *s, struct buf *out)
{
	enum err e = buf_reserve(out, SERIAL_HEAD + s->n * SERIAL_ATTR + live_bytes(s));

	if (e == OK)
		e = buf_put_u32(out, (uint32_t)s->n);
	for (size_t i = 0; e == OK && i < s->n; i++) {
		e = buf_put_u64(out, s->a[i].type);
		if (e == OK)
			e = buf_put_u32(out, (uint32_t)s->a[i].v.n);
		if (e == OK)
			e = buf_put(out, s->a[i].v);
	}
	return e;
}

/* Takes the next attribute; false when it is cut short or not above the one before it. */
static bool take_attr(struct span *in, const struct attrset *s, struct attr *a)
{
	uint64_t type;
	uint32_t len;

	if (!take_u64(in, &type) || !take_u32(in, &len) || !take_bytes(in, len, &a->v))
		return false;
	a->type = type;
	return s->n == 0 || s->a[s->n - 1].type < type;
}

enum err attrset_decode(struct span in, bool secret, struct attrset **out)
{
	struct attrset *s = NULL;
	uint32_t count;

	if (!take_u32(&in, &count) || count > in.n / SERIAL_ATTR)
		return E_CORRUPT;
	s = new_sized(secret, count, in.n - (size_t)count * SERIAL_ATTR);
	if (s == NULL)
		return E_MEMORY;
	while (s->n < count) {
		struct attr a;

		if (!take_attr(&in, s, &a) || a.v.n > s->cap - s->used)
			break;
		s->a[s->n++] = (struct attr){ a.type, append(s->block, &s->used, a.v) };
	}
	if (s->n < count || in.n != 0) {
		attrset_free(s);
		return E_CORRUPT;
	}
	*out = s; /* moved */
	return OK;
}
