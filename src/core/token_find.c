/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searching. The store is asked which records can match, once for each question: those are read into the map, the question is
 * remembered, and from then on token_sync keeps the map complete for it, so that the same question is answered from memory.
 */
#include "core/release.h"
#include "core/token_internal.h"

#include "base/mem.h"
#include <stdlib.h>

/* Others may change the token while the store is asked; then it is asked again, or the answer is not remembered. */
#define TRIES 3

/* What the template can be looked up by, best first. */
struct question {
	struct store_query q;
	struct span label, id;
	CK_OBJECT_CLASS cls;        /* CK_UNAVAILABLE_INFORMATION: any */
	uint64_t label_key, id_key; /* in the map's indexes; 0: not by this */
	uint64_t asked;             /* the key of the question */
	bool token;                 /* can match token objects at all */
};

static void question_of(const struct attrset *templ, struct question *x)
{
	*x = (struct question){ .q = { .cls = CK_UNAVAILABLE_INFORMATION },
				.cls = CK_UNAVAILABLE_INFORMATION,
				.token = true,
				.asked = 1 };
	if (templ == NULL)
		return;
	x->token = attrset_bool(templ, CKA_TOKEN, true);
	x->cls = attrset_ulong(templ, CKA_CLASS, CK_UNAVAILABLE_INFORMATION);
	x->id = attrset_bytes(templ, CKA_ID);
	x->label = attrset_bytes(templ, CKA_LABEL);
	/* the rarer one decides alone: a question for each label or id, whatever else the template says */
	if (map_key(CKA_ID, x->id, &x->id_key)) {
		x->q.id = &x->id;
		x->asked = x->id_key;
	} else if (map_key(CKA_LABEL, x->label, &x->label_key)) {
		x->q.label = &x->label;
		x->asked = x->label_key;
	} else if (x->cls != CK_UNAVAILABLE_INFORMATION) {
		x->q.cls = x->cls;
		x->asked = (x->q.cls + 1) << 1; /* even, so unlike all others */
	}
}

/* Whether the map is complete for the question; *changes: as of which change. */
static bool answered(struct token *t, const struct question *x, uint64_t *changes)
{
	bool yes;

	rwlock_read(&t->rw);
	yes = asked_has(&t->asked, x->asked) || asked_has(&t->asked, 1);
	*changes = t->changes;
	rwlock_drop(&t->rw);
	return yes;
}

/* False: others came in between. */
static bool remember(struct token *t, const struct access *a, const struct question *x,
		     uint64_t changes)
{
	bool same;

	rwlock_write(&t->rw);
	same = t->access == a && t->changes == changes;
	if (same)
		asked_add(&t->asked, x->asked);
	rwlock_drop(&t->rw);
	return same;
}

static enum err ask(struct token *t, struct access *a, const struct question *x, uint64_t changes,
		    bool *done)
{
	uint64_t *ids = NULL;
	size_t n = 0;
	enum err e = store_query(a->medium->store, a->seal, &x->q, &ids, &n);

	if (e == OK)
		e = load_missing(t, a, ids, n);
	if (e == OK)
		*done = remember(t, a, x, changes);
	mem_free(ids);
	return e == E_DEVICE_REMOVED ? access_lost(t, a) : e;
}

/* The map has every token object that can match. */
static enum err complete(struct token *t, const struct question *x)
{
	enum err e = token_sync(t);
	bool done = false;

	for (int i = 0; e == OK && !done && i < TRIES; i++) {
		struct access *a = NULL;
		uint64_t changes;

		done = answered(t, x, &changes);
		if (!done)
			e = access_get(t, &a);
		if (!done && e == OK)
			e = ask(t, a, x, changes, &done);
		access_unref(a);
	}
	return e;
}

/* ---- matching; t->rw is held for read ---- */

struct found {
	CK_OBJECT_HANDLE *h;
	size_t n, room;
};

static enum err found_add(struct found *f, CK_OBJECT_HANDLE h)
{
	if (f->n == f->room) {
		size_t room = f->room == 0 ? 8 : f->room * 2;
		CK_OBJECT_HANDLE *p = mem_realloc(f->h, room * sizeof(*p));

		if (p == NULL)
			return E_MEMORY;
		f->h = p;
		f->room = room;
	}
	f->h[f->n++] = h;
	return OK;
}

/* A guess at a secret is answered as often as it is made, and no search is recorded: so not of a key whose reading is. */
static enum err try_entry(const struct entry *e, const struct attrset *templ, struct found *f)
{
	const struct object *o = e->object;

	if (templ != NULL && !attr_match(o->attrs, o->verified, !release_watched(o), templ))
		return OK;
	return found_add(f, e->handle);
}

/* The class is compared first, and alone tells most objects apart. */
static enum err match_all(const struct map *m, const struct question *x,
			  const struct attrset *templ, struct found *f)
{
	bool any = x->cls == CK_UNAVAILABLE_INFORMATION;
	enum err e = OK;

	for (const struct entry *n = m->first; e == OK && n != NULL; n = n->next)
		if (any || n->object->cls == x->cls)
			e = try_entry(n, templ, f);
	return e;
}

static enum err match_id(const struct map *m, uint64_t key, const struct attrset *templ,
			 struct found *f)
{
	enum err e = OK;

	for (struct link *l = index_first(&m->cka_id, key); e == OK && l != NULL; l = index_next(l))
		e = try_entry(index_member(l, struct entry, by_cka_id), templ, f);
	return e;
}

static enum err match_label(const struct map *m, uint64_t key, const struct attrset *templ,
			    struct found *f)
{
	enum err e = OK;

	for (struct link *l = index_first(&m->label, key); e == OK && l != NULL; l = index_next(l))
		e = try_entry(index_member(l, struct entry, by_label), templ, f);
	return e;
}

static int by_handle(const void *a, const void *b)
{
	CK_OBJECT_HANDLE x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

static enum err match(const struct map *m, const struct question *x, const struct attrset *templ,
		      struct found *f)
{
	enum err e;

	if (x->id_key == 0 && x->label_key == 0)
		return match_all(m, x, templ, f);
	if (x->id_key != 0)
		e = match_id(m, x->id_key, templ, f);
	else
		e = match_label(m, x->label_key, templ, f);
	if (f->n > 1)
		qsort(f->h, f->n, sizeof(*f->h), by_handle); /* the oldest first, as everywhere */
	return e;
}

enum err token_find(struct token *t, struct session *s, const struct attrset *templ,
		    CK_OBJECT_HANDLE **h, size_t *n)
{
	struct found f = { 0 };
	struct question x;
	enum err e = OK;

	(void)s; /* session objects are seen by every session of the application (3.2, 2.4) */
	question_of(templ, &x);
	if (x.token)
		e = complete(t, &x);
	if (e == OK) {
		rwlock_read(&t->rw);
		e = match(&t->map, &x, templ, &f);
		rwlock_drop(&t->rw);
	}
	if (e != OK) {
		mem_free(f.h);
		return e;
	}
	*h = f.h;
	*n = f.n;
	return OK;
}
