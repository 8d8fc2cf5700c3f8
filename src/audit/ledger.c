/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/ledger.h"

#include "audit/hold.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/dir.h"
#include "base/file.h"
#include "base/le.h"
#include "base/mem.h"
#include "crypto/lib.h"
#include "crypto/sealing.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/*
 * A slot: magic, version and length of the body (32 bits each), generation (64 bits), body, SHA-256 of all that. Numbers are
 * little-endian. The version stands before everything that another version may change.
 */
#define MAGIC    "CHROLLST"
#define VERSION  1
#define HEADER   (sizeof(MAGIC) - 1 + 4 + 4 + 8)
#define SLOT     ((size_t)65536)
#define BODY_MAX (SLOT - HEADER - SEALING_MAC)
#define NAP      500000 /* ns between two tries */

_Static_assert(LEDGER_ID + 8 + 1 + LEDGER_SECRET + 1 + LEDGER_PRINT + 8 + TREE_HEIGHT * TREE_HASH +
			       8 + 8 + 4 + LEDGER_LINE_MAX + 4 + 8 * LEDGER_OPEN_MAX <=
		       BODY_MAX,
	       "a slot holds the largest state");

/* ---- the body ---- */

static enum err put_body(struct buf *b, const struct ledger *l)
{
	enum err e = buf_put(b, span(l->id, sizeof(l->id)));

	if (e == OK)
		e = buf_put_u64(b, l->next);
	if (e == OK)
		e = buf_put_u8(b, l->keyed);
	if (e == OK)
		e = buf_put(b, span(l->secret, sizeof(l->secret)));
	if (e == OK)
		e = buf_put_u8(b, l->audited);
	if (e == OK)
		e = buf_put(b, span(l->print, sizeof(l->print)));
	if (e == OK)
		e = buf_put_u64(b, l->tree.size);
	if (e == OK)
		e = buf_put(b, span(l->tree.peak, sizeof(l->tree.peak)));
	if (e == OK)
		e = buf_put_u64(b, l->index_n);
	if (e == OK)
		e = buf_put_u64(b, l->owed.file);
	if (e == OK)
		e = buf_put_u32(b, (uint32_t)l->owed.n);
	if (e == OK)
		e = buf_put(b, span(l->owed.line, l->owed.n));
	if (e == OK)
		e = buf_put_u32(b, (uint32_t)l->open_n);
	for (size_t i = 0; e == OK && i < l->open_n; i++)
		e = buf_put_u64(b, l->open[i]);
	return e;
}

static bool take_into(struct span *s, void *p, size_t n)
{
	struct span v;

	if (!take_bytes(s, n, &v))
		return false;
	memcpy(p, v.p, n);
	return true;
}

static bool take_flag(struct span *s, bool *v)
{
	uint8_t b;

	if (!take_u8(s, &b) || b > 1)
		return false;
	*v = b != 0;
	return true;
}

static bool take_owed(struct span *s, struct owed *o)
{
	uint32_t n;

	if (!take_u64(s, &o->file) || !take_u32(s, &n) || n > sizeof(o->line))
		return false;
	o->n = n;
	return take_into(s, o->line, n);
}

static bool take_open(struct span *s, struct ledger *l)
{
	uint32_t n;

	if (!take_u32(s, &n) || n > LEDGER_OPEN_MAX)
		return false;
	l->open_n = n;
	for (size_t i = 0; i < n; i++)
		if (!take_u64(s, &l->open[i]))
			return false;
	return s->n == 0;
}

static bool take_body(struct span s, struct ledger *l)
{
	return take_into(&s, l->id, sizeof(l->id)) && take_u64(&s, &l->next) &&
	       take_flag(&s, &l->keyed) && take_into(&s, l->secret, sizeof(l->secret)) &&
	       take_flag(&s, &l->audited) && take_into(&s, l->print, sizeof(l->print)) &&
	       take_u64(&s, &l->tree.size) && take_into(&s, l->tree.peak, sizeof(l->tree.peak)) &&
	       take_u64(&s, &l->index_n) && take_owed(&s, &l->owed) && take_open(&s, l);
}

/* ---- slots ---- */

struct slot {
	uint64_t generation; /* 0: not whole */
	struct span body;
};

/* E_TOKEN_UNKNOWN: another version's. What is not whole (a write that was cut short) is left at generation 0. */
static enum err read_slot(struct span s, struct slot *slot)
{
	const size_t magic = sizeof(MAGIC) - 1;
	uint8_t digest[SEALING_MAC];
	struct span whole;
	uint32_t version, n;
	enum err e;

