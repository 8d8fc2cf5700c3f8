/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records become objects in the map. The record is read without any of the token's locks; whoever publishes a
 * removal meanwhile marks the load (load_spoil_locked), so that what was removed does not come back. Other changes
 * need no mark: a newer version is never replaced by an older one.
 */
#include "core/token_internal.h"

#include "base/log.h"
#include "base/mem.h"

/* So many records are read in one look at the database. */
#define BATCH 32

struct batch {
	size_t n;
	uint64_t id[BATCH];
	struct load load[BATCH];
	struct record record[BATCH];
	enum err each[BATCH]; /* what became of the reading */
};

static enum err begin(struct token *t, struct batch *b)
{
	memset(b->load, 0, sizeof(b->load));
	for (size_t i = 0; i < b->n; i++) {
		b->load[i].id = b->id[i];
		b->load[i].spare = mem_alloc(sizeof(struct entry));
		if (b->load[i].spare == NULL)
			return E_MEMORY;
	}
	rwlock_write(&t->rw);
	for (size_t i = 0; i < b->n; i++) {
		b->load[i].next = t->loads;
		t->loads = &b->load[i];
	}
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
	(*out)->verified = r->verified;
	(*out)->checked = checked;
	return OK;
}

/* One that does not open was damaged or altered: it is left out, said once, and found by doctor. */
static void log_damage(const struct token *t, uint64_t id)
{
	log_fault(FAULT_STORE,
		  "slot %lu: object %llu is damaged or was altered: run chancery doctor", t->slot,
		  (unsigned long long)id);
}

/*
 * Once somebody is logged in, a public record without a MAC is one that somebody else put into the file, unless
 * the configuration lets sessions without login write.
 */
static bool unvouched(const struct access *a, const struct record *r)
{
	return a->seal != NULL && !r->verified && !lib_conf()->module.public_write;
}

/* The i-th record becomes an object. */
static enum err take_object(const struct token *t, const struct access *a, struct batch *b,
			    size_t i)
{
	struct record *r = &b->record[i];
	enum err e = b->each[i];

	if (e == OK && !access_sees(a, r->sight))
		e = E_OBJECT_HANDLE; /* the security officer does not see it */
	if (e == OK && (unvouched(a, r) || r->sight != object_sight(r->attrs)))
		e = E_CORRUPT;
	if (e == OK)
		e = to_object(r, a->seal != NULL, &b->load[i].object);
	record_clear(r);
	if (e == E_CORRUPT)
		log_damage(t, b->id[i]);
	return e;
}

static void read_batch(const struct token *t, const struct access *a, struct batch *b)
{
	enum err e;

	memset(b->record, 0, sizeof(b->record));
	e = store_get_some(a->medium->store, a->seal, b->id, b->n, b->record, b->each);
	for (size_t i = 0; i < b->n; i++)
		b->each[i] = e == OK ? take_object(t, a, b, i) : e;
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

/* The first error, if there is one; what could be read is published all the same. */
static enum err finish(struct token *t, const struct access *a, struct batch *b)
{
	enum err e = OK, e2;

	rwlock_write(&t->rw);
	for (size_t i = 0; i < b->n; i++) {
		e2 = finish_locked(t, a, &b->load[i], b->each[i]);
		if (e == OK)
			e = e2;
	}
	rwlock_drop(&t->rw);
	return e;
}

static enum err load_batch(struct token *t, struct access *a, struct batch *b)
{
	enum err e = begin(t, b);

	if (e == OK) {
		read_batch(t, a, b);
		e = finish(t, a, b);
	}
	for (size_t i = 0; i < b->n; i++) {
		object_unref(b->load[i].object);
		mem_free(b->load[i].spare);
	}
	return e == E_DEVICE_REMOVED ? access_lost(t, a) : e;
}

enum err load_one(struct token *t, struct access *a, uint64_t id)
{
	struct batch b;

	b.n = 1;
	b.id[0] = id;
	return load_batch(t, a, &b);
}

static bool missing_locked(const struct token *t, const struct access *a, uint64_t id)
{
	const struct entry *e = map_by_id(&t->map, id);

	return e == NULL || (a->seal != NULL && !e->object->checked);
}

/* Fills b with the next of ids that are missing; how many of them were looked at. */
static size_t next_missing(struct token *t, const struct access *a, const uint64_t *ids, size_t n,
			   struct batch *b)
{
	size_t i = 0;

	b->n = 0;
	rwlock_read(&t->rw);
	for (; i < n && b->n < BATCH; i++)
		if (missing_locked(t, a, ids[i]))
			b->id[b->n++] = ids[i];
	rwlock_drop(&t->rw);
	return i;
}

enum err load_missing(struct token *t, struct access *a, const uint64_t *ids, size_t n)
{
	struct batch b;
	enum err e = OK;

	for (size_t at = 0; e == OK && at < n;) {
		at += next_missing(t, a, ids + at, n - at, &b);
		if (b.n != 0)
			e = load_batch(t, a, &b);
	}
	return e;
}
