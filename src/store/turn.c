/* SPDX-License-Identifier: Apache-2.0 */
#include "store/turn.h"

#include "store/db.h"
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define TRIES 5 /* of turn_try */

static int open_folder(const char *path)
{
	char folder[PATH_MAX];
	const char *end = strrchr(path, '/');

	if (end == NULL)
		return -1;
	memcpy(folder, path, (size_t)(end - path));
	folder[end - path] = '\0';
	return open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Whether fd was locked, in so many tries or in as many as db_wait allows. */
static bool lock(int fd, unsigned most)
{
	unsigned tries = 0;

	while (flock(fd, LOCK_EX | LOCK_NB) != 0)
		if (++tries >= most || !db_wait(tries - 1))
			return false;
	return true;
}

int turn_take(const char *path)
{
	int fd = open_folder(path);

	if (fd >= 0)
		(void)lock(fd, UINT_MAX);
	return fd;
}

int turn_try(const char *path)
{
	int fd = open_folder(path);

	if (fd < 0 || lock(fd, TRIES))
		return fd;
	(void)close(fd);
	return -1;
}

/* Unlocked by hand, for a child of a fork in between has the same lock through its copy of fd. */
void turn_drop(int turn)
{
	if (turn < 0)
		return;
	(void)flock(turn, LOCK_UN);
	(void)close(turn);
}
