/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/pend.h"

#include "audit/digits.h"
#include "audit/members.h"
#include "audit/settle.h"
#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FORMAT = 1, SERIAL = 16 /* CK_TOKEN_INFO */, PART_MAX = 16384 };

/* ---- the body: numbers little-endian, each part after its length ---- */

static enum err put_part(struct buf *out, struct span part)
{
	enum err e = buf_put_u32(out, (uint32_t)part.n);

	return e == OK ? buf_put(out, part) : e;
}

static bool take_part(struct span *s, struct span *part)
{
	uint32_t n;

	return take_u32(s, &n) && n <= PART_MAX && take_bytes(s, n, part);
}

/* Of a stream: none. */
static struct span dir_of(const struct author *a)
{
	const char *end = a->file != 0 ? strrchr(a->sheet.path, '/') : NULL;

	return span(a->sheet.path, end != NULL ? (size_t)(end - a->sheet.path) : 0);
}

static void examine(struct span dir, uint64_t *dev, uint64_t *ino)
{
	char path[PATH_MAX];
	struct stat st;

	*dev = *ino = 0;
	snprintf(path, sizeof(path), "%.*s", (int)dir.n, (const char *)dir.p);
	if (stat(path, &st) != 0)
		return;
	*dev = (uint64_t)st.st_dev;
	*ino = (uint64_t)st.st_ino;
}

static enum err put(struct buf *out, const struct author *a, const struct draft *d)
{
	uint64_t dev, ino;
	enum err e = buf_put_u8(out, FORMAT);

	examine(dir_of(a), &dev, &ino);
	if (e == OK)
		e = buf_put(out, span(a->id, sizeof(a->id)));
	if (e == OK)
		e = buf_put_u64(out, a->file);
	if (e == OK)
		e = buf_put_u64(out, dev);
	if (e == OK)
		e = buf_put_u64(out, ino);
	if (e == OK)
		e = buf_put_u32(out, d->id->pid);
	if (e == OK)
		e = put_part(out, dir_of(a));
	if (e == OK)
		e = put_part(out, span_str(d->id->boot));
	if (e == OK)
		e = put_part(out, buf_span(&d->who));
	return e == OK ? put_part(out, buf_span(&d->what)) : e;
}

enum err pend_put(struct buf *out, const struct author *a, const struct draft *d)
{
	size_t was = out->n;
	enum err e = put(out, a, d);

	if (e != OK)
		out->n = was;
	return e;
}

/* The members of what begin with a comma. They go into a record of ours: whoever wrote the body cannot write more than members. */
static bool sound(const struct pend *p)
{
	return p->dir.n < PATH_MAX && memchr(p->dir.p, '\0', p->dir.n) == NULL && p->what.n != 0 &&
	       p->what.p[0] == ',' && members_ok(span(p->what.p + 1, p->what.n - 1)) &&
	       members_ok(p->who);
}

enum err pend_take(struct span body, struct pend *p)
{
	struct span id;
	uint8_t format;

	if (!take_u8(&body, &format) || format != FORMAT || !take_bytes(&body, sizeof(p->id), &id))
		return E_DATA;
	memcpy(p->id, id.p, sizeof(p->id));
	if (!take_u64(&body, &p->file) || !take_u64(&body, &p->dev) || !take_u64(&body, &p->ino) ||
	    !take_u32(&body, &p->pid) || !take_part(&body, &p->dir) ||
	    !take_part(&body, &p->boot) || !take_part(&body, &p->who) ||
	    !take_part(&body, &p->what) || body.n != 0)
		return E_DATA;
	return sound(p) ? OK : E_DATA;
}

/* ---- who owes it ---- */

/* A process that went on with another roll has forgotten what the one before owed. */
static bool stream_alive(const struct pend *p, const struct author_id *who, const struct author *a)
{
	if (!span_eq(p->boot, span_str(who->boot)))
		return false;
	if (p->pid == who->pid)
		return a != NULL && memcmp(p->id, a->id, sizeof(a->id)) == 0;
	return kill((pid_t)p->pid, 0) == 0 || errno != ESRCH;
}

/* A file that may not be looked at is another user's, and left to that user; one that is not there has no process that could still write. */
static bool file_alive(const struct pend *p)
{
	struct site s = { .stream = false };
	char path[PATH_MAX];
	uint64_t dev, ino;
	bool alive;
	int fd;

	memcpy(s.path, p->dir.p, p->dir.n);
	if (site_file(&s, p->file, path, NULL) != OK)
		return false;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return errno != ENOENT && errno != ENOTDIR && errno != ELOOP;
	examine(p->dir, &dev, &ino);
	alive = dev == p->dev && ino == p->ino && settle_alive(fd);
	file_close(fd);
	return alive;
}

bool pend_alive(const struct pend *p, const struct author_id *who, const struct author *a)
{
	return p->file == 0 ? stream_alive(p, who, a) : file_alive(p);
}

/* ---- the record ---- */

static enum err put_change(struct buf *out, const char *serial, uint64_t change)
{
	char text[SERIAL + 1 + DIGITS_MAX];
	size_t n = SERIAL;

	while (n != 0 && serial[n - 1] == ' ')
		n--;
	memcpy(text, serial, n);
	text[n++] = ':';
	n += digits_decimal(change, text + n);
	return encode_text(out, "change", span(text, n));
}

enum err pend_more(struct buf *out, const struct pend *p, const char *serial, uint64_t change)
{
	enum err e = put_change(out, serial, change);

	if (e == OK)
		e = buf_put(out, span_str(",\"recovered\":{"));
	if (e == OK)
		e = buf_put(out, p->who);
	return e == OK ? buf_put_u8(out, '}') : e;
}
