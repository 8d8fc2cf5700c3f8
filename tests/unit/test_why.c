/* SPDX-License-Identifier: Apache-2.0 */
#include "base/why.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void it_says_and_returns(void **state)
{
	struct why w;

	(void)state;
	errno = 42;
	assert_int_equal(why_fail(&w, E_CONFIG, "%s:%d", "file", 7), E_CONFIG);
	assert_string_equal(w.text, "file:7");
	assert_int_equal(errno, 42);
	assert_int_equal(why_fail(NULL, E_DATA, "nobody asks"), E_DATA);
}

static void control_characters_are_not_shown(void **state)
{
	struct why w;

	(void)state;
	(void)why_fail(&w, E_DATA, "%s", "a\x1b[2Jb\nc\x7f");
	assert_string_equal(w.text, "a?[2Jb?c?");
	(void)why_fail(&w, E_DATA, "%s",
		       "\xc3\xa4 \xc2\x9b"
		       "31m \xe2\x80\xae"
		       "d\xff");
	assert_string_equal(w.text, "\xc3\xa4 ??31m ???d?");
}

static void a_long_text_is_cut(void **state)
{
	char text[3 * WHY_MAX];
	struct why w;

	(void)state;
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	(void)why_fail(&w, E_DATA, "%s", text);
	assert_int_equal(strlen(w.text), WHY_MAX - 1);
	errno = ENOENT;
	assert_int_equal(why_errno(&w, "%s", text), E_ABSENT);
	assert_non_null(strstr(w.text, ": No such file"));
}

static void errno_chooses_the_error(void **state)
{
	struct why w;

	(void)state;
	errno = EROFS;
	assert_int_equal(why_errno(&w, "cannot write %s", "x"), E_WRITE_PROTECTED);
	assert_int_equal(strncmp(w.text, "cannot write x: ", 16), 0);
	assert_int_equal(errno, EROFS);
	assert_int_equal(why_errno(NULL, "x"), E_WRITE_PROTECTED);
	assert_int_equal(why_err_of_errno(ENOSPC), E_DEVICE_MEMORY);
	assert_int_equal(why_err_of_errno(EIO), E_DEVICE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_says_and_returns),
		cmocka_unit_test(control_characters_are_not_shown),
		cmocka_unit_test(a_long_text_is_cut),
		cmocka_unit_test(errno_chooses_the_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
