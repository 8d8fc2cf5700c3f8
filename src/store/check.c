/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that can be wrong with a token, for doctor. All of it in one transaction: others wait to write. */
#include "store/head.h"
#include "store/inside.h"
#include "store/lookup.h"
#include "store/schema.h"
#include "store/useset.h"
#include "store/vouch.h"
#include <stdarg.h>
#include <stdio.h>

struct check {
	struct store *s;
	const struct seal *k;
	store_check_cb *cb;
	void *arg;
	struct head head;
	bool bad;
	uint64_t rows, unsealed;
};

static void say(struct check *c, bool bad, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void say(struct check *c, bool bad, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	c->bad = c->bad || bad;
	c->cb(c->arg, bad, text);
}

/* Damage is a finding, and the check goes on; anything else ends it. */
static enum err found(struct check *c, enum err e, const char *what)
{
	if (e != E_CORRUPT)
		return e;
	say(c, true, "%s", what);
	return OK;
}

/* ---- structure ---- */

static enum err check_pages(struct check *c)
{
	struct stmt q = stmt_on(&c->s->db, Q_INTEGRITY);
	bool row = true;

	while (stmt_next(&q, &row) == OK && row) {
		const char *text = (const char *)sqlite3_column_text(q.st, 0);

		if (text == NULL || strcmp(text, "ok") != 0)
			say(c, true, "the database is damaged: %s",
			    text != NULL ? text : "no text");
	}
	return found(c, stmt_end(&q), "the database is damaged");
}

static enum err check_schema(struct check *c)
{
	bool same = true;
	enum err e = schema_check(&c->s->db, &same);

	if (e == OK && !same)
		say(c, true, "the database has other tables, indexes, triggers or views than ours");
	return found(c, e, "the database's schema is damaged");
}

/* ---- the token's own rows ---- */

/* st: NULL when no seal opens it. */
static enum err check_pin(struct check *c, enum store_user u, const struct state *st)
{
	struct pinkey pk;
	uint32_t failures = 0;
	bool set = false, current = true;
	enum err e = head_pin_get(&c->s->db, &c->head.ident, u, &set, &pk, &failures);

	if (e == E_CORRUPT || (e == OK && u == STORE_SO && !set)) {
		say(c, true, "the row of the %s PIN is damaged or missing", vouch_name(u));
		return OK;
	}
	if (e == OK && st != NULL)
		e = vouch_current(&c->s->db, &c->head, st, u, &current);
	if (e == OK && !current)
		say(c, true, VOUCH_NOT_CURRENT, vouch_name(u));
	else if (e == OK && set && failures >= c->s->policy.pin_max)
		say(c, false, "the %s PIN is locked", vouch_name(u));
	return e;
}

static enum err check_head(struct check *c)
{
	struct state st, *opened = c->k != NULL ? &st : NULL;
	enum err e = opened != NULL ? vouch_open(&c->s->db, c->k, &c->head, opened)
				    : head_get(&c->s->db, &c->head);

	if (e == OK)
		e = check_pin(c, STORE_SO, opened);
	return e == OK ? check_pin(c, STORE_USER, opened) : e;
}

/* ---- objects ---- */

static bool counters_fit(const struct check *c, const struct row *row)
{
	return row->id != 0 && row->id < c->head.next_id && row->version != 0 &&
	       row->changed != 0 && row->changed <= c->head.changes;
}

/* Nobody but who may write without a login makes such a row. */
static void check_sealed(struct check *c, const struct row *row)
{
	if (row->tag.n != 0)
		return;
	c->unsealed++;
	if (!c->s->policy.public_write)
		say(c, true, "object %llu has no seal, and public_write is off",
		    (unsigned long long)row->id);
}

/* A public row can be found under what it says of itself, even when nobody is logged in to verify that. */
static enum err check_index(const struct check *c, const struct row *row, const struct record *r)
{
	uint64_t label = 0, id = 0;
	enum err e =
		record_index(c->head.salt, CKA_LABEL, attrset_bytes(r->attrs, CKA_LABEL), &label);

	if (e == OK)
		e = record_index(c->head.salt, CKA_ID, attrset_bytes(r->attrs, CKA_ID), &id);
	return e == OK && (label != row->label_ix || id != row->id_ix) ? E_CORRUPT : e;
}

static bool sight_fits(const struct check *c, const struct row *row, const struct record *r)
{
	return c->s->policy.sight == NULL || c->s->policy.sight(r->attrs) == row->sight;
}

static enum err check_content(const struct check *c, const struct row *row)
{
	struct record r = { 0 };
	enum err e;

	if (row->sight != SIGHT_ALL && c->k == NULL)
		return OK;
	e = record_open(c->k, row, &r);
	if (e == OK && !sight_fits(c, row, &r))
		e = E_CORRUPT;
	if (e == OK && row->sight == SIGHT_ALL)
		e = check_index(c, row, &r);
	record_clear(&r);
	return e;
}

/* read: how the reading of its columns went. */
static enum err check_row(struct check *c, const struct row *row, enum err read)
{
	enum err e = read;

	c->rows++;
	if (e == OK)
		check_sealed(c, row);
	if (e == OK)
		e = counters_fit(c, row) ? check_content(c, row) : E_CORRUPT;
	if (e != E_CORRUPT)
		return e;
	say(c, true, "object %llu is damaged or was altered", (unsigned long long)row->id);
	return OK;
}

/* A row that is damaged does not keep the others from being looked at. */
static enum err check_rows(struct check *c)
{
	struct stmt q = stmt_on(&c->s->db, Q_OBJECTS_ALL);
	struct row row;
	bool more = true;

	while (stmt_next(&q, &more) == OK && more) {
		lookup_row(&q, &row);
		q.e = check_row(c, &row, q.e);
	}
	return found(c, stmt_end(&q), "the table of objects is damaged");
}

static enum err check_root(struct check *c)
{
	if (c->k == NULL) {
		say(c, false, "seals were not checked, for that needs a PIN");
		return OK;
	}
	return found(c, lookup_check_root(&c->s->db, c->k),
		     "objects are missing, were altered, or were set back to an earlier state");
}

static enum err check_uses(struct check *c)
{
	if (c->k == NULL)
		return OK;
	return found(c, useset_check(&c->s->db, c->k),
		     "the counts of uses were altered, or are not all there");
}

static enum err check_events(struct check *c)
{
	uint64_t n = 0;
	enum err e = stmt_number(&c->s->db, Q_EVENT_COUNT, &n);

	if (e == OK && n != 0)
		say(c, false, "%llu records wait for the audit log", (unsigned long long)n);
	return found(c, e, "the table of pending records is damaged");
}

static enum err check_all(struct check *c)
{
	enum err e = check_pages(c);

	if (e == OK)
		e = check_schema(c);
	if (e == OK)
		e = check_head(c);
	if (e == E_CORRUPT)
		return found(
			c, e,
			"the token's own row is damaged, or its sealed state is an earlier one");
	if (e == OK)
		e = check_rows(c);
	if (e == OK)
		e = check_root(c);
	if (e == OK)
		e = check_uses(c);
	if (e == OK)
		e = check_events(c);
	if (e == OK)
		say(c, false, "%llu objects, %llu of them without a seal",
		    (unsigned long long)c->rows, (unsigned long long)c->unsealed);
	return e;
}

enum err store_check(struct store *s, const struct seal *k, store_check_cb *cb, void *arg)
{
	struct check c = { .s = s, .k = k, .cb = cb, .arg = arg };
	enum err e = txn_read(s);

	if (e != OK)
		return e;
	e = k == NULL || seal_fits(k, &s->ident) ? check_all(&c) : E_DEVICE_REMOVED;
	txn_end(s);
	return e == OK && c.bad ? E_CORRUPT : e;
}
