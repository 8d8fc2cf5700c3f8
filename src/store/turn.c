/* SPDX-License-Identifier: Apache-2.0 */
#include "store/turn.h"

#include "store/db.h"
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

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

int turn_take(const char *path)
{
	int fd = open_folder(path);

	for (unsigned tries = 0; fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0; tries++)
		if (!db_wait(tries))
			break;
	return fd;
}

/* Unlocked by hand, for a child of a fork in between has the same lock through its copy of fd. */
void turn_drop(int turn)
{
	if (turn < 0)
		return;
	(void)flock(turn, LOCK_UN);
	(void)close(turn);
}
