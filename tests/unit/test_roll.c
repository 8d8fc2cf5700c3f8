/* SPDX-License-Identifier: Apache-2.0 */
/* The roll as its callers see it: everything is there, in order, in files that agree with the index. */
#include "audit/roll.h"

#include "base/dir.h"
#include "rollbook.h"
#include "rolling.h"
#include "scratch.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

/* ---- one process ---- */

static void without_events_nothing_is_left(void **state)
{
	struct roll *r = rolling_new(state);

	assert_int_equal(roll_ready(r), OK);
	roll_free(r);
	assert_int_equal(scratch_count(state), 0);
}

static void one_writer_has_a_barrier_for_each_record(void **state)
{
	struct roll *r = rolling_new(state);
	const struct roll_event ev = rolling_event("key");
	struct roll_state s;
	struct roll_ref ref;
	struct book b;

	for (uint64_t i = 1; i <= 20; i++) {
		assert_int_equal(roll_commit(r, &ev, &ref), OK);
		assert_int_equal(ref.file, 1);
		assert_int_equal(ref.seq, i);
	}
	roll_state(r, &s);
	assert_true(s.open && s.durable && !s.failed && !s.low);
	assert_int_equal(s.records, 21);
	assert_int_equal(s.barriers, 21);
	roll_free(r);
	b = rolling_checked(state);
	assert_int_equal(b.files, 1);
	assert_int_equal(b.closes, 1);
	assert_int_equal(b.records, 22);
}

static void the_reference_is_that_of_the_record(void **state)
{
	struct roll *r = rolling_new(state);
	const struct roll_event ev = rolling_event("key");
	char id[33] = "", digits[33];
	struct roll_ref ref;
	struct page p;

	assert_int_equal(roll_commit(r, &ev, &ref), OK);
	page_check(rolling_file(state, 1), id, 1, &p);
	assert_memory_equal(ref.head, p.last, 32);
	for (int i = 0; i < 16; i++)
		sprintf(digits + 2 * i, "%02x", ref.id[i]);
	assert_string_equal(id, digits);
	roll_free(r);
}

static void what_is_noted_comes_with_the_next(void **state)
{
	struct roll *r = rolling_new(state);
	const struct roll_event ev = rolling_event("key");
	const char *file = rolling_file(state, 1);

	rolling_sign(r);
	assert_int_equal(roll_note(r, &ev, NULL), OK);
	assert_int_equal(book_count(file, "\"event\":\"sign\""), 1);
	rolling_sign(r);
	assert_int_equal(book_count(file, "\"event\":\"sign\""), 3);
	assert_int_equal(roll_note(r, &ev, NULL), OK);
	roll_free(r);
	assert_int_equal(book_count(file, "\"event\":\"sign\""), 4);
	assert_int_equal(rolling_checked(state).records, 6);
}

/* Notes alone are written, too, before they fill the memory. */
static void many_notes_are_written(void **state)
{
	struct roll *r = rolling_new(state);
	const struct roll_event ev = rolling_event("key");

	for (int i = 0; i < 1000; i++)
		assert_int_equal(roll_note(r, &ev, NULL), OK);
	assert_true(book_count(rolling_file(state, 1), "\"event\":\"sign\"") > 500);
	roll_free(r);
	assert_int_equal(rolling_checked(state).records, 1002);
}

static void checkpoints_come_by_count_and_when_asked_for(void **state)
{
	struct roll_policy p = rolling_policy(state);
	struct roll *r;

	p.checkpoint_records = 10;
	assert_int_equal(roll_new(&p, &r), OK);
	rolling_signs(r, 35);
	assert_int_equal(book_count(rolling_file(state, 1), "\"event\":\"checkpoint\""), 3);
	assert_int_equal(roll_checkpoint(r), OK);
	assert_int_equal(book_count(rolling_file(state, 1), "\"event\":\"checkpoint\""), 4);
	roll_free(r);
	assert_int_equal(book_count(rolling_file(state, 1), "\"note\":\"chancery-roll/"), 5);
	rolling_checked(state);
}

static void checkpoints_come_by_time(void **state)
{
	struct roll_policy p = rolling_policy(state);
	struct roll *r;

	p.checkpoint_seconds = 1;
	assert_int_equal(roll_new(&p, &r), OK);
	rolling_sign(r);
	assert_int_equal(book_count(rolling_file(state, 1), "\"event\":\"checkpoint\""), 0);
	usleep(1050000);
	rolling_sign(r);
	assert_int_equal(book_count(rolling_file(state, 1), "\"event\":\"checkpoint\""), 1);
	roll_free(r);
}

