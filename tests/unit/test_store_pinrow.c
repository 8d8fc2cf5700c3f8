/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of PINs in a file that somebody else wrote to: an earlier row put back, rows exchanged or removed. Broken once by
 * leaving out the comparison at login (verify in attempt.c), the one of doctor, and the noting of a change (vouch_put).
 */
#include "vault.h"

#include "base/log.h"
#include "base/mem.h"
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define SECOND "a second PIN"

static enum err try_login(struct store *s, enum store_user u, const char *pin)
{
	return store_login(s, u, text(pin), NULL);
}

static enum err change(struct store *s, enum store_user u, const char *from, const char *to)
{
	return store_set_pin(s, u, text(from), text(to), NULL);
}

static enum err init_pin(struct store *s, const char *pin)
{
	struct seal *so = vault_login(s, STORE_SO, SO_PIN);
	enum err e = store_init_pin(s, so, text(pin), NULL);

	seal_free(so);
	return e;
}

/* Keeps the rows as they are now, beside the file; put_back(user) brings one of them back, put_back_too more. */
static void keep_rows(const struct vault *v, char kept[PATH_MAX])
{
	assert_true(snprintf(kept, PATH_MAX, "%s/kept.db", v->dir) < PATH_MAX);
	vault_copy(v->db, kept);
}

static void put_back_too(const struct vault *v, const char *kept, enum store_user u,
			 const char *more)
{
	char sql[PATH_MAX + 600];

	snprintf(sql, sizeof(sql),
		 "ATTACH '%s' AS kept;"
		 "INSERT OR REPLACE INTO main.pins SELECT * FROM kept.pins WHERE user = %d; %s",
		 kept, (int)u, more);
	vault_sql(v, sql);
}

static void put_back(const struct vault *v, const char *kept, enum store_user u)
{
	put_back_too(v, kept, u, "");
}

/* ---- what doctor says ---- */

struct said {
	const char *wanted;
	unsigned times, bad;
};

static void note(void *arg, bool bad, const char *what)
{
	struct said *s = arg;

	s->bad += bad;
	s->times += bad && strcmp(what, s->wanted) == 0;
}

/* Says this and nothing else; with the PIN of u. */
static void expect_doctor(struct store *s, enum store_user u, const char *pin, const char *wanted)
{
	struct seal *k = vault_login(s, u, pin);
	struct said said = { .wanted = wanted };

	assert_int_equal(store_check(s, k, note, &said), E_CORRUPT);
	assert_int_equal(said.times, 1);
	assert_int_equal(said.bad, 1);
	seal_free(k);
}

static void expect_clean(struct store *s, enum store_user u, const char *pin)
{
	struct seal *k = vault_login(s, u, pin);

	assert_int_equal(vault_findings(s, k, false), 0);
	seal_free(k);
}

/* ---- rows put back ---- */

static void test_user_row(void **state)
{
	struct vault *v = *state;
	char kept[PATH_MAX];
	struct store_info info;

	keep_rows(v, kept);
	assert_int_equal(change(v->s, STORE_USER, USER_PIN, SECOND), OK);
	put_back(v, kept, STORE_USER);
	/* no way in, and no try used up */
	for (int i = 0; i < 12; i++)
		assert_int_equal(try_login(v->s, STORE_USER, USER_PIN), E_CORRUPT);
	assert_int_equal(change(v->s, STORE_USER, USER_PIN, "a third PIN"), E_CORRUPT);
	assert_int_equal(store_info(v->s, &info), OK);
	assert_int_equal(info.user_failures, 0);
	assert_int_equal(try_login(v->s, STORE_USER, SECOND), E_PIN_WRONG);
	/* the SO gets in, is told, and mends it */
	expect_doctor(v->s, STORE_SO, SO_PIN, "the user PIN's row is not the one last set");
	assert_int_equal(init_pin(v->s, "a fourth PIN"), OK);
	expect_clean(v->s, STORE_USER, "a fourth PIN");
	assert_int_equal(try_login(v->s, STORE_USER, USER_PIN), E_PIN_WRONG);
	/* the row that C_InitPIN replaced is an earlier one, too */
	put_back(v, kept, STORE_USER);
	assert_int_equal(try_login(v->s, STORE_USER, USER_PIN), E_CORRUPT);
}

