/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The objects that this process has handles for: by handle, by record, and by label and CKA_ID, which are what
 * programs search for.
 */
#include "core/token_internal.h"

#include "base/mem.h"

enum err map_init(struct map *m)
{
	enum err e;

	*m = (struct map){ 0 };
	e = index_init(&m->handle);
	if (e == OK)
		e = index_init(&m->id);
	if (e == OK)
		e = index_init(&m->label);
	if (e == OK)
		e = index_init(&m->cka_id);
	return e;
}

void map_free(struct map *m)
{
	map_bury(m->first);
	index_free(&m->handle);
	index_free(&m->id);
	index_free(&m->label);
	index_free(&m->cka_id);
	*m = (struct map){ 0 };
}

bool map_key(CK_ATTRIBUTE_TYPE t, struct span v, uint64_t *key)
{
	if (v.n == 0)
		return false;
	/* never 0, which means "none" where keys are collected */
	*key = (index_hash(&lib_this()->hash, v) ^ t) | 1;
	return true;
}

struct entry *map_by_handle(const struct map *m, CK_OBJECT_HANDLE h)
{
	struct link *l = index_first(&m->handle, h);

	return l != NULL ? index_member(l, struct entry, by_handle) : NULL;
}

struct entry *map_by_id(const struct map *m, uint64_t id)
{
	struct link *l = index_first(&m->id, id);

	return l != NULL ? index_member(l, struct entry, by_id) : NULL;
}

static void index_attributes(struct map *m, struct entry *e)
{
	uint64_t key;

	if (map_key(CKA_LABEL, attrset_bytes(e->object->attrs, CKA_LABEL), &key))
		index_add(&m->label, &e->by_label, key);
	if (map_key(CKA_ID, attrset_bytes(e->object->attrs, CKA_ID), &key))
		index_add(&m->cka_id, &e->by_cka_id, key);
}

static void unindex_attributes(struct map *m, struct entry *e)
{
	index_remove(&m->label, &e->by_label);
	index_remove(&m->cka_id, &e->by_cka_id);
}

static void append(struct map *m, struct entry *e)
{
	e->next = NULL;
	e->prev = m->last;
	if (m->last != NULL)
		m->last->next = e;
	else
		m->first = e;
	m->last = e;
}

static void own(struct session *s, struct entry *e)
{
	e->owner = s;
	e->ses_prev = NULL;
	e->ses_next = s->objects;
	if (e->ses_next != NULL)
		e->ses_next->ses_prev = e;
	s->objects = e;
}

static void disown(struct entry *e)
{
	if (e->owner == NULL)
		return;
	if (e->ses_next != NULL)
		e->ses_next->ses_prev = e->ses_prev;
	if (e->ses_prev != NULL)
		e->ses_prev->ses_next = e->ses_next;
	else
		e->owner->objects = e->ses_next;
	e->owner = NULL;
}

void map_add(struct token *t, struct entry *e, struct object *o, struct session *owner)
{
	*e = (struct entry){ .object = o };
	/* under the lock, so that the list is in order of handle */
	e->handle = atomic_fetch_add(&lib_this()->last_handle, 1) + 1;
	append(&t->map, e);
	index_add(&t->map.handle, &e->by_handle, e->handle);
	if (owner != NULL)
		own(owner, e);
	else
		index_add(&t->map.id, &e->by_id, o->id);
	index_attributes(&t->map, e);
}

struct object *map_replace(struct token *t, struct entry *e, struct object *o)
{
	struct object *old = e->object;

	unindex_attributes(&t->map, e);
	e->object = o;
	index_attributes(&t->map, e);
	return old;
}

void map_remove(struct token *t, struct entry *e)
{
	struct map *m = &t->map;

	if (e->next != NULL)
		e->next->prev = e->prev;
	else
		m->last = e->prev;
	if (e->prev != NULL)
		e->prev->next = e->next;
	else
		m->first = e->next;
	e->next = e->prev = NULL;
	index_remove(&m->handle, &e->by_handle);
	index_remove(&m->id, &e->by_id);
	unindex_attributes(m, e);
	disown(e);
}

bool map_every(const struct entry *e)
{
	(void)e;
	return true;
}

struct entry *map_sweep(struct token *t, bool (*goes)(const struct entry *e))
{
	struct entry *gone = NULL;

	for (struct entry *e = t->map.first, *next; e != NULL; e = next) {
		next = e->next;
		if (!goes(e))
			continue;
		map_remove(t, e);
		e->next = gone;
		gone = e;
	}
	return gone;
}

void map_bury(struct entry *chain)
{
	while (chain != NULL) {
		struct entry *next = chain->next;

		object_unref(chain->object);
		mem_free(chain);
		chain = next;
	}
}