static void modes_are_exact_whatever_the_umask(void **state)
{
	static const mode_t umasks[] = { 0, 0777 };

	for (int group = 0; group < 2; group++) {
		struct roll_policy p = rolling_policy(state);
		mode_t before = umask(umasks[group]);
		char name[16], path[64];
		struct roll *r;

		snprintf(name, sizeof(name), "roll%d", group);
		p.target = scratch_path(state, name);
		p.group = group == 1;
		assert_int_equal(roll_new(&p, &r), OK);
		rolling_sign(r);
		roll_free(r);
		umask(before);
		assert_int_equal(mode_of(p.target), dir_mode(p.group));
		snprintf(path, sizeof(path), "%s/state", name);
		assert_int_equal(mode_of(scratch_path(state, path)), 0600);
		snprintf(path, sizeof(path), "%s/index", name);
		assert_int_equal(mode_of(scratch_path(state, path)), dir_file_mode(p.group));
		snprintf(path, sizeof(path), "%s/roll.000001", name);
		assert_int_equal(mode_of(scratch_path(state, path)), dir_file_mode(p.group));
	}
}

/* A clean close gives the reserve of space back. */
static void the_reserve_is_given_back(void **state)
{
	struct roll *r = rolling_new(state);
	struct stat st;
	blkcnt_t during;

	rolling_sign(r);
	assert_int_equal(stat(rolling_file(state, 1), &st), 0);
	during = st.st_blocks;
	roll_free(r);
	assert_int_equal(stat(rolling_file(state, 1), &st), 0);
	if (during >= 64 * 2) /* the filesystem keeps space */
		assert_true(st.st_blocks < during && st.st_blocks <= 16);
}

/* ---- threads ---- */

enum { THREADS = 8, EACH = 300 };

struct job {
	struct roll *r;
	int number, count;
};

static void *sign_in_thread(void *arg)
{
	const struct job *j = arg;

	for (int i = 0; i < j->count; i++) {
		char label[32];
		struct roll_event ev;

		snprintf(label, sizeof(label), "t%d-%d", j->number, i);
		ev = rolling_event(label);
		if (roll_commit(j->r, &ev, NULL) != OK)
			return NULL;
	}
	return arg;
}