static void test_so_row(void **state)
{
	struct vault *v = *state;
	const char label[33] = "taken over                      ";
	char kept[PATH_MAX];

	keep_rows(v, kept);
	assert_int_equal(change(v->s, STORE_SO, SO_PIN, SECOND), OK);
	put_back(v, kept, STORE_SO);
	assert_int_equal(try_login(v->s, STORE_SO, SO_PIN), E_CORRUPT);
	assert_int_equal(store_reinit(v->s, text(SO_PIN), label, NULL), E_CORRUPT);
	assert_int_equal(change(v->s, STORE_SO, SO_PIN, "a third PIN"), E_CORRUPT);
	assert_int_equal(try_login(v->s, STORE_SO, SECOND), E_PIN_WRONG);
	/* the user goes on, and is told */
	expect_doctor(v->s, STORE_USER, USER_PIN, "the SO PIN's row is not the one last set");
	vault_must_put(v, true, "goes on", "");
	assert_int_equal(change(v->s, STORE_USER, USER_PIN, "a fourth PIN"), OK);
	assert_int_equal(try_login(v->s, STORE_USER, "a fourth PIN"), OK);
}

/* ---- rows put back together with the state that vouched for them ---- */

#define OLD_STATE   "UPDATE token SET sealed = (SELECT sealed FROM kept.token);"
#define OLD_COUNTER "UPDATE token SET changes = (SELECT changes FROM kept.token);"

static enum err list(const struct vault *v)
{
	const struct store_query q = { .cls = CK_UNAVAILABLE_INFORMATION };
	uint64_t *ids = NULL;
	size_t n = 0;
	enum err e = store_query(v->s, v->user, &q, &ids, &n);

	mem_free(ids);
	return e;
}

/* The earlier PIN lets nobody in, and the state lets nobody change or list anything. */
static void expect_refused(const struct vault *v)
{
	assert_int_equal(try_login(v->s, STORE_USER, USER_PIN), E_CORRUPT);
	assert_int_equal(try_login(v->s, STORE_SO, SO_PIN), E_CORRUPT);
	assert_int_equal(vault_put(v->s, v->user, true, "more", "", NULL), E_CORRUPT);
	assert_int_equal(list(v), E_CORRUPT);
	assert_true(vault_findings(v->s, v->user, true) >= 1);
}

/* Nothing was done since the PIN was changed: the change itself counts. */
static void test_state_and_row(void **state)
{
	struct vault *v = *state;
	char kept[PATH_MAX];

	vault_must_put(v, true, "before", "");
	keep_rows(v, kept);
	assert_int_equal(change(v->s, STORE_USER, USER_PIN, SECOND), OK);
	put_back_too(v, kept, STORE_USER, OLD_STATE);
	expect_refused(v);
}

/* The counter is put back as well: what was sealed since has its own. */
static void test_newer_record(void **state)
{
	struct vault *v = *state;
	char kept[PATH_MAX];
	uint64_t id;

	keep_rows(v, kept);
	assert_int_equal(change(v->s, STORE_USER, USER_PIN, SECOND), OK);
	id = vault_must_put(v, true, "made after", "");
	put_back_too(v, kept, STORE_USER, OLD_STATE);
	expect_refused(v);
	put_back_too(v, kept, STORE_USER, OLD_STATE OLD_COUNTER);
	expect_refused(v);
	vault_expect(v->s, v->user, id, "made after");
}

/* What remains (docs/STORE.md, "Which row holds"): an earlier state that nothing in the file contradicts. */
static void test_all_put_back(void **state)
{
	struct vault *v = *state;
	char kept[PATH_MAX];

	keep_rows(v, kept);
	assert_int_equal(change(v->s, STORE_USER, USER_PIN, SECOND), OK);
	vault_must_put(v, true, "made after", "");
	put_back_too(v, kept, STORE_USER, OLD_STATE OLD_COUNTER "DELETE FROM main.objects");
	expect_clean(v->s, STORE_USER, USER_PIN);
}

/* A row that only says that it is newer, and does not open, keeps nobody out. */
static void test_damaged_not_newer(void **state)
{
	struct vault *v = *state;
	struct record r = { 0 };
	uint64_t a = vault_must_put(v, true, "a", ""), b = vault_must_put(v, false, "b", "");

	vault_sql(
		v,
		"UPDATE objects SET changed = 1000000; UPDATE objects SET sight = 9 WHERE id = 1");
	assert_int_equal(try_login(v->s, STORE_USER, USER_PIN), OK);
	vault_must_put(v, true, "goes on", "");
	assert_int_equal(store_get(v->s, v->user, a, &r), E_CORRUPT);
	assert_int_equal(store_get(v->s, v->user, b, &r), E_CORRUPT);
}

/* Changes without a login leave the sealed state as it is, and that is in order. */
static void test_changed_without_login(void **state)
{
	struct vault *v = *state;
	uint64_t id = 0;

	assert_int_equal(vault_put(v->s, NULL, false, "open", "", &id), OK);
	expect_clean(v->s, STORE_USER, USER_PIN);
	assert_int_equal(vault_drop(v->s, NULL, id), OK);
	expect_clean(v->s, STORE_USER, USER_PIN);
	vault_must_put(v, true, "sealed", "");
	expect_clean(v->s, STORE_SO, SO_PIN);
}

