/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records become objects in the map. The record is read without any of the token's locks; whoever publishes a
 * removal meanwhile marks the load (load_spoil_locked), so that what was removed does not come back. Other changes
 * need no mark: a newer version is never replaced by an older one.
 */
#include "core/token_internal.h"

#include "base/log.h"
#include "base/mem.h"

static enum err begin(struct token *t, struct load *l, uint64_t id)
{
	*l = (struct load){ .id = id, .spare = mem_alloc(sizeof(*l->spare)) };
	if (l->spare == NULL)
		return E_MEMORY;
	rwlock_write(&t->rw);
	l->next = t->loads;
	t->loads = l;
	rwlock_drop(&t->rw);
	return OK;
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

/* Takes over what r owns. checked: it was read with a seal. */
static enum err to_object(struct record *r, bool checked, struct object **out)
{
	struct attrset *attrs = r->attrs;
	enum err e;

	r->attrs = NULL; /* moved */
	e = object_new(attrs, (r->traits & RECORD_TOKEN_LINEAGE) != 0, out);
	if (e != OK)
		return e;
	(*out)->id = r->id;
	(*out)->version = r->version;
	/* what is sealed opened, or it would not be here */
	(*out)->verified = r->verified || r->priv;
	(*out)->checked = checked || r->priv;
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
		e = to_object(&r, a->seal != NULL, out);
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
	       (o->version == than->version && o->checked && !than->checked);
}

static void publish_locked(struct token *t, struct load *l)
{
	struct entry *have = map_by_id(&t->map, l->id);

	if (have == NULL) {
		map_add(t, l->spare, l->object, NULL);
		l->spare = NULL; /* moved */
		l->object = NULL;
	} else if (newer(l->object, have->object)) {
		l->object = map_replace(t, have, l->object);
	}
}

/* What does not open now that somebody is logged in must not stay visible as it was read without login. */
static void withdraw_locked(struct token *t, struct load *l)
{
	struct entry *have = map_by_id(&t->map, l->id);

	if (have == NULL)
		return;
	map_remove(t, have);
	l->object = have->object;
	mem_free(l->spare);
	l->spare = have;
}

/* e: how the reading went. */
static enum err finish_locked(struct token *t, const struct access *a, struct load *l, enum err e)
{
	end_locked(t, l);
	if (t->access != a || l->spoiled || e == E_OBJECT_HANDLE)
		return OK;
	if (e == E_CORRUPT) {
		withdraw_locked(t, l);
		return OK;
	}
	if (e == OK)
		publish_locked(t, l);
	return e;
}

enum err load_one(struct token *t, struct access *a, uint64_t id)
{
	struct load l;
	enum err e = begin(t, &l, id);

	if (e != OK)
		return e;
	e = read_object(t, a, id, &l.object);
	rwlock_write(&t->rw);
	e = finish_locked(t, a, &l, e);
	rwlock_drop(&t->rw);
	object_unref(l.object);
	mem_free(l.spare);
	return e == E_DEVICE_REMOVED ? access_lost(t, a) : e;
}

static bool missing(struct token *t, const struct access *a, uint64_t id)
{
	const struct entry *e;
	bool yes;

	rwlock_read(&t->rw);
	e = map_by_id(&t->map, id);
	yes = e == NULL || (a->seal != NULL && !e->object->checked);
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
