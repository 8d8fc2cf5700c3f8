/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The roll when the system does not do what it is asked: each call fails once, at each place, and what was answered before stays true. And what
 * a power cut leaves at each barrier: nothing that was answered is lost, and nothing looks like tampering.
 */
#include "audit/roll.h"
#include "crypto/boxing.h"

#include "fault.h"
#include "rollbook.h"
#include "rolling.h"
#include "scratch.h"
#include "shadow.h"
#include "unbox.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- hooks ---- */

enum call { OPEN, WRITE, PWRITE, FDATASYNC, FSYNC, CALLS };

static struct fault faults[CALLS];
static int with;                  /* errno of what fails */
static bool short_writes;         /* a write takes half, before it fails */
static bool no_space;             /* for fallocate */
static unsigned barriers, cut_at; /* the power goes at this one; 0: never */
static unsigned gathers;
static useconds_t slow; /* a barrier takes longer by this */
static time_t fallen;   /* s by which the clocks of the wall and of the boot are behind */
static enum call
	robbed; /* before this call another file takes the place of robber's number, once */
static int robber = -1;

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
ssize_t __real_write(int fd, const void *p, size_t n);
ssize_t __wrap_write(int fd, const void *p, size_t n);
ssize_t __real_pwrite(int fd, const void *p, size_t n, off_t at);
ssize_t __wrap_pwrite(int fd, const void *p, size_t n, off_t at);
int __wrap_fdatasync(int fd);
int __wrap_fsync(int fd);
int __real_fallocate(int fd, int mode, off_t at, off_t n);
int __wrap_fallocate(int fd, int mode, off_t at, off_t n);
int __real_pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t id,
				  const struct timespec *t);
int __wrap_pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t id,
				  const struct timespec *t);

static bool strikes(enum call c)
{
	if (!fault_strikes(&faults[c]))
		return false;
	errno = with;
	return true;
}

static void rob(enum call c, int fd)
{
	if (robber < 0 || robbed != c)
		return;
	assert_int_equal(dup2(robber, fd), fd);
	close(robber);
	robber = -1;
}

int __wrap_open(const char *path, int flags, ...)
{
	va_list ap;
	int mode = 0;

	va_start(ap, flags);
	if ((flags & O_CREAT) != 0)
		mode = va_arg(ap, int);
	va_end(ap);
	return strikes(OPEN) ? -1 : __real_open(path, flags, mode);
}

ssize_t __wrap_write(int fd, const void *p, size_t n)
{
	rob(WRITE, fd);
	if (strikes(WRITE)) {
		if (!short_writes || n < 2)
			return -1;
		faults[WRITE].left = 1; /* the rest fails */
		return __real_write(fd, p, n / 2);
	}
	return __real_write(fd, p, n);
}

ssize_t __wrap_pwrite(int fd, const void *p, size_t n, off_t at)
{
	return strikes(PWRITE) ? -1 : __real_pwrite(fd, p, n, at);
}

static void power(void)
{
	if (cut_at != 0 && ++barriers == cut_at)
		_exit(0);
}

/* Nothing here depends on the disk: a barrier is what the shadow knows of it. */
static int sync_or_not(enum call c, int fd)
{
	power();
	if (strikes(c))
		return -1;
	shadow_synced(fd);
	return 0;
}

int __wrap_fdatasync(int fd)
{
	rob(FDATASYNC, fd);
	if (slow != 0)
		usleep(slow);
	return sync_or_not(FDATASYNC, fd);
}

int __wrap_fsync(int fd)
{
	return sync_or_not(FSYNC, fd);
}

int __wrap_fallocate(int fd, int mode, off_t at, off_t n)
{
	if (!no_space)
		return __real_fallocate(fd, mode, at, n);
	errno = ENOSPC;
	return -1;
}

int __wrap_pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t id,
				  const struct timespec *t)
{
	gathers++;
	return __real_pthread_cond_clockwait(c, m, id, t);
}

int __real_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
	int rc = __real_clock_gettime(id, t);

	if (id == CLOCK_REALTIME || id == CLOCK_BOOTTIME)
		t->tv_sec -= fallen;
	return rc;
}

