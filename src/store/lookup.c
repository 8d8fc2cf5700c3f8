/* SPDX-License-Identifier: Apache-2.0 */
/* Reading records. */
#include "store/grow.h"
#include "store/head.h"
#include "store/inside.h"
#include "store/lookup.h"
#include "store/stmt.h"
#include "store/vouch.h"
#include <stdlib.h>

enum sight lookup_sight(struct stmt *s, int column)
{
	uint64_t v = stmt_col_u64(s, column);

	if (s->e == OK && v > SIGHT_USER)
		s->e = E_CORRUPT;
	return s->e == OK ? (enum sight)v : SIGHT_USER;
}

void lookup_row_head(struct stmt *s, struct row *row)
{
	row->id = stmt_col_u64(s, 0);
	row->version = stmt_col_u64(s, 1);
	row->changed = stmt_col_u64(s, 2);
	row->sight = lookup_sight(s, 3);
	row->cls = stmt_col_u64(s, 4);
	row->label_ix = stmt_col_u64(s, 5);
	row->id_ix = stmt_col_u64(s, 6);
	row->tag = stmt_col_blob(s, 7);
	row->blob = span(NULL, 0);
}

void lookup_row(struct stmt *s, struct row *row)
{
	lookup_row_head(s, row);
	row->blob = stmt_col_blob(s, 8);
}

/* A seal of another generation opens nothing here: its token is gone. NULL is for public records, of any. */
static enum err begin_read(struct store *s, const struct seal *k)
{
	enum err e = txn_read(s);

	if (e == OK && k != NULL && !seal_fits(k, &s->ident)) {
		txn_end(s);
		return E_DEVICE_REMOVED;
	}
	return e;
}

/* ---- one ---- */

static enum err get_locked(struct store *s, const struct seal *k, uint64_t id, struct record *r)
{
	struct stmt q = stmt_on(&s->db, Q_OBJECT_GET);
	struct row row;
	bool found = false;

	stmt_u64(&q, 1, id);
	if (stmt_next(&q, &found) == OK && found)
		lookup_row(&q, &row);
	if (q.e == OK)
		q.e = found ? record_open(k, &row, r) : E_OBJECT_HANDLE;
	return stmt_end(&q);
}

enum err store_get(struct store *s, const struct seal *k, uint64_t id, struct record *r)
{
	enum err e = begin_read(s, k);

	if (e != OK)
		return e;
	e = get_locked(s, k, id, r);
	txn_end(s);
	return e;
}

enum err store_get_some(struct store *s, const struct seal *k, const uint64_t *ids, size_t n,
			struct record *r, enum err *each)
{
	enum err e = begin_read(s, k);

	if (e != OK)
		return e;
	for (size_t i = 0; i < n; i++)
		each[i] = get_locked(s, k, ids[i], &r[i]);
	txn_end(s);
	return OK;
}

/* ---- ids ---- */

struct ids {
	uint64_t *id;
	size_t n, room;
};

static enum err ids_add(struct ids *l, uint64_t id)
{
	uint64_t *p = grow(l->id, l->n, &l->room, sizeof(*p));

	if (p == NULL)
		return E_MEMORY;
	l->id = p;
	l->id[l->n++] = id;
	return OK;
}

