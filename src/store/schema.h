/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of a token's database, and its format version: the file's user_version. A newer one is refused, an older one
 * is brought up to date after a copy was made.
 */
#ifndef CHANCERY_STORE_SCHEMA_H
#define CHANCERY_STORE_SCHEMA_H

#include "store/db.h"
#include <stddef.h>

enum { SCHEMA_FORMAT = 1 };

/* From one format to the next. */
struct migration {
	unsigned from;
	const char *sql;
};

/* The known ones, by `from`. */
struct migrations {
	const struct migration *step;
	size_t n;
	unsigned format; /* what the last one leads to */
};

extern const struct migrations schema_migrations;

/* Fills an empty database, in the caller's transaction. */
enum err schema_create(struct db *d);

/*
 * Checks that the database is a token of a format that we know, and migrates it: the file is first copied
 * to PATH.format-N. Another process may be doing the same. E_TOKEN_UNKNOWN: newer, or older and read-only; E_CORRUPT: no token.
 */
enum err schema_open(struct db *d, const char *path, const struct migrations *m, struct why *why);

/* In a transaction: E_TOKEN_UNKNOWN when another process has brought the token to a newer format. */
enum err schema_still(struct db *d);

/* Whether the database has our tables and indexes and nothing else: no trigger, no view. */
enum err schema_check(struct db *d, bool *same);

#endif
