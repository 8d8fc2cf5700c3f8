/* SPDX-License-Identifier: Apache-2.0 */
#include "store/stmt.h"

#include <errno.h>

static const char *const texts[Q_COUNT] = {
#define SQL(name, text) [name] = text,
#include "store/sql.def"
#undef SQL
};

struct stmt stmt_on(struct db *d, enum query q)
{
	struct stmt s = { .db = d };

	if (d->stmt[q] == NULL)
		s.e = db_err(d, sqlite3_prepare_v3(d->c, texts[q], -1, SQLITE_PREPARE_PERSISTENT,
						   &d->stmt[q], NULL));
	s.st = d->stmt[q];
	return s;
}

static void note(struct stmt *s, int rc)
{
	if (s->e == OK)
		s->e = db_err(s->db, rc);
}

void stmt_u64(struct stmt *s, int at, uint64_t v)
{
	if (s->e == OK)
		note(s, sqlite3_bind_int64(s->st, at, (sqlite3_int64)v));
}

void stmt_blob(struct stmt *s, int at, struct span v)
{
	/* a NULL pointer would bind NULL: an empty value is not an absent one */
	const void *p = v.n != 0 ? (const void *)v.p : "";

	if (s->e == OK)
		note(s, sqlite3_bind_blob64(s->st, at, p, v.n, SQLITE_STATIC));
}

enum err stmt_next(struct stmt *s, bool *row)
{
	int rc = SQLITE_DONE;

	if (s->e == OK) {
		errno = 0; /* of this step only, for db_err */
		rc = sqlite3_step(s->st);
		note(s, rc);
	}
	*row = rc == SQLITE_ROW;
	return s->e;
}

static bool has_type(struct stmt *s, int at, int type)
{
	if (s->e == OK && sqlite3_column_type(s->st, at) != type)
		s->e = E_CORRUPT;
	return s->e == OK;
}

uint64_t stmt_col_u64(struct stmt *s, int at)
{
	return has_type(s, at, SQLITE_INTEGER) ? (uint64_t)sqlite3_column_int64(s->st, at) : 0;
}

uint32_t stmt_col_u32(struct stmt *s, int at)
{
	uint64_t v = stmt_col_u64(s, at);

	if (v > UINT32_MAX)
		s->e = E_CORRUPT;
	return (uint32_t)v;
}

struct span stmt_col_blob(struct stmt *s, int at)
{
	const void *p;
	int n;

	if (!has_type(s, at, SQLITE_BLOB))
		return span(NULL, 0);
	p = sqlite3_column_blob(s->st, at);
	n = sqlite3_column_bytes(s->st, at);
	if (p == NULL && n != 0)
		s->e = E_MEMORY;
	return s->e == OK ? span(p, (size_t)n) : span(NULL, 0);
}

void stmt_col_bytes(struct stmt *s, int at, void *p, size_t n)
{
	struct span v = stmt_col_blob(s, at);

	if (s->e == OK && v.n != n)
		s->e = E_CORRUPT;
	if (s->e == OK)
		memcpy(p, v.p, n);
}

enum err stmt_end(struct stmt *s)
{
	if (s->st != NULL) {
		(void)sqlite3_reset(s->st); /* repeats the error of the step, which is noted */
		(void)sqlite3_clear_bindings(s->st);
	}
	s->st = NULL;
	return s->e;
}

enum err stmt_run(struct stmt *s)
{
	bool row = false;

	(void)stmt_next(s, &row);
	return stmt_end(s);
}

enum err stmt_number(struct db *d, enum query q, uint64_t *v)
{
	struct stmt s = stmt_on(d, q);
	bool row = false;

	if (stmt_next(&s, &row) == OK) {
		*v = row ? stmt_col_u64(&s, 0) : 0;
		if (!row)
			s.e = E_CORRUPT;
	}
	return stmt_end(&s);
}
