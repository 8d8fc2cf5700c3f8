/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/standing.h"

#include "audit/inside.h"
#include "audit/settle.h"
#include "base/file.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void fill(const struct author *a, struct standing *s)
{
	const char *end = strrchr(a->sheet.path, '/');

	*s = (struct standing){ .file = a->sheet.stream || end == NULL ? 0 : a->file };
	memcpy(s->id, a->id, sizeof(s->id));
	if (s->file != 0)
		memcpy(s->dir, a->sheet.path, (size_t)(end - a->sheet.path));
}

bool standing_of(struct roll *r, struct standing *s)
{
	bool open;

	if (r == NULL)
		return false;
	lock_take(&r->mu);
	open = r->author != NULL;
	if (open)
		fill(r->author, s);
	lock_drop(&r->mu);
	return open;
}

bool standing_alive(const char *dir, uint64_t file)
{
	char path[PATH_MAX];
	bool alive;
	int fd;

	if (snprintf(path, sizeof(path), "%s/" SITE_ROLL "%06" PRIu64, dir, file) >=
	    (int)sizeof(path))
		return true;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	alive = fd >= 0 && settle_alive(fd);
	file_close(fd);
	return alive;
}
