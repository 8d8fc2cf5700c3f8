/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts of uses in a token: they only grow, come back with a backup, and whatever is altered, removed or set back of them is noticed.
 * Broken by hand: uses-counted-down, uses-sum-kept, uses-page-bound, uses-waits, uses-commit-waits.
 */
#include "vault.h"

#include "base/mem.h"
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* On the heap: a page is long. */
static struct store_uses *page(uint64_t file, uint64_t part, size_t n, uint64_t count)
{
	struct store_uses *u = mem_alloc(sizeof(*u));

	assert_non_null(u);
	memset(u->roll, 0x11, sizeof(u->roll));
	u->file = file;
	u->part = part;
	u->n = n;
	for (size_t i = 0; i < n; i++) {
		snprintf((char *)u->use[i].key, STORE_USE_KEY, "key %zu", i);
		u->use[i].count = count + i;
	}
	return u;
}

static enum err put(struct store *s, const struct seal *k, uint64_t file, size_t n, uint64_t count)
{
	struct store_uses *u = page(file, UINT64_MAX - 7, n, count);
	enum err e = store_uses_put(s, k, u, 1, true);

	mem_free(u);
	return e;
}

struct sum {
	size_t pages, keys;
	uint64_t uses;
};

static enum err add(void *arg, const struct store_uses *u)
{
	struct sum *sum = arg;

	sum->pages++;
	sum->keys += u->n;
	for (size_t i = 0; i < u->n; i++)
		sum->uses += u->use[i].count;
	assert_int_equal(u->part, UINT64_MAX - 7);
	return OK;
}

static enum err look(struct store *s, const struct seal *k, struct sum *sum)
{
	*sum = (struct sum){ 0 };
	return store_uses_each(s, k, add, sum);
}

static void assert_sum(const struct vault *v, size_t pages, size_t keys, uint64_t uses)
{
	struct sum sum;

	assert_int_equal(look(v->s, v->user, &sum), OK);
	assert_int_equal(sum.pages, pages);
	assert_int_equal(sum.keys, keys);
	assert_int_equal(sum.uses, uses);
	assert_int_equal(vault_findings(v->s, v->user, false), 0);
}

static void test_counts_only_grow(void **state)
{
	struct vault *v = *state;
	struct store_info before, after;

	assert_sum(v, 0, 0, 0);
	assert_int_equal(put(v->s, v->user, 3, 2, 10), OK);
	assert_sum(v, 1, 2, 21);
	assert_int_equal(put(v->s, v->user, 3, 1, 7), OK); /* what a power cut left of a file */
	assert_sum(v, 1, 2, 21);
	assert_int_equal(put(v->s, v->user, 3, 3, 10), OK);
	assert_sum(v, 1, 3, 33);
	assert_int_equal(store_info(v->s, &before), OK);
	assert_int_equal(put(v->s, v->user, 3, 3, 10), OK);
	assert_int_equal(store_info(v->s, &after), OK);
	assert_int_equal(before.changes, after.changes);
	assert_int_equal(put(v->s, v->user, 4, STORE_USE_PAGE, 1), OK);
	assert_sum(v, 2, 3 + STORE_USE_PAGE, 33 + 255 * 256 / 2);
	vault_reopen(v);
	assert_sum(v, 2, 3 + STORE_USE_PAGE, 33 + 255 * 256 / 2);
}

/* Who uses a key does not wait for who writes the token, or reads it. */
static void test_nobody_is_waited_for(void **state)
{
	static const char *const begin[] = { "BEGIN IMMEDIATE",
					     "BEGIN; SELECT count(*) FROM sqlite_schema" };
	struct vault *v = *state;
	struct store_uses *u = page(5, UINT64_MAX - 7, 1, 1);
	const time_t began = time(NULL);
	sqlite3 *c = NULL;

	for (size_t i = 0; i < sizeof(begin) / sizeof(begin[0]); i++) {
		assert_int_equal(sqlite3_open_v2(v->db, &c, SQLITE_OPEN_READWRITE, NULL),
				 SQLITE_OK);
		assert_int_equal(sqlite3_exec(c, begin[i], NULL, NULL, NULL), SQLITE_OK);
		assert_int_equal(store_uses_put(v->s, v->user, u, 1, false), E_BUSY);
		assert_int_equal(sqlite3_close(c), SQLITE_OK);
	}
	assert_true(time(NULL) - began < 20); /* it would have been 30 s */
	assert_sum(v, 0, 0, 0);
	assert_int_equal(store_uses_put(v->s, v->user, u, 1, false), OK);
	assert_sum(v, 1, 1, 1);
	mem_free(u);
}

static void test_objects_go_on(void **state)
{
	struct vault *v = *state;

	(void)vault_must_put(v, true, "a", "01");
	assert_int_equal(put(v->s, v->user, 1, 1, 5), OK);
	(void)vault_must_put(v, false, "b", "02");
	assert_int_equal(vault_count(v->s, v->user), 2);
	assert_sum(v, 1, 1, 5);
}

