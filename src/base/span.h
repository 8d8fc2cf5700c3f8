/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes travel with their length. */
#ifndef CHANCERY_BASE_SPAN_H
#define CHANCERY_BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* No object in memory is longer: a caller's length beyond it is a lie, and nothing is read. */
#define SPAN_MAX ((size_t)PTRDIFF_MAX)

/* Borrowed, read-only bytes. p may be NULL when n is 0. */
struct span {
	const uint8_t *p;
	size_t n;
};

/*
 * A bounded place for output: at most cap bytes at p, of which n are filled.
 * Whoever fills it checks the room with sink_put or sink_room.
 */
struct sink {
	uint8_t *p;
	size_t cap;
	size_t n;
};

/*
 * The caller's output buffer of a C_ function: p NULL asks for the length
 * (PKCS#11 3.2, 5.2), *n is the room on the way in and the length on the way out.
 */
struct out {
	uint8_t *p;
	unsigned long *n;
};

static inline struct span span(const void *p, size_t n)
{
	return (struct span){ (const uint8_t *)p, n };
}

static inline struct span span_str(const char *s)
{
	return span(s, strlen(s));
}

static inline struct sink sink(void *p, size_t cap)
{
	return (struct sink){ (uint8_t *)p, cap, 0 };
}

static inline struct out out(uint8_t *p, unsigned long *n)
{
	return (struct out){ p, n };
}

/* Not constant time: for public bytes only; secrets are compared by mem_equal. */
static inline bool span_eq(struct span a, struct span b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* Whether they have memory in common. */
static inline bool span_overlap(struct span a, struct span b)
{
	uintptr_t x = (uintptr_t)a.p, y = (uintptr_t)b.p;

	return a.n != 0 && b.n != 0 && x < y + b.n && y < x + a.n;
}

static inline size_t sink_room(const struct sink *s)
{
	return s->cap - s->n;
}

/* Appends b; false, and nothing written, when there is no room. */
static inline bool sink_put(struct sink *s, struct span b)
{
	if (b.n > sink_room(s))
		return false;
	if (b.n != 0)
		memcpy(s->p + s->n, b.p, b.n);
	s->n += b.n;
	return true;
}

#endif
