/* SPDX-License-Identifier: Apache-2.0 */
#include "core/newobj.h"

#include "core/session.h"
#include "core/token.h"

#define MAX 2

/*
 * A key that came in from outside may be one that left before, wrapped or read, so it is watched whatever brought it in:
 * only what was made fresh here, and what is copied or derived from that, is not.
 */
static bool inherits(enum roll_event_kind event, const struct origin *from)
{
	return event == EV_CREATE || event == EV_UNWRAP || (from != NULL && from->lineage);
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

enum err newobj_publish(struct session *s, enum roll_event_kind event, const struct mech *m,
			const struct origin *from, struct attrset **attrs, CK_OBJECT_HANDLE *h,
			size_t n)
{
	const struct making how = {
		.event = event,
		.mech = m != NULL ? m->type : CK_UNAVAILABLE_INFORMATION,
		.from = from,
	};
	struct object *o[MAX] = { NULL, NULL };
	CK_OBJECT_HANDLE made[MAX];
	enum err e = make(inherits(event, from), attrs, o, n);

	if (e == OK) {
		e = token_add_all(s->token, s, &how, o, made, n);
		for (size_t i = 0; i < n; i++)
			o[i] = NULL; /* moved */
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
