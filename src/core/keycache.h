/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parsed keys are kept with their objects, so that a key is parsed once and not for every operation; but
 * the memory that can be locked is small, so beyond a limit those go that were not used for longest (by second chance: a hand goes
 * round, passes what was used since its last visit and takes what was not). Operations hold references of
 * their own: what the cache lets go of lives until they end.
 *
 * Any thread may call anything here, with any lock of lower rank than RANK_LEAF.
 */
#ifndef CHANCERY_CORE_KEYCACHE_H
#define CHANCERY_CORE_KEYCACHE_H

#include "core/object.h"

/*
 * Once per process, and in a forked child again, before any object exists: the keys of the parent are forgotten, not freed.
 */
void keycache_start(void);
/* Bytes of the secret arena that parsed keys may hold while they rest. */
void keycache_limit(size_t bytes);

/* The parsed key of o, a reference for the caller; NULL: there is none. */
struct key *keycache_get(struct object *o);
/* Keeps k, a reference that is taken over. What it gives back, a reference for the caller, is the one that came first. */
struct key *keycache_put(struct object *o, struct key *k);
/* o is about to be freed. */
void keycache_drop(struct object *o);
/* Lets go of every key. */
void keycache_trim(void);

struct keycache_stats {
	size_t keys, bytes, limit, evictions;
};
void keycache_stats(struct keycache_stats *s);

#endif
