/* SPDX-License-Identifier: Apache-2.0 */
#include "deed.h"

#include "base/mem.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define OTHER_PIN "another-pin-1"

enum { CHANGES = 3 };

struct stage {
	struct vault *v;
	uint64_t first; /* an object that no deed but the beginning anew touches */
	struct seal *so;
	char backup[PATH_MAX], other[PATH_MAX]; /* a file, and another folder of tokens */
	CK_SLOT_ID slot;                        /* of a new token */
	struct record r[CHANGES];
	uint64_t *ids;
	struct store_delta *deltas;
	struct store *opened;
	size_t n;
};

static void label_of(char out[33], const char *text)
{
	snprintf(out, 33, "%-32s", text);
}

static void put_first(struct stage *st)
{
	st->first = vault_must_put(st->v, true, "first", "");
}

/* ---- looking ---- */

static enum err run_get(struct stage *st)
{
	return store_get(st->v->s, st->v->user, st->first, &st->r[0]);
}

static void settle_records(struct stage *st, enum err e)
{
	assert_true((e == OK) == (st->r[0].attrs != NULL));
	for (size_t i = 0; i < CHANGES; i++)
		record_clear(&st->r[i]);
}

static enum err run_get_some(struct stage *st)
{
	const uint64_t ids[2] = { st->first, st->first };
	enum err each[2] = { OK, OK };
	enum err e = store_get_some(st->v->s, st->v->user, ids, 2, st->r, each);

	for (size_t i = 0; i < 2 && e == OK; i++)
		e = each[i];
	return e;
}

static void settle_some(struct stage *st, enum err e)
{
	if (e == OK)
		assert_true(st->r[0].attrs != NULL && st->r[1].attrs != NULL);
	for (size_t i = 0; i < 2; i++)
		record_clear(&st->r[i]);
}

static enum err run_query(struct stage *st)
{
	const struct store_query q = { .cls = CK_UNAVAILABLE_INFORMATION };

	st->n = 0;
	st->ids = NULL;
	return store_query(st->v->s, st->v->user, &q, &st->ids, &st->n);
}

static void settle_query(struct stage *st, enum err e)
{
	assert_true(e != OK || (st->n == 1 && st->ids[0] == st->first));
	mem_free(st->ids);
}

static enum err run_changes(struct stage *st)
{
	uint64_t now;

	st->n = 0;
	st->deltas = NULL;
	return store_changes(st->v->s, 0, &st->deltas, &st->n, &now);
}

static void settle_changes(struct stage *st, enum err e)
{
	assert_true(e != OK || (st->n != 0 && st->deltas[st->n - 1].id == st->first));
	mem_free(st->deltas);
}

static enum err run_info(struct stage *st)
{
	struct store_info info;

	return store_info(st->v->s, &info);
}

static enum err run_version(struct stage *st)
{
	uint64_t version;

	return store_version(st->v->s, &version);
}

static void ignore(void *arg, bool bad, const char *what)
{
	(void)arg;
	(void)bad;
	(void)what;
}

static enum err run_check(struct stage *st)
{
	return store_check(st->v->s, st->v->user, ignore, NULL);
}

static enum err run_open(struct stage *st)
{
	struct why why = { .text = "" };

	st->opened = NULL;
	return store_open(st->v->dir, 0, &st->v->policy, &st->opened, &why);
}

static void settle_open(struct stage *st, enum err e)
{
	assert_true((e == OK) == (st->opened != NULL));
	store_close(st->opened);
	st->opened = NULL;
}

static enum err run_list(struct stage *st)
{
	CK_SLOT_ID next;

	st->n = 0;
	st->ids = NULL;
	return store_list(st->v->dir, &st->ids, &st->n, &next, NULL);
}

static void settle_list(struct stage *st, enum err e)
{
	assert_true(e != OK || st->n != 0);
	mem_free(st->ids);
}

/* ---- objects ---- */

static void prepare_create(struct stage *st)
{
	st->r[0] = vault_record(CKO_SECRET_KEY, true, "made", "x", 40);
}

static enum err run_create(struct stage *st)
{
	struct store_change c = { CHANGE_CREATE, &st->r[0] };