static void test_exchanged(void **state)
{
	struct vault *v = *state;

	vault_sql(v, "UPDATE pins SET user = 1 - user + 10; UPDATE pins SET user = user - 10");
	for (int i = 0; i < 12; i++) {
		assert_int_equal(try_login(v->s, STORE_USER, SO_PIN), E_CORRUPT);
		assert_int_equal(try_login(v->s, STORE_SO, USER_PIN), E_CORRUPT);
	}
}

static void test_removed(void **state)
{
	struct vault *v = *state;

	expect_clean(v->s, STORE_SO, SO_PIN);
	vault_sql(v, "DELETE FROM pins WHERE user = 0");
	assert_int_equal(try_login(v->s, STORE_USER, USER_PIN), E_PIN_UNSET);
	expect_doctor(v->s, STORE_SO, SO_PIN, "the user PIN's row is not the one last set");
	assert_int_equal(init_pin(v->s, SECOND), OK);
	expect_clean(v->s, STORE_USER, SECOND);
	vault_sql(v, "DELETE FROM pins WHERE user = 1");
	assert_int_equal(try_login(v->s, STORE_SO, SO_PIN), E_CORRUPT);
	assert_int_equal(try_login(v->s, STORE_USER, SECOND), OK);
}

/* A PIN that was never set is in order, and so is a count that others wrote. */
static void test_in_order(void **state)
{
	struct vault *v = *state;
	const char label[33] = "anew                            ";

	vault_sql(v, "UPDATE pins SET failures = 2");
	expect_clean(v->s, STORE_USER, USER_PIN);
	assert_int_equal(store_reinit(v->s, text(SO_PIN), label, NULL), OK);
	expect_clean(v->s, STORE_SO, SO_PIN);
	assert_int_equal(init_pin(v->s, USER_PIN), OK);
	expect_clean(v->s, STORE_USER, USER_PIN);
	expect_clean(v->s, STORE_SO, SO_PIN);
}

static void test_backup(void **state)
{
	struct vault *v = *state;
	char kept[PATH_MAX], backup[PATH_MAX], other[PATH_MAX];
	struct store *s = NULL;

	assert_true(snprintf(backup, sizeof(backup), "%s/token.backup", v->dir) < PATH_MAX);
	assert_true(snprintf(other, sizeof(other), "%s/other", v->dir) < PATH_MAX);
	keep_rows(v, kept);
	assert_int_equal(change(v->s, STORE_SO, SO_PIN, SECOND), OK);
	assert_int_equal(change(v->s, STORE_USER, USER_PIN, SECOND), OK);
	put_back(v, kept, STORE_USER);
	assert_int_equal(store_backup(v->s, text(PASSPHRASE), backup, NULL), OK);
	assert_int_equal(store_restore(other, 0, &v->policy, text(PASSPHRASE), backup, NULL, NULL),
			 OK);
	assert_int_equal(store_open(other, 0, &v->policy, &s, NULL), OK);
	assert_int_equal(try_login(s, STORE_USER, USER_PIN), E_CORRUPT);
	expect_doctor(s, STORE_SO, SECOND, "the user PIN's row is not the one last set");
	store_close(s);
}

/* What a login with the other PIN has to say, on stderr. */
static size_t logged(struct vault *v, enum store_user u, const char *pin, char *line, size_t n)
{
	char path[PATH_MAX];
	int saved = dup(STDERR_FILENO), fd;
	ssize_t got;

	assert_true(snprintf(path, sizeof(path), "%s/log", v->dir) < PATH_MAX);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_true(saved >= 0 && fd >= 0 && dup2(fd, STDERR_FILENO) >= 0);
	log_open(TARGET_STDERR, LEVEL_ERROR, "test");
	assert_int_equal(try_login(v->s, u, pin), OK);
	log_open(TARGET_NONE, LEVEL_NONE, "test");
	assert_true(dup2(saved, STDERR_FILENO) >= 0);
	close(saved);
	got = pread(fd, line, n - 1, 0);
	close(fd);
	assert_true(got >= 0);
	line[got] = '\0';
	return (size_t)got;
}

static void test_log(void **state)
{
	struct vault *v = *state;
	char kept[PATH_MAX], line[PATH_MAX + 200];

	keep_rows(v, kept);
	assert_int_equal(change(v->s, STORE_USER, USER_PIN, SECOND), OK);
	assert_int_equal(logged(v, STORE_SO, SO_PIN, line, sizeof(line)), 0);
	put_back(v, kept, STORE_USER);
	assert_true(logged(v, STORE_SO, SO_PIN, line, sizeof(line)) > 0);
	assert_non_null(strstr(line, "the user PIN's row is not the one last set"));
}

/* ---- several at once, and killed ---- */

