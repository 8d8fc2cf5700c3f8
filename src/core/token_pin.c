/* SPDX-License-Identifier: Apache-2.0 */
/* PINs are set (3.2, 5.5.8 and 5.5.9). Bytes are kept exactly: any UTF-8, no other form assumed. */
#include "core/token_internal.h"

#include "base/utf8.h"

enum err token_pin_form(struct span pin)
{
	if (pin.p == NULL && pin.n != 0)
		return E_ARGUMENTS;
	if (pin.n < TOKEN_PIN_MIN || pin.n > TOKEN_PIN_MAX)
		return E_PIN_LEN;
	return utf8_valid(pin) ? OK : E_PIN_INVALID;
}

/* What both calls want of the session and the token. */
static enum err may_set_pin(const struct session *s, const struct access *a)
{
	if (!s->rw)
		return E_SESSION_READ_ONLY;
	return a->medium->read_only ? E_WRITE_PROTECTED : OK;
}

/* t->login is held. The PIN is that of whoever is logged in, of the user if nobody is. */
static enum err set_pin_locked(struct token *t, struct session *s, struct access *a,
			       struct span old, struct span new_pin)
{
	enum store_user u = atomic_load(&t->who) == WHO_SO ? STORE_SO : STORE_USER;
	struct enrol n = enrol_of(s, t, u == STORE_SO ? EV_PIN_CHANGE_SO : EV_PIN_CHANGE);
	enum err e = may_set_pin(s, a);

	if (e == OK)
		e = token_pin_form(new_pin);
	if (e == OK)
		e = enrol_pend(&n);
	if (e != OK)
		return e;
	if (old.n > TOKEN_PIN_MAX)
		old = span(old.p, 0); /* can only be wrong; counted as such */
	e = store_set_pin(a->medium->store, u, old, new_pin, &n.kept);
	e = enrol_change(&n, a->medium->store, e);
	enrol_free(&n);
	return e;
}

/* t->login is held */
static enum err init_pin_locked(struct token *t, struct session *s, struct access *a,
				struct span new_pin)
{
	struct enrol n = enrol_of(s, t, EV_PIN_INIT);
	enum err e;

	if (a->who != WHO_SO)
		return E_NOT_LOGGED_IN;
	e = may_set_pin(s, a);
	if (e == OK)
		e = token_pin_form(new_pin);
	if (e == OK)
		e = enrol_pend(&n);
	if (e != OK)
		return e;
	e = store_init_pin(a->medium->store, a->seal, new_pin, &n.kept);
	e = enrol_change(&n, a->medium->store, e);
	enrol_free(&n);
	return e;
}

static enum err finish(struct token *t, struct access *a, enum err e)
{
	if (e == E_DEVICE_REMOVED && a != NULL)
		e = access_lost(t, a);
	access_unref(a);
	return e;
}

enum err token_set_pin(struct token *t, struct session *s, struct span old, struct span new_pin)
{
	struct access *a = NULL;
	enum err e;

	if (old.p == NULL || new_pin.p == NULL)
		return E_ARGUMENTS; /* pin_source is for login only */
	lock_take(&t->login);
	e = access_get(t, &a);
	if (e == OK)
		e = set_pin_locked(t, s, a, old, new_pin);
	lock_drop(&t->login);
	return finish(t, a, e);
}

enum err token_init_pin(struct token *t, struct session *s, struct span new_pin)
{
	struct access *a = NULL;
	enum err e;

	if (new_pin.p == NULL)
		return E_ARGUMENTS;
	lock_take(&t->login);
	e = access_get(t, &a);
	if (e == OK)
		e = init_pin_locked(t, s, a, new_pin);
	lock_drop(&t->login);
	return finish(t, a, e);
}
