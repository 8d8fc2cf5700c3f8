/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection to a token's database: opening it our way, transactions, and SQLite's results as errors of ours. Nothing of
 * SQLite that concerns the whole process is set. Not thread-safe: whoever owns it has a lock.
 */
#ifndef CHANCERY_STORE_DB_H
#define CHANCERY_STORE_DB_H

#include "base/err.h"
#include "base/why.h"
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum query {
#define SQL(name, text) name,
#include "store/sql.def"
#undef SQL
	Q_COUNT
};

struct db {
	sqlite3 *c;
	int fd; /* that SQLite has of the file, which is this one; -1: not known */
	dev_t dev;
	ino_t ino;
	sqlite3_file *file; /* of c, for the two looks that need no lock of the database */
	bool read_only;
	bool impatient; /* a lock that another process has is E_BUSY at once */
	bool broken;    /* a failed write or read: to be opened again before the next use */
	sqlite3_stmt *stmt[Q_COUNT];
};

enum { DB_APPLICATION = 0x43484e43 /* "CHNC", the database's application_id */ };

/* Opens an existing file, not through symbolic links. On error d is as db_close leaves it. */
enum err db_open(struct db *d, const char *path, bool read_only, struct why *why);
/*
 * A connection whose descriptor is another file's by now, for the program closed it and opened something else, is left as it is: to close it
 * would close that.
 */
void db_close(struct db *d);
/* Whether the descriptor of an open connection still is that of the file. */
bool db_ours(const struct db *d);

/* Says why the connection's last call failed, and returns e. */
enum err db_why(struct why *why, enum err e, const struct db *d, const char *path);

/* The error of a result code; notes what needs a new connection. */
enum err db_err(struct db *d, int rc);
/* Text that needs no parameters: pragmas, DDL, transactions. */
enum err db_exec(struct db *d, const char *sql);
/* Ends whatever transaction is open, undoing it. */
void db_rollback(struct db *d);

/*
 * The file's own change counter (SQLite file format, 1.3.7), read without a lock of the database: it may be that of a
 * transaction that is not committed yet. Equal to a value read under a lock: nothing was committed since.
 */
enum err db_peek(struct db *d, uint8_t counter[4]);
/* E_DEVICE_REMOVED when the path does not lead to our file any more. */
enum err db_moved(struct db *d);

/* Sleeps before the next look at a lock that another process has; false when that was long enough (30 s in all: SQLite hands its lock to nobody in particular, so that under many writers one may wait long). */
bool db_wait(unsigned tries);

#endif
