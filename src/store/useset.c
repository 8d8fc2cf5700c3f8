/* SPDX-License-Identifier: Apache-2.0 */
#include "store/useset.h"

#include "base/mem.h"
#include "store/inside.h"
#include "store/put.h"
#include "store/vouch.h"

static const char domain[16] = "chancery uses";

enum { FRAME = sizeof(domain) + sizeof(struct ident) + STORE_ROLL + 3 * 8 };

/* What is bound into a page's seal: which token and which page it is. */
static struct span bind(const struct seal *k, const struct useset_row *row, uint8_t frame[FRAME])
{
	struct sink s = sink(frame, FRAME);

	sink_put(&s, span(domain, sizeof(domain)));
	sink_put(&s, span(&k->ident, sizeof(k->ident)));
	sink_put(&s, span(row->roll, sizeof(row->roll)));
	put_u64(&s, row->file);
	put_u64(&s, row->part);
	put_u64(&s, row->page);
	return span(frame, s.n);
}

static struct span tag_of(struct span blob)
{
	return span(blob.p + blob.n - SEALING_TAG, SEALING_TAG);
}

static enum err sum_add(struct state *st, const struct seal *k, const struct useset_row *row)
{
	uint8_t frame[FRAME];
	enum err e = state_sum_add(st->uses, k, bind(k, row, frame), tag_of(row->blob));

	st->uses_count += e == OK;
	return e;
}

static enum err sum_sub(struct state *st, const struct seal *k, const struct useset_row *row)
{
	uint8_t frame[FRAME];
	enum err e = state_sum_sub(st->uses, k, bind(k, row, frame), tag_of(row->blob));

	st->uses_count -= e == OK;
	return e;
}

/* ---- one page ---- */

struct span useset_plain(const struct store_uses *u, uint8_t plain[USESET_PLAIN])
{
	struct sink s = sink(plain, USESET_PLAIN);

	put_u8(&s, (uint8_t)u->n);
	for (size_t i = 0; i < u->n; i++) {
		sink_put(&s, span(u->use[i].key, STORE_USE_KEY));
		put_u64(&s, u->use[i].count);
	}
	return span(plain, s.n);
}

enum err useset_parse(struct span plain, struct store_uses *u)
{
	if (plain.n == 0 || plain.n != 1 + (size_t)plain.p[0] * USESET_USE)
		return E_CORRUPT;
	u->n = plain.p[0];
	for (size_t i = 0; i < u->n; i++) {
		const uint8_t *at = plain.p + 1 + i * USESET_USE;

		memcpy(u->use[i].key, at, STORE_USE_KEY);
		u->use[i].count = le_get64(at + STORE_USE_KEY);
	}
	return OK;
}

static enum err page_open(const struct seal *k, const struct useset_row *row, struct store_uses *u)
{
	struct buf plain = { 0 };
	uint8_t frame[FRAME];
	enum err e = row->blob.n >= SEALING_EXTRA ? OK : E_CORRUPT;

	if (e == OK)
		e = sealing_open(k->uses, bind(k, row, frame), row->blob, &plain);
	if (e == OK)
		e = useset_parse(buf_span(&plain), u);
	buf_free(&plain);
	memcpy(u->roll, row->roll, sizeof(u->roll));
	u->file = row->file;
	u->part = row->part;
	u->page = row->page;
	return e;
}

static void bind_page(struct stmt *q, const struct store_uses *u)
{
	stmt_blob(q, 1, span(u->roll, sizeof(u->roll)));
	stmt_u64(q, 2, u->file);
	stmt_u64(q, 3, u->part);
	stmt_u64(q, 4, u->page);
}

static struct useset_row row_of(const struct store_uses *u, struct span blob)
{
	struct useset_row row = { .file = u->file, .part = u->part, .page = u->page, .blob = blob };

	memcpy(row.roll, u->roll, sizeof(row.roll));
	return row;
}

/* ---- putting ---- */

static struct store_use *use_of(struct store_uses *u, const uint8_t *key)
{
	for (size_t i = 0; i < u->n; i++)
		if (memcmp(u->use[i].key, key, STORE_USE_KEY) == 0)
			return &u->use[i];
	return NULL;
}

/* Each count of more that is greater, or not there yet, into u. *grew: there was one. E_CORRUPT: more keys than a page has. */
static enum err merge(struct store_uses *u, const struct store_uses *more, bool *grew)
{
	for (size_t i = 0; i < more->n; i++) {
		struct store_use *have = use_of(u, more->use[i].key);

		if (have != NULL && have->count >= more->use[i].count)
			continue;
		if (have == NULL && u->n == STORE_USE_PAGE)
			return E_CORRUPT;
		if (have == NULL)
			have = &u->use[u->n++];
		*have = more->use[i];
		*grew = true;
	}
	return OK;
}

/* What is there of this page, taken out of the sum; nothing is an empty page. */
static enum err retire(struct db *d, struct state *st, const struct seal *k, struct store_uses *u)
{
	struct stmt q = stmt_on(d, Q_USES_GET);
	struct useset_row row;
	bool found = false;

	bind_page(&q, u);
	u->n = 0;
	if (stmt_next(&q, &found) == OK && found) {
		row = row_of(u, stmt_col_blob(&q, 0));
		if (q.e == OK)
			q.e = page_open(k, &row, u);
		if (q.e == OK)
			q.e = sum_sub(st, k, &row);
	}
	return stmt_end(&q);
}

