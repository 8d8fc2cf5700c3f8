/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/roster.h"

#include "audit/digits.h"
#include "base/dir.h"
#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define TAIL_MAX   \
	((size_t)1 \
	 << 20) /* bytes since the state was last stored: a line for each file that may be open */
#define TEXT(s) span((s), sizeof(s) - 1)
#define SEED    "\",\"seed\":"

_Static_assert(TAIL_MAX >= (size_t)LEDGER_OPEN_MAX * 192, "a `close` for each open file");

/* ---- what a line says ---- */

struct fact {
	char op; /* first letter: i, o, c, l, v */
	uint64_t file;
};

static bool take_text(struct span *s, struct span text)
{
	if (s->n < text.n || memcmp(s->p, text.p, text.n) != 0)
		return false;
	*s = span(s->p + text.n, s->n - text.n);
	return true;
}

static bool take_number(struct span *s, uint64_t *v)
{
	size_t n = 0;

	*v = 0;
	while (n < s->n && n < DIGITS_MAX - 1 && s->p[n] >= '0' && s->p[n] <= '9')
		*v = *v * 10 + (uint64_t)(s->p[n++] - '0');
	*s = span(s->p + n, s->n - n);
	return n != 0;
}

/* Only lines of our own form come here, or ones that another hand put there. */
static bool parse(struct span line, struct fact *f)
{
	static const char *const ops[] = { "open", "close", "left", "void" };

	*f = (struct fact){ 'i', 0 };
	if (!take_text(&line, TEXT("{\"op\":\"")))
		return false;
	if (take_text(&line, TEXT("init\",")))
		return true;
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (take_text(&line, span_str(ops[i]))) {
			f->op = ops[i][0];
			return take_text(&line, TEXT("\",\"file\":")) &&
			       take_number(&line, &f->file);
		}
	return false;
}

/* The first line after the state was stored is the one it owes; a file's may have become `void`. */
static bool pays(const struct owed *o, struct span line, const struct fact *f)
{
	return span_eq(line, span(o->line, o->n)) ||
	       (o->file != 0 && f->op == 'v' && f->file == o->file);
}

/* A line that is in the index, or will be. */
static enum err note(struct ledger *l, struct span line)
{
	struct fact f;
	enum err e;

	if (!parse(line, &f) || f.file >= l->next || (l->owed.n != 0 && !pays(&l->owed, line, &f)))
		return E_CORRUPT;
	e = tree_add(&l->tree, line);
	if (e != OK)
		return e;
	l->owed.n = 0;
	l->index_n += line.n + 1;
	if (f.op != 'o' && f.op != 'i')
		ledger_close(l, f.file);
	return OK;
}

/* ---- opening ---- */

static enum err refuse(const struct site *s, struct why *why)
{
	return why_fail(
		why, E_CORRUPT,
		"the index in %s is not as it was left: keep the directory for the auditor, "
		"and give the audit log another one",
		s->path);
}

static enum err read_tail(const struct roster *r, const struct site *s, const struct ledger *l,
			  struct buf *tail, struct why *why)
{
	struct stat st;

	if (fstat(r->fd, &st) != 0)
		return why_errno(why, "cannot examine the index in %s", s->path);
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    (st.st_mode & (S_IWGRP | S_IRWXO)) != 0)
		return why_fail(
			why, E_ACCESS,
			"the index in %s must be a file of user %u that others cannot read or "
			"change",
			s->path, (unsigned)geteuid());
	if ((uint64_t)st.st_size < l->index_n || (uint64_t)st.st_size - l->index_n > TAIL_MAX)
		return refuse(s, why);
	if (lseek(r->fd, (off_t)l->index_n, SEEK_SET) < 0)
		return why_errno(why, "cannot read the index in %s", s->path);
	return file_read_fd(r->fd, "the index of the audit log", TAIL_MAX, tail, why);
}