	*slot = (struct slot){ 0 };
	if (s.n < HEADER || memcmp(s.p, MAGIC, magic) != 0)
		return OK;
	version = le_get32(s.p + magic);
	n = le_get32(s.p + magic + 4);
	if (version != VERSION)
		return E_TOKEN_UNKNOWN;
	if (n > BODY_MAX || s.n < HEADER + n + sizeof(digest))
		return OK;
	whole = span(s.p, HEADER + n);
	e = sealing_digest(&whole, 1, digest);
	if (e != OK || memcmp(digest, s.p + whole.n, sizeof(digest)) != 0)
		return e;
	slot->generation = le_get64(s.p + magic + 8);
	slot->body = span(s.p + HEADER, n);
	return OK;
}

static enum err choose(struct ledger *l, struct span file, const char *path, struct why *why)
{
	struct slot slot[2];
	enum err e = OK;

	for (unsigned i = 0; e == OK && i < 2; i++)
		e = read_slot(file.n > i * SLOT
				      ? span(file.p + i * SLOT,
					     file.n - i * SLOT < SLOT ? file.n - i * SLOT : SLOT)
				      : span(NULL, 0),
			      &slot[i]);
	if (e == E_TOKEN_UNKNOWN)
		return why_fail(why, e, "%s was written by a newer version: use that version",
				path);
	if (e != OK)
		return why_fail(why, e, "cannot check %s", path);
	l->newer = slot[1].generation > slot[0].generation;
	l->generation = slot[l->newer].generation;
	if (l->generation == 0 || !take_body(slot[l->newer].body, l))
		return why_fail(why, E_CORRUPT,
				"%s is damaged: keep the directory for the auditor, and give the "
				"audit log another one",
				path);
	return OK;
}

static enum err write_at(int fd, struct span data, off_t at, struct why *why)
{
	while (data.n != 0) {
		ssize_t n = pwrite(fd, data.p, data.n, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return why_errno(why, "cannot write the state of the audit log");
		data = span(data.p + n, data.n - (size_t)n);
		at += n;
	}
	return OK;
}

static enum err put_slot(struct buf *b, const struct ledger *l)
{
	uint8_t digest[SEALING_MAC];
	struct span whole;
	enum err e = buf_put(b, span_str(MAGIC));

	if (e == OK)
		e = buf_put_u32(b, VERSION);
	if (e == OK)
		e = buf_put_u32(b, 0);
	if (e == OK)
		e = buf_put_u64(b, l->generation + 1);
	if (e == OK)
		e = put_body(b, l);
	if (e != OK)
		return e;
	le_put32(b->p + sizeof(MAGIC) - 1 + 4, (uint32_t)(b->n - HEADER));
	whole = buf_span(b);
	e = sealing_digest(&whole, 1, digest);
	return e == OK ? buf_put(b, span(digest, sizeof(digest))) : e;
}

enum err ledger_store(struct ledger *l, struct why *why)
{
	struct buf b = { .secret = true };
	unsigned older = l->generation == 0 ? 0 : !l->newer;
	enum err e = put_slot(&b, l);

	if (e != OK)
		(void)why_fail(why, e, "cannot make the state of the audit log");
	else
		e = write_at(l->fd, buf_span(&b), (off_t)(older * SLOT), why);
	if (e == OK && fdatasync(l->fd) != 0)
		e = why_errno(why, "cannot sync the state of the audit log");
	if (e == OK) {
		l->generation++;
		l->newer = older;
	}
	buf_free(&b);
	return e;
}

/* ---- the file ---- */

/* Exactly 0600 whatever the umask, which is the host program's; and its name must outlive a power cut as it does. */
static enum err make(struct ledger *l, const struct site *s, const char *path, struct why *why)
{
	bool used = true;
	enum err e = site_used(s, &used, why);

	if (e == OK && used)
		e = why_fail(
			why, E_CORRUPT,
			"%s is missing or cut short, though %s has files of the audit log: keep the "
			"directory for the auditor, and give the audit log another one",
			path, s->path);
	if (e == OK && fchmod(l->fd, 0600) != 0)
		e = why_errno(why, "cannot set the mode of %s", path);
	if (e == OK && crypto_random(l->id, sizeof(l->id)) != OK)
		e = why_fail(why, E_FAILED, "no random bytes");
	l->next = 1;
	if (e == OK)
		e = ledger_store(l, why);
	if (e == OK && fsync(l->fd) != 0)
		e = why_errno(why, "cannot sync %s", path);
	return e == OK ? dir_sync(s->path, why) : e;
}

/*
 * Synced first: a process that was killed may have written it and not come to its sync, and what follows from it must not become durable before
 * it does. For a file that is clean this costs nothing.
 */
static enum err read_state(struct ledger *l, const struct site *s, const char *path,
			   struct why *why)
{
	struct buf b = { .secret = true, .max = 2 * SLOT + 1 };
	enum err e = fdatasync(l->fd) == 0 ? OK : why_errno(why, "cannot sync %s", path);

