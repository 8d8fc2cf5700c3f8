/* SPDX-License-Identifier: Apache-2.0 */
#include "store/event.h"

#include "store/inside.h"
#include "store/stmt.h"

enum err event_put(struct db *d, struct span body)
{
	struct stmt q = stmt_on(d, Q_EVENT_PUT);

	stmt_blob(&q, 1, body);
	return stmt_run(&q);
}

/* Hands over the first event after *seq; *more false: there is none. */
static enum err hand_over(struct db *d, uint64_t *seq, bool *more, store_event_cb *cb, void *arg)
{
	struct stmt q = stmt_on(d, Q_EVENT_NEXT);
	uint64_t this = 0;
	struct span body = { NULL, 0 };

	stmt_u64(&q, 1, *seq);
	*more = false;
	if (stmt_next(&q, more) == OK && *more) {
		this = stmt_col_u64(&q, 0);
		body = stmt_col_blob(&q, 1);
	}
	if (q.e == OK && *more)
		q.e = cb(arg, body);
	if (q.e == OK && *more)
		*seq = this;
	return stmt_end(&q);
}

static enum err forget(struct db *d, uint64_t until)
{
	struct stmt q = stmt_on(d, Q_EVENT_DROP);

	stmt_u64(&q, 1, until);
	return stmt_run(&q);
}

/* Most calls find nothing, and need no right to write to learn that. */
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

/* What was handed over is removed even when the callback stopped half way. */
static enum err drain(struct store *s, store_event_cb *cb, void *arg)
{
	uint64_t seq = 0;
	bool more = true;
	enum err e = txn_write(s), e2;

	if (e != OK)
		return e;
	while (e == OK && more)
		e = hand_over(&s->db, &seq, &more, cb, arg);
	e2 = seq != 0 ? forget(&s->db, seq) : OK;
	if (e2 == OK && seq != 0)
		e2 = txn_commit(s);
	else
		txn_end(s);
	return e == OK ? e2 : e;
}

/* The right to write is held meanwhile: two processes do not hand over the same event. */
enum err store_events_drain(struct store *s, store_event_cb *cb, void *arg)
{
	bool some = false;
	enum err e = any(s, &some);

	return e == OK && some ? drain(s, cb, arg) : e;
}
