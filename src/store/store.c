/* SPDX-License-Identifier: Apache-2.0 */
#include "store/store.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "store/event.h"
#include "store/head.h"
#include "store/inside.h"
#include "store/place.h"
#include "store/schema.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file itself is looked at so often at least; its path is walked at each so-manyeth look of one that has no pulse. */
#define QUIET_NS  5000000
#define WALK_EACH 64

static void init(struct store *s, const struct place *at, const struct store_policy *p)
{
	memcpy(s->path, at->path, sizeof(s->path));
	s->dev = at->dev;
	s->ino = at->ino;
	s->read_only = at->read_only;
	s->policy = *p;
	s->last = &s->first;
	s->witness = -1;
	s->pulse.fd = -1;
	lock_init(&s->lock, RANK_STORE);
	lock_init(&s->queue, RANK_QUEUE);
	lock_init(&s->over, RANK_LEAF);
	(void)pthread_cond_init(&s->served, NULL);
	(void)pthread_cond_init(&s->gathered, NULL);
	atomic_init(&s->version, 1);
	atomic_init(&s->committing, false);
	atomic_init(&s->beat, 0);
	atomic_init(&s->began, 0);
	atomic_init(&s->looked_ns, 0);
}

static bool is_token(const struct store *s, const struct stat *st)
{
	return st->st_dev == s->dev && st->st_ino == s->ino;
}

/* A number that is another file's by now is left alone. */
static void destroy(struct store *s)
{
	struct stat st;

	pulse_close(&s->pulse);
	if (s->witness >= 0 && fstat(s->witness, &st) == 0 && is_token(s, &st))
		file_close(s->witness);
	(void)pthread_cond_destroy(&s->gathered);
	(void)pthread_cond_destroy(&s->served);
	mem_free(s->done.v);
	lock_destroy(&s->over);
	lock_destroy(&s->queue);
	lock_destroy(&s->lock);
	mem_free(s);
}

static enum err open_witness(struct store *s, struct why *why)
{
	struct stat st;

	s->witness = open(s->path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (s->witness < 0 || fstat(s->witness, &st) != 0)
		return why_errno(why, "cannot open %s", s->path);
	if (is_token(s, &st))
		return OK;
	file_close(s->witness);
	s->witness = -1;
	return why_fail(why, E_DEVICE_REMOVED, "%s was replaced just now", s->path);
}

/* The gate is held. */
static enum err open_db(struct store *s, struct why *why)
{
	struct head h;
	enum err e = open_witness(s, why);

	if (e == OK)
		e = db_open(&s->db, s->path, s->read_only, why);
	if (e == OK)
		e = schema_open(&s->db, s->path, &schema_migrations, why);
	if (e != OK)
		return e;
	s->read_only = s->db.read_only;
	pulse_open(&s->pulse, s->path, s->policy.file_mode, s->read_only);
	e = head_get(&s->db, &h);
	if (e != OK)
		return why_fail(why, e, "cannot read %s: %s", s->path, err_text(e));
	s->ident = h.ident;
	return OK;
}

enum err store_open(const char *dir, CK_SLOT_ID slot, const struct store_policy *p,
		    struct store **out, struct why *why)
{
	struct place at;
	struct store *s;
	enum err e = place_find(dir, slot, &at, why);

	if (e != OK)
		return e;
	s = mem_alloc(sizeof(*s));
	if (s == NULL)
		return why_fail(why, E_MEMORY, "no memory to open %s", at.path);
	init(s, &at, p);
	gate_take();
	e = open_db(s, why);
	if (e == OK)
		gate_add_locked(s);
	else
		db_close(&s->db);
	gate_drop();
	if (e != OK) {
		destroy(s);
		return e;
	}
	*out = s; /* moved */
	return OK;
}

void store_close(struct store *s)
{
	if (s == NULL)
		return;
	event_settle(s);
	gate_take();
	gate_remove_locked(s);
	db_close(&s->db);
	gate_drop();
	destroy(s);
}

const char *store_path(const struct store *s)
{
	return s->path;
}

/* ---- looking ---- */

/* A damaged row keeps nobody from the token: its PIN does not work, and the other one does. */
static enum err read_failures(struct store *s, const struct head *h, enum store_user u, bool *set,
			      uint32_t *failures)
{
	struct pinkey pk;
	enum err e = head_pin_get(&s->db, &h->ident, u, set, &pk, failures);

	if (e != E_CORRUPT)
		return e;
	*failures = 0;
	return OK;
}

static enum err read_info(struct store *s, struct store_info *info)
{
	struct head h;
	bool set = false;
	enum err e = head_get(&s->db, &h);

