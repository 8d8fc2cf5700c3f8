/* SPDX-License-Identifier: Apache-2.0 */
#include "store/db.h"

#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* Where the file header has its change counter (SQLite file format, 1.3.7). */
#define COUNTER_OFFSET 24

#define WAITS         30000
#define WAITS_SHORT   10
#define WAIT_SHORT_NS 100000
#define WAIT_NS       1000000

static const struct {
	int rc; /* extended code, or a primary one for all others of its kind */
	enum err e;
	bool broken;
} results[] = {
	{ SQLITE_OK, OK, false },
	{ SQLITE_ROW, OK, false },
	{ SQLITE_DONE, OK, false },
	{ SQLITE_BUSY, E_BUSY, false },
	{ SQLITE_LOCKED, E_BUSY, false },
	{ SQLITE_NOMEM, E_MEMORY, false },
	{ SQLITE_IOERR_NOMEM, E_MEMORY, true },
	{ SQLITE_FULL, E_DEVICE_MEMORY, false },
	{ SQLITE_TOOBIG, E_DATA_LEN, false },
	{ SQLITE_READONLY_DBMOVED, E_DEVICE_REMOVED, false },
	{ SQLITE_READONLY_ROLLBACK, E_DEVICE, true },
	{ SQLITE_READONLY_RECOVERY, E_DEVICE, true },
	{ SQLITE_READONLY, E_WRITE_PROTECTED, false },
	{ SQLITE_CANTOPEN, E_DEVICE, true },
	{ SQLITE_IOERR, E_DEVICE, true },
	{ SQLITE_PERM, E_DEVICE, true },
	{ SQLITE_PROTOCOL, E_DEVICE, true },
	{ SQLITE_CORRUPT, E_CORRUPT, true },
	{ SQLITE_NOTADB, E_CORRUPT, true },
	{ SQLITE_FORMAT, E_CORRUPT, true },
	{ SQLITE_CONSTRAINT, E_CORRUPT, false },
	{ SQLITE_MISMATCH, E_CORRUPT, false },
	{ SQLITE_ERROR, E_CORRUPT,
	  false }, /* our statements are right: it is the schema that is not */
};

bool db_wait(unsigned tries)
{
	const struct timespec t = { 0, tries < WAITS_SHORT ? WAIT_SHORT_NS : WAIT_NS };

	if (tries >= WAITS)
		return false;
	(void)nanosleep(&t, NULL);
	return true;
}

static int busy(void *arg, int tries)
{
	const struct db *d = arg;

	return !d->impatient && db_wait((unsigned)tries);
}

/* SQLite keeps errno for us, but not that of a COMMIT: there it is as its last call left it (stmt_next clears it before). */
static int failed_with(const struct db *d)
{
	const int kept = sqlite3_system_errno(d->c);

	return kept != 0 ? kept : errno;
}

/*
 * SQLite has one code for a failed write; only errno tells that there was no room, or that what was open for writing is so
 * no more. A journal that may only be read is opened so, and then written to: EBADF.
 */
static enum err write_failed(const struct db *d, int rc, enum err e)
{
	const bool system = (rc & 0xff) == SQLITE_IOERR || (rc & 0xff) == SQLITE_CANTOPEN;
	const int errnum = system && e == E_DEVICE && d->c != NULL ? failed_with(d) : 0;
	const bool refused =
		errnum == EBADF || errnum == EROFS || errnum == EACCES || errnum == EPERM;

	if (errnum == ENOSPC || errnum == EDQUOT || errnum == EFBIG)
		return E_DEVICE_MEMORY;
	return refused && d->file != NULL && !d->read_only ? E_WRITE_PROTECTED : e;
}

enum err db_err(struct db *d, int rc)
{
	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
		if (results[i].rc != rc && results[i].rc != (rc & 0xff))
			continue;
		if (results[i].broken)
			d->broken = true;
		return write_failed(d, rc, results[i].e);
	}
	return E_INTERNAL;
}

enum err db_exec(struct db *d, const char *sql)
{
	return db_err(d, sqlite3_exec(d->c, sql, NULL, NULL, NULL));
}

/* What a hostile file could make SQLite do beyond storing rows is switched off. */
static enum err restrict_schema(struct db *d)
{
	static const struct {
		int what, on;
	} set[] = {
		{ SQLITE_DBCONFIG_DEFENSIVE, 1 },      { SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
		{ SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 }, { SQLITE_DBCONFIG_ENABLE_VIEW, 0 },
		{ SQLITE_DBCONFIG_DQS_DML, 0 },        { SQLITE_DBCONFIG_DQS_DDL, 0 },
	};
	int rc = SQLITE_OK;

	for (size_t i = 0; rc == SQLITE_OK && i < sizeof(set) / sizeof(set[0]); i++)
		rc = sqlite3_db_config(d->c, set[i].what, set[i].on, (int *)NULL);
	return db_err(d, rc);
}

/*
 * With TRUNCATE, FULL syncs the truncated journal before COMMIT returns: EXTRA would add a sync of the directory
 * after a journal was removed, and none is. Temporary data stays in memory: there may be no writable directory for it.
 */
static enum err configure(struct db *d)
{
	enum err e = db_exec(d, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;"
				"PRAGMA temp_store = MEMORY; PRAGMA secure_delete = ON");

