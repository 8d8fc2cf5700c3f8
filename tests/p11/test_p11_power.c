/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tests/fault/powercut_roll.sh runs in the CHANCERY_HOME of its environment: `make ACKS` makes a token, `work ACKS PROCESS` is one life of
 * a process that works on it (toil.h), `die ACKS PROCESS` one that ends without C_Finalize, and `check ACKS KEY` holds what a power
 * cut left against the lines in ACKS: every result that was delivered has its record, nothing looks like tampering to the auditor with
 * the private keys in KEY, the token is as the records tell, and the next process works. Without arguments it does all that, with no cut in between,
 * and sees whether the check notices what it must.
 */
#include "case.h"
#include "rolls.h"
#include "tally.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define MADE "made\n" /* in ACKS: the token and its keys are there */

static struct toil_shared shared;

/* ---- work ---- */

static int open_acks(const char *acks)
{
	int fd = open(acks, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	return fd;
}

static int do_make(const char *acks)
{
	int fd = open_acks(acks);

	p11_load();
	p11_initialize();
	toil_make();
	p11_finalize();
	return write(fd, MADE, sizeof(MADE) - 1) != sizeof(MADE) - 1;
}

static int do_work(const char *acks, const char *process, bool unfinished)
{
	struct toil w = { .acks = open_acks(acks),
			  .shared = &shared,
			  .threads = 3,
			  .steps = 25,
			  .fat = getenv("FAT") != NULL,
			  .unfinished = unfinished };

	p11_load();
	shared.lives = (unsigned)strtoul(process, NULL, 10);
	toil_life(&w);
	_exit(0);
}

/* ---- check ---- */

static bool was_made(const char *acks)
{
	char line[TOIL_TAG] = "";
	FILE *f = fopen(acks, "r");

	if (f == NULL)
		return false;
	(void)!fgets(line, sizeof(line), f);
	fclose(f);
	return strcmp(line, MADE) == 0;
}

/* Before the token was made there may be no roll, or none of this auditor. */
static void verify(const char *home, const char *key, bool made)
{
	char arguments[512];
	int status;

	snprintf(arguments, sizeof(arguments), "--dir '%s/roll'", home);
	if (made)
		snprintf(arguments, sizeof(arguments), "--dir '%s/roll' --auditor-key 'file:%s'",
			 home, key);
	status = rolls_verify(arguments);
	if (status != 0 && (made || status == 1))
		fail_msg("audit verify: %d", status);
}

static void go_on(struct tally *t, const char *roll, bool made)
{
	CK_SLOT_ID slot;
	CK_SESSION_HANDLE s;

	p11_initialize();
	if (!made) {
		(void)toil_slot(&slot);
		p11_finalize();
		return;
	}
	assert_true(toil_slot(&slot));
	s = p11_open(slot, true);
	p11_login(s, CKU_USER);
	tally_forget_records(t);
	(void)tally_records(t, roll, 1);
	tally_check(t);
	tally_objects(t, s);
	p11_finalize();
}

static int do_check(const char *acks, const char *key)
{
	const char *home = getenv("CHANCERY_HOME");
	const bool made = was_made(acks);
	struct tally *t = tally_new(0, false);
	char roll[256];

	snprintf(roll, sizeof(roll), "%s/roll", home);
	(void)tally_acks(t, acks);
	(void)tally_records(t, roll, 1);
	tally_check(t); /* before anybody opens it */
	verify(home, key, made);
	p11_load();
	go_on(t, roll, made);
	verify(home, key, made);
	tally_free(t);
	return 0;
}

/* ---- by itself ---- */

static char acks_path[256], key_path[256];

static void make_child(void)
{
	assert_int_equal(do_make(acks_path), 0);
}

static void die_child(void)
{
	(void)do_work(acks_path, "0", true);
}

static void work_child(void)
{
	(void)do_work(acks_path, "1", false);
}

static void check_child(void)
{
	assert_int_equal(do_check(acks_path, key_path), 0);
}

static bool check_fails(void)
{
	pid_t pid = case_start(check_child);
	int status = 0;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status != 0;
}

static void append_ack(const char *line)
{
	int fd = open_acks(acks_path);

	assert_int_equal(write(fd, line, strlen(line)), strlen(line));
	close(fd);
}

/* One more was delivered than there are records of. */
static void work_and_check(void **state)
{
	(void)state;
	snprintf(acks_path, sizeof(acks_path), "%s/acks", p11_home());
	snprintf(key_path, sizeof(key_path), "%s/auditor.key", p11_home());
	case_child(make_child);
	case_child(die_child);
	case_child(work_child);
	case_child(check_child);
	append_ack("0/2/0/0\n");
	assert_true(check_fails());
}

static int setup(void **state)
{
	return p11_setup_only_loaded(state) != 0 || rolls_auditor() != 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(work_and_check, setup, p11_teardown),
	};

	if (p11_emulated())
		return 77;
	if (argc == 1)
		return cmocka_run_group_tests(tests, NULL, NULL);
	(void)setenv("CMOCKA_TEST_ABORT", "1", 1);
	if (argc == 3 && strcmp(argv[1], "make") == 0)
		return do_make(argv[2]);
	if (argc == 4 && strcmp(argv[1], "check") == 0)
		return do_check(argv[2], argv[3]);
	if (argc == 4)
		return do_work(argv[2], argv[3], strcmp(argv[1], "die") == 0);
	return 2;
}