	return store_commit(st->v->s, st->v->user, &c, 1,
			    &(struct store_event){ .body = text("an event") });
}

static void settle_create(struct stage *st, enum err e)
{
	uint64_t id = st->r[0].id;

	assert_true((e == OK) == (id != 0));
	record_clear(&st->r[0]);
	if (e != OK)
		return;
	vault_expect(st->v->s, st->v->user, id, "made");
	assert_int_equal(vault_drop(st->v->s, st->v->user, id), OK);
}

/* r[0] is made, r[1] replaced and r[2] removed. */
static void prepare_several(struct stage *st)
{
	uint64_t replaced = vault_must_put(st->v, true, "old", "");
	uint64_t removed = vault_must_put(st->v, false, "going", "");

	prepare_create(st);
	assert_int_equal(store_get(st->v->s, st->v->user, replaced, &st->r[1]), OK);
	assert_int_equal(attrset_put(st->r[1].attrs, CKA_LABEL, text("new")), OK);
	assert_int_equal(store_get(st->v->s, st->v->user, removed, &st->r[2]), OK);
}

static enum err run_several(struct stage *st)
{
	struct store_change c[CHANGES] = { { CHANGE_CREATE, &st->r[0] },
					   { CHANGE_REPLACE, &st->r[1] },
					   { CHANGE_REMOVE, &st->r[2] } };

	struct store_event ev[CHANGES] = { { .body = text("an event") } };

	return store_commit(st->v->s, st->v->user, c, CHANGES, ev);
}

static void settle_several(struct stage *st, enum err e)
{
	const struct vault *v = st->v;
	uint64_t made = st->r[0].id, replaced = st->r[1].id, removed = st->r[2].id;

	assert_true((e == OK) == (made != 0));
	vault_expect(v->s, v->user, replaced, e == OK ? "new" : "old");
	assert_int_equal(vault_drop(v->s, v->user, replaced), OK);
	assert_int_equal(vault_drop(v->s, v->user, removed), e == OK ? E_OBJECT_HANDLE : OK);
	if (e == OK)
		assert_int_equal(vault_drop(v->s, v->user, made), OK);
	for (size_t i = 0; i < CHANGES; i++)
		record_clear(&st->r[i]);
}

static enum err drop_event(void *arg, uint64_t number, struct span event, bool *over)
{
	(void)number;
	*over = true;
	(void)arg;
	(void)event;
	return OK;
}

static enum err run_drain(struct stage *st)
{
	return store_events_drain(st->v->s, drop_event, NULL);
}

/* ---- PINs ---- */

static enum err run_login(struct stage *st)
{
	return store_login(st->v->s, STORE_USER, text(USER_PIN), NULL);
}

static enum err run_login_wrong(struct stage *st)
{
	return store_login(st->v->s, STORE_USER, text("not-the-pin"), NULL);
}

/* An answer that was given is counted: the limit does not depend on a disk that works. */
static void settle_login_wrong(struct stage *st, enum err e)
{
	struct store_info info;

	assert_int_equal(store_info(st->v->s, &info), OK);
	assert_true(e != E_PIN_WRONG || info.user_failures == 1);
	assert_int_equal(run_login(st), OK);
}

static enum err run_set_pin(struct stage *st)
{
	return store_set_pin(st->v->s, STORE_USER, text(USER_PIN), text(OTHER_PIN), NULL);
}

static enum err run_init_pin(struct stage *st)
{
	return store_init_pin(st->v->s, st->so, text(OTHER_PIN), NULL);
}

static void settle_pin(struct stage *st, enum err e)
{
	struct store *s = st->v->s;

	if (e != OK)
		return;
	assert_int_equal(store_login(s, STORE_USER, text(USER_PIN), NULL), E_PIN_WRONG);
	assert_int_equal(store_set_pin(s, STORE_USER, text(OTHER_PIN), text(USER_PIN), NULL), OK);
}

/* ---- the token ---- */

static enum err run_rename(struct stage *st)
{
	char label[33];

	label_of(label, "renamed");
	return store_rename(st->v->s, st->so, label, NULL);
}

