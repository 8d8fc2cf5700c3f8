/* SPDX-License-Identifier: Apache-2.0 */
#include "base/rollplace.h"

#include "base/home.h"
#include <string.h>
#include <sys/stat.h>

#define FOLDER "/roll" /* in the directory of state */

/* A regular file could be truncated, rotated or copied over by whoever keeps logs; a stream is asked for by what it is. */
static enum err check_kind(const char *path, bool mandatory, struct why *why)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return OK; /* a directory to be made, or the roll says why it cannot be */
	if (S_ISREG(st.st_mode))
		return why_fail(why, E_CONFIG, "it is a regular file: name a directory");
	if (mandatory && !S_ISDIR(st.st_mode))
		return why_fail(why, E_CONFIG, "it is no directory, and this build requires one");
	return OK;
}

enum err rollplace_check(const char *v, bool mandatory, struct why *why)
{
	if (strcmp(v, "on") == 0)
		return OK;
	if (strcmp(v, "off") == 0)
		return mandatory ? why_fail(why, E_CONFIG, "this build requires the audit log")
				 : OK;
	if (v[0] != '/')
		return why_fail(why, E_CONFIG, "it must be on, off or an absolute path");
	return check_kind(v, mandatory, why);
}

enum err rollplace_path(const char *v, char path[PATH_MAX], struct why *why)
{
	enum err e = OK;

	path[0] = '\0';
	if (strcmp(v, "on") == 0) {
		e = home_state(path, why);
		if (e == OK && strlen(path) + sizeof(FOLDER) > PATH_MAX)
			e = why_fail(why, E_CONFIG, "the path of the state is too long");
		if (e == OK)
			strcat(path, FOLDER);
	} else if (strcmp(v, "off") != 0) {
		strncat(path, v, PATH_MAX - 1);
	}
	return e;
}
