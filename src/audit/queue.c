/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Group commit. A caller appends its record under the lock, which settles its place in the file and in the chain. The first that finds nobody at
 * work leads: it writes everything that was appended and syncs once. The others sleep until their record is durable, or lead
 * the next.
 *
 * Without care the callers fall into two groups that take turns, each half as large as it could be. So a leader that
 * follows on others waits a little, at most a quarter of what a barrier takes, for as many as were about: with 32 callers that
 * need 0.6 ms of the processors between two records, and 2.7 ms a barrier, a tenth would leave ten of them behind each time.
 */
#include "audit/queue.h"

#include "audit/opening.h"
#include "base/clock.h"
#include "base/log.h"
#include <errno.h>
#include <stdio.h>
#include <time.h>

/* In bytes. */
enum {
	LINES_MAX = 65536, /* records that nobody waits for, before they are written all the same */
	PAUSE = 1 << 20, /* how far a file grows that could not be followed, before the next try */
	NEXT_ROOM = 256 << 10, /* must be free before a file is followed by another */
};

/* ---- failure ---- */

/* For good: nothing more leaves until another roll is made. */
static void fail_locked(struct roll *r, const struct why *why)
{
	if (atomic_load(&r->failed))
		return;
	r->why = *why;
	atomic_store(&r->failed, true);
	log_fault(FAULT_ROLL, "the audit log failed, and no key is used any more: %s", why->text);
}

static bool passing(enum err e)
{
	return e == E_MEMORY || e == E_BUSY;
}

/* A record of ours that could not be made: without memory it is made another time. */
static void fail_own_locked(struct roll *r, enum err e)
{
	struct why why;

	if (e == OK || passing(e))
		return;
	(void)why_fail(&why, e, "cannot sign a checkpoint of %s: %s", r->author->sheet.path,
		       err_text(e));
	fail_locked(r, &why);
}

/* ---- the leader ---- */

static void lead_begin_locked(struct roll *r)
{
	waiters_wake_locked(&r->waiters);
	r->led = true;
}

static void lead_end_locked(struct roll *r)
{
	r->led = false;
	(void)pthread_cond_broadcast(&r->done);
	waiters_call_locked(&r->waiters, r->durable, atomic_load(&r->failed));
}

/* The last record of a file is durable, and with it all that was appended before. */
static void count_end_locked(struct roll *r, uint64_t bytes)
{
	r->appended++;
	r->durable = r->appended;
	r->waiting = 0;
	r->barriers++;
	r->bytes += bytes;
}

static void retire_locked(struct roll *r, struct author *old)
{
	if (old == r->first) { /* its file's lock is kept */
		author_strip(old);
		return;
	}
	lock_drop(&r->mu);
	sheet_close(&old->sheet);
	lock_take(&r->mu);
	author_free(old);
}

static void begin_locked(struct roll *r, struct author *a)
{
	struct author *old = r->author;

	r->author = a;
	if (r->first == NULL)
		r->first = a;
	atomic_store(&r->kind, a->sheet.stream ? ROLL_STREAM : ROLL_FILES);
	r->appended++;
	r->durable = r->appended;
	r->barriers += a->sheet.durable;
	r->bytes += a->sheet.size;
	r->turning = false;
	if (old != NULL)
		retire_locked(r, old);
}

/* The first file, or the one that follows. Nothing is appended meanwhile. */
static enum err make_locked(struct roll *r, struct why *why)
{
	struct author *old = r->author, *a = NULL;
	const bool ended = old != NULL && old->ended;
	const uint64_t size = old != NULL ? old->sheet.size : 0;
	enum err e;

	lock_drop(&r->mu);
	e = opening_make(&r->policy, &r->who, old, &a, why);
	lock_take(&r->mu);
	if (old != NULL && old->ended && !ended)
		count_end_locked(r, old->sheet.size - size);
	if (e == OK)
		begin_locked(r, a);
	else if (!passing(e))
		fail_locked(r, why);
	return e;
}

enum err queue_open_locked(struct roll *r)
{
	struct why why = { "" };
	enum err e = OK;

