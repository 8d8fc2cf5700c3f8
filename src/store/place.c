/* SPDX-License-Identifier: Apache-2.0 */
#include "store/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum err place_join(char out[PATH_MAX], const char *dir, const char *name, struct why *why)
{
	if (snprintf(out, PATH_MAX, "%s/%s", dir, name) >= PATH_MAX)
		return why_fail(why, E_ARGUMENTS, "the path %s/%s is too long", dir, name);
	return OK;
}

/* No file is opened here: closing it again would drop SQLite's locks of it, which belong to the process (fcntl(2)). */
static enum err look(const char *path, mode_t type, struct stat *st, struct why *why)
{
	if (lstat(path, st) != 0)
		return why_errno(why, "cannot examine %s", path);
	if (S_ISLNK(st->st_mode))
		return why_fail(
			why, E_ACCESS,
			"%s is a symbolic link, and a token is not followed elsewhere: remove the link",
			path);
	if ((st->st_mode & S_IFMT) != type)
		return why_fail(why, E_ACCESS, "%s is not a %s: move it elsewhere", path,
				type == S_IFDIR ? "directory" : "regular file");
	if ((st->st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return why_fail(why, E_ACCESS,
				"others than its owner can write to %s: run chmod go-w on it",
				path);
	return OK;
}

static enum err look_file(const char *path, struct stat *st, struct why *why)
{
	enum err e = look(path, S_IFREG, st, why);

	if (e == OK && st->st_nlink > 1)
		return why_fail(
			why, E_ACCESS,
			"%s has a second name (hard link), through which it could be changed: remove that",
			path);
	return e;
}

static enum err look_journal(const char *path, struct why *why)
{
	char journal[PATH_MAX];
	struct stat st;
	enum err e;

	if (snprintf(journal, sizeof(journal), "%s-journal", path) >= (int)sizeof(journal))
		return why_fail(why, E_ARGUMENTS, "the path %s is too long", path);
	e = look_file(journal, &st, why);
	return e == E_ABSENT ? OK : e;
}

static bool writable(const char *path)
{
	return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
}

static enum err find_in(const char *real, CK_SLOT_ID slot, struct place *p, struct why *why)
{
	char name[24], folder[PATH_MAX];
	struct stat st;
	enum err e;

	snprintf(name, sizeof(name), "%lu", slot);
	e = place_join(folder, real, name, why);
	if (e == OK)
		e = look(folder, S_IFDIR, &st, why);
	if (e == OK)
		e = place_join(p->path, folder, PLACE_FILE, why);
	if (e == OK)
		e = look_file(p->path, &st, why);
	if (e == OK)
		e = look_journal(p->path, why);
	if (e != OK)
		return e;
	p->read_only = !writable(p->path) || !writable(folder);
	p->dev = st.st_dev;
	p->ino = st.st_ino;
	return OK;
}

enum err place_find(const char *dir, CK_SLOT_ID slot, struct place *p, struct why *why)
{
	char *real = realpath(dir, NULL);
	struct stat st;
	enum err e;

	if (real == NULL)
		return why_errno(why, "cannot find the directory %s", dir);
	e = look(real, S_IFDIR, &st, why);
	if (e == OK)
		e = find_in(real, slot, p, why);
	free(real);
	return e;
}
