/* SPDX-License-Identifier: Apache-2.0 */
#include "store/vouch.h"

#include "base/mem.h"
#include "store/event.h"
#include "store/lookup.h"

/* A row that does not open says nothing: it is damaged by itself, and refused when it is read. */
static enum err is_genuine(const struct seal *k, const struct row *row, bool *genuine)
{
	struct record r = { 0 };
	enum err e = row->tag.n != 0 ? record_open(k, row, &r) : E_CORRUPT;

	record_clear(&r);
	*genuine = e == OK;
	return e == E_CORRUPT ? OK : e;
}

/*
 * Whether a record was sealed after the state was. Records are sealed with the change counter in them, so whoever puts an
 * earlier state back would have to put back or remove each of those, too. One look into an index when there is none.
 */
static enum err any_newer(struct db *d, const struct seal *k, uint64_t changes, bool *newer)
{
	struct stmt q = stmt_on(d, Q_OBJECTS_SINCE);
	struct row row;
	bool more = true;

	*newer = false;
	stmt_u64(&q, 1, changes);
	while (!*newer && stmt_next(&q, &more) == OK && more) {
		lookup_row(&q, &row);
		if (q.e == OK)
			q.e = is_genuine(k, &row, newer);
		else if (q.e == E_CORRUPT)
			q.e = OK;
	}
	return stmt_end(&q);
}

/* Each change either sealed the state or noted that it did not. */
static bool counters_agree(const struct head *h, const struct state *st)
{
	return h->changes == (st->changes > h->unsealed ? st->changes : h->unsealed);
}

enum err vouch_open(struct db *d, const struct seal *k, struct head *h, struct state *st)
{
	bool newer = false;
	enum err e = head_get(d, h);

	if (e == OK)
		e = state_open(st, k, h->label, h->flags, span(h->sealed, sizeof(h->sealed)));
	if (e == OK && !counters_agree(h, st))
		e = E_CORRUPT;
	if (e == OK)
		e = any_newer(d, k, st->changes, &newer);
	return e == OK && newer ? E_CORRUPT : e;
}

enum err vouch_seal(struct state *st, const struct seal *k, struct head *h)
{
	h->changes++;
	st->changes = h->changes;
	return state_seal(st, k, h->label, h->flags, h->sealed);
}

enum err vouch_note(struct state *st, const struct ident *ident, enum store_user u,
		    const struct pinkey *pk)
{
	return pinkey_digest(pk, ident, u, st->pin[u]);
}

enum err vouch_current(struct db *d, const struct head *h, const struct state *st,
		       enum store_user u, bool *current)
{
	uint8_t digest[STATE_PIN] = { 0 }; /* as noted for a PIN that was never set */
	struct pinkey pk;
	uint32_t failures = 0;
	bool set = false;
	enum err e = head_pin_get(d, &h->ident, u, &set, &pk, &failures);

	*current = false;
	if (e == OK && set)
		e = pinkey_digest(&pk, &h->ident, u, digest);
	if (e == OK)
		*current = mem_equal(digest, st->pin[u], sizeof(digest));
	return e == E_CORRUPT ? OK : e;
}

const char *vouch_name(enum store_user u)
{
	return u == STORE_SO ? "SO" : "user";
}

enum err vouch_put(struct db *d, const struct seal *k, enum store_user u, const struct pinkey *pk,
		   struct store_event *ev)
{
	struct head h;
	struct state st;
	enum err e = vouch_open(d, k, &h, &st);

	if (e == OK)
		e = vouch_note(&st, &h.ident, u, pk);
	if (e == OK)
		e = vouch_seal(&st, k, &h);
	if (e == OK)
		e = event_put(d, &h, ev);
	if (e == OK)
		e = head_set(d, &h);
	return e == OK ? head_pin_put(d, &h.ident, u, pk, 0) : e;
}
