/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pulse: what another connection has acknowledged is seen at the next look, with and without it, and nothing that is done to its
 * file costs more than speed. Without the beat after a commit, each test that asks for a change at once fails.
 */
#include "vault.h"

#include "store/pulse.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define ROUNDS 20
#define NOBODY 65534

static const char *pulse_of(const struct vault *v)
{
	static char path[PATH_MAX];

	assert_true(snprintf(path, sizeof(path), "%s/0/%s", v->dir, PULSE_FILE) <
		    (int)sizeof(path));
	return path;
}

/* Longer than a look at the file is good for. */
static void rest(void)
{
	const struct timespec t = { 0, 30000000 };

	(void)nanosleep(&t, NULL);
}

static uint64_t version_of(struct store *s)
{
	uint64_t version;

	assert_int_equal(store_version(s, &version), OK);
	return version;
}

/* Each change of `to` is seen through `from` at once, and once; a look in between sees nothing. */
static void expect_seen(struct store *from, struct store *to, const struct seal *k)
{
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t before = version_of(from);

		assert_int_equal(version_of(from), before);
		assert_int_equal(vault_put(to, k, true, "theirs", "", NULL), OK);
		assert_int_not_equal(version_of(from), before);
	}
}

static void test_seen_at_once(void **state)
{
	const struct vault *v = *state;
	struct seal *k2 = NULL;
	struct store *s2 = vault_again(v, &k2);
	struct stat st;

	assert_int_equal(stat(pulse_of(v), &st), 0);
	assert_true(S_ISREG(st.st_mode) && (st.st_mode & 07777) == v->policy.file_mode);
	expect_seen(v->s, s2, k2);
	expect_seen(s2, v->s, v->user);
	seal_free(k2);
	store_close(s2);
}

/* Who has it open goes by the file itself then; who commits makes it anew; who opens the token later feels the new one. */
static void test_removed(void **state)
{
	const struct vault *v = *state;
	struct seal *k2 = NULL, *k3 = NULL;
	struct store *s2 = vault_again(v, &k2), *s3;

	(void)version_of(v->s);
	assert_int_equal(unlink(pulse_of(v)), 0);
	rest();
	expect_seen(v->s, s2, k2);
	assert_int_equal(access(pulse_of(v), F_OK), 0);
	s3 = vault_again(v, &k3);
	expect_seen(s3, s2, k2);
	expect_seen(s2, s3, k3);
	seal_free(k2);
	seal_free(k3);
	store_close(s2);
	store_close(s3);
}

/* What another program does to the database does not beat, and is seen all the same. */
static void test_another_hand(void **state)
{
	const struct vault *v = *state;
	uint64_t before = version_of(v->s);

	vault_sql(v, "UPDATE token SET next_id = next_id + 1");
	rest();
	assert_int_not_equal(version_of(v->s), before);
}

static void put_nothing(const char *path)
{
	(void)path;
}

static void put_link(const char *path)
{
	assert_int_equal(symlink("token.db", path), 0);
}

static void put_fifo(const char *path)
{
	assert_int_equal(mkfifo(path, 0600), 0);
}

static void put_folder(const char *path)
{
	assert_int_equal(mkdir(path, 0700), 0);
}

static void put_open(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(fchmod(fd, 0666), 0);
	close(fd);
}

/* Opened with something else in its place: it works, by looks at the file. */
static void test_something_else(void **state)
{
	static void (*const puts[])(const char *) = { put_nothing, put_link, put_fifo, put_folder,
						      put_open };
	struct vault *v = *state;

	for (size_t i = 0; i < sizeof(puts) / sizeof(puts[0]); i++) {
		struct seal *k2 = NULL;
		struct store *s2;

		assert_int_equal(remove(pulse_of(v)), 0);
		puts[i](pulse_of(v));
		vault_reopen(v);
		s2 = vault_again(v, &k2);
		expect_seen(v->s, s2, k2);
		expect_seen(s2, v->s, v->user);
		seal_free(k2);
		store_close(s2);
	}
}