static int setup(void **state)
{
	memset(faults, 0, sizeof(faults));
	short_writes = no_space = false;
	cut_at = barriers = gathers = 0;
	slow = 0;
	fallen = 0;
	return rolling_setup(state);
}

/* ---- one call fails ---- */

static size_t signs_in(const char *dir)
{
	char path[512];
	size_t found = 0;

	for (unsigned n = 1; n < 400; n++) {
		snprintf(path, sizeof(path), "%s/roll.%06u", dir, n);
		if (access(path, F_OK) == 0)
			found += book_count(path, "\"event\":\"sign\"");
	}
	return found;
}

/* Once it has failed it fails for good; a new one finds everything that was answered. */
static void use_until_it_fails(void **state, unsigned *acked)
{
	const struct roll_event ev = rolling_event("key");
	struct roll *r = rolling_new(state);
	bool failed = false;

	for (int i = 0; i < 3; i++) {
		enum err e = roll_commit(r, &ev, NULL);

		assert_true(e == OK || e == E_DEVICE);
		assert_false(failed && e == OK);
		failed = e != OK;
		*acked += e == OK;
	}
	assert_int_equal(roll_ready(r), failed ? E_DEVICE : OK);
	roll_free(r);
}

static void sweep(void **state, enum call c, int errnum)
{
	unsigned acked = 0;

	with = errnum;
	for (unsigned nth = 1;; nth++) {
		bool met;

		faults[c] = (struct fault){ .left = nth };
		use_until_it_fails(state, &acked);
		met = faults[c].met;
		memset(faults, 0, sizeof(faults));
		use_until_it_fails(state, &acked);
		assert_true(signs_in(scratch_path(state, "roll")) >= acked);
		if (!met)
			break;
	}
	struct book b;

	book_check(scratch_path(state, "roll"), &b);
	assert_int_equal(b.unended, 0);
}

static void each_call_fails_once(void **state)
{
	static const int errnums[] = { EIO, ENOSPC };

	for (size_t i = 0; i < 2; i++)
		for (enum call c = 0; c < CALLS; c++)
			sweep(state, c, errnums[i]);
}

static void a_short_write_fails_or_goes_on(void **state)
{
	short_writes = true;
	sweep(state, WRITE, ENOSPC);
	short_writes = true;
	sweep(state, WRITE, EINTR); /* only interrupted: nothing is lost */
}

/* An error of the barrier is told once; what a second would say means nothing. */
static void a_failed_barrier_is_not_tried_again(void **state)
{
	const struct roll_event ev = rolling_event("key");
	struct roll *r = rolling_new(state);
	struct roll_state s;

	rolling_sign(r);
	with = EIO;
	faults[FDATASYNC].left = 1;
	assert_int_equal(roll_commit(r, &ev, NULL), E_DEVICE);
	assert_int_equal(roll_commit(r, &ev, NULL), E_DEVICE);
	assert_int_equal(roll_checkpoint(r), E_DEVICE);
	roll_state(r, &s);
	assert_true(s.failed);
	assert_non_null(strstr(s.why, "cannot sync"));
	roll_free(r);
	/* what of it is on the disk its author does not know, and does not say */
	assert_int_equal(book_count(scratch_path(state, "roll/index"), "\"op\":\"left\""), 0);
	rolling_finish(rolling_start(state, 1, true));
	rolling_sound(state, "roll");
}

/* Another thread of the host closes what is not its own, between our look at the descriptor and its use. */
static void a_descriptor_that_goes_meanwhile_is_noticed(void **state)
{
	static const enum call calls[] = { WRITE, FDATASYNC };
	const struct roll_event ev = rolling_event("key");
	const char *other = scratch_file(state, "other", 0600, "", 0);

	for (size_t i = 0; i < 2; i++) {
		struct roll *r = rolling_new(state);

		rolling_sign(r);
		robbed = calls[i];
		robber = __real_open(other, O_RDWR | O_APPEND);
		assert_true(robber >= 0);
		assert_int_equal(roll_commit(r, &ev, NULL), E_DEVICE);
		assert_int_equal(robber, -1);
		roll_free(r);
	}
}

