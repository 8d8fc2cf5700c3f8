/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The secret arena (internal to mem.c): blocks in size classes, four to each doubling, from the
 * pages of pages.h. Each thread keeps a few free blocks of each class it uses, so that threads do
 * not wait for each other. Free blocks are zero but for the link in their first word.
 */
#ifndef CHANCERY_BASE_ARENA_H
#define CHANCERY_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARENA_MAX ((size_t)256 << 10) /* the largest block */

struct arena_cache;

/*
 * All that Chancery keeps for a thread: small, for the space that a library loaded late may have is
 * small.
 */
struct mem_thread {
	struct arena_cache *cache; /* valid in the generation (pages.h) beside it only */
	uint64_t generation;
	unsigned secret_depth; /* mem_secret_enter */
};

extern __thread struct mem_thread mem_thread __attribute__((tls_model("initial-exec")));

/*
 * A zero block of at least n bytes, n at most ARENA_MAX. NULL: no room, or strict locking forbids
 * it.
 */
void *arena_alloc(size_t n);

/* Bytes at p that its owner may use; 0 for a block from before a fork. pages_own(p) only. */
size_t arena_room(const void *p);

/* Wipes and frees; a block from before a fork is left alone. Keeps errno. */
void arena_free(void *p);

/* Bytes handed out. */
size_t arena_used(void);

#endif
