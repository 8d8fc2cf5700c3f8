/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include "base/dir.h"
#include "base/mem.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define PIECE ((size_t)4096)
#define TRIES 16 /* temporary names that are taken */

void file_close(int fd)
{
	int saved = errno;

	if (fd >= 0)
		(void)close(fd);
	errno = saved;
}

/* The rules of FILE_TRUSTED and FILE_PRIVATE. */
static enum err check_owner(const char *path, const struct stat *st, unsigned flags,
			    struct why *why)
{
	mode_t bad = (flags & FILE_PRIVATE) != 0 ? S_IWGRP | S_IRWXO : S_IWGRP | S_IWOTH;

	if ((flags & (FILE_PRIVATE | FILE_TRUSTED)) == 0)
		return OK;
	if (st->st_uid != 0 && st->st_uid != geteuid())
		return why_fail(why, E_ACCESS,
				"%s belongs to user %u: it must belong to root or to user %u", path,
				(unsigned)st->st_uid, (unsigned)geteuid());
	if ((st->st_mode & bad) == 0)
		return OK;
	if ((flags & FILE_PRIVATE) != 0)
		return why_fail(why, E_ACCESS,
				"others can read or change %s: run chmod g-w,o= on it", path);
	return why_fail(why, E_ACCESS, "others can change %s: run chmod go-w on it", path);
}

/* O_NONBLOCK: opening a FIFO or a device must not block; it has no effect on a regular file. */
enum err file_open(const char *path, unsigned flags, int *fd, struct why *why)
{
	int follow = (flags & FILE_FOLLOW) != 0 ? 0 : O_NOFOLLOW;
	int f = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | follow);
	struct stat st;
	enum err e;

	if (f < 0 && errno == ELOOP)
		return why_fail(why, E_ACCESS, "%s is a symbolic link: name the file itself", path);
	if (f < 0)
		return why_errno(why, "cannot open %s", path);
	if (fstat(f, &st) != 0)
		e = why_errno(why, "cannot examine %s", path);
	else if (!S_ISREG(st.st_mode))
		e = why_fail(why, E_DATA, "%s is not a regular file", path);
	else
		e = check_owner(path, &st, flags, why);
	if (e != OK) {
		file_close(f);
		return e;
	}
	*fd = f;
	return OK;
}

/* Reads once into the room that b has; *n is 0 at the end. */
static enum err read_piece(int fd, const char *name, struct buf *b, size_t room, size_t *n,
			   struct why *why)
{
	ssize_t r;

	do {
		r = read(fd, b->p + b->n, room);
	} while (r < 0 && errno == EINTR);
	if (r < 0)
		return why_errno(why, "cannot read %s", name);
	*n = (size_t)r;
	b->n += *n;
	return OK;
}

/* Reads to the end, one byte more than max at most, into a buffer of its own. */
static enum err read_all(int fd, const char *name, size_t max, struct buf *b, struct why *why)
{
	enum err e;
	size_t n = 0;

	do {
		size_t left = max + 1 - b->n;

		e = buf_reserve(b, left < PIECE ? left : PIECE);
		if (e != OK)
			return why_fail(why, e, "no memory to read %s", name);
		e = read_piece(fd, name, b, left < PIECE ? left : PIECE, &n, why);
	} while (e == OK && n != 0 && b->n <= max);
	if (e == OK && b->n > max)
		e = why_fail(why, E_DATA_LEN, "%s is longer than %zu bytes", name, max);
	return e;
}

enum err file_read_fd(int fd, const char *name, size_t max, struct buf *out, struct why *why)
{
	struct buf b = { .secret = out->secret, .max = max + 1 };
	enum err e = read_all(fd, name, max, &b, why);

	if (e == OK) {
		e = buf_put(out, buf_span(&b));
		if (e != OK)
			(void)why_fail(why, e, "no room for what %s holds", name);
	}
	buf_free(&b);
	return e;
}

enum err file_read(const char *path, unsigned flags, size_t max, struct buf *out, struct why *why)
{
	int fd = -1;
	enum err e = file_open(path, flags, &fd, why);

	if (e == OK)
		e = file_read_fd(fd, path, max, out, why);
	file_close(fd);
	return e;
}

enum err file_write_fd(int fd, const char *name, struct span data, struct why *why)
{
	while (data.n != 0) {
		ssize_t n = write(fd, data.p, data.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return why_errno(why, "cannot write %s", name);
		data = span(data.p + n, data.n - (size_t)n);
	}
	return OK;
}

enum err file_not_created(const char *path, struct why *why)
{
	enum err e = why_errno(why, "cannot create %s", path);

