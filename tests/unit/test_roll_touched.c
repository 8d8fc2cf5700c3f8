/* SPDX-License-Identifier: Apache-2.0 */
/* What others do to a roll's directory: to the files of the dead, to a file that is being written, to the state and the index. */
#include "audit/roll.h"

#include "rollbook.h"
#include "rolling.h"
#include "scratch.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- what others did to the files of the dead ---- */

static void append(const char *path, const char *text, size_t n)
{
	int fd = open(path, O_WRONLY | O_APPEND);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, n), n);
	close(fd);
}

static void a_torn_record_is_left_out(void **state)
{
	struct book b;
	struct page p;
	char id[33] = "";

	rolling_finish(rolling_start(state, 3, false));
	append(rolling_file(state, 1), "{\"seq\":4,\"ts\":\"20", 17);
	rolling_finish(rolling_start(state, 1, true));
	b = rolling_checked(state);
	assert_int_equal(b.lefts, 1);
	page_check(rolling_file(state, 1), id, 1, &p);
	assert_true(p.torn);
	assert_int_equal(p.records, 4);
}

static void a_file_without_a_record_is_left(void **state)
{
	rolling_finish(rolling_start(state, 3, false));
	assert_int_equal(truncate(rolling_file(state, 1), 100), 0);
	rolling_finish(rolling_start(state, 1, true));
	assert_int_equal(
		book_count(scratch_path(state, "roll/index"), "1,\"seq\":null,\"head\":null"), 1);
	rolling_checked(state);
}

/* What is no record, though it is a line, is not taken for one. */
static void a_foreign_line_is_no_record(void **state)
{
	rolling_finish(rolling_start(state, 3, false));
	append(rolling_file(state, 1), "{\"seq\":4,\"prev\":\"00\",\"mac\":\"00\"}\n", 34);
	rolling_finish(rolling_start(state, 1, true));
	assert_int_equal(
		book_count(scratch_path(state, "roll/index"), "1,\"seq\":null,\"head\":null"), 1);
}

static void a_removed_file_stays_visible(void **state)
{
	struct book b;

	rolling_finish(rolling_start(state, 3, false));
	assert_int_equal(unlink(rolling_file(state, 1)), 0);
	rolling_finish(rolling_start(state, 1, true));
	b = rolling_checked(state);
	assert_int_equal(b.missing, 1);
	assert_int_equal(b.lefts, 1);
}

static void a_torn_line_of_the_index_is_cut_off(void **state)
{
	rolling_finish(rolling_start(state, 3, true));
	append(scratch_path(state, "roll/index"), "{\"op\":\"clo", 10);
	rolling_finish(rolling_start(state, 1, true));
	assert_int_equal(rolling_checked(state).closes, 2);
}

/* ---- what happens to a file while it is written ---- */

static void do_unlink(const char *path)
{
	assert_int_equal(unlink(path), 0);
}

static void do_rename(const char *path)
{
	char to[512];

	snprintf(to, sizeof(to), "%s.1", path);
	assert_int_equal(rename(path, to), 0);
}

static void do_replace(const char *path)
{
	char command[1100];

	snprintf(command, sizeof(command), "cp %s %s.new && mv %s.new %s", path, path, path, path);
	assert_int_equal(system(command), 0);
}

/* The same file as before, by the detour of a link that somebody else can turn. */
static void do_link(const char *path)
{
	char to[512];

	snprintf(to, sizeof(to), "%s.real", path);
	assert_int_equal(rename(path, to), 0);
	assert_int_equal(symlink(to, path), 0);
}

/* What logrotate calls copytruncate. */
static void do_truncate(const char *path)
{
	assert_int_equal(truncate(path, 0), 0);
}

static void do_append(const char *path)
{
	append(path, "x", 1);
}

/* Seen to fail for the link: with stat in place of lstat in check_name (src/audit/sheet.c). */
static void a_file_that_is_touched_fails_the_roll(void **state)
{
	static const struct {
		void (*act)(const char *path);
		const char *text;
	} rows[] = {
		{ do_unlink, "removed" },   { do_rename, "renamed" }, { do_replace, "replaced" },
		{ do_truncate, "changed" }, { do_append, "changed" }, { do_link, "replaced" },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct roll *r = rolling_new(state);

		rolling_sign(r);
		rows[i].act(rolling_file(state, i + 1));
		rolling_must_fail(r, rows[i].text);
		roll_free(r);
	}
	rolling_finish(rolling_start(state, 1, true));
}

/* Seen to fail: with nothing looked up under its name in check_name, and with links followed in site_find. */
static void a_directory_that_moved_fails_the_roll(void **state)
{
	const char *dir = scratch_path(state, "roll"), *to = scratch_path(state, "roll.1");
	struct roll *r = rolling_new(state);

	rolling_sign(r);
	assert_int_equal(rename(dir, to), 0);
	rolling_must_fail(r, "removed");
	roll_free(r);
	assert_int_equal(symlink(to, dir), 0);
	r = rolling_new(state);
	rolling_must_fail(r, "symbolic link");
	roll_free(r);
	assert_int_equal(unlink(dir), 0);
	assert_int_equal(rename(to, dir), 0);
	rolling_finish(rolling_start(state, 1, true));
	assert_int_equal(rolling_checked(state).missing, 0);
}

/* Who holds the file open writes to it whatever its mode, and nothing is lost. The mode is no seal either. */
static void modes_do_not_keep_an_author_from_writing(void **state)
{
	static const mode_t modes[] = { 0, 0444, 0666, 0600 };
	struct roll *r = rolling_new(state);

	rolling_sign(r);
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		assert_int_equal(chmod(rolling_file(state, 1), modes[i]), 0);
		rolling_sign(r);
	}
	roll_free(r);
	assert_int_equal(book_count(rolling_file(state, 1), "\"event\":\"sign\""), 5);
	assert_int_equal(rolling_checked(state).closes, 1);
}

