/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations that give output, and the one rule for when the caller sees it: computed, the login
 * still lasts, recorded, released.
 *
 * 3.2, 5.2: a question for the length and a buffer that is too small keep the operation, every
 * other return ends it (an Update that succeeds goes on, of course). Buffers are judged before
 * anything is consumed when the length is known beforehand. When it is not (decryption that
 * removes padding), the result is computed first: a single-part operation whose result does not
 * fit starts again from its beginning, since the caller may come back with other input; the last
 * result of a multi-part operation is kept until it fits.
 */
#include "core/op_private.h"

#include "base/mem.h"

#define STAGE_MAX ((size_t)8192)

/* Where a result is put: the caller's buffer, or the operation's own until the release. */
struct place {
	struct sink to;
	bool staged;
	bool apart; /* the caller's buffer has no part of the input in it */
};

/*
 * A result that is recorded is staged, so that nobody sees it before its record, not even who
 * looks at the caller's memory meanwhile. A long one is not, a second copy of bulk data costs too
 * much: the beginning of the use is recorded before the work (announce).
 */
static bool must_stage(const struct op *op, struct out o, size_t bound)
{
	return bound > *o.n || (op->watched && bound <= STAGE_MAX);
}

static enum err place_for(struct op *op, struct span in, struct out o, size_t bound,
			  struct place *pl)
{
	enum err e = OK;

	pl->apart = !span_overlap(in, span(o.p, bound));
	pl->staged = !pl->apart || must_stage(op, o, bound);
	if (pl->staged)
		e = buf_reserve(&op->out, bound);
	pl->to = sink(pl->staged ? op->out.p : o.p, bound);
	return e;
}

/* After an error nothing is left of the result, and in the caller's buffer nothing that a result could be taken for; input that lies there is kept. */
static void wipe_place(const struct place *pl, struct out o)
{
	mem_wipe(pl->to.p, pl->to.cap);
	if (pl->staged && pl->apart)
		mem_wipe(o.p, *o.n < pl->to.cap ? *o.n : pl->to.cap);
}

/* Gives a result of n bytes that waits in op->out to the caller, or tells the length. */
static enum err hand_out(struct op *op, struct out o)
{
	bool fits = op->out.n <= *o.n;

	*o.n = op->out.n;
	if (!fits)
		return E_TOO_SMALL;
	if (op->out.n != 0)
		memcpy(o.p, op->out.p, op->out.n);
	buf_clear(&op->out);
	return OK;
}

/* What is written to the caller's memory as it comes into being leaves ahead of the end. */
static enum err announce(struct session *s, struct op *op, const struct place *pl)
{
	return pl->staged || op->begun ? OK : op_record(s, op, EV_STREAM_BEGIN);
}

/* The event that the end of op is. */
static enum roll_event_kind event_at_end(const struct op *op)
{
	return op->begun ? EV_STREAM_END : op_rows[op->kind].event;
}

/* The beginning of a stream is recorded once, when there is something to release. */
static bool to_record(const struct op *op, enum roll_event_kind event, const struct place *pl)
{
	return event != EV_STREAM_BEGIN || (pl->to.n != 0 && !op->begun);
}

/* The release: e is how the computation ended. E_TOO_SMALL leaves the result in op->out. */
static enum err release(struct session *s, struct op *op, enum roll_event_kind event,
			struct place *pl, struct out o, enum err e)
{
	if (e == E_TOO_SMALL)
		e = E_INTERNAL; /* the room was as run_bound asked for */
	if (e == OK)
		e = op_may_use(s, op);
	if (e == OK && to_record(op, event, pl))
		e = op_record(s, op, event);
	if (e != OK) {
		wipe_place(pl, o);
		return e;
	}
	if (pl->staged) {
		op->out.n = pl->to.n;
		return hand_out(op, o);
	}
	*o.n = pl->to.n;
	return OK;
}

static enum err check_room(const struct op *op, struct out o, size_t bound)
{
	if (!op_rows[op->kind].exact || *o.n >= bound)
		return OK;
	*o.n = bound;
	return E_TOO_SMALL;
}

enum err op_check_input(struct span in, enum err too_long)
{
	if (in.n > SPAN_MAX)
		return too_long;
	return in.p == NULL && in.n != 0 ? E_ARGUMENTS : OK;
}

/* ---- single part ---- */

/* Back to how Init left it. */
static enum err rewind_op(struct op *op)
{
	op->bytes = 0;
	buf_clear(&op->out);
	return run_again(&op->run);
}

static enum err once(struct session *s, struct op *op, struct span in, struct out o)
{
	size_t bound = run_bound(&op->run, in.n, true);
	struct place pl;
	enum err e = check_room(op, o, bound);

	if (e == OK)
		e = op_may_use(s, op);
	if (e == OK)
		e = place_for(op, in, o, bound, &pl);
	if (e != OK)
		return e;
	op->used = true;
	op->bytes = in.n;
	e = announce(s, op, &pl);
	if (e == OK)
		e = run_once(&op->run, in, &pl.to);
	e = release(s, op, event_at_end(op), &pl, o, e);
	if (e == E_TOO_SMALL) {
		enum err e2 = rewind_op(op);

		if (e2 != OK)
			e = e2;
	}
	return e;
}