/* Others see that nothing of theirs changed, and count beside us. */
static void test_two_processes(void **state)
{
	struct vault *v = *state;
	struct seal *k = NULL;
	struct store *other = vault_again(v, &k);

	assert_int_equal(put(v->s, v->user, 1, 1, 5), OK);
	assert_int_equal(put(other, k, 2, 1, 6), OK);
	assert_int_equal(put(v->s, v->user, 1, 1, 7), OK);
	assert_sum(v, 2, 2, 13);
	seal_free(k);
	store_close(other);
}

static const char *const altered[] = {
	"UPDATE uses SET blob = zeroblob(length(blob)) WHERE file = 1",
	"UPDATE uses SET blob = x'00'",
	"UPDATE uses SET file = 9 WHERE file = 1",
	"UPDATE uses SET page = 1 WHERE file = 2",
	"UPDATE uses SET part = 7",
	"UPDATE uses SET roll = zeroblob(16)",
	"DELETE FROM uses WHERE file = 1",
	"DELETE FROM uses",
	/* a genuine earlier version */
	"UPDATE uses SET blob = (SELECT blob FROM old WHERE file = 1) WHERE file = 1",
	"INSERT OR REPLACE INTO uses SELECT * FROM old; DELETE FROM uses WHERE file = 2",
};

static void test_altered(void **state)
{
	struct vault *v = *state;
	struct sum sum;

	for (size_t i = 0; i < sizeof(altered) / sizeof(altered[0]); i++) {
		assert_int_equal(put(v->s, v->user, 1, 1, 5), OK);
		vault_sql(v, "CREATE TABLE old AS SELECT * FROM uses");
		assert_int_equal(put(v->s, v->user, 1, 1, 6), OK);
		assert_int_equal(put(v->s, v->user, 2, 2, 1), OK);
		vault_sql(v, altered[i]);
		vault_sql(v, "DROP TABLE old");
		if (look(v->s, v->user, &sum) != E_CORRUPT)
			fail_msg("not noticed: %s", altered[i]);
		assert_int_not_equal(vault_findings(v->s, v->user, true), 0);
		assert_int_equal(vault_close(state), 0);
		assert_int_equal(vault_open(state), 0);
		v = *state;
	}
}

static void test_backup(void **state)
{
	struct vault *v = *state;
	char backup[PATH_MAX], dir[PATH_MAX];
	struct why why = { "" };
	struct store *s = NULL;
	struct seal *k;
	struct sum sum;

	assert_true(snprintf(backup, PATH_MAX, "%s/b", v->dir) < PATH_MAX);
	assert_true(snprintf(dir, PATH_MAX, "%s/other", v->dir) < PATH_MAX);
	assert_int_equal(put(v->s, v->user, 1, 2, 5), OK);
	assert_int_equal(put(v->s, v->user, 2, 1, 1), OK);
	assert_int_equal(store_backup(v->s, text(PASSPHRASE), backup, &why), OK);
	assert_int_equal(put(v->s, v->user, 1, 2, 9), OK);
	assert_int_equal(store_restore(dir, 0, &v->policy, text(PASSPHRASE), backup, NULL, &why),
			 OK);
	assert_int_equal(store_open(dir, 0, &v->policy, &s, &why), OK);
	k = vault_login(s, STORE_USER, USER_PIN);
	assert_int_equal(look(s, k, &sum), OK);
	assert_int_equal(sum.uses, 12);
	assert_int_equal(vault_findings(s, k, false), 0);
	seal_free(k);
	store_close(s);
}

/* A token that begins anew has other keys, and another data key. */
static void test_anew(void **state)
{
	struct vault *v = *state;
	char label[33] = "anew                            ";
	struct seal *so;
	struct sum sum;

	assert_int_equal(put(v->s, v->user, 1, 2, 5), OK);
	assert_int_equal(store_reinit(v->s, text(SO_PIN), label, NULL), OK);
	assert_int_equal(put(v->s, v->user, 1, 2, 6), E_DEVICE_REMOVED);
	so = vault_login(v->s, STORE_SO, SO_PIN);
	assert_int_equal(look(v->s, so, &sum), OK);
	assert_int_equal(sum.pages, 0);
	assert_int_equal(put(v->s, so, 2, 1, 1), OK);
	assert_int_equal(look(v->s, so, &sum), OK);
	assert_int_equal(sum.uses, 1);
	seal_free(so);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_counts_only_grow, vault_open, vault_close),
		cmocka_unit_test_setup_teardown(test_nobody_is_waited_for, vault_open, vault_close),
		cmocka_unit_test_setup_teardown(test_objects_go_on, vault_open, vault_close),
		cmocka_unit_test_setup_teardown(test_two_processes, vault_open, vault_close),
		cmocka_unit_test_setup_teardown(test_altered, vault_open, vault_close),
		cmocka_unit_test_setup_teardown(test_backup, vault_open, vault_close),
		cmocka_unit_test_setup_teardown(test_anew, vault_open, vault_close),
	};

	return cmocka_run_group_tests_name("store_uses", tests, NULL, NULL);
}
