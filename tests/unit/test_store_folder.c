/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of tokens: ids, modes, half-made and removed tokens, races, stores that cannot be written (cases B036, B037). */
#include "vault.h"

#include "base/mem.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define NOBODY 65534

static const char label[33] = "a token                         ";

static enum err create(const struct vault *v, CK_SLOT_ID slot)
{
	struct why why = { .text = "" };
	enum err e = store_create(v->dir, slot, &v->policy, text(SO_PIN), label, NULL, &why);

	if (e != OK)
		assert_int_not_equal(why.text[0], '\0');
	return e;
}

static CK_SLOT_ID list(const struct vault *v, CK_SLOT_ID *ids, size_t *n)
{
	CK_SLOT_ID *got = NULL, next = 0;

	assert_int_equal(store_list(v->dir, &got, n, &next, NULL), OK);
	for (size_t i = 0; i < *n && i < 16; i++)
		ids[i] = got[i];
	mem_free(got);
	return next;
}

static const char *path_of(const struct vault *v, const char *name)
{
	static __thread char path[2][PATH_MAX];
	static __thread unsigned at;

	assert_true(snprintf(path[++at % 2], PATH_MAX, "%s/%s", v->dir, name) < PATH_MAX);
	return path[at % 2];
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

static void test_ids(void **state)
{
	struct vault *v = *state;
	CK_SLOT_ID ids[16];
	size_t n;

	assert_int_equal(list(v, ids, &n), 0);
	assert_int_equal(n, 0);
	assert_int_equal(create(v, 0), OK);
	assert_int_equal(create(v, 0), E_SESSION_EXISTS);
	assert_int_equal(create(v, 1), OK);
	assert_int_equal(create(v, 10), OK);
	assert_int_equal(list(v, ids, &n), 11);
	assert_true(n == 3 && ids[0] == 0 && ids[1] == 1 && ids[2] == 10);
	/* an id is never used twice, not even the highest one */
	assert_int_equal(store_delete(v->dir, 10, NULL), OK);
	assert_int_equal(list(v, ids, &n), 11);
	assert_int_equal(n, 2);
	assert_int_equal(create(v, 10), E_SLOT);
	assert_int_equal(create(v, 5), E_SLOT);
	assert_int_equal(create(v, 11), OK);
	assert_int_equal(store_delete(v->dir, 10, NULL), E_TOKEN_ABSENT);
	assert_int_equal(create(v, 0x80000000UL), E_SLOT);
	assert_int_equal(create(v, 0x7fffffffUL), OK);
	assert_int_equal(list(v, ids, &n), 0x80000000UL);
	assert_int_equal(create(v, 0x80000000UL), E_SLOT);
}

static void test_missing_folder(void **state)
{
	struct vault *v = *state;
	CK_SLOT_ID *ids = NULL, next = 7;
	size_t n = 7;
	struct store *s = NULL;
	char missing[PATH_MAX];

	snprintf(missing, sizeof(missing), "%s", path_of(v, "a/b"));
	assert_int_equal(store_list(missing, &ids, &n, &next, NULL), OK);
	assert_true(n == 0 && next == 0);
	mem_free(ids);
	assert_int_equal(store_open(missing, 0, &v->policy, &s, NULL), E_ABSENT);
	assert_int_equal(store_open(v->dir, 0, &v->policy, &s, NULL), E_ABSENT);
	assert_int_equal(store_delete(missing, 0, NULL), E_TOKEN_ABSENT);
	assert_int_equal(store_create(missing, 0, &v->policy, text(SO_PIN), label, NULL, NULL), OK);
	assert_int_equal(mode_of(missing), 0700);
}

static void test_damaged_counter(void **state)
{
	static const char *const bad[] = { "", "x", "1 2", "-1", "99999999999", "1\n\n" };
	struct vault *v = *state;
	CK_SLOT_ID ids[16];
	size_t n;

	assert_int_equal(create(v, 0), OK);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		FILE *f = fopen(path_of(v, "next-slot"), "w");

		assert_non_null(f);
		fputs(bad[i], f);
		fclose(f);
		list(v, ids, &n);
		assert_int_equal(n, 1); /* the tokens are there all the same */
		assert_int_equal(create(v, 1), E_CORRUPT);
	}
	assert_int_equal(unlink(path_of(v, "next-slot")), 0);
	assert_int_equal(create(v, 1), OK);
}

