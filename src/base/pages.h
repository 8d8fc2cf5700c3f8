/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pages of the secret arena (internal to mem.c and arena.c): one range of addresses, reserved
 * at first use, of which units are taken one after the other and never given back; and single
 * mappings for what is too large. Both are left out of core dumps, zero in a forked child, and
 * locked up to the budget.
 *
 * All bookkeeping lies at the start of the range, so it too is zero in a forked child, locks that
 * other threads held at the fork included: the child finds a range in which nothing was ever taken.
 * It takes units behind those that the parent had taken, so that a pointer from before the fork is
 * never mistaken for one of its own.
 */
#ifndef CHANCERY_BASE_PAGES_H
#define CHANCERY_BASE_PAGES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGES_SIZE   ((size_t)4096)
#define PAGES_LINE   64
#define PAGES_UNIT   ((size_t)16 << 10)
#define PAGES_SHARED 8192 /* bytes of bookkeeping for the arena */

/*
 * Which life of the range this is: never 0, another one in a forked child. Prepares the range at
 * the first call in a process. 0: there is no memory.
 */
uint64_t pages_begin(void);

/* The start of the range. Other files use it through the functions below only. */
struct pages_head {
	/* Read at every allocation, written once: a cache line of its own. */
	_Alignas(PAGES_LINE) _Atomic uint64_t generation;
	_Alignas(PAGES_LINE) pthread_mutex_t mu; /* guards next; all zero is an initialised mutex */
	size_t next;                             /* first unit that was never taken */
	_Atomic size_t locked;
	_Atomic size_t unlocked;
	void *fork_slot;
	_Alignas(PAGES_LINE) uint8_t shared[PAGES_SHARED];
	uint8_t tags[]; /* one for each unit of the range */
};

/*
 * Address of the range, and in the low bits, which an address of a page has free, the logarithm of
 * its size: one word, so that it is published at once and to everybody. 0: there is none yet.
 */
extern _Atomic uintptr_t pages_range;

static inline uintptr_t pages_base(void)
{
	return atomic_load_explicit(&pages_range, memory_order_acquire) & ~(PAGES_SIZE - 1);
}

static inline struct pages_head *pages_head(void)
{
	return (struct pages_head *)pages_base();
}

/* As pages_begin, but 0 when there is no range or it is untouched since a fork. */
static inline uint64_t pages_generation(void)
{
	const struct pages_head *h = pages_head();

	return h == NULL ? 0 : atomic_load_explicit(&h->generation, memory_order_acquire);
}

/* Whether p lies in the range. */
static inline bool pages_own(const void *p)
{
	uintptr_t r = atomic_load_explicit(&pages_range, memory_order_acquire);
	unsigned bits = r & (PAGES_SIZE - 1);

	return ((uintptr_t)p - (r & ~(PAGES_SIZE - 1))) >> bits == 0 && r != 0;
}

/*
 * The tag that the unit of p was taken with; 0 when it was taken before a fork. pages_own(p) only.
 */
static inline uint8_t pages_tag(const void *p)
{
	return pages_head()->tags[((uintptr_t)p - pages_base()) / PAGES_UNIT];
}

/* PAGES_SHARED bytes, zero at first, aligned to a cache line. After pages_begin only. */
static inline void *pages_shared(void)
{
	return pages_head()->shared;
}

/* The word of mem_fork_slot. After pages_begin only. */
static inline void **pages_fork_slot(void)
{
	return &pages_head()->fork_slot;
}

/* Takes n units in a row, zero. NULL: the range is used up, or strict locking forbids it. */
void *pages_take(size_t n, uint8_t tag);

/* A mapping of its own, zero; NULL as above. Freed by pages_unmap with the same size and answer. */
void *pages_map(size_t n, bool *locked);
void pages_unmap(void *p, size_t n, bool locked);

/* Bytes that may be locked; only_locked: what cannot be locked is refused. */
void pages_limit(size_t bytes, bool only_locked);

struct pages_stats {
	size_t locked;
	size_t unlocked;
	size_t lockable;
	bool dump_excluded;
	bool wipe_on_fork;
};
void pages_stats(struct pages_stats *s);

#endif
