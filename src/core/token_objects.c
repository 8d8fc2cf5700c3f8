/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects come, change and go. A change of a token object is durable in the store before the map shows it; the map's
 * part cannot fail any more.
 */
#include "core/token_internal.h"

#include "base/mem.h"
#include "core/release.h"

/* A lookup is tried again after the map was brought up to date or the object verified; a login may come in between. */
#define LOOKUPS 4

enum lookup { FOUND, NOT_THERE, OUT_OF_DATE, UNVERIFIED, GONE };

/*
 * t->rw is held for read. store_version is a look at memory or a few bytes, never a wait for a writer. fresh: the map
 * was brought up to date since the call began, and that is enough.
 */
static enum lookup look_locked(const struct token *t, const struct entry *e, bool fresh)
{
	uint64_t version;

	if (e == NULL)
		return NOT_THERE;
	if (!e->object->token)
		return FOUND;
	if (t->access == NULL || store_version(t->access->medium->store, &version) != OK)
		return GONE;
	if (version != t->version && !fresh)
		return OUT_OF_DATE;
	return t->access->seal != NULL && !e->object->checked ? UNVERIFIED : FOUND;
}

static enum lookup look(struct token *t, CK_OBJECT_HANDLE h, bool fresh, struct object **out,
			uint64_t *id)
{
	const struct entry *e;
	enum lookup l;

	rwlock_read(&t->rw);
	e = map_by_handle(&t->map, h);
	l = look_locked(t, e, fresh);
	if (l == FOUND)
		*out = object_ref(e->object);
	else if (l == UNVERIFIED)
		*id = e->object->id;
	rwlock_drop(&t->rw);
	return l;
}

static enum err verify(struct token *t, uint64_t id)
{
	struct access *a = NULL;
	enum err e = access_get(t, &a);

	if (e == OK)
		e = load_one(t, a, id);
	access_unref(a);
	return e;
}

enum err token_object(struct token *t, CK_OBJECT_HANDLE h, struct object **out)
{
	enum err e = OK;
	bool fresh = false;
	uint64_t id = 0;

	for (int i = 0; e == OK && i < LOOKUPS; i++) {
		switch (look(t, h, fresh, out, &id)) {
		case FOUND: return OK;
		case NOT_THERE: return E_OBJECT_HANDLE;
		case UNVERIFIED: e = verify(t, id); break;
		case OUT_OF_DATE:
		case GONE:
			e = token_sync(t);
			fresh = true;
			break;
		}
	}
	return e != OK ? e : E_DEVICE;
}

bool token_has(struct token *t, CK_OBJECT_HANDLE h)
{
	bool yes;

	rwlock_read(&t->rw);
	yes = map_by_handle(&t->map, h) != NULL;
	rwlock_drop(&t->rw);
	return yes;
}

/* ---- who may change what ---- */

/*
 * 3.2, 5.6.1 and Table 6: token objects change in R/W sessions, private ones when the user is logged in. A public
 * token object in a session without login: policy (module.md), since nothing would vouch for it.
 */
static enum err may_change(const struct access *a, const struct session *s, const struct object *o)
{
	if (o->token && !s->rw)
		return E_SESSION_READ_ONLY;
	if (!access_sees(a, o->sight))
		return E_NOT_LOGGED_IN;
	if (!o->token)
		return OK;
	if (a->medium->read_only)
		return E_WRITE_PROTECTED;
	return a->who == WHO_NOBODY && !lib_conf()->module.public_write ? E_NOT_LOGGED_IN : OK;
}

enum err token_may_add(struct token *t, const struct session *s, const struct attrset *attrs)
{
	const struct object o = {
		.token = attrset_bool(attrs, CKA_TOKEN, false),
		.sight = object_sight(attrs),
	};
	struct access *a = NULL;
	enum err e = access_get(t, &a);

	if (e == OK)
		e = may_change(a, s, &o);
	access_unref(a);
	return e;
}

/* ---- new objects ---- */

#define ADD_MOST 8 /* that come to be together */

struct adding {
	const struct making *how;
	struct session *session;
	struct access *access;
	unsigned epoch;
	struct object *o[ADD_MOST];
	struct entry *e[ADD_MOST];
	struct enrol enrol[ADD_MOST]; /* of each, or nothing that is recorded */
	size_t n;
};

