/* SPDX-License-Identifier: Apache-2.0 */
#include "core/release.h"
#include "core/token_internal.h"
#include "core/uses.h"
#include "store/meter.h"

/* After the store began anew: nothing of before is left in memory, and nobody is logged in. */
static void begin_anew_locked(struct token *t)
{
	token_step_down_locked(t);
	rwlock_write(&t->rw);
	struct entry *gone = map_sweep(t, map_every);
	rwlock_drop(&t->rw);
	map_bury(gone);
}

/* t->login is held */
static enum err reinit_locked(struct token *t, struct access *a, struct span so_pin,
			      const char *label)
{
	struct enrol n = enrol_of(NULL, t, EV_TOKEN_INIT);
	enum err e, e2;

	n.ev.token = label;
	e = enrol_pend(&n);
	if (e == OK) {
		e2 = store_reinit(a->medium->store, so_pin, label, &n.kept);
		e = enrol_change(&n, a->medium->store, e2);
		if (e2 == OK) {
			begin_anew_locked(t);
			meter_reset(token_meter(t));
			e2 = token_set_label(t, label, NULL);
		}
		if (e == OK)
			e = e2;
	}
	enrol_free(&n);
	return e;
}

enum err token_reinit(struct token *t, struct span so_pin, const char label[32])
{
	struct access *a = NULL;
	enum err e;

	lock_take(&t->login);
	e = access_get(t, &a);
	if (e == OK && a->medium->read_only)
		e = E_WRITE_PROTECTED;
	if (e == OK)
		e = reinit_locked(t, a, so_pin, label);
	lock_drop(&t->login);
	if (e == E_DEVICE_REMOVED)
		(void)access_lost(t, a);
	access_unref(a);
	return e == E_DEVICE_REMOVED ? E_TOKEN_ABSENT : e;
}

/* The security officer's PIN, as for a login that changes nothing. *seal may be NULL. */
static enum err prove_so(struct token *t, struct access *a, struct span so_pin, struct seal **seal)
{
	enum err e;

	lock_take(&t->login);
	e = store_login(a->medium->store, STORE_SO, so_pin, seal);
	lock_drop(&t->login);
	return e;
}

enum err token_check_so(struct token *t, struct span so_pin)
{
	struct access *a = NULL;
	enum err e = access_get(t, &a);

	if (e == OK)
		e = prove_so(t, a, so_pin, NULL);
	access_unref(a);
	return e;
}

/* A change by the officer whose PIN is so_pin: made with his seal, and recorded as n, also if the PIN is wrong. */
typedef enum err change_fn(struct store *s, const struct seal *so, const void *arg,
			   struct store_event *ev);

static enum err change_as_so(struct enrol *n, struct token *t, struct span so_pin, change_fn *fn,
			     const void *arg)
{
	struct access *a = NULL;
	struct seal *so = NULL;
	enum err e = enrol_pend(n);

	if (e == OK)
		e = access_get(t, &a);
	if (e == OK) {
		e = prove_so(t, a, so_pin, &so);
		if (e == OK)
			e = fn(a->medium->store, so, arg, &n->kept);
		e = enrol_change(n, a->medium->store, e);
	}
	seal_free(so);
	access_unref(a);
	return e;
}

static enum err rename_store(struct store *s, const struct seal *so, const void *label,
			     struct store_event *ev)
{
	return store_rename(s, so, label, ev);
}

enum err token_rename(struct token *t, struct span so_pin, const char label[32])
{
	struct enrol n = enrol_of(NULL, t, EV_TOKEN_RENAME);
	enum err e;

	n.ev.token = label;
	e = change_as_so(&n, t, so_pin, rename_store, label);
	if (n.kept.number != 0 || e == OK) { /* renamed, whether that is recorded or not */
		enum err e2 = token_set_label(t, label, NULL);

		if (e == OK)
			e = e2;
	}
	enrol_free(&n);
	return e;
}

static enum err require_in_store(struct store *s, const struct seal *so, const void *on,
				 struct store_event *ev)
{
	return store_require_audit(s, so, *(const bool *)on, ev);
}

enum err token_require_audit(struct token *t, struct span so_pin, bool on)
{
	struct enrol n = enrol_of(NULL, t, on ? EV_REQUIRE_AUDIT : EV_WAIVE_AUDIT);
	enum err e = change_as_so(&n, t, so_pin, require_in_store, &on);

	if (n.kept.number != 0 || e == OK)
		atomic_store(&t->audit_required, on);
	enrol_free(&n);
	return e;
}

/* What leaves the module is recorded before, and once more if it did not leave. */
enum err token_backup(struct token *t, struct span passphrase, const char *path, struct why *why)
{
	struct enrol n = enrol_of(NULL, t, EV_TOKEN_BACKUP);
	struct access *a = NULL;
	enum err e = access_get(t, &a);

	if (e == OK)
		e = enrol_commit(&n, OK);
	if (e == OK) {
		e = store_backup(a->medium->store, passphrase, path, why);
		if (e != OK)
			(void)enrol_commit(&n, e);
	}
	access_unref(a);
	return e;
}

/* A PIN that is checked is a login that leaves no one logged in, and is recorded as one. */
static enum err check_pin(struct token *t, struct access *a, CK_USER_TYPE type, struct span pin,
			  struct seal **seal)
{
	const bool so = type == CKU_SO;
	struct enrol n = enrol_of(NULL, t, so ? EV_LOGIN_SO : EV_LOGIN);
	enum err e = release_ready(t), e2;

	if (e != OK)
		return e;
	lock_take(&t->login);
	e = store_login(a->medium->store, so ? STORE_SO : STORE_USER, pin, seal);
	e2 = enrol_commit(&n, e);
	lock_drop(&t->login);
	return e2 == OK ? e : e2; /* unrecorded, a refusal says no more than a login does */
}

/* Read-only or not, what is in the token and in the files is shown. */
enum err token_uses(struct token *t, CK_USER_TYPE type, struct span pin, uses_cb *cb, void *arg)
{
	const char *serial = token_serial(t);
	struct uses *u = lib_this()->uses;
	struct access *a = NULL;
	struct seal *seal = NULL;
	enum err e = serial != NULL ? access_get(t, &a) : E_DEVICE;

	if (e == OK)
		e = check_pin(t, a, type, pin, &seal);
	if (e == OK && !a->medium->read_only)
		uses_adopt(u, a->medium->store, seal, (const uint8_t *)serial);
	if (e == OK)
		e = uses_each(u, a->medium->store, seal, (const uint8_t *)serial, cb, arg);
	seal_free(seal);
	access_unref(a);
	return e;
}

enum err token_check(struct token *t, CK_USER_TYPE type, struct span pin, store_check_cb *cb,
		     void *arg)
{
	struct access *a = NULL;
	struct seal *seal = NULL;
	enum err e = access_get(t, &a);

	if (e == OK && pin.p != NULL)
		e = check_pin(t, a, type, pin, &seal);
	if (e == OK)
		e = store_check(a->medium->store, seal, cb, arg);
	seal_free(seal);
	access_unref(a);
	return e;
}
