/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

/* What the journal was sent. */
static char sent[4096];
static char sent_to[108];
static int sendto_errno;

ssize_t __wrap_sendto(int fd, const void *p, size_t n, int flags, const struct sockaddr *to,
		      socklen_t len);

ssize_t __wrap_sendto(int fd, const void *p, size_t n, int flags, const struct sockaddr *to,
		      socklen_t len)
{
	const struct sockaddr_un *un = (const struct sockaddr_un *)(const void *)to;

	(void)fd;
	assert_int_equal(len, sizeof(*un));
	assert_true((flags & MSG_DONTWAIT) != 0 && (flags & MSG_NOSIGNAL) != 0);
	assert_true(n < sizeof(sent));
	memcpy(sent, p, n);
	sent[n] = '\0';
	memcpy(sent_to, un->sun_path, sizeof(sent_to));
	errno = sendto_errno;
	return sendto_errno == 0 ? (ssize_t)n : -1;
}

/* What f writes to standard error. */
static const char *stderr_of(void (*f)(void))
{
	static char text[4096];
	int ends[2], saved = dup(STDERR_FILENO);
	ssize_t n;

	assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	assert_true(dup2(ends[1], STDERR_FILENO) >= 0);
	f();
	assert_true(dup2(saved, STDERR_FILENO) >= 0);
	n = read(ends[0], text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	close(ends[0]);
	close(ends[1]);
	close(saved);
	return text;
}

static void say_all(void)
{
	errno = 99;
	log_put(LEVEL_ERROR, "e %d", 1);
	log_put(LEVEL_WARNING, "w");
	log_put(LEVEL_INFO, "i");
	log_put(LEVEL_DEBUG, "d");
	log_put(LEVEL_NONE, "never");
	assert_int_equal(errno, 99);
}

static void say_long(void)
{
	log_put(LEVEL_ERROR, "%2000d\n\x1b[2J", 7);
	log_put(LEVEL_ERROR, "a\nb\x1b");
}

static void fail_twice(void)
{
	log_fault(FAULT_STORE, "store %d", 1);
	log_fault(FAULT_STORE, "store %d", 2);
	log_fault(FAULT_CONFIG, "config");
}

static void silent_until_opened(void **state)
{
	(void)state;
	assert_string_equal(stderr_of(say_all), "");
	assert_string_equal(stderr_of(fail_twice), "");
	log_open(TARGET_NONE, LEVEL_DEBUG, "test");
	assert_string_equal(stderr_of(say_all), "");
	log_open(TARGET_STDERR, LEVEL_NONE, "test");
	assert_string_equal(stderr_of(say_all), "");
	assert_false(log_wants(LEVEL_ERROR));
}

static void levels_are_thresholds(void **state)
{
	(void)state;
	log_open(TARGET_STDERR, LEVEL_WARNING, "test");
	assert_string_equal(stderr_of(say_all), "test: error: e 1\ntest: warning: w\n");
	log_open(TARGET_STDERR, LEVEL_DEBUG, "test");
	assert_non_null(strstr(stderr_of(say_all), "test: debug: d\n"));
	assert_null(strstr(stderr_of(say_all), "never"));
}

static void a_line_stays_a_line(void **state)
{
	const char *text;

	(void)state;
	log_open(TARGET_STDERR, LEVEL_ERROR, "test");
	text = stderr_of(say_long);
	assert_true(strlen(text) < 2000);
	assert_non_null(strstr(text, "test: error: a?b?\n"));
	assert_null(strchr(text, '\x1b'));
}

static void a_kind_of_fault_is_told_once(void **state)
{
	(void)state;
	log_open(TARGET_STDERR, LEVEL_ERROR, "test");
	assert_string_equal(stderr_of(fail_twice), "test: error: store 1\ntest: error: config\n");
	assert_string_equal(stderr_of(fail_twice), "");
	log_open(TARGET_STDERR, LEVEL_ERROR, "test");
	assert_string_equal(stderr_of(fail_twice), "test: error: store 1\ntest: error: config\n");
}

static void the_journal_gets_its_fields(void **state)
{
	(void)state;
	log_open(TARGET_JOURNAL, LEVEL_INFO, "test");
	sendto_errno = 0;
	log_put(LEVEL_WARNING, "a\nPRIORITY=0");
	assert_string_equal(sent, "PRIORITY=4\nSYSLOG_IDENTIFIER=test\nMESSAGE=a?PRIORITY=0\n");
	assert_string_equal(sent_to, "/run/systemd/journal/socket");
	errno = 98;
	sendto_errno = EAGAIN;
	log_put(LEVEL_INFO, "lost");
	assert_int_equal(errno, 98);
	assert_string_equal(stderr_of(say_all), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(silent_until_opened),
		cmocka_unit_test(levels_are_thresholds),
		cmocka_unit_test(a_line_stays_a_line),
		cmocka_unit_test(a_kind_of_fault_is_told_once),
		cmocka_unit_test(the_journal_gets_its_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
