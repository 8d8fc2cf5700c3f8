/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One use of a prepared statement: bind, step, read, end. The first error sticks, is returned by stmt_run,
 * stmt_next and stmt_end, and makes the calls in between do nothing.
 */
#ifndef CHANCERY_STORE_STMT_H
#define CHANCERY_STORE_STMT_H

#include "base/span.h"
#include "store/db.h"

struct stmt {
	struct db *db;
	sqlite3_stmt *st;
	enum err e;
};

struct stmt stmt_on(struct db *d, enum query q);

/* Parameters count from 1. Bytes are borrowed until the statement ends. 64 bits are stored as SQLite's signed number. */
void stmt_u64(struct stmt *s, int at, uint64_t v);
void stmt_blob(struct stmt *s, int at, struct span v);

/* To the next row; *row false: there is none. */
enum err stmt_next(struct stmt *s, bool *row);

/* Columns count from 0. A value of another type, or length, is E_CORRUPT. Bytes live until the next step or the end. */
uint64_t stmt_col_u64(struct stmt *s, int at);
uint32_t stmt_col_u32(struct stmt *s, int at);
struct span stmt_col_blob(struct stmt *s, int at);
void stmt_col_bytes(struct stmt *s, int at, void *p, size_t n);

/* Lets go of the statement (and of its lock of the database, outside a transaction). */
enum err stmt_end(struct stmt *s);

/* All at once, for statements without rows. */
enum err stmt_run(struct stmt *s);

/* The single number of a query without parameters. */
enum err stmt_number(struct db *d, enum query q, uint64_t *v);

#endif
