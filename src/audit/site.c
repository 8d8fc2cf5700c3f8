/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/site.h"

#include "base/dir.h"
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum err set_path(struct site *s, const char *target, const char *suffix, struct why *why)
{
	if (snprintf(s->path, sizeof(s->path), "%s%s", target, suffix) >= (int)sizeof(s->path))
		return why_fail(why, E_ARGUMENTS, "the path %s is too long", target);
	return OK;
}

/* Beside the directory of another user. */
static enum err set_ours(struct site *s, const char *target, struct why *why)
{
	char suffix[16];

	snprintf(suffix, sizeof(suffix), ".%u", (unsigned)geteuid());
	return set_path(s, target, suffix, why);
}

static enum err refuse(const char *target, mode_t mode, struct why *why)
{
	if (S_ISLNK(mode))
		return why_fail(why, E_ACCESS,
				"%s is a symbolic link: name the thing itself for the audit log",
				target);
	return why_fail(why, E_ARGUMENTS,
			"%s is a regular file: name a directory for the audit log", target);
}

enum err site_find(const char *target, bool group, struct site *s, struct why *why)
{
	struct stat st;
	bool there = lstat(target, &st) == 0;
	enum err e = set_path(s, target, "", why);

	s->group = group;
	s->stream = there && !S_ISDIR(st.st_mode);
	if (e != OK)
		return e;
	if (!there && errno != ENOENT)
		return why_errno(why, "cannot examine %s", target);
	if (s->stream)
		return S_ISLNK(st.st_mode) || S_ISREG(st.st_mode) ? refuse(target, st.st_mode, why)
								  : OK;
	if (there && st.st_uid != geteuid())
		e = set_ours(s, target, why);
	return e == OK ? dir_make(s->path, group, why) : e;
}

enum err site_join(const struct site *s, const char *name, char path[PATH_MAX], struct why *why)
{
	if (snprintf(path, PATH_MAX, "%s/%s", s->path, name) >= PATH_MAX)
		return why_fail(why, E_ARGUMENTS, "the path %s/%s is too long", s->path, name);
	return OK;
}

enum err site_file(const struct site *s, uint64_t n, char path[PATH_MAX], struct why *why)
{
	char name[sizeof(SITE_ROLL) + 20];

	snprintf(name, sizeof(name), SITE_ROLL "%06" PRIu64, n);
	return site_join(s, name, path, why);
}

enum err site_used(const struct site *s, bool *used, struct why *why)
{
	DIR *d = opendir(s->path);
	struct dirent *n;

	*used = false;
	if (d == NULL)
		return why_errno(why, "cannot read the directory %s", s->path);
	while (!*used && (n = readdir(d)) != NULL)
		*used = strcmp(n->d_name, SITE_INDEX) == 0 ||
			strncmp(n->d_name, SITE_ROLL, strlen(SITE_ROLL)) == 0;
	(void)closedir(d);
	return OK;
}