/* Whole lines; what follows the last of them was cut short, with its process. */
static enum err adopt(struct roster *r, const struct site *s, struct ledger *l, struct span tail,
		      struct why *why)
{
	const uint8_t *end;

	r->unsynced = tail.n != 0;
	while (tail.n != 0 && (end = memchr(tail.p, '\n', tail.n)) != NULL) {
		struct span line = span(tail.p, (size_t)(end - tail.p));
		enum err e = note(l, line);

		if (e == E_CORRUPT)
			return refuse(s, why);
		if (e != OK)
			return why_fail(why, e, "cannot read the index in %s", s->path);
		tail = span(end + 1, tail.n - line.n - 1);
	}
	if (tail.n != 0 && ftruncate(r->fd, (off_t)l->index_n) != 0)
		return why_errno(why, "cannot shorten the index in %s", s->path);
	return OK;
}

/* Exact modes whatever the umask, and a name that outlives a power cut. */
static enum err make(struct roster *r, const struct site *s, const char *path, struct why *why)
{
	r->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY,
		     0600);
	if (r->fd < 0)
		return why_errno(why, "cannot make %s", path);
	if (fchmod(r->fd, dir_file_mode(s->group)) != 0 || fsync(r->fd) != 0)
		return why_errno(why, "cannot make %s", path);
	return dir_sync(s->path, why);
}

static enum err open_file(struct roster *r, const struct site *s, const struct ledger *l,
			  struct why *why)
{
	char path[PATH_MAX];
	enum err e = site_join(s, SITE_INDEX, path, why);

	if (e != OK)
		return e;
	r->fd = open(path, O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (r->fd >= 0)
		return OK;
	if (errno != ENOENT)
		return why_errno(why, "cannot open %s", path);
	return l->index_n == 0 ? make(r, s, path, why) : refuse(s, why);
}

enum err roster_open(struct roster *r, const struct site *s, struct ledger *l, struct why *why)
{
	struct buf tail = { 0 };
	enum err e;

	*r = (struct roster){ .fd = -1 };
	e = open_file(r, s, l, why);
	if (e == OK)
		e = read_tail(r, s, l, &tail, why);
	if (e == OK)
		e = adopt(r, s, l, buf_span(&tail), why);
	buf_free(&tail);
	return e;
}

void roster_close(struct roster *r)
{
	buf_free(&r->lines);
	file_close(r->fd);
	r->fd = -1;
}

/* ---- appending ---- */

enum err roster_put(struct roster *r, struct ledger *l, struct span line)
{
	enum err e = buf_reserve(&r->lines, line.n + 1);

	if (e == OK)
		e = note(l, line);
	if (e != OK)
		return e;
	(void)buf_put(&r->lines, line);
	(void)buf_put_u8(&r->lines, '\n');
	return OK;
}

enum err roster_sync(struct roster *r, struct why *why)
{
	enum err e = OK;

	if (r->lines.n != 0)
		e = file_write_fd(r->fd, "the index of the audit log", buf_span(&r->lines), why);
	if (e == OK && (r->lines.n != 0 || r->unsynced) && fdatasync(r->fd) != 0)
		e = why_errno(why, "cannot sync the index of the audit log");
	buf_clear(&r->lines);
	if (e == OK)
		r->unsynced = false;
	return e;
}

/* ---- lines ---- */

static enum err put_op(struct buf *b, const char *op, uint64_t file)
{
	char digits[DIGITS_MAX];
	enum err e = buf_put(b, TEXT("{\"op\":\""));

	if (e == OK)
		e = buf_put(b, span_str(op));
	if (e == OK)
		e = buf_put(b, TEXT("\",\"file\":"));
	return e == OK ? buf_put(b, span(digits, digits_decimal(file, digits))) : e;
}

static enum err put_hash(struct buf *b, const uint8_t hash[TREE_HASH])
{
	char hex[2 * TREE_HASH];

