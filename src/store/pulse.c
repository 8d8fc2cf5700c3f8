/* SPDX-License-Identifier: Apache-2.0 */
#include "store/pulse.h"

#include "base/file.h"
#include <errno.h>
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

/* Exactly the mode, whatever the umask, and the owner of the database: who works on it for another leaves nothing that shuts him out. */
static int make(const char *path, mode_t mode, const struct stat *database)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | FLAGS, mode);
	bool ours = geteuid() == database->st_uid;

	if (fd >= 0 && fchmod(fd, mode) == 0 &&
	    (ours || fchown(fd, database->st_uid, database->st_gid) == 0))
		return fd;
	file_close(fd);
	return -1;
}

/* Another process may make it between two looks. */
static int open_to_write(const char *path, mode_t mode, const struct stat *database)
{
	int fd = open(path, O_RDWR | FLAGS);

	if (fd < 0 && errno == ENOENT)
		fd = make(path, mode, database);
	return fd < 0 && errno == EEXIST ? open(path, O_RDWR | FLAGS) : fd;
}

/* Of the database's owner alone, who can write to it as to the database. */
static bool usable(int fd, const struct stat *database, struct stat *st)
{
	if (fd < 0 || fstat(fd, st) != 0 || !S_ISREG(st->st_mode) ||
	    (st->st_mode & (S_IWGRP | S_IWOTH)) != 0 || st->st_uid != database->st_uid)
		return false;
	/* made just now, by us or another: filling it up changes none of the bytes that are there */
	return st->st_size >= SIZE || posix_fallocate(fd, 0, SIZE) == 0;
}

static void open_file(struct pulse *p, const char *database, mode_t mode, bool read_only,
		      struct stat *st)
{
	char path[PATH_MAX];
	struct stat db;

	p->fd = -1;
	if (!path_beside(path, database) || stat(database, &db) != 0)
		return;
	p->fd = read_only ? open(path, O_RDONLY | FLAGS) : open_to_write(path, mode, &db);
	if (!usable(p->fd, &db, st)) {
		file_close(p->fd);
		p->fd = -1;
		return;
	}
	p->dev = st->st_dev;
	p->ino = st->st_ino;
}

void pulse_open(struct pulse *p, const char *database, mode_t mode, bool read_only)
{
	struct stat st;
	void *at;

	*p = (struct pulse){ .fd = -1 };
	open_file(p, database, mode, read_only, &st);
	if (p->fd < 0 || (st.st_uid != 0 && st.st_uid != geteuid()))
		return;
	at = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, p->fd, 0);
	if (at != MAP_FAILED)
		p->beat = at;
}

/* A number that is another file's by now is left alone. */
static void close_own(const struct pulse *p)
{
	struct stat st;

	if (p->fd >= 0 && fstat(p->fd, &st) == 0 && st.st_dev == p->dev && st.st_ino == p->ino)
		file_close(p->fd);
}

void pulse_close(struct pulse *p)
{
	if (p->beat != NULL)
		(void)munmap((void *)(uintptr_t)p->beat, SIZE);
	close_own(p);
	*p = (struct pulse){ .fd = -1 };
}

bool pulse_feel(const struct pulse *p, uint64_t *beat)
{
	if (p->beat == NULL)
		return false;
	*beat = atomic_load_explicit(p->beat, memory_order_acquire);
	return true;
}

/* Our file, and others find it. */
static bool stands(const struct pulse *p)
{
	struct stat st;

	return p->fd >= 0 && fstat(p->fd, &st) == 0 && st.st_dev == p->dev && st.st_ino == p->ino &&
	       st.st_nlink != 0;
}

bool pulse_lives(const struct pulse *p)
{
	return !p->stray && stands(p);
}

static void open_again(struct pulse *p, const char *database, mode_t mode)
{
	struct stat st;

	close_own(p);
	open_file(p, database, mode, false, &st);
	p->stray = true;
}

void pulse_beat(struct pulse *p, const char *database, mode_t mode)
{
	uint64_t v; /* random, so that no two beats of whatever processes are the same */

	if (!stands(p))
		open_again(p, database, mode);
	/* one that fails, for want of a right or of room, is noticed as what another hand did is */
	if (p->fd >= 0 && getrandom(&v, sizeof(v), 0) == (ssize_t)sizeof(v))
		(void)!pwrite(p->fd, &v, sizeof(v), 0);
}