static void expect_label(struct store *s, const char *text)
{
	struct store_info info;
	char label[33];

	label_of(label, text);
	assert_int_equal(store_info(s, &info), OK);
	assert_memory_equal(info.label, label, sizeof(info.label));
}

static void settle_rename(struct stage *st, enum err e)
{
	char label[33];

	expect_label(st->v->s, e == OK ? "renamed" : "test token");
	label_of(label, "test token");
	assert_int_equal(store_rename(st->v->s, st->so, label, NULL), OK);
}

static enum err run_reinit(struct stage *st)
{
	char label[33];

	label_of(label, "test token");
	return store_reinit(st->v->s, text(SO_PIN), label, NULL);
}

static void settle_anew(struct stage *st)
{
	struct vault *v = st->v;

	assert_int_equal(vault_count(v->s, NULL), 0);
	seal_free(st->so);
	st->so = vault_login(v->s, STORE_SO, SO_PIN);
	assert_int_equal(store_init_pin(v->s, st->so, text(USER_PIN), NULL), OK);
	vault_reopen(v);
	put_first(st);
}

/*
 * The error of the very last sync leaves it open whether it will last; then the token is a new one altogether, and handles of
 * the old one say so.
 */
static void settle_reinit(struct stage *st, enum err e)
{
	struct vault *v = st->v;
	struct store_info info;

	st->opened = vault_again(v, NULL);
	assert_int_equal(store_info(st->opened, &info), OK);
	assert_true(e != OK || !info.user_pin_set);
	if (!info.user_pin_set) {
		seal_free(v->user);
		store_close(v->s);
		v->user = NULL;
		v->s = st->opened; /* moved */
		settle_anew(st);
	} else {
		store_close(st->opened);
	}
	st->opened = NULL;
}

static enum err run_backup(struct stage *st)
{
	return store_backup(st->v->s, text(PASSPHRASE), st->backup, NULL);
}

static void settle_backup(struct stage *st, enum err e)
{
	assert_int_equal(unlink(st->backup), e == OK ? 0 : -1);
}

static void prepare_restore(struct stage *st)
{
	CK_SLOT_ID *ids = NULL;
	size_t n;

	if (access(st->backup, F_OK) != 0)
		assert_int_equal(run_backup(st), OK);
	assert_int_equal(store_list(st->other, &ids, &n, &st->slot, NULL), OK);
	mem_free(ids);
}

static enum err run_restore(struct stage *st)
{
	return store_restore(st->other, st->slot, &st->v->policy, text(PASSPHRASE), st->backup,
			     NULL, NULL);
}

/* A token in that folder with the user PIN or without; or none. */
static void expect_token(struct stage *st, bool there)
{
	struct store *s = NULL;
	struct why why = { .text = "" };
	enum err e = store_open(st->other, st->slot, &st->v->policy, &s, &why);

	if ((e == OK) != there)
		fail_msg("the token is %s: %s", e == OK ? "there" : "not there", why.text);
	if (e == OK)
		assert_int_equal(store_login(s, STORE_SO, text(SO_PIN), NULL), OK);
	store_close(s);
}

/* Nothing of it is in the way of others, either. */
static void settle_new(struct stage *st, enum err e)
{
	expect_token(st, e == OK);
	if (e == OK)
		assert_int_equal(store_delete(st->other, st->slot, NULL), OK);
}

static enum err run_new(struct stage *st)
{
	char label[33];

	label_of(label, "another");
	return store_create(st->other, st->slot, &st->v->policy, text(SO_PIN), label, NULL, NULL);
}

static void prepare_delete(struct stage *st)
{
	prepare_restore(st);
	assert_int_equal(run_new(st), OK);
}

static enum err run_delete(struct stage *st)
{
	return store_delete(st->other, st->slot, NULL);
}

/* What is only cleaned up may have failed: then the token is gone all the same. */
static void settle_delete(struct stage *st, enum err e)
{
	char path[PATH_MAX + 32];
	bool there;

	snprintf(path, sizeof(path), "%s/%lu", st->other, st->slot);
	there = access(path, F_OK) == 0;
	assert_true(e != OK || !there);
	expect_token(st, there);
	if (there)
		assert_int_equal(run_delete(st), OK);
}

