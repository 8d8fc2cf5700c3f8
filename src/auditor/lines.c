/* SPDX-License-Identifier: Apache-2.0 */
#include "auditor/lines.h"

#include "base/file.h"
#include "base/mem.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* What is left over when it is read again is less than a line. */
enum { ROOM = 256 << 10 };
_Static_assert(ROOM >= 2 * LINE_MAX_BYTES, "a line, and more to read");

enum err lines_open(const char *path, struct lines *l, struct why *why)
{
	enum err e;

	memset(l, 0, sizeof(*l));
	l->fd = -1;
	l->room = mem_alloc(ROOM);
	if (l->room == NULL)
		return why_fail(why, E_MEMORY, "no memory to read %s", path);
	e = file_open(path, 0, &l->fd, why);
	if (e != OK)
		lines_close(l);
	return e;
}

void lines_close(struct lines *l)
{
	if (l->room != NULL)
		file_close(l->fd);
	mem_free(l->room);
	l->room = NULL;
	l->fd = -1;
}

static ssize_t fill(struct lines *l)
{
	ssize_t got;

	memmove(l->room, l->room + l->from, l->to - l->from);
	l->to -= l->from;
	l->from = 0;
	do
		got = read(l->fd, l->room + l->to, ROOM - l->to);
	while (got < 0 && errno == EINTR);
	if (got > 0)
		l->to += (size_t)got;
	return got;
}

static enum lines_end at_end(struct lines *l, struct span *text)
{
	*text = span(l->room + l->from, l->to - l->from);
	if (text->n == 0 || l->follow)
		return LINES_END;
	l->number++;
	return LINES_TORN;
}

enum lines_end lines_next(struct lines *l, struct span *text)
{
	for (;;) {
		const uint8_t *p = l->room + l->from;
		size_t have = l->to - l->from;
		const uint8_t *feed = have == 0 ? NULL : memchr(p, '\n', have);

		if (feed != NULL && feed - p < LINE_MAX_BYTES) {
			*text = span(p, (size_t)(feed - p));
			l->from += text->n + 1;
			l->offset += text->n + 1;
			l->number++;
			return LINES_MORE;
		}
		if (feed != NULL || have >= LINE_MAX_BYTES) {
			l->number++;
			*text = span(p, LINE_MAX_BYTES);
			return LINES_TOO_LONG;
		}
		ssize_t got = fill(l);
		if (got < 0)
			return LINES_FAILED;
		if (got == 0)
			return at_end(l, text);
	}
}

bool lines_held(const struct lines *l)
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };

	return fcntl(l->fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}
