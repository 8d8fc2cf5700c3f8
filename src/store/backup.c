/* SPDX-License-Identifier: Apache-2.0 */
#include "base/dir.h"
#include "base/file.h"
#include "crypto/lib.h"
#include "store/archive.h"
#include "store/head.h"
#include "store/inside.h"
#include "store/lookup.h"
#include "store/useset.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- items ---- */

static enum err put_token(struct archive_writer *w, const struct head *h)
{
	struct buf b = { 0 };
	enum err e = buf_put(&b, span(&h->ident, sizeof(h->ident)));

	if (e == OK)
		e = buf_put(&b, span(h->label, sizeof(h->label)));
	if (e == OK)
		e = buf_put(&b, span(h->salt, sizeof(h->salt)));
	if (e == OK)
		e = buf_put_u64(&b, h->changes);
	if (e == OK)
		e = buf_put_u64(&b, h->unsealed);
	if (e == OK)
		e = buf_put_u64(&b, h->next_id);
	if (e == OK)
		e = buf_put_u64(&b, h->next_event);
	if (e == OK)
		e = buf_put_u32(&b, h->flags);
	if (e == OK)
		e = buf_put(&b, span(h->sealed, sizeof(h->sealed)));
	if (e == OK)
		e = archive_item(w, ITEM_TOKEN, buf_span(&b));
	buf_free(&b);
	return e;
}

static enum err put_pin(struct archive_writer *w, struct db *d, const struct head *h,
			enum store_user u)
{
	struct buf b = { 0 };
	struct pinkey pk;
	uint32_t failures = 0;
	bool set = false;
	enum err e = head_pin_get(d, &h->ident, u, &set, &pk, &failures);

	if (e != OK || !set)
		return e;
	e = buf_put_u32(&b, (uint32_t)u);
	if (e == OK)
		e = buf_put_u32(&b, pk.kdf);
	if (e == OK)
		e = buf_put_u32(&b, pk.cost);
	if (e == OK)
		e = buf_put_u32(&b, pk.passes);
	if (e == OK)
		e = buf_put_u32(&b, failures);
	if (e == OK)
		e = buf_put(&b, span(pk.salt, sizeof(pk.salt)));
	if (e == OK)
		e = buf_put(&b, span(pk.wrapped, sizeof(pk.wrapped)));
	if (e == OK)
		e = archive_item(w, ITEM_PIN, buf_span(&b));
	buf_free(&b);
	return e;
}

static enum err put_row(struct archive_writer *w, const struct row *row)
{
	const uint64_t numbers[] = { row->id,  row->version,  row->changed, row->sight,
				     row->cls, row->label_ix, row->id_ix };
	struct buf b = { .max = ARCHIVE_ITEM_MAX };
	enum err e = OK;

	for (size_t i = 0; e == OK && i < sizeof(numbers) / sizeof(numbers[0]); i++)
		e = buf_put_u64(&b, numbers[i]);
	if (e == OK)
		e = buf_put_u32(&b, (uint32_t)row->tag.n);
	if (e == OK)
		e = buf_put(&b, row->tag);
	if (e == OK)
		e = buf_put(&b, row->blob);
	if (e == OK)
		e = archive_item(w, ITEM_OBJECT, buf_span(&b));
	buf_free(&b);
	return e;
}

static enum err put_rows(struct archive_writer *w, struct db *d)
{
	struct stmt q = stmt_on(d, Q_OBJECTS_ALL);
	struct row row;
	bool more = true;

	while (stmt_next(&q, &more) == OK && more) {
		lookup_row(&q, &row);
		if (q.e == OK)
			q.e = put_row(w, &row);
	}
	return stmt_end(&q);
}

static enum err put_uses_row(struct archive_writer *w, const struct useset_row *row)
{
	const uint64_t numbers[] = { row->file, row->part, row->page };
	struct buf b = { .max = ARCHIVE_ITEM_MAX };
	enum err e = buf_put(&b, span(row->roll, sizeof(row->roll)));

