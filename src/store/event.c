/* SPDX-License-Identifier: Apache-2.0 */
#include "store/event.h"

#include "base/buf.h"
#include "store/grow.h"
#include "store/stmt.h"
#include "store/turn.h"

enum err event_put(struct db *d, struct head *h, struct store_event *ev)
{
	struct stmt q;

	if (ev == NULL || ev->body.n == 0)
		return OK;
	q = stmt_on(d, Q_EVENT_PUT);
	stmt_u64(&q, 1, h->next_event);
	stmt_blob(&q, 2, ev->body);
	if (stmt_run(&q) != OK)
		return q.e;
	ev->number = h->next_event++;
	return OK;
}

void event_unsettle(struct store_event *ev, enum err e)
{
	if (ev != NULL && e != OK)
		ev->number = 0;
}

/* ---- what is done ---- */

/* s->over is held. Without memory it is not noted: the event stays, and is recorded once more. */
static void note_locked(struct store *s, uint64_t number)
{
	uint64_t *v = grow(s->done.v, s->done.n, &s->done.room, sizeof(*v));

	if (v == NULL)
		return;
	s->done.v = v;
	v[s->done.n++] = number;
}

void store_event_done(struct store *s, uint64_t number)
{
	if (number == 0)
		return;
	lock_take(&s->over);
	note_locked(s, number);
	lock_drop(&s->over);
}

struct numbers event_done_take(struct store *s)
{
	struct numbers done;

	lock_take(&s->over);
	done = s->done;
	s->done = (struct numbers){ NULL, 0, 0 };
	lock_drop(&s->over);
	return done;
}

void event_done_end(struct store *s, struct numbers *done, bool over)
{
	lock_take(&s->over);
	for (size_t i = 0; !over && i < done->n; i++)
		note_locked(s, done->v[i]);
	lock_drop(&s->over);
	mem_free(done->v);
}

static enum err forget_one(struct db *d, uint64_t number)
{
	struct stmt q = stmt_on(d, Q_EVENT_DROP);

	stmt_u64(&q, 1, number);
	return stmt_run(&q);
}

enum err event_forget(struct db *d, const struct numbers *done)
{
	enum err e = OK;

	for (size_t i = 0; e == OK && i < done->n; i++)
		e = forget_one(d, done->v[i]);
	return e;
}

/* No change, so the token's row stays as it is. */
static enum err settle(struct store *s, const struct numbers *done)
{
	enum err e = txn_write(s);

	if (e != OK)
		return e;
	e = event_forget(&s->db, done);
	if (e == OK)
		return txn_commit(s);
	txn_end(s);
	return e;
}

void event_settle(struct store *s)
{
	struct numbers done = event_done_take(s);

	event_done_end(s, &done, done.n == 0 || settle(s, &done) == OK);
}

/* ---- what others left ---- */

/* The first event after *number, in body; *more false: there is none. */
static enum err next(struct db *d, uint64_t *number, struct buf *body, bool *more)
{
	struct stmt q = stmt_on(d, Q_EVENT_NEXT);

	stmt_u64(&q, 1, *number);
	*more = false;
	buf_clear(body);
	if (stmt_next(&q, more) == OK && *more) {
		*number = stmt_col_u64(&q, 0);
		q.e = buf_put(body, stmt_col_blob(&q, 1));
	}
	return stmt_end(&q);
}

static enum err read_next(struct store *s, uint64_t *number, struct buf *body, bool *more)
{
	enum err e = txn_read(s);

	if (e != OK)
		return e;
	e = next(&s->db, number, body, more);
	txn_end(s);
	return e;
}

static bool is_done(struct store *s, uint64_t number)
{
	bool yes = false;

	lock_take(&s->over);
	for (size_t i = 0; i < s->done.n; i++)
		yes = yes || s->done.v[i] == number;
	lock_drop(&s->over);
	return yes;
}

static enum err show_all(struct store *s, store_event_cb *cb, void *arg)
{
	struct buf body = { 0 };
	uint64_t number = 0;
	bool more = true, over;
	enum err e = OK;

	while (e == OK && more) {
		over = false;
		e = read_next(s, &number, &body, &more);
		if (e == OK && more && !is_done(s, number))
			e = cb(arg, number, buf_span(&body), &over);
		if (e == OK && over)
			store_event_done(s, number);
	}
	buf_free(&body);
	return e;
}

static enum err any(struct store *s, bool *some)
{
	uint64_t n = 0;
	enum err e = txn_read(s);

	if (e != OK)
		return e;
	e = stmt_number(&s->db, Q_EVENT_COUNT, &n);
	txn_end(s);
	*some = n != 0;
	return e;
}

/* Most calls find nothing. What is over is forgotten at once: another process is not to find it when the turn is let go. */
enum err store_events_drain(struct store *s, store_event_cb *cb, void *arg)
{
	bool some = false;
	int turn = -1;
	enum err e = any(s, &some);

	if (e != OK || !some || s->read_only)
		return e;
	turn = turn_try(s->path);
	if (turn < 0)
		return OK;
	e = show_all(s, cb, arg);
	event_settle(s);
	turn_drop(turn);
	return e;
}
