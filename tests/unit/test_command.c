/* SPDX-License-Identifier: Apache-2.0 */
#include "base/command.h"

#include "scratch.h"
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* A script in the test's directory: the command that runs it, with arguments. */
static const char *script(void **state, const char *body, const char *arguments)
{
	static char line[512];
	char text[512];
	int n = snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", body);
	const char *path = scratch_file(state, "s", 0700, text, (size_t)n);

	(void)snprintf(line, sizeof(line), "%s%s", path, arguments);
	return line;
}

static enum err output_is(const char *line, size_t max, const char *want)
{
	struct buf b = { .secret = true };
	struct why w = { "" };
	enum err e = command_output(line, max, &b, &w);

	if (e == OK)
		assert_true(span_eq(buf_span(&b), span_str(want)));
	else
		assert_true(b.n == 0 && strlen(w.text) > 10);
	buf_free(&b);
	return e;
}

static void the_output_is_taken(void **state)
{
	assert_int_equal(output_is(script(state, "printf '%s.' \"$@\"", "  a \t $HOME  *"), 100,
				   "a.$HOME.*."),
			 OK);
	assert_int_equal(output_is(script(state, "printf a; sleep 0.1; printf b", ""), 2, "ab"),
			 OK);
	assert_int_equal(output_is(script(state, "exec >&-; sleep 0.1", ""), 100, ""), OK);
}

static void failures_give_nothing(void **state)
{
	assert_int_equal(output_is(script(state, "echo 1234; exit 3", ""), 100, ""), E_FAILED);
	assert_int_equal(output_is(script(state, "echo 1234; kill -9 $$", ""), 100, ""), E_FAILED);
	assert_int_equal(output_is(script(state, "echo 12345", ""), 5, ""), E_DATA_LEN);
	assert_int_equal(output_is(script(state, "yes", ""), 1000, ""), E_DATA_LEN);
	assert_int_equal(output_is("/no/such/program", 100, ""), E_FAILED);
	assert_int_equal(output_is(*state, 100, ""), E_FAILED);
}

/* Nothing of the caller's but the environment: no input, no messages, no descriptors. */
static void the_child_is_apart(void **state)
{
	int fd = open("/dev/null", O_RDONLY); /* not close-on-exec, as a host's may be */

	assert_true(fd >= 0 && fd < 10);
	assert_int_equal(output_is(script(state, "cat; echo x >&2; exec ls /proc/self/fd", ""), 100,
				   "0\n1\n2\n3\n"), /* 3 is the directory that ls reads */
			 OK);
	close(fd);
}

static void signals_are_as_new(void **state)
{
	sigset_t block, before;

	sigemptyset(&block);
	sigaddset(&block, SIGTERM);
	assert_int_equal(sigprocmask(SIG_BLOCK, &block, &before), 0);
	(void)signal(SIGPIPE, SIG_IGN);
	assert_int_equal(output_is(script(state, "kill -TERM $$; echo survived", ""), 100, ""),
			 E_FAILED);
	assert_int_equal(output_is(script(state, "kill -PIPE $$; echo survived", ""), 100, ""),
			 E_FAILED);
	(void)signal(SIGPIPE, SIG_DFL);
	assert_int_equal(sigprocmask(SIG_SETMASK, &before, NULL), 0);
}

/* A host that takes every child's outcome: unknown is not success. */
static void a_lost_outcome_is_a_failure(void **state)
{
	(void)signal(SIGCHLD, SIG_IGN);
	assert_int_equal(output_is(script(state, "echo 1234", ""), 100, ""), E_FAILED);
	(void)signal(SIGCHLD, SIG_DFL);
	assert_int_equal(output_is(script(state, "echo 1234", ""), 100, "1234\n"), OK);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no zombie is left */
}

static void forms(void **state)
{
	char text[3000];
	struct why w;

	(void)state;
	assert_int_equal(command_check("/bin/cat  x\ty", &w), OK);
	assert_int_equal(command_check("", &w), E_ARGUMENTS);
	assert_int_equal(command_check("   ", &w), E_ARGUMENTS);
	assert_int_equal(command_check("cat x", &w), E_ARGUMENTS);
	assert_int_equal(command_check("./cat x", &w), E_ARGUMENTS);
	memset(text, 'a', sizeof(text));
	memcpy(text, "/bin/", 5);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(command_check(text, &w), E_ARGUMENTS);
	for (int i = 0; i < 100; i++)
		memcpy(text + 5 + 2 * i, "a ", 2);
	text[205] = '\0';
	assert_int_equal(command_check(text, &w), E_ARGUMENTS);
}

#define SCRATCH_TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRATCH_TEST(the_output_is_taken),         SCRATCH_TEST(failures_give_nothing),
		SCRATCH_TEST(the_child_is_apart),          SCRATCH_TEST(signals_are_as_new),
		SCRATCH_TEST(a_lost_outcome_is_a_failure), cmocka_unit_test(forms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
