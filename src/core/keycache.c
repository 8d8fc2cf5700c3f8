/* SPDX-License-Identifier: Apache-2.0 */
#include "core/keycache.h"

#include "base/lock.h"

#define STRIPES 64

/*
 * object.key is guarded by one of the stripes, the ring and the numbers by mu; no thread holds both. The ring
 * holds no references: keycache_drop takes a dying object out of it.
 */
static struct {
	struct lock mu;
	struct object *hand; /* of the ring; NULL: empty */
	struct keycache_stats stats;
	struct lock stripe[STRIPES];
} cache;

static struct lock *stripe_of(const struct object *o)
{
	return &cache.stripe[((uintptr_t)o >> 6) % STRIPES];
}

void keycache_start(void)
{
	cache.hand = NULL;
	cache.stats = (struct keycache_stats){ 0 };
	lock_init(&cache.mu, RANK_LEAF);
	for (size_t i = 0; i < STRIPES; i++)
		lock_init(&cache.stripe[i], RANK_LEAF);
}

/* ---- the ring; mu is held ---- */

static void ring_add_locked(struct object *o, size_t bytes)
{
	o->key_bytes = bytes;
	if (cache.hand == NULL) {
		cache.hand = o;
		o->ring_prev = o;
	}
	/* behind the hand: the last that it comes to */
	o->ring_next = cache.hand;
	o->ring_prev = cache.hand->ring_prev;
	o->ring_prev->ring_next = o;
	o->ring_next->ring_prev = o;
	cache.stats.keys++;
	cache.stats.bytes += bytes;
}

static void ring_remove_locked(struct object *o)
{
	if (o->key_bytes == 0)
		return;
	if (cache.hand == o)
		cache.hand = o->ring_next != o ? o->ring_next : NULL;
	o->ring_prev->ring_next = o->ring_next;
	o->ring_next->ring_prev = o->ring_prev;
	cache.stats.keys--;
	cache.stats.bytes -= o->key_bytes;
	o->key_bytes = 0;
}

/* The next to go, out of the ring and with a reference for the caller; NULL when there is enough room. */
static struct object *victim_locked(size_t limit)
{
	while (cache.stats.bytes > limit) {
		struct object *o = cache.hand;

		cache.hand = o->ring_next;
		if (limit != 0 &&
		    atomic_exchange_explicit(&o->key_used, false, memory_order_relaxed))
			continue;
		ring_remove_locked(o);
		cache.stats.evictions++;
		if (object_try_ref(o))
			return o;
	}
	return NULL;
}

/* ---- from outside ---- */

static struct key *take_key(struct object *o)
{
	struct key *k;

	lock_take(stripe_of(o));
	k = o->key;
	o->key = NULL;
	lock_drop(stripe_of(o));
	return k;
}

static void shrink(size_t limit)
{
	struct object *o;

	do {
		lock_take(&cache.mu);
		o = victim_locked(limit);
		lock_drop(&cache.mu);
		if (o != NULL)
			key_unref(take_key(o));
		object_unref(o);
	} while (o != NULL);
}

void keycache_limit(size_t bytes)
{
	lock_take(&cache.mu);
	cache.stats.limit = bytes;
	lock_drop(&cache.mu);
	shrink(bytes);
}

void keycache_trim(void)
{
	shrink(0);
}

struct key *keycache_get(struct object *o)
{
	struct key *k;

	lock_take(stripe_of(o));
	k = o->key != NULL ? key_ref(o->key) : NULL;
	lock_drop(stripe_of(o));
	/* read first: a store for every use would move the line between processors */
	if (k != NULL && !atomic_load_explicit(&o->key_used, memory_order_relaxed))
		atomic_store_explicit(&o->key_used, true, memory_order_relaxed);
	return k;
}

struct key *keycache_put(struct object *o, struct key *k)
{
	size_t bytes = key_footprint(k), limit;
	struct key *first;

	lock_take(stripe_of(o));
	first = o->key;
	if (first != NULL)
		key_ref(first);
	else
		o->key = key_ref(k);
	lock_drop(stripe_of(o));
	if (first != NULL) {
		key_unref(k);
		return first;
	}
	lock_take(&cache.mu);
	ring_add_locked(o, bytes != 0 ? bytes : 1);
	limit = cache.stats.limit;
	lock_drop(&cache.mu);
	shrink(limit);
	return k;
}

void keycache_drop(struct object *o)
{
	if (o->key == NULL)
		return; /* whatever is in the ring has one */
	lock_take(&cache.mu);
	ring_remove_locked(o);
	lock_drop(&cache.mu);
	key_unref(o->key);
	o->key = NULL;
}

void keycache_stats(struct keycache_stats *s)
{
	lock_take(&cache.mu);
	*s = cache.stats;
	lock_drop(&cache.mu);
}