static int ascending(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

/* Sorted here: SQLite would read the wide table in order rather than an index that has all it needs. */
static enum err collect(struct stmt *q, struct ids *l)
{
	bool row = true;

	while (stmt_next(q, &row) == OK && row)
		q->e = ids_add(l, stmt_col_u64(q, 0));
	if (l->n > 1)
		qsort(l->id, l->n, sizeof(*l->id), ascending);
	return stmt_end(q);
}

/* Public and sealed records are indexed under different keys; without a seal the second value finds nothing more. */
static enum err bind_index(struct stmt *q, const struct seal *k, const struct head *h,
			   CK_ATTRIBUTE_TYPE kind, struct span value)
{
	uint64_t pub = 0, sealed;
	enum err e = record_index(h->salt, kind, value, &pub);

	sealed = pub;
	if (e == OK && k != NULL)
		e = record_index(k->index, kind, value, &sealed);
	stmt_u64(q, 2, pub);
	stmt_u64(q, 3, sealed);
	return e;
}

/* By the narrowest that is given. */
static enum err query_locked(struct store *s, const struct seal *k, const struct store_query *f,
			     struct ids *l)
{
	struct head h;
	struct stmt q;
	enum err e = head_get(&s->db, &h);

	if (e != OK)
		return e;
	if (f->id != NULL) {
		q = stmt_on(&s->db, Q_FIND_ID);
		q.e = bind_index(&q, k, &h, CKA_ID, *f->id);
	} else if (f->label != NULL) {
		q = stmt_on(&s->db, Q_FIND_LABEL);
		q.e = bind_index(&q, k, &h, CKA_LABEL, *f->label);
	} else if (f->cls != CK_UNAVAILABLE_INFORMATION) {
		q = stmt_on(&s->db, Q_FIND_CLASS);
		stmt_u64(&q, 2, f->cls);
	} else {
		q = stmt_on(&s->db, Q_FIND_ANY);
	}
	stmt_u64(&q, 1, seal_sight(k));
	return collect(&q, l);
}

/* ---- the root, over all rows ---- */

static enum err sum_up(struct db *d, const struct seal *k, struct state *sum)
{
	struct stmt q = stmt_on(d, Q_OBJECTS_TAGS);
	struct row row;
	bool found = true;

	while (stmt_next(&q, &found) == OK && found) {
		lookup_row_head(&q, &row);
		if (q.e == OK)
			q.e = state_add(sum, k, &row);
	}
	return stmt_end(&q);
}

enum err lookup_check_root(struct db *d, const struct seal *k)
{
	struct head h;
	struct state st, sum = { 0 };
	enum err e = vouch_open(d, k, &h, &st);

	if (e == OK)
		e = sum_up(d, k, &sum);
	if (e == OK && (st.count != sum.count || memcmp(st.root, sum.root, sizeof(st.root)) != 0))
		e = E_CORRUPT;
	return e;
}

/* Who asks for everything learns whether it is everything. */
static enum err check_once_locked(struct store *s, const struct seal *k,
				  const struct store_query *f)
{
	enum err e = OK;

	if (s->enumerated || k == NULL || f->id != NULL || f->label != NULL ||
	    f->cls != CK_UNAVAILABLE_INFORMATION)
		return OK;
	e = lookup_check_root(&s->db, k);
	s->enumerated = e == OK;
	return e;
}

enum err store_query(struct store *s, const struct seal *k, const struct store_query *q,
		     uint64_t **ids, size_t *n)
{
	struct ids l = { 0 };
	enum err e = begin_read(s, k);

	if (e != OK)
		return e;
	e = check_once_locked(s, k, q);
	if (e == OK)
		e = query_locked(s, k, q, &l);
	txn_end(s);
	if (e != OK) {
		mem_free(l.id);
		return e;
	}
	*ids = l.id; /* moved */
	*n = l.n;
	return OK;
}

/* ---- changes ---- */

struct deltas {
	struct store_delta *d;
	size_t n, room;
};

static enum err deltas_add(struct deltas *l, uint64_t id, uint64_t version, enum sight sight)
{
	struct store_delta *p = grow(l->d, l->n, &l->room, sizeof(*p));

	if (p == NULL)
		return E_MEMORY;
	l->d = p;
	l->d[l->n++] = (struct store_delta){ id, version, sight };
	return OK;
}

static enum err add_removed(struct db *d, uint64_t since, struct deltas *l)
{
	struct stmt q = stmt_on(d, Q_REMOVED);
	bool row = true;

	stmt_u64(&q, 1, since);
	while (stmt_next(&q, &row) == OK && row)
		q.e = deltas_add(l, stmt_col_u64(&q, 0), 0, SIGHT_ALL);
	return stmt_end(&q);
}

/* Who sees a row that says so in no way we know, nobody knows: it is as if it were gone, and is damaged for who reads it. */
static enum err add_changed(struct db *d, uint64_t since, struct deltas *l)
{
	struct stmt q = stmt_on(d, Q_CHANGED);
	bool row = true;

	stmt_u64(&q, 1, since);
	while (stmt_next(&q, &row) == OK && row) {
		uint64_t id = stmt_col_u64(&q, 0), version = stmt_col_u64(&q, 1);
		enum sight sight = lookup_sight(&q, 2);

		if (q.e == E_CORRUPT) {
			q.e = OK;
			version = 0;
		}
		if (q.e == OK)
			q.e = deltas_add(l, id, version, sight);
	}
	return stmt_end(&q);
}

static enum err changes_locked(struct store *s, uint64_t since, struct deltas *l, uint64_t *now)
{
	struct head h;
	enum err e = head_get(&s->db, &h);

	if (e != OK)
		return e;
	*now = h.changes;
	/* also when the counter went back, as it does when a copy of the file was put in its place */
	if (since < h.pruned || since > h.changes) {
		e = deltas_add(l, 0, h.next_id, SIGHT_ALL);
		since = 0;
	} else {
		e = add_removed(&s->db, since, l);
	}
	return e == OK ? add_changed(&s->db, since, l) : e;
}

enum err store_changes(struct store *s, uint64_t since, struct store_delta **d, size_t *n,
		       uint64_t *now)
{
	struct deltas l = { 0 };
	uint64_t at = 0;
	enum err e = txn_read(s);

	if (e != OK)
		return e;
	e = changes_locked(s, since, &l, &at);
	txn_end(s);
	if (e != OK) {
		mem_free(l.d);
		return e;
	}
	*d = l.d; /* moved */
	*n = l.n;
	*now = at;
	return OK;
}
