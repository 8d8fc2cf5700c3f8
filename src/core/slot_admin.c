/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens are made, made anew and taken away. */
#include "core/slot.h"

#include "base/utf8.h"
#include "core/lib_internal.h"
#include "core/release.h"
#include "core/token_internal.h"

#include <limits.h>
#include <string.h>

/* Other processes make tokens too; a new slot is looked for so often. */
#define TRIES 8

/* 3.2, 5.5.7: blank padded, not terminated; a label that could not be shown as it is, is refused. */
static enum err check_label(const CK_UTF8CHAR label[32])
{
	return utf8_all_shown(span(label, 32)) ? OK : E_ARGUMENTS;
}

static struct span text_of(const CK_UTF8CHAR label[32])
{
	size_t n = 32;

	while (n > 0 && label[n - 1] == ' ')
		n--;
	return span(label, n);
}

/* A token that came to be in the slot, with what is kept of its event: recorded under its own name and number. */
static enum err enter(struct enrol *n, CK_SLOT_ID id)
{
	struct token *t = NULL;
	struct access *a = NULL;
	enum err e = slot_scan(NULL);

	if (e == OK)
		e = slot_token(id, &t);
	if (e == OK)
		e = access_get(t, &a);
	if (e == OK) {
		n->token = t;
		n->ev.token = token_label(t);
		n->ev.serial = token_serial(t);
		e = enrol_change(n, a->medium->store, OK);
	}
	access_unref(a);
	return e;
}

/* The module works without tokens then (lib.c), but it makes none. */
static enum err homeless(struct why *why)
{
	return why_fail(why, E_TOKEN_ABSENT, "there is no directory for tokens: %s",
			lib_this()->homeless.text);
}

static enum err create(CK_SLOT_ID id, struct span so_pin, const CK_UTF8CHAR label[32],
		       struct why *why)
{
	const struct store_policy policy = token_policy(conf_token(lib_conf(), text_of(label)));
	struct enrol n = enrol_of(NULL, NULL, EV_TOKEN_INIT);
	enum err e = token_pin_form(so_pin);

	n.ev.token = (const char *)label;
	if (e != OK)
		return why_fail(why, e, "the SO PIN: %s", err_text(e));
	e = lib_make_state_for(lib_this()->home, why);
	if (e == OK)
		e = enrol_pend(&n);
	if (e == OK)
		e = store_create(lib_this()->home, id, &policy, so_pin, (const char *)label,
				 &n.kept, why);
	if (e == E_SESSION_EXISTS)
		(void)slot_scan(NULL); /* another process was faster: the empty slot is the next */
	else if (e == OK)
		e = enter(&n, id);
	enrol_free(&n);
	return e;
}

enum err slot_create_token(struct span so_pin, const CK_UTF8CHAR label[32], CK_SLOT_ID *id,
			   struct why *why)
{
	CK_SLOT_ID next = 0;
	enum err e = check_label(label);

	if (e != OK)
		return why_fail(why, e, "the label is not 32 bytes of UTF-8 that may be shown");
	if (lib_this()->home[0] == '\0')
		return homeless(why);
	for (int i = 0; i < TRIES; i++) {
		e = slot_scan(&next);
		if (e == OK)
			e = create(next, so_pin, label, why);
		if (e != E_SESSION_EXISTS)
			break;
	}
	if (e == OK)
		*id = next;
	return e;
}

/* Runs with the token secluded: nobody can open a session. */
static enum err secluded(struct token *t, enum err (*f)(struct token *t, const void *arg),
			 const void *arg)
{
	enum err e;

	session_reap(t);
	e = token_seclude(t);
	if (e != OK)
		return e;
	e = token_open(t);
	if (e == OK)
		e = f(t, arg);
	token_admit(t);
	return e;
}

/* ---- C_InitToken ---- */

struct init {
	struct span so_pin;
	const CK_UTF8CHAR *label;
};

static enum err reinit(struct token *t, const void *arg)
{
	const struct init *i = arg;

	return token_reinit(t, i->so_pin, (const char *)i->label);
}

enum err slot_init_token(CK_SLOT_ID id, struct span so_pin, const CK_UTF8CHAR label[32])
{
	const struct init i = { so_pin, label };
	struct token *t = NULL;
	enum err e = so_pin.p != NULL ? check_label(label) : E_ARGUMENTS;

