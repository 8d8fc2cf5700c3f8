/* SPDX-License-Identifier: Apache-2.0 */
/* The prompt, typed at through a pseudo-terminal. */
#include "base/terminal.h"

#include "base/pin.h"
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#define WAIT_MS 20000

/* What the one at the terminal sees and what the program got. */
struct talk {
	char shown[4096];
	int status;  /* 0: got the wanted bytes; 1: others; 2 + e: an error */
	bool echoes; /* whether the terminal echoes afterwards */
};

static void open_terminal(int *master, char name[64])
{
	*master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_true(*master >= 0);
	assert_int_equal(grantpt(*master), 0);
	assert_int_equal(unlockpt(*master), 0);
	assert_int_equal(ptsname_r(*master, name, 64), 0);
}

/* The child: its controlling terminal is the one named. */
static void answer(const char *name, bool twice, const char *want)
{
	const struct pin_ask ask = { "PIN", twice };
	struct buf b = { 0 };
	enum err e;

	(void)setsid();
	if (open(name, O_RDWR | O_CLOEXEC) < 0)
		_exit(100);
	e = pin_read("prompt", PIN_FOR_TOOL, &ask, &b, NULL);
	if (e != OK)
		_exit(2 + (int)e);
	e = span_eq(buf_span(&b), span_str(want)) ? OK : E_DATA;
	buf_free(&b);
	_exit(e == OK ? 0 : 1);
}

/* Reads what is shown until it has text n times. */
static void await(int master, struct talk *t, const char *text, int n)
{
	struct pollfd p = { .fd = master, .events = POLLIN };

	for (;;) {
		size_t len = strlen(t->shown);
		const char *at = t->shown;
		ssize_t got;
		int seen = 0;

		while ((at = strstr(at, text)) != NULL) {
			at += strlen(text);
			seen++;
		}
		if (seen >= n)
			return;
		assert_int_equal(poll(&p, 1, WAIT_MS), 1);
		got = read(master, t->shown + len, sizeof(t->shown) - 1 - len);
		assert_true(got > 0);
		t->shown[len + (size_t)got] = '\0';
	}
}

/* The rest of what is shown. */
static void drain(int master, struct talk *t)
{
	struct pollfd p = { .fd = master, .events = POLLIN };
	size_t len = strlen(t->shown);
	ssize_t got = 1;

	while (got > 0 && poll(&p, 1, 0) == 1) {
		got = read(master, t->shown + len, sizeof(t->shown) - 1 - len);
		len += got > 0 ? (size_t)got : 0;
		t->shown[len] = '\0';
	}
}

/* Types each of the lines at its prompt. */
static struct talk talk(bool twice, const char *const *lines, int n, const char *want)
{
	struct talk t = { "", -1, false };
	struct termios mode;
	char name[64];
	int master, slave;
	pid_t pid;

	open_terminal(&master, name);
	slave = open(name,
		     O_RDWR | O_NOCTTY | O_CLOEXEC); /* keeps the terminal for the look after */
	assert_true(slave >= 0);
	pid = fork();
	if (pid == 0)
		answer(name, twice, want);
	for (int i = 0; i < n; i++) {
		await(master, &t, ": ", i + 1);
		assert_int_equal(write(master, lines[i], strlen(lines[i])), strlen(lines[i]));
	}
	assert_int_equal(waitpid(pid, &t.status, 0), pid);
	t.status = WIFEXITED(t.status) ? WEXITSTATUS(t.status) : -1;
	assert_int_equal(tcgetattr(slave, &mode), 0);
	drain(master, &t);
	t.echoes = (mode.c_lflag & ECHO) != 0 && (mode.c_lflag & ICANON) != 0;
	close(slave);
	close(master);
	return t;
}

static struct talk once(const char *line, const char *want)
{
	return talk(false, &line, 1, want);
}

static void nothing_is_shown(void **state)
{
	struct talk t = once("s3cr3t\r", "s3cr3t");

	(void)state;
	assert_int_equal(t.status, 0);
	assert_null(strstr(t.shown, "s3"));
	assert_non_null(strstr(t.shown, "PIN: "));
	assert_true(t.echoes);
}

static void keys_that_erase(void **state)
{
	(void)state;
	assert_int_equal(once("12x\x7f"
			      "34\n",
			      "1234")
				 .status,
			 0);
	assert_int_equal(once("12\xc3\xa4\b34\n", "1234").status, 0);
	assert_int_equal(once("\x7f\x7f"
			      "12\n",
			      "12")
				 .status,
			 0);
	assert_int_equal(once("wrong\x15"
			      "1234\n",
			      "1234")
				 .status,
			 0);
}

static void keys_that_give_up(void **state)
{
	static const char *const keys[] = { "12\x03", "12\x1c", "12\x1a", "\x04" };

	(void)state;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		struct talk t = once(keys[i], "");

		assert_int_equal(t.status, 2 + E_FAILED);
		assert_true(t.echoes);
	}
}

static void lengths(void **state)
{
	char line[400];

	(void)state;
	memset(line, 'x', sizeof(line));
	memcpy(line + 255, "\n", 2);
	assert_int_equal(once(line, "").status, 1); /* 255 bytes are taken */
	memcpy(line + 255, "x\n", 3);
	assert_int_equal(once(line, "").status, 2 + E_PIN_LEN);
	assert_int_equal(once("\n", "").status, 2 + E_PIN_LEN);
}

static void a_new_pin_is_asked_for_twice(void **state)
{
	static const char *const same[] = { "1234\n", "1234\n" };
	static const char *const differ[] = { "1234\n", "12345\n" };
	struct talk t = talk(true, same, 2, "1234");

	(void)state;
	assert_int_equal(t.status, 0);
	assert_non_null(strstr(t.shown, "PIN again: "));
	assert_int_equal(talk(true, differ, 2, "1234").status, 2 + E_DATA);
}

static void without_a_terminal(void **state)
{
	int status = -1;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		const struct pin_ask ask = { "PIN", false };
		struct buf b = { 0 };
		struct why w;

		(void)setsid();
		_exit(pin_read("prompt", PIN_FOR_TOOL, &ask, &b, &w) == E_ABSENT &&
				      strstr(w.text, "file:") != NULL
			      ? 0
			      : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_shown),
		cmocka_unit_test(keys_that_erase),
		cmocka_unit_test(keys_that_give_up),
		cmocka_unit_test(lengths),
		cmocka_unit_test(a_new_pin_is_asked_for_twice),
		cmocka_unit_test(without_a_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
