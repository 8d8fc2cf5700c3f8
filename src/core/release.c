/* SPDX-License-Identifier: Apache-2.0 */
#include "core/release.h"

#include "base/conf.h"
#include "core/lib.h"
#include "core/session.h"
#include "core/token.h"
#include "crypto/mech.h"

bool release_watched(const struct object *o)
{
	if (o->cls == CKO_PRIVATE_KEY)
		return true;
	return o->cls == CKO_SECRET_KEY && (o->lineage || lib_conf()->audit.session_keys);
}

bool release_kept(const struct object *o)
{
	return o->token || release_watched(o);
}

enum err release_ready(const struct token *t)
{
	enum err e = enrol_allowed(t);

	return e == OK ? roll_ready(lib_roll()) : e;
}

enum err release_login(const struct token *t, unsigned epoch, const struct object *o)
{
	bool needed = o != NULL && o->sight != SIGHT_ALL;

	return needed && token_epoch(t) != epoch ? E_NOT_LOGGED_IN : OK;
}

struct enrol release_use(struct session *s, enum roll_event_kind kind, const struct object *o,
			 const struct mech *m)
{
	struct enrol n = enrol_of(s, s->token, kind);

	if (o == NULL || !release_watched(o)) {
		n.ev.kind = ROLL_EVENT_COUNT;
		return n;
	}
	enrol_about(&n, o);
	if (m != NULL)
		n.ev.mech = m->type;
	return n;
}
