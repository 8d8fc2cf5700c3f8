/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hash tables for what is found by a number: chained, with the links inside the members, so that adding and
 * removing never fail and cost the same at any size. Several members may have the same key.
 * The caller does the locking.
 */
#ifndef CHANCERY_CORE_INDEX_H
#define CHANCERY_CORE_INDEX_H

#include "base/err.h"
#include "base/span.h"

struct link {
	struct link *next;
	struct link **at; /* what points here; NULL: not in a table */
	uint64_t key;
};

struct index {
	struct link **bucket; /* mask + 1 of them */
	size_t mask;
	size_t n;
};

/* The member of type that contains link l. */
#define index_member(l, type, field) ((type *)(void *)((char *)(l)-offsetof(type, field)))

/* An empty table. E_MEMORY. */
enum err index_init(struct index *x);
/* Gives the buckets back; members are the caller's. */
void index_free(struct index *x);
/* l is not in a table. Grows when it can; without memory chains only get longer. */
void index_add(struct index *x, struct link *l, uint64_t key);
/* Nothing when l is in no table. */
void index_remove(struct index *x, struct link *l);
/* The first member with this key, or NULL; then the ones after it. */
struct link *index_first(const struct index *x, uint64_t key);
struct link *index_next(const struct link *l);

/* A key for bytes of any length: SipHash-2-4 under a secret of this process, so that nobody can make chains long. */
struct index_secret {
	uint64_t k[2];
};
uint64_t index_hash(const struct index_secret *secret, struct span bytes);

#endif