/* The last one has other objects to do with afterwards. */
const struct deed deeds[] = {
	{ "get", NULL, run_get, settle_records, OK },
	{ "get some", NULL, run_get_some, settle_some, OK },
	{ "query", NULL, run_query, settle_query, OK },
	{ "changes", NULL, run_changes, settle_changes, OK },
	{ "info", NULL, run_info, NULL, OK },
	{ "version", NULL, run_version, NULL, OK },
	{ "check", NULL, run_check, NULL, OK },
	{ "open", NULL, run_open, settle_open, OK },
	{ "list", NULL, run_list, settle_list, OK },
	{ "create", prepare_create, run_create, settle_create, OK },
	{ "several changes", prepare_several, run_several, settle_several, OK },
	{ "drain", NULL, run_drain, NULL, OK },
	{ "login", NULL, run_login, NULL, OK },
	{ "wrong login", NULL, run_login_wrong, settle_login_wrong, E_PIN_WRONG },
	{ "set PIN", NULL, run_set_pin, settle_pin, OK },
	{ "init PIN", NULL, run_init_pin, settle_pin, OK },
	{ "rename", NULL, run_rename, settle_rename, OK },
	{ "backup", NULL, run_backup, settle_backup, OK },
	{ "restore", prepare_restore, run_restore, settle_new, OK },
	{ "new token", prepare_restore, run_new, settle_new, OK },
	{ "delete", prepare_delete, run_delete, settle_delete, OK },
	{ "begin anew", NULL, run_reinit, settle_reinit, OK },
};
const size_t deeds_n = sizeof(deeds) / sizeof(deeds[0]);

/* ---- the stage ---- */

struct stage *stage_open(struct vault *v)
{
	struct stage *st = calloc(1, sizeof(*st));

	assert_non_null(st);
	st->v = v;
	assert_true(snprintf(st->backup, PATH_MAX, "%s/backup", v->dir) < PATH_MAX);
	assert_true(snprintf(st->other, PATH_MAX, "%s/other", v->dir) < PATH_MAX);
	st->so = vault_login(v->s, STORE_SO, SO_PIN);
	put_first(st);
	return st;
}

void stage_close(struct stage *st)
{
	seal_free(st->so);
	free(st);
}

/* ---- the sweep ---- */

static bool is_allowed(enum err e, const enum err *allowed)
{
	while (*allowed != OK && *allowed != e)
		allowed++;
	return *allowed == e;
}

/* As whoever comes next finds it: by our handle, and by a new one. */
static void expect_unhurt(const struct stage *st)
{
	struct seal *k = NULL;
	struct store *again = vault_again(st->v, NULL);
	struct store_info info;

	assert_int_equal(store_info(again, &info), OK);
	/* a try that the disk failed may have been counted, once; the right PIN takes that back */
	assert_true(info.user_failures <= 1 && info.so_failures <= 1);
	k = vault_login(again, STORE_USER, USER_PIN);
	vault_expect(st->v->s, st->v->user, st->first, "first");
	vault_expect(again, k, st->first, "first");
	assert_int_equal(vault_count(again, k), 1);
	seal_free(k);
	store_close(again);
}

static enum err once(struct stage *st, const struct deed *d, struct fault *f, unsigned n)
{
	enum err e;

	if (d->prepare != NULL)
		d->prepare(st);
	f->met = false;
	f->left = n;
	e = d->run(st);
	f->left = 0;
	return e;
}

unsigned deed_sweep(struct stage *st, const struct deed *d, struct fault *f,
		    const enum err *allowed)
{
	unsigned n = 0, refused = 0;

	do {
		enum err e = once(st, d, f, ++n);

		if (e != d->right && (!f->met || !is_allowed(e, allowed)))
			fail_msg("%s, failure %u: %s", d->name, n, err_text(e));
		if (d->settle != NULL)
			d->settle(st, e);
		if (e != d->right) {
			refused++;
			expect_unhurt(st);
		}
	} while (f->met);
	assert_int_equal(vault_findings(st->v->s, st->v->user, false), 0);
	return refused;
}
