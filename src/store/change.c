/* SPDX-License-Identifier: Apache-2.0 */
#include "store/change.h"

#include "store/lookup.h"
#include "store/vouch.h"

/* So many changes back, removals are remembered one by one; and they are looked through every so many changes. */
#define REMOVED_KEPT  65536
#define REMOVED_EVERY 4096

enum err change_begin(struct db *d, struct tally *t)
{
	enum err e = head_get(d, &t->head);

	t->k = NULL;
	t->head.changes++;
	return e;
}

/* Callers of one transaction may have different seals of the same data key: one opens the state for all. */
static enum err use_seal(struct db *d, struct tally *t, const struct seal *k)
{
	struct head before;
	enum err e;

	if (k == NULL || t->k != NULL)
		return OK;
	e = vouch_open(d, k, &before, &t->state);
	if (e == OK)
		t->k = k;
	return e;
}

/* ---- the row that is there ---- */

/* E_OBJECT_HANDLE when it is not, or not in this version. What was sealed can be changed with a seal only. */
static enum err check_old(const struct row *old, bool found, const struct seal *k,
			  const struct store_change *c)
{
	if (!found || old->version != c->rec->version)
		return E_OBJECT_HANDLE;
	return k == NULL && (old->sight != SIGHT_ALL || old->tag.n != 0) ? E_NOT_LOGGED_IN : OK;
}

/* One that was altered is not changed: what it says now never was in the sum. */
static enum err check_genuine(const struct row *old, const struct seal *k)
{
	struct record r = { 0 };
	enum err e = record_open(k, old, &r);

	record_clear(&r);
	return e;
}

/* Takes the old row out of the sum. */
static enum err retire(struct db *d, struct tally *t, const struct seal *k,
		       const struct store_change *c)
{
	struct stmt q = stmt_on(d, Q_OBJECT_GET);
	struct row old;
	bool found = false;

	stmt_u64(&q, 1, c->rec->id);
	if (stmt_next(&q, &found) == OK && found)
		lookup_row(&q, &old);
	if (q.e == OK)
		q.e = check_old(&old, found, k, c);
	if (q.e == OK)
		q.e = check_genuine(&old, k);
	if (q.e == OK && k != NULL)
		q.e = state_sub(&t->state, t->k, &old);
	return stmt_end(&q);
}

/* ---- the new row ---- */

/* A new record takes no other's place, whatever the counter of ids says: that is not sealed. */
static enum err write_row(struct db *d, const struct row *row)
{
	struct stmt q = stmt_on(d, row->version == 1 ? Q_OBJECT_NEW : Q_OBJECT_PUT);

	stmt_u64(&q, 1, row->id);
	stmt_u64(&q, 2, row->version);
	stmt_u64(&q, 3, row->changed);
	stmt_u64(&q, 4, row->sight);
	stmt_u64(&q, 5, row->cls);
	stmt_u64(&q, 6, row->label_ix);
	stmt_u64(&q, 7, row->id_ix);
	stmt_blob(&q, 8, row->tag);
	stmt_blob(&q, 9, row->blob);
	return stmt_run(&q);
}

static enum err put(struct db *d, struct tally *t, const struct seal *k, const struct record *r,
		    uint64_t id, uint64_t version)
{
	struct row row = { .id = id,
			   .version = version,
			   .changed = t->head.changes,
			   .sight = r->sight };
	struct buf out = { 0 };
	enum err e = record_seal(k, t->head.salt, r, &row, &out);

	if (e == OK && k != NULL)
		e = state_add(&t->state, t->k, &row);
	if (e == OK)
		e = write_row(d, &row);
	buf_free(&out);
	return e;
}

/* ---- the three kinds ---- */

static enum err create(struct db *d, struct tally *t, const struct seal *k, struct record *r)
{
	enum err e = r->id == 0 && t->head.next_id < INT64_MAX ? OK : E_INTERNAL;

	if (e == OK)
		e = put(d, t, k, r, t->head.next_id, 1);
	if (e != OK)
		return e;
	r->id = t->head.next_id++;
	r->version = 1;
	return OK;
}

static enum err replace(struct db *d, struct tally *t, const struct seal *k,
			const struct store_change *c)
{
	enum err e = retire(d, t, k, c);

	if (e == OK)
		e = put(d, t, k, c->rec, c->rec->id, c->rec->version + 1);
	if (e == OK)
		c->rec->version++;
	return e;
}

/* Others are told of a removal by a row of its own, for a while. */
static enum err prune(struct db *d, struct tally *t)
{
	struct stmt q;

	if (t->head.changes - t->head.pruned < REMOVED_KEPT + REMOVED_EVERY)
		return OK;
	t->head.pruned = t->head.changes - REMOVED_KEPT;
	q = stmt_on(d, Q_REMOVED_PRUNE);
	stmt_u64(&q, 1, t->head.pruned);
	return stmt_run(&q);
}

static enum err drop(struct db *d, struct tally *t, const struct seal *k,
		     const struct store_change *c)
{
	struct stmt q;
	enum err e = retire(d, t, k, c);

	if (e != OK)
		return e;
	q = stmt_on(d, Q_OBJECT_DROP);
	stmt_u64(&q, 1, c->rec->id);
	e = stmt_run(&q);
	if (e != OK)
		return e;
	q = stmt_on(d, Q_REMOVED_PUT);
	stmt_u64(&q, 1, c->rec->id);
	stmt_u64(&q, 2, t->head.changes);
	e = stmt_run(&q);
	return e == OK ? prune(d, t) : e;
}

enum err change_apply(struct db *d, struct tally *t, const struct seal *k, struct store_change *c)
{
	enum err e = use_seal(d, t, k);

	if (e != OK)
		return e;
	if (c->kind == CHANGE_CREATE)
		return create(d, t, k, c->rec);
	return c->kind == CHANGE_REPLACE ? replace(d, t, k, c) : drop(d, t, k, c);
}

void change_unsettle(struct store_change *c)
{
	if (c->kind == CHANGE_CREATE) {
		c->rec->id = 0;
		c->rec->version = 0;
	} else if (c->kind == CHANGE_REPLACE) {
		c->rec->version--;
	}
}

enum err change_end(struct db *d, struct tally *t)
{
	enum err e = OK;

	if (t->k != NULL) {
		t->state.changes = t->head.changes;
		e = state_seal(&t->state, t->k, t->head.label, t->head.flags, t->head.sealed);
	} else {
		t->head.unsealed = t->head.changes;
	}
	return e == OK ? head_set(d, &t->head) : e;
}
