/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Other processes change the token too. The store says cheaply whether anything was committed elsewhere
 * since we last looked, and which records; those that the map has, or must have to answer searches it has answered
 * before, are read again.
 */
#include "core/token_internal.h"

#include "base/mem.h"
#include <stdlib.h>

/* More new records than this, and searches are asked anew instead of reading them all at once. */
#define MANY_NEW 64

struct sync {
	uint64_t version, since, now;
	struct store_delta *d;
	size_t n;
	bool complete; /* nothing new was left out: searches had been answered already */
};

static bool up_to_date(struct token *t, struct sync *y)
{
	bool yes;

	rwlock_read(&t->rw);
	yes = y->version == t->version;
	y->since = t->changes;
	rwlock_drop(&t->rw);
	return yes;
}

/* The map has this version, or one that is as good: our own changes come back this way too. */
static bool known_locked(const struct token *t, const struct store_delta *d)
{
	const struct entry *e = map_by_id(&t->map, d->id);

	return e != NULL && e->object->version >= d->version;
}

static int by_id(const void *a, const void *b)
{
	struct store_delta x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x.id > y.id) - (x.id < y.id);
}

static bool vanished(const struct sync *y, uint64_t id)
{
	const struct store_delta key = { .id = id };

	return id != 0 && id < y->d[0].version &&
	       bsearch(&key, y->d, y->n, sizeof(*y->d), by_id) == NULL;
}

/* Too much was removed to be listed one by one: the answer names all that is there. */
static struct entry *drop_unlisted_locked(struct token *t, struct sync *y)
{
	struct entry *gone = NULL;

	qsort(y->d, y->n, sizeof(*y->d), by_id); /* the entry that says so stays the first */
	for (struct entry *e = t->map.first, *next; e != NULL; e = next) {
		next = e->next;
		if (!e->object->token || !vanished(y, e->object->id))
			continue;
		map_remove(t, e);
		e->next = gone;
		gone = e;
	}
	for (struct load *l = t->loads; l != NULL; l = l->next)
		l->spoiled = l->spoiled || vanished(y, l->id);
	return gone;
}

/*
 * Takes out what was removed or is not to be seen any more, and leaves in y->d what is to be read: what the map has in an older
 * version, and what is new if searches were answered already.
 */
static struct entry *sort_out_locked(struct token *t, const struct access *a, struct sync *y)
{
	const bool all = y->n != 0 && y->d[0].id == 0;
	struct entry *gone = all ? drop_unlisted_locked(t, y) : NULL;
	size_t kept = 0, fresh = 0;

	for (size_t i = all; i < y->n; i++) {
		const struct store_delta d = y->d[i];
		struct entry *e = map_by_id(&t->map, d.id);
		const bool goes = d.version == 0 || !access_sees(a, d.sight);

		if (goes && e != NULL) {
			map_remove(t, e);
			e->next = gone;
			gone = e;
		}
		if (goes)
			load_spoil_locked(t, d.id);
		if (goes || known_locked(t, &d))
			continue;
		if (e == NULL && ++fresh > MANY_NEW)
			asked_clear(&t->asked);
		if (e != NULL || t->asked.n != 0)
			y->d[kept++] = d;
	}
	y->n = kept;
	y->complete = t->asked.n != 0;
	return gone;
}

static enum err reload(struct token *t, struct access *a, const struct sync *y)
{
	enum err e = OK;

	for (size_t i = 0; e == OK && i < y->n; i++)
		e = load_one(t, a, y->d[i].id);
	return e;
}

/* Without a roll, whether the token requires one decides over every use of a key. */
static enum err catch_up_audit(struct token *t, const struct access *a)
{
	struct store_info info;
	enum err e = lib_roll() == NULL ? store_info(a->medium->store, &info) : OK;

	if (e == OK && lib_roll() == NULL)
		atomic_store(&t->audit_required, info.audit_required);
	return e;
}

static enum err catch_up(struct token *t, struct access *a, struct sync *y)
{
	struct entry *gone = NULL;
	enum err e = catch_up_audit(t, a);

	if (e == OK)
		e = store_changes(a->medium->store, y->since, &y->d, &y->n, &y->now);

	if (e != OK)
		return e;
	rwlock_write(&t->rw);
	if (t->access == a)
		gone = sort_out_locked(t, a, y);
	else
		y->n = 0;
	rwlock_drop(&t->rw);
	map_bury(gone);
	e = reload(t, a, y);
	if (e != OK)
		return e;
	rwlock_write(&t->rw);
	if (t->access == a) {
		/* answered meanwhile, perhaps without what was left out */
		if (!y->complete)
			asked_clear(&t->asked);
		t->version = y->version;
		if (t->changes < y->now)
			t->changes = y->now;
	}
	rwlock_drop(&t->rw);
	return OK;
}

enum err token_sync(struct token *t)
{
	struct access *a = NULL;
	struct sync y = { 0 };
	enum err e = access_get(t, &a);

	if (e != OK)
		return e;
	/* before the changes are asked for: what is committed in between is noticed the next time */
	e = store_version(a->medium->store, &y.version);
	if (e == OK && !up_to_date(t, &y))
		e = catch_up(t, a, &y);
	if (e == E_DEVICE_REMOVED)
		e = access_lost(t, a);
	mem_free(y.d);
	access_unref(a);
	return e;
}