	return e == E_ABSENT || errno == EISDIR || errno == ENAMETOOLONG ? E_CREATE : e;
}

/* A name beside path that nobody can foresee. */
static enum err temporary_name(const char *path, char name[PATH_MAX], struct why *why)
{
	unsigned long long r;

	if (getrandom(&r, sizeof(r), 0) != (ssize_t)sizeof(r))
		return why_errno(why, "cannot get random bytes");
	if (snprintf(name, PATH_MAX, "%s.%016llx.tmp", path, r) >= PATH_MAX)
		return why_fail(why, E_ARGUMENTS, "the path %s is too long", path);
	return OK;
}

static enum err open_temporary(const char *path, char name[PATH_MAX], int *fd, struct why *why)
{
	enum err e;

	for (int i = 0; i < TRIES; i++) {
		e = temporary_name(path, name, why);
		if (e != OK)
			return e;
		*fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (*fd >= 0 || errno != EEXIST)
			break;
	}
	return *fd >= 0 ? OK : file_not_created(path, why);
}

/* fchmod, for open takes the umask off the mode, and the umask is the host program's. */
static enum err fill(int fd, const char *name, mode_t mode, struct span data, struct why *why)
{
	enum err e;

	if (fchmod(fd, mode) != 0)
		return why_errno(why, "cannot set the mode of %s", name);
	e = file_write_fd(fd, name, data, why);
	if (e == OK && fsync(fd) != 0)
		e = why_errno(why, "cannot sync %s", name);
	return e;
}

/*
 * Gives the temporary file its name. With replace false an existing file stays: link fails where
 * rename does not.
 */
static enum err publish(const char *from, const char *to, bool replace, struct why *why)
{
	int rc = replace ? rename(from, to) : link(from, to);

	return rc == 0 ? OK : file_not_created(to, why);
}

static enum err write_new(const char *path, mode_t mode, struct span data, bool replace,
			  struct why *why)
{
	char name[PATH_MAX];
	int fd = -1;
	enum err e = open_temporary(path, name, &fd, why);

	if (e != OK)
		return e;
	/* Messages have the path that was asked for: nobody knows the temporary one. */
	e = fill(fd, path, mode, data, why);
	if (close(fd) != 0 && e == OK)
		e = why_errno(why, "cannot write %s", path);
	if (e == OK)
		e = publish(name, path, replace, why);
	if (e != OK || !replace)
		(void)unlink(name);
	if (e != OK)
		return e;
	e = dir_sync_of(path, why);
	if (e != OK && !replace)
		(void)unlink(path);
	return e;
}

enum err file_write(const char *path, mode_t mode, struct span data, struct why *why)
{
	return write_new(path, mode, data, true, why);
}

enum err file_create(const char *path, mode_t mode, struct span data, struct why *why)
{
	return write_new(path, mode, data, false, why);
}

/* O_CREAT and O_TRUNC are for a link to nothing yet; a device or a FIFO takes no notice. */
static enum err write_through(const char *path, mode_t mode, struct span data, struct why *why)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY | O_CLOEXEC, mode);
	enum err e;

	if (fd < 0)
		return file_not_created(path, why);
	e = file_write_fd(fd, path, data, why);
	if (close(fd) != 0 && e == OK)
		e = why_errno(why, "cannot write %s", path);
	return e;
}

enum err file_put(const char *path, mode_t mode, struct span data, struct why *why)
{
	char real[PATH_MAX];
	struct stat st;

	if (stat(path, &st) != 0 && lstat(path, &st) != 0)
		return file_write(path, mode, data, why);
	if (!S_ISREG(st.st_mode))
		return write_through(path, mode, data, why);
	if (realpath(path, real) == NULL)
		return why_errno(why, "cannot follow %s", path);
	return file_write(real, mode, data, why);
}

bool file_stays_in_place(const char *path)
{
	static const long safe[] = { EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, TMPFS_MAGIC,
				     OVERLAYFS_SUPER_MAGIC };
	struct statfs fs;

	if (statfs(path, &fs) != 0)
		return false;
	for (size_t i = 0; i < sizeof(safe) / sizeof(safe[0]); i++)
		if ((long)fs.f_type == safe[i])
			return true;
	return false;
}
