/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes that work on a token are killed (SIGKILL) at any moment: in C_Initialize, while a file of the roll is opened, another is followed, the
 * dead are settled, in the midst of steps, in C_Finalize. Nothing that was delivered may be without its record; no record without its
 * step; the token is as the records tell; what is left is sound to the auditor's eyes, and the next process opens it.
 *
 * KILLS: how many (20; tests/fault/kill_long.sh: 1000). KILLS_SEED repeats a run.
 *
 * Breaks it: a caller that does not wait until its record is written (mutations roll-answered-queued).
 */
#include "case.h"
#include "rolls.h"
#include "tally.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct shared {
	struct toil_shared toil;
	size_t delivered; /* of the round */
	unsigned next;    /* the first file that the next round may have */
} * shared;

static unsigned rnd;

static unsigned chance(unsigned below)
{
	return (unsigned)rand_r(&rnd) % below;
}

/* ---- configurations, in turn ---- */

static const struct era {
	const char *conf;
	bool session_keys, fat;
	unsigned steps, most; /* of a thread in one life; delivered before a kill */
} eras[] = {
	{ "[audit]\ncheckpoint_records = 16\n", false, false, 12, 100 },
	{ "[audit]\nrotate_mib = 1\nmldsa = on\ncheckpoint_records = 1\n", false, true, 200, 220 },
	{ "[audit]\nsession_keys = on\ncheckpoint_records = 1\n", true, false, 5, 60 },
	{ "[audit]\nrotate_mib = 1\ncheckpoint_records = 8\n", false, true, 400, 700 },
	{ "[audit]\nmldsa = on\ncheckpoint_seconds = 1\n", false, false, 40, 100 },
};

/* ---- a kill ---- */

static void acks_path(char path[128])
{
	snprintf(path, 128, "%s/acks", p11_home());
}

static int open_acks(void)
{
	char path[128];
	int fd;

	acks_path(path);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	return fd;
}

static void toil_on(unsigned round, const struct era *e)
{
	struct toil w = { .round = round,
			  .acks = open_acks(),
			  .shared = &shared->toil,
			  .threads = 1 + chance(4),
			  .steps = 1 + chance(e->steps),
			  .forks = chance(4) == 0 && !case_no_threads_after_fork() ? 2 : 0,
			  .fat = e->fat };

	for (;;)
		toil_life(&w);
}

static long now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* Until so much was delivered, however long that takes here; then a part of the time that one takes, so that any moment of the next is met. */
static void let_work(pid_t pid, unsigned progress)
{
	enum { BEGINNING = 12000, PATIENCE = 120 };
	const long begun = now_us();
	long pace = BEGINNING;

	while (shared->toil.progress < progress) {
		usleep(200);
		if (waitpid(pid, NULL, WNOHANG) != 0)
			return; /* its last line tells why */
		if (now_us() - begun > PATIENCE * 1000000L)
			fail_msg("%u of %u, and no more comes", shared->toil.progress, progress);
	}
	if (progress != 0)
		pace = 3 * (now_us() - begun) / progress;
	usleep((useconds_t)((long)chance(1000) * pace / 1000));
}

/* A process and its children. One in three is killed as it begins, when it settles what the last one left. */
static void run_and_kill(unsigned round, const struct era *e)
{
	const unsigned progress = chance(3) == 0 ? chance(4) : chance(e->most);
	pid_t pid;

	shared->toil.progress = 0;
	rnd += 7919;
	(void)fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	(void)setpgid(pid, pid); /* both do, whoever comes first */
	if (pid == 0) {
		(void)setenv("CMOCKA_TEST_ABORT", "1", 1);
		toil_on(round, e);
	}
	let_work(pid, progress);
	(void)kill(-pid, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR) /* its children are ours now */
		continue;
}

/* ---- what is left ---- */

static void roll_path(char path[128])
{
	snprintf(path, 128, "%s/roll", p11_home());
}

