/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"
#include "base/mem.h"
#include "store/archive.h"
#include "store/event.h"
#include "store/folder.h"
#include "store/head.h"
#include "store/place.h"
#include "store/stmt.h"

struct restore {
	const char *dir;
	struct archive_reader *in;
	struct store_event *event;
	struct head head;
	bool has_head, has_so;
};

/* ---- the serial stays: what is sealed is bound to it ---- */

/* A token that cannot be read is none of this backup: it may be what the backup is to replace. That one could not look is an error. */
static enum err has_serial(const char *path, const uint8_t *serial, bool *same)
{
	struct db d;
	struct head h;
	enum err e = db_open(&d, path, true, NULL);

	*same = false;
	if (e == OK) {
		e = head_get(&d, &h);
		*same = e == OK && memcmp(h.ident.serial, serial, sizeof(h.ident.serial)) == 0;
		db_close(&d);
	}
	return e == E_MEMORY || e == E_BUSY ? e : OK;
}

static enum err check_slot(const struct restore *r, CK_SLOT_ID slot, struct why *why)
{
	struct place at;
	bool same;
	enum err e;

	if (place_find(r->dir, slot, &at, NULL) != OK)
		return OK;
	e = has_serial(at.path, r->head.ident.serial, &same);
	if (e != OK)
		return why_fail(why, e, "cannot look into slot %lu: %s", slot, err_text(e));
	if (!same)
		return OK;
	return why_fail(
		why, E_EXISTS,
		"slot %lu holds the token of this backup: delete it first, or restore into another directory",
		slot);
}

/* Two tokens of one serial in a folder could not be told apart by any application. The gate is held. */
static enum err check_serial(const struct restore *r, struct why *why)
{
	CK_SLOT_ID *ids = NULL, next;
	size_t n = 0;
	enum err e = store_list(r->dir, &ids, &n, &next, why);

	for (size_t i = 0; e == OK && i < n; i++)
		e = check_slot(r, ids[i], why);
	mem_free(ids);
	return e;
}

/* ---- items ---- */

static bool take_into(struct span *in, void *p, size_t n)
{
	struct span v;

	if (!take_bytes(in, n, &v))
		return false;
	memcpy(p, v.p, n);
	return true;
}

static enum err get_token(struct restore *r, struct db *d, struct span in, struct why *why)
{
	struct head *h = &r->head;
	enum err e;

	if (r->has_head || !take_into(&in, &h->ident, sizeof(h->ident)) ||
	    !take_into(&in, h->label, sizeof(h->label)) ||
	    !take_into(&in, h->salt, sizeof(h->salt)) || !take_u64(&in, &h->changes) ||
	    !take_u64(&in, &h->unsealed) || !take_u64(&in, &h->next_id) ||
	    !take_u64(&in, &h->next_event) || !take_u32(&in, &h->flags) ||
	    !take_into(&in, h->sealed, sizeof(h->sealed)) || in.n != 0)
		return E_CORRUPT;
	h->pruned = h->changes;
	r->has_head = true;
	e = check_serial(r, why);
	if (e == OK)
		e = event_put(d, h, r->event);
	return e == OK ? head_make(d, h) : e;
}

static enum err get_pin(struct restore *r, struct db *d, struct span in, struct why *why)
{
	struct pinkey pk;
	uint32_t user, failures;

	(void)why;
	if (!take_u32(&in, &user) || (user != STORE_USER && user != STORE_SO) ||
	    !take_u32(&in, &pk.kdf) || !take_u32(&in, &pk.cost) || !take_u32(&in, &pk.passes) ||
	    !take_u32(&in, &failures) || !take_into(&in, pk.salt, sizeof(pk.salt)) ||
	    !take_into(&in, pk.wrapped, sizeof(pk.wrapped)) || in.n != 0 || !pinkey_sane(&pk))
		return E_CORRUPT;
	r->has_so = r->has_so || user == STORE_SO;
	return head_pin_put(d, &r->head.ident, (enum store_user)user, &pk, failures);
}

/* Numbers in the order of the columns, then tag and blob. */
static enum err get_object(struct restore *r, struct db *d, struct span in, struct why *why)
{
	struct stmt q = stmt_on(d, Q_OBJECT_PUT);
	struct span tag;
	uint64_t v;
	uint32_t n;

	(void)r;
	(void)why;
	for (int i = 1; q.e == OK && i <= 7; i++) {
		if (take_u64(&in, &v))
			stmt_u64(&q, i, v);
		else
			q.e = E_CORRUPT;
	}
	if (q.e == OK && (!take_u32(&in, &n) || !take_bytes(&in, n, &tag)))
		q.e = E_CORRUPT;
	if (q.e == OK) {
		stmt_blob(&q, 8, tag);
		stmt_blob(&q, 9, in);
	}
	return stmt_run(&q);
}

static enum err get_uses(struct restore *r, struct db *d, struct span in, struct why *why)
{
	struct stmt q = stmt_on(d, Q_USES_PUT);
	struct span roll;
	uint64_t v;

	(void)r;
	(void)why;
	if (q.e == OK && !take_bytes(&in, STORE_ROLL, &roll))
		q.e = E_CORRUPT;
	if (q.e == OK)
		stmt_blob(&q, 1, roll);
	for (int i = 2; q.e == OK && i <= 4; i++) {
		if (take_u64(&in, &v))
			stmt_u64(&q, i, v);
		else
			q.e = E_CORRUPT;
	}
	if (q.e == OK)
		stmt_blob(&q, 5, in);
	return stmt_run(&q);
}

static const struct {
	enum archive_item type;
	bool first; /* comes before all others */
	enum err (*get)(struct restore *r, struct db *d, struct span in, struct why *why);
} items[] = {
	{ ITEM_TOKEN, true, get_token },
	{ ITEM_PIN, false, get_pin },
	{ ITEM_OBJECT, false, get_object },
	{ ITEM_USES, false, get_uses },
};

static enum err get_item(struct restore *r, struct db *d, uint8_t type, struct span body,
			 struct why *why)
{
	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++)
		if ((uint8_t)items[i].type == type)
			return items[i].first || r->has_head ? items[i].get(r, d, body, why)
							     : E_CORRUPT;
	return E_CORRUPT;
}

static enum err fill(void *arg, struct db *d, struct why *why)
{
	struct restore *r = arg;
	bool more = true;
	enum err e = OK;

	while (e == OK && more) {
		uint8_t type = 0;
		struct span body;

		e = archive_next(r->in, &more, &type, &body);
		if (e == OK && more)
			e = get_item(r, d, type, body, why);
	}
	if (e == OK && !(r->has_head && r->has_so))
		e = E_CORRUPT;
	if (e == E_CORRUPT && why != NULL && why->text[0] == '\0')
		why_fail(why, e, "%s has the right seal, but not what a backup has", r->in->path);
	return e;
}

enum err store_restore(const char *dir, CK_SLOT_ID slot, const struct store_policy *p,
		       struct span passphrase, const char *path, struct store_event *ev,
		       struct why *why)
{
	struct archive_reader in;
	struct restore r = { .dir = dir, .in = &in, .event = ev };
	struct why own = { .text = "" };
	int fd = -1;
	enum err e = file_open(path, FILE_FOLLOW, &fd, why);

	if (e != OK)
		return e;
	if (why == NULL)
		why = &own;
	why->text[0] = '\0';
	e = archive_open(&in, fd, path, passphrase, why);
	if (e == OK)
		e = folder_add(dir, slot, p, fill, &r, why);
	event_unsettle(ev, e);
	archive_close(&in);
	file_close(fd);
	return e;
}
