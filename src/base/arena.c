/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include "base/mem.h"
#include "base/pages.h"
#include "base/poison.h"
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define STEP         16                 /* the first classes are multiples of this */
#define STEP_CLASSES 8                  /* up to 128 bytes */
#define CLASSES      52                 /* the last one is ARENA_MAX */
#define KEEP_BYTES   ((size_t)16 << 10) /* free bytes of a class that a thread keeps at most */
#define KEEP_BLOCKS  16                 /* and blocks; it always keeps one */

struct block {
	struct block *next;
};

struct slot {
	struct block *list;
	uint32_t n;
	uint32_t keep;
};

struct arena_cache {
	struct slot slot[CLASSES];
	/*
	 * Written by the owner, read by arena_used; below zero when others' blocks are freed here.
	 */
	_Atomic long used;
	struct arena_cache *next, **prev; /* list of all caches; guarded by shared.mu */
};

struct central {
	_Alignas(64) pthread_mutex_t mu;
	struct block *list;
};

/* In the wiped pages: a forked child finds it zero, which is its initial state. */
struct shared {
	struct central central[CLASSES];
	pthread_mutex_t mu;
	struct arena_cache *caches;
	long used_by_gone; /* of threads that have ended */
};

_Static_assert(sizeof(struct shared) <= PAGES_SHARED, "fits the bookkeeping");
_Static_assert(sizeof(struct arena_cache) <= ARENA_MAX, "a cache is a block itself");

__thread struct mem_thread mem_thread __attribute__((tls_model("initial-exec")));

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key; /* its destructor gives back the cache of a thread that ends */
static bool have_key;

static struct shared *shared(void)
{
	return pages_shared();
}

/* n at most ARENA_MAX. */
static unsigned class_of(size_t n)
{
	size_t m = n == 0 ? 0 : n - 1;
	unsigned msb;

	if (m < STEP * STEP_CLASSES)
		return (unsigned)(m / STEP);
	msb = 63U - (unsigned)__builtin_clzl(m);
	return STEP_CLASSES + (msb - 7) * 4 + ((unsigned)(m >> (msb - 2)) & 3);
}

static size_t class_size(unsigned c)
{
	unsigned k = c - STEP_CLASSES;

	if (c < STEP_CLASSES)
		return (size_t)(c + 1) * STEP;
	return (size_t)(5 + k % 4) << (5 + k / 4);
}

/* The link lies in a free block, which is poisoned: these two alone may touch it. */
POISON_EXEMPT static struct block *link_get(const struct block *b)
{
	return b->next;
}

POISON_EXEMPT static void link_set(struct block *b, struct block *next)
{
	b->next = next;
}

/* Units for a span of blocks of size bytes such that at most an eighth of it is left over. */
static size_t span_units(size_t size)
{
	size_t n = 1;

	while (n * PAGES_UNIT < size || n * PAGES_UNIT % size > n * PAGES_UNIT / 8)
		n++;
	return n;
}

/* A list of new blocks of class c; NULL when there is no room. */
static struct block *carve(unsigned c)
{
	size_t size = class_size(c), units = span_units(size);
	uint8_t *p = pages_take(units, (uint8_t)(c + 1));
	struct block *list = NULL;

	if (p == NULL)
		return NULL;
	poison(p, units * PAGES_UNIT);
	for (size_t n = units * PAGES_UNIT / size; n-- > 0;) {
		struct block *b = (struct block *)(void *)(p + n * size);

		link_set(b, list);
		list = b;
	}
	return list;
}

/* Moves up to want blocks to *to; the number moved. */
static uint32_t central_take(unsigned c, uint32_t want, struct block **to)
{
	struct central *ce = &shared()->central[c];
	uint32_t n = 0;

	pthread_mutex_lock(&ce->mu);
	if (ce->list == NULL)
		ce->list = carve(c);
	while (n < want && ce->list != NULL) {
		struct block *b = ce->list;

		ce->list = link_get(b);
		link_set(b, *to);
		*to = b;
		n++;
	}
	pthread_mutex_unlock(&ce->mu);
	return n;
}

/* Moves n blocks from *from. */
static void central_give(unsigned c, uint32_t n, struct block **from)
{
	struct central *ce = &shared()->central[c];

	pthread_mutex_lock(&ce->mu);
	for (; n > 0; n--) {
		struct block *b = *from;

		*from = link_get(b);
		link_set(b, ce->list);
		ce->list = b;
	}
	pthread_mutex_unlock(&ce->mu);
}

/* Blocks of size bytes that a thread keeps. */
static uint32_t keep_of(size_t size)
{
	size_t n = KEEP_BYTES / size;

	if (n > KEEP_BLOCKS)
		n = KEEP_BLOCKS;
	return n > 0 ? (uint32_t)n : 1;
}

static void caches_link(struct arena_cache *a)
{
	struct shared *sh = shared();

	pthread_mutex_lock(&sh->mu);
	a->next = sh->caches;
	a->prev = &sh->caches;
	if (a->next != NULL)
		a->next->prev = &a->next;
	sh->caches = a;
	pthread_mutex_unlock(&sh->mu);
}

