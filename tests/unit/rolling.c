/* SPDX-License-Identifier: Apache-2.0 */
#include "rolling.h"

#include "auditor/review.h"
#include "crypto/lib.h"
#include "scratch.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct roll_policy rolling_policy(void **state)
{
	return (struct roll_policy){
		.target = scratch_path(state, "roll"),
		.checkpoint_records = 1024,
		.checkpoint_seconds = 60,
	};
}

struct roll *rolling_new(void **state)
{
	const struct roll_policy p = rolling_policy(state);
	struct roll *r = NULL;

	assert_int_equal(roll_new(&p, &r), OK);
	assert_non_null(r);
	return r;
}

struct roll_event rolling_event(const char *label)
{
	return (struct roll_event){
		.kind = EV_SIGN,
		.token = "office                          ",
		.serial = "00000000000007f3",
		.cls = CKO_PRIVATE_KEY,
		.label = span_str(label),
		.id = span_str("\1\2"),
		.mech = CKM_ECDSA_SHA256,
		.measured = true,
		.bytes = 32,
		.result = OK,
	};
}

void rolling_sign(struct roll *r)
{
	const struct roll_event ev = rolling_event("key");

	if (roll_commit(r, &ev, NULL) != OK) {
		struct roll_state s;

		roll_state(r, &s);
		fail_msg("%s", s.why);
	}
}

const char *rolling_file(void **state, unsigned n)
{
	char name[32];

	snprintf(name, sizeof(name), "roll/roll.%06u", n);
	return scratch_path(state, name);
}

void rolling_signs(struct roll *r, unsigned n)
{
	while (n-- != 0)
		rolling_sign(r);
}

struct book rolling_checked(void **state)
{
	struct book b;

	book_check(scratch_path(state, "roll"), &b);
	return b;
}

static struct review review(void **state, const char *dir)
{
	const struct review_ask ask = { .dir = scratch_path(state, dir), .jobs = 1 };
	struct review r;
	struct why why = { "" };

	if (review_run(&ask, &r, &why) != OK)
		fail_msg("%s", why.text);
	return r;
}

void rolling_sound(void **state, const char *dir)
{
	struct review r = review(state, dir);

	if (r.bad.total != 0)
		fail_msg("%s: roll %u, line %u: %s: %s", dir, (unsigned)r.bad.at[0].file,
			 (unsigned)r.bad.at[0].line, damage_word(r.bad.at[0].kind),
			 r.bad.at[0].text);
	review_free(&r);
}

void rolling_finds(void **state, const char *dir, enum damage kind, uint64_t file)
{
	struct review r = review(state, dir);

	assert_int_equal(r.bad.total, 1);
	assert_string_equal(damage_word(r.bad.at[0].kind), damage_word(kind));
	assert_int_equal(r.bad.at[0].file, file);
	review_free(&r);
}

void rolling_must_fail(struct roll *r, const char *text)
{
	const struct roll_event ev = rolling_event("key");
	struct roll_state s;

	assert_int_equal(roll_ready(r), OK);
	assert_int_equal(roll_commit(r, &ev, NULL), E_DEVICE);
	assert_int_equal(roll_commit(r, &ev, NULL), E_DEVICE);
	assert_int_equal(roll_note(r, &ev, NULL), E_DEVICE);
	assert_int_equal(roll_ready(r), E_DEVICE);
	roll_state(r, &s);
	assert_true(s.failed);
	assert_non_null(strstr(s.why, text));
}

pid_t rolling_start(void **state, unsigned count, bool end)
{
	pid_t pid = fork();

	if (pid == 0) {
		struct roll *r = rolling_new(state);

		rolling_signs(r, count);
		if (end)
			roll_free(r);
		_exit(0);
	}
	assert_true(pid > 0);
	return pid;
}

void rolling_finish(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int rolling_setup(void **state)
{
	return crypto_start() == OK ? scratch_setup(state) : -1;
}

int rolling_teardown(void **state)
{
	return scratch_teardown(state);
}

/* A child has its own libcrypto, as after C_Initialize. */
static void fork_child(void)
{
	roll_fork_child();
	(void)crypto_start();
}

int rolling_forks(void **state)
{
	(void)state;
	return pthread_atfork(roll_fork_prepare, roll_fork_parent, fork_child);
}