	if (e == OK)
		e = read_failures(s, &h, STORE_SO, &set, &info->so_failures);
	if (e == OK)
		e = read_failures(s, &h, STORE_USER, &info->user_pin_set, &info->user_failures);
	if (e != OK)
		return e;
	memcpy(info->label, h.label, sizeof(info->label));
	memcpy(info->serial, h.ident.serial, sizeof(info->serial));
	info->changes = h.changes;
	info->read_only = s->read_only;
	info->pin_max = s->policy.pin_max;
	info->audit_required = (h.flags & HEAD_AUDIT_REQUIRED) != 0;
	if (s->read_only) {
		info->user_failures += s->failures[STORE_USER];
		info->so_failures += s->failures[STORE_SO];
	}
	return OK;
}

enum err store_info(struct store *s, struct store_info *info)
{
	struct store_info got = { .read_only = true };
	enum err e = txn_read(s);

	if (e != OK)
		return e;
	e = read_info(s, &got);
	txn_end(s);
	if (e == OK)
		*info = got;
	return e;
}

/* The file's counter is as it was: nothing was committed. Two system calls, and no lock of the database. */
static bool unchanged_locked(struct store *s)
{
	uint8_t counter[4];

	return s->peeked && !s->db.broken && db_peek(&s->db, counter) == OK &&
	       memcmp(counter, s->counter, sizeof(counter)) == 0;
}

/*
 * While another process is writing the file there is nothing to compare with: say that it changed, and say so anew each
 * time, for what the caller reads next, waiting for that process, must not pass for what comes after it.
 */
static enum err look_closer_locked(struct store *s)
{
	enum err e = txn_begin_locked(s, false);

	atomic_store(&s->committing, false); /* before the lock of the file goes */
	db_rollback(&s->db);
	if (e != E_BUSY)
		return e;
	atomic_fetch_add(&s->version, 1);
	return OK;
}

/*
 * Whether the file is still the token's. That it was deleted is seen at every look, by its link count. That its path leads
 * elsewhere, too, where looks are rare for the pulse; else at every WALK_EACH-th, for walking down the path costs more than all the rest.
 */
static enum err still_there_locked(struct store *s, bool rare)
{
	struct stat st;

	if (fstat(s->witness, &st) != 0 || !is_token(s, &st)) { /* the program closed it */
		enum err e = open_witness(s, NULL);

		return e == E_ABSENT ? E_DEVICE_REMOVED : e;
	}
	if (st.st_nlink == 0)
		return E_DEVICE_REMOVED;
	return s->db.c != NULL && (rare || s->glances++ % WALK_EACH == 0) ? db_moved(&s->db) : OK;
}

/* Nobody acknowledged a change since the file was looked at, and that is not long ago. */
static bool quiet(struct store *s)
{
	const uint64_t looked = atomic_load(&s->looked_ns);
	uint64_t beat;

	return looked != 0 && pulse_feel(&s->pulse, &beat) && beat == atomic_load(&s->beat) &&
	       clock_coarse_ns() - looked < QUIET_NS;
}

/*
 * A transaction of ours is open: it looked when it had its lock of the file, and nobody else commits while it has. That is over
 * before its end is noted here; whoever came in between and told of it has beaten.
 */
static bool ours(struct store *s)
{
	uint64_t beat;

	return atomic_load(&s->committing) && pulse_feel(&s->pulse, &beat) &&
	       beat == atomic_load(&s->began);
}

/* Looks at the file. The pulse is felt before: whatever is acknowledged from then on, beats again. */
static enum err examine_locked(struct store *s)
{
	const uint64_t now = clock_coarse_ns();
	uint64_t beat = 0;
	bool felt = pulse_feel(&s->pulse, &beat) && pulse_lives(&s->pulse);
	enum err e = still_there_locked(s, felt);

	if (e == OK && !unchanged_locked(s)) {
		e = look_closer_locked(s);
	} else if (e == OK && felt) {
		atomic_store(&s->beat, beat);
		atomic_store(&s->looked_ns, now);
	}
	txn_latch_locked(s, e);
	return e;
}

enum err store_version(struct store *s, uint64_t *v)
{
	enum err e;

	if (quiet(s) || ours(s)) {
		*v = atomic_load(&s->version);
		return OK;
	}
	lock_take(&s->lock);
	e = s->gone != OK ? s->gone : examine_locked(s);
	if (e == OK)
		*v = atomic_load(&s->version);
	lock_drop(&s->lock);
	return e;
}