static void test_modes(void **state)
{
	struct vault *v = *state;
	mode_t before = umask(0);

	assert_int_equal(create(v, 0), OK);
	assert_int_equal(umask(0777), 0);
	v->policy.dir_mode = 0750;
	v->policy.file_mode = 0640;
	assert_int_equal(chmod(v->dir, 0750), 0);
	assert_int_equal(create(v, 1), OK);
	assert_int_equal(umask(before), 0777);
	assert_int_equal(mode_of(path_of(v, "0")), 0700);
	assert_int_equal(mode_of(path_of(v, "0/token.db")), 0600);
	assert_int_equal(mode_of(path_of(v, "0/token.db-journal")), 0600);
	assert_int_equal(mode_of(path_of(v, "1")), 0750);
	assert_int_equal(mode_of(path_of(v, "1/token.db")), 0640);
	assert_int_equal(mode_of(path_of(v, "1/token.db-journal")), 0640);
	assert_int_equal(mode_of(path_of(v, "next-slot")), 0640);
}

static void expect_refused(const struct vault *v)
{
	struct store *s = NULL;
	struct why why = { .text = "" };

	assert_int_equal(store_open(v->dir, 0, &v->policy, &s, &why), E_ACCESS);
	assert_int_not_equal(why.text[0], '\0');
	assert_null(s);
}

static void test_trust(void **state)
{
	struct vault *v = *state;
	struct store *s = NULL;
	char real[PATH_MAX];

	assert_int_equal(create(v, 0), OK);
	/* writable by others */
	assert_int_equal(chmod(v->db, 0660), 0);
	expect_refused(v);
	assert_int_equal(chmod(v->db, 0600), 0);
	assert_int_equal(chmod(path_of(v, "0"), 0777), 0);
	expect_refused(v);
	assert_int_equal(chmod(path_of(v, "0"), 0700), 0);
	assert_int_equal(chmod(v->dir, 0777), 0);
	expect_refused(v);
	assert_int_equal(create(v, 1), E_ACCESS);
	assert_int_equal(chmod(v->dir, 0700), 0);
	/* a second name */
	assert_int_equal(link(v->db, path_of(v, "other")), 0);
	expect_refused(v);
	assert_int_equal(unlink(path_of(v, "other")), 0);
	/* links in place of the file, the journal, the directory */
	snprintf(real, sizeof(real), "%s", path_of(v, "real.db"));
	assert_int_equal(rename(v->db, real), 0);
	assert_int_equal(symlink(real, v->db), 0);
	expect_refused(v);
	assert_int_equal(unlink(v->db), 0);
	assert_int_equal(rename(real, v->db), 0);
	assert_int_equal(rename(path_of(v, "0/token.db-journal"), real), 0);
	assert_int_equal(symlink(real, path_of(v, "0/token.db-journal")), 0);
	expect_refused(v);
	assert_int_equal(unlink(path_of(v, "0/token.db-journal")), 0);
	assert_int_equal(rename(path_of(v, "0"), path_of(v, "moved")), 0);
	assert_int_equal(symlink("moved", path_of(v, "0")), 0);
	expect_refused(v);
	assert_int_equal(unlink(path_of(v, "0")), 0);
	assert_int_equal(rename(path_of(v, "moved"), path_of(v, "0")), 0);
	/* the folder itself may be reached by a link: that is the operator's own */
	assert_int_equal(store_open(v->dir, 0, &v->policy, &s, NULL), OK);
	store_close(s);
	snprintf(real, sizeof(real), "%s", path_of(v, "link"));
	assert_int_equal(symlink(v->dir, real), 0);
	assert_int_equal(store_open(real, 0, &v->policy, &s, NULL), OK);
	store_close(s);
}

