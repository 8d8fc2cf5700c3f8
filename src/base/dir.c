/* SPDX-License-Identifier: Apache-2.0 */
#include "base/dir.h"

#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

static enum err open_dir(const char *path, int flags, int *fd, struct why *why)
{
	*fd = open(path, OPEN_DIR | flags);
	if (*fd >= 0)
		return OK;
	if (errno == ELOOP)
		return why_fail(why, E_ACCESS, "%s is a symbolic link: name the directory itself",
				path);
	if (errno == ENOTDIR)
		return why_fail(why, E_ACCESS, "%s is not a directory", path);
	return why_errno(why, "cannot open the directory %s", path);
}

/*
 * Copies the part of path before its last name; "." when it has no other, "/" when that is the
 * root.
 */
static enum err parent_of(const char *path, char parent[PATH_MAX], struct why *why)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	while (n > 0 && path[n - 1] != '/')
		n--;
	while (n > 1 && path[n - 1] == '/')
		n--;
	if (n >= PATH_MAX)
		return why_fail(why, E_ARGUMENTS, "the path %s is too long", path);
	memcpy(parent, n == 0 ? "." : path, n == 0 ? 1 : n);
	parent[n == 0 ? 1 : n] = '\0';
	return OK;
}

enum err dir_sync(const char *path, struct why *why)
{
	int fd = -1;
	enum err e = open_dir(path, 0, &fd, why);

	if (e == OK && fsync(fd) != 0)
		e = why_errno(why, "cannot sync the directory %s", path);
	file_close(fd);
	return e;
}

enum err dir_sync_of(const char *path, struct why *why)
{
	char parent[PATH_MAX];
	enum err e = parent_of(path, parent, why);

	return e == OK ? dir_sync(parent, why) : e;
}

static enum err check_owner(const char *path, const struct stat *st, struct why *why)
{
	if (st->st_uid == 0 || st->st_uid == geteuid())
		return OK;
	return why_fail(why, E_ACCESS,
			"%s belongs to user %u: it must belong to root or to user %u", path,
			(unsigned)st->st_uid, (unsigned)geteuid());
}

static enum err check_mode(const char *path, const struct stat *st, bool group, struct why *why)
{
	mode_t bad = (S_IRWXG | S_IRWXO) & ~dir_mode(group);

	if ((st->st_mode & bad & (S_IWGRP | S_IWOTH)) != 0)
		return why_fail(why, E_ACCESS,
				"others can change what is in %s: run chmod %o on it", path,
				(unsigned)dir_mode(group));
	if ((st->st_mode & bad & S_IRWXO) != 0)
		return why_fail(why, E_ACCESS, "others can look into %s: run chmod %o on it", path,
				(unsigned)dir_mode(group));
	if ((st->st_mode & bad) != 0)
		return why_fail(
			why, E_ACCESS,
			"its group can look into %s: set group_mode = on, or run chmod 700 on it",
			path);
	return OK;
}

enum err dir_check(const char *path, bool group, struct why *why)
{
	struct stat st;
	int fd = -1;
	enum err e = open_dir(path, O_NOFOLLOW, &fd, why);

	if (e == OK && fstat(fd, &st) != 0)
		e = why_errno(why, "cannot examine %s", path);
	if (e == OK)
		e = check_owner(path, &st, why);
	if (e == OK)
		e = check_mode(path, &st, group, why);
	file_close(fd);
	return e;
}

enum err dir_check_unshared(const char *path, struct why *why)
{
	struct stat st;
	int fd = -1;
	enum err e = open_dir(path, 0, &fd, why);

	if (e == OK && fstat(fd, &st) != 0)
		e = why_errno(why, "cannot examine %s", path);
	if (e == OK)
		e = check_owner(path, &st, why);
	if (e == OK && (st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
		e = why_fail(why, E_ACCESS, "others can change what is in %s: run chmod go-w on it",
			     path);
	file_close(fd);
	return e;
}

/* fchmod, for mkdir takes the umask off the mode, and the umask is the host program's. */
static enum err set_mode(const char *path, mode_t mode, struct why *why)
{
	int fd = -1;
	enum err e = open_dir(path, O_NOFOLLOW, &fd, why);

	if (e == OK && fchmod(fd, mode) != 0)
		e = why_errno(why, "cannot set the mode of %s", path);
	if (e == OK && fsync(fd) != 0)
		e = why_errno(why, "cannot sync the directory %s", path);
	file_close(fd);
	return e;
}

/* E_EXISTS when path is there, E_ABSENT when its parent is not. */
static enum err make_one(const char *path, mode_t mode, struct why *why)
{
	enum err e;

	if (mkdir(path, 0700) != 0)
		return why_errno(why, "cannot make the directory %s", path);
	e = set_mode(path, mode, why);
	return e == OK ? dir_sync_of(path, why) : e;
}

/* Makes the directories above the last one, from the top. Another process may be doing the same. */
static enum err make_parents(const char *path, struct why *why)
{
	char part[PATH_MAX];
	enum err e = parent_of(path, part, why);

	for (char *p = part + 1; e == OK && p[-1] != '\0'; p++) {
		char end = *p;

		if (end != '/' && end != '\0')
			continue;
		*p = '\0';
		e = access(part, F_OK) == 0 ? OK : make_one(part, 0755, why);
		if (e == E_EXISTS)
			e = OK;
		*p = end;
	}
	return e;
}

enum err dir_make(const char *path, bool group, struct why *why)
{
	enum err e = make_one(path, dir_mode(group), why);

	if (e == E_ABSENT) {
		e = make_parents(path, why);
		if (e == OK)
			e = make_one(path, dir_mode(group), why);
	}
	return e == E_EXISTS ? dir_check(path, group, why) : e;
}