	for (size_t i = 0; e == OK && i < sizeof(numbers) / sizeof(numbers[0]); i++)
		e = buf_put_u64(&b, numbers[i]);
	if (e == OK)
		e = buf_put(&b, row->blob);
	if (e == OK)
		e = archive_item(w, ITEM_USES, buf_span(&b));
	buf_free(&b);
	return e;
}

static enum err put_uses(struct archive_writer *w, struct db *d)
{
	struct stmt q = stmt_on(d, Q_USES_ALL);
	struct useset_row row;
	bool more = true;

	while (stmt_next(&q, &more) == OK && more) {
		useset_row(&q, &row);
		if (q.e == OK)
			q.e = put_uses_row(w, &row);
	}
	return stmt_end(&q);
}

/* All in one transaction: what is in the backup was so at one time. Pending records are the audit log's, and stay here. */
static enum err put_all(struct store *s, struct archive_writer *w)
{
	struct head h;
	enum err e = txn_read(s);

	if (e != OK)
		return e;
	e = head_get(&s->db, &h);
	if (e == OK)
		e = put_token(w, &h);
	if (e == OK)
		e = put_pin(w, &s->db, &h, STORE_SO);
	if (e == OK)
		e = put_pin(w, &s->db, &h, STORE_USER);
	if (e == OK)
		e = put_rows(w, &s->db);
	if (e == OK)
		e = put_uses(w, &s->db);
	txn_end(s);
	return e;
}

/* ---- the file ---- */

static enum err write_archive(struct store *s, int fd, const char *path, struct span passphrase,
			      struct why *why)
{
	struct archive_writer w;
	enum err e = archive_begin(&w, fd, path, &s->policy, passphrase, why);

	if (e == OK)
		e = put_all(s, &w);
	if (e == OK)
		e = archive_finish(&w);
	archive_end(&w);
	if (e == OK && fsync(fd) != 0)
		e = why_errno(why, "cannot sync %s", path);
	return e;
}

static enum err make_temp(const char *path, char temp[PATH_MAX], int *fd, struct why *why)
{
	unsigned long long r;
	enum err e = crypto_random(&r, sizeof(r));

	if (e != OK)
		return why_fail(why, e, "no random bytes");
	if (snprintf(temp, PATH_MAX, "%s.%016llx.tmp", path, r) >= PATH_MAX)
		return why_fail(why, E_ARGUMENTS, "the path %s is too long", path);
	*fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return *fd >= 0 ? OK : file_not_created(path, why);
}

/* Unlike rename this does not replace what is there: it may be the only good backup. Old file systems have only link. */
static enum err name_it(const char *temp, const char *path, struct why *why)
{
	int rc = renameat2(AT_FDCWD, temp, AT_FDCWD, path, RENAME_NOREPLACE);

	if (rc != 0 && (errno == EINVAL || errno == ENOSYS))
		rc = link(temp, path);
	if (rc != 0 && errno == EEXIST)
		return why_fail(why, E_EXISTS,
				"%s exists already, and a backup does not replace a file", path);
	return rc == 0 ? OK : file_not_created(path, why);
}

enum err store_backup(struct store *s, struct span passphrase, const char *path, struct why *why)
{
	char temp[PATH_MAX];
	int fd = -1;
	enum err e = make_temp(path, temp, &fd, why);

	if (e != OK)
		return e;
	e = fchmod(fd, 0600) == 0 ? OK : why_errno(why, "cannot set the mode of %s", path);
	if (e == OK)
		e = write_archive(s, fd, path, passphrase, why);
	file_close(fd);
	if (e == OK)
		e = name_it(temp, path, why);
	(void)unlink(temp);
	if (e == OK)
		e = dir_sync_of(path, why);
	if (e != OK && why != NULL && why->text[0] == '\0')
		why_fail(why, e, "cannot back the token up: %s", err_text(e));
	return e;
}
