/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a file ended, by the index, when somebody else changed it while its author lived: the author knows better than what is found under the
 * name, and the auditor tells what is gone. And what nobody can know.
 */
#include "audit/roll.h"

#include "rollbook.h"
#include "rolling.h"
#include "scratch.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { SIGNS = 5 };

/* ---- what somebody does to a file ---- */

static size_t read_all(const char *path, char *b, size_t max)
{
	int fd = open(path, O_RDONLY);
	ssize_t n;

	assert_true(fd >= 0);
	n = read(fd, b, max - 1);
	assert_true(n > 0);
	b[n] = '\0';
	close(fd);
	return (size_t)n;
}

static void write_new(const char *path, const char *b, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, b, n), n);
	close(fd);
}

/* What is left when the last whole line goes. */
static size_t without_last(const char *path, char *b, size_t max)
{
	size_t n = read_all(path, b, max);

	b[n - 1] = '\0';
	return (size_t)(strrchr(b, '\n') + 1 - b);
}

static void cut_a_record(const char *path)
{
	char b[65536];

	assert_int_equal(truncate(path, (off_t)without_last(path, b, sizeof(b))), 0);
}

static void cut_all(const char *path)
{
	assert_int_equal(truncate(path, 0), 0);
}

static void remove_it(const char *path)
{
	assert_int_equal(unlink(path), 0);
}

static void put_shorter(const char *path)
{
	char b[65536], new[512];
	size_t n = without_last(path, b, sizeof(b));

	snprintf(new, sizeof(new), "%s.new", path);
	write_new(new, b, n);
	assert_int_equal(rename(new, path), 0);
}

static const struct act {
	void (*does)(const char *path);
	enum damage kind;
} acts[] = {
	{ cut_a_record, DAMAGE_CUT },
	{ cut_all, DAMAGE_CUT },
	{ remove_it, DAMAGE_MISSING },
	{ put_shorter, DAMAGE_CUT },
};

enum { ACTS = sizeof(acts) / sizeof(acts[0]) };

static size_t lefts(void **state)
{
	return book_count(scratch_path(state, "roll/index"), "{\"op\":\"left\",\"file\":1,");
}

/* A directory of its own for each. */
static void anew(void **state)
{
	char command[600];

	snprintf(command, sizeof(command), "rm -rf %s", scratch_path(state, "roll"));
	assert_int_equal(system(command), 0);
}

static void another_comes(void **state)
{
	rolling_finish(rolling_start(state, 1, true));
}

/* ---- the author notices ---- */

static void what_its_author_misses_is_named(void **state)
{
	for (size_t i = 0; i < ACTS; i++) {
		const struct roll_event ev = rolling_event("key");
		struct roll *r = rolling_new(state);

		rolling_signs(r, SIGNS);
		acts[i].does(rolling_file(state, 1));
		assert_int_equal(roll_commit(r, &ev, NULL), E_DEVICE);
		rolling_finds(state, "roll", acts[i].kind, 1);
		roll_free(r);
		another_comes(state);
		another_comes(state);
		rolling_finds(state, "roll", acts[i].kind, 1);
		assert_int_equal(lefts(state), 1);
		anew(state);
	}
}

/* It may never come to its end. */
static void the_index_has_it_at_once(void **state)
{
	for (size_t i = 0; i < ACTS; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			const struct roll_event ev = rolling_event("key");
			struct roll *r = rolling_new(state);

			rolling_signs(r, SIGNS);
			acts[i].does(rolling_file(state, 1));
			_exit(roll_commit(r, &ev, NULL) != E_DEVICE);
		}
		rolling_finish(pid);
		another_comes(state);
		rolling_finds(state, "roll", acts[i].kind, 1);
		anew(state);
	}
}

/* Nothing was recorded since. */
static void it_is_noticed_at_the_end(void **state)
{
	for (size_t i = 0; i < ACTS; i++) {
		struct roll *r = rolling_new(state);

		rolling_signs(r, SIGNS);
		acts[i].does(rolling_file(state, 1));
		roll_free(r);
		another_comes(state);
		rolling_finds(state, "roll", acts[i].kind, 1);
		assert_int_equal(lefts(state), 1);
		anew(state);
	}
}

/* What lies under the name is not locked, so the next process takes it for left. The author, which lives, adds what it knows. */
static void its_author_has_the_last_word(void **state)
{
	static const size_t unlocked[] = { 2, 3 };

	for (size_t i = 0; i < 2; i++) {
		const struct act *a = &acts[unlocked[i]];
		struct roll *r = rolling_new(state);

		rolling_signs(r, SIGNS);
		a->does(rolling_file(state, 1));
		another_comes(state);
		assert_int_equal(lefts(state), 1);
		roll_free(r);
		assert_int_equal(lefts(state), 2);
		another_comes(state);
		rolling_finds(state, "roll", a->kind, 1);
		anew(state);
	}
}

