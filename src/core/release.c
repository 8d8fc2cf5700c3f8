/* SPDX-License-Identifier: Apache-2.0 */
#include "core/release.h"

#include "core/token.h"

bool release_watched(const struct object *o)
{
	return o->cls == CKO_PRIVATE_KEY || (o->cls == CKO_SECRET_KEY && o->lineage);
}

enum err release_login(const struct token *t, unsigned epoch, const struct object *o)
{
	bool needed = o != NULL && o->sight != SIGHT_ALL;

	return needed && token_epoch(t) != epoch ? E_NOT_LOGGED_IN : OK;
}

enum err release_record(const struct token *t, enum roll_event_kind kind, const struct object *o,
			CK_MECHANISM_TYPE m, uint64_t bytes, enum err result)
{
	const struct roll_event ev = {
		.kind = kind,
		.token = token_label(t),
		.cls = o->cls,
		.label = o->label,
		.id = o->key_id,
		.mech = m,
		.bytes = bytes,
		.result = result,
	};

	return roll_commit(NULL, &ev, NULL);
}
