/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks with ranks. A thread takes locks in rising rank only; debug builds (CHANCERY_DEBUG_LOCKS)
 * keep the thread's held ranks and abort on a violation. Ranks are those of docs/LOCKING.md.
 */
#ifndef CHANCERY_BASE_LOCK_H
#define CHANCERY_BASE_LOCK_H

#include <pthread.h>
#include <stdbool.h>

enum lock_rank {
	RANK_LIB,     /* initialise and finalise, one after the other */
	RANK_ENTER,   /* calls without a session (read) against finalise (write) */
	RANK_SLOTS,   /* slot table */
	RANK_HANDLES, /* session table: open and close */
	RANK_SESSION, /* one session */
	RANK_LOGIN,   /* serialises login, logout, PIN changes of one token */
	RANK_SEALING, /* counts of uses, on their way into a token */
	RANK_QUEUE,   /* a token's write queue */
	RANK_TOKEN,   /* a token's object map and login state: read-write */
	RANK_STORE,   /* a store's connection */
	RANK_ROLL,    /* the roll's queue */
	RANK_USES,    /* counts of uses: files are made under it, nothing is taken */
	RANK_LEAF,    /* caches and counters: nothing is taken under it */
	RANK_COUNT
};

struct lock {
	pthread_mutex_t mu;
	enum lock_rank rank;
};

struct rwlock {
	pthread_rwlock_t rw;
	enum lock_rank rank;
};

void lock_init(struct lock *l, enum lock_rank rank);
void lock_destroy(struct lock *l);
void lock_take(struct lock *l);
/* False, and not taken: somebody holds it. */
bool lock_try(struct lock *l);
void lock_drop(struct lock *l);
/* Waits on c; l is held before and after. */
void lock_wait(struct lock *l, pthread_cond_t *c);

void rwlock_init(struct rwlock *l, enum lock_rank rank);
void rwlock_destroy(struct rwlock *l);
void rwlock_read(struct rwlock *l);
void rwlock_write(struct rwlock *l);
void rwlock_drop(struct rwlock *l);

#endif