static struct record record_of(const struct object *o)
{
	return (struct record){
		.id = o->id,
		.version = o->version,
		.sight = o->sight,
		.traits = o->lineage ? RECORD_TOKEN_LINEAGE : 0,
		.attrs = o->attrs,
	};
}

/* What became of the record is what the object is now. */
static void settle(struct object *o, const struct record *r, const struct access *a)
{
	o->id = r->id;
	o->version = r->version;
	o->verified = o->checked = a->seal != NULL;
}

/* ---- their events ---- */

/* About o, or nothing that is recorded. */
static struct enrol enrol_object(struct session *s, const struct token *t,
				 enum roll_event_kind kind, const struct object *o)
{
	struct enrol n = enrol_of(s, t, release_kept(o) ? kind : ROLL_EVENT_COUNT);

	enrol_about(&n, o);
	return n;
}

/* Of a token object the event is kept with the change. */
static enum err pend(struct enrol *n, const struct object *o)
{
	return o->token && n->ev.kind != ROLL_EVENT_COUNT ? enrol_pend(n) : OK;
}

static enum err pend_all(const struct token *t, struct adding *a, enum roll_event_kind kind)
{
	enum err e = OK;

	for (size_t i = 0; i < a->n; i++) {
		enrol_free(&a->enrol[i]);
		a->enrol[i] = enrol_object(a->session, t, kind, a->o[i]);
		a->enrol[i].ev.mech =
			kind == a->how->event ? a->how->mech : CK_UNAVAILABLE_INFORMATION;
		if (e == OK)
			e = pend(&a->enrol[i], a->o[i]);
	}
	return e;
}

/* ---- in the store ---- */

/* In one transaction; r[i] is then what became of the i-th, if it is a token object. */
static enum err commit_all(struct adding *a, enum store_change_kind kind, struct record *r)
{
	struct store_change c[ADD_MOST];
	struct store_event ev[ADD_MOST];
	size_t n = 0;
	enum err e;

	for (size_t i = 0; i < a->n; i++) {
		if (!a->o[i]->token)
			continue;
		r[i] = record_of(a->o[i]);
		ev[n] = a->enrol[i].kept;
		c[n++] = (struct store_change){ kind, &r[i] };
	}
	if (n == 0)
		return OK;
	e = store_commit(a->access->medium->store, a->access->seal, c, n, ev);
	for (size_t i = a->n; i-- > 0;)
		if (a->o[i]->token)
			a->enrol[i].kept = ev[--n];
	return e;
}

static enum err store_all(struct adding *a)
{
	struct record r[ADD_MOST];
	enum err e = commit_all(a, CHANGE_CREATE, r);

	for (size_t i = 0; e == OK && i < a->n; i++)
		if (a->o[i]->token)
			settle(a->o[i], &r[i], a->access);
	return e;
}

static bool same_medium_locked(const struct token *t, const struct adding *a)
{
	return t->access != NULL && t->access->medium == a->access->medium;
}

/*
 * After a logout, or when the token is another one by now, an object that needs the login is not shown any more: it has a handle, but
 * a dead one.
 */
static bool shown_locked(const struct token *t, const struct adding *a, const struct object *o)
{
	if (o->sight != SIGHT_ALL && a->epoch != atomic_load(&t->epoch))
		return false;
	return same_medium_locked(t, a);
}

/* Whether what the objects are made from was there only until a logout that is past. */
static bool outlived_locked(const struct token *t, const struct adding *a)
{
	const struct origin *from = a->how->from;

	return from != NULL && from->login && from->epoch != atomic_load(&t->epoch);
}

/* Takes them out of the map, where token_sync may have been faster. */
static struct entry *unload_locked(struct token *t, const struct adding *a)
{
	struct entry *gone = NULL, *e;

	for (size_t i = 0; same_medium_locked(t, a) && i < a->n; i++) {
		if (!a->o[i]->token)
			continue;
		load_spoil_locked(t, a->o[i]->id);
		e = map_by_id(&t->map, a->o[i]->id);
		if (e == NULL)
			continue;
		map_remove(t, e);
		e->next = gone;
		gone = e;
	}
	return gone;
}

/*
 * Removes again what was stored, and says why: the login has ended under which it was made, or there is no record of it. With the access of that
 * login, for the present one may have no leave to. What another removed first is as well gone. This, too, is recorded, unless the roll is
 * what failed: then what is kept of the first event is all that there will be.
 */