	if (e == OK)
		e = file_read_fd(l->fd, path, 2 * SLOT, &b, why);
	if (e == OK)
		e = choose(l, buf_span(&b), path, why);
	/* a first writing that was cut short: nothing followed from it, or make finds what did */
	if (e == E_CORRUPT && l->generation == 0 && b.n <= SLOT)
		e = make(l, s, path, why);
	buf_free(&b);
	return e;
}

/* The lock is held: the name may meanwhile be another file's, and the mode must keep others out. */
static enum err examine(const struct ledger *l, const char *path, struct stat *st, struct why *why)
{
	struct stat named;

	if (fstat(l->fd, st) != 0 || lstat(path, &named) != 0)
		return why_errno(why, "cannot examine %s", path);
	if (!S_ISREG(st->st_mode) || st->st_ino != named.st_ino || st->st_dev != named.st_dev)
		return why_fail(why, E_ACCESS, "%s was replaced", path);
	if (st->st_uid != geteuid() || (st->st_size != 0 && (st->st_mode & 07777 & ~0600U) != 0))
		return why_fail(why, E_ACCESS,
				"%s must be a file of user %u alone: run chmod 600 on it", path,
				(unsigned)geteuid());
	return OK;
}

static enum err try_take(struct ledger *l, const struct site *s, struct why *why)
{
	char path[PATH_MAX];
	struct stat st;
	enum err e = site_join(s, SITE_STATE, path, why);

	if (e != OK)
		return e;
	l->fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
	if (l->fd < 0)
		return why_errno(why, "cannot open %s", path);
	if (flock(l->fd, LOCK_EX | LOCK_NB) != 0)
		return errno == EWOULDBLOCK || errno == EINTR
			       ? E_BUSY
			       : why_errno(why, "cannot lock %s", path);
	e = examine(l, path, &st, why);
	if (e == OK)
		e = st.st_size == 0 ? make(l, s, path, why) : read_state(l, s, path, why);
	return e;
}

/* Unlocked by name: a child that was made without fork handlers may have the same open file. */
static void let_go(struct ledger *l)
{
	if (l->fd >= 0)
		(void)flock(l->fd, LOCK_UN);
	file_close(l->fd);
	l->fd = -1;
}

static enum err try_at_gate(struct ledger *l, const struct site *s, struct why *why)
{
	enum err e;

	hold_enter();
	e = try_take(l, s, why);
	if (e == OK)
		return OK;
	let_go(l);
	hold_leave();
	return e;
}

enum err ledger_take(const struct site *s, long patience, struct ledger **out, struct why *why)
{
	const struct timespec nap = { 0, NAP };
	const long until = clock_ms() + patience;
	struct ledger *l = mem_alloc_secret(sizeof(*l));
	enum err e;

	if (l == NULL)
		return why_fail(why, E_MEMORY, "no memory for the state of the audit log");
	while ((e = try_at_gate(l, s, why)) == E_BUSY && clock_ms() < until)
		(void)nanosleep(&nap, NULL);
	if (e == E_BUSY)
		(void)why_fail(why, e, "another process keeps the audit log in %s locked", s->path);
	if (e == OK)
		*out = l;
	else
		mem_free(l);
	return e;
}

void ledger_drop(struct ledger *l)
{
	if (l == NULL)
		return;
	let_go(l);
	mem_free(l);
	hold_leave();
}

/* ---- open files ---- */

enum err ledger_open(struct ledger *l, uint64_t file, struct why *why)
{
	if (l->open_n == LEDGER_OPEN_MAX)
		return why_fail(why, E_DEVICE, "more than %d processes write to the audit log",
				LEDGER_OPEN_MAX);
	l->open[l->open_n++] = file;
	return OK;
}

bool ledger_has(const struct ledger *l, uint64_t file)
{
	size_t i = 0;

	while (i < l->open_n && l->open[i] != file)
		i++;
	return i < l->open_n;
}

void ledger_close(struct ledger *l, uint64_t file)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->open_n; i++)
		if (l->open[i] != file)
			l->open[kept++] = l->open[i];
	l->open_n = kept;
}
