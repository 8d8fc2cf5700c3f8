/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is logged in (3.2, 5.6.8 to 5.6.11): one state for all sessions of the application. token.login is held from the first
 * check to the last step, the PIN's key derivation included: logins to one token come one after the other. Nothing
 * else waits for it.
 */
#include "core/release.h"
#include "core/token_internal.h"

#include "base/log.h"
#include "base/pin.h"

unsigned token_epoch(const struct token *t)
{
	return atomic_load_explicit(&t->epoch, memory_order_acquire);
}

struct attr_who token_who(const struct token *t)
{
	enum who who = atomic_load_explicit(&t->who, memory_order_acquire);

	return (struct attr_who){
		.user = who == WHO_USER,
		.so = who == WHO_SO,
		.compat = atomic_load(&t->conf)->compat,
	};
}

CK_STATE token_state(const struct token *t, bool rw)
{
	static const CK_STATE states[][2] = {
		[WHO_NOBODY] = { CKS_RO_PUBLIC_SESSION, CKS_RW_PUBLIC_SESSION },
		[WHO_USER] = { CKS_RO_USER_FUNCTIONS, CKS_RW_USER_FUNCTIONS },
		[WHO_SO] = { CKS_RW_SO_FUNCTIONS, CKS_RW_SO_FUNCTIONS },
	};

	return states[atomic_load_explicit(&t->who, memory_order_acquire)][rw];
}

/* ---- the PIN ---- */

/* A PIN that is tried. */
struct trial {
	enum store_user user;
	enum roll_event_kind event;
	struct span pin;
};

static struct trial trial_of(enum who who, struct span pin)
{
	const bool so = who == WHO_SO;

	return (struct trial){ so ? STORE_SO : STORE_USER, so ? EV_LOGIN_SO : EV_LOGIN, pin };
}

/* The PIN to try: the caller's, or if there is none that of the configured source, in own. */
static enum err pin_to_try(const struct token *t, struct span *pin, struct buf *own)
{
	const char *source = atomic_load(&t->conf)->pin_source;
	struct why why = { .text = "out of memory" };
	enum err e;

	if (pin->p == NULL && (source == NULL || pin->n != 0))
		return E_ARGUMENTS;
	if (pin->p == NULL) {
		e = pin_read(source, PIN_FOR_MODULE, NULL, own, &why);
		if (e != OK) {
			log_fault(FAULT_PIN_SOURCE, "%s", why.text);
			return e == E_MEMORY ? e : E_FAILED;
		}
		*pin = buf_span(own);
	}
	/* one that is too long can only be wrong, and is to cost and count like any other */
	if (pin->n > TOKEN_PIN_MAX)
		*pin = span(pin->p, 0);
	return OK;
}

/*
 * Recorded however it ends; when that is known not to be possible, the PIN is not tried, and when it turns out not to be, nobody is told whether it
 * was right. On an error there is no seal.
 */
static enum err check_pin(struct token *t, struct session *s, struct access *a,
			  const struct trial *trial, struct seal **seal)
{
	struct enrol n = enrol_of(s, t, trial->event);
	enum err e = release_ready(t), e2;

	if (e != OK)
		return e;
	e = store_login(a->medium->store, trial->user, trial->pin, seal);
	e2 = enrol_commit(&n, e);
	if (e == OK && e2 != OK && seal != NULL) {
		seal_free(*seal);
		*seal = NULL;
	}
	if (e2 != OK)
		e = e2;
	return e == E_DEVICE_REMOVED ? access_lost(t, a) : e;
}

/* ---- login ---- */

/* Between the check and the end no R/O session may come: session_open looks the other way round (token_attach). */
static enum err so_alone(struct token *t)
{
	return atomic_load(&t->ro_sessions) == 0 ? OK : E_SESSION_READ_ONLY_EXISTS;
}

static enum err may_login_locked(struct token *t, enum who who)
{
	enum who now = atomic_load(&t->who);

	if (now != WHO_NOBODY)
		return now == who ? E_ALREADY_LOGGED_IN : E_OTHER_LOGGED_IN;
	return who == WHO_SO ? so_alone(t) : OK;
}

/* Takes over seal. */
static enum err become_locked(struct token *t, struct access *a, enum who who, struct seal *seal)
{
	struct access *next = NULL, *old = NULL;
	enum err e = access_as(a, seal, who, &next);