	if (e != OK)
		return e;
	/* without looking again: what another process made there meanwhile is not to be made anew */
	if (slot_is_blank(id))
		return create(id, so_pin, label, NULL);
	e = slot_find(id, &t);
	if (e == E_TOKEN_BLANK)
		return create(id, so_pin, label, NULL);
	return e == OK ? secluded(t, reinit, &i) : e;
}

/* ---- deleting ---- */

struct deletion {
	struct span so_pin;
	struct why *why;
};

static enum err delete_token(struct token *t, const void *arg)
{
	const struct deletion *d = arg;
	struct enrol n = enrol_of(NULL, t, EV_TOKEN_DELETE);
	enum err e = release_ready(t), e2;

	if (e != OK)
		return e;
	e = token_check_so(t, d->so_pin);
	/* before, for afterwards there is nothing left that could say so; and once more if it fails */
	e2 = enrol_commit(&n, e);
	if (e != OK || e2 != OK)
		return e2 != OK ? e2 : e;
	token_shut(t); /* closes its files */
	e = store_delete(lib_this()->home, t->slot, d->why);
	if (e != OK)
		(void)enrol_commit(&n, e);
	return e;
}

enum err slot_delete_token(CK_SLOT_ID id, struct span so_pin, struct why *why)
{
	const struct deletion d = { so_pin, why };
	struct token *t = NULL;
	enum err e = slot_find(id, &t);

	if (e == OK)
		e = secluded(t, delete_token, &d);
	return e == OK ? slot_scan(NULL) : e;
}

/* ---- restoring ---- */

static enum err restore(CK_SLOT_ID id, struct span passphrase, const char *path, struct why *why)
{
	const struct store_policy policy = token_policy(&lib_conf()->token);
	struct enrol n = enrol_of(NULL, NULL, EV_TOKEN_RESTORE);
	enum err e = lib_make_state_for(lib_this()->home, why);

	if (e == OK)
		e = enrol_pend(&n);
	if (e == OK)
		e = store_restore(lib_this()->home, id, &policy, passphrase, path, &n.kept, why);
	if (e == OK)
		e = enter(&n, id);
	enrol_free(&n);
	return e;
}

enum err slot_restore_token(struct span passphrase, const char *path, CK_SLOT_ID *id,
			    struct why *why)
{
	CK_SLOT_ID next = 0;
	enum err e = E_FAILED;

	if (lib_this()->home[0] == '\0')
		return homeless(why);
	for (int i = 0; i < TRIES; i++) {
		e = slot_scan(&next);
		if (e == OK)
			e = restore(next, passphrase, path, why);
		if (e != E_SESSION_EXISTS)
			break;
	}
	if (e == OK)
		*id = next;
	return e;
}

/* ---- renaming, backup, checking: sessions may be open ---- */

enum err slot_rename_token(CK_SLOT_ID id, struct span so_pin, const CK_UTF8CHAR label[32])
{
	struct token *t = NULL;
	enum err e = check_label(label);

	if (e == OK)
		e = slot_token(id, &t);
	return e == OK ? token_rename(t, so_pin, (const char *)label) : e;
}

enum err slot_require_audit(CK_SLOT_ID id, struct span so_pin, bool on)
{
	struct token *t = NULL;
	enum err e = slot_token(id, &t);

	return e == OK ? token_require_audit(t, so_pin, on) : e;
}

enum err slot_backup_token(CK_SLOT_ID id, struct span passphrase, const char *path, struct why *why)
{
	struct token *t = NULL;
	enum err e = slot_token(id, &t);

	return e == OK ? token_backup(t, passphrase, path, why) : e;
}

enum err slot_check_token(CK_SLOT_ID id, CK_USER_TYPE who, struct span pin, slot_check_cb *cb,
			  void *arg)
{
	struct token *t = NULL;
	enum err e = slot_token(id, &t);

	return e == OK ? token_check(t, who, pin, cb, arg) : e;
}

enum err slot_token_uses(CK_SLOT_ID id, CK_USER_TYPE who, struct span pin,
			 enum err (*cb)(void *arg, const struct uses_row *row), void *arg)
{
	struct token *t = NULL;
	enum err e = slot_token(id, &t);

	return e == OK ? token_uses(t, who, pin, cb, arg) : e;
}

void slot_survey(slot_check_cb *cb, void *arg)
{
	const struct lib *lib = lib_this();

	if (lib->home[0] != '\0')
		store_survey(lib->home, lib->conf->module.group_mode, cb, arg);
	else
		cb(arg, true, lib->homeless.text);
}
