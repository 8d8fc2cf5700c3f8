/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation of the store's, and every one of SQLite's, fails once: each call says so, changes nothing, and works the
 * next time.
 */
#include "vault.h"

#include "base/mem.h"
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

void *__real_mem_alloc(size_t n);
void *__real_mem_alloc_secret(size_t n);
void *__real_mem_realloc(void *p, size_t n);
void *__wrap_mem_alloc(size_t n);
void *__wrap_mem_alloc_secret(size_t n);
void *__wrap_mem_realloc(void *p, size_t n);

/* The allocation that fails, counted down; 0: none. */
static unsigned ours, sqlites;
static bool failed;

static bool fails(unsigned *left)
{
	if (*left == 0 || --*left != 0)
		return false;
	failed = true;
	return true;
}

void *__wrap_mem_alloc(size_t n)
{
	return fails(&ours) ? NULL : __real_mem_alloc(n);
}

void *__wrap_mem_alloc_secret(size_t n)
{
	return fails(&ours) ? NULL : __real_mem_alloc_secret(n);
}

void *__wrap_mem_realloc(void *p, size_t n)
{
	return fails(&ours) ? NULL : __real_mem_realloc(p, n);
}

static sqlite3_mem_methods sqlite_mem;

static void *sqlite_malloc(int n)
{
	return fails(&sqlites) ? NULL : sqlite_mem.xMalloc(n);
}

static void *sqlite_realloc(void *p, int n)
{
	return fails(&sqlites) ? NULL : sqlite_mem.xRealloc(p, n);
}

/* Before SQLite is used for the first time in this process, and in no process but a test. */
static void hook_sqlite(void)
{
	sqlite3_mem_methods mine;

	assert_int_equal(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &sqlite_mem), SQLITE_OK);
	mine = sqlite_mem;
	mine.xMalloc = sqlite_malloc;
	mine.xRealloc = sqlite_realloc;
	assert_int_equal(sqlite3_config(SQLITE_CONFIG_MALLOC, &mine), SQLITE_OK);
}

/* ---- the calls ---- */

/* One that must have no effect when it fails. */
typedef enum err call(struct vault *v);

static enum err call_create(struct vault *v)
{
	unsigned left = ours;
	struct record r;
	struct store_change c = { CHANGE_CREATE, &r };
	enum err e;

	ours = 0; /* the record is the caller's */
	r = vault_record(CKO_SECRET_KEY, true, "made", "x", 40);
	ours = left;
	e = store_commit(v->s, v->user, &c, 1, span(NULL, 0));
	assert_true((e == OK) == (r.id != 0));
	record_clear(&r);
	return e;
}

static enum err call_get(struct vault *v)
{
	struct record r = { 0 };
	enum err e = store_get(v->s, v->user, 1, &r);

	if (e != OK)
		assert_null(r.attrs);
	record_clear(&r);
	return e;
}

static enum err call_query(struct vault *v)
{
	const struct store_query q = { .cls = CK_UNAVAILABLE_INFORMATION };
	uint64_t *ids = NULL;
	size_t n = 0;
	enum err e = store_query(v->s, v->user, &q, &ids, &n);

	mem_free(ids);
	return e;
}

static enum err call_changes(struct vault *v)
{
	struct store_delta *d = NULL;
	uint64_t now;
	size_t n = 0;
	enum err e = store_changes(v->s, 0, &d, &n, &now);

	mem_free(d);
	return e;
}

static enum err call_login(struct vault *v)
{
	return store_login(v->s, STORE_USER, text(USER_PIN), NULL);
}

static enum err call_set_pin(struct vault *v)
{
	return store_set_pin(v->s, STORE_USER, text(USER_PIN), text(USER_PIN));
}

static enum err call_open(struct vault *v)
{
	struct store *s = NULL;
	struct why why = { .text = "" };
	enum err e = store_open(v->dir, 0, &v->policy, &s, &why);

	if (e != OK)
		assert_null(s);
	store_close(s);
	return e;
}

static void ignore(void *arg, bool bad, const char *what)
{
	(void)arg;
	(void)bad;
	(void)what;
}

static enum err call_check(struct vault *v)
{
	return store_check(v->s, v->user, ignore, NULL);
}

static enum err call_backup(struct vault *v)
{
	char path[PATH_MAX + 8];
	enum err e;

	snprintf(path, sizeof(path), "%s/backup", v->dir);
	e = store_backup(v->s, text(PASSPHRASE), path, NULL);
	assert_int_equal(unlink(path), e == OK ? 0 : -1);
	return e;
}

static enum err call_new_token(struct vault *v)
{
	const char label[33] = "another                         ";
	CK_SLOT_ID *ids = NULL, next = 0;
	size_t n = 0;
	enum err e = store_list(v->dir, &ids, &n, &next, NULL);

	if (e == OK)
		e = store_create(v->dir, next, &v->policy, text(SO_PIN), label, NULL);
	mem_free(ids);
	return e;
}

/* ---- the sweep ---- */

static void expect_unhurt(struct vault *v, size_t objects)
{
	struct store_info info;

	assert_int_equal(store_info(v->s, &info), OK);
	assert_true(info.user_failures == 0);
	assert_int_equal(vault_count(v->s, v->user), objects);
	vault_expect(v->s, v->user, 1, "first");
}

/* *left is one of the two countdowns. Until a call gets through without having met the failure. */
static unsigned sweep(struct vault *v, call *f, unsigned *left)
{
	unsigned n = 0, refused = 0;

	do {
		size_t objects = vault_count(v->s, v->user);
		enum err e;

		failed = false;
		*left = ++n;
		e = f(v);
		*left = 0;
		/* SQLite does without some of its memory, and what is only cleaned up may be left for later */
		if (e != OK) {
			assert_true(failed);
			assert_true(e == E_MEMORY || e == E_FAILED || e == E_DEVICE ||
				    e == E_CORRUPT);
			refused++;
			expect_unhurt(v, objects);
		}
	} while (failed);
	assert_int_equal(vault_findings(v->s, v->user, false), 0);
	return refused;
}

static const struct {
	const char *name;
	call *f;
} calls[] = {
	{ "create", call_create },       { "get", call_get },     { "query", call_query },
	{ "changes", call_changes },     { "login", call_login }, { "set_pin", call_set_pin },
	{ "open", call_open },           { "check", call_check }, { "backup", call_backup },
	{ "new token", call_new_token },
};

static void test_ours(void **state)
{
	struct vault *v = *state;

	assert_int_equal(vault_must_put(v, true, "first", ""), 1);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		print_message("%s: %u failures\n", calls[i].name, sweep(v, calls[i].f, &ours));
}

static void test_sqlites(void **state)
{
	struct vault *v = *state;

	assert_int_equal(vault_must_put(v, true, "first", ""), 1);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		print_message("%s: %u failures\n", calls[i].name, sweep(v, calls[i].f, &sqlites));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_ours, vault_open, vault_close),
		cmocka_unit_test_setup_teardown(test_sqlites, vault_open, vault_close),
	};

	hook_sqlite();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
