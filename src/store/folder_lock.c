/* SPDX-License-Identifier: Apache-2.0 */
#include "store/folder_lock.h"

#include "base/file.h"
#include "crypto/lib.h"
#include "store/inside.h"
#include "store/place.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define NEXT_DIGITS 20

#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

/* ---- what killed processes left ---- */

static bool starts_with(const char *name, const char *prefix)
{
	return strncmp(name, prefix, strlen(prefix)) == 0;
}

bool folder_is_next(const char *name)
{
	return starts_with(name, FOLDER_NEXT ".");
}

bool folder_is_leftover(const char *name)
{
	return folder_is_next(name) || starts_with(name, FOLDER_NEW) ||
	       starts_with(name, FOLDER_OLD);
}

enum err folder_each(int fd, enum err (*each)(int fd, const char *name, struct why *why),
		     struct why *why)
{
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *n;
	enum err e = OK;

	if (d == NULL) {
		e = why_errno(why, "cannot read a directory of tokens");
		if (fd >= 0)
			(void)close(fd);
		return e;
	}
	while (e == OK && (n = readdir(d)) != NULL)
		if (strcmp(n->d_name, ".") != 0 && strcmp(n->d_name, "..") != 0)
			e = each(dirfd(d), n->d_name, why);
	(void)closedir(d);
	return e;
}

static enum err remove_file(int fd, const char *name, struct why *why)
{
	return unlinkat(fd, name, 0) == 0 ? OK : why_errno(why, "cannot remove %s", name);
}

static enum err remove_half(int fd, const char *name, struct why *why)
{
	enum err e;

	if (!folder_is_leftover(name))
		return OK;
	if (folder_is_next(name))
		return remove_file(fd, name, why); /* of a killed file_write */
	e = folder_each(openat(fd, name, OPEN_DIR | O_NOFOLLOW), remove_file, why);
	if (e == OK && unlinkat(fd, name, AT_REMOVEDIR) != 0)
		e = why_errno(why, "cannot remove %s", name);
	return e;
}

enum err folder_sweep(const struct folder_lock *l, struct why *why)
{
	return folder_each(openat(l->fd, ".", OPEN_DIR), remove_half, why);
}

/* ---- the lock ---- */

static enum err try_lock(struct folder_lock *l, struct why *why)
{
	l->fd = open(l->dir, OPEN_DIR);
	if (l->fd < 0)
		return why_errno(why, "cannot open the directory %s", l->dir);
	if (flock(l->fd, LOCK_EX | LOCK_NB) == 0)
		return OK;
	if (errno == EWOULDBLOCK || errno == EINTR)
		return E_BUSY;
	return why_errno(why, "cannot lock the directory %s", l->dir);
}

/* Under the gate, so that no child of a fork inherits the lock. */
static enum err try_locked(struct folder_lock *l, struct why *why)
{
	enum err e;

	gate_take();
	e = try_lock(l, why);
	if (e == OK)
		e = folder_sweep(l, why);
	if (e == OK)
		return OK;
	file_close(l->fd);
	gate_drop();
	return e;
}

enum err folder_lock_take(struct folder_lock *l, const char *dir, struct why *why)
{
	enum err e = E_BUSY;

	l->dir = dir;
	for (unsigned tries = 0; e == E_BUSY; tries++) {
		e = try_locked(l, why);
		if (e == E_BUSY && !db_wait(tries))
			return why_fail(why, E_BUSY, "another process keeps %s locked", dir);
	}
	return e;
}

void folder_lock_drop(struct folder_lock *l)
{
	file_close(l->fd);
	gate_drop();
}

/* ---- next-slot ---- */

static enum err parse(struct span text, CK_SLOT_ID *next)
{
	CK_SLOT_ID v = 0;

	if (text.n != 0 && text.p[text.n - 1] == '\n')
		text.n--;
	if (text.n == 0)
		return E_CORRUPT;
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] < '0' || text.p[i] > '9')
			return E_CORRUPT;
		v = v * 10 + (CK_SLOT_ID)(text.p[i] - '0');
		if (v > (CK_SLOT_ID)PLACE_SLOT_MAX + 1)
			return E_CORRUPT;
	}
	*next = v;
	return OK;
}

enum err folder_next_get(const char *dir, CK_SLOT_ID *next, struct why *why)
{
	char path[PATH_MAX];
	struct buf text = { 0 };
	enum err e = place_join(path, dir, FOLDER_NEXT, why);

	if (e == OK)
		e = file_read(path, 0, NEXT_DIGITS, &text, why);
	if (e == OK)
		e = parse(buf_span(&text), next);
	if (e == E_CORRUPT || e == E_DATA_LEN)
		e = why_fail(
			why, E_CORRUPT,
			"%s is damaged: write the number after the highest slot id ever used into it",
			path);
	if (e == E_ABSENT) {
		*next = 0;
		e = OK;
	}
	buf_free(&text);
	return e;
}

enum err folder_next_set(const char *dir, CK_SLOT_ID next, mode_t mode, struct why *why)
{
	char path[PATH_MAX], text[NEXT_DIGITS + 2];
	enum err e = place_join(path, dir, FOLDER_NEXT, why);

	snprintf(text, sizeof(text), "%lu\n", next);
	return e == OK ? file_write(path, mode, span_str(text), why) : e;
}

enum err folder_name(char out[PATH_MAX], const char *dir, const char *prefix, CK_SLOT_ID slot,
		     struct why *why)
{
	unsigned long long r;
	enum err e = crypto_random(&r, sizeof(r));

	if (e != OK)
		return why_fail(why, e, "no random bytes");
	if (snprintf(out, PATH_MAX, "%s/%s%lu-%016llx", dir, prefix, slot, r) >= PATH_MAX)
		return why_fail(why, E_ARGUMENTS, "the path %s is too long", dir);
	return OK;
}