/* What a killed process leaves is not seen, and the next change takes it away; what is not ours stays. */
static void test_leftovers(void **state)
{
	struct vault *v = *state;
	CK_SLOT_ID ids[16];
	size_t n;

	assert_int_equal(create(v, 0), OK);
	assert_int_equal(mkdir(path_of(v, ".new-1-0123456789abcdef"), 0700), 0);
	vault_copy(v->db, path_of(v, ".new-1-0123456789abcdef/token.db"));
	assert_int_equal(mkdir(path_of(v, ".old-0-0123456789abcdef"), 0700), 0);
	assert_int_equal(mkdir(path_of(v, "notes"), 0700), 0);
	vault_copy(v->db, path_of(v, "next-slot.0123456789abcdef.tmp"));
	assert_int_equal(mkdir(path_of(v, "7"), 0700), 0); /* no token in it */
	list(v, ids, &n);
	assert_int_equal(n, 1);
	assert_int_equal(create(v, 1), OK);
	assert_int_equal(access(path_of(v, ".new-1-0123456789abcdef"), F_OK), -1);
	assert_int_equal(access(path_of(v, ".old-0-0123456789abcdef"), F_OK), -1);
	assert_int_equal(access(path_of(v, "next-slot.0123456789abcdef.tmp"), F_OK), -1);
	assert_int_equal(access(path_of(v, "notes"), F_OK), 0);
}

static void test_delete(void **state)
{
	struct vault *v = *state;
	uint64_t version;
	struct store *s = NULL;

	assert_int_equal(create(v, 0), OK);
	assert_int_equal(create(v, 1), OK);
	assert_int_equal(store_open(v->dir, 0, &v->policy, &s, NULL), OK);
	assert_int_equal(store_version(s, &version), OK);
	assert_int_equal(store_delete(v->dir, 0, NULL), OK);
	assert_int_equal(access(path_of(v, "0"), F_OK), -1);
	assert_int_equal(store_version(s, &version), E_DEVICE_REMOVED);
	assert_int_equal(store_login(s, STORE_SO, text(SO_PIN), NULL), E_DEVICE_REMOVED);
	store_close(s);
	assert_int_equal(access(path_of(v, "1/token.db"), F_OK), 0);
}

/* ---- races ---- */

static pid_t start(void (*run)(const struct vault *v), const struct vault *v)
{
	pid_t pid;

	store_fork_prepare();
	pid = fork();
	if (pid == 0) {
		store_fork_child();
		run(v);
		_exit(99);
	}
	store_fork_parent();
	assert_true(pid > 0);
	return pid;
}

static int status_of(pid_t pid)
{
	int st = 0;

	assert_int_equal(waitpid(pid, &st, 0), pid);
	assert_true(WIFEXITED(st));
	return WEXITSTATUS(st);
}

static void create_three(const struct vault *v)
{
	_exit((int)store_create(v->dir, 3, &v->policy, text(SO_PIN), label, NULL, NULL));
}

static void test_race(void **state)
{
	struct vault *v = *state;
	pid_t pid[8];
	unsigned won = 0;
	struct store *s = NULL;

	for (int i = 0; i < 8; i++)
		pid[i] = start(create_three, v);
	for (int i = 0; i < 8; i++) {
		int e = status_of(pid[i]);

		assert_true(e == OK || e == E_SESSION_EXISTS);
		won += e == OK;
	}
	assert_int_equal(won, 1);
	assert_int_equal(store_open(v->dir, 3, &v->policy, &s, NULL), OK);
	assert_int_equal(store_login(s, STORE_SO, text(SO_PIN), NULL), OK);
	store_close(s);
}

/* ---- replaced while open ---- */

static void test_replaced(void **state)
{
	struct vault *v = *state;
	char copy[PATH_MAX];
	uint64_t version;

	vault_must_put(v, true, "old", "");
	snprintf(copy, sizeof(copy), "%s", path_of(v, "copy.db"));
	vault_copy(v->db, copy);
	vault_must_put(v, true, "new", "");
	assert_int_equal(rename(copy, v->db), 0);
	assert_int_equal(vault_put(v->s, v->user, true, "lost", "", NULL), E_DEVICE_REMOVED);
	assert_int_equal(store_version(v->s, &version), E_DEVICE_REMOVED);
	/* latched: also when the first file comes back */
	assert_int_equal(vault_put(v->s, v->user, true, "lost", "", NULL), E_DEVICE_REMOVED);
}

/* ---- read-only ---- */

static void become_nobody(void)
{
	if (setgroups(0, NULL) != 0 || setgid(NOBODY) != 0 || setuid(NOBODY) != 0)
		_exit(98);
}

