/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include "base/le.h"
#include "base/mem.h"

#define BUF_FIRST 64

void buf_free(struct buf *b)
{
	mem_free(b->p);
	b->p = NULL;
	b->n = 0;
	b->cap = 0;
}

void buf_clear(struct buf *b)
{
	if (b->n != 0)
		mem_wipe(b->p, b->n);
	b->n = 0;
}

/* The next capacity that holds need bytes: doubles, so that appending is linear overall. */
static size_t grown(size_t cap, size_t need, size_t max)
{
	size_t c = cap < BUF_FIRST ? BUF_FIRST : cap;

	while (c < need)
		c = c > max / 2 ? max : c * 2;
	return c < max ? c : max;
}

enum err buf_reserve(struct buf *b, size_t n)
{
	size_t max = b->max != 0 ? b->max : BUF_MAX_DEFAULT;
	size_t cap;
	uint8_t *p;

	if (b->n > max || n > max - b->n)
		return E_DATA_LEN;
	if (b->n + n <= b->cap)
		return OK;
	cap = grown(b->cap, b->n + n, max);
	p = b->secret ? mem_alloc_secret(cap) : mem_alloc(cap);
	if (p == NULL)
		return E_MEMORY;
	if (b->n != 0)
		memcpy(p, b->p, b->n);
	mem_free(b->p);
	b->p = p;
	b->cap = cap;
	return OK;
}

enum err buf_put(struct buf *b, struct span s)
{
	enum err e = buf_reserve(b, s.n);

	if (e != OK || s.n == 0)
		return e;
	memcpy(b->p + b->n, s.p, s.n);
	b->n += s.n;
	return OK;
}

enum err buf_put_u8(struct buf *b, uint8_t v)
{
	return buf_put(b, span(&v, 1));
}

enum err buf_put_u32(struct buf *b, uint32_t v)
{
	uint8_t le[4];

	le_put32(le, v);
	return buf_put(b, span(le, sizeof(le)));
}

enum err buf_put_u64(struct buf *b, uint64_t v)
{
	uint8_t le[8];

	le_put64(le, v);
	return buf_put(b, span(le, sizeof(le)));
}

bool take_bytes(struct span *s, size_t n, struct span *v)
{
	if (n > s->n)
		return false;
	*v = span(s->p, n);
	if (n != 0) {
		s->p += n;
		s->n -= n;
	}
	return true;
}

bool take_u8(struct span *s, uint8_t *v)
{
	struct span b;

	if (!take_bytes(s, 1, &b))
		return false;
	*v = b.p[0];
	return true;
}

bool take_u32(struct span *s, uint32_t *v)
{
	struct span b;

	if (!take_bytes(s, 4, &b))
		return false;
	*v = le_get32(b.p);
	return true;
}

bool take_u64(struct span *s, uint64_t *v)
{
	struct span b;

	if (!take_bytes(s, 8, &b))
		return false;
	*v = le_get64(b.p);
	return true;
}
