/* SPDX-License-Identifier: Apache-2.0 */
#include "store/schema.h"

#include "base/dir.h"
#include "base/file.h"
#include "store/stmt.h"
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY_CHUNK 16384

/* In the order of their names, in which schema_check reads them back. */
static const char *const objects[] = {
	"CREATE TABLE events (seq INTEGER PRIMARY KEY, body BLOB NOT NULL)",
	"CREATE TABLE objects (id INTEGER PRIMARY KEY, version INTEGER NOT NULL, changed INTEGER NOT NULL, "
	"sight INTEGER NOT NULL, cls INTEGER NOT NULL, label_ix INTEGER NOT NULL, id_ix INTEGER NOT NULL, "
	"tag BLOB NOT NULL, blob BLOB NOT NULL)",
	"CREATE INDEX objects_changed ON objects (changed, version, sight)",
	"CREATE INDEX objects_cls ON objects (cls, sight)",
	"CREATE INDEX objects_id ON objects (id_ix, sight)",
	"CREATE INDEX objects_label ON objects (label_ix, sight)",
	"CREATE TABLE pins (user INTEGER PRIMARY KEY, kdf INTEGER NOT NULL, cost INTEGER NOT NULL, "
	"passes INTEGER NOT NULL, salt BLOB NOT NULL, wrapped BLOB NOT NULL, sum BLOB NOT NULL, "
	"failures INTEGER NOT NULL)",
	"CREATE TABLE removed (id INTEGER PRIMARY KEY, changed INTEGER NOT NULL)",
	"CREATE INDEX removed_changed ON removed (changed)",
	"CREATE TABLE token (one INTEGER PRIMARY KEY CHECK (one = 1), serial BLOB NOT NULL, "
	"generation BLOB NOT NULL, label BLOB NOT NULL, salt BLOB NOT NULL, changes INTEGER NOT NULL, "
	"unsealed INTEGER NOT NULL, next_id INTEGER NOT NULL, pruned INTEGER NOT NULL, "
	"next_event INTEGER NOT NULL, flags INTEGER NOT NULL, sealed BLOB NOT NULL)",
	"CREATE TABLE uses (roll BLOB NOT NULL, file INTEGER NOT NULL, part INTEGER NOT NULL, "
	"page INTEGER NOT NULL, blob BLOB NOT NULL, "
	"PRIMARY KEY (roll, file, part, page)) WITHOUT ROWID",
};

#define OBJECTS (sizeof(objects) / sizeof(objects[0]))

/* There is no format before the first. */
const struct migrations schema_migrations = { NULL, 0, SCHEMA_FORMAT };

enum err schema_create(struct db *d)
{
	/* 0x43484e43, which PRAGMA takes in decimal only */
	enum err e = db_exec(d, "PRAGMA application_id = 1128812099; "
				"PRAGMA user_version = 1");

	_Static_assert(DB_APPLICATION == 1128812099 && SCHEMA_FORMAT == 1, "as in the pragmas");
	for (size_t i = 0; e == OK && i < OBJECTS; i++)
		e = db_exec(d, objects[i]);
	return e;
}

/* ---- migration ---- */

/* The bytes of the file while nobody can write to it: our transaction has the right to, and did not use it yet. */
static enum err copy_bytes(struct db *d, int fd, const char *copy, struct why *why)
{
	sqlite3_int64 size = 0;
	uint8_t chunk[COPY_CHUNK];
	enum err e = db_err(d, d->file->pMethods->xFileSize(d->file, &size));

	for (sqlite3_int64 at = 0; e == OK && at < size; at += COPY_CHUNK) {
		int n = (int)(size - at < COPY_CHUNK ? size - at : COPY_CHUNK);

		e = db_err(d, d->file->pMethods->xRead(d->file, chunk, n, at));
		if (e == OK)
			e = file_write_fd(fd, copy, span(chunk, (size_t)n), why);
	}
	if (e == OK && fsync(fd) != 0)
		e = why_errno(why, "cannot sync %s", copy);
	return e;
}

/* A copy that is there already is of an attempt that did not get through: it is made anew. */
static enum err copy_file(struct db *d, const char *path, unsigned format, struct why *why)
{
	char copy[PATH_MAX];
	struct stat st;
	int fd;
	enum err e;