/* As a killed process or a power cut leaves it. */
static void test_empty(void **state)
{
	struct vault *v = *state;
	struct seal *k2 = NULL;
	struct store *s2;
	struct stat st;

	store_close(v->s);
	assert_int_equal(truncate(pulse_of(v), 0), 0);
	assert_int_equal(store_open(v->dir, 0, &v->policy, &v->s, NULL), OK);
	assert_int_equal(stat(pulse_of(v), &st), 0);
	assert_int_not_equal(st.st_size, 0);
	s2 = vault_again(v, &k2);
	expect_seen(v->s, s2, k2);
	seal_free(k2);
	store_close(s2);
}

/* ---- who opens, who owns ---- */

/* While set, a pulse that is not there is made by another process just after we looked. */
static bool overtaken;

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

int __wrap_open(const char *path, int flags, ...)
{
	va_list more;
	mode_t mode = 0;
	int fd, theirs;

	va_start(more, flags);
	if ((flags & O_CREAT) != 0)
		mode = va_arg(more, mode_t);
	va_end(more);
	fd = __real_open(path, flags, mode);
	if (overtaken && fd < 0 && errno == ENOENT) {
		overtaken = false;
		theirs = __real_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		assert_int_equal(posix_fallocate(theirs, 0, 4096), 0);
		close(theirs);
		errno = ENOENT;
	}
	return fd;
}

/* Both find none, and one makes it: both beat. */
static void test_opened_together(void **state)
{
	struct vault *v = *state;
	struct seal *k2 = NULL;
	struct store *s2;

	store_close(v->s);
	assert_int_equal(unlink(pulse_of(v)), 0);
	overtaken = true;
	assert_int_equal(store_open(v->dir, 0, &v->policy, &v->s, NULL), OK);
	assert_false(overtaken);
	s2 = vault_again(v, &k2);
	expect_seen(s2, v->s, v->user);
	expect_seen(v->s, s2, k2);
	seal_free(k2);
	store_close(s2);
}

/* Root works on a token of somebody else: the pulse is that user's, who could shorten it, so root does not map it. */
static void test_owner(void **state)
{
	struct vault *v = *state;
	struct seal *k2 = NULL;
	struct store *s2;
	struct stat st;

	if (geteuid() != 0) {
		print_message("skipped: needs root\n");
		skip();
	}
	store_close(v->s);
	assert_int_equal(chown(v->db, NOBODY, NOBODY), 0);
	assert_int_equal(unlink(pulse_of(v)), 0);
	assert_int_equal(store_open(v->dir, 0, &v->policy, &v->s, NULL), OK);
	assert_int_equal(stat(pulse_of(v), &st), 0);
	assert_int_equal(st.st_uid, NOBODY);
	s2 = vault_again(v, &k2);
	assert_int_equal(truncate(pulse_of(v), 0), 0);
	expect_seen(v->s, s2, k2);
	seal_free(k2);
	store_close(s2);
}

static int descriptor_of(const char *path)
{
	char name[64], to[PATH_MAX];

	for (int fd = 0; fd < 256; fd++) {
		ssize_t n;

		snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
		n = readlink(name, to, sizeof(to) - 1);
		to[n > 0 ? n : 0] = '\0';
		if (strcmp(to, path) == 0)
			return fd;
	}
	return -1;
}

/* The host closes every descriptor it can, and opens a file of its own under the same number: not a byte of that is changed. */
static void test_number_taken(void **state)
{
	static const char text_of_host[] = "not to be touched";
	const struct vault *v = *state;
	struct seal *k2 = NULL;
	struct store *s2 = vault_again(v, &k2);
	char path[PATH_MAX + 16], got[sizeof(text_of_host)] = "";
	int fd, other;

	snprintf(path, sizeof(path), "%s/host", v->dir);
	other = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(write(other, text_of_host, sizeof(text_of_host)), sizeof(text_of_host));
	while ((fd = descriptor_of(pulse_of(v))) >= 0)
		assert_int_equal(dup2(other, fd), fd);
	rest();
	expect_seen(v->s, s2, k2);
	assert_int_equal(pread(other, got, sizeof(got), 0), sizeof(got));
	assert_string_equal(got, text_of_host);
	seal_free(k2);
	store_close(s2);
	assert_int_equal(fcntl(other, F_GETFD), FD_CLOEXEC);
	close(other);
}