static enum err withdraw(struct token *t, struct adding *a, enum err why)
{
	struct record r[ADD_MOST];
	bool enrolled = pend_all(t, a, EV_DESTROY) == OK;
	enum err e = commit_all(a, CHANGE_REMOVE, r);
	struct entry *gone;

	rwlock_write(&t->rw);
	gone = unload_locked(t, a);
	rwlock_drop(&t->rw);
	map_bury(gone);
	if (e == OK && enrolled)
		(void)enrol_changes(a->enrol, a->n, a->access->medium->store);
	return e == OK || e == E_OBJECT_HANDLE ? why : e;
}

static CK_OBJECT_HANDLE publish_locked(struct token *t, struct session *s, struct adding *a,
				       size_t i)
{
	struct object *o = a->o[i];
	struct entry *have = o->token ? map_by_id(&t->map, o->id) : NULL;

	if (!shown_locked(t, a, o))
		return atomic_fetch_add(&lib_this()->last_handle, 1) + 1;
	if (have != NULL)
		return have->handle; /* token_sync was faster */
	map_add(t, a->e[i], o, o->token ? NULL : s);
	a->o[i] = NULL; /* moved */
	a->e[i] = NULL;
	return t->map.last->handle;
}

static enum err adding_begin(struct token *t, struct adding *a, struct object **o, size_t n)
{
	enum err e;

	a->n = n;
	memcpy(a->o, o, n * sizeof(*o));
	for (size_t i = 0; i < n; i++) {
		a->e[i] = mem_alloc(sizeof(*a->e[i]));
		if (a->e[i] == NULL)
			return E_MEMORY;
	}
	/* before the access: a logout in between is then seen at the end */
	a->epoch = atomic_load(&t->epoch);
	e = access_get(t, &a->access);
	return e;
}

static void adding_end(struct adding *a)
{
	for (size_t i = 0; i < a->n; i++) {
		object_unref(a->o[i]);
		mem_free(a->e[i]);
		enrol_free(&a->enrol[i]);
	}
	access_unref(a->access);
}

static enum err add_all(struct token *t, struct session *s, struct adding *a, CK_OBJECT_HANDLE *h)
{
	enum err e = OK;
	bool outlived;

	for (size_t i = 0; e == OK && i < a->n; i++)
		e = may_change(a->access, s, a->o[i]);
	if (e == OK)
		e = pend_all(t, a, a->how->event);
	if (e == OK)
		e = store_all(a);
	if (e == E_DEVICE_REMOVED)
		e = access_lost(t, a->access);
	if (e != OK)
		return e;
	s->made_objects = true;
	e = enrol_changes(a->enrol, a->n, a->access->medium->store);
	if (e != OK)
		return withdraw(t, a, e);
	rwlock_write(&t->rw);
	outlived = outlived_locked(t, a);
	for (size_t i = 0; i < a->n && !outlived; i++)
		h[i] = publish_locked(t, s, a, i);
	rwlock_drop(&t->rw);
	return outlived ? withdraw(t, a, E_NOT_LOGGED_IN) : OK;
}

enum err token_add_all(struct token *t, struct session *s, const struct making *how,
		       struct object **o, CK_OBJECT_HANDLE *h, size_t n)
{
	struct adding a = { .how = how, .session = s };
	enum err e = E_INTERNAL;

	if (n <= ADD_MOST)
		e = adding_begin(t, &a, o, n);
	if (e == OK)
		e = add_all(t, s, &a, h);
	adding_end(&a);
	return e;
}

enum err token_add(struct token *t, struct session *s, struct object *o, CK_OBJECT_HANDLE *h)
{
	const struct making how = { EV_CREATE, CK_UNAVAILABLE_INFORMATION, NULL };

	return token_add_all(t, s, &how, &o, h, 1);
}

/* ---- changes ---- */

/* One change of an object that is there; o NULL: it is removed. */
struct changing {
	enum store_change_kind kind;
	const struct object *old;
	struct object *o;
	struct enrol enrol;
	enum err unrecorded; /* the change is durable, its record is not, and why */
};

/* Whether s may make this change; of a token object it is durable afterwards. */
static enum err commit_change(struct access *a, const struct session *s, struct changing *ch)
{
	const struct object *old = ch->old;
	struct object *o = ch->o;
	struct record r = record_of(o != NULL ? o : old);
	struct store_change c = { ch->kind, &r };
	enum err e = may_change(a, s, old);

