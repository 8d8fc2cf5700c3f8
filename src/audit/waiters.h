/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Callers that sleep until their records are durable. Each has a semaphore of its own: a barrier wakes whom it concerns and the one who leads
 * next, nobody else, and who is answered goes without the lock of the roll. With one condition for all, every barrier would send
 * all of them for the lock at once, and most to sleep once more.
 */
#ifndef CHANCERY_AUDIT_WAITERS_H
#define CHANCERY_AUDIT_WAITERS_H

#include "base/err.h"
#include "base/lock.h"
#include <semaphore.h>
#include <stdint.h>

/* On the stack of who sleeps. */
struct waiter {
	struct waiter *next;
	uint64_t ticket;
	enum err answer; /* set by who calls it */
	sem_t sem;
};

struct waiters {
	struct waiter *asleep;
	struct waiter *called; /* no longer among them, and to be woken when the lock is let go */
};

/*
 * Somebody finished leading, or the roll failed, under the lock: calls those whose record is durable (OK), all others when it failed
 * (E_DEVICE), else one of them to see who leads next (E_BUSY).
 */
void waiters_call_locked(struct waiters *all, uint64_t durable, bool failed);
/* Lets go of the lock and wakes those who were called. */
void waiters_drop(struct waiters *all, struct lock *mu);
/* Wakes them with the lock held: for a caller that is going to be long. */
void waiters_wake_locked(struct waiters *all);
/* Lets go of the lock, and sleeps until called: the answer. */
enum err waiters_sleep_drop(struct waiters *all, struct lock *mu, uint64_t ticket);

#endif