/* The host closes what is not its own, and the number is another file's then. */
static void a_closed_descriptor_is_not_written_to(void **state)
{
	const char *other = scratch_file(state, "other", 0600, "", 0);
	struct roll *r = rolling_new(state);
	struct stat st, file;

	rolling_sign(r);
	assert_int_equal(stat(rolling_file(state, 1), &file), 0);
	for (int fd = 3; fd < 200; fd++)
		if (fstat(fd, &st) == 0 && st.st_ino == file.st_ino) {
			int o = open(other, O_RDWR);

			assert_int_equal(dup2(o, fd), fd);
			close(o);
		}
	rolling_must_fail(r, "closed by the program");
	roll_free(r);
	assert_int_equal(stat(other, &st), 0);
	assert_int_equal(st.st_size, 0);
}

/* ---- state and index ---- */

static void overwrite(const char *path, off_t at, const char *text, size_t n)
{
	int fd = open(path, O_WRONLY);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, text, n, at), n);
	close(fd);
}

static void flip_both_slots(const char *dir)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/state", dir);
	overwrite(path, 40, "xxxx", 4);
	overwrite(path, 65536 + 40, "xxxx", 4);
}

static void cut_state(const char *dir)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/state", dir);
	assert_int_equal(truncate(path, 30), 0);
}

static void empty_state(const char *dir)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/state", dir);
	assert_int_equal(truncate(path, 0), 0);
}

static void remove_state(const char *dir)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/state", dir);
	assert_int_equal(unlink(path), 0);
}

static void newer_state(const char *dir)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/state", dir);
	overwrite(path, 8, "\2", 1);
}

static void open_state(const char *dir)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/state", dir);
	assert_int_equal(chmod(path, 0640), 0);
}

/* The older slot alone: as a copy of last week would say. */
static void older_state(const char *dir)
{
	char path[512];
	uint64_t g[2];
	int fd;

	snprintf(path, sizeof(path), "%s/state", dir);
	fd = open(path, O_RDONLY);
	assert_int_equal(pread(fd, &g[0], 8, 16), 8);
	assert_int_equal(pread(fd, &g[1], 8, 65536 + 16), 8);
	close(fd);
	overwrite(path, (g[1] > g[0] ? 65536 : 0) + 40, "xxxx", 4);
}

static void cut_index(const char *dir)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/index", dir);
	assert_int_equal(truncate(path, 30), 0);
}

static void remove_index(const char *dir)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/index", dir);
	assert_int_equal(unlink(path), 0);
}

static void foreign_index(const char *dir)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/index", dir);
	append(path, "hello\n", 6);
}

static void a_number_that_is_taken(const char *dir)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/roll.000003", dir);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	close(fd);
}

static void a_directory_that_is_not_as_it_was_is_refused(void **state)
{
	static const struct {
		void (*act)(const char *dir);
		const char *text;
	} rows[] = {
		{ flip_both_slots, "state is damaged" },
		{ cut_state, "missing or cut short" },
		{ empty_state, "missing or cut short" },
		{ remove_state, "missing or cut short" },
		{ newer_state, "newer version" },
		{ open_state, "chmod 600" },
		{ older_state, "not as it was left" },
		{ cut_index, "not as it was left" },
		{ remove_index, "not as it was left" },
		{ foreign_index, "not as it was left" },
		{ a_number_that_is_taken, "never given out" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct roll_policy p = rolling_policy(state);
		char name[16];
		struct roll *r;

		snprintf(name, sizeof(name), "roll%zu", i);
		p.target = scratch_path(state, name);
		for (int k = 0; k < 2; k++) {
			assert_int_equal(roll_new(&p, &r), OK);
			rolling_sign(r);
			roll_free(r);
		}
		rows[i].act(p.target);
		assert_int_equal(roll_new(&p, &r), OK);
		rolling_must_fail(r, rows[i].text);
		roll_free(r);
	}
}

/* A process that ended, or found no room, while it wrote the first state of all. Seen to fail: without a second make. */
static void a_first_state_that_was_cut_short_is_made_anew(void **state)
{
	static const size_t kept[] = { 1, 16, 40, 1024 };

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		struct roll_policy p = rolling_policy(state);
		char name[16], path[512];
		struct roll *r;
		int fd;

		snprintf(name, sizeof(name), "cut%zu", i);
		p.target = scratch_path(state, name);
		assert_int_equal(mkdir(p.target, 0700), 0);
		snprintf(path, sizeof(path), "%s/state", p.target);
		fd = open(path, O_WRONLY | O_CREAT, 0600);
		assert_true(fd >= 0);
		assert_int_equal(ftruncate(fd, (off_t)kept[i]), 0);
		close(fd);
		assert_int_equal(roll_new(&p, &r), OK);
		rolling_sign(r);
		roll_free(r);
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, rolling_setup, rolling_teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_torn_record_is_left_out),
		TEST(a_file_without_a_record_is_left),
		TEST(a_foreign_line_is_no_record),
		TEST(a_removed_file_stays_visible),
		TEST(a_torn_line_of_the_index_is_cut_off),
		TEST(a_file_that_is_touched_fails_the_roll),
		TEST(a_directory_that_moved_fails_the_roll),
		TEST(modes_do_not_keep_an_author_from_writing),
		TEST(a_closed_descriptor_is_not_written_to),
		TEST(a_directory_that_is_not_as_it_was_is_refused),
		TEST(a_first_state_that_was_cut_short_is_made_anew),
	};

	return cmocka_run_group_tests(tests, rolling_forks, NULL);
}