static void verify_all(void)
{
	char arguments[256];

	snprintf(arguments, sizeof(arguments),
		 "--dir '%s/roll' --auditor-key 'file:%s/auditor.key'", p11_home(), p11_home());
	assert_int_equal(rolls_verify(arguments), 0);
}

static void verify_files(unsigned from, unsigned to)
{
	char path[256];

	for (unsigned n = from; n < to; n++) {
		snprintf(path, sizeof(path), "%s/roll/roll.%06u", p11_home(), n);
		if (access(path, F_OK) == 0)
			assert_int_equal(rolls_verify(path), 0);
	}
}

/* The next process: it opens what is there, records what was left, finds the token as recorded, and works. */
static void go_on(struct tally *t, unsigned from)
{
	char roll[128];
	CK_SLOT_ID slot;
	CK_SESSION_HANDLE s;

	roll_path(roll);
	p11_initialize();
	assert_true(toil_slot(&slot));
	s = p11_open(slot, true);
	p11_login(s, CKU_USER);
	tally_forget_records(t);
	(void)tally_records(t, roll, from);
	tally_check(t);
	tally_objects(t, s);
	p11_finalize();
	shared->next = tally_records(t, roll, from);
}

static void check_round(unsigned round, bool session_keys, unsigned from)
{
	struct tally *t = tally_new(round, session_keys);
	char acks[128], roll[128];

	acks_path(acks);
	roll_path(roll);
	shared->delivered = tally_acks(t, acks);
	(void)tally_records(t, roll, from);
	tally_check(t); /* before anybody opens it */
	go_on(t, from);
	tally_free(t);
}

/* ---- rounds ---- */

static unsigned wanted(const char *variable, unsigned otherwise)
{
	const char *text = getenv(variable);

	return text != NULL ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

static void make_child(void)
{
	p11_initialize();
	toil_make();
	p11_finalize();
}

/* In a child: fork leaves it what the parent never had. */
static void check_in_child(unsigned round, bool session_keys, unsigned from)
{
	pid_t pid;

	(void)fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)setenv("CMOCKA_TEST_ABORT", "1", 1);
		check_round(round, session_keys, from);
		_exit(0);
	}
	case_wait(pid);
}

/* Up to three in a row, each of which finds what the one before left. Returns how many. */
static unsigned one_round(unsigned round, size_t *delivered)
{
	const struct era *e = &eras[round % LENGTH(eras)];
	const unsigned kills = 1 + chance(3), from = shared->next;
	char acks[128];

	acks_path(acks);
	(void)unlink(acks);
	shared->toil.lives = 0;
	p11_configure(e->conf);
	for (unsigned i = 0; i < kills; i++)
		run_and_kill(round, e);
	check_in_child(round, e->session_keys, from);
	verify_files(from, shared->next);
	*delivered += shared->delivered;
	return kills;
}

static void killed_at_any_moment(void **state)
{
	enum { OFTEN = 50 };
	const unsigned most = wanted("KILLS", 30),
		       seed = wanted("KILLS_SEED", (unsigned)time(NULL));
	unsigned kills = 0, round = 0;
	size_t delivered = 0;

	(void)state;
	print_message("KILLS_SEED=%u\n", seed);
	rnd = seed;
	case_child(make_child);
	shared->next = 1;
	for (; kills < most; round++) {
		kills += one_round(round, &delivered);
		if (round % OFTEN == OFTEN - 1)
			verify_all();
	}
	verify_all();
	assert_true(delivered > most);
	print_message("%u kills, %u files, %zu results delivered, none without its record\n", kills,
		      shared->next - 1, delivered);
}

static int share(void **state)
{
	(void)state;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	return shared == MAP_FAILED || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0;
}

static int setup(void **state)
{
	return p11_setup_only_loaded(state) != 0 || rolls_auditor() != 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(killed_at_any_moment, setup, p11_teardown),
	};

	if (p11_emulated())
		return 77;
	return cmocka_run_group_tests(tests, share, NULL);
}
