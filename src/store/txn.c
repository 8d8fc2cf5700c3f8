/* SPDX-License-Identifier: Apache-2.0 */
#include "store/inside.h"

#include "store/head.h"
#include "store/schema.h"
#include "store/stmt.h"
#include <sys/stat.h>

static enum err run(struct db *d, enum query q)
{
	struct stmt s = stmt_on(d, q);

	return stmt_run(&s);
}

/* A failed write leaves SQLite's view of the file in doubt: a new connection looks at what is there. */
static enum err reopen_locked(struct store *s)
{
	struct stat st;

	if (stat(s->path, &st) != 0 || st.st_dev != s->dev || st.st_ino != s->ino)
		return E_DEVICE_REMOVED;
	db_close(&s->db);
	s->looked = false;
	s->peeked = false;
	return db_open(&s->db, s->path, s->read_only, NULL);
}

/* Another process committed: is it still the token that we opened, in a format that we know? */
static enum err recognise_locked(struct store *s)
{
	struct head h;
	enum err e = schema_still(&s->db);

	if (e == OK)
		e = head_get(&s->db, &h);
	if (e == OK && memcmp(&h.ident, &s->ident, sizeof(h.ident)) != 0)
		e = E_DEVICE_REMOVED;
	return e;
}

/* In a transaction: notes what other connections committed since the last look. */
static enum err look_locked(struct store *s)
{
	uint64_t version = 0;
	enum err e = db_moved(&s->db);

	if (e == OK)
		e = stmt_number(&s->db, Q_DATA_VERSION, &version);
	if (e != OK)
		return e;
	if (!s->looked || version != s->data_version) {
		e = recognise_locked(s);
		atomic_fetch_add(&s->version, 1);
		s->enumerated = false;
		s->peeked = false;
		s->looked = e == OK;
		s->data_version = version;
	}
	if (e == OK && !s->peeked) {
		e = db_peek(&s->db, s->counter);
		s->peeked = e == OK;
	}
	return e;
}

void txn_latch_locked(struct store *s, enum err e)
{
	if (e != E_DEVICE_REMOVED && e != E_TOKEN_UNKNOWN)
		return;
	s->gone = e;
	atomic_store(&s->looked_ns, 0);
}

/* The lock of the file is held: until it goes, nobody else commits. */
static void note_beginning(struct store *s)
{
	uint64_t beat = 0;

	(void)pulse_feel(&s->pulse, &beat);
	atomic_store(&s->began, beat);
	atomic_store(&s->committing, true);
}

enum err txn_begin_locked(struct store *s, bool write)
{
	enum err e = s->gone;

	if (e == OK && write && s->read_only)
		return E_WRITE_PROTECTED;
	if (e == OK && (s->db.broken || s->db.c == NULL || !db_ours(&s->db)))
		e = reopen_locked(s);
	s->db.impatient = true;
	if (e == OK)
		e = run(&s->db, write ? Q_BEGIN_WRITE : Q_BEGIN);
	if (e == OK)
		e = look_locked(s);
	s->db.impatient = false;
	if (e == OK)
		note_beginning(s);
	else
		db_rollback(&s->db);
	txn_latch_locked(s, e);
	return e;
}

static enum err begin(struct store *s, bool write)
{
	enum err e = E_BUSY;

	for (unsigned tries = 0; e == E_BUSY; tries++) {
		lock_take(&s->lock);
		e = txn_begin_locked(s, write);
		if (e == OK)
			return OK;
		lock_drop(&s->lock);
		if (e == E_BUSY && !db_wait(tries))
			break;
	}
	return e;
}

enum err txn_read(struct store *s)
{
	return begin(s, false);
}

enum err txn_write(struct store *s)
{
	return begin(s, true);
}

enum err txn_write_now(struct store *s)
{
	enum err e;

	if (!lock_try(&s->lock))
		return E_BUSY;
	e = txn_begin_locked(s, true);
	if (e != OK)
		lock_drop(&s->lock);
	return e;
}

void txn_end(struct store *s)
{
	atomic_store(&s->committing, false); /* before the lock of the file goes */
	db_rollback(&s->db);
	lock_drop(&s->lock);
}

/* A commit into a file that nobody finds any more is none. */
enum err txn_commit_locked(struct store *s)
{
	enum err e = run(&s->db, Q_COMMIT);

	s->peeked = false;
	/* also after an error: it may be there all the same */
	pulse_beat(&s->pulse, s->path, s->policy.file_mode);
	if (e == OK)
		e = db_moved(&s->db);
	txn_latch_locked(s, e);
	db_rollback(&s->db);
	atomic_store(&s->committing, false);
	return e;
}

enum err txn_commit(struct store *s)
{
	enum err e = txn_commit_locked(s);

	lock_drop(&s->lock);
	return e;
}
