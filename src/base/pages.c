/* SPDX-License-Identifier: Apache-2.0 */
#include "base/pages.h"

#include "base/poison.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define RANGE_LARGEST  34 /* log2: 16 GiB of addresses, no memory */
#define RANGE_SMALLEST 22
#define LIMIT_DEFAULT  ((size_t)8 << 20)

_Atomic uintptr_t pages_range;

/* What a forked child must still know: these live in ordinary memory. */
static _Atomic uint64_t generations;
static _Atomic size_t high_water; /* units taken in this process and those it was forked from */
static _Atomic size_t limit = LIMIT_DEFAULT;
static _Atomic bool strict;
static _Atomic bool dump_excluded;
static _Atomic bool wipe_on_fork;

static void *base_of(uintptr_t r)
{
	return (void *)(r & ~(PAGES_SIZE - 1));
}

static size_t size_of(uintptr_t r)
{
	return (size_t)1 << (r & (PAGES_SIZE - 1));
}

/* Bytes at the start of the range that are bookkeeping, in whole units. */
static size_t head_bytes(size_t size)
{
	size_t n = sizeof(struct pages_head) + size / PAGES_UNIT;

	return (n + PAGES_UNIT - 1) / PAGES_UNIT * PAGES_UNIT;
}

/* Advice for memory that holds secrets; what the kernel refuses is told by pages_stats. */
static void advise(void *p, size_t n)
{
	atomic_store(&dump_excluded, madvise(p, n, MADV_DONTDUMP) == 0);
	atomic_store(&wipe_on_fork, madvise(p, n, MADV_WIPEONFORK) == 0);
}

/* Where the kernel has no MADV_WIPEONFORK: the same effect for the range, by hand. */
static void wipe_in_child(void)
{
	uintptr_t r = atomic_load(&pages_range);

	if (r != 0)
		(void)madvise(base_of(r), size_of(r), MADV_DONTNEED);
}

/*
 * Reserves 2^bits bytes of addresses with the bookkeeping ready for use; 0 when that cannot be had.
 */
static uintptr_t reserve(unsigned bits)
{
	size_t size = (size_t)1 << bits;
	void *p = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return 0;
	if (mprotect(p, head_bytes(size), PROT_READ | PROT_WRITE) != 0) {
		munmap(p, size);
		return 0;
	}
	advise(p, size);
	poison_roots(p, size);
	return (uintptr_t)p | bits;
}

static void discard(uintptr_t r)
{
	poison_no_roots(base_of(r), size_of(r));
	munmap(base_of(r), size_of(r));
}

/*
 * Finds a range that the limits on addresses allow. Of threads that get here at once, the first
 * one's is kept.
 */
static struct pages_head *set_up(void)
{
	uintptr_t r = 0, none = 0;

	for (unsigned bits = RANGE_LARGEST; r == 0 && bits >= RANGE_SMALLEST; bits -= 2)
		r = reserve(bits);
	if (r == 0)
		return NULL;
	if (!atomic_compare_exchange_strong(&pages_range, &none, r))
		discard(r);
	else if (!atomic_load(&wipe_on_fork))
		(void)pthread_atfork(NULL, NULL, wipe_in_child);
	return pages_head();
}

uint64_t pages_begin(void)
{
	struct pages_head *h = pages_head();
	uint64_t g = pages_generation();

	if (g != 0)
		return g;
	if (h == NULL)
		h = set_up();
	if (h == NULL)
		return 0;
	pthread_mutex_lock(&h->mu);
	g = atomic_load(&h->generation);
	if (g == 0) {
		h->next = atomic_load(&high_water);
		g = atomic_fetch_add(&generations, 1) + 1;
		atomic_store_explicit(&h->generation, g, memory_order_release);
	}
	pthread_mutex_unlock(&h->mu);
	return g;
}

/* Adds n to what is locked, unless that goes over the limit. */
static bool budget_take(struct pages_head *h, size_t n)
{
	size_t have = atomic_load(&h->locked), max = atomic_load(&limit);

	do {
		if (have > max || n > max - have)
			return false;
	} while (!atomic_compare_exchange_weak(&h->locked, &have, have + n));
	return true;
}

/* Locks the pages while the budget and the system allow it. False: not locked. */
static bool lock_pages(struct pages_head *h, void *p, size_t n)
{
	if (!budget_take(h, n))
		return false;
	if (mlock(p, n) == 0)
		return true;
	atomic_fetch_sub(&h->locked, n);
	return false;
}

/* Locks or counts as unlocked; false when only locked memory will do. */
static bool admit(struct pages_head *h, void *p, size_t n, bool *locked)
{
	*locked = lock_pages(h, p, n);
	if (*locked)
		return true;
	if (atomic_load(&strict))
		return false;
	atomic_fetch_add(&h->unlocked, n);
	return true;
}

/* The next n units that were never taken, writable. Called with h->mu held. */
static uint8_t *open_units_locked(struct pages_head *h, size_t n)
{
	size_t size = size_of(atomic_load(&pages_range));
	size_t at = head_bytes(size) + h->next * PAGES_UNIT;
	uint8_t *p = (uint8_t *)h + at;
	bool locked;

	if (at > size || n > (size - at) / PAGES_UNIT)
		return NULL;
	if (mprotect(p, n * PAGES_UNIT, PROT_READ | PROT_WRITE) != 0)
		return NULL;
	if (!admit(h, p, n * PAGES_UNIT, &locked)) {
		(void)mprotect(p, n * PAGES_UNIT, PROT_NONE);
		return NULL;
	}
	return p;
}

void *pages_take(size_t n, uint8_t tag)
{
	struct pages_head *h = pages_head();
	uint8_t *p;

	pthread_mutex_lock(&h->mu);
	p = open_units_locked(h, n);
	if (p != NULL) {
		size_t first = (size_t)(p - (uint8_t *)h) / PAGES_UNIT;

		for (size_t i = 0; i < n; i++)
			h->tags[first + i] = tag;
		h->next += n;
		atomic_store(&high_water, h->next);
	}
	pthread_mutex_unlock(&h->mu);
	return p;
}

void *pages_map(size_t n, bool *locked)
{
	struct pages_head *h = pages_begin() != 0 ? pages_head() : NULL;
	void *p;

	if (h == NULL)
		return NULL;
	p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	advise(p, n);
	if (!admit(h, p, n, locked)) {
		munmap(p, n);
		return NULL;
	}
	return p;
}

void pages_unmap(void *p, size_t n, bool locked)
{
	struct pages_head *h = pages_head();

	munmap(p, n);
	atomic_fetch_sub(locked ? &h->locked : &h->unlocked, n);
}

void pages_limit(size_t bytes, bool only_locked)
{
	atomic_store(&limit, bytes);
	atomic_store(&strict, only_locked);
}

/* The kernel holds root to no limit. */
static size_t lockable(void)
{
	size_t max = atomic_load(&limit);
	struct rlimit rl;

	if (geteuid() == 0 || getrlimit(RLIMIT_MEMLOCK, &rl) != 0 || rl.rlim_cur > max)
		return max;
	return rl.rlim_cur;
}

void pages_stats(struct pages_stats *s)
{
	const struct pages_head *h = pages_generation() != 0 ? pages_head() : NULL;

	s->locked = h != NULL ? atomic_load(&h->locked) : 0;
	s->unlocked = h != NULL ? atomic_load(&h->unlocked) : 0;
	s->lockable = lockable();
	s->dump_excluded = atomic_load(&dump_excluded);
	s->wipe_on_fork = atomic_load(&wipe_on_fork);
}
