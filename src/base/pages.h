/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pages of the secret arena (internal to mem.c and arena.c): one range of addresses, reserved at first
 * use, of which units are taken one after the other and never given back; and single mappings for what
 * is too large. Both are left out of core dumps, zero in a forked child, and locked up to the budget.
 *
 * All bookkeeping lies at the start of the range, so it too is zero in a forked child, locks that other
 * threads held at the fork included: the child finds a range in which nothing was ever taken. It takes
 * units behind those that the parent had taken, so that a pointer from before the fork is never mistaken for one of its own.
 */
#ifndef CHANCERY_BASE_PAGES_H
#define CHANCERY_BASE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGES_UNIT ((size_t)16 << 10)
#define PAGES_SHARED 8192 /* bytes of bookkeeping for the arena */

/*
 * Which life of the range this is: never 0, another one in a forked child. Prepares the range at the
 * first call in a process. 0: there is no memory.
 */
uint64_t pages_begin(void);

/* As pages_begin, but 0 when there is no range or it is untouched since a fork. */
uint64_t pages_generation(void);

/* PAGES_SHARED bytes, zero at first, aligned to a cache line. After pages_begin only. */
void *pages_shared(void);

/* The word of mem_fork_slot. After pages_begin only. */
void **pages_fork_slot(void);

/* Whether p lies in the range. */
bool pages_own(const void *p);

/* The tag that the unit of p was taken with; 0 when it was taken before a fork. pages_own(p) only. */
uint8_t pages_tag(const void *p);

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
	bool dump_excluded;
	bool wipe_on_fork;
};
void pages_stats(struct pages_stats *s);

#endif