enum { THREADS = 8, EACH = 50 };

struct job {
	struct roll *r;
	unsigned acked;
};

static void *sign_in_thread(void *arg)
{
	const struct roll_event ev = rolling_event("key");
	struct job *j = arg;

	for (int i = 0; i < EACH; i++)
		j->acked += roll_commit(j->r, &ev, NULL) == OK;
	return NULL;
}

static unsigned run_threads(struct roll *r)
{
	struct job jobs[THREADS];
	pthread_t t[THREADS];
	unsigned acked = 0;

	for (int i = 0; i < THREADS; i++) {
		jobs[i] = (struct job){ r, 0 };
		assert_int_equal(pthread_create(&t[i], NULL, sign_in_thread, &jobs[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(t[i], NULL), 0);
		acked += jobs[i].acked;
	}
	return acked;
}

/* All that wait get the error, and none after them a success. */
static void a_failure_reaches_everybody(void **state)
{
	struct roll *r = rolling_new(state);
	unsigned acked;

	with = EIO;
	faults[FDATASYNC].left = 20;
	acked = run_threads(r);
	assert_true(acked > 0 && acked < THREADS * EACH);
	roll_free(r);
	assert_true(signs_in(scratch_path(state, "roll")) >= acked);
}

/* The number of the last whole record. */
static uint64_t last_written(const char *path)
{
	char tail[4096];
	struct stat st;
	int fd = open(path, O_RDONLY);
	char *end, *line;
	ssize_t n;

	assert_int_equal(fstat(fd, &st), 0);
	n = pread(fd, tail, sizeof(tail) - 1,
		  st.st_size > (off_t)sizeof(tail) ? st.st_size - (off_t)sizeof(tail) + 1 : 0);
	close(fd);
	assert_true(n > 0);
	tail[n] = '\0';
	end = strrchr(tail, '\n');
	*end = '\0';
	line = strrchr(tail, '\n');
	return strtoull((line != NULL ? line + 1 : tail) + strlen("{\"seq\":"), NULL, 10);
}

static const char *watched;

static void *sign_and_look(void *arg)
{
	const struct roll_event ev = rolling_event("key");
	struct roll_ref ref;

	for (int i = 0; i < EACH; i++)
		if (roll_commit(arg, &ev, &ref) != OK || last_written(watched) < ref.seq)
			return NULL;
	return arg;
}

/* Also what was appended while others waited for their barrier. */
static void what_is_answered_is_written(void **state)
{
	struct roll *r = rolling_new(state);
	pthread_t t[THREADS];
	void *ok;

	watched = rolling_file(state, 1);
	slow = 1000;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&t[i], NULL, sign_and_look, r), 0);
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(t[i], &ok), 0);
		assert_non_null(ok);
	}
	roll_free(r);
}

/* ---- space ---- */

static void low_space_is_told_once(void **state)
{
	struct roll *r = rolling_new(state);
	const char *file = scratch_path(state, "roll/roll.000001");
	struct roll_state s;

	no_space = true;
	rolling_sign(r);
	rolling_sign(r);
	assert_int_equal(book_count(file, "\"event\":\"roll.low\""), 1);
	roll_state(r, &s);
	assert_true(s.low && !s.failed);
	no_space = false;
	rolling_sign(r);
	roll_state(r, &s);
	assert_false(s.low);
	roll_free(r);
}

/* A full file is not ended before there is space for the next. */
static void without_space_a_full_file_goes_on(void **state)
{
	struct roll_policy p = rolling_policy(state);
	struct roll_state s;
	struct roll *r;

	p.rotate_bytes = 2500;
	assert_int_equal(roll_new(&p, &r), OK);
	rolling_sign(r);
	no_space = true;
	rolling_signs(r, 30);
	roll_state(r, &s);
	assert_int_equal(s.file, 1);
	no_space = false;
	rolling_signs(r, 30);
	roll_state(r, &s);
	assert_true(s.file > 1);
	roll_free(r);
	rolling_sound(state, "roll");
}

