/* SPDX-License-Identifier: Apache-2.0 */
#include "base/pin.h"

#include "base/file.h"
#include "scratch.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static bool secure;

unsigned long __wrap_getauxval(unsigned long type);

unsigned long __wrap_getauxval(unsigned long type)
{
	return type == AT_SECURE && secure;
}

/* What is typed, one after the other. */
static const char *const *typed;

enum err __wrap_terminal_ask(const char *what, const char *suffix, size_t max, struct buf *out,
			     struct why *why);

enum err __wrap_terminal_ask(const char *what, const char *suffix, size_t max, struct buf *out,
			     struct why *why)
{
	const char *line = *typed++;

	assert_non_null(what);
	assert_non_null(suffix);
	if (line != NULL && strlen(line) <= max)
		return buf_put(out, span_str(line));
	return why_fail(why, E_ABSENT, "there is no terminal");
}

static const char *source(const char *kind, const char *arg)
{
	static char text[4200];

	(void)snprintf(text, sizeof(text), "%s%s", kind, arg);
	return text;
}

static enum err pin_of(const char *from, unsigned allowed, struct span want, struct why *w)
{
	struct buf b = { 0 };
	enum err e;

	memset(w, 0, sizeof(*w));
	e = pin_read(from, allowed, NULL, &b, w);
	assert_true(b.secret || b.n == 0);
	if (e == OK)
		assert_true(span_eq(buf_span(&b), want));
	else
		assert_true(b.n == 0 && strlen(w->text) > 10);
	buf_free(&b);
	return e;
}

static enum err file_pin(void **state, const void *data, size_t n, const void *want, size_t want_n)
{
	const char *path = scratch_file(state, "pin", 0600, data, n);
	struct why w;

	return pin_of(source("file:", path), PIN_FOR_TOOL, span(want, want_n), &w);
}

static void one_newline_is_stripped(void **state)
{
	assert_int_equal(file_pin(state, "1234", 4, "1234", 4), OK);
	assert_int_equal(file_pin(state, "1234\n", 5, "1234", 4), OK);
	assert_int_equal(file_pin(state, "1234\r\n", 6, "1234", 4), OK);
	assert_int_equal(file_pin(state, "1234\n\n", 6, "1234\n", 5), OK);
	assert_int_equal(file_pin(state, "1234\r", 5, "1234\r", 5), OK);
	assert_int_equal(file_pin(state, " 12 34\t\n", 8, " 12 34\t", 7), OK);
	assert_int_equal(file_pin(state, "12\0003\xff\n", 6, "12\0003\xff", 5), OK);
	assert_int_equal(file_pin(state, "", 0, "", 0), E_PIN_LEN);
	assert_int_equal(file_pin(state, "\r\n", 2, "", 0), E_PIN_LEN);
}

static void lengths(void **state)
{
	char text[300];

	memset(text, 'x', sizeof(text));
	assert_int_equal(file_pin(state, text, 255, text, 255), OK);
	assert_int_equal(file_pin(state, text, 256, text, 256), E_PIN_LEN);
	assert_int_equal(file_pin(state, text, 300, text, 300), E_PIN_LEN);
	text[255] = '\r';
	text[256] = '\n';
	assert_int_equal(file_pin(state, text, 257, text, 255), OK);
	assert_int_equal(file_pin(state, text, 258, text, 255), E_PIN_LEN);
}

static void files_of_others(void **state)
{
	const char *path = scratch_file(state, "pin", 0644, "1234", 4);
	struct why w;

	assert_int_equal(pin_of(source("file:", path), PIN_FOR_TOOL, span_str(""), &w), E_ACCESS);
	assert_non_null(strstr(w.text, "others can read"));
	assert_null(strstr(w.text, "1234"));
	assert_int_equal(chmod(path, 0660), 0);
	assert_int_equal(pin_of(source("file:", path), PIN_FOR_TOOL, span_str(""), &w), E_ACCESS);
	assert_int_equal(chmod(path, 0640), 0);
	assert_int_equal(pin_of(source("file:", path), PIN_FOR_TOOL, span_str("1234"), &w), OK);
	assert_int_equal(pin_of(source("file:", *state), PIN_FOR_TOOL, span_str(""), &w), E_DATA);
	assert_int_equal(pin_of("file:/no/such", PIN_FOR_TOOL, span_str(""), &w), E_ABSENT);
}

static void credentials(void **state)
{
	struct why w;

	scratch_file(state, "office", 0400, "1234\n", 5);
	(void)unsetenv("CREDENTIALS_DIRECTORY");
	assert_int_equal(pin_of("credential:office", PIN_FOR_MODULE, span_str(""), &w), E_ABSENT);
	assert_non_null(strstr(w.text, "LoadCredential"));
	assert_int_equal(setenv("CREDENTIALS_DIRECTORY", *state, 1), 0);
	assert_int_equal(pin_of("credential:office", PIN_FOR_MODULE, span_str("1234"), &w), OK);
	assert_int_equal(pin_of("credential:../office", PIN_FOR_MODULE, span_str(""), &w),
			 E_ARGUMENTS);
	secure = true;
	assert_int_equal(pin_of("credential:office", PIN_FOR_MODULE, span_str(""), &w), E_ABSENT);
	secure = false;
}

