/* SPDX-License-Identifier: Apache-2.0 */
/* C_CreateObject and the other calls on objects (3.2, 5.7). Searches are in find.c. */
#include "core/keyops.h"

#include "core/attr.h"
#include "core/newobj.h"
#include "core/release.h"
#include "core/session.h"
#include "core/token.h"

static bool is_key_class(CK_OBJECT_CLASS cls)
{
	return cls == CKO_PUBLIC_KEY || cls == CKO_PRIVATE_KEY || cls == CKO_SECRET_KEY;
}

enum err obj_create(struct session *s, struct templ t, CK_OBJECT_HANDLE *h)
{
	const CK_ULONG any = CK_UNAVAILABLE_INFORMATION;
	struct attr_who who = token_who(s->token);
	struct attrset *obj = NULL;
	enum err e = attr_take(t.a, t.n, &obj);

	if (e == OK)
		e = attr_begin(HOW_CREATE, &who, any, any, obj);
	if (e == OK && is_key_class(attrset_ulong(obj, CKA_CLASS, any)))
		e = key_complete(obj);
	if (e == OK)
		e = attr_finish(HOW_CREATE, &who, NULL, NULL, obj);
	if (e == OK)
		e = newobj_publish(s, EV_CREATE, NULL, NULL, &obj, h, 1);
	attrset_free(obj);
	return e;
}

enum err obj_copy(struct session *s, CK_OBJECT_HANDLE from, struct templ t, CK_OBJECT_HANDLE *h)
{
	struct origin source = { .epoch = token_epoch(s->token) };
	struct attr_who who = token_who(s->token);
	struct attrset *change = NULL, *obj = NULL;
	struct object *o = NULL;
	enum err e = attr_take(t.a, t.n, &change);

	if (e == OK)
		e = token_object(s->token, from, &o);
	if (e == OK)
		e = attr_copy(&who, o->attrs, change, &obj);
	if (e == OK) {
		origin_add(&source, o);
		e = newobj_publish(s, EV_COPY, NULL, &source, &obj, h, 1);
	}
	object_unref(o);
	attrset_free(change);
	attrset_free(obj);
	return e;
}

/*
 * One attempt at a change of the object that h names now; E_OBJECT_HANDLE when there is a newer
 * version.
 */
typedef enum err change_fn(struct session *s, CK_OBJECT_HANDLE h, const struct object *old,
			   const void *arg);

/*
 * Makes the change on the newest version: when another change came first, in this process or
 * another, it is made again on what that one left, so no update is lost. Each turn means that
 * somebody else got on.
 */
static enum err change(struct session *s, CK_OBJECT_HANDLE h, change_fn *fn, const void *arg)
{
	struct object *seen = NULL, *o = NULL;
	enum err e;

	for (;;) {
		e = token_object(s->token, h, &o);
		if (e == OK &&
		    o == seen) /* nothing newer: it is the object that cannot be changed */
			e = E_OBJECT_HANDLE;
		else if (e == OK)
			e = fn(s, h, o, arg);
		object_unref(seen);
		seen = o;
		o = NULL;
		if (e != E_OBJECT_HANDLE || seen == NULL)
			break;
	}
	object_unref(seen);
	return e;
}

static enum err try_set(struct session *s, CK_OBJECT_HANDLE h, const struct object *old,
			const void *arg)
{
	struct attr_who who = token_who(s->token);
	struct attrset *attrs = NULL;
	struct object *o = NULL;
	enum err e = attr_set(&who, old->attrs, arg, &attrs);

	if (e == OK)
		e = object_new(attrs, old->lineage, &o);
	if (e == OK)
		e = token_replace(s->token, s, h, old, o);
	return e;
}

enum err obj_set(struct session *s, CK_OBJECT_HANDLE h, struct templ t)
{
	struct attrset *set = NULL;
	enum err e = attr_take(t.a, t.n, &set);

	if (e == OK)
		e = change(s, h, try_set, set);
	attrset_free(set);
	return e;
}

static enum err try_destroy(struct session *s, CK_OBJECT_HANDLE h, const struct object *old,
			    const void *arg)
{
	(void)arg;
	if (!attrset_bool(old->attrs, CKA_DESTROYABLE, true))
		return E_PROHIBITED;
	return token_remove(s->token, s, h, old);
}

enum err obj_destroy(struct session *s, CK_OBJECT_HANDLE h)
{
	return change(s, h, try_destroy, NULL);
}

/*
 * What the object takes in its serial form, types and lengths included: a measure, not a promise.
 */
enum err obj_size(struct session *s, CK_OBJECT_HANDLE h, CK_ULONG *n)
{
	struct object *o = NULL;
	enum err e = token_object(s->token, h, &o);

	if (e != OK)
		return e;
	*n = 0;
	for (size_t i = 0; i < attrset_count(o->attrs); i++)
		*n += sizeof(CK_ATTRIBUTE_TYPE) + sizeof(uint32_t) + attrset_at(o->attrs, i).v.n;
	object_unref(o);
	return OK;
}

static void unread(CK_ATTRIBUTE *t, CK_ULONG n)
{
	for (CK_ULONG i = 0; i < n; i++)
		t[i].ulValueLen = CK_UNAVAILABLE_INFORMATION;
}

static enum err record_read(struct session *s, const struct object *o)
{
	struct enrol use = release_use(s, EV_READ_SECRET, o, NULL);

	return enrol_commit_all(&use, 1, OK);
}

/* Secrets come last, after their record: others look at the caller's memory while it is filled. */
enum err obj_get(struct session *s, CK_OBJECT_HANDLE h, CK_ATTRIBUTE *t, CK_ULONG n)
{
	bool secret = false;
	struct object *o = NULL;
	enum err e = token_object(s->token, h, &o), e2 = OK;

	if (e != OK)
		return e;
	e = attr_get(o->attrs, o->verified, t, n, false, &secret);
	if (secret)
		e2 = record_read(s, o);
	if (e2 != OK) {
		unread(t, n);
		e = e2;
	} else if (secret) {
		e = attr_get(o->attrs, o->verified, t, n, true, &secret);
	}
	object_unref(o);
	return e;
}
