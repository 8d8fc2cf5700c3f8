/* SPDX-License-Identifier: Apache-2.0 */
#include "base/home.h"

#include "base/env.h"
#include "base/mem.h"
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PASSWD_MAX 16384 /* the longest line of the user database read */

static enum err join(char path[PATH_MAX], const char *dir, const char *rest, struct why *why)
{
	if (snprintf(path, PATH_MAX, "%s%s", dir, rest) >= PATH_MAX)
		return why_fail(why, E_CONFIG, "the path %s%s is too long", dir, rest);
	return OK;
}

/* Root and the service user share one place. Asking who owns it needs no user database. */
static bool is_service_user(void)
{
	struct stat st;

	return geteuid() == 0 || (stat(HOME_STATE_DIR, &st) == 0 && st.st_uid == geteuid());
}

/* The home directory by the user database. */
static enum err home_of_user(char home[PATH_MAX], struct why *why)
{
	struct passwd pw, *found = NULL;
	char *line = mem_alloc(PASSWD_MAX);
	enum err e = OK;

	if (line == NULL)
		return why_fail(why, E_MEMORY, "no memory to look up user %u", (unsigned)geteuid());
	if (getpwuid_r(geteuid(), &pw, line, PASSWD_MAX, &found) != 0 || found == NULL ||
	    pw.pw_dir == NULL || pw.pw_dir[0] != '/')
		e = why_fail(why, E_CONFIG, "user %u has no home directory: set CHANCERY_HOME",
			     (unsigned)geteuid());
	if (e == OK)
		e = join(home, pw.pw_dir, "", why);
	mem_free(line);
	return e;
}

static enum err home_dir(char home[PATH_MAX], struct why *why)
{
	const char *v = env_get("HOME");

	return v != NULL && v[0] == '/' ? join(home, v, "", why) : home_of_user(home, why);
}

/*
 * $variable followed by rest, else the home directory followed by dflt and rest. A relative value
 * is ignored, as the XDG base directory specification says.
 */
static enum err xdg(char path[PATH_MAX], const char *variable, const char *dflt, const char *rest,
		    struct why *why)
{
	const char *v = env_get(variable);
	char home[PATH_MAX], dir[PATH_MAX];
	enum err e;

	if (v != NULL && v[0] == '/')
		return join(path, v, rest, why);
	e = home_dir(home, why);
	if (e == OK)
		e = join(dir, home, dflt, why);
	return e == OK ? join(path, dir, rest, why) : e;
}

/* The value of a variable of ours, which must be an absolute path. */
static enum err own_path(char path[PATH_MAX], const char *variable, const char *v, struct why *why)
{
	if (v[0] != '/')
		return why_fail(why, E_CONFIG, "%s is \"%s\": it must be an absolute path",
				variable, v);
	return join(path, v, "", why);
}

enum err home_state(char path[PATH_MAX], struct why *why)
{
	const char *v = env_get("CHANCERY_HOME");

	if (v != NULL)
		return own_path(path, "CHANCERY_HOME", v, why);
	if (is_service_user())
		return join(path, HOME_STATE_DIR, "", why);
	return xdg(path, "XDG_DATA_HOME", "/.local/share", "/chancery", why);
}

enum err home_config(const char *rest, char path[PATH_MAX], struct why *why)
{
	return xdg(path, "XDG_CONFIG_HOME", "/.config", rest, why);
}

/*
 * A user without a home directory, or with one that it may not enter (that of whoever it was before), has no
 * configuration of its own: no error. A file that is there and cannot be read is one, later.
 */
enum err home_conf(char path[PATH_MAX], bool *named, struct why *why)
{
	const char *v = env_get("CHANCERY_CONF");

	*named = v != NULL;
	if (v != NULL)
		return own_path(path, "CHANCERY_CONF", v, why);
	if (home_config("/chancery/chancery.conf", path, NULL) == OK && access(path, F_OK) == 0)
		return OK;
	return join(path, HOME_CONF_FILE, "", why);
}
