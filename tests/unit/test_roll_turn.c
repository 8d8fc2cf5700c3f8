/* SPDX-License-Identifier: Apache-2.0 */
/* A file that is full and cannot be followed by another yet goes on: records are not refused for that. */
#include "audit/roll.h"

#include "base/clock.h"
#include "rollbook.h"
#include "rolling.h"
#include "scratch.h"
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

enum { SIGNS = 60, THREADS = 4, CROWD = 16 };

static struct roll *small_files(void **state)
{
	struct roll_policy p = rolling_policy(state);
	struct roll *r = NULL;

	p.rotate_bytes = 2500;
	assert_int_equal(roll_new(&p, &r), OK);
	rolling_sign(r);
	return r;
}

/* As another process would, for as long as the descriptor is open. */
static int lock_state(void **state)
{
	int fd = open(scratch_path(state, "roll/state"), O_RDWR | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	return fd;
}

static uint64_t file_of(struct roll *r)
{
	struct roll_state s;

	roll_state(r, &s);
	assert_false(s.failed);
	return s.file;
}

/* Each try waits a quarter of a second for the lock, so there must not be one with each record: with the pauses there are eleven. */
static void a_locked_state_keeps_nobody_from_recording(void **state)
{
	struct roll *r = small_files(state);
	int fd = lock_state(state);
	const long began = clock_ms();

	rolling_signs(r, SIGNS);
	assert_true(clock_ms() - began < SIGNS * 250 * 2 / 3);
	assert_int_equal(file_of(r), 1);
	close(fd);
	rolling_signs(r, SIGNS);
	assert_true(file_of(r) > 2);
	roll_free(r);
	assert_int_equal(book_count(rolling_file(state, 1), "\"event\":\"roll.rotate\""), 1);
	assert_int_equal(rolling_checked(state).lefts, 0);
	rolling_sound(state, "roll");
}

static void *sign_some(void *r)
{
	rolling_signs(r, SIGNS);
	return NULL;
}

static void threads_go_on_as_well(void **state)
{
	struct roll *r = small_files(state);
	pthread_t t[THREADS];
	int fd = lock_state(state);

	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&t[i], NULL, sign_some, r), 0);
	usleep(500000);
	close(fd);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(t[i], NULL), 0);
	roll_free(r);
	rolling_checked(state);
	rolling_sound(state, "roll");
}

/* While one thread makes the next file the others come with records: none is lost between the last record of the one file and the first of the other. */
static void threads_lose_nothing_between_files(void **state)
{
	struct roll *r = small_files(state);
	pthread_t t[CROWD];
	size_t n = 0;
	uint64_t files;

	for (int i = 0; i < CROWD; i++)
		assert_int_equal(pthread_create(&t[i], NULL, sign_some, r), 0);
	for (int i = 0; i < CROWD; i++)
		assert_int_equal(pthread_join(t[i], NULL), 0);
	files = file_of(r);
	assert_true(files > 10);
	roll_free(r);
	for (unsigned i = 1; i <= files; i++)
		n += book_count(rolling_file(state, i), "\"event\":\"sign\"");
	assert_int_equal(n, 1 + CROWD * SIGNS);
	rolling_sound(state, "roll");
}

/* A host that has no descriptor left, as long as it has none. */
static void without_descriptors_records_go_on(void **state)
{
	struct roll *r = small_files(state);
	const int next = dup(0);
	struct rlimit before, now;

	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	now = before;
	now.rlim_cur = (rlim_t)next;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &now), 0);
	rolling_signs(r, SIGNS);
	assert_int_equal(file_of(r), 1);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	rolling_signs(r, SIGNS);
	assert_true(file_of(r) > 1);
	roll_free(r);
	rolling_sound(state, "roll");
}

/* The end of a roll that was about to be followed. */
static void a_full_file_is_closed_as_any_other(void **state)
{
	struct roll *r = small_files(state);
	int fd = lock_state(state);

	rolling_signs(r, 10);
	close(fd);
	roll_free(r);
	assert_int_equal(rolling_checked(state).closes, 1);
	assert_int_equal(book_count(rolling_file(state, 1), "\"event\":\"module.stop\""), 1);
	rolling_sound(state, "roll");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, rolling_setup, rolling_teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_locked_state_keeps_nobody_from_recording),
		TEST(threads_go_on_as_well),
		TEST(threads_lose_nothing_between_files),
		TEST(without_descriptors_records_go_on),
		TEST(a_full_file_is_closed_as_any_other),
	};

	return cmocka_run_group_tests(tests, rolling_forks, NULL);
}
