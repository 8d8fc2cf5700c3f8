/* SPDX-License-Identifier: Apache-2.0 */
#include "store/pulse.h"

#include "base/file.h"
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* The least that can be mapped; allocated as a whole, so that no beat lacks room. */
#define SIZE 4096

#define FLAGS (O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)

static bool path_beside(char path[PATH_MAX], const char *database)
{
	const char *end = strrchr(database, '/');
	int folder = end != NULL ? (int)(end - database) : 0;

	return end != NULL &&
	       snprintf(path, PATH_MAX, "%.*s/%s", folder, database, PULSE_FILE) < PATH_MAX;
}

/* Exactly the mode, whatever the umask. */
static int make(const char *path, mode_t mode)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | FLAGS, mode);

	if (fd >= 0 && fchmod(fd, mode) == 0)
		return fd;
	file_close(fd);
	return -1;
}

static int open_any(const char *path, mode_t mode, bool read_only)
{
	int fd = read_only ? -1 : open(path, O_RDWR | FLAGS);

	if (fd < 0 && !read_only)
		fd = make(path, mode);
	return fd >= 0 ? fd : open(path, O_RDONLY | FLAGS);
}

static bool usable(int fd)
{
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
	    (st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return false;
	/* made just now, by us or another: filling it up changes none of the bytes that are there */
	return st.st_size >= SIZE || posix_fallocate(fd, 0, SIZE) == 0;
}

static int open_file(const char *database, mode_t mode, bool read_only)
{
	char path[PATH_MAX];
	int fd = path_beside(path, database) ? open_any(path, mode, read_only) : -1;

	if (usable(fd))
		return fd;
	file_close(fd);
	return -1;
}

void pulse_open(struct pulse *p, const char *database, mode_t mode, bool read_only)
{
	void *at;

	*p = (struct pulse){ .fd = open_file(database, mode, read_only) };
	if (p->fd < 0)
		return;
	at = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, p->fd, 0);
	if (at != MAP_FAILED)
		p->beat = at;
}

void pulse_close(struct pulse *p)
{
	if (p->beat != NULL)
		(void)munmap((void *)(uintptr_t)p->beat, SIZE);
	file_close(p->fd);
	*p = (struct pulse){ .fd = -1 };
}

bool pulse_feel(const struct pulse *p, uint64_t *beat)
{
	if (p->beat == NULL)
		return false;
	*beat = atomic_load_explicit(p->beat, memory_order_acquire);
	return true;
}

static bool linked(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && st.st_nlink != 0;
}

bool pulse_lives(const struct pulse *p)
{
	return !p->stray && linked(p->fd);
}

void pulse_beat(struct pulse *p, const char *database, mode_t mode)
{
	uint64_t v; /* random, so that no two beats of whatever processes are the same */

	if (!linked(p->fd)) {
		file_close(p->fd);
		p->fd = open_file(database, mode, false);
		p->stray = true;
	}
	/* one that fails, for want of a right or of room, is noticed as what another hand did is */
	if (p->fd >= 0 && getrandom(&v, sizeof(v), 0) == (ssize_t)sizeof(v))
		(void)!pwrite(p->fd, &v, sizeof(v), 0);
}
