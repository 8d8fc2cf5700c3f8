/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/append.h"
#include "base/mem.h"
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct state {
	int fd;
	size_t n;
	char path[PATH_MAX], data[APPEND_MAX];
};

static void *begin(void *arg)
{
	const struct append *a = arg;
	struct state *s = mem_alloc(sizeof(*s));

	if (s == NULL)
		return NULL;
	s->n = a->n;
	memset(s->data, 'x', sizeof(s->data));
	snprintf(s->path, sizeof(s->path), "%s/append", a->dir);
	s->fd = open(s->path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (s->fd >= 0 && a->n <= APPEND_MAX)
		return s;
	mem_free(s);
	return NULL;
}

static bool step(void *arg)
{
	struct state *s = arg;

	return write(s->fd, s->data, s->n) == (ssize_t)s->n && fdatasync(s->fd) == 0;
}

static void end(void *arg)
{
	struct state *s = arg;

	close(s->fd);
	unlink(s->path);
	mem_free(s);
}

struct contender append_contender(struct append *a)
{
	return (struct contender){ "the bare append", { begin, step, end, a }, true };
}