static pid_t child(const struct vault *v, int (*body)(struct store *s, int to), int to)
{
	struct store *s = NULL;
	pid_t pid;

	store_fork_prepare();
	pid = fork();
	if (pid == 0) {
		store_fork_child();
		if (store_open(v->dir, 0, &v->policy, &s, NULL) != OK)
			_exit(100);
		_exit(body(s, to));
	}
	store_fork_parent();
	assert_true(pid > 0);
	return pid;
}

static int ended(pid_t pid)
{
	int status = 0;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int to_one(struct store *s, int to)
{
	(void)to;
	return (int)change(s, STORE_USER, USER_PIN, "of the one");
}

static int to_other(struct store *s, int to)
{
	(void)to;
	return (int)change(s, STORE_USER, USER_PIN, "of the other");
}

static int to_initial(struct store *s, int to)
{
	struct seal *so = NULL;
	enum err e = store_login(s, STORE_SO, text(SO_PIN), &so);

	(void)to;
	return (int)(e == OK ? store_init_pin(s, so, text("of the SO"), NULL) : e);
}

/* Which of these is the PIN; exactly one. */
static const char *the_pin(struct store *s, const char *const *pins, size_t n)
{
	const char *right = NULL;

	for (size_t i = 0; i < n; i++) {
		enum err e = try_login(s, STORE_USER, pins[i]);

		assert_true(e == OK || e == E_PIN_WRONG);
		assert_true(e != OK || right == NULL);
		if (e == OK)
			right = pins[i];
	}
	assert_non_null(right);
	return right;
}

static void test_two_processes(void **state)
{
	static const char *const pins[] = { USER_PIN, "of the one", "of the other" };
	struct vault *v = *state;

	for (int i = 0; i < 10; i++) {
		pid_t one = child(v, to_one, -1), other = child(v, to_other, -1);
		int a = ended(one), b = ended(other);
		const char *now = the_pin(v->s, pins, 3);

		assert_true((a == OK && b == E_PIN_WRONG) || (a == E_PIN_WRONG && b == OK));
		assert_string_equal(now, a == OK ? pins[1] : pins[2]);
		expect_clean(v->s, STORE_USER, now);
		assert_int_equal(change(v->s, STORE_USER, now, USER_PIN), OK);
	}
}

/* Whoever comes second, what the SO set counts: the user's old PIN is gone by then, or the user's new one is replaced. */
static void test_so_and_user(void **state)
{
	static const char *const pins[] = { USER_PIN, "of the one", "of the SO" };
	struct vault *v = *state;

	for (int i = 0; i < 10; i++) {
		pid_t one = child(v, to_one, -1), so = child(v, to_initial, -1);
		int a = ended(one);

		assert_int_equal(ended(so), OK);
		assert_true(a == OK || a == E_PIN_WRONG);
		assert_string_equal(the_pin(v->s, pins, 3), "of the SO");
		expect_clean(v->s, STORE_USER, "of the SO");
		expect_clean(v->s, STORE_SO, SO_PIN);
		assert_int_equal(change(v->s, STORE_USER, "of the SO", USER_PIN), OK);
	}
}

/* Changes to and fro, and says so after each, until it is killed. */
static int to_and_fro(struct store *s, int to)
{
	const char *from = USER_PIN, *next = SECOND;
	enum err e = try_login(s, STORE_USER, from);

	if (e == E_PIN_WRONG) {
		from = SECOND;
		next = USER_PIN;
	}
	while (change(s, STORE_USER, from, next) == OK) {
		const char *t = from;

		from = next;
		next = t;
		if (write(to, "", 1) != 1)
			break;
	}
	return 1;
}

static void test_killed(void **state)
{
	static const char *const pins[] = { USER_PIN, SECOND };
	struct vault *v = *state;
	char c;

	for (unsigned i = 0; i < 20; i++) {
		int fd[2], status = 0;
		pid_t pid;

		assert_int_equal(pipe(fd), 0);
		pid = child(v, to_and_fro, fd[1]);
		close(fd[1]);
		for (unsigned n = 0; n <= i % 4; n++)
			assert_int_equal(read(fd[0], &c, 1), 1);
		usleep(i * 97 % 1500);
		assert_int_equal(kill(pid, SIGKILL), 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
		close(fd[0]);
		expect_clean(v->s, STORE_USER, the_pin(v->s, pins, 2));
		expect_clean(v->s, STORE_SO, SO_PIN);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, vault_open, vault_close)
		TEST(test_user_row),
		TEST(test_so_row),
		TEST(test_exchanged),
		TEST(test_removed),
		TEST(test_in_order),
		TEST(test_backup),
		TEST(test_log),
		TEST(test_two_processes),
		TEST(test_so_and_user),
		TEST(test_killed),
		TEST(test_state_and_row),
		TEST(test_newer_record),
		TEST(test_all_put_back),
		TEST(test_damaged_not_newer),
		TEST(test_changed_without_login),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
