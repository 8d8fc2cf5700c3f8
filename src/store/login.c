/* SPDX-License-Identifier: Apache-2.0 */
#include "store/attempt.h"
#include "store/head.h"
#include "store/inside.h"

/* What the data key seals of the token itself must open: an altered label or counter is no token to work with. */
static enum err check_state(struct store *s, const struct seal *k)
{
	struct head h;
	struct state st;
	enum err e = txn_read(s);

	if (e != OK)
		return e;
	e = head_get(&s->db, &h);
	txn_end(s);
	if (e == OK)
		e = state_open(&st, k, h.label, span(h.sealed, sizeof(h.sealed)));
	if (e == OK && st.changes > h.changes)
		e = E_CORRUPT;
	return e;
}

enum err store_login(struct store *s, enum store_user u, struct span pin, struct seal **seal)
{
	struct attempt a = attempt_of(u);
	struct seal *k = NULL;
	enum err e = attempt_make(s, &a, pin, &k);

	if (e == OK)
		e = attempt_discharge(s, &a);
	attempt_end(&a);
	if (e == OK)
		e = check_state(s, k);
	if (e == OK && seal != NULL) {
		*seal = k;
		k = NULL; /* moved */
	}
	seal_free(k);
	return e;
}

/* ---- changing PINs ---- */

static enum err replace_pin(struct store *s, const struct attempt *a, const struct pinkey *new_key)
{
	enum err e = txn_write(s);

	if (e != OK)
		return e;
	e = attempt_still(s, a);
	if (e == OK)
		e = head_pin_put(&s->db, &s->ident, a->user, new_key, 0);
	if (e == OK)
		return txn_commit(s);
	txn_end(s);
	return e;
}

static enum err rewrap(struct store *s, const struct attempt *a, const struct seal *k,
		       struct span new_pin)
{
	struct pinkey new_key;
	enum err e =
		pinkey_make(&s->policy, &a->key, &a->ident, a->user, new_pin, k->data, &new_key);

	if (e == OK)
		e = replace_pin(s, a, &new_key);
	if (e != OK)
		(void)attempt_discharge(s, a);
	return e;
}

enum err store_set_pin(struct store *s, enum store_user u, struct span old, struct span new_pin)
{
	struct attempt a = attempt_of(u);
	struct seal *k = NULL;
	enum err e = s->read_only ? E_WRITE_PROTECTED : pinkey_acceptable(new_pin);

	if (e != OK)
		return e;
	e = attempt_make(s, &a, old, &k);
	if (e == OK)
		e = rewrap(s, &a, k, new_pin);
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

static enum err put_user_pin(struct store *s, const struct seal *so, const struct pinkey *key)
{
	enum err e = txn_write(s);

	if (e != OK)
		return e;
	e = seal_fits(so, &s->ident) ? OK : E_DEVICE_REMOVED;
	if (e == OK)
		e = head_pin_put(&s->db, &s->ident, STORE_USER, key, 0);
	if (e == OK)
		return txn_commit(s);
	txn_end(s);
	return e;
}

enum err store_init_pin(struct store *s, const struct seal *so, struct span new_pin)
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
	return e == OK ? put_user_pin(s, so, &key) : e;
}