/* ---- clocks ---- */

/* The wall clock is somebody's to set, and `ts` says what it said; `mono` does not fall on any machine. */
static void clocks_that_jump_back_are_no_damage(void **state)
{
	struct roll *r = rolling_new(state);
	char day[32];
	time_t then;

	rolling_sign(r);
	fallen = 3;
	then = time(NULL) - fallen;
	rolling_sign(r);
	fallen = 0;
	rolling_sign(r);
	roll_free(r);
	/* by three seconds, give or take one */
	for (size_t found = 0, at = 0; found == 0; at++) {
		time_t t = then + (time_t)at;
		struct tm tm;

		assert_true(at < 2);
		strftime(day, sizeof(day), "\"ts\":\"%Y-%m-%dT%H:%M:%S", gmtime_r(&t, &tm));
		found = book_count(rolling_file(state, 1), day);
	}
	rolling_checked(state);
	rolling_sound(state, "roll");
}

/* ---- gathering ---- */

static void a_single_writer_never_waits(void **state)
{
	struct roll *r = rolling_new(state);

	slow = 2000;
	for (int i = 0; i < 10; i++)
		rolling_sign(r);
	assert_int_equal(gathers, 0);
	roll_free(r);
}

/* How many share a barrier is the scheduler's doing, too: on a quiet machine it is all eight. */
static void writers_are_gathered(void **state)
{
	struct roll *r = rolling_new(state);
	struct roll_state s;

	slow = 5000;
	assert_int_equal(run_threads(r), THREADS * EACH);
	roll_state(r, &s);
	assert_true(s.barriers * 3 < s.records);
	assert_true(gathers > 0);
	roll_free(r);
}

/* ---- power ---- */

struct scene {
	unsigned killed_at;
	unsigned acked;
	bool complete;
};

/* Each file takes a few records. */
static struct roll *roll_of_scene(void **state)
{
	struct roll_policy p = rolling_policy(state);
	struct roll *r;

	p.rotate_bytes = 2500;
	assert_int_equal(roll_new(&p, &r), OK);
	return r;
}

/* What a process does with a roll until the power goes. */
static void act(void **state, struct scene *s)
{
	const struct roll_event ev = rolling_event("key");
	struct roll *r = roll_of_scene(state);

	for (int i = 0; i < 4; i++)
		s->acked += roll_commit(r, &ev, NULL) == OK;
	roll_free(r);
	s->complete = true;
}

