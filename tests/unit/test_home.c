/* SPDX-License-Identifier: Apache-2.0 */
/* Places, and the environment they depend on. */
#include "base/home.h"

#include "base/env.h"
#include <errno.h>
#include <pwd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* The process that the code under test believes to be. */
static struct {
	bool secure;
	uid_t euid;
	uid_t state_owner; /* of /var/lib/chancery; (uid_t)-1: it is not there */
	char *pw_dir;      /* by the user database; NULL: unknown user */
	const char *file;  /* the only file that is there */
} world;

unsigned long __wrap_getauxval(unsigned long type);
uid_t __wrap_geteuid(void);
int __wrap_getpwuid_r(uid_t uid, struct passwd *pw, char *buf, size_t n, struct passwd **found);
int __wrap_stat(const char *path, struct stat *st);
int __wrap_access(const char *path, int mode);

unsigned long __wrap_getauxval(unsigned long type)
{
	return type == AT_SECURE && world.secure;
}

uid_t __wrap_geteuid(void)
{
	return world.euid;
}

int __wrap_getpwuid_r(uid_t uid, struct passwd *pw, char *buf, size_t n, struct passwd **found)
{
	(void)buf;
	(void)n;
	assert_int_equal(uid, world.euid);
	pw->pw_dir = world.pw_dir;
	*found = world.pw_dir != NULL ? pw : NULL;
	return 0;
}

int __wrap_stat(const char *path, struct stat *st)
{
	assert_string_equal(path, HOME_STATE_DIR);
	memset(st, 0, sizeof(*st));
	st->st_uid = world.state_owner;
	return world.state_owner != (uid_t)-1 ? 0 : -1;
}

int __wrap_access(const char *path, int mode)
{
	(void)mode;
	errno = ENOENT;
	return world.file != NULL && strcmp(path, world.file) == 0 ? 0 : -1;
}

static int ordinary_user(void **state)
{
	static const char *const names[] = { "CHANCERY_HOME", "CHANCERY_CONF", "XDG_DATA_HOME",
					     "XDG_CONFIG_HOME", "HOME" };
	static char home[] = "/home/db";

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		(void)unsetenv(names[i]);
	world.secure = false;
	world.euid = 1000;
	world.state_owner = (uid_t)-1;
	world.pw_dir = home;
	world.file = NULL;
	return 0;
}

static void set(const char *name, const char *value)
{
	assert_int_equal(setenv(name, value, 1), 0);
}

static void state_is(const char *want)
{
	char path[PATH_MAX];
	struct why w;

	assert_int_equal(home_state(path, &w), OK);
	assert_string_equal(path, want);
}

static void conf_is(const char *want, bool want_named)
{
	char path[PATH_MAX];
	struct why w;
	bool named;

	assert_int_equal(home_conf(path, &named, &w), OK);
	assert_string_equal(path, want);
	assert_int_equal(named, want_named);
}

static void state_by_precedence(void **state)
{
	(void)state;
	state_is("/home/db/.local/share/chancery");
	set("HOME", "/home/me");
	state_is("/home/me/.local/share/chancery");
	set("XDG_DATA_HOME", "/data");
	state_is("/data/chancery");
	world.state_owner = 1000;
	state_is("/var/lib/chancery");
	world.state_owner = 2000;
	state_is("/data/chancery");
	world.euid = 0;
	state_is("/var/lib/chancery");
	set("CHANCERY_HOME", "/srv/keys");
	state_is("/srv/keys");
}

static void conf_by_precedence(void **state)
{
	(void)state;
	conf_is("/etc/chancery/chancery.conf", false);
	world.file = "/home/db/.config/chancery/chancery.conf";
	conf_is("/home/db/.config/chancery/chancery.conf", false);
	set("XDG_CONFIG_HOME", "/cfg");
	conf_is("/etc/chancery/chancery.conf", false);
	world.file = "/cfg/chancery/chancery.conf";
	conf_is("/cfg/chancery/chancery.conf", false);
	set("CHANCERY_CONF", "/my.conf");
	conf_is("/my.conf", true);
	world.pw_dir = NULL;
	(void)unsetenv("CHANCERY_CONF");
	(void)unsetenv("XDG_CONFIG_HOME");
	conf_is("/etc/chancery/chancery.conf", false);
}

static void a_privileged_process_reads_no_environment(void **state)
{
	(void)state;
	set("CHANCERY_HOME", "/evil");
	set("CHANCERY_CONF", "/evil.conf");
	set("XDG_DATA_HOME", "/evil");
	set("XDG_CONFIG_HOME", "/evil");
	set("HOME", "/evil");
	assert_non_null(env_get("HOME"));
	world.secure = true;
	world.file = "/evil/chancery/chancery.conf";
	assert_null(env_get("HOME"));
	assert_true(env_secure());
	state_is("/home/db/.local/share/chancery");
	conf_is("/etc/chancery/chancery.conf", false);
}

static void empty_and_relative_values(void **state)
{
	char path[PATH_MAX];
	struct why w;
	bool named;

	(void)state;
	set("CHANCERY_HOME", "");
	set("XDG_DATA_HOME", "relative");
	set("HOME", "relative");
	state_is("/home/db/.local/share/chancery");
	set("CHANCERY_HOME", "relative");
	assert_int_equal(home_state(path, &w), E_CONFIG);
	assert_non_null(strstr(w.text, "absolute"));
	set("CHANCERY_CONF", "chancery.conf");
	assert_int_equal(home_conf(path, &named, &w), E_CONFIG);
}

static void nowhere_to_go(void **state)
{
	static char long_home[PATH_MAX + 10];
	char path[PATH_MAX];
	struct why w;

	(void)state;
	world.pw_dir = NULL;
	assert_int_equal(home_state(path, &w), E_CONFIG);
	assert_non_null(strstr(w.text, "CHANCERY_HOME"));
	memset(long_home, 'a', sizeof(long_home) - 1);
	long_home[0] = '/';
	world.pw_dir = long_home;
	assert_int_equal(home_state(path, &w), E_CONFIG);
	long_home[PATH_MAX - 5] = '\0';
	assert_int_equal(home_state(path, &w), E_CONFIG);
	set("CHANCERY_HOME", long_home);
	assert_int_equal(home_state(path, &w), OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(state_by_precedence, ordinary_user),
		cmocka_unit_test_setup(conf_by_precedence, ordinary_user),
		cmocka_unit_test_setup(a_privileged_process_reads_no_environment, ordinary_user),
		cmocka_unit_test_setup(empty_and_relative_values, ordinary_user),
		cmocka_unit_test_setup(nowhere_to_go, ordinary_user),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