#define REQUIRE(x)                                                      \
	do {                                                            \
		if (!(x)) {                                             \
			fprintf(stderr, "line %d: %s\n", __LINE__, #x); \
			_exit(1);                                       \
		}                                                       \
	} while (0)

static size_t query_all(struct store *s, const struct seal *k)
{
	const struct store_query q = { .cls = CK_UNAVAILABLE_INFORMATION };
	uint64_t *ids = NULL;
	size_t n = 0;

	REQUIRE(store_query(s, k, &q, &ids, &n) == OK);
	mem_free(ids);
	return n;
}

/* Everything that reads works, everything that writes says why not. */
static void use_read_only(const struct vault *v)
{
	struct store *s = NULL;
	struct seal *k = NULL;
	struct store_info info;
	struct record r = { 0 };
	struct store_change c = { CHANGE_REMOVE, &r };
	uint64_t version;

	REQUIRE(store_open(v->dir, 0, &v->policy, &s, NULL) == OK);
	REQUIRE(store_info(s, &info) == OK && info.read_only);
	REQUIRE(store_version(s, &version) == OK);
	for (unsigned i = 1; i <= 3; i++) {
		REQUIRE(store_login(s, STORE_USER, text("wrong"), NULL) == E_PIN_WRONG);
		REQUIRE(store_info(s, &info) == OK && info.user_failures == i);
	}
	REQUIRE(store_login(s, STORE_USER, text(USER_PIN), &k) == OK);
	REQUIRE(store_info(s, &info) == OK && info.user_failures == 0);
	REQUIRE(query_all(s, k) == 2);
	REQUIRE(store_get(s, k, 1, &r) == OK && r.verified);
	REQUIRE(store_commit(s, k, &c, 1, NULL) == E_WRITE_PROTECTED);
	REQUIRE(store_set_pin(s, STORE_USER, text(USER_PIN), text("second"), NULL) ==
		E_WRITE_PROTECTED);
	REQUIRE(store_reinit(s, text(SO_PIN), label, NULL) == E_WRITE_PROTECTED);
	for (unsigned i = 0; i < info.pin_max; i++)
		REQUIRE(store_login(s, STORE_SO, text("wrong"), NULL) == E_PIN_WRONG);
	REQUIRE(store_login(s, STORE_SO, text(SO_PIN), NULL) == E_PIN_LOCKED);
	record_clear(&r);
	seal_free(k);
	store_close(s);
	_exit(0);
}

static void as_nobody(const struct vault *v)
{
	become_nobody();
	use_read_only(v);
}

static void fill_two(struct vault *v)
{
	vault_must_put(v, true, "private", "");
	vault_must_put(v, false, "public", "");
	v->policy.pin_max = 4; /* the others' delays would add up */
}

static void need_root(void)
{
	if (geteuid() != 0) {
		print_message("skipped: needs root, for another user's eyes\n");
		skip();
	}
}

static void test_other_user(void **state)
{
	struct vault *v = *state;

	need_root();
	fill_two(v);
	assert_int_equal(chmod(v->dir, 0750), 0);
	assert_int_equal(chmod(path_of(v, "0"), 0750), 0);
	assert_int_equal(chmod(v->db, 0640), 0);
	assert_int_equal(chmod(path_of(v, "0/token.db-journal"), 0640), 0);
	assert_int_equal(chown(v->dir, 0, NOBODY), 0);
	assert_int_equal(chown(path_of(v, "0"), 0, NOBODY), 0);
	assert_int_equal(chown(v->db, 0, NOBODY), 0);
	assert_int_equal(chown(path_of(v, "0/token.db-journal"), 0, NOBODY), 0);
	assert_int_equal(status_of(start(as_nobody, v)), 0);
	/* the writer goes on meanwhile and the file keeps its group's right */
	vault_must_put(v, true, "more", "");
	assert_int_equal(mode_of(v->db), 0640);
}

static void test_mode_0555(void **state)
{
	struct vault *v = *state;

	need_root();
	fill_two(v);
	assert_int_equal(chown(v->dir, NOBODY, NOBODY), 0);
	assert_int_equal(chown(path_of(v, "0"), NOBODY, NOBODY), 0);
	assert_int_equal(chown(v->db, NOBODY, NOBODY), 0);
	assert_int_equal(chown(path_of(v, "0/token.db-journal"), NOBODY, NOBODY), 0);
	assert_int_equal(chmod(path_of(v, "0"), 0555), 0);
	assert_int_equal(status_of(start(as_nobody, v)), 0);
	assert_int_equal(chmod(path_of(v, "0"), 0700), 0);
	assert_int_equal(chmod(v->db, 0400), 0);
	assert_int_equal(status_of(start(as_nobody, v)), 0);
}

/* A read-only view of a directory that others go on writing to through another one. */
static void test_read_only_mount(void **state)
{
	struct vault *v = *state, view = *v;
	struct store *s = NULL;
	uint64_t before, after, id;

	need_root();
	fill_two(v);
	view.policy = v->policy;
	assert_int_equal(mkdir(path_of(v, "view"), 0700), 0);
	snprintf(view.dir, sizeof(view.dir), "%s", path_of(v, "view"));
	if (mount(v->dir, view.dir, "", MS_BIND, NULL) != 0 ||
	    mount("", view.dir, "", MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) != 0) {
		print_message("skipped: cannot mount here\n");
		skip();
	}
	assert_int_equal(status_of(start(use_read_only, &view)), 0);
	assert_int_equal(store_create(view.dir, 1, &v->policy, text(SO_PIN), label, NULL, NULL),
			 E_WRITE_PROTECTED);
	assert_int_equal(store_delete(view.dir, 0, NULL), E_WRITE_PROTECTED);
	assert_int_equal(store_open(view.dir, 0, &v->policy, &s, NULL), OK);
	assert_int_equal(store_version(s, &before), OK);
	id = vault_must_put(v, true, "later", "");
	assert_int_equal(store_version(s, &after), OK);
	assert_int_not_equal(before, after);
	vault_expect(s, v->user, id, "later");
	store_close(s);
	assert_int_equal(umount(view.dir), 0);
}

/* A journal that must be played back first, where nothing can be written: an error, not the half-written state. */
static void test_hot_journal_read_only(void **state)
{
	struct vault *v = *state;
	struct store *s = NULL;
	struct why why = { .text = "" };
	char db[PATH_MAX], journal[PATH_MAX];
	int fd;

	need_root();
	fill_two(v);
	snprintf(db, sizeof(db), "%s", path_of(v, "save.db"));
	snprintf(journal, sizeof(journal), "%s", path_of(v, "0/token.db-journal"));
	/* a header as SQLite writes it, with records that say: page 1 was otherwise */
	fd = open(journal, O_WRONLY);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7\xff\xff\xff\xff", 12, 0), 12);
	assert_int_equal(ftruncate(fd, 512), 0);
	close(fd);
	assert_int_equal(mkdir(path_of(v, "view"), 0700), 0);
	if (mount(v->dir, path_of(v, "view"), "", MS_BIND, NULL) != 0 ||
	    mount("", path_of(v, "view"), "", MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) != 0) {
		print_message("skipped: cannot mount here\n");
		skip();
	}
	assert_int_equal(store_open(path_of(v, "view"), 0, &v->policy, &s, &why), E_DEVICE);
	assert_non_null(strstr(why.text, "where it can be written"));
	assert_int_equal(umount(path_of(v, "view")), 0);
	/* where it can be written it is played back, and all is well */
	assert_int_equal(vault_count(v->s, v->user), 2);
	assert_int_equal(store_open(v->dir, 0, &v->policy, &s, NULL), OK);
	store_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define EMPTY(name) cmocka_unit_test_setup_teardown(name, vault_empty, vault_close)
#define TEST(name)  cmocka_unit_test_setup_teardown(name, vault_open, vault_close)
		EMPTY(test_ids),
		EMPTY(test_missing_folder),
		EMPTY(test_damaged_counter),
		EMPTY(test_modes),
		EMPTY(test_trust),
		EMPTY(test_leftovers),
		EMPTY(test_delete),
		EMPTY(test_race),
		TEST(test_replaced),
		TEST(test_other_user),
		TEST(test_mode_0555),
		TEST(test_read_only_mount),
		TEST(test_hot_journal_read_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