static void variables(void **state)
{
	char text[300];
	struct why w;

	(void)state;
	assert_int_equal(setenv("TEST_PIN", "p\xc3\xa4ss\n", 1), 0);
	assert_int_equal(pin_of("env:TEST_PIN", PIN_FOR_TOOL, span_str("p\xc3\xa4ss\n"), &w), OK);
	assert_int_equal(pin_of("env:NO_SUCH_PIN", PIN_FOR_TOOL, span_str(""), &w), E_ABSENT);
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(setenv("TEST_PIN", text, 1), 0);
	assert_int_equal(pin_of("env:TEST_PIN", PIN_FOR_TOOL, span_str(""), &w), E_PIN_LEN);
	secure = true;
	assert_int_equal(pin_of("env:TEST_PIN", PIN_FOR_TOOL, span_str(""), &w), E_ABSENT);
	secure = false;
}

static void descriptors(void **state)
{
	char number[16];
	struct why w;
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(file_write_fd(ends[1], "pipe", span_str("1234\n"), NULL), OK);
	file_close(ends[1]);
	(void)snprintf(number, sizeof(number), "%d", ends[0]);
	assert_int_equal(pin_of(source("fd:", number), PIN_FOR_TOOL, span_str("1234"), &w), OK);
	assert_int_equal(fcntl(ends[0], F_GETFD), -1);
	assert_int_equal(pin_of(source("fd:", number), PIN_FOR_TOOL, span_str(""), &w), E_DEVICE);
	assert_int_equal(pin_of("fd:x", PIN_FOR_TOOL, span_str(""), &w), E_ARGUMENTS);
	assert_int_equal(pin_of("fd:-1", PIN_FOR_TOOL, span_str(""), &w), E_ARGUMENTS);
	assert_int_equal(pin_of("fd:99999999999", PIN_FOR_TOOL, span_str(""), &w), E_ARGUMENTS);
}

static void commands(void **state)
{
	const char *path = scratch_file(state, "s", 0700, "#!/bin/sh\necho \"$1\"\n", 20);
	char line[300];
	struct why w;

	(void)snprintf(line, sizeof(line), "command:%s 12345", path);
	assert_int_equal(pin_of(line, PIN_FOR_MODULE, span_str("12345"), &w), OK);
	assert_int_equal(pin_of(line, PIN_FOR_TOOL, span_str(""), &w), E_ARGUMENTS);
	assert_null(strstr(w.text, "command:PATH"));
	assert_int_equal(pin_of("command:echo 1", PIN_FOR_MODULE, span_str(""), &w), E_ARGUMENTS);
}

static void what_is_no_source(void **state)
{
	static const char *const bad[] = {
		"",    "1234",    "file",     "file:",     "env:",
		"fd:", "FILE:/x", "prompt:x", "prompting", "credential:"
	};
	struct why w;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(pin_of(bad[i], PIN_FOR_TOOL, span_str(""), &w), E_ARGUMENTS);
		assert_int_equal(pin_check(bad[i], PIN_FOR_TOOL, &w), E_ARGUMENTS);
	}
	/* A PIN given in the place of its source stays out of the message. */
	assert_int_equal(pin_of("s3cr3t", PIN_FOR_TOOL, span_str(""), &w), E_ARGUMENTS);
	assert_null(strstr(w.text, "s3cr3t"));
	assert_int_equal(pin_check("prompt", PIN_FOR_MODULE, &w), E_ARGUMENTS);
	assert_int_equal(pin_check("env:X", PIN_FOR_MODULE, &w), E_ARGUMENTS);
	assert_non_null(strstr(w.text, "file:PATH, credential:NAME or command:PATH"));
	assert_int_equal(pin_check("1234", PIN_FOR_TOOL, &w), E_ARGUMENTS);
	assert_non_null(
		strstr(w.text, "written file:PATH, credential:NAME, fd:N, env:NAME or prompt"));
	assert_int_equal(pin_check("prompt", PIN_FOR_TOOL, &w), OK);
	assert_int_equal(pin_check("file:/x", PIN_FOR_MODULE, &w), OK);
}

#define SCRATCH_TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

static enum err prompted(bool twice, const char *const *lines, const char *want)
{
	const struct pin_ask ask = { "new PIN", twice };
	struct buf b = { 0 };
	struct why w = { .text = "" };
	enum err e;

	typed = lines;
	e = pin_read("prompt", PIN_FOR_TOOL, &ask, &b, &w);
	assert_true(e == OK ? span_eq(buf_span(&b), span_str(want)) : b.n == 0);
	assert_null(strstr(w.text, "1234"));
	buf_free(&b);
	return e;
}

static void a_new_pin_is_asked_for_twice(void **state)
{
	(void)state;
	assert_int_equal(prompted(false, (const char *[]){ "1234", NULL }, "1234"), OK);
	assert_int_equal(prompted(true, (const char *[]){ "1234", "1234", NULL }, "1234"), OK);
	assert_int_equal(prompted(true, (const char *[]){ "1234", "1235", NULL }, NULL), E_DATA);
	assert_int_equal(prompted(true, (const char *[]){ "1234", "12345", NULL }, NULL), E_DATA);
	assert_int_equal(prompted(true, (const char *[]){ "1234", NULL }, NULL), E_ABSENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRATCH_TEST(one_newline_is_stripped),
		SCRATCH_TEST(lengths),
		SCRATCH_TEST(files_of_others),
		SCRATCH_TEST(credentials),
		cmocka_unit_test(variables),
		cmocka_unit_test(descriptors),
		SCRATCH_TEST(commands),
		cmocka_unit_test(what_is_no_source),
		cmocka_unit_test(a_new_pin_is_asked_for_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