	digits_hex(span(hash, TREE_HASH), hex);
	return buf_put(b, span(hex, sizeof(hex)));
}

static enum err put_end(struct buf *b, const struct roster_end *end)
{
	char digits[DIGITS_MAX];
	enum err e;

	if (!end->whole)
		return buf_put(b, TEXT(",\"seq\":null,\"head\":null}"));
	e = buf_put(b, TEXT(",\"seq\":"));
	if (e == OK)
		e = buf_put(b, span(digits, digits_decimal(end->seq, digits)));
	if (e == OK)
		e = buf_put(b, TEXT(",\"head\":\""));
	if (e == OK)
		e = put_hash(b, end->head);
	return e == OK ? buf_put(b, TEXT("\"}")) : e;
}

enum err roster_put_end(struct roster *r, struct ledger *l, const char *op, uint64_t file,
			const struct roster_end *end)
{
	struct buf line = { 0 };
	enum err e = put_op(&line, op, file);

	if (e == OK)
		e = put_end(&line, end);
	if (e == OK)
		e = roster_put(r, l, buf_span(&line));
	buf_free(&line);
	return e;
}

static enum err owe(struct ledger *l, uint64_t file, struct span line)
{
	if (line.n > sizeof(l->owed.line))
		return E_INTERNAL;
	memcpy(l->owed.line, line.p, line.n);
	l->owed.n = line.n;
	l->owed.file = file;
	return OK;
}

enum err roster_owe_open(struct ledger *l, uint64_t file, const uint8_t first[TREE_HASH],
			 struct span seed)
{
	struct buf line = { 0 };
	enum err e = put_op(&line, "open", file);

	if (e == OK)
		e = buf_put(&line, TEXT(",\"first\":\""));
	if (e == OK)
		e = put_hash(&line, first);
	if (e == OK)
		e = buf_put(&line, TEXT(SEED));
	if (e == OK)
		e = buf_put(&line, seed);
	if (e == OK)
		e = buf_put_u8(&line, '}');
	if (e == OK)
		e = owe(l, file, buf_span(&line));
	buf_free(&line);
	return e;
}

static enum err put_print(struct buf *b, const struct ledger *l)
{
	char hex[2 * LEDGER_PRINT + 2];

	if (!l->audited)
		return buf_put(b, TEXT("null"));
	hex[0] = hex[sizeof(hex) - 1] = '"';
	digits_hex(span(l->print, LEDGER_PRINT), hex + 1);
	return buf_put(b, span(hex, sizeof(hex)));
}

enum err roster_owe_init(struct ledger *l, struct span sealed)
{
	struct buf line = { 0 };
	enum err e = buf_put(&line, TEXT("{\"op\":\"init\",\"auditor\":"));

	if (e == OK)
		e = put_print(&line, l);
	if (e == OK)
		e = buf_put(&line, TEXT(",\"sealed\":"));
	if (e == OK)
		e = buf_put(&line, sealed);
	if (e == OK)
		e = buf_put_u8(&line, '}');
	if (e == OK)
		e = owe(l, 0, buf_span(&line));
	buf_free(&line);
	return e;
}

enum err roster_pay(struct roster *r, struct ledger *l)
{
	char line[LEDGER_LINE_MAX];
	size_t n = l->owed.n;

	memcpy(line, l->owed.line, n);
	return roster_put(r, l, span(line, n));
}

/* With the seed: numbers that turn out void count when keys are made. */
enum err roster_pay_void(struct roster *r, struct ledger *l)
{
	const struct owed *o = &l->owed;
	const char *seed = memmem(o->line, o->n, SEED, sizeof(SEED) - 1);
	struct buf line = { 0 };
	enum err e;

	if (seed == NULL)
		return E_CORRUPT;
	seed++; /* from the comma to the last brace */
	e = put_op(&line, "void", o->file);
	if (e == OK)
		e = buf_put(&line, span(seed, o->n - (size_t)(seed - o->line)));
	if (e == OK)
		e = roster_put(r, l, buf_span(&line));
	buf_free(&line);
	return e;
}
