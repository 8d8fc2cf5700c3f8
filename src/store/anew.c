/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of the token itself, by its security officer. */
#include "store/attempt.h"
#include "store/event.h"
#include "store/inside.h"
#include "store/stmt.h"
#include "store/vouch.h"

/* ---- beginning anew ---- */

static enum err clear_objects(struct db *d)
{
	struct stmt s = stmt_on(d, Q_OBJECTS_CLEAR);

	return stmt_run(&s);
}

static enum err clear_removals(struct db *d, uint64_t until)
{
	struct stmt s = stmt_on(d, Q_REMOVED_PRUNE);

	stmt_u64(&s, 1, until);
	return stmt_run(&s);
}

/* They are sealed with the data key that goes. */
static enum err clear_uses(struct db *d)
{
	struct stmt s = stmt_on(d, Q_USES_CLEAR);

	return stmt_run(&s);
}

/*
 * Ids go on where they were, so that none is used twice; pending events stay, for what they record did happen. now: the row
 * as it is; next: what was made of an earlier reading of it.
 */
static enum err replace_all(struct store *s, const struct attempt *a, const struct seal *k,
			    struct head *next, const struct pinkey *so, struct store_event *ev)
{
	struct head now;
	enum err e = attempt_still(s, a, k);

	if (e == OK)
		e = head_get(&s->db, &now);
	if (e == OK && now.flags != next->flags)
		e = E_BUSY; /* set just now, after they were sealed anew */
	if (e == OK)
		e = clear_objects(&s->db);
	if (e == OK)
		e = clear_removals(&s->db, now.changes);
	if (e == OK)
		e = clear_uses(&s->db);
	if (e == OK)
		e = head_pin_drop(&s->db, STORE_USER);
	if (e != OK)
		return e;
	next->changes = now.changes + 1;
	next->unsealed = next->changes; /* the state was sealed before the counter was known */
	next->pruned = now.changes + 1;
	next->next_id = now.next_id;
	next->next_event = now.next_event;
	e = event_put(&s->db, next, ev);
	if (e == OK)
		e = head_set(&s->db, next);
	return e == OK ? head_pin_put(&s->db, &next->ident, STORE_SO, so, 0) : e;
}

static enum err begin_anew(struct store *s, const struct attempt *a, const struct seal *k,
			   struct head *next, const struct pinkey *so, struct store_event *ev)
{
	enum err e = txn_write(s);

	if (e != OK)
		return e;
	e = replace_all(s, a, k, next, so, ev);
	if (e != OK) {
		txn_end(s);
		return e;
	}
	e = txn_commit_locked(s);
	if (e == OK) {
		s->ident = next->ident;
		s->enumerated = false;
	}
	lock_drop(&s->lock);
	return e;
}

/* What C_InitToken keeps: what the token demands of those who use it. */
static enum err read_flags(struct store *s, uint32_t *flags)
{
	struct head h;
	enum err e = txn_read(s);

	if (e != OK)
		return e;
	e = head_get(&s->db, &h);
	txn_end(s);
	if (e == OK)
		*flags = h.flags;
	return e;
}

static enum err prepare_anew(struct store *s, const struct attempt *a, const struct seal *k,
			     struct span so_pin, const char *label, struct store_event *ev)
{
	struct head next = { 0 };
	struct pinkey so;
	enum err e = read_flags(s, &next.flags);

	memcpy(next.ident.serial, a->ident.serial, sizeof(next.ident.serial));
	if (e == OK)
		e = head_begin(&next, label, &s->policy, &a->key, so_pin, &so);
	if (e == OK)
		e = begin_anew(s, a, k, &next, &so, ev);
	if (e != OK)
		(void)attempt_discharge(s, a, k);
	return e;
}

enum err store_reinit(struct store *s, struct span so_pin, const char label[32],
		      struct store_event *ev)
{
	struct attempt a = attempt_of(STORE_SO);
	struct seal *k = NULL;
	enum err e = s->read_only ? E_WRITE_PROTECTED : attempt_make(s, &a, so_pin, &k);

	if (e == OK)
		e = prepare_anew(s, &a, k, so_pin, label, ev);
	event_unsettle(ev, e);
	attempt_end(&a);
	seal_free(k);
	return e;
}

/* ---- what is sealed of the token's row, changed by its security officer ---- */

typedef void edit_fn(struct head *h, const void *arg);

static enum err edit(struct store *s, const struct seal *so, edit_fn *fn, const void *arg,
		     struct store_event *ev)
{
	struct head h;
	struct state st;
	enum err e = seal_fits(so, &s->ident) ? vouch_open(&s->db, so, &h, &st) : E_DEVICE_REMOVED;

	if (e != OK)
		return e;
	fn(&h, arg);
	e = event_put(&s->db, &h, ev);
	if (e == OK)
		e = vouch_seal(&st, so, &h);
	return e == OK ? head_set(&s->db, &h) : e;
}

static enum err edit_durably(struct store *s, const struct seal *so, edit_fn *fn, const void *arg,
			     struct store_event *ev)
{
	enum err e = so != NULL && so->user == STORE_SO ? txn_write(s) : E_NOT_LOGGED_IN;

	if (e != OK)
		return e;
	e = edit(s, so, fn, arg, ev);
	if (e == OK)
		e = sure_commit(s);
	else
		txn_end(s);
	event_unsettle(ev, e);
	return e;
}

static void set_label(struct head *h, const void *label)
{
	memcpy(h->label, label, sizeof(h->label));
}

enum err store_rename(struct store *s, const struct seal *so, const char label[32],
		      struct store_event *ev)
{
	return edit_durably(s, so, set_label, label, ev);
}

static void set_audit(struct head *h, const void *on)
{
	h->flags &= ~(uint32_t)HEAD_AUDIT_REQUIRED;
	if (*(const bool *)on)
		h->flags |= HEAD_AUDIT_REQUIRED;
}

enum err store_require_audit(struct store *s, const struct seal *so, bool on,
			     struct store_event *ev)
{
	return edit_durably(s, so, set_audit, &on, ev);
}
