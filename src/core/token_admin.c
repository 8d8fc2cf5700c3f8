/* SPDX-License-Identifier: Apache-2.0 */
#include "core/token_internal.h"
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

enum err token_reinit(struct token *t, struct span so_pin, const char label[32])
{
	struct access *a = NULL;
	enum err e, e2;

	lock_take(&t->login);
	e = access_get(t, &a);
	if (e == OK && a->medium->read_only)
		e = E_WRITE_PROTECTED;
	if (e == OK) {
		e = store_reinit(a->medium->store, so_pin, label);
		e2 = token_record(t, EV_TOKEN_INIT, e);
		if (e == OK) {
			begin_anew_locked(t);
			meter_reset(token_meter(t));
			e = token_set_label(t, label);
		}
		if (e == OK)
			e = e2;
	}
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

enum err token_rename(struct token *t, struct span so_pin, const char label[32])
{
	struct access *a = NULL;
	struct seal *so = NULL;
	enum err e = access_get(t, &a), e2;

	if (e == OK)
		e = prove_so(t, a, so_pin, &so);
	if (e == OK) {
		e = store_rename(a->medium->store, so, label);
		e2 = token_record(t, EV_TOKEN_RENAME, e);
		if (e == OK)
			e = token_set_label(t, label);
		if (e == OK)
			e = e2;
	}
	seal_free(so);
	access_unref(a);
	return e;
}

enum err token_backup(struct token *t, struct span passphrase, const char *path, struct why *why)
{
	struct access *a = NULL;
	enum err e = access_get(t, &a), e2;

	if (e == OK) {
		e = store_backup(a->medium->store, passphrase, path, why);
		e2 = token_record(t, EV_TOKEN_BACKUP, e);
		if (e == OK)
			e = e2;
	}
	access_unref(a);
	return e;
}

enum err token_check(struct token *t, CK_USER_TYPE type, struct span pin, store_check_cb *cb,
		     void *arg)
{
	struct access *a = NULL;
	struct seal *seal = NULL;
	enum err e = access_get(t, &a);

	if (e == OK && pin.p != NULL) {
		lock_take(&t->login);
		e = store_login(a->medium->store, type == CKU_SO ? STORE_SO : STORE_USER, pin,
				&seal);
		lock_drop(&t->login);
	}
	if (e == OK)
		e = store_check(a->medium->store, seal, cb, arg);
	seal_free(seal);
	access_unref(a);
	return e;
}