	while (e == OK && !atomic_load(&r->failed) && (r->author == NULL || r->turning)) {
		if (r->led) {
			lock_wait(&r->mu, &r->done);
			continue;
		}
		lead_begin_locked(r);
		e = make_locked(r, &why);
		lead_end_locked(r);
	}
	return atomic_load(&r->failed) ? E_DEVICE : e;
}

/* A single writer never waits. */
static void gather_locked(struct roll *r)
{
	const uint64_t until = clock_ns() + r->barrier_ns / 4;
	const struct timespec t = { (time_t)(until / 1000000000), (long)(until % 1000000000) };

	while (r->waiting < r->expected &&
	       pthread_cond_clockwait(&r->gathered, &r->mu.mu, CLOCK_MONOTONIC, &t) != ETIMEDOUT)
		continue;
}

/* Space for what is to be written; when there is none beyond, a record says so while one can still be written. */
static void reserve_locked(struct roll *r)
{
	struct author *a = r->author;
	enum err e = OK;

	sheet_reserve(&a->sheet, a->lines.n);
	if (a->sheet.low && !a->told) {
		log_fault(FAULT_ROLL, "there is hardly any space left for the audit log: %s",
			  a->sheet.path);
		e = author_tell(a, EV_ROLL_LOW);
		a->told = e == OK;
		r->appended += e == OK;
	}
	fail_own_locked(r, e);
}

/* Takes what was appended and writes it without the lock. */
static void write_locked(struct roll *r)
{
	struct author *a = r->author;
	struct buf lines = a->lines;
	const uint64_t upto = r->appended;
	struct why why = { "" };
	struct roster_end end;
	enum err e;

	a->lines = r->spare;
	r->spare = (struct buf){ 0 };
	r->waiting = 0;
	author_end(a, &end);
	lock_drop(&r->mu);
	e = author_write(a, buf_span(&lines), &end, &why);
	lock_take(&r->mu);
	if (e == OK) {
		r->durable = upto;
		r->barriers += a->sheet.durable;
		r->bytes += lines.n;
	} else {
		fail_locked(r, &why);
	}
	buf_clear(&lines);
	r->spare = lines;
}

static void smooth_locked(struct roll *r, uint64_t took, size_t n)
{
	r->barrier_ns = r->barrier_ns == 0 ? took : (7 * r->barrier_ns + took) / 8;
	r->expected = n + r->waiting;
}

/* ---- turning over ---- */

/* The next try is when the file has grown by twice as much as before this one. */
static void put_off_locked(struct roll *r, const char *reason)
{
	struct author *a = r->author;

	a->pause = a->pause == 0 ? PAUSE : 2 * a->pause;
	if (a->pause > r->policy.rotate_bytes)
		a->pause = r->policy.rotate_bytes;
	a->turn_at = a->sheet.size + a->pause;
	log_put(LEVEL_WARNING,
		"%s of the audit log is full, and goes on until another can follow: %s",
		a->sheet.path, reason);
}

/* The space for the next file is set aside in this one, which gives it back as it ends. */
static void turn_locked(struct roll *r)
{
	struct author *old = r->author;
	struct why why = { "" };

	sheet_reserve(&old->sheet, old->lines.n + NEXT_ROOM);
	if (old->sheet.low) {
		put_off_locked(r, "there is hardly any space left");
		return;
	}
	r->turning = true;
	if (make_locked(r, &why) == OK || atomic_load(&r->failed) || old->ended)
		return;
	r->turning = false;
	put_off_locked(r, why.text);
}

static bool full(const struct roll *r)
{
	const struct sheet *s = &r->author->sheet;

	return !s->stream && r->policy.rotate_bytes != 0 && s->size >= r->policy.rotate_bytes &&
	       s->size >= r->author->turn_at;
}

/* ---- a file that somebody else touched ---- */

/* At once, since this process may not come to its end; and once more at its end, if it was not possible now. */
static void leave(struct author *a, long patience)
{
	struct why why = { "" };

	if (!a->sheet.touched || a->left)
		return;
	a->left = opening_leave(a, patience, &why) == OK;
	if (!a->left)
		log_put(LEVEL_ERROR, "the index does not say where %s of the audit log ended: %s",
			a->sheet.path, why.text);
}

