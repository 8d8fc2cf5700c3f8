/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls below fail only on a lock that was never initialised or was overwritten: nothing could
 * be relied on after that, so they abort.
 */
#include "base/lock.h"

#include <errno.h>
#include <stdlib.h>

static void must(int rc)
{
	if (rc != 0)
		abort();
}

#ifdef CHANCERY_DEBUG_LOCKS

_Static_assert(RANK_COUNT <= sizeof(unsigned) * 8, "one bit for each rank");

/* One bit for each rank that this thread holds. */
static __thread unsigned held;

static void rank_take(enum lock_rank r)
{
	if ((held >> r) != 0)
		abort(); /* a lock of this or a higher rank is held */
	held |= 1U << r;
}

static void rank_drop(enum lock_rank r)
{
	if ((held & 1U << r) == 0)
		abort(); /* this thread does not hold it */
	held &= ~(1U << r);
}

#else

static inline void rank_take(enum lock_rank r)
{
	(void)r;
}

static inline void rank_drop(enum lock_rank r)
{
	(void)r;
}

#endif

void lock_init(struct lock *l, enum lock_rank rank)
{
	must(pthread_mutex_init(&l->mu, NULL));
	l->rank = rank;
}

void lock_destroy(struct lock *l)
{
	must(pthread_mutex_destroy(&l->mu));
}

void lock_take(struct lock *l)
{
	rank_take(l->rank);
	must(pthread_mutex_lock(&l->mu));
}

bool lock_try(struct lock *l)
{
	int rc = pthread_mutex_trylock(&l->mu);

	if (rc == EBUSY)
		return false;
	must(rc);
	rank_take(l->rank);
	return true;
}

void lock_drop(struct lock *l)
{
	rank_drop(l->rank);
	must(pthread_mutex_unlock(&l->mu));
}

void lock_wait(struct lock *l, pthread_cond_t *c)
{
	must(pthread_cond_wait(c, &l->mu));
}

/*
 * Writers first: the default lets a steady stream of readers keep a writer out for ever. It asks
 * that no thread takes the same lock for reading twice, which the ranks forbid anyway.
 */
void rwlock_init(struct rwlock *l, enum lock_rank rank)
{
	pthread_rwlockattr_t a;

	must(pthread_rwlockattr_init(&a));
	must(pthread_rwlockattr_setkind_np(&a, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP));
	must(pthread_rwlock_init(&l->rw, &a));
	must(pthread_rwlockattr_destroy(&a));
	l->rank = rank;
}

void rwlock_destroy(struct rwlock *l)
{
	must(pthread_rwlock_destroy(&l->rw));
}

void rwlock_read(struct rwlock *l)
{
	rank_take(l->rank);
	must(pthread_rwlock_rdlock(&l->rw));
}

void rwlock_write(struct rwlock *l)
{
	rank_take(l->rank);
	must(pthread_rwlock_wrlock(&l->rw));
}

void rwlock_drop(struct rwlock *l)
{
	rank_drop(l->rank);
	must(pthread_rwlock_unlock(&l->rw));
}
