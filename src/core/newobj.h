/* SPDX-License-Identifier: Apache-2.0 */
/* The last steps of every call that makes objects: object, publication, record, handle. */
#ifndef CHANCERY_CORE_NEWOBJ_H
#define CHANCERY_CORE_NEWOBJ_H

#include "audit/roll.h"
#include "base/attrset.h"
#include "core/object.h"
#include "crypto/mech.h"

struct session;

/*
 * Publishes objects of these finished attributes, all or none, and records event for each that is
 * to be recorded. Takes over attrs[0..n) also on error (the places are NULL afterwards); n is 1
 * or 2. from: what they are made from (its lineage passes on; a token key has it of itself, and so has
 * whatever came from outside the module, since nobody knows what else it is), or
 * NULL: nothing. m: the mechanism that made them, or NULL. The handles are given only on success.
 * E_NOT_LOGGED_IN, and no object, when from needs a login that a logout ended meanwhile.
 */
enum err newobj_publish(struct session *s, enum roll_event_kind event, const struct mech *m,
			const struct origin *from, struct attrset **attrs, CK_OBJECT_HANDLE *h,
			size_t n);

#endif