static void leave_locked(struct roll *r)
{
	lock_drop(&r->mu);
	leave(r->author, LEDGER_HASTE);
	lock_take(&r->mu);
}

static void lead_locked(struct roll *r)
{
	uint64_t began;
	size_t n;

	lead_begin_locked(r);
	gather_locked(r);
	reserve_locked(r);
	n = r->waiting;
	began = clock_ns();
	if (!atomic_load(&r->failed))
		write_locked(r);
	smooth_locked(r, clock_ns() - began, n);
	if (!atomic_load(&r->failed) && full(r))
		turn_locked(r);
	if (atomic_load(&r->failed))
		leave_locked(r);
	lead_end_locked(r);
}

/* ---- callers ---- */

static bool due(const struct roll *r)
{
	const struct author *a = r->author;
	const uint64_t ns = (uint64_t)r->policy.checkpoint_seconds * 1000000000;

	return (r->policy.checkpoint_records != 0 && a->since >= r->policy.checkpoint_records) ||
	       (ns != 0 && a->mono_ns - a->signed_ns >= ns);
}

static enum err sign_locked(struct roll *r)
{
	enum err e = author_sign(r->author, EV_CHECKPOINT);

	if (e == OK)
		r->appended++;
	else
		fail_own_locked(r, e);
	return e;
}

static void give_ref(const struct author *a, struct roll_ref *ref)
{
	if (ref == NULL)
		return;
	memcpy(ref->id, a->id, sizeof(ref->id));
	ref->file = a->file;
	ref->seq = chain_seq(a->chain) - 1;
	memcpy(ref->head, chain_head(a->chain), sizeof(ref->head));
}

enum err queue_append_locked(struct roll *r, struct draft *d, struct span more, uint64_t *ticket,
			     struct roll_ref *ref)
{
	enum err e = queue_open_locked(r);

	if (e == OK)
		e = author_append(r->author, d, more);
	if (e != OK)
		return e;
	*ticket = ++r->appended;
	give_ref(r->author, ref);
	if (due(r))
		(void)sign_locked(r);
	return OK;
}

enum err queue_sign_locked(struct roll *r, uint64_t *ticket)
{
	enum err e = queue_open_locked(r);

	if (e == OK)
		e = sign_locked(r);
	*ticket = r->appended;
	return e;
}

/* Who was called to lead finds that somebody does, or that the roll failed: then nobody else would tell the others. */
enum err queue_wait_drop(struct roll *r, uint64_t ticket)
{
	enum err e;

	r->waiting++;
	if (r->waiting == r->expected)
		(void)pthread_cond_signal(&r->gathered);
	while (r->durable < ticket && !atomic_load(&r->failed)) {
		if (!r->led) {
			lead_locked(r);
			continue;
		}
		e = waiters_sleep_drop(&r->waiters, &r->mu, ticket);
		if (e != E_BUSY)
			return e;
		lock_take(&r->mu);
	}
	e = r->durable >= ticket ? OK : E_DEVICE;
	if (e != OK && !r->led)
		waiters_call_locked(&r->waiters, r->durable, true);
	queue_drop(r);
	return e;
}

void queue_drop(struct roll *r)
{
	waiters_drop(&r->waiters, &r->mu);
}

void queue_relieve_locked(struct roll *r)
{
	if (r->author != NULL && !r->led && r->author->lines.n > LINES_MAX)
		lead_locked(r);
}

/* ---- the end ---- */

static void stop(struct author *a)
{
	struct why why = { "" };
	enum err e = a->ended ? OK : author_finish(a, EV_MODULE_STOP, &why);

	if (e == OK)
		e = opening_close(a, &why);
	if (e != OK)
		log_fault(FAULT_ROLL, "%s of the audit log was not closed: %s", a->sheet.path,
			  why.text);
}

void queue_finish(struct roll *r)
{
	struct author *a = r->author;

	if (a == NULL)
		return;
	if (!atomic_load(&r->failed))
		stop(a);
	leave(a, LEDGER_PATIENCE);
	sheet_close(&a->sheet);
	if (r->first != a) {
		sheet_close(&r->first->sheet);
		author_free(r->first);
	}
	author_free(a);
	r->author = r->first = NULL;
}