static void caches_unlink(struct arena_cache *a)
{
	struct shared *sh = shared();

	pthread_mutex_lock(&sh->mu);
	*a->prev = a->next;
	if (a->next != NULL)
		a->next->prev = a->prev;
	sh->used_by_gone += atomic_load_explicit(&a->used, memory_order_relaxed);
	pthread_mutex_unlock(&sh->mu);
}

static void *block_open(struct block *b, size_t n)
{
	unpoison(b, n < sizeof(*b) ? sizeof(*b) : n);
	b->next = NULL;
	return b;
}

static struct block *block_close(void *p, size_t size)
{
	unpoison(p, size);
	mem_wipe(p, size);
	poison(p, size);
	return p;
}

/* The class of the blocks that caches are. */
static unsigned cache_class(void)
{
	return class_of(sizeof(struct arena_cache));
}

/* Wipes a block and gives it back without a cache. */
static void block_return(unsigned c, void *p)
{
	struct block *b = block_close(p, class_size(c));

	central_give(c, 1, &b);
}

/* Of a thread that ends: everything goes back, the block of the cache itself last. */
static void cache_drop(void *p)
{
	struct arena_cache *a = p;

	/* A cache from before a fork is zero, and of an arena that is no more. */
	if (a != mem_thread.cache || mem_thread.generation != pages_generation())
		return;
	mem_thread.cache = NULL;
	caches_unlink(a);
	for (unsigned c = 0; c < CLASSES; c++)
		central_give(c, a->slot[c].n, &a->slot[c].list);
	block_return(cache_class(), a);
}

static void make_key(void)
{
	have_key = pthread_key_create(&key, cache_drop) == 0;
}

/* Makes this thread's cache, or leaves it without one when there is no memory. */
static void cache_renew(void)
{
	struct block *b = NULL;
	struct arena_cache *a;

	mem_thread.cache = NULL;
	mem_thread.generation = pages_begin();
	if (mem_thread.generation == 0 || pthread_once(&key_once, make_key) != 0 || !have_key)
		return;
	if (central_take(cache_class(), 1, &b) == 0)
		return;
	a = block_open(b, sizeof(*a));
	for (unsigned c = 0; c < CLASSES; c++)
		a->slot[c].keep = keep_of(class_size(c));
	if (pthread_setspecific(key, a) == 0) {
		caches_link(a);
		mem_thread.cache = a;
		return;
	}
	block_return(cache_class(), a);
}

/*
 * This thread's cache, made at its first use and after a fork; NULL when there is no memory for it.
 */
static struct arena_cache *cache(void)
{
	uint64_t g = pages_generation();
	int saved;

	if (mem_thread.cache != NULL && mem_thread.generation == g)
		return mem_thread.cache;
	saved = errno;
	cache_renew();
	errno = saved;
	return mem_thread.cache;
}

static void count(struct arena_cache *a, long n)
{
	long used = atomic_load_explicit(&a->used, memory_order_relaxed);

	atomic_store_explicit(&a->used, used + n, memory_order_relaxed);
}

void *arena_alloc(size_t n)
{
	struct arena_cache *a = cache();
	unsigned c = class_of(n);
	struct slot *s;
	struct block *b;

	if (a == NULL)
		return NULL;
	s = &a->slot[c];
	if (s->list == NULL)
		s->n = central_take(c, (s->keep + 1) / 2, &s->list);
	b = s->list;
	if (b == NULL)
		return NULL;
	s->list = link_get(b);
	s->n--;
	count(a, (long)class_size(c));
	return block_open(b, n);
}

size_t arena_room(const void *p)
{
	uint8_t tag = pages_tag(p);

	return tag == 0 ? 0 : class_size(tag - 1U);
}

/* Gives half of what the thread keeps of class c back, for others. */
static void slot_halve(struct slot *s, unsigned c)
{
	uint32_t half = (s->n + 1) / 2;

	s->n -= half;
	central_give(c, half, &s->list);
}

void arena_free(void *p)
{
	unsigned tag = pages_tag(p), c = tag - 1;
	struct arena_cache *a;
	struct block *b;

	if (tag == 0)
		return;
	a = cache();
	if (a == NULL) {
		block_return(c, p);
		return;
	}
	b = block_close(p, class_size(c));
	link_set(b, a->slot[c].list);
	a->slot[c].list = b;
	count(a, -(long)class_size(c));
	if (++a->slot[c].n > a->slot[c].keep)
		slot_halve(&a->slot[c], c);
}

size_t arena_used(void)
{
	struct shared *sh;
	long sum;

	if (pages_generation() == 0)
		return 0;
	sh = shared();
	pthread_mutex_lock(&sh->mu);
	sum = sh->used_by_gone;
	for (const struct arena_cache *a = sh->caches; a != NULL; a = a->next)
		sum += atomic_load_explicit(&a->used, memory_order_relaxed);
	pthread_mutex_unlock(&sh->mu);
	return sum > 0 ? (size_t)sum : 0;
}