	if (e != OK)
		return e;
	rwlock_write(&t->rw);
	if (t->access != NULL && t->access->medium == a->medium) {
		access_swap_locked(t, next, &old);
		next = NULL; /* moved */
	} else {
		e = E_DEVICE_REMOVED;
	}
	rwlock_drop(&t->rw);
	access_unref(next);
	access_unref(old);
	return e;
}

/* t->login is held */
static enum err login_locked(struct token *t, struct session *s, struct access *a, enum who who,
			     struct span pin)
{
	const struct trial trial = trial_of(who, pin);
	struct seal *seal = NULL;
	enum err e = may_login_locked(t, who);

	if (e == OK)
		e = check_pin(t, s, a, &trial, &seal);
	if (e != OK)
		return e;
	e = become_locked(t, a, who, seal);
	if (e == OK && who == WHO_SO && (e = so_alone(t)) != OK)
		token_step_down_locked(t);
	if (e == OK)
		token_uses_adopt(t);
	return e;
}

/*
 * 3.2, 5.6.8: another proof for one use of a key with CKA_ALWAYS_AUTHENTICATE; the login state stays. t->login is held.
 */
static enum err login_context_locked(struct token *t, struct access *a, struct session *s,
				     struct span pin)
{
	const struct trial trial = { STORE_USER, EV_LOGIN_CONTEXT, pin };
	enum err e;

	if (!op_waiting(s))
		return E_NO_OPERATION;
	if (atomic_load(&t->who) != WHO_USER)
		return E_NOT_LOGGED_IN;
	e = check_pin(t, s, a, &trial, NULL);
	return e == OK ? op_authenticated(s) : e;
}

static enum err login_as(struct token *t, struct session *s, CK_USER_TYPE type, struct span pin)
{
	struct access *a = NULL;
	enum err e;

	lock_take(&t->login);
	e = access_get(t, &a);
	if (e == OK && type == CKU_CONTEXT_SPECIFIC)
		e = login_context_locked(t, a, s, pin);
	else if (e == OK)
		e = login_locked(t, s, a, type == CKU_SO ? WHO_SO : WHO_USER, pin);
	lock_drop(&t->login);
	access_unref(a);
	return e;
}

enum err token_login(struct token *t, struct session *s, CK_USER_TYPE type, struct span pin)
{
	struct buf own = { .secret = true };
	enum err e;

	if (type != CKU_SO && type != CKU_USER && type != CKU_CONTEXT_SPECIFIC)
		return E_USER_TYPE;
	if (type == CKU_SO && pin.p == NULL)
		return E_ARGUMENTS; /* pin_source has the user's */
	e = pin_to_try(t, &pin, &own);
	if (e == OK)
		e = login_as(t, s, type, pin);
	buf_free(&own);
	return e;
}

/* ---- logout ---- */

static bool needs_login(const struct entry *e)
{
	return e->object->sight != SIGHT_ALL;
}

void token_step_down_locked(struct token *t)
{
	struct access *next = NULL, *old = NULL, *now = NULL;
	struct entry *gone;
	enum err e;

	token_uses_settle(t);
	e = access_get(t, &now);
	if (e == OK)
		e = access_as(now, NULL, WHO_NOBODY, &next);
	rwlock_write(&t->rw);
	atomic_fetch_add(&t->epoch, 1);
	gone = map_sweep(t, needs_login);
	/* without memory for a new access there is none: the token counts as taken away rather than as logged in */
	access_swap_locked(t, next, &old);
	if (e != OK) {
		atomic_fetch_add(&t->insertion, 1);
		atomic_store(&t->stale, true);
	}
	rwlock_drop(&t->rw);
	map_bury(gone);
	access_unref(old);
	access_unref(now);
}

/* unused: only if no session came meanwhile. A login counts its session first, so it is seen here or comes after. */
static enum err logout(struct token *t, struct session *s, bool unused)
{
	struct enrol n = enrol_of(s, t, EV_LOGOUT);
	enum err e = unused ? OK : E_NOT_LOGGED_IN;

	lock_take(&t->login);
	if (atomic_load(&t->who) != WHO_NOBODY && !(unused && token_has_sessions(t))) {
		token_step_down_locked(t);
		e = enrol_commit(&n, OK);
	}
	lock_drop(&t->login);
	return e;
}

enum err token_logout(struct token *t, struct session *s)
{
	return logout(t, s, false);
}

enum err token_logout_unused(struct token *t)
{
	return logout(t, NULL, true);
}