static enum err write_page(struct db *d, struct state *st, const struct seal *k,
			   const struct store_uses *u)
{
	struct useset_row row = row_of(u, span(NULL, 0));
	uint8_t plain[USESET_PLAIN], frame[FRAME];
	struct buf blob = { 0 };
	struct stmt q;
	enum err e = sealing_seal(k->uses, bind(k, &row, frame), useset_plain(u, plain), &blob);

	if (e == OK) {
		row.blob = buf_span(&blob);
		e = sum_add(st, k, &row);
	}
	if (e == OK) {
		q = stmt_on(d, Q_USES_PUT);
		bind_page(&q, u);
		stmt_blob(&q, 5, row.blob);
		e = stmt_run(&q);
	}
	buf_free(&blob);
	return e;
}

/* now: room for a page. */
static enum err put_page(struct db *d, struct state *st, const struct seal *k,
			 const struct store_uses *u, struct store_uses *now, bool *some)
{
	const struct state before = *st;
	bool grew = false;
	enum err e;

	*now = (struct store_uses){ .file = u->file, .part = u->part, .page = u->page };
	memcpy(now->roll, u->roll, sizeof(now->roll));
	e = retire(d, st, k, now);
	if (e == OK)
		e = merge(now, u, &grew);
	if (e != OK)
		return e;
	if (!grew) {
		*st = before;
		return OK;
	}
	*some = true;
	return write_page(d, st, k, now);
}

static enum err put_all(struct store *s, const struct seal *k, const struct store_uses *u, size_t n,
			bool *some)
{
	struct store_uses *room = mem_alloc(sizeof(*room));
	struct head h;
	struct state st;
	enum err e = room != NULL ? OK : E_MEMORY;

	if (e == OK)
		e = seal_fits(k, &s->ident) ? vouch_open(&s->db, k, &h, &st) : E_DEVICE_REMOVED;
	for (size_t i = 0; e == OK && i < n; i++)
		e = put_page(&s->db, &st, k, &u[i], room, some);
	if (e == OK && *some)
		e = vouch_seal(&st, k, &h);
	if (e == OK && *some)
		e = head_set(&s->db, &h);
	mem_free(room);
	return e;
}

/* Whoever reads the token holds up a commit, too. */
static enum err commit(struct store *s, bool wait)
{
	enum err e;

	s->db.impatient = !wait;
	e = sure_commit_locked(s);
	s->db.impatient = false;
	lock_drop(&s->lock);
	return e;
}

enum err store_uses_put(struct store *s, const struct seal *k, const struct store_uses *u, size_t n,
			bool wait)
{
	bool some = false;
	enum err e = E_WRITE_PROTECTED;

	if (!s->read_only)
		e = wait ? txn_write(s) : txn_write_now(s);
	if (e != OK)
		return e;
	e = put_all(s, k, u, n, &some);
	if (e == OK && some)
		return commit(s, wait);
	txn_end(s);
	return e;
}

/* ---- reading ---- */

void useset_row(struct stmt *q, struct useset_row *row)
{
	stmt_col_bytes(q, 0, row->roll, sizeof(row->roll));
	row->file = stmt_col_u64(q, 1);
	row->part = stmt_col_u64(q, 2);
	row->page = stmt_col_u64(q, 3);
	row->blob = stmt_col_blob(q, 4);
}

/* u: room for a page. */
static enum err take_rows(struct db *d, const struct seal *k, struct state *sum,
			  struct store_uses *u, store_uses_cb *cb, void *arg)
{
	struct stmt q = stmt_on(d, Q_USES_ALL);
	struct useset_row row;
	bool more = true;

	while (stmt_next(&q, &more) == OK && more) {
		useset_row(&q, &row);
		if (q.e == OK)
			q.e = page_open(k, &row, u);
		if (q.e == OK)
			q.e = sum_add(sum, k, &row);
		if (q.e == OK && cb != NULL)
			q.e = cb(arg, u);
	}
	return stmt_end(&q);
}

/* In a transaction. */
static enum err take_all(struct db *d, const struct seal *k, store_uses_cb *cb, void *arg)
{
	struct store_uses *u = mem_alloc(sizeof(*u));
	struct state st, sum = { .count = 0 };
	struct head h;
	enum err e = u != NULL ? vouch_open(d, k, &h, &st) : E_MEMORY;

	if (e == OK)
		e = take_rows(d, k, &sum, u, cb, arg);
	if (e == OK &&
	    (st.uses_count != sum.uses_count || memcmp(st.uses, sum.uses, sizeof(st.uses)) != 0))
		e = E_CORRUPT;
	mem_free(u);
	return e;
}

enum err useset_check(struct db *d, const struct seal *k)
{
	return take_all(d, k, NULL, NULL);
}

enum err store_uses_each(struct store *s, const struct seal *k, store_uses_cb *cb, void *arg)
{
	enum err e = txn_read(s);

	if (e != OK)
		return e;
	e = seal_fits(k, &s->ident) ? take_all(&s->db, k, cb, arg) : E_DEVICE_REMOVED;
	txn_end(s);
	return e;
}
