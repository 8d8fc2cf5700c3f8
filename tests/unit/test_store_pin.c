/* SPDX-License-Identifier: Apache-2.0 */
/* PINs: counted, limited, changed (cases B038, B040, R02, R04). */
#include "vault.h"

#include "base/mem.h"
#include "store/pinkey.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static enum err try_login(struct store *s, enum store_user u, const char *pin)
{
	return store_login(s, u, text(pin), NULL);
}

static struct store_info info_of(struct store *s)
{
	struct store_info info;

	assert_int_equal(store_info(s, &info), OK);
	return info;
}

/* One number out of the file of slot 0; old is another file, or NULL. */
static int number_with(const struct vault *v, const char *old, const char *sql)
{
	sqlite3 *c = NULL;
	sqlite3_stmt *st = NULL;
	char attach[PATH_MAX + 32];
	int n;

	assert_int_equal(sqlite3_open_v2(v->db, &c, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	snprintf(attach, sizeof(attach), "ATTACH '%s' AS old", old != NULL ? old : "");
	assert_int_equal(sqlite3_exec(c, attach, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(c, sql, -1, &st, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	n = sqlite3_column_int(st, 0);
	sqlite3_finalize(st);
	sqlite3_close(c);
	return n;
}

static int number(const struct vault *v, const char *sql)
{
	return number_with(v, NULL, sql);
}

static void test_count(void **state)
{
	struct vault *v = *state;

	assert_int_equal(try_login(v->s, STORE_USER, "wrong"), E_PIN_WRONG);
	assert_int_equal(try_login(v->s, STORE_USER, "wrong"), E_PIN_WRONG);
	assert_int_equal(info_of(v->s).user_failures, 2);
	assert_int_equal(info_of(v->s).so_failures, 0);
	vault_reopen(v); /* right: the count is gone */
	assert_int_equal(info_of(v->s).user_failures, 0);
	assert_int_equal(try_login(v->s, STORE_SO, "wrong"), E_PIN_WRONG);
	assert_int_equal(info_of(v->s).so_failures, 1);
	assert_int_equal(info_of(v->s).user_failures, 0);
}

/* Case R01: a failed login writes the count, and nothing else. */
static void test_writes_nothing_else(void **state)
{
	static const struct {
		const char *columns, *table;
	} rows[] = {
		{ "*", "objects" },
		{ "*", "token" },
		{ "*", "removed" },
		{ "*", "events" },
		{ "user, kdf, cost, passes, salt, wrapped, sum", "pins" },
	};
	struct vault *v = *state;
	char old[PATH_MAX], now[100], before[100], sql[300];

	for (int i = 0; i < 100; i++)
		vault_must_put(v, i % 2 == 0, "kept", "");
	assert_true(snprintf(old, sizeof(old), "%s/old.db", v->dir) < PATH_MAX);
	vault_copy(v->db, old);
	vault_reopen(v);
	assert_int_equal(try_login(v->s, STORE_USER, "wrong"), E_PIN_WRONG);
	assert_int_equal(try_login(v->s, STORE_USER, "wrong"), E_PIN_WRONG);
	assert_int_equal(try_login(v->s, STORE_SO, "wrong"), E_PIN_WRONG);
	assert_int_equal(try_login(v->s, STORE_USER, USER_PIN), OK);
	assert_int_equal(vault_count(v->s, v->user), 100);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(now, sizeof(now), "%s FROM main.%s", rows[i].columns, rows[i].table);
		snprintf(before, sizeof(before), "%s FROM old.%s", rows[i].columns, rows[i].table);
		snprintf(sql, sizeof(sql), "SELECT count(*) FROM (SELECT %s EXCEPT SELECT %s)", now,
			 before);
		assert_int_equal(number_with(v, old, sql), 0);
		snprintf(sql, sizeof(sql), "SELECT count(*) FROM (SELECT %s EXCEPT SELECT %s)",
			 before, now);
		assert_int_equal(number_with(v, old, sql), 0);
	}
	assert_int_equal(number(v, "SELECT failures FROM pins WHERE user = 1"), 1);
}

static void test_lock_and_unlock(void **state)
{
	struct vault *v = *state;
	struct seal *so, *user;
	uint64_t id = vault_must_put(v, true, "kept", "");

	v->policy.pin_max = 3;
	vault_reopen(v);
	for (int i = 0; i < 3; i++)
		assert_int_equal(try_login(v->s, STORE_USER, "wrong"), E_PIN_WRONG);
	assert_int_equal(try_login(v->s, STORE_USER, "wrong"), E_PIN_LOCKED);
	assert_int_equal(try_login(v->s, STORE_USER, USER_PIN), E_PIN_LOCKED);
	assert_int_equal(store_set_pin(v->s, STORE_USER, text(USER_PIN), text("new-pin"), NULL),
			 E_PIN_LOCKED);
	seal_free(v->user);
	v->user = NULL;
	store_close(v->s);
	v->s = vault_again(v, NULL);
	assert_int_equal(try_login(v->s, STORE_USER, USER_PIN), E_PIN_LOCKED);
	so = vault_login(v->s, STORE_SO, SO_PIN);
	assert_int_equal(store_init_pin(v->s, so, text("second"), NULL), OK);
	seal_free(so);
	assert_int_equal(try_login(v->s, STORE_USER, USER_PIN), E_PIN_WRONG);
	user = vault_login(v->s, STORE_USER, "second");
	vault_expect(v->s, user, id, "kept");
	seal_free(user);
}

/* The way out of a locked SO PIN is not a re-initialisation: that needs the SO PIN too. */
static void test_locked_so(void **state)
{
	struct vault *v = *state;
	const char label[33] = "new                             ";

	v->policy.pin_max = 2;
	vault_reopen(v);
	assert_int_equal(try_login(v->s, STORE_SO, "wrong"), E_PIN_WRONG);
	assert_int_equal(store_reinit(v->s, text("wrong"), label, NULL), E_PIN_WRONG);
	assert_int_equal(store_reinit(v->s, text(SO_PIN), label, NULL), E_PIN_LOCKED);
	assert_int_equal(try_login(v->s, STORE_SO, SO_PIN), E_PIN_LOCKED);
	/* the user goes on */
	assert_int_equal(try_login(v->s, STORE_USER, USER_PIN), OK);
	/* documented: a higher limit in the configuration lets the SO try again */
	v->policy.pin_max = 3;
	vault_reopen(v);
	assert_int_equal(try_login(v->s, STORE_SO, SO_PIN), OK);
	assert_int_equal(info_of(v->s).so_failures, 0);
}

static void test_delays(void **state)
{
	static const unsigned want[] = { 0, 0, 0, 250, 500, 1000, 2000, 4000, 4000, 4000 };
	struct timespec a, b;
	struct vault *v = *state;
	long ms;

	for (uint32_t i = 0; i < 10; i++)
		assert_int_equal(pinkey_delay_ms(i), want[i]);
	assert_int_equal(pinkey_delay_ms(UINT32_MAX), 4000);
	for (int i = 0; i < 3; i++)
		assert_int_equal(try_login(v->s, STORE_USER, "wrong"), E_PIN_WRONG);
	clock_gettime(CLOCK_MONOTONIC, &a);
	assert_int_equal(try_login(v->s, STORE_USER, USER_PIN), OK);
	clock_gettime(CLOCK_MONOTONIC, &b);
	ms = (b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000;
	assert_true(ms >= 250);
	assert_int_equal(info_of(v->s).user_failures, 0);
}

static void test_lengths(void **state)
{
	struct vault *v = *state;
	char longest[256];
	const char with_nul[] = "a\0bcde";

	memset(longest, 'x', sizeof(longest));
#define SET(old, n_old, p, n) store_set_pin(v->s, STORE_USER, span(old, n_old), span(p, n), NULL)
	assert_int_equal(SET(USER_PIN, strlen(USER_PIN), "abc", 3), E_PIN_LEN);
	assert_int_equal(SET(USER_PIN, strlen(USER_PIN), "", 0), E_PIN_LEN);
	assert_int_equal(SET(USER_PIN, strlen(USER_PIN), longest, 256), E_PIN_LEN);
	assert_int_equal(SET(USER_PIN, strlen(USER_PIN), "ab\xff\xfe", 4), E_PIN_INVALID);
	assert_int_equal(SET(USER_PIN, strlen(USER_PIN), "abcd", 4), OK);
	assert_int_equal(SET("abcd", 4, longest, 255), OK);
	assert_int_equal(store_login(v->s, STORE_USER, span(longest, 254), NULL), E_PIN_WRONG);
	assert_int_equal(SET(longest, 255, with_nul, 6), OK);
	assert_int_equal(store_login(v->s, STORE_USER, span("a", 1), NULL), E_PIN_WRONG);
	assert_int_equal(store_login(v->s, STORE_USER, span(with_nul, 6), NULL), OK);
	/* a PIN to be checked is only compared: any other is wrong, and counts */
	assert_int_equal(store_login(v->s, STORE_USER, span(NULL, 0), NULL), E_PIN_WRONG);
	assert_int_equal(store_login(v->s, STORE_USER, span(longest, 256), NULL), E_PIN_WRONG);
	assert_int_equal(info_of(v->s).user_failures, 2);
	assert_int_equal(SET(with_nul, 6, "p\xc3\xa4sswort", 9), OK);
#undef SET
}

static void test_change(void **state)
{
	struct vault *v = *state;
	uint64_t id = vault_must_put(v, true, "stays", "");
	struct seal *k;

	assert_int_equal(store_set_pin(v->s, STORE_USER, text("wrong"), text("second"), NULL),
			 E_PIN_WRONG);
	assert_int_equal(info_of(v->s).user_failures, 1);
	assert_int_equal(store_set_pin(v->s, STORE_USER, text(USER_PIN), text("second"), NULL), OK);
	assert_int_equal(info_of(v->s).user_failures, 0);
	assert_int_equal(try_login(v->s, STORE_USER, USER_PIN), E_PIN_WRONG);
	k = vault_login(v->s, STORE_USER, "second");
	vault_expect(v->s, k, id, "stays");
	seal_free(k);
	assert_int_equal(store_set_pin(v->s, STORE_SO, text(SO_PIN), text("so-second"), NULL), OK);
	assert_int_equal(try_login(v->s, STORE_SO, SO_PIN), E_PIN_WRONG);
	k = vault_login(v->s, STORE_SO, "so-second");
	/* the user's PIN does not make a security officer */
	assert_int_equal(store_init_pin(v->s, v->user, text("third-pin"), NULL), E_NOT_LOGGED_IN);
	assert_int_equal(store_init_pin(v->s, k, text("third-pin"), NULL), OK);
	seal_free(k);
	assert_int_equal(try_login(v->s, STORE_USER, "third-pin"), OK);
}

static void test_unset(void **state)
{
	struct vault *v = *state;
	const char label[33] = "a                               ";

	assert_int_equal(store_create(v->dir, 0, &v->policy, text(SO_PIN), label, NULL, NULL), OK);
	assert_int_equal(store_open(v->dir, 0, &v->policy, &v->s, NULL), OK);
	assert_false(info_of(v->s).user_pin_set);
	assert_int_equal(try_login(v->s, STORE_USER, "whatever"), E_PIN_UNSET);
	assert_int_equal(store_set_pin(v->s, STORE_USER, text("old-pin"), text("new-pin"), NULL),
			 E_PIN_UNSET);
	assert_int_equal(store_create(v->dir, 1, &v->policy, text("abc"), label, NULL, NULL),
			 E_PIN_LEN);
}

/* ---- how a PIN becomes a key ---- */

#define HEX64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void test_kdf_choice(void **state)
{
	static const struct {
		const char *pin;
		int kdf;
	} pins[] = {
		{ STORE_MACHINE_PIN HEX64, KDF_HKDF },
		{ HEX64, KDF_ARGON2ID }, /* may be the hash of something short */
		{ STORE_MACHINE_PIN HEX64 "0", KDF_ARGON2ID },
		{ STORE_MACHINE_PIN "0123", KDF_ARGON2ID },
		{ STORE_MACHINE_PIN
		  "X123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		  KDF_ARGON2ID },
		{ "a human's", KDF_ARGON2ID },
	};
	struct vault *v = *state;
	const char *now = USER_PIN;

	for (size_t i = 0; i < sizeof(pins) / sizeof(pins[0]); i++) {
		assert_int_equal(
			store_set_pin(v->s, STORE_USER, text(now), text(pins[i].pin), NULL), OK);
		assert_int_equal(number(v, "SELECT kdf FROM pins WHERE user = 0"), pins[i].kdf);
		now = pins[i].pin;
		assert_int_equal(try_login(v->s, STORE_USER, now), OK);
	}
	/* a guess of the cheap form does not make the row cheap */
	assert_int_equal(try_login(v->s, STORE_USER, STORE_MACHINE_PIN HEX64), E_PIN_WRONG);
}

static void test_pbkdf2(void **state)
{
	struct vault *v = *state;

	v->policy.pbkdf2 = true;
	v->policy.kdf_cost = 5000;
	vault_reopen(v);
	assert_int_equal(store_set_pin(v->s, STORE_USER, text(USER_PIN), text("second"), NULL), OK);
	assert_int_equal(number(v, "SELECT kdf FROM pins WHERE user = 0"), KDF_PBKDF2);
	assert_int_equal(number(v, "SELECT cost FROM pins WHERE user = 0"), 5000);
	assert_int_equal(try_login(v->s, STORE_USER, "second"), OK);
	assert_int_equal(try_login(v->s, STORE_USER, USER_PIN), E_PIN_WRONG);
}

/* What token init calibrated, a PIN change under a lower configuration does not undo. */
static void test_cost_stays(void **state)
{
	struct vault *v = *state;

	v->policy.kdf_cost = 64;
	v->policy.kdf_passes = 3;
	vault_reopen(v);
	assert_int_equal(store_set_pin(v->s, STORE_USER, text(USER_PIN), text("second"), NULL), OK);
	v->policy = vault_policy();
	store_close(v->s);
	v->s = vault_again(v, NULL);
	assert_int_equal(store_set_pin(v->s, STORE_USER, text("second"), text("third"), NULL), OK);
	assert_int_equal(number(v, "SELECT cost FROM pins WHERE user = 0"), 64);
	assert_int_equal(number(v, "SELECT passes FROM pins WHERE user = 0"), 3);
}

static void test_calibrate(void **state)
{
	struct store_policy p = vault_policy(), before;

	(void)state;
	p.kdf_cost = 1024;
	before = p;
	assert_int_equal(store_calibrate(0, &p), OK);
	assert_int_equal(p.kdf_cost, before.kdf_cost);
	assert_int_equal(store_calibrate(2000, &p), OK);
	assert_true(p.kdf_cost > before.kdf_cost);
	p = (struct store_policy){ .pbkdf2 = true, .kdf_cost = 1000 };
	assert_int_equal(store_calibrate(2000, &p), OK);
	assert_true(p.kdf_cost > 1000);
	p.kdf_cost = 0;
	assert_int_equal(store_calibrate(20, &p), E_ARGUMENTS);
}

/* ---- beginning anew, renaming ---- */

static bool file_contains(const char *path, const char *needle)
{
	size_t n = vault_size(path), k = strlen(needle);
	uint8_t *p = malloc(n);
	FILE *f = fopen(path, "rb");
	bool found = false;

	assert_non_null(p);
	assert_non_null(f);
	assert_int_equal(fread(p, 1, n, f), n);
	fclose(f);
	for (size_t i = 0; !found && i + k <= n; i++)
		found = memcmp(p + i, needle, k) == 0;
	free(p);
	return found;
}

static void test_reinit(void **state)
{
	struct vault *v = *state;
	const char label[33] = "anew                            ";
	struct seal *k2 = NULL;
	struct store *other = vault_again(v, &k2);
	struct store_info before = info_of(v->s), after;
	struct record r = { 0 };
	struct store_delta *d = NULL;
	uint64_t priv = vault_must_put(v, true, "secret", ""), now, version;
	uint64_t pub = vault_must_put(v, false, "needle-in-the-file", "");
	size_t n = 0;

	assert_true(file_contains(v->db, "needle-in-the-file"));
	assert_int_equal(store_reinit(v->s, text("wrong"), label, NULL), E_PIN_WRONG);
	assert_int_equal(info_of(v->s).so_failures, 1);
	vault_expect(v->s, v->user, priv, "secret");
	assert_int_equal(store_reinit(v->s, text(SO_PIN), label, NULL), OK);
	after = info_of(v->s);
	assert_memory_equal(after.label, label, 32);
	assert_memory_equal(after.serial, before.serial, 16);
	assert_false(after.user_pin_set);
	assert_int_equal(after.so_failures, 0);
	assert_int_equal(vault_count(v->s, NULL), 0);
	assert_int_equal(store_get(v->s, NULL, pub, &r), E_OBJECT_HANDLE);
	assert_false(file_contains(v->db, "needle-in-the-file"));
	assert_int_equal(store_changes(v->s, before.changes, &d, &n, &now), OK);
	assert_true(n == 1 && d[0].id == 0);
	mem_free(d);
	assert_int_equal(try_login(v->s, STORE_USER, USER_PIN), E_PIN_UNSET);
	/* seals of before are of another token, and so is a handle of before */
	assert_int_equal(store_get(v->s, v->user, priv, &r), E_DEVICE_REMOVED);
	assert_int_equal(vault_put(v->s, v->user, true, "x", "", NULL), E_DEVICE_REMOVED);
	assert_int_equal(store_version(other, &version), E_DEVICE_REMOVED);
	assert_int_equal(vault_put(other, k2, true, "x", "", NULL), E_DEVICE_REMOVED);
	seal_free(k2);
	store_close(other);
	/* and it works again */
	k2 = vault_login(v->s, STORE_SO, SO_PIN);
	assert_int_equal(store_init_pin(v->s, k2, text(USER_PIN), NULL), OK);
	seal_free(k2);
	vault_reopen(v);
	assert_true(vault_must_put(v, true, "new", "") > pub);
	assert_int_equal(vault_findings(v->s, v->user, false), 0);
}

static void test_rename(void **state)
{
	struct vault *v = *state;
	const char label[33] = "another name                    ";
	struct store *other = vault_again(v, NULL);
	struct seal *so = vault_login(v->s, STORE_SO, SO_PIN);
	uint64_t id = vault_must_put(v, true, "stays", "");

	assert_int_equal(store_rename(v->s, v->user, label, NULL), E_NOT_LOGGED_IN);
	assert_int_equal(store_rename(v->s, NULL, label, NULL), E_NOT_LOGGED_IN);
	assert_int_equal(store_rename(v->s, so, label, NULL), OK);
	assert_memory_equal(info_of(other).label, label, 32);
	vault_expect(other, so, id, "stays");
	seal_free(so);
	store_close(other);
	vault_reopen(v);
	assert_int_equal(vault_findings(v->s, v->user, false), 0);
}

/* What the token demands lies in the clear, so that it is known without a login, and is sealed, so that nobody takes it away. */
static void test_audit_required(void **state)
{
	struct vault *v = *state;
	const char label[33] = "anew                            ";
	struct seal *so = vault_login(v->s, STORE_SO, SO_PIN);
	struct store_event ev = { .body = text("event") };
	char backup[PATH_MAX + 8], other[PATH_MAX + 8];
	struct store *copy = NULL;

	assert_false(info_of(v->s).audit_required);
	assert_int_equal(store_require_audit(v->s, v->user, true, NULL), E_NOT_LOGGED_IN);
	assert_int_equal(store_require_audit(v->s, so, true, &ev), OK);
	assert_int_not_equal(ev.number, 0);
	assert_true(info_of(v->s).audit_required);
	seal_free(so);
	assert_int_equal(store_reinit(v->s, text(SO_PIN), label, NULL), OK);
	assert_true(info_of(v->s).audit_required);
	snprintf(backup, sizeof(backup), "%s/backup", v->dir);
	snprintf(other, sizeof(other), "%s/other", v->dir);
	assert_int_equal(store_backup(v->s, text(PASSPHRASE), backup, NULL), OK);
	assert_int_equal(store_restore(other, 0, &v->policy, text(PASSPHRASE), backup, NULL, NULL),
			 OK);
	assert_int_equal(store_open(other, 0, &v->policy, &copy, NULL), OK);
	assert_true(info_of(copy).audit_required);
	store_close(copy);
	so = vault_login(v->s, STORE_SO, SO_PIN);
	assert_int_equal(store_init_pin(v->s, so, text(USER_PIN), NULL), OK);
	seal_free(so);
	seal_free(v->user);
	v->user = NULL;
	store_close(v->s);
	v->s = NULL;
	vault_sql(v, "UPDATE token SET flags = 0");
	v->s = vault_again(v, NULL);
	assert_int_equal(try_login(v->s, STORE_USER, USER_PIN), E_CORRUPT);
	vault_sql(v, "UPDATE token SET flags = 1");
	v->user = vault_login(v->s, STORE_USER, USER_PIN);
}

/* ---- many at once ---- */

#define PROCESSES 5
#define THREADS   10

struct tries {
	const struct vault *v;
	const char *pin;
	atomic_uint wrong, locked, right, other;
};

static void *one_try(void *arg)
{
	struct tries *t = arg;
	struct store *s = NULL;
	enum err e = store_open(t->v->dir, 0, &t->v->policy, &s, NULL);

	if (e == OK)
		e = store_login(s, STORE_USER, text(t->pin), NULL);
	atomic_fetch_add(e == OK             ? &t->right
			 : e == E_PIN_WRONG  ? &t->wrong
			 : e == E_PIN_LOCKED ? &t->locked
					     : &t->other,
			 1);
	store_close(s);
	return NULL;
}

/* In a process of its own; its answers through the pipe. */
static void try_in_threads(const struct vault *v, const char *pin, int to)
{
	struct tries t = { .v = v, .pin = pin };
	pthread_t id[THREADS];
	unsigned got[4];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&id[i], NULL, one_try, &t) != 0)
			_exit(1);
	for (int i = 0; i < THREADS; i++)
		pthread_join(id[i], NULL);
	got[0] = t.right;
	got[1] = t.wrong;
	got[2] = t.locked;
	got[3] = t.other;
	_exit(write(to, got, sizeof(got)) == sizeof(got) ? 0 : 1);
}

static void try_everywhere(const struct vault *v, const char *pin, unsigned sum[4])
{
	int fd[2];

	memset(sum, 0, 4 * sizeof(*sum));
	assert_int_equal(pipe(fd), 0);
	for (int i = 0; i < PROCESSES; i++) {
		store_fork_prepare();
		pid_t pid = fork();

		if (pid == 0) {
			store_fork_child();
			try_in_threads(v, pin, fd[1]);
		}
		store_fork_parent();
		assert_true(pid > 0);
	}
	for (int i = 0; i < PROCESSES; i++) {
		unsigned got[4];

		assert_int_equal(read(fd[0], got, sizeof(got)), sizeof(got));
		for (int j = 0; j < 4; j++)
			sum[j] += got[j];
	}
	while (wait(NULL) > 0)
		continue;
	close(fd[0]);
	close(fd[1]);
}

static void test_many_wrong(void **state)
{
	struct vault *v = *state;
	unsigned sum[4];

	v->policy.pin_max = 5;
	vault_reopen(v);
	try_everywhere(v, "wrong", sum);
	assert_int_equal(sum[0], 0);
	assert_int_equal(sum[1], 5);
	assert_int_equal(sum[2], PROCESSES * THREADS - 5);
	assert_int_equal(sum[3], 0);
	assert_int_equal(info_of(v->s).user_failures, 5);
	assert_int_equal(try_login(v->s, STORE_USER, USER_PIN), E_PIN_LOCKED);
}

/* None of them takes another's try for a failure. */
static void test_many_right(void **state)
{
	struct vault *v = *state;
	unsigned sum[4];

	v->policy.pin_max = 2;
	vault_reopen(v);
	try_everywhere(v, USER_PIN, sum);
	assert_int_equal(sum[0], PROCESSES * THREADS);
	assert_int_equal(info_of(v->s).user_failures, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, vault_open, vault_close)
		TEST(test_count),
		TEST(test_writes_nothing_else),
		TEST(test_lock_and_unlock),
		TEST(test_locked_so),
		TEST(test_delays),
		TEST(test_lengths),
		TEST(test_change),
		cmocka_unit_test_setup_teardown(test_unset, vault_empty, vault_close),
		TEST(test_kdf_choice),
		TEST(test_pbkdf2),
		TEST(test_cost_stays),
		TEST(test_calibrate),
		TEST(test_reinit),
		TEST(test_rename),
		TEST(test_audit_required),
		TEST(test_many_wrong),
		TEST(test_many_right),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