	if (e == OK)
		e = pend(&ch->enrol, old);
	if (e != OK || !old->token)
		return e;
	r.id = old->id;
	r.version = old->version;
	e = store_commit(a->medium->store, a->seal, &c, 1, &ch->enrol.kept);
	if (e == OK && o != NULL)
		settle(o, &r, a);
	return e;
}

/* What is durable is shown, also without its record; a session object does not change without. */
static enum err record_change(const struct access *a, struct changing *ch)
{
	enum err e = enrol_changes(&ch->enrol, 1, a->medium->store);

	if (!ch->old->token)
		return e;
	ch->unrecorded = e;
	return OK;
}

static enum err change(struct token *t, struct session *s, struct changing *ch)
{
	const struct object *old = ch->old;
	struct access *a = NULL;
	enum err e = access_get(t, &a);

	ch->enrol = enrol_object(s, t, ch->kind == CHANGE_REMOVE ? EV_DESTROY : EV_SET, old);
	if (e == OK)
		e = commit_change(a, s, ch);
	if (e == OK)
		e = record_change(a, ch);
	/* another came first, and may not have got to the map yet: the caller is to find it there */
	if (e == E_OBJECT_HANDLE && old->token)
		(void)load_one(t, a, old->id);
	if (e == E_DEVICE_REMOVED && a != NULL)
		e = access_lost(t, a);
	access_unref(a);
	enrol_free(&ch->enrol);
	return e;
}

/* Of a session object the version is its address; of a token object the store has checked it. */
static bool replaces_locked(const struct entry *e, const struct object *old, const struct object *o)
{
	if (e == NULL)
		return false;
	return o->token ? e->object->id == o->id && e->object->version < o->version
			: e->object == old;
}

/*
 * A logout that came in between left an object that anybody saw until then; its new version may need the login. What is
 * not to be seen any more is the caller's, for map_bury.
 */
static struct entry *hide_locked(struct token *t, struct entry *e)
{
	if (t->access == NULL || access_sees(t->access, e->object->sight))
		return NULL;
	map_remove(t, e);
	return e;
}

enum err token_replace(struct token *t, struct session *s, CK_OBJECT_HANDLE h,
		       const struct object *old, struct object *o)
{
	struct changing ch = { .kind = CHANGE_REPLACE, .old = old, .o = o };
	struct object *gone = o;
	struct entry *entry, *hidden = NULL;
	enum err e = change(t, s, &ch);

	if (e == OK) {
		rwlock_write(&t->rw);
		entry = map_by_handle(&t->map, h);
		if (replaces_locked(entry, old, o)) {
			gone = map_replace(t, entry, o);
			hidden = hide_locked(t, entry);
		} else if (!o->token) {
			e = E_OBJECT_HANDLE;
		}
		rwlock_drop(&t->rw);
	}
	map_bury(hidden);
	object_unref(gone);
	return e == OK ? ch.unrecorded : e;
}

/* The entry that goes: of a token object whatever the map has by now, of a session object only old itself. */
static struct entry *removed_locked(const struct token *t, CK_OBJECT_HANDLE h,
				    const struct object *old)
{
	struct entry *e;

	if (old->token)
		return map_by_id(&t->map, old->id);
	e = map_by_handle(&t->map, h);
	return e != NULL && e->object == old ? e : NULL;
}

enum err token_remove(struct token *t, struct session *s, CK_OBJECT_HANDLE h,
		      const struct object *old)
{
	struct changing ch = { .kind = CHANGE_REMOVE, .old = old };
	struct entry *entry;
	enum err e = change(t, s, &ch);

	if (e != OK)
		return e;
	rwlock_write(&t->rw);
	entry = removed_locked(t, h, old);
	if (entry != NULL)
		map_remove(t, entry);
	else if (!old->token)
		e = E_OBJECT_HANDLE;
	if (old->token)
		load_spoil_locked(t, old->id);
	rwlock_drop(&t->rw);
	map_bury(entry);
	return e == OK ? ch.unrecorded : e;
}

void token_drop_session_objects(struct token *t, struct session *s)
{
	struct entry *gone = NULL;

	rwlock_write(&t->rw);
	while (s->objects != NULL) {
		struct entry *e = s->objects;

		map_remove(t, e);
		e->next = gone;
		gone = e;
	}
	rwlock_drop(&t->rw);
	map_bury(gone);
}