	if (e != OK || d->read_only)
		return e;
	return db_exec(d, "PRAGMA synchronous = FULL; PRAGMA journal_mode = TRUNCATE");
}

/* ---- which descriptor it has: SQLite does not tell ---- */

#define LOWEST 3  /* SQLite takes no lower one */
#define RACERS 64 /* so many may be taken by other threads just when the file is opened */

/* The number that the next file gets, or -1. */
static int next_fd(void)
{
	int fd = open("/", O_PATH | O_CLOEXEC), other;

	if (fd < 0 || fd >= LOWEST) {
		file_close(fd);
		return fd;
	}
	other = fcntl(fd, F_DUPFD_CLOEXEC, LOWEST);
	file_close(fd);
	file_close(other);
	return other;
}

static bool is_at(int fd, dev_t dev, ino_t ino)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_dev == dev && st.st_ino == ino;
}

/* Not that of a path alone, such as the witness of a store. */
static bool is_open_file(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && (flags & O_PATH) == 0;
}

/* expected: what next_fd said before the file was opened. */
static void find_fd(struct db *d, const char *path, int expected)
{
	struct stat st;

	d->fd = -1;
	if (expected < 0 || stat(path, &st) != 0)
		return;
	d->dev = st.st_dev;
	d->ino = st.st_ino;
	for (int fd = expected; d->fd < 0 && fd < expected + RACERS; fd++)
		if (is_at(fd, d->dev, d->ino) && is_open_file(fd))
			d->fd = fd;
}

bool db_ours(const struct db *d)
{
	return d->fd < 0 || is_at(d->fd, d->dev, d->ino);
}

/* ---- opening and closing ---- */

static enum err find_file(struct db *d)
{
	int rc = sqlite3_file_control(d->c, "main", SQLITE_FCNTL_FILE_POINTER, &d->file);

	return rc == SQLITE_OK && d->file != NULL && d->file->pMethods != NULL ? OK : E_INTERNAL;
}

enum err db_why(struct why *why, enum err e, const struct db *d, const char *path)
{
	int rc = d->c != NULL ? sqlite3_extended_errcode(d->c) : SQLITE_NOMEM;

	if (rc == SQLITE_READONLY_ROLLBACK || rc == SQLITE_READONLY_RECOVERY)
		return why_fail(
			why, e,
			"%s was being changed when its writer stopped, and cannot be brought back in "
			"order here: open the token once where it can be written",
			path);
	return why_fail(why, e, "cannot read %s: %s", path, sqlite3_errstr(rc));
}

enum err db_open(struct db *d, const char *path, bool read_only, struct why *why)
{
	const int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW |
			  (read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE);
	int expected = next_fd();
	enum err e = E_INTERNAL;

	*d = (struct db){ .read_only = read_only, .fd = -1 };
	if (sqlite3_threadsafe() == 0)
		return why_fail(why, E_INTERNAL, "this SQLite was built without threads");
	e = db_err(d, sqlite3_open_v2(path, &d->c, flags, NULL));
	find_fd(d, path, expected);
	if (e == OK)
		e = db_err(d, sqlite3_extended_result_codes(d->c, 1));
	if (e == OK)
		e = db_err(d, sqlite3_busy_handler(d->c, busy, d));
	if (e == OK)
		e = restrict_schema(d);
	if (e == OK)
		e = configure(d);
	if (e == OK)
		e = find_file(d);
	/* asked for more than it got: SQLite falls back to reading by itself */
	if (e == OK && !read_only && sqlite3_db_readonly(d->c, "main") != 0)
		d->read_only = true;
	if (e == OK)
		return OK;
	(void)db_why(why, e, d, path);
	db_close(d);
	return e;
}

void db_close(struct db *d)
{
	bool ours = d->c == NULL || db_ours(d);

	for (size_t i = 0; ours && i < Q_COUNT; i++)
		(void)sqlite3_finalize(d->stmt[i]);
	if (ours)
		(void)sqlite3_close(d->c);
	*d = (struct db){ .fd = -1 };
}

/* A transaction that cannot be ended, for want of memory, ends with its connection. */
void db_rollback(struct db *d)
{
	if (d->c == NULL || sqlite3_get_autocommit(d->c) != 0)
		return;
	if (db_exec(d, "ROLLBACK") != OK && sqlite3_get_autocommit(d->c) == 0)
		d->broken = true;
}

enum err db_peek(struct db *d, uint8_t counter[4])
{
	return db_err(d, d->file->pMethods->xRead(d->file, counter, 4, COUNTER_OFFSET));
}

enum err db_moved(struct db *d)
{
	int moved = 0;

	(void)sqlite3_file_control(d->c, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
	return moved != 0 ? E_DEVICE_REMOVED : OK;
}
