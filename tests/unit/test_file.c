/* SPDX-License-Identifier: Apache-2.0 */
/* Files: whole or not at all, and nobody else's. */
#include "base/file.h"

#include "scratch.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* Each of the calls that a durable write makes fails once: 0 lets all pass, n fails the n-th. */
static int fail_fsync, fail_rename, fail_write;
static bool short_writes; /* one byte at a time, as the kernel may choose to */

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
ssize_t __real_write(int fd, const void *p, size_t n);
ssize_t __wrap_write(int fd, const void *p, size_t n);

static bool fails(int *countdown, int errnum)
{
	if (*countdown == 0 || --*countdown > 0)
		return false;
	errno = errnum;
	return true;
}

int __wrap_fsync(int fd)
{
	return fails(&fail_fsync, EIO) ? -1 : __real_fsync(fd);
}

int __wrap_rename(const char *from, const char *to)
{
	return fails(&fail_rename, EIO) ? -1 : __real_rename(from, to);
}

ssize_t __wrap_write(int fd, const void *p, size_t n)
{
	return fails(&fail_write, ENOSPC) ? -1 : __real_write(fd, p, short_writes && n > 1 ? 1 : n);
}

static enum err read_it(const char *path, unsigned flags, size_t max, const char *want,
			struct why *why)
{
	struct buf b = { 0 };
	enum err e = file_read(path, flags, max, &b, why);

	if (e == OK)
		assert_true(span_eq(buf_span(&b), span_str(want)));
	else
		assert_int_equal(b.n, 0);
	buf_free(&b);
	return e;
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

static void reads_are_bounded(void **state)
{
	const char *path = scratch_file(state, "f", 0600, "0123456789", 10);
	const char *empty = scratch_file(state, "empty", 0600, "", 0);
	struct why w;

	assert_int_equal(read_it(path, 0, 10, "0123456789", &w), OK);
	assert_int_equal(read_it(path, 0, 9, "", &w), E_DATA_LEN);
	assert_non_null(strstr(w.text, "longer than 9 bytes"));
	assert_int_equal(read_it(path, 0, 0, "", &w), E_DATA_LEN);
	assert_int_equal(read_it(empty, 0, 0, "", &w), OK);
	assert_int_equal(read_it("/dev/zero", 0, 100, "", &w), E_DATA);
}

static void a_large_file_is_read_whole(void **state)
{
	static uint8_t data[300001];
	struct buf b = { .secret = true };
	const char *path;

	memset(data, 'x', sizeof(data));
	path = scratch_file(state, "large", 0600, data, sizeof(data));
	assert_int_equal(file_read(path, 0, sizeof(data), &b, NULL), OK);
	assert_true(span_eq(buf_span(&b), span(data, sizeof(data))));
	buf_free(&b);
}

static void reading_appends(void **state)
{
	const char *path = scratch_file(state, "f", 0600, "def", 3);
	struct buf b = { .max = 7 };

	assert_int_equal(buf_put(&b, span_str("abc")), OK);
	assert_int_equal(file_read(path, 0, 100, &b, NULL), OK);
	assert_true(span_eq(buf_span(&b), span_str("abcdef")));
	assert_int_equal(file_read(path, 0, 100, &b, NULL), E_DATA_LEN);
	assert_true(span_eq(buf_span(&b), span_str("abcdef")));
	buf_free(&b);
}

static void what_is_not_a_file_is_refused(void **state)
{
	const char *path = scratch_file(state, "f", 0600, "x", 1);
	const char *link = scratch_path(state, "link"), *fifo = scratch_path(state, "fifo");
	struct why w;

	assert_int_equal(symlink(path, link), 0);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(read_it(link, 0, 10, "", &w), E_ACCESS);
	assert_non_null(strstr(w.text, "symbolic link"));
	assert_int_equal(read_it(link, FILE_FOLLOW, 10, "x", &w), OK);
	assert_int_equal(read_it(fifo, 0, 10, "", &w), E_DATA);
	assert_int_equal(read_it(*state, 0, 10, "", &w), E_DATA);
	assert_int_equal(read_it(scratch_path(state, "none"), 0, 10, "", &w), E_ABSENT);
	assert_int_equal(read_it(scratch_path(state, "f/none"), 0, 10, "", &w), E_ABSENT);
}

static void trusted_and_private_look_at_the_mode(void **state)
{
	static const struct {
		mode_t mode;
		bool trusted, private;
	} rows[] = {
		{ 0400, true, true },   { 0600, true, true },   { 0640, true, true },
		{ 0644, true, false },  { 0604, true, false },  { 0660, false, false },
		{ 0602, false, false }, { 0666, false, false }, { 0601, true, false },
	};
	struct why w;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *path = scratch_file(state, "f", rows[i].mode, "x", 1);

		assert_int_equal(read_it(path, FILE_TRUSTED, 10, "x", &w),
				 rows[i].trusted ? OK : E_ACCESS);
		assert_int_equal(read_it(path, FILE_PRIVATE, 10, "x", &w),
				 rows[i].private ? OK : E_ACCESS);
		assert_true(rows[i].private || strstr(w.text, "chmod") != NULL);
	}
}

