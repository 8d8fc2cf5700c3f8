/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory. Two arenas: the secret arena is locked (mlock) up to a budget, left out of core dumps
 * (MADV_DONTDUMP), zero in a forked child (MADV_WIPEONFORK) and wiped when freed; the normal arena
 * is malloc with wiping on free. A pointer of either is freed by mem_free, which knows it by
 * address.
 *
 * libcrypto allocates through the same functions: from the secret arena while the calling thread is
 * inside mem_secret_enter/leave, else from the normal one.
 *
 * Fork: after a fork the child's secret arena reads as zero, its bookkeeping included, and starts
 * anew at the next allocation. Pointers into it from before the fork must not be used or freed;
 * mem_free ignores them (it knows the arena's generation).
 */
#ifndef CHANCERY_BASE_MEM_H
#define CHANCERY_BASE_MEM_H

#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed memory, or NULL. Sizes of 0 give a unique pointer. */
void *mem_alloc(size_t n);
void *mem_alloc_secret(size_t n);
/*
 * As realloc, in the arena that p lives in; the old place is wiped. p NULL allocates normal memory.
 */
void *mem_realloc(void *p, size_t n);
void mem_free(void *p); /* wipes; NULL accepted; errno kept */
char *mem_strdup(const char *s);

void mem_wipe(void *p, size_t n);
/* Constant time in n. */
bool mem_equal(const void *a, const void *b, size_t n);

/* While the depth is above 0, this thread's libcrypto allocations are secret. Nests. */
void mem_secret_enter(void);
void mem_secret_leave(void);
/*
 * Outside the tag for a while, whatever its depth: for what outlives the operation, such as
 * libcrypto's own tables. resume takes what suspend gave.
 */
unsigned mem_secret_suspend(void);
void mem_secret_resume(unsigned depth);
/* The allocator functions with the signatures that CRYPTO_set_mem_functions wants. */
void *mem_crypto_malloc(size_t n, const char *file, int line);
void *mem_crypto_realloc(void *p, size_t n, const char *file, int line);
void mem_crypto_free(void *p, const char *file, int line);

/*
 * Bytes that may be locked (configuration `locked_kb`); strict: allocation beyond fails instead of
 * going unlocked.
 */
void mem_locked_limit(size_t bytes, bool strict);

struct mem_stats {
	size_t secret_used;               /* bytes handed out of the arena's size classes */
	size_t secret_locked;             /* bytes of the secret arena's pages that are locked */
	size_t secret_unlocked;           /* and that could not be locked */
	size_t lockable;                  /* what the limit above and RLIMIT_MEMLOCK allow in all */
	bool dump_excluded, wipe_on_fork; /* whether the kernel took the advice */
};
void mem_stats(struct mem_stats *s);

/*
 * The fork word: the address of one pointer, always the same, that reads as NULL in a forked child
 * until that sets it anew. NULL when the arena's memory cannot be had.
 */
void **mem_fork_slot(void);

#endif
