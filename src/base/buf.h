/* SPDX-License-Identifier: Apache-2.0 */
/* A growing buffer with a bound. Wipes what it leaves when it grows and when it is freed. */
#ifndef CHANCERY_BASE_BUF_H
#define CHANCERY_BASE_BUF_H

#include "base/err.h"
#include "base/span.h"

struct buf {
	uint8_t *p;
	size_t n;
	size_t cap;
	size_t max;  /* never longer than this; 0: BUF_MAX_DEFAULT */
	bool secret; /* memory of the secret arena */
};

#define BUF_MAX_DEFAULT ((size_t)16 << 20)

/* An empty buffer needs no call: `struct buf b = { 0 };` or `{ .secret = true }`. */
void buf_free(struct buf *b); /* wipes, and leaves it empty and usable */
/* Length to 0, contents wiped, memory kept for reuse. */
void buf_clear(struct buf *b);
/* Room for n more bytes. E_MEMORY, or E_DATA_LEN beyond max; the buffer is then unchanged. */
enum err buf_reserve(struct buf *b, size_t n);
enum err buf_put(struct buf *b, struct span s);
enum err buf_put_u8(struct buf *b, uint8_t v);
enum err buf_put_u32(struct buf *b, uint32_t v); /* little-endian */
enum err buf_put_u64(struct buf *b, uint64_t v); /* little-endian */

static inline struct span buf_span(const struct buf *b)
{
	return span(b->p, b->n);
}

/* Reads from the front of *s, advancing it; false (and *s unchanged) when too short. */
bool take_u8(struct span *s, uint8_t *v);
bool take_u32(struct span *s, uint32_t *v);
bool take_u64(struct span *s, uint64_t *v);
bool take_bytes(struct span *s, size_t n, struct span *v);

#endif