static void a_foreign_owner_is_not_trusted(void **state)
{
	const char *path = scratch_file(state, "f", 0600, "x", 1);
	struct why w;

	if (geteuid() != 0)
		skip();
	assert_int_equal(chown(path, 12345, (gid_t)-1), 0);
	assert_int_equal(read_it(path, FILE_TRUSTED, 10, "", &w), E_ACCESS);
	assert_non_null(strstr(w.text, "belongs to user 12345"));
	assert_int_equal(read_it(path, FILE_PRIVATE, 10, "", &w), E_ACCESS);
	assert_int_equal(read_it(path, 0, 10, "x", &w), OK);
}

/* The mode is the one asked for, and the umask is not touched. */
static void a_write_has_its_mode_whatever_the_umask(void **state)
{
	static const mode_t umasks[] = { 0, 022, 077, 0777 };
	const char *path = scratch_path(state, "f");

	short_writes = true;
	for (size_t i = 0; i < sizeof(umasks) / sizeof(umasks[0]); i++) {
		mode_t before = umask(umasks[i]);

		assert_int_equal(file_write(path, 0640, span_str("new"), NULL), OK);
		assert_int_equal(umask(before), umasks[i]);
		assert_int_equal(mode_of(path), 0640);
		assert_int_equal(read_it(path, 0, 10, "new", NULL), OK);
	}
	short_writes = false;
	assert_int_equal(file_write(path, 0600, span_str(""), NULL), OK);
	assert_int_equal(mode_of(path), 0600);
	assert_int_equal(read_it(path, 0, 10, "", NULL), OK);
	assert_int_equal(scratch_count(state), 1);
}

/* A link that somebody planted is replaced, not written through. */
static void a_write_goes_through_no_link(void **state)
{
	const char *victim = scratch_file(state, "victim", 0600, "old", 3);
	const char *path = scratch_path(state, "f"), *hard = scratch_path(state, "hard");

	assert_int_equal(symlink(victim, path), 0);
	assert_int_equal(file_write(path, 0600, span_str("new"), NULL), OK);
	assert_int_equal(read_it(victim, 0, 10, "old", NULL), OK);
	assert_int_equal(read_it(path, 0, 10, "new", NULL), OK);
	assert_int_equal(link(victim, hard), 0);
	assert_int_equal(file_write(hard, 0600, span_str("new"), NULL), OK);
	assert_int_equal(read_it(victim, 0, 10, "old", NULL), OK);
}

static void create_never_overwrites(void **state)
{
	const char *path = scratch_path(state, "f"), *dangling = scratch_path(state, "dangling");
	struct why w;

	assert_int_equal(file_create(path, 0600, span_str("one"), &w), OK);
	assert_int_equal(file_create(path, 0600, span_str("two"), &w), E_EXISTS);
	assert_int_equal(read_it(path, 0, 10, "one", NULL), OK);
	assert_int_equal(symlink("/nowhere/at/all", dangling), 0);
	assert_int_equal(file_create(dangling, 0600, span_str("two"), &w), E_EXISTS);
	assert_int_equal(scratch_count(state), 2);
}

static void every_failure_leaves_the_old_file(void **state)
{
	const char *path = scratch_file(state, "f", 0600, "old", 3);
	struct why w;

	fail_write = 2;
	short_writes = true;
	assert_int_equal(file_write(path, 0600, span_str("new"), &w), E_DEVICE_MEMORY);
	assert_non_null(strstr(w.text, "cannot write"));
	assert_null(strstr(w.text, ".tmp"));
	short_writes = false;
	fail_fsync = 1;
	assert_int_equal(file_write(path, 0600, span_str("new"), &w), E_DEVICE);
	fail_rename = 1;
	assert_int_equal(file_write(path, 0600, span_str("new"), &w), E_DEVICE);
	assert_int_equal(read_it(path, 0, 10, "old", NULL), OK);
	assert_int_equal(scratch_count(state), 1);
	/* The last step, the sync of the directory, comes too late for that, but is reported. */
	fail_fsync = 2;
	assert_int_equal(file_write(path, 0600, span_str("new"), &w), E_DEVICE);
	assert_int_equal(read_it(path, 0, 10, "new", NULL), OK);
	assert_int_equal(scratch_count(state), 1);
	assert_int_equal(file_write(scratch_path(state, "no/f"), 0600, span_str("x"), &w),
			 E_CREATE);
	assert_int_equal(file_write(*state, 0600, span_str("x"), &w), E_CREATE);
	/* A file that is to be new is not there after that either. */
	fail_fsync = 2;
	assert_int_equal(file_create(scratch_path(state, "new"), 0600, span_str("x"), &w),
			 E_DEVICE);
	assert_int_equal(scratch_count(state), 1);
}