/* While another process keeps the state locked the index cannot have it; at the end it has. */
static void a_locked_state_is_waited_for_at_the_end(void **state)
{
	const struct roll_event ev = rolling_event("key");
	struct roll *r = rolling_new(state);
	int fd;

	rolling_signs(r, SIGNS);
	fd = open(scratch_path(state, "roll/state"), O_RDWR | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	cut_a_record(rolling_file(state, 1));
	assert_int_equal(roll_commit(r, &ev, NULL), E_DEVICE);
	assert_int_equal(lefts(state), 0);
	close(fd);
	roll_free(r);
	assert_int_equal(lefts(state), 1);
	rolling_finds(state, "roll", DAMAGE_CUT, 1);
}

/* Nobody takes a word back: a second ending that says less is none. */
static void a_second_ending_that_says_less_is_none(void **state)
{
	static const char line[] =
		"{\"op\":\"left\",\"file\":1,\"seq\":1,\"head\":"
		"\"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\"}\n";
	int fd;

	rolling_finish(rolling_start(state, SIGNS, false));
	another_comes(state);
	fd = open(scratch_path(state, "roll/index"), O_WRONLY | O_APPEND);
	assert_int_equal(write(fd, line, sizeof(line) - 1), sizeof(line) - 1);
	close(fd);
	rolling_finds(state, "roll", DAMAGE_INDEX, 0);
}

/* What was added is told from what was there: a forged record as such, half a line not at all. */
static void what_is_added_is_no_record(void **state)
{
	char b[65536], *last;
	struct roll *r = rolling_new(state);
	size_t n;
	int fd;

	rolling_signs(r, SIGNS);
	n = read_all(rolling_file(state, 1), b, sizeof(b));
	b[n - 1] = '\0';
	last = strrchr(b, '\n') + 1;
	fd = open(rolling_file(state, 1), O_WRONLY | O_APPEND);
	assert_int_equal(write(fd, last, 20), 20);
	close(fd);
	roll_free(r);
	another_comes(state);
	rolling_sound(state, "roll");
	fd = open(rolling_file(state, 1), O_WRONLY | O_APPEND);
	assert_true(write(fd, last + 20, strlen(last) - 20) > 0);
	assert_int_equal(write(fd, "\n", 1), 1);
	close(fd);
	rolling_finds(state, "roll", DAMAGE_DUPLICATED, 1);
}

/* ---- the author does not know ---- */

/* The host closed the descriptor: the lock is gone with it, and what is in the file is for the next to find. */
static void a_file_that_the_host_closed_has_the_end_that_is_found(void **state)
{
	const struct roll_event ev = rolling_event("key");
	struct roll *r = rolling_new(state);
	struct stat st, file;

	rolling_signs(r, SIGNS);
	assert_int_equal(stat(rolling_file(state, 1), &file), 0);
	for (int fd = 3; fd < 200; fd++)
		if (fstat(fd, &st) == 0 && st.st_ino == file.st_ino)
			close(fd);
	assert_int_equal(roll_commit(r, &ev, NULL), E_DEVICE);
	roll_free(r);
	assert_int_equal(lefts(state), 0);
	another_comes(state);
	assert_int_equal(lefts(state), 1);
	rolling_sound(state, "roll");
}

/* No process is left that could know; only what was kept elsewhere does (an anchor, the use counters). */
static void a_cut_under_a_killed_author_is_no_finding(void **state)
{
	pid_t pid = fork();

	if (pid == 0) {
		struct roll *r = rolling_new(state);

		rolling_signs(r, SIGNS);
		cut_a_record(rolling_file(state, 1));
		_exit(0);
	}
	rolling_finish(pid);
	another_comes(state);
	rolling_sound(state, "roll");
}

/* Its author does not read what it wrote; the auditor does. */
static void bytes_that_are_changed_in_place_are_named(void **state)
{
	char b[65536];
	struct roll *r = rolling_new(state);
	const char *at;
	int fd;

	rolling_signs(r, SIGNS);
	(void)read_all(rolling_file(state, 1), b, sizeof(b));
	at = strstr(b, "CKM_ECDSA_SHA256");
	assert_non_null(at);
	fd = open(rolling_file(state, 1), O_WRONLY);
	assert_int_equal(pwrite(fd, "CKM_ECDSA_SHA384", 16, at - b), 16);
	close(fd);
	rolling_sign(r);
	rolling_finds(state, "roll", DAMAGE_ALTERED, 1);
	roll_free(r);
	rolling_finds(state, "roll", DAMAGE_ALTERED, 1);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, rolling_setup, rolling_teardown)
	const struct CMUnitTest tests[] = {
		TEST(what_its_author_misses_is_named),
		TEST(the_index_has_it_at_once),
		TEST(it_is_noticed_at_the_end),
		TEST(its_author_has_the_last_word),
		TEST(a_locked_state_is_waited_for_at_the_end),
		TEST(a_second_ending_that_says_less_is_none),
		TEST(what_is_added_is_no_record),
		TEST(a_file_that_the_host_closed_has_the_end_that_is_found),
		TEST(a_cut_under_a_killed_author_is_no_finding),
		TEST(bytes_that_are_changed_in_place_are_named),
	};

	return cmocka_run_group_tests(tests, rolling_forks, NULL);
}