/* The same, after another process was killed at a barrier of its own: with something written that was not synced. */
static void act_after_killed(void **state, struct scene *s)
{
	const unsigned ours = cut_at;
	pid_t pid = fork();

	if (pid == 0) {
		cut_at = s->killed_at;
		act(state, s);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	s->complete = false;
	cut_at = ours;
	act(state, s);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static void remove_all(const char *dir)
{
	(void)nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* The same directory goes on with what the power cut left. */
static void lose_power_at(void **state, unsigned at, void (*does)(void **, struct scene *),
			  struct scene *s)
{
	const char *dir = scratch_path(state, "roll"), *shadow = scratch_path(state, "shadow");
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		shadow_start(dir, shadow);
		cut_at = at;
		does(state, s);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	remove_all(dir);
	assert_int_equal(rename(shadow, dir), 0);
	remove_all(scratch_path(state, "shadow.contents"));
}

static void check_after(void **state, const struct scene *s, size_t before)
{
	struct roll *r = rolling_new(state);
	const char *dir = scratch_path(state, "roll");
	struct book b;

	rolling_sign(r);
	roll_free(r);
	assert_true(signs_in(dir) >= before + s->acked + 1);
	book_check(dir, &b);
	assert_int_equal(b.missing, 0);
	assert_int_equal(b.unended, 0);
}

/* At each barrier until there is none, but at most so many. */
static void cut_everywhere(void **state, void (*does)(void **, struct scene *), unsigned killed_at,
			   unsigned most)
{
	struct scene *s =
		mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_true(s != MAP_FAILED);
	for (unsigned at = 1; !s->complete && at <= most; at++) {
		size_t before = signs_in(scratch_path(state, "roll"));

		*s = (struct scene){ .killed_at = killed_at };
		lose_power_at(state, at, does, s);
		check_after(state, s, before);
	}
	assert_true(s->complete || most < 100);
	munmap(s, sizeof(*s));
}

/* In a new directory the first cuts leave nothing, and the next begins anew. */
static void a_power_cut_loses_nothing_that_was_answered(void **state)
{
	cut_everywhere(state, act, 0, 100);
}

enum { OPENING = 7 }; /* barriers until the first record of a process is answered */

static void a_power_cut_after_a_kill_is_no_alarm(void **state)
{
	for (unsigned killed_at = 1; killed_at < 26; killed_at += killed_at < 10 ? 1 : 3) {
		remove_all(scratch_path(state, "roll"));
		cut_everywhere(state, act, 0, 1);
		cut_everywhere(state, act_after_killed, killed_at, OPENING);
	}
}

/* A file that somebody puts there by hand. */
static void put_auditor(void **state)
{
	uint8_t public_key[BOXING_PUBLIC], base64[2000];
	EVP_PKEY *key = unbox_key(public_key);
	int fd = open(scratch_path(state, "roll/auditor.pub"), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	(void)EVP_EncodeBlock(base64, public_key, BOXING_PUBLIC);
	assert_true(dprintf(fd, "chancery-auditor-public 1\nkem x25519mlkem768 %s\n",
			    (char *)base64) > 0);
	shadow_synced(fd);
	close(fd);
	EVP_PKEY_free(key);
}

/* The secret of the roll is made anew while the index has lines to come, of a process that was killed. */
static void act_for_another_auditor(void **state, struct scene *s)
{
	put_auditor(state);
	act(state, s);
}

static void a_power_cut_as_another_auditor_comes_is_no_alarm(void **state)
{
	enum { RENEWAL = OPENING + 3 };
	const struct scene dies_in_its_file = { .killed_at = OPENING + 2 };
	struct scene *s =
		mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_true(s != MAP_FAILED);
	for (unsigned at = 1; at <= RENEWAL; at++) {
		size_t before;

		remove_all(scratch_path(state, "roll"));
		*s = dies_in_its_file;
		lose_power_at(state, s->killed_at, act, s);
		before = signs_in(scratch_path(state, "roll"));
		*s = (struct scene){ .acked = 0 };
		lose_power_at(state, at, act_for_another_auditor, s);
		check_after(state, s, before);
	}
	munmap(s, sizeof(*s));
}

/* What was closed stays closed. */
static void a_power_cut_after_the_end_finds_all_closed(void **state)
{
	struct scene s = { .acked = 0 };
	struct book b;

	lose_power_at(state, 1000, act, &s);
	book_check(scratch_path(state, "roll"), &b);
	assert_true(b.files > 1);
	assert_int_equal(b.closes, b.files);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, rolling_teardown)
	const struct CMUnitTest tests[] = {
		TEST(each_call_fails_once),
		TEST(a_short_write_fails_or_goes_on),
		TEST(a_failed_barrier_is_not_tried_again),
		TEST(a_descriptor_that_goes_meanwhile_is_noticed),
		TEST(a_failure_reaches_everybody),
		TEST(what_is_answered_is_written),
		TEST(low_space_is_told_once),
		TEST(without_space_a_full_file_goes_on),
		TEST(clocks_that_jump_back_are_no_damage),
		TEST(a_single_writer_never_waits),
		TEST(writers_are_gathered),
		TEST(a_power_cut_loses_nothing_that_was_answered),
		TEST(a_power_cut_after_a_kill_is_no_alarm),
		TEST(a_power_cut_as_another_auditor_comes_is_no_alarm),
		TEST(a_power_cut_after_the_end_finds_all_closed),
	};

	return cmocka_run_group_tests(tests, rolling_forks, NULL);
}