static void a_path_too_long_is_refused(void **state)
{
	char path[PATH_MAX + 10];
	struct why w;

	(void)state;
	memset(path, 'a', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(file_write(path, 0600, span_str("x"), &w), E_ARGUMENTS);
	path[PATH_MAX - 5] = '\0';
	assert_int_equal(file_write(path, 0600, span_str("x"), &w), E_ARGUMENTS);
}

static void a_pipe_is_read_to_its_end(void **state)
{
	struct buf b = { 0 };
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(file_write_fd(ends[1], "pipe", span_str("through a pipe"), NULL), OK);
	file_close(ends[1]);
	assert_int_equal(file_read_fd(ends[0], "pipe", 100, &b, NULL), OK);
	assert_true(span_eq(buf_span(&b), span_str("through a pipe")));
	errno = 5;
	file_close(ends[0]);
	file_close(-1);
	assert_int_equal(errno, 5);
	assert_int_equal(file_read_fd(ends[0], "pipe", 100, &b, NULL), E_DEVICE);
	buf_free(&b);
}

static mode_t kind_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode & S_IFMT;
}

/* Seen to fail: file_put as file_write alone. */
static void an_output_goes_where_its_name_leads(void **state)
{
	const char *file = scratch_file(state, "file", 0600, "longer than new", 15);
	const char *link = scratch_path(state, "link"), *dangling = scratch_path(state, "dangling");
	const char *later = scratch_path(state, "later");
	struct why w;

	assert_int_equal(symlink(file, link), 0);
	assert_int_equal(symlink(later, dangling), 0);
	assert_int_equal(file_put(link, 0640, span_str("new"), &w), OK);
	assert_int_equal(kind_of(link), S_IFLNK);
	assert_int_equal(read_it(file, 0, 20, "new", &w), OK);
	assert_int_equal(mode_of(file), 0640);
	assert_int_equal(file_put(dangling, 0600, span_str("new"), &w), OK);
	assert_int_equal(kind_of(dangling), S_IFLNK);
	assert_int_equal(read_it(later, 0, 20, "new", &w), OK);
	assert_int_equal(file_put(scratch_path(state, "fresh"), 0600, span_str("new"), &w), OK);
	assert_int_equal(scratch_count(state), 5);
	/* still whole or not at all */
	fail_rename = 1;
	assert_int_equal(file_put(link, 0600, span_str("no"), &w), E_DEVICE);
	assert_int_equal(read_it(file, 0, 20, "new", &w), OK);
	assert_int_equal(scratch_count(state), 5);
}

/* Seen to fail: file_put as file_write alone. */
static void an_output_leaves_a_fifo_and_a_directory_there(void **state)
{
	const char *fifo = scratch_path(state, "fifo"), *dir = scratch_path(state, "dir");
	struct buf b = { 0 };
	struct why w;
	int fd;

	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(mkdir(dir, 0700), 0);
	fd = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(file_put(fifo, 0600, span_str("new"), &w), OK);
	assert_int_equal(kind_of(fifo), S_IFIFO);
	assert_int_equal(file_read_fd(fd, "fifo", 20, &b, &w), OK);
	assert_true(span_eq(buf_span(&b), span_str("new")));
	buf_free(&b);
	file_close(fd);
	assert_int_equal(file_put(dir, 0600, span_str("new"), &w), E_CREATE);
	assert_non_null(strstr(w.text, "cannot create"));
	assert_int_equal(kind_of(dir), S_IFDIR);
	assert_int_equal(scratch_count(state), 2);
}

#define SCRATCH_TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRATCH_TEST(reads_are_bounded),
		SCRATCH_TEST(a_large_file_is_read_whole),
		SCRATCH_TEST(reading_appends),
		SCRATCH_TEST(what_is_not_a_file_is_refused),
		SCRATCH_TEST(trusted_and_private_look_at_the_mode),
		SCRATCH_TEST(a_foreign_owner_is_not_trusted),
		SCRATCH_TEST(a_write_has_its_mode_whatever_the_umask),
		SCRATCH_TEST(a_write_goes_through_no_link),
		SCRATCH_TEST(create_never_overwrites),
		SCRATCH_TEST(an_output_goes_where_its_name_leads),
		SCRATCH_TEST(an_output_leaves_a_fifo_and_a_directory_there),
		SCRATCH_TEST(every_failure_leaves_the_old_file),
		SCRATCH_TEST(a_path_too_long_is_refused),
		SCRATCH_TEST(a_pipe_is_read_to_its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
