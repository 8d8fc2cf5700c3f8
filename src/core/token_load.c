/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records become objects in the map. The record is read without any of the token's locks; whoever publishes a
 * removal meanwhile marks the load (load_spoil_locked), so that what was removed does not come back. Other changes
 * need no mark: a newer version is never replaced by an older one.
 */
#include "core/token_internal.h"

#include "base/log.h"
#include "base/mem.h"

static void begin(struct token *t, struct load *l, uint64_t id)
{
	*l = (struct load){ .id = id };
	rwlock_write(&t->rw);
	l->next = t->loads;
	t->loads = l;
	rwlock_drop(&t->rw);
}

static void end_locked(struct token *t, struct load *l)
{
	struct load **at = &t->loads;

	while (*at != l)
		at = &(*at)->next;
	*at = l->next;
}

void load_spoil_locked(struct token *t, uint64_t id)
{
	for (struct load *l = t->loads; l != NULL; l = l->next)
		if (l->id == id)
			l->spoiled = true;
}

/* Takes over what r owns. */
static enum err to_object(struct record *r, struct object **out)
{
	struct attrset *attrs = r->attrs;
	enum err e;

	r->attrs = NULL; /* moved */
	e = object_new(attrs, (r->traits & RECORD_TOKEN_LINEAGE) != 0, out);
	if (e != OK)
		return e;
	(*out)->id = r->id;
	(*out)->version = r->version;
	(*out)->verified =
		r->verified || r->priv; /* what is sealed opened, or it would not be here */
	return OK;
}

/* One that does not open was damaged or altered: it is left out, said once, and found by doctor. */
static enum err read_object(struct token *t, const struct access *a, uint64_t id,
			    struct object **out)
{
	struct record r = { 0 };
	enum err e = store_get(a->medium->store, a->seal, id, &r);

	if (e == OK && r.priv && access_sight(a) == NULL)
		e = E_OBJECT_HANDLE; /* the security officer does not see it */
	if (e == OK)
		e = to_object(&r, out);
	record_clear(&r);
	if (e == E_CORRUPT)
		log_fault(FAULT_STORE,
			  "slot %lu: object %llu is damaged or was altered: run chancery doctor",
			  t->slot, (unsigned long long)id);
	return e;
}

static bool newer(const struct object *o, const struct object *than)
{
	return o->version > than->version ||
	       (o->version == than->version && o->verified && !than->verified);
}

/* Puts o into the map, or forgets it; *old and e are the caller's to free after the unlock if they are not NULL. */
static void publish_locked(struct token *t, struct object *o, struct entry **e, struct object **old)
{
	struct entry *have = map_by_id(&t->map, o->id);

	if (have == NULL) {
		map_add(t, *e, o, NULL);
		*e = NULL; /* moved */
	} else {
		*old = newer(o, have->object) ? map_replace(t, have, o) : o;
	}
}

/* What could not be opened now that somebody is logged in must not stay visible as it was read without login. */
static struct entry *withdraw_locked(struct token *t, uint64_t id)
{
	struct entry *have = map_by_id(&t->map, id);

	if (have != NULL)
		map_remove(t, have);
	return have;
}

static enum err load_locked(struct token *t, struct access *a, struct load *l, enum err e,
			    struct object **o, struct entry **spare, struct entry **gone)
{
	struct object *old = NULL;

	if (t->access != a || l->spoiled)
		return OK;
	if (e == E_CORRUPT)
		*gone = withdraw_locked(t, l->id);
	if (e != OK)
		return e == E_CORRUPT || e == E_OBJECT_HANDLE ? OK : e;
	publish_locked(t, *o, spare, &old);
	*o = old; /* moved; what it replaced is to go */
	return OK;
}

enum err load_one(struct token *t, struct access *a, uint64_t id)
{
	struct object *o = NULL;
	struct entry *gone = NULL, *spare = mem_alloc(sizeof(*spare));
	struct load l;
	enum err e;

	if (spare == NULL)
		return E_MEMORY;
	begin(t, &l, id);
	e = read_object(t, a, id, &o);
	rwlock_write(&t->rw);
	end_locked(t, &l);
	e = load_locked(t, a, &l, e, &o, &spare, &gone);
	rwlock_drop(&t->rw);
	map_bury(gone);
	object_unref(o);
	mem_free(spare);
	return e == E_DEVICE_REMOVED ? access_lost(t, a) : e;
}

static bool missing(struct token *t, const struct access *a, uint64_t id)
{
	const struct entry *e;
	bool yes;

	rwlock_read(&t->rw);
	e = map_by_id(&t->map, id);
	yes = e == NULL || (a->seal != NULL && !e->object->verified);
	rwlock_drop(&t->rw);
	return yes;
}

enum err load_missing(struct token *t, struct access *a, const uint64_t *ids, size_t n)
{
	enum err e = OK;

	for (size_t i = 0; e == OK && i < n; i++)
		if (missing(t, a, ids[i]))
			e = load_one(t, a, ids[i]);
	return e;
}
