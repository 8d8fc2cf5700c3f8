/* SPDX-License-Identifier: Apache-2.0 */
/* What keeps the tokens of a folder from being served, and new ones from being made. */
#include "base/dir.h"
#include "store/folder.h"
#include "store/folder_lock.h"
#include "store/place.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct survey {
	const char *dir;
	int fd;
	store_check_cb *cb;
	void *arg;
	CK_SLOT_ID after; /* the slots that are there */
};

static void tell(const struct survey *s, const struct why *why)
{
	s->cb(s->arg, true, why->text);
}

/* ---- slots ---- */

static void look_at_slot(struct survey *s, const char *name, CK_SLOT_ID id)
{
	struct why why = { .text = "" };
	struct place p;
	struct stat st;
	enum err e = place_find(s->dir, id, &p, &why);

	if (id >= s->after)
		s->after = id + 1;
	if (e == E_ABSENT && fstatat(s->fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return; /* deleted meanwhile */
	if (e == E_ABSENT)
		(void)why_fail(&why, e, "%s/%s holds no " PLACE_FILE ": move it elsewhere", s->dir,
			       name);
	if (e != OK)
		tell(s, &why);
}

/* ---- what killed processes left, and others put there ---- */

static enum err no_directory(int fd, const char *name, struct why *why)
{
	struct stat st;

	(void)why;
	return fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode) ? E_EXISTS
										       : OK;
}

/* Whether folder_sweep removes it: a directory of files, or with FOLDER_NEXT in front a file. */
static bool goes(const struct survey *s, const char *name, const struct stat *st)
{
	if (folder_is_next(name))
		return !S_ISDIR(st->st_mode);
	return S_ISDIR(st->st_mode) && faccessat(s->fd, name, W_OK | X_OK, AT_EACCESS) == 0 &&
	       folder_each(openat(s->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
			   no_directory, NULL) == OK;
}

static void look_at_leftover(const struct survey *s, const char *name)
{
	struct why why = { .text = "" };
	struct stat st;

	if (fstatat(s->fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || goes(s, name, &st) ||
	    fstatat(s->fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return; /* or is gone meanwhile */
	(void)why_fail(&why, E_ACCESS,
		       "%s/%s keeps tokens from being made and deleted: run rm -rf on it", s->dir,
		       name);
	tell(s, &why);
}

/* ---- next-slot ---- */

static void look_at_next(const struct survey *s)
{
	struct why why = { .text = "" }, all;
	CK_SLOT_ID next = 0;
	enum err e = folder_next_get(s->dir, &next, &why);

	if (e == OK && next <= PLACE_SLOT_MAX)
		return;
	if (e == OK)
		(void)why_fail(&why, E_CORRUPT, "%s/" FOLDER_NEXT " leaves no slot id", s->dir);
	if (s->after > PLACE_SLOT_MAX)
		(void)why_fail(&all, E_SLOT,
			       "%s; nor do the tokens: restore backups under another CHANCERY_HOME",
			       why.text);
	else
		(void)why_fail(&all, E_CORRUPT,
			       "%s; if no token after those that are there was deleted, run "
			       "rm -rf %s/" FOLDER_NEXT " && echo %lu >%s/" FOLDER_NEXT,
			       why.text, s->dir, s->after, s->dir);
	tell(s, &all);
}

/* ---- the folder ---- */

static void look_at_all(struct survey *s, DIR *d)
{
	struct dirent *n;
	CK_SLOT_ID id;

	while ((n = readdir(d)) != NULL) {
		if (folder_is_slot(n->d_name, &id))
			look_at_slot(s, n->d_name, id);
		else if (folder_is_leftover(n->d_name))
			look_at_leftover(s, n->d_name);
	}
	look_at_next(s);
}

void store_survey(const char *dir, bool group, store_check_cb *cb, void *arg)
{
	struct survey s = { .dir = dir, .cb = cb, .arg = arg };
	struct why why = { .text = "" };
	enum err e = dir_check(dir, group, &why);
	DIR *d = e == OK ? opendir(dir) : NULL;

	if (e == OK && d == NULL)
		e = why_errno(&why, "cannot read the directory %s", dir);
	if (e == OK) {
		s.fd = dirfd(d);
		look_at_all(&s, d);
		(void)closedir(d);
	} else if (e != E_ABSENT) {
		tell(&s, &why);
	}
}
