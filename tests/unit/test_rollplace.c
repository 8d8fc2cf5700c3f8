/* SPDX-License-Identifier: Apache-2.0 */
/* What `audit` in the configuration may be, in either kind of build. */
#include "base/conf.h"
#include "base/rollplace.h"
#include "scratch.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

static void refused(const char *v, bool mandatory, const char *reason)
{
	struct why w = { "" };

	assert_int_equal(rollplace_check(v, mandatory, &w), E_CONFIG);
	assert_non_null(strstr(w.text, reason));
}

static void taken(const char *v, bool mandatory)
{
	struct why w = { "" };

	assert_int_equal(rollplace_check(v, mandatory, &w), OK);
}

static void words(void **state)
{
	(void)state;
	taken("on", false);
	taken("on", true);
	taken("off", false);
	refused("off", true, "requires the audit log");
	refused("yes", false, "on, off or an absolute path");
	refused("ON", false, "on, off or an absolute path");
	refused("roll", false, "absolute");
	refused("./roll", false, "absolute");
}

static void kinds(void **state)
{
	const char *file = scratch_file(state, "file", 0600, "x", 1);
	const char *fifo = scratch_path(state, "fifo"), *dir = scratch_path(state, "dir");

	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(mkdir(dir, 0700), 0);
	for (int mandatory = 0; mandatory < 2; mandatory++) {
		refused(file, mandatory != 0, "regular file");
		taken(dir, mandatory != 0);
		taken(scratch_path(state, "none"), mandatory != 0);
	}
	taken(fifo, false);
	taken("/dev/null", false);
	refused(fifo, true, "no directory");
	refused("/dev/null", true, "no directory");
}

/* The configuration says where, and why not. */
static void in_the_file(void **state)
{
	const char *file = scratch_file(state, "file", 0600, "x", 1);
	char text[PATH_MAX + 32];
	struct conf *c = NULL;
	struct why w = { "" };

	snprintf(text, sizeof(text), "[module]\n\naudit = %s\n", file);
	assert_int_equal(conf_parse(span_str(text), "f", &c, &w), E_CONFIG);
	assert_string_equal(w.text, "f:3: audit: it is a regular file: name a directory");
	assert_int_equal(conf_parse(span_str("[module]\naudit = /dev/null\n"), "f", &c, &w), OK);
	assert_string_equal(c->module.audit, "/dev/null");
	conf_free(c);
}

static void paths(void **state)
{
	char path[PATH_MAX], want[PATH_MAX];
	struct why w = { "" };

	assert_int_equal(setenv("CHANCERY_HOME", *state, 1), 0);
	snprintf(want, sizeof(want), "%s/roll", (const char *)*state);
	assert_int_equal(rollplace_path("on", path, &w), OK);
	assert_string_equal(path, want);
	assert_int_equal(rollplace_path("off", path, &w), OK);
	assert_string_equal(path, "");
	assert_int_equal(rollplace_path("/a/b", path, &w), OK);
	assert_string_equal(path, "/a/b");
	assert_int_equal(setenv("CHANCERY_HOME", "relative", 1), 0);
	assert_int_equal(rollplace_path("on", path, &w), E_CONFIG);
	(void)unsetenv("CHANCERY_HOME");
}

int main(void)
{
#define SCRATCH_TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),
		SCRATCH_TEST(kinds),
		SCRATCH_TEST(in_the_file),
		SCRATCH_TEST(paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