static void run_threads(struct roll *r, int count)
{
	struct job jobs[THREADS];
	pthread_t t[THREADS];
	void *done;

	for (int i = 0; i < THREADS; i++) {
		jobs[i] = (struct job){ r, i, count };
		assert_int_equal(pthread_create(&t[i], NULL, sign_in_thread, &jobs[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(t[i], &done), 0);
		assert_non_null(done);
	}
}

static void threads_lose_nothing(void **state)
{
	struct roll *r = rolling_new(state);
	struct roll_state s;
	struct book b;

	run_threads(r, EACH);
	roll_state(r, &s);
	assert_true(s.barriers <= s.records);
	roll_free(r);
	b = rolling_checked(state);
	assert_int_equal(b.files, 1);
	assert_int_equal(book_count(rolling_file(state, 1), "\"event\":\"sign\""), THREADS * EACH);
	for (int i = 0; i < THREADS; i++) {
		char label[40];

		snprintf(label, sizeof(label), "\"label\":\"t%d-%d\"", i, EACH - 1);
		assert_int_equal(book_count(rolling_file(state, 1), label), 1);
	}
}

static void files_follow_each_other_under_load(void **state)
{
	struct roll_policy p = rolling_policy(state);
	size_t signs = 0;
	struct book b;
	struct roll *r;
	struct page last;
	char id[33] = "";

	p.rotate_bytes = 200000;
	assert_int_equal(roll_new(&p, &r), OK);
	run_threads(r, EACH);
	roll_free(r);
	b = rolling_checked(state);
	assert_true(b.files > 3);
	assert_int_equal(b.closes, b.files);
	for (unsigned n = 1; n <= b.files; n++) {
		page_check(rolling_file(state, n), id, n, &last);
		assert_string_equal(last.first_event, n == 1 ? "module.start" : "roll.continue");
		assert_string_equal(last.last_event, n == b.files ? "module.stop" : "roll.rotate");
		signs += book_count(rolling_file(state, n), "\"event\":\"sign\"");
	}
	assert_int_equal(signs, THREADS * EACH);
}

/* ---- processes ---- */

static void each_process_has_its_file(void **state)
{
	struct roll *r = rolling_new(state);
	pid_t pids[6];
	struct book b;

	rolling_sign(r);
	for (int i = 0; i < 6; i++)
		pids[i] = rolling_start(state, 30, i != 0);
	rolling_signs(r, 30);
	for (int i = 0; i < 6; i++)
		rolling_finish(pids[i]);
	rolling_sign(r);
	roll_free(r);
	b = rolling_checked(state);
	assert_int_equal(b.files, 7);
	assert_int_equal(b.lefts + b.unended, 1);
	assert_int_equal(b.closes, 6);
	assert_int_equal(b.records, 7 + 6 * 30 + 32 + 6);
}

/* A child closes what it inherits: while it lives on, its dead parent's file is known to be left. */
static void a_child_does_not_keep_its_parent_alive(void **state)
{
	int hold[2], ready[2];
	struct roll *r;
	pid_t pid;
	char c = 0;

	assert_int_equal(pipe(hold), 0);
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		r = rolling_new(state);
		rolling_sign(r);
		if (fork() == 0) {
			close(hold[1]);
			(void)!write(ready[1], &c, 1);
			(void)!read(hold[0], &c, 1);
			_exit(0);
		}
		(void)!read(ready[0], &c, 1); /* until the child's turn came, it has everything */
		_exit(0);
	}
	close(hold[0]);
	close(ready[0]);
	close(ready[1]);
	rolling_finish(pid);
	r = rolling_new(state);
	rolling_sign(r);
	assert_int_equal(rolling_checked(state).lefts, 1);
	close(hold[1]);
	roll_free(r);
}

static void a_killed_process_is_settled(void **state)
{
	uint64_t acked[2] = { 0, 0 };

	srand(7);
	for (int i = 0; i < 25; i++) {
		int acks[2];
		pid_t pid;
		char c;

		assert_int_equal(pipe(acks), 0);
		pid = fork();
		if (pid == 0) {
			struct roll *r = rolling_new(state);

			for (;;) {
				rolling_sign(r);
				(void)!write(acks[1], "", 1);
			}
		}
		close(acks[1]);
		usleep((useconds_t)(rand() % 9000));
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		while (read(acks[0], &c, 1) == 1)
			acked[0]++;
		close(acks[0]);
	}
	rolling_finish(rolling_start(state, 1, true));
	for (unsigned n = 1; n < 40; n++)
		if (access(rolling_file(state, n), F_OK) == 0)
			acked[1] += book_count(rolling_file(state, n), "\"event\":\"sign\"");
	assert_true(acked[1] > acked[0]);
	assert_int_equal(rolling_checked(state).unended, 0);
}

/* ---- other targets ---- */

static struct roll *at(const char *target)
{
	const struct roll_policy p = { .target = target };
	struct roll *r;

	assert_int_equal(roll_new(&p, &r), OK);
	return r;
}

static void a_file_or_a_link_is_no_target(void **state)
{
	struct roll *r = at(scratch_file(state, "f", 0600, "", 0));

	rolling_must_fail(r, "regular file");
	roll_free(r);
	assert_int_equal(symlink("/dev/null", scratch_path(state, "l")), 0);
	r = at(scratch_path(state, "l"));
	rolling_must_fail(r, "symbolic link");
	roll_free(r);
	assert_int_equal(mkdir(scratch_path(state, "d"), 0777), 0);
	assert_int_equal(chmod(scratch_path(state, "d"), 0777), 0);
	r = at(scratch_path(state, "d"));
	rolling_must_fail(r, "chmod 700");
	roll_free(r);
}

static void dev_null_is_not_durable(void **state)
{
	struct roll *r = at("/dev/null");
	struct roll_state s;

	(void)state;
	rolling_signs(r, 3);
	roll_state(r, &s);
	assert_true(s.open && !s.durable);
	assert_int_equal(s.file, 0);
	assert_int_equal(s.barriers, 0);
	assert_int_equal(s.records, 4);
	roll_free(r);
}

/* SIGPIPE has its default here, which would end the test. */
static void a_stream_that_nobody_reads_fails_the_roll(void **state)
{
	const char *path = scratch_path(state, "fifo");
	char id[33] = "", piece[65536];
	struct roll *r;
	struct page p;
	sigset_t before = { 0 }, after = { 0 }; /* the kernel fills no more than its own part */
	int fd, copy;
	ssize_t n;

	assert_int_equal(mkfifo(path, 0600), 0);
	r = at(path);
	rolling_must_fail(r, "nobody reads");
	roll_free(r);

	fd = open(path, O_RDONLY | O_NONBLOCK);
	r = at(path);
	rolling_signs(r, 3);
	n = read(fd, piece, sizeof(piece));
	assert_true(n > 0);
	copy = open(scratch_path(state, "copy"), O_WRONLY | O_CREAT, 0600);
	assert_int_equal(write(copy, piece, (size_t)n), n);
	close(copy);
	page_check(scratch_path(state, "copy"), id, 0, &p);
	assert_int_equal(p.records, 4);
	close(fd);
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	rolling_must_fail(r, "Broken pipe");
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	assert_memory_equal(&before, &after, sizeof(before));
	sigpending(&after);
	assert_false(sigismember(&after, SIGPIPE));
	roll_free(r);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, rolling_setup, rolling_teardown)
	const struct CMUnitTest tests[] = {
		TEST(without_events_nothing_is_left),
		TEST(one_writer_has_a_barrier_for_each_record),
		TEST(the_reference_is_that_of_the_record),
		TEST(what_is_noted_comes_with_the_next),
		TEST(many_notes_are_written),
		TEST(checkpoints_come_by_count_and_when_asked_for),
		TEST(checkpoints_come_by_time),
		TEST(modes_are_exact_whatever_the_umask),
		TEST(the_reserve_is_given_back),
		TEST(threads_lose_nothing),
		TEST(files_follow_each_other_under_load),
		TEST(each_process_has_its_file),
		TEST(a_child_does_not_keep_its_parent_alive),
		TEST(a_killed_process_is_settled),
		TEST(a_file_or_a_link_is_no_target),
		TEST(dev_null_is_not_durable),
		TEST(a_stream_that_nobody_reads_fails_the_roll),
	};

	return cmocka_run_group_tests(tests, rolling_forks, NULL);
}
