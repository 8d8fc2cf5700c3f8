/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fork. SQLite's locks and those of ours that guard it are all held while the process is copied: the child finds no SQLite
 * call in progress, and no lock of the database was held through a connection that it inherits. It never touches such a connection
 * (closing one would change nothing for the parent, but SQLite may also write when it closes). Not WAL, for the same
 * reason: its index is shared by all connections of a process, and a child's would be built on its parent's.
 *
 * The locks are taken beside lock.h, whose ranks allow one lock of a rank at a time: a thread in a store holds the
 * locks of that store alone, and takes the queue's first or without the other, so there is no circle.
 */
#include "store/inside.h"

static struct lock gate = { PTHREAD_MUTEX_INITIALIZER, RANK_STORE };
static struct store *stores; /* under gate */

void gate_take(void)
{
	lock_take(&gate);
}

void gate_drop(void)
{
	lock_drop(&gate);
}

void gate_add_locked(struct store *s)
{
	s->next = stores;
	stores = s;
}

void gate_remove_locked(struct store *s)
{
	struct store **at = &stores;

	while (*at != NULL && *at != s)
		at = &(*at)->next;
	if (*at == s)
		*at = s->next;
}

void store_fork_prepare(void)
{
	(void)pthread_mutex_lock(&gate.mu);
	for (struct store *s = stores; s != NULL; s = s->next) {
		(void)pthread_mutex_lock(&s->queue.mu);
		(void)pthread_mutex_lock(&s->lock.mu);
	}
}

static void let_go(void)
{
	for (struct store *s = stores; s != NULL; s = s->next) {
		(void)pthread_mutex_unlock(&s->lock.mu);
		(void)pthread_mutex_unlock(&s->queue.mu);
	}
}

void store_fork_parent(void)
{
	let_go();
	(void)pthread_mutex_unlock(&gate.mu);
}

/*
 * The stores stay where they are, forgotten: their memory and descriptors are the price of not touching them. Their locks
 * are let go of all the same, since it is this thread that took them.
 */
void store_fork_child(void)
{
	let_go();
	stores = NULL;
	(void)pthread_mutex_unlock(&gate.mu);
}
