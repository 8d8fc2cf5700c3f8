/* SPDX-License-Identifier: Apache-2.0 */
#include "scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATHS 8

static __thread char paths[PATHS][PATH_MAX];
static __thread unsigned next_path;

static void need(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	abort();
}

int scratch_setup(void **state)
{
	const char *tmp = getenv("TMPDIR");
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/chancery-test-XXXXXX", tmp != NULL ? tmp : "/tmp");
	need(mkdtemp(path) != NULL, path);
	*state = strdup(path);
	return *state != NULL ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

int scratch_teardown(void **state)
{
	int rc = nftw(*state, remove_one, 16, FTW_DEPTH | FTW_PHYS);

	free(*state);
	return rc;
}

const char *scratch_path(void **state, const char *name)
{
	char *path = paths[next_path++ % PATHS];

	need(snprintf(path, PATH_MAX, "%s/%s", (const char *)*state, name) < PATH_MAX, name);
	return path;
}

const char *scratch_file(void **state, const char *name, mode_t mode, const void *data, size_t n)
{
	const char *path = scratch_path(state, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	need(fd >= 0, path);
	need(write(fd, data, n) == (ssize_t)n, path);
	need(fchmod(fd, mode) == 0, path);
	need(close(fd) == 0, path);
	return path;
}

size_t scratch_count(void **state)
{
	DIR *d = opendir(*state);
	size_t n = 0;

	need(d != NULL, *state);
	while (readdir(d) != NULL)
		n++;
	closedir(d);
	return n - 2;
}
