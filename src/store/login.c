/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"
#include "store/attempt.h"
#include "store/event.h"
#include "store/inside.h"
#include "store/vouch.h"

/*
 * The row of the other PIN keeps nobody out whose own is in order, who may be the one to mend it; that it was put back
 * or removed is for the log, and for doctor.
 */
static void look_at_other(struct store *s, const struct seal *k)
{
	const enum store_user other = k->user == STORE_SO ? STORE_USER : STORE_SO;
	struct head h;
	struct state st;
	bool current = true;
	enum err e = txn_read(s);

	if (e != OK)
		return;
	e = vouch_open(&s->db, k, &h, &st);
	if (e == OK)
		e = vouch_current(&s->db, &h, &st, other, &current);
	txn_end(s);
	if (e == OK && !current)
		log_fault(FAULT_PIN, "%s: " VOUCH_NOT_CURRENT ": run chancery doctor", s->path,
			  vouch_name(other));
}

enum err store_login(struct store *s, enum store_user u, struct span pin, struct seal **seal)
{
	struct attempt a = attempt_of(u);
	struct seal *k = NULL;
	enum err e = attempt_make(s, &a, pin, &k);

	if (e == OK)
		e = attempt_discharge(s, &a, k);
	attempt_end(&a);
	if (e == OK)
		look_at_other(s, k);
	if (e == OK && seal != NULL) {
		*seal = k;
		k = NULL; /* moved */
	}
	seal_free(k);
	return e;
}

/* ---- changing PINs ---- */

static enum err replace_pin(struct store *s, const struct attempt *a, const struct seal *k,
			    const struct pinkey *new_key, struct store_event *ev)
{
	enum err e = txn_write(s);

	if (e != OK)
		return e;
	e = attempt_still(s, a, k);
	if (e == OK)
		e = vouch_put(&s->db, k, a->user, new_key, ev);
	if (e == OK)
		return sure_commit(s);
	txn_end(s);
	return e;
}

static enum err rewrap(struct store *s, const struct attempt *a, const struct seal *k,
		       struct span new_pin, struct store_event *ev)
{
	struct pinkey new_key;
	enum err e =
		pinkey_make(&s->policy, &a->key, &a->ident, a->user, new_pin, k->data, &new_key);

	if (e == OK)
		e = replace_pin(s, a, k, &new_key, ev);
	if (e != OK)
		(void)attempt_discharge(s, a, k);
	return e;
}

enum err store_set_pin(struct store *s, enum store_user u, struct span old, struct span new_pin,
		       struct store_event *ev)
{
	struct attempt a = attempt_of(u);
	struct seal *k = NULL;
	enum err e = s->read_only ? E_WRITE_PROTECTED : pinkey_acceptable(new_pin);

	if (e != OK)
		return e;
	e = attempt_make(s, &a, old, &k);
	if (e == OK)
		e = rewrap(s, &a, k, new_pin, ev);
	event_unsettle(ev, e);
	attempt_end(&a);
	seal_free(k);
	return e;
}

/* The row of the SO's PIN, whose cost the user's does not undercut. */
static enum err read_so(struct store *s, struct attempt *a)
{
	enum err e = txn_read(s);

	if (e != OK)
		return e;
	e = attempt_row(s, a);
	txn_end(s);
	return e;
}

static enum err put_user_pin(struct store *s, const struct seal *so, const struct pinkey *key,
			     struct store_event *ev)
{
	enum err e = txn_write(s);

	if (e != OK)
		return e;
	e = seal_fits(so, &s->ident) ? OK : E_DEVICE_REMOVED;
	if (e == OK)
		e = vouch_put(&s->db, so, STORE_USER, key, ev);
	if (e == OK)
		return sure_commit(s);
	txn_end(s);
	return e;
}

enum err store_init_pin(struct store *s, const struct seal *so, struct span new_pin,
			struct store_event *ev)
{
	struct attempt a = attempt_of(STORE_SO);
	struct pinkey key;
	enum err e = so != NULL && so->user == STORE_SO ? OK : E_NOT_LOGGED_IN;

	if (e == OK)
		e = s->read_only ? E_WRITE_PROTECTED : pinkey_acceptable(new_pin);
	if (e == OK)
		e = read_so(s, &a);
	if (e == OK)
		e = pinkey_make(&s->policy, &a.key, &so->ident, STORE_USER, new_pin, so->data,
				&key);
	if (e == OK)
		e = put_user_pin(s, so, &key, ev);
	event_unsettle(ev, e);
	return e;
}
