/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A build with CHANCERY_AUDIT_MANDATORY: its configuration cannot switch the roll off or send it where nothing stays. This test has its own
 * src/base/conf.c and src/audit/opening.c, compiled so (cmake/Testing.cmake).
 */
#include "audit/roll.h"
#include "base/conf.h"
#include "base/rollplace.h"

#include "rolling.h"
#include "scratch.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

_Static_assert(ROLLPLACE_MANDATORY, "compiled as such a build is");

static const char *line(const char *audit)
{
	static char text[PATH_MAX + 32];

	snprintf(text, sizeof(text), "[module]\naudit = %s\n", audit);
	return text;
}

static void refused(const char *audit, const char *reason)
{
	struct conf *c = NULL;
	struct why w = { "" };

	assert_int_equal(conf_parse(span_str(line(audit)), "f", &c, &w), E_CONFIG);
	assert_non_null(strstr(w.text, reason));
}

static void it_cannot_be_switched_off(void **state)
{
	const char *fifo = scratch_path(state, "fifo");

	assert_int_equal(mkfifo(fifo, 0600), 0);
	refused("off", "requires the audit log");
	refused("/dev/null", "no directory");
	refused(fifo, "no directory");
}

static void directories_are_taken(void **state)
{
	const char *dir = scratch_path(state, "dir");
	struct conf *c = NULL;
	struct why w = { "" };

	assert_int_equal(conf_parse(span_str(line("on")), "f", &c, &w), OK);
	conf_free(c);
	assert_int_equal(conf_parse(span_str(line(dir)), "f", &c, &w), OK);
	assert_string_equal(c->module.audit, dir);
	conf_free(c);
	assert_int_equal(conf_parse(span_str(""), "f", &c, &w), OK);
	assert_string_equal(c->module.audit, "on");
	conf_free(c);
}

/* The environment names another file, and that file is asked the same. No variable of its own says anything of the roll. */
static void the_environment_does_not_either(void **state)
{
	const char *text = line("off");
	const char *file = scratch_file(state, "off.conf", 0600, text, strlen(text));
	struct conf *c = NULL;
	struct why w = { "" };

	assert_int_equal(setenv("CHANCERY_CONF", file, 1), 0);
	assert_int_equal(conf_load(NULL, &c, &w), E_CONFIG);
	assert_non_null(strstr(w.text, "requires the audit log"));
	assert_int_equal(setenv("CHANCERY_CONF", scratch_file(state, "none.conf", 0600, "", 0), 1),
			 0);
	assert_int_equal(setenv("CHANCERY_AUDIT", "off", 1), 0);
	assert_int_equal(conf_load(NULL, &c, &w), OK);
	assert_string_equal(c->module.audit, "on");
	conf_free(c);
	(void)unsetenv("CHANCERY_CONF");
	(void)unsetenv("CHANCERY_AUDIT");
}

/* Where a directory was to be made, somebody put a stream after the configuration was read. */
static void a_stream_that_comes_later_is_refused(void **state)
{
	const char *path = scratch_path(state, "roll");
	struct roll *r = rolling_new(state);
	int fd;

	assert_int_equal(mkfifo(path, 0600), 0);
	fd = open(path, O_RDONLY | O_NONBLOCK);
	rolling_must_fail(r, "requires one");
	roll_free(r);
	close(fd);
	assert_int_equal(unlink(path), 0);
	r = rolling_new(state);
	rolling_sign(r);
	roll_free(r);
	rolling_sound(state, "roll");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, rolling_setup, rolling_teardown)
	const struct CMUnitTest tests[] = {
		TEST(it_cannot_be_switched_off),
		TEST(directories_are_taken),
		TEST(the_environment_does_not_either),
		TEST(a_stream_that_comes_later_is_refused),
	};

	return cmocka_run_group_tests(tests, rolling_forks, NULL);
}