	if (snprintf(copy, sizeof(copy), "%s.format-%u", path, format) >= (int)sizeof(copy))
		return why_fail(why, E_ARGUMENTS, "the path %s is too long", path);
	if (stat(path, &st) != 0)
		return why_errno(why, "cannot examine %s", path);
	(void)unlink(copy);
	fd = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return why_errno(why, "cannot make %s", copy);
	e = fchmod(fd, st.st_mode & 0777) == 0 ? OK
					       : why_errno(why, "cannot set the mode of %s", copy);
	if (e == OK)
		e = copy_bytes(d, fd, copy, why);
	if (close(fd) != 0 && e == OK)
		e = why_errno(why, "cannot close %s", copy);
	if (e == OK)
		e = dir_sync_of(copy, why);
	if (e != OK)
		(void)unlink(copy);
	return e;
}

static const struct migration *step_from(const struct migrations *m, unsigned format)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->step[i].from == format)
			return &m->step[i];
	return NULL;
}

static enum err take_steps(struct db *d, const struct migrations *m, unsigned format,
			   struct why *why)
{
	char sql[40];
	enum err e = OK;

	for (; e == OK && format < m->format; format++) {
		const struct migration *s = step_from(m, format);

		if (s == NULL)
			return why_fail(
				why, E_TOKEN_UNKNOWN,
				"the token has format %u, which this version cannot bring up to date",
				format);
		e = db_exec(d, s->sql);
	}
	snprintf(sql, sizeof(sql), "PRAGMA user_version = %u", m->format);
	return e == OK ? db_exec(d, sql) : e;
}

/* The format may have become the new one while we waited for the right to write. */
static enum err migrate(struct db *d, const char *path, const struct migrations *m, struct why *why)
{
	uint64_t format = 0;
	enum err e = db_exec(d, "BEGIN IMMEDIATE");

	if (e == OK)
		e = stmt_number(d, Q_FORMAT, &format);
	if (e == OK && format < m->format)
		e = copy_file(d, path, (unsigned)format, why);
	if (e == OK && format < m->format)
		e = take_steps(d, m, (unsigned)format, why);
	if (e == OK)
		e = db_exec(d, "COMMIT");
	db_rollback(d);
	return e;
}

static enum err why_newer(struct why *why, const char *path, uint64_t format, unsigned known)
{
	return why_fail(
		why, E_TOKEN_UNKNOWN,
		"%s has format %llu, and this version knows up to %u: use the newer version that made it",
		path, (unsigned long long)format, known);
}

/* Builds before the first release wrote other columns under the same number. */
static enum err check_columns(struct db *d, const char *path, struct why *why)
{
	struct stmt s = stmt_on(d, Q_TOKEN_GET);
	enum err e = stmt_end(&s);

	if (e == OK) {
		s = stmt_on(d, Q_USES_ALL);
		e = stmt_end(&s);
	}
	return e != E_CORRUPT
		       ? e
		       : why_fail(
				 why, e,
				 "%s has not the columns of its format: an unreleased build made it, or it is damaged",
				 path);
}

enum err schema_open(struct db *d, const char *path, const struct migrations *m, struct why *why)
{
	uint64_t application = 0, format = 0;
	enum err e = stmt_number(d, Q_APPLICATION, &application);

	if (e == OK)
		e = stmt_number(d, Q_FORMAT, &format);
	if (e != OK)
		return db_why(why, e, d, path);
	if (application != DB_APPLICATION)
		return why_fail(why, E_CORRUPT, "%s is not a token of Chancery", path);
	if (format > m->format)
		return why_newer(why, path, format, m->format);
	if (format == m->format)
		return check_columns(d, path, why);
	if (d->read_only)
		return why_fail(why, E_TOKEN_UNKNOWN,
				"%s has the old format %llu: open it once where it can be written",
				path, (unsigned long long)format);
	e = migrate(d, path, m, why);
	if (e != OK && why != NULL && why->text[0] == '\0')
		why_fail(why, e, "cannot bring %s up to date: %s", path, err_text(e));
	return e;
}

enum err schema_still(struct db *d)
{
	uint64_t format = 0;
	enum err e = stmt_number(d, Q_FORMAT, &format);

	return e == OK && format != SCHEMA_FORMAT ? E_TOKEN_UNKNOWN : e;
}

enum err schema_check(struct db *d, bool *same)
{
	struct stmt s = stmt_on(d, Q_SCHEMA);
	size_t at = 0;
	bool row = true;

	*same = true;
	while (stmt_next(&s, &row) == OK && row) {
		const char *sql = (const char *)sqlite3_column_text(s.st, 0);

		if (sql == NULL || at == OBJECTS || strcmp(sql, objects[at]) != 0)
			*same = false;
		else
			at++;
	}
	if (at != OBJECTS)
		*same = false;
	return stmt_end(&s);
}