enum err op_once(struct session *s, enum op_kind k, struct span in, struct out o)
{
	struct op *op = op_active(s, k);
	enum err e;

	if (op == NULL)
		return E_NO_OPERATION;
	count_go(&op->count);
	e = o.n == NULL ? E_ARGUMENTS : op_check_input(in, op_rows[k].too_long);
	if (e == OK && op->phase != OP_READY)
		e = op_in_parts(k);
	if (e == OK && o.p == NULL) {
		*o.n = run_bound(&op->run, in.n, true);
		return OK;
	}
	if (e == OK)
		e = once(s, op, in, o);
	return e != E_TOO_SMALL ? op_end(s, op, e) : e;
}

/* ---- multi-part ---- */

enum err op_multipart(const struct op *op)
{
	if ((op->run.mech->traits & MECH_SINGLE) != 0)
		return E_NO_OPERATION; /* there is no multi-part operation of this mechanism */
	return op->phase == OP_DONE ? E_OPERATION_ACTIVE : OK;
}

size_t op_part_bound(const struct op *op, size_t n)
{
	return run_buffered(&op->run) ? 0 : run_bound(&op->run, n, false);
}

static enum err collect(struct op *op, struct span in)
{
	enum err e = buf_put(&op->in, in);

	return e == E_DATA_LEN ? op_rows[op->kind].too_long : e;
}

enum err op_absorb(struct op *op, struct span in)
{
	struct sink none = sink(NULL, 0);

	op->phase = OP_PARTS;
	op->used = true;
	op->bytes += in.n;
	return run_buffered(&op->run) ? collect(op, in) : run_update(&op->run, in, &none);
}

/*
 * What an Update gives out leaves before the operation is complete, so its beginning is recorded
 * before the first byte; op_end or the last part records the end.
 */
static enum err stream(struct session *s, struct op *op, struct span in, struct out o)
{
	size_t bound = op_part_bound(op, in.n);
	struct place pl;
	enum err e;

	if (*o.n < bound) {
		*o.n = bound;
		return E_TOO_SMALL;
	}
	e = op_may_use(s, op);
	if (e == OK && run_buffered(&op->run)) {
		*o.n = 0;
		return op_absorb(op, in);
	}
	if (e == OK)
		e = place_for(op, in, o, bound, &pl);
	if (e != OK)
		return e;
	op->phase = OP_PARTS;
	op->used = true;
	op->bytes += in.n;
	e = announce(s, op, &pl);
	if (e == OK)
		e = run_update(&op->run, in, &pl.to);
	return release(s, op, EV_STREAM_BEGIN, &pl, o, e);
}

enum err op_update(struct session *s, enum op_kind k, struct span in, struct out o)
{
	struct op *op = op_active(s, k);
	bool streams = op_rows[k].streams;
	enum err e;

	if (op == NULL)
		return E_NO_OPERATION;
	count_go(&op->count);
	e = streams && o.n == NULL ? E_ARGUMENTS : op_check_input(in, op_rows[k].too_long);
	if (e == OK)
		e = op_multipart(op);
	if (e == OK && streams && o.p == NULL) {
		*o.n = op_part_bound(op, in.n);
		return OK;
	}
	if (e == OK && streams)
		e = stream(s, op, in, o);
	else if (e == OK && (e = op_may_use(s, op)) == OK)
		e = op_absorb(op, in);
	if (e != OK && e != E_TOO_SMALL)
		e = op_end(s, op, e);
	else
		count_rest(&op->count);
	return e;
}

static size_t final_bound(const struct op *op)
{
	if (op->phase == OP_DONE)
		return op->out.n;
	return run_bound(&op->run, op->in.n, true);
}

static enum err finish(struct session *s, struct op *op, struct out o)
{
	size_t bound = final_bound(op);
	struct place pl;
	enum err e = check_room(op, o, bound);

	if (e == OK)
		e = op_may_use(s, op);
	if (e == OK && op->phase == OP_DONE)
		return hand_out(op, o);
	if (e == OK)
		e = place_for(op, span(NULL, 0), o, bound, &pl);
	if (e != OK)
		return e;
	op->used = true;
	e = announce(s, op, &pl);
	if (e == OK)
		e = run_buffered(&op->run) ? run_once(&op->run, buf_span(&op->in), &pl.to)
					   : run_final(&op->run, &pl.to);
	e = release(s, op, event_at_end(op), &pl, o, e);
	op->phase = OP_DONE;
	return e;
}

enum err op_final(struct session *s, enum op_kind k, struct out o)
{
	struct op *op = op_active(s, k);
	enum err e = OK;

	if (op == NULL)
		return E_NO_OPERATION;
	count_go(&op->count);
	if (o.n == NULL)
		e = E_ARGUMENTS;
	else if (op->phase != OP_DONE)
		e = op_multipart(op);
	if (e == OK && o.p == NULL) {
		*o.n = final_bound(op);
		return OK;
	}
	if (e == OK)
		e = finish(s, op, o);
	return e != E_TOO_SMALL ? op_end(s, op, e) : e;
}
