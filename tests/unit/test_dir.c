/* SPDX-License-Identifier: Apache-2.0 */
#include "base/dir.h"

#include "scratch.h"
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

static void modes_are_exact_whatever_the_umask(void **state)
{
	static const mode_t umasks[] = { 0, 027, 0777 };
	static const char *const names[] = { "a", "b", "c" };

	for (size_t i = 0; i < 3; i++) {
		mode_t before = umask(umasks[i]);
		const char *path = scratch_path(state, names[i]);

		assert_int_equal(dir_make(path, i == 1, NULL), OK);
		assert_int_equal(umask(before), umasks[i]);
		assert_int_equal(mode_of(path), dir_mode(i == 1));
		assert_int_equal(dir_make(path, i == 1, NULL), OK);
		assert_int_equal(dir_check(path, i == 1, NULL), OK);
	}
}

static void parents_are_made(void **state)
{
	const char *path = scratch_path(state, "x/y//z/");

	assert_int_equal(dir_make(path, false, NULL), OK);
	assert_int_equal(mode_of(scratch_path(state, "x")), 0755);
	assert_int_equal(mode_of(scratch_path(state, "x/y")), 0755);
	assert_int_equal(mode_of(scratch_path(state, "x/y/z")), 0700);
	assert_int_equal(dir_make(path, false, NULL), OK);
}

static void what_others_could_do_is_refused(void **state)
{
	static const struct {
		mode_t mode;
		bool alone, group;
		const char *text;
	} rows[] = {
		{ 0700, true, true, "" },
		{ 0500, true, true, "" },
		{ 0750, false, true, "group_mode" },
		{ 0710, false, true, "group_mode" },
		{ 0770, false, false, "change" },
		{ 0701, false, false, "others can look into" },
		{ 0705, false, false, "others can look into" },
		{ 0777, false, false, "change" },
		{ 01777, false, false, "change" },
	};
	const char *path = scratch_path(state, "d");

	assert_int_equal(dir_make(path, false, NULL), OK);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct why w = { "" };

		assert_int_equal(chmod(path, rows[i].mode), 0);
		assert_int_equal(dir_check(path, false, &w), rows[i].alone ? OK : E_ACCESS);
		assert_non_null(strstr(w.text, rows[i].text));
		assert_int_equal(dir_make(path, false, NULL), rows[i].alone ? OK : E_ACCESS);
		assert_int_equal(dir_check(path, true, NULL), rows[i].group ? OK : E_ACCESS);
		assert_int_equal(mode_of(path), rows[i].mode);
	}
}

static void a_foreign_owner_is_refused(void **state)
{
	const char *path = scratch_path(state, "d");
	struct why w;

	if (geteuid() != 0)
		skip();
	assert_int_equal(dir_make(path, false, NULL), OK);
	assert_int_equal(chown(path, 12345, (gid_t)-1), 0);
	assert_int_equal(dir_check(path, false, &w), E_ACCESS);
	assert_non_null(strstr(w.text, "belongs to user 12345"));
	assert_int_equal(dir_check_unshared(path, &w), E_ACCESS);
	assert_non_null(strstr(w.text, "belongs to user 12345"));
}

static void unshared_is_what_nobody_else_changes(void **state)
{
	static const struct {
		mode_t mode;
		bool good;
	} rows[] = { { 0700, true },  { 0755, true },  { 0500, true },  { 0770, false },
		     { 0702, false }, { 0777, false }, { 01777, false } };
	const char *path = scratch_path(state, "d"), *link = scratch_path(state, "link");

	assert_int_equal(dir_make(path, false, NULL), OK);
	assert_int_equal(symlink(path, link), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct why w = { "" };

		assert_int_equal(chmod(path, rows[i].mode), 0);
		assert_int_equal(dir_check_unshared(path, &w), rows[i].good ? OK : E_ACCESS);
		assert_int_equal(dir_check_unshared(link, NULL), rows[i].good ? OK : E_ACCESS);
		assert_non_null(strstr(w.text, rows[i].good ? "" : "chmod go-w"));
	}
	assert_int_equal(dir_check_unshared(scratch_path(state, "none"), NULL), E_ABSENT);
}

static void only_a_directory_is_one(void **state)
{
	const char *dir = scratch_path(state, "d"), *link = scratch_path(state, "link");
	const char *file = scratch_file(state, "f", 0600, "", 0);
	struct why w;

	assert_int_equal(dir_make(dir, false, NULL), OK);
	assert_int_equal(symlink(dir, link), 0);
	assert_int_equal(dir_check(link, false, &w), E_ACCESS);
	assert_int_equal(dir_make(link, false, &w), E_ACCESS);
	assert_int_equal(dir_check(file, false, &w), E_ACCESS);
	assert_int_equal(dir_check(scratch_path(state, "none"), false, &w), E_ABSENT);
	assert_int_equal(dir_make(scratch_path(state, "f/d"), false, &w), E_ABSENT);
}

static void syncing(void **state)
{
	char path[PATH_MAX + 10];

	assert_int_equal(dir_sync(*state, NULL), OK);
	assert_int_equal(dir_sync_of(scratch_path(state, "any"), NULL), OK);
	assert_int_equal(dir_sync_of(scratch_path(state, "no/any"), NULL), E_ABSENT);
	assert_int_equal(dir_sync_of("relative", NULL), OK);
	assert_int_equal(dir_sync_of("/", NULL), OK);
	memset(path, 'a', sizeof(path));
	memcpy(path + PATH_MAX, "/b", 3);
	assert_int_equal(dir_sync_of(path, NULL), E_ARGUMENTS);
}

#define SCRATCH_TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRATCH_TEST(modes_are_exact_whatever_the_umask),
		SCRATCH_TEST(parents_are_made),
		SCRATCH_TEST(what_others_could_do_is_refused),
		SCRATCH_TEST(a_foreign_owner_is_refused),
		SCRATCH_TEST(unshared_is_what_nobody_else_changes),
		SCRATCH_TEST(only_a_directory_is_one),
		SCRATCH_TEST(syncing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
