/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/waiters.h"

#include <errno.h>

/* Takes *at out of those who sleep. */
static void call(struct waiters *all, struct waiter **at, enum err answer)
{
	struct waiter *w = *at;

	*at = w->next;
	w->answer = answer;
	w->next = all->called;
	all->called = w;
}

void waiters_call_locked(struct waiters *all, uint64_t durable, bool failed)
{
	struct waiter **at = &all->asleep;

	while (*at != NULL) {
		if ((*at)->ticket <= durable)
			call(all, at, OK);
		else if (failed)
			call(all, at, E_DEVICE);
		else
			at = &(*at)->next;
	}
	/* called last, it is woken first: everybody else waits for what it does */
	if (all->asleep != NULL)
		call(all, &all->asleep, E_BUSY);
}

/* A waiter is gone as soon as it is woken. */
static void wake(struct waiter *w)
{
	int saved = errno;

	while (w != NULL) {
		struct waiter *next = w->next;

		(void)sem_post(&w->sem);
		w = next;
	}
	errno = saved;
}

static struct waiter *take_called(struct waiters *all)
{
	struct waiter *w = all->called;

	all->called = NULL;
	return w;
}

void waiters_drop(struct waiters *all, struct lock *mu)
{
	struct waiter *w = take_called(all);

	lock_drop(mu);
	wake(w);
}

void waiters_wake_locked(struct waiters *all)
{
	wake(take_called(all));
}

enum err waiters_sleep_drop(struct waiters *all, struct lock *mu, uint64_t ticket)
{
	struct waiter w = { .next = all->asleep, .ticket = ticket };
	int saved = errno;

	(void)sem_init(&w.sem, 0, 0);
	all->asleep = &w;
	waiters_drop(all, mu);
	while (sem_wait(&w.sem) != 0)
		continue; /* EINTR: a signal of the host's */
	(void)sem_destroy(&w.sem);
	errno = saved;
	return w.answer;
}
