/* SPDX-License-Identifier: Apache-2.0 */
#include "core/newobj.h"

#include "core/release.h"
#include "core/session.h"
#include "core/token.h"
#include "core/usage.h"

#define MAX 2

bool newobj_watched(const struct object *o)
{
	return o->token || release_watched(o);
}

static enum err make(bool lineage, struct attrset **attrs, struct object **o, size_t n)
{
	enum err e = OK;

	for (size_t i = 0; e == OK && i < n; i++) {
		bool own = attrset_bool(attrs[i], CKA_TOKEN, false);

		e = object_new(attrs[i], lineage || own, &o[i]);
		attrs[i] = NULL; /* moved */
	}
	return e;
}

static enum err record(struct session *s, enum roll_event_kind event, const struct mech *m,
		       struct object *const *o, size_t n)
{
	CK_MECHANISM_TYPE type = m != NULL ? m->type : CK_UNAVAILABLE_INFORMATION;
	enum err e = OK;

	for (size_t i = 0; e == OK && i < n; i++)
		if (newobj_watched(o[i]))
			e = release_record(s->token, event, o[i], type, 0, OK);
	return e;
}

/* Takes a reference of its own to each: token_add_all takes over the caller's. */
static enum err add(struct session *s, const struct origin *from, struct object *const *o,
		    CK_OBJECT_HANDLE *h, size_t n)
{
	struct object *given[MAX];

	for (size_t i = 0; i < n; i++)
		given[i] = object_ref(o[i]);
	return token_add_all(s->token, s, from, given, h, n);
}

enum err newobj_publish(struct session *s, enum roll_event_kind event, const struct mech *m,
			const struct origin *from, struct attrset **attrs, CK_OBJECT_HANDLE *h,
			size_t n)
{
	bool lineage = from != NULL && from->lineage;
	struct object *o[MAX] = { NULL, NULL };
	CK_OBJECT_HANDLE made[MAX];
	enum err e = make(lineage, attrs, o, n);

	if (e == OK)
		e = add(s, from, o, made, n);
	if (e == OK && (e = record(s, event, m, o, n)) != OK) {
		/* nothing may exist without its record */
		for (size_t i = 0; i < n; i++)
			(void)token_remove(s->token, s, made[i], o[i]);
	}
	for (size_t i = 0; i < n; i++) {
		if (e == OK)
			h[i] = made[i];
		object_unref(o[i]);
		attrset_free(attrs[i]);
		attrs[i] = NULL;
	}
	return e;
}
