/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/sheet.h"

#include "audit/quiet.h"
#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#define FIRST    ((uint64_t)64 << 10) /* space at opening */
#define RESERVE  ((uint64_t)32 << 10) /* kept beyond what is written */
#define STEP     ((uint64_t)1 << 20)  /* how much is asked for then */
#define PATIENCE 30000                /* ms for which a stream may take nothing */

static enum err set_path(struct sheet *s, const char *path, struct why *why)
{
	*s = (struct sheet){ .hold = { .fd = -1 }, .durable = true };
	if (snprintf(s->path, sizeof(s->path), "%s", path) >= (int)sizeof(s->path))
		return why_fail(why, E_ARGUMENTS, "the path %s is too long", path);
	return OK;
}

static enum err hold(struct sheet *s, int fd, struct why *why)
{
	enum err e;

	if (hold_take_locked(&s->hold, fd))
		return OK;
	e = why_errno(why, "cannot examine %s", s->path);
	file_close(fd);
	return e;
}

/* ---- space ---- */

static void extend(struct sheet *s, uint64_t n)
{
	int rc;

	do {
		rc = fallocate(s->hold.fd, FALLOC_FL_KEEP_SIZE, (off_t)s->reserved, (off_t)n);
	} while (rc != 0 && errno == EINTR);
	s->low = rc != 0 && (errno == ENOSPC || errno == EDQUOT);
	if (rc == 0)
		s->reserved += n;
	else if (!s->low)
		s->reservable = false;
}

void sheet_reserve(struct sheet *s, size_t n)
{
	const uint64_t need = s->size + n + RESERVE;

	if (!s->reservable || need <= s->reserved)
		return;
	extend(s, need - s->reserved > STEP ? need - s->reserved : STEP);
}

/* Blocks beyond the end are freed by setting the length that the file has, on every filesystem that keeps such. */
void sheet_trim(struct sheet *s)
{
	struct stat st;

	if (!s->stream && s->reserved > s->size && hold_ours(&s->hold, &st) &&
	    (uint64_t)st.st_size == s->size)
		(void)!ftruncate(s->hold.fd, st.st_size);
	s->reserved = 0;
}

/* ---- opening ---- */

static enum err lock_for_life(struct sheet *s, struct why *why)
{
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(s->hold.fd, F_OFD_SETLK, &l) == 0 ? OK
						       : why_errno(why, "cannot lock %s", s->path);
}

enum err sheet_create(struct sheet *s, const char *path, mode_t mode, struct why *why)
{
	enum err e = set_path(s, path, why);
	int fd;

	if (e != OK)
		return e;
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY,
		  0600);
	if (fd < 0)
		return why_errno(why, "cannot make %s", path);
	e = hold(s, fd, why);
	if (e == OK)
		e = lock_for_life(s, why);
	if (e == OK && fchmod(s->hold.fd, mode) != 0)
		e = why_errno(why, "cannot set the mode of %s", path);
	if (e != OK)
		return e;
	s->reservable = true;
	extend(s, FIRST);
	return OK;
}

/* A FIFO without a reader is refused rather than waited for (ENXIO). */
enum err sheet_stream(struct sheet *s, const char *path, struct why *why)
{
	enum err e = set_path(s, path, why);
	int fd;

	if (e != OK)
		return e;
	fd = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0 && errno == ENXIO)
		return why_fail(why, E_DEVICE, "nobody reads %s", path);
	if (fd < 0)
		return why_errno(why, "cannot open %s", path);
	e = hold(s, fd, why);
	if (e != OK)
		return e;
	s->stream = true;
	s->durable = fdatasync(fd) == 0;
	if (!s->durable && errno != EINVAL && errno != EROFS)
		return why_errno(why, "cannot sync %s", path);
	return OK;
}

/* ---- writing ---- */

/* The descriptor is ours. */
static enum err check_held(const struct sheet *s, struct stat *st, struct why *why)
{
	if (!hold_ours(&s->hold, st))
		return why_fail(why, E_DEVICE, "%s was closed by the program", s->path);
	return OK;
}

/* Nobody else wrote to the file or shortened it. */
static enum err check_size(struct sheet *s, const struct stat *st, struct why *why)
{
	if (s->stream || (uint64_t)st->st_size == s->size)
		return OK;
	s->touched = true;
	return why_fail(why, E_DEVICE, "%s was changed by somebody else", s->path);
}

/* Whoever looks under the name finds this file. */
static enum err check_name(struct sheet *s, struct why *why)
{
	struct stat st;

	if (s->stream ||
	    (lstat(s->path, &st) == 0 && st.st_dev == s->hold.dev && st.st_ino == s->hold.ino))
		return OK;
	s->touched = true;
	return why_fail(why, E_DEVICE, "%s was removed, renamed or replaced", s->path);
}

static bool wait_for_room(const struct sheet *s)
{
	struct pollfd p = { .fd = s->hold.fd, .events = POLLOUT };
	int n;

	do {
		n = poll(&p, 1, PATIENCE);
	} while (n < 0 && errno == EINTR);
	errno = EAGAIN;
	return n > 0;
}

/* Goes on after a write that was cut short: what was written is in its place, and the next call says what is wrong, if anything is. */
static enum err write_all(struct sheet *s, struct span data, struct why *why)
{
	while (data.n != 0) {
		ssize_t n = write(s->hold.fd, data.p, data.n);

		if (n < 0 && (errno == EINTR || (errno == EAGAIN && wait_for_room(s))))
			continue;
		if (n <= 0) {
			(void)why_errno(why, "cannot write %s", s->path);
			return E_DEVICE;
		}
		s->size += (uint64_t)n;
		data = span(data.p + n, data.n - (size_t)n);
	}
	return OK;
}

static enum err barrier(const struct sheet *s, struct why *why)
{
	if (!s->durable || fdatasync(s->hold.fd) == 0)
		return OK;
	(void)why_errno(why, "cannot sync %s", s->path);
	return E_DEVICE;
}

enum err sheet_write(struct sheet *s, struct span data, struct why *why)
{
	struct quiet q;
	struct stat st;
	enum err e = check_held(s, &st, why);

	if (e == OK)
		e = check_size(s, &st, why);
	if (e != OK)
		return e;
	quiet_begin(&q);
	e = write_all(s, data, why);
	quiet_end(&q);
	if (e == OK)
		e = barrier(s, why);
	/* another thread of the host may have closed it meanwhile, and what was written and synced is another file */
	if (e == OK)
		e = check_held(s, &st, why);
	if (e != OK)
		return e;
	s->safe = s->size;
	e = check_size(s, &st, why);
	return e == OK ? check_name(s, why) : e;
}

void sheet_close(struct sheet *s)
{
	hold_enter();
	hold_drop_locked(&s->hold);
	hold_leave();
}
