/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Group commit. A caller queues what it wants changed; the first one that finds nobody at work leads: it takes the
 * whole queue into one transaction, each caller's part in a savepoint of its own, so that one that fails fails alone. The others sleep until
 * their part is durable, or lead the next transaction.
 *
 * Without care the callers fall into two groups that take turns, each half as large as it could be. So a leader
 * that follows on others waits a little, at most a tenth of what a transaction takes, for as many as were about.
 */
#include "base/clock.h"
#include "store/change.h"
#include "store/event.h"
#include "store/inside.h"
#include "store/stmt.h"
#include <errno.h>
#include <time.h>

struct commit {
	struct store_change *c;
	size_t n;
	const struct seal *k;
	struct store_event *ev; /* NULL, or n */
	size_t settled;         /* of c: done in the present transaction */
	enum err e;
	bool done;
	struct commit *next;
};

/* ---- one transaction ---- */

static enum err run(struct db *d, enum query q)
{
	struct stmt s = stmt_on(d, q);

	return stmt_run(&s);
}

static void fail(struct commit *m, enum err e)
{
	while (m->settled != 0)
		change_unsettle(&m->c[--m->settled]);
	for (size_t i = 0; m->ev != NULL && i < m->n; i++)
		event_unsettle(&m->ev[i], e);
	m->e = e;
}

static void fail_all(struct commit *list, enum err e)
{
	for (struct commit *m = list; m != NULL; m = m->next)
		if (m->e == OK)
			fail(m, e);
}

static enum err make_changes(struct store *s, struct tally *t, struct commit *m)
{
	enum err e = m->k == NULL || seal_fits(m->k, &s->ident) ? OK : E_DEVICE_REMOVED;

	for (size_t i = 0; e == OK && i < m->n; i++) {
		e = change_apply(&s->db, t, m->k, &m->c[i]);
		if (e == OK)
			m->settled++;
	}
	for (size_t i = 0; e == OK && m->ev != NULL && i < m->n; i++)
		e = event_put(&s->db, &t->head, &m->ev[i]);
	return e;
}

/* An error that is returned undid the whole transaction; one caller's own is left in m->e. */
static enum err apply_one(struct store *s, struct tally *t, struct commit *m)
{
	const struct tally before = *t;
	enum err e = run(&s->db, Q_SAVE), e2;

	if (e != OK)
		return e;
	e = make_changes(s, t, m);
	if (e == OK)
		return run(&s->db, Q_SAVE_KEEP);
	fail(m, e);
	*t = before;
	if (sqlite3_get_autocommit(s->db.c) != 0)
		return e;
	e2 = run(&s->db, Q_SAVE_UNDO);
	return e2 == OK ? run(&s->db, Q_SAVE_KEEP) : e2;
}

static enum err apply_all(struct store *s, struct tally *t, struct commit *list, bool *some)
{
	enum err e = change_begin(&s->db, t);

	for (struct commit *m = list; e == OK && m != NULL; m = m->next) {
		e = apply_one(s, t, m);
		if (e == OK && m->e == OK)
			*some = true;
	}
	return e == OK && *some ? change_end(&s->db, t) : e;
}

/* A transaction is open. */
static enum err commit_all(struct store *s, struct commit *list)
{
	struct numbers done = event_done_take(s);
	struct tally t;
	bool some = false;
	enum err e = event_forget(&s->db, &done);

	if (e == OK)
		e = apply_all(s, &t, list, &some);
	if (e == OK && some)
		e = sure_commit_locked(s);
	event_done_end(s, &done, e == OK && some);
	return e;
}

/* Sets every m->e. */
static enum err commit_list(struct store *s, struct commit *list)
{
	enum err e = txn_write(s);

	if (e == OK) {
		e = commit_all(s, list);
		txn_end(s);
	}
	if (e != OK)
		fail_all(list, e);
	return e;
}

/* When all together do not fit on the disk, some may. */
static void commit_each(struct store *s, struct commit *list)
{
	for (struct commit *m = list, *next; m != NULL; m = next) {
		next = m->next;
		m->next = NULL;
		m->e = OK;
		(void)commit_list(s, m);
		m->next = next;
	}
}

/* ---- the queue ---- */

/* The queue is held. A single writer never waits. */
static void gather_locked(struct store *s)
{
	const uint64_t until = clock_ns() + s->barrier_ns / 10;
	const struct timespec t = { (time_t)(until / 1000000000), (long)(until % 1000000000) };

	while (s->waiting < s->expected &&
	       pthread_cond_clockwait(&s->gathered, &s->queue.mu, CLOCK_MONOTONIC, &t) != ETIMEDOUT)
		continue;
}

static struct commit *take_locked(struct store *s, size_t *n)
{
	struct commit *list = s->first;

	*n = s->waiting;
	s->first = NULL;
	s->last = &s->first;
	s->waiting = 0;
	return list;
}

static void enqueue_locked(struct store *s, struct commit *m)
{
	*s->last = m;
	s->last = &m->next;
	s->waiting++;
	if (s->waiting == s->expected)
		(void)pthread_cond_signal(&s->gathered);
}

/* The queue is held before and after. */
static void lead_locked(struct store *s)
{
	struct commit *list;
	uint64_t began, took;
	size_t n;

	s->led = true;
	gather_locked(s);
	list = take_locked(s, &n);
	lock_drop(&s->queue);
	began = clock_ns();
	if (commit_list(s, list) == E_DEVICE_MEMORY && n > 1)
		commit_each(s, list);
	took = clock_ns() - began;
	lock_take(&s->queue);
	for (struct commit *m = list, *next; m != NULL; m = next) {
		next = m->next; /* m is its caller's, and gone once it is done and the queue is let go */
		m->done = true;
	}
	s->barrier_ns = s->barrier_ns == 0 ? took : (7 * s->barrier_ns + took) / 8;
	s->expected = n + s->waiting > 1 ? n + s->waiting : 0;
	s->led = false;
	(void)pthread_cond_broadcast(&s->served);
}

enum err store_commit(struct store *s, const struct seal *k, struct store_change *c, size_t n,
		      struct store_event *ev)
{
	struct commit m = { .c = c, .n = n, .k = k, .ev = ev };

	if (s->read_only)
		return E_WRITE_PROTECTED;
	lock_take(&s->queue);
	enqueue_locked(s, &m);
	while (!m.done) {
		if (s->led)
			lock_wait(&s->queue, &s->served);
		else
			lead_locked(s);
	}
	lock_drop(&s->queue);
	return m.e;
}
