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

static const char *file_path(void **state, unsigned n)
{
	char name[32];

	snprintf(name, sizeof(name), "roll/roll.%06u", n);
	return scratch_path(state, name);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

static void sign_some(struct roll *r, unsigned n)
{
	while (n-- != 0)
		rolling_sign(r);
}

static struct book checked(void **state)
{
	struct book b;

	book_check(scratch_path(state, "roll"), &b);
	return b;
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
	b = checked(state);
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
	page_check(file_path(state, 1), id, 1, &p);
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
	const char *file = file_path(state, 1);

	rolling_sign(r);
	assert_int_equal(roll_note(r, &ev), OK);
	assert_int_equal(book_count(file, "\"event\":\"sign\""), 1);
	rolling_sign(r);
	assert_int_equal(book_count(file, "\"event\":\"sign\""), 3);
	assert_int_equal(roll_note(r, &ev), OK);
	roll_free(r);
	assert_int_equal(book_count(file, "\"event\":\"sign\""), 4);
	assert_int_equal(checked(state).records, 6);
}

/* Notes alone are written, too, before they fill the memory. */
static void many_notes_are_written(void **state)
{
	struct roll *r = rolling_new(state);
	const struct roll_event ev = rolling_event("key");

	for (int i = 0; i < 1000; i++)
		assert_int_equal(roll_note(r, &ev), OK);
	assert_true(book_count(file_path(state, 1), "\"event\":\"sign\"") > 500);
	roll_free(r);
	assert_int_equal(checked(state).records, 1002);
}

static void checkpoints_come_by_count_and_when_asked_for(void **state)
{
	struct roll_policy p = rolling_policy(state);
	struct roll *r;

	p.checkpoint_records = 10;
	assert_int_equal(roll_new(&p, &r), OK);
	sign_some(r, 35);
	assert_int_equal(book_count(file_path(state, 1), "\"event\":\"checkpoint\""), 3);
	assert_int_equal(roll_checkpoint(r), OK);
	assert_int_equal(book_count(file_path(state, 1), "\"event\":\"checkpoint\""), 4);
	roll_free(r);
	assert_int_equal(book_count(file_path(state, 1), "\"note\":\"chancery-roll/"), 5);
	checked(state);
}

static void checkpoints_come_by_time(void **state)
{
	struct roll_policy p = rolling_policy(state);
	struct roll *r;

	p.checkpoint_seconds = 1;
	assert_int_equal(roll_new(&p, &r), OK);
	rolling_sign(r);
	assert_int_equal(book_count(file_path(state, 1), "\"event\":\"checkpoint\""), 0);
	usleep(1050000);
	rolling_sign(r);
	assert_int_equal(book_count(file_path(state, 1), "\"event\":\"checkpoint\""), 1);
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
	assert_int_equal(stat(file_path(state, 1), &st), 0);
	during = st.st_blocks;
	roll_free(r);
	assert_int_equal(stat(file_path(state, 1), &st), 0);
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

static void threads_share_barriers(void **state)
{
	struct roll *r = rolling_new(state);
	struct roll_state s;
	struct book b;

	run_threads(r, EACH);
	roll_state(r, &s);
	assert_true(s.barriers < s.records / 2);
	roll_free(r);
	b = checked(state);
	assert_int_equal(b.files, 1);
	assert_int_equal(book_count(file_path(state, 1), "\"event\":\"sign\""), THREADS * EACH);
	for (int i = 0; i < THREADS; i++) {
		char label[40];

		snprintf(label, sizeof(label), "\"label\":\"t%d-%d\"", i, EACH - 1);
		assert_int_equal(book_count(file_path(state, 1), label), 1);
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
	b = checked(state);
	assert_true(b.files > 3);
	assert_int_equal(b.closes, b.files);
	for (unsigned n = 1; n <= b.files; n++) {
		page_check(file_path(state, n), id, n, &last);
		assert_string_equal(last.first_event, n == 1 ? "module.start" : "roll.continue");
		assert_string_equal(last.last_event, n == b.files ? "module.stop" : "roll.rotate");
		signs += book_count(file_path(state, n), "\"event\":\"sign\"");
	}
	assert_int_equal(signs, THREADS * EACH);
}

/* ---- processes ---- */

static pid_t start(void **state, unsigned count, bool end)
{
	pid_t pid = fork();

	if (pid == 0) {
		struct roll *r = rolling_new(state);

		sign_some(r, count);
		if (end)
			roll_free(r);
		_exit(0);
	}
	assert_true(pid > 0);
	return pid;
}

static void finish(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void each_process_has_its_file(void **state)
{
	struct roll *r = rolling_new(state);
	pid_t pids[6];
	struct book b;

	rolling_sign(r);
	for (int i = 0; i < 6; i++)
		pids[i] = start(state, 30, i != 0);
	sign_some(r, 30);
	for (int i = 0; i < 6; i++)
		finish(pids[i]);
	rolling_sign(r);
	roll_free(r);
	b = checked(state);
	assert_int_equal(b.files, 7);
	assert_int_equal(b.lefts + b.unended, 1);
	assert_int_equal(b.closes, 6);
	assert_int_equal(b.records, 7 + 6 * 30 + 32 + 6);
}

/* A child closes what it inherits: while it lives on, its dead parent's file is known to be left. */
static void a_child_does_not_keep_its_parent_alive(void **state)
{
	int hold[2];
	struct roll *r;
	pid_t pid;
	char c;

	assert_int_equal(pipe(hold), 0);
	pid = fork();
	if (pid == 0) {
		r = rolling_new(state);
		rolling_sign(r);
		if (fork() == 0) {
			close(hold[1]);
			(void)!read(hold[0], &c, 1);
			_exit(0);
		}
		_exit(0);
	}
	close(hold[0]);
	finish(pid);
	r = rolling_new(state);
	rolling_sign(r);
	assert_int_equal(checked(state).lefts, 1);
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
	finish(start(state, 1, true));
	for (unsigned n = 1; n < 40; n++)
		if (access(file_path(state, n), F_OK) == 0)
			acked[1] += book_count(file_path(state, n), "\"event\":\"sign\"");
	assert_true(acked[1] > acked[0]);
	assert_int_equal(checked(state).unended, 0);
}

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

	finish(start(state, 3, false));
	append(file_path(state, 1), "{\"seq\":4,\"ts\":\"20", 17);
	finish(start(state, 1, true));
	b = checked(state);
	assert_int_equal(b.lefts, 1);
	page_check(file_path(state, 1), id, 1, &p);
	assert_true(p.torn);
	assert_int_equal(p.records, 4);
}

static void a_file_without_a_record_is_left(void **state)
{
	finish(start(state, 3, false));
	assert_int_equal(truncate(file_path(state, 1), 100), 0);
	finish(start(state, 1, true));
	assert_int_equal(
		book_count(scratch_path(state, "roll/index"), "1,\"seq\":null,\"head\":null"), 1);
	checked(state);
}

/* What is no record, though it is a line, is not taken for one. */
static void a_foreign_line_is_no_record(void **state)
{
	finish(start(state, 3, false));
	append(file_path(state, 1), "{\"seq\":4,\"prev\":\"00\",\"mac\":\"00\"}\n", 34);
	finish(start(state, 1, true));
	assert_int_equal(
		book_count(scratch_path(state, "roll/index"), "1,\"seq\":null,\"head\":null"), 1);
}

static void a_removed_file_stays_visible(void **state)
{
	struct book b;

	finish(start(state, 3, false));
	assert_int_equal(unlink(file_path(state, 1)), 0);
	finish(start(state, 1, true));
	b = checked(state);
	assert_int_equal(b.missing, 1);
	assert_int_equal(b.lefts, 1);
}

static void a_torn_line_of_the_index_is_cut_off(void **state)
{
	finish(start(state, 3, true));
	append(scratch_path(state, "roll/index"), "{\"op\":\"clo", 10);
	finish(start(state, 1, true));
	assert_int_equal(checked(state).closes, 2);
}

/* ---- what happens to a file while it is written ---- */

static void must_fail(struct roll *r, const char *text)
{
	const struct roll_event ev = rolling_event("key");
	struct roll_state s;

	assert_int_equal(roll_ready(r), OK);
	assert_int_equal(roll_commit(r, &ev, NULL), E_DEVICE);
	assert_int_equal(roll_commit(r, &ev, NULL), E_DEVICE);
	assert_int_equal(roll_note(r, &ev), E_DEVICE);
	assert_int_equal(roll_ready(r), E_DEVICE);
	roll_state(r, &s);
	assert_true(s.failed);
	assert_non_null(strstr(s.why, text));
}

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

static void do_truncate(const char *path)
{
	assert_int_equal(truncate(path, 0), 0);
}

static void do_append(const char *path)
{
	append(path, "x", 1);
}

static void a_file_that_is_touched_fails_the_roll(void **state)
{
	static const struct {
		void (*act)(const char *path);
		const char *text;
	} rows[] = {
		{ do_unlink, "removed" },   { do_rename, "renamed" }, { do_replace, "replaced" },
		{ do_truncate, "changed" }, { do_append, "changed" },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct roll *r = rolling_new(state);

		rolling_sign(r);
		rows[i].act(file_path(state, i + 1));
		must_fail(r, rows[i].text);
		roll_free(r);
	}
	finish(start(state, 1, true));
}

/* The host closes what is not its own, and the number is another file's then. */
static void a_closed_descriptor_is_not_written_to(void **state)
{
	const char *other = scratch_file(state, "other", 0600, "", 0);
	struct roll *r = rolling_new(state);
	struct stat st, file;

	rolling_sign(r);
	assert_int_equal(stat(file_path(state, 1), &file), 0);
	for (int fd = 3; fd < 200; fd++)
		if (fstat(fd, &st) == 0 && st.st_ino == file.st_ino) {
			int o = open(other, O_RDWR);

			assert_int_equal(dup2(o, fd), fd);
			close(o);
		}
	must_fail(r, "closed by the program");
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
		{ cut_state, "state is damaged" },
		{ empty_state, "missing or empty" },
		{ remove_state, "missing or empty" },
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
		must_fail(r, rows[i].text);
		roll_free(r);
	}
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

	must_fail(r, "regular file");
	roll_free(r);
	assert_int_equal(symlink("/dev/null", scratch_path(state, "l")), 0);
	r = at(scratch_path(state, "l"));
	must_fail(r, "symbolic link");
	roll_free(r);
	assert_int_equal(mkdir(scratch_path(state, "d"), 0777), 0);
	assert_int_equal(chmod(scratch_path(state, "d"), 0777), 0);
	r = at(scratch_path(state, "d"));
	must_fail(r, "chmod 700");
	roll_free(r);
}

static void dev_null_is_not_durable(void **state)
{
	struct roll *r = at("/dev/null");
	struct roll_state s;

	(void)state;
	sign_some(r, 3);
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
	sigset_t before, after;
	int fd, copy;
	ssize_t n;

	assert_int_equal(mkfifo(path, 0600), 0);
	r = at(path);
	must_fail(r, "nobody reads");
	roll_free(r);

	fd = open(path, O_RDONLY | O_NONBLOCK);
	r = at(path);
	sign_some(r, 3);
	n = read(fd, piece, sizeof(piece));
	assert_true(n > 0);
	copy = open(scratch_path(state, "copy"), O_WRONLY | O_CREAT, 0600);
	assert_int_equal(write(copy, piece, (size_t)n), n);
	close(copy);
	page_check(scratch_path(state, "copy"), id, 0, &p);
	assert_int_equal(p.records, 4);
	close(fd);
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	must_fail(r, "Broken pipe");
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
		TEST(threads_share_barriers),
		TEST(files_follow_each_other_under_load),
		TEST(each_process_has_its_file),
		TEST(a_child_does_not_keep_its_parent_alive),
		TEST(a_killed_process_is_settled),
		TEST(a_torn_record_is_left_out),
		TEST(a_file_without_a_record_is_left),
		TEST(a_foreign_line_is_no_record),
		TEST(a_removed_file_stays_visible),
		TEST(a_torn_line_of_the_index_is_cut_off),
		TEST(a_file_that_is_touched_fails_the_roll),
		TEST(a_closed_descriptor_is_not_written_to),
		TEST(a_directory_that_is_not_as_it_was_is_refused),
		TEST(a_file_or_a_link_is_no_target),
		TEST(dev_null_is_not_durable),
		TEST(a_stream_that_nobody_reads_fails_the_roll),
	};

	return cmocka_run_group_tests(tests, rolling_forks, NULL);
}