/* ---- taken away ---- */

static void test_deleted(void **state)
{
	struct vault *v = *state;
	uint64_t version;

	for (int i = 0; i < 100; i++)
		(void)version_of(v->s);
	assert_int_equal(store_delete(v->dir, 0, NULL), OK);
	assert_int_equal(store_version(v->s, &version), E_DEVICE_REMOVED);
}

/* Without a pulse the path is walked seldom, but that the file is gone is seen at once. */
static void test_unlinked_without_pulse(void **state)
{
	struct vault *v = *state;
	uint64_t version;

	assert_int_equal(remove(pulse_of(v)), 0);
	put_fifo(pulse_of(v));
	vault_reopen(v);
	for (int i = 0; i < 3; i++)
		(void)version_of(v->s);
	assert_int_equal(unlink(v->db), 0);
	assert_int_equal(store_version(v->s, &version), E_DEVICE_REMOVED);
}

static void test_moved_away(void **state)
{
	const struct vault *v = *state;
	char from[PATH_MAX + 16], to[PATH_MAX + 16];
	uint64_t version;

	for (int i = 0; i < 100; i++)
		(void)version_of(v->s);
	snprintf(from, sizeof(from), "%s/0", v->dir);
	snprintf(to, sizeof(to), "%s/elsewhere", v->dir);
	assert_int_equal(rename(from, to), 0);
	rest();
	assert_int_equal(store_version(v->s, &version), E_DEVICE_REMOVED);
}

/* ---- while it changes all the time ---- */

struct load {
	struct store *s;
	const struct seal *k;
	_Atomic uint64_t acknowledged;
	atomic_bool stop;
};

static void *write_on(void *arg)
{
	struct load *l = arg;

	while (!atomic_load(&l->stop)) {
		assert_int_equal(vault_put(l->s, l->k, true, "load", "", NULL), OK);
		atomic_fetch_add(&l->acknowledged, 1);
	}
	return NULL;
}

/*
 * Of two that are acknowledged after a look, the second one began after it, so the next look gives another version; also
 * while we commit ourselves, and look in the middle of it.
 */
static void test_under_load(void **state)
{
	const struct vault *v = *state;
	struct seal *k2 = NULL;
	struct load l = { .s = vault_again(v, &k2), .k = k2 }, mine = { .s = v->s, .k = v->user };
	pthread_t thread, second;

	assert_int_equal(pthread_create(&thread, NULL, write_on, &l), 0);
	assert_int_equal(pthread_create(&second, NULL, write_on, &mine), 0);
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t version = version_of(v->s), from = atomic_load(&l.acknowledged);

		while (atomic_load(&l.acknowledged) < from + 2)
			(void)version_of(v->s);
		assert_int_not_equal(version_of(v->s), version);
	}
	atomic_store(&l.stop, true);
	atomic_store(&mine.stop, true);
	pthread_join(thread, NULL);
	pthread_join(second, NULL);
	seal_free(k2);
	store_close(l.s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_seen_at_once, vault_open, vault_close),
		cmocka_unit_test_setup_teardown(test_removed, vault_open, vault_close),
		cmocka_unit_test_setup_teardown(test_another_hand, vault_open, vault_close),
		cmocka_unit_test_setup_teardown(test_something_else, vault_open, vault_close),
		cmocka_unit_test_setup_teardown(test_empty, vault_open, vault_close),
		cmocka_unit_test_setup_teardown(test_opened_together, vault_open, vault_close),
		cmocka_unit_test_setup_teardown(test_owner, vault_open, vault_close),
		cmocka_unit_test_setup_teardown(test_number_taken, vault_open, vault_close),
		cmocka_unit_test_setup_teardown(test_deleted, vault_open, vault_close),
		cmocka_unit_test_setup_teardown(test_unlinked_without_pulse, vault_open,
						vault_close),
		cmocka_unit_test_setup_teardown(test_moved_away, vault_open, vault_close),
		cmocka_unit_test_setup_teardown(test_under_load, vault_open, vault_close),
	};

	return cmocka_run_group_tests_name("store_pulse", tests, NULL, NULL);
}
