/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An object: immutable, reference counted. A change publishes a new version under the same handle; destroying drops
 * the map's reference while operations that hold one finish or fail by themselves.
 */
#ifndef CHANCERY_CORE_OBJECT_H
#define CHANCERY_CORE_OBJECT_H

#include "base/attrset.h"
#include "base/err.h"
#include "crypto/key.h"
#include "store/store.h"
#include <stdatomic.h>

struct object {
	atomic_uint refs;
	struct attrset *attrs;
	uint64_t id, version; /* in the store; 0: session object */
	CK_OBJECT_CLASS cls;
	CK_KEY_TYPE key_type; /* CK_UNAVAILABLE_INFORMATION: no key */
	bool token;           /* CKA_TOKEN */
	/* with which login it is there; beyond SIGHT_ALL it ends with the login */
	enum sight sight;
	bool verified; /* a public token object whose MAC was checked, or a session object */
	bool checked;  /* read or written with a seal: verified is the last word */
	bool lineage; /* comes from a token key, through copy, unwrap and derive (audit.md, provenance) */
	bool always_auth;          /* CKA_ALWAYS_AUTHENTICATE */
	bool restricted;           /* has CKA_ALLOWED_MECHANISMS */
	unsigned usages;           /* a bit for each enum usage that it allows */
	struct span label, key_id; /* CKA_LABEL, CKA_ID: inside attrs */

	/* keycache.c's own: the parsed form, made at first use */
	struct key *key;
	size_t key_bytes; /* what it counts for; 0: not in the ring */
	struct object *ring_next, *ring_prev;
	atomic_bool key_used; /* since the hand last passed */
};

/* What a new object is made from. */
struct origin {
	bool lineage; /* something that has it */
	bool login; /* something that needs the login: then it is released under this login only */
	unsigned epoch; /* which was the present one before anything was looked up */
};

static inline void origin_add(struct origin *from, const struct object *o)
{
	from->lineage = from->lineage || o->lineage;
	from->login = from->login || o->sight != SIGHT_ALL;
}

/* Who sees an object with these attributes. */
enum sight object_sight(const struct attrset *attrs);
/* Takes over attrs (also on error, freed). One reference, the caller's. */
enum err object_new(struct attrset *attrs, bool lineage, struct object **out);
struct object *object_ref(struct object *o);
/* A reference, but none to an object that is already on its way out (false). */
bool object_try_ref(struct object *o);
void object_unref(struct object *o); /* NULL accepted */
/* The parsed key: a reference for the caller. Parsed once; later calls take it from the cache. */
enum err object_key(struct object *o, struct key **out);

#endif
