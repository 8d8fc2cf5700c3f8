/* SPDX-License-Identifier: Apache-2.0 */
#include "core/usage.h"

#include "core/release.h"
#include "core/token.h"

/* The class of a key as a bit, for the sets below. */
enum { PUBLIC = 1 << 0, PRIVATE = 1 << 1, SECRET = 1 << 2 };

/* One row for each use: what allows it, and what the standard calls a key that does not fit. */
struct rule {
	CK_ATTRIBUTE_TYPE attribute;
	CK_FLAGS flag;
	unsigned classes;
	enum err handle, type, usage, size;
};

/* The lists of C_WrapKey and C_UnwrapKey do not have CKR_KEY_FUNCTION_NOT_PERMITTED (3.2, 5.18.3, 5.18.4). */
#define KEY_ERRORS    E_KEY_HANDLE, E_KEY_TYPE, E_KEY_USAGE, E_KEY_SIZE
#define WRAP_ERRORS   E_WRAP_HANDLE, E_WRAP_TYPE, E_WRAP_USAGE, E_WRAP_SIZE
#define UNWRAP_ERRORS E_UNWRAP_HANDLE, E_UNWRAP_TYPE, E_UNWRAP_USAGE, E_UNWRAP_SIZE

static const struct rule rules[] = {
	[USAGE_ENCRYPT] = { CKA_ENCRYPT, CKF_ENCRYPT, PUBLIC | SECRET, KEY_ERRORS },
	[USAGE_DECRYPT] = { CKA_DECRYPT, CKF_DECRYPT, PRIVATE | SECRET, KEY_ERRORS },
	[USAGE_SIGN] = { CKA_SIGN, CKF_SIGN, PRIVATE | SECRET, KEY_ERRORS },
	[USAGE_SIGN_RECOVER] = { CKA_SIGN_RECOVER, CKF_SIGN_RECOVER, PRIVATE, KEY_ERRORS },
	[USAGE_VERIFY] = { CKA_VERIFY, CKF_VERIFY, PUBLIC | SECRET, KEY_ERRORS },
	[USAGE_VERIFY_RECOVER] = { CKA_VERIFY_RECOVER, CKF_VERIFY_RECOVER, PUBLIC, KEY_ERRORS },
	[USAGE_WRAP] = { CKA_WRAP, CKF_WRAP, PUBLIC | SECRET, WRAP_ERRORS },
	[USAGE_UNWRAP] = { CKA_UNWRAP, CKF_UNWRAP, PRIVATE | SECRET, UNWRAP_ERRORS },
	[USAGE_DERIVE] = { CKA_DERIVE, CKF_DERIVE, PRIVATE | SECRET, KEY_ERRORS },
};

_Static_assert(sizeof(rules) / sizeof(rules[0]) == USAGE_COUNT, "one rule for each use");

static unsigned class_bit(const struct object *o)
{
	switch (o->cls) {
	case CKO_PUBLIC_KEY: return PUBLIC;
	case CKO_PRIVATE_KEY: return PRIVATE;
	case CKO_SECRET_KEY: return SECRET;
	default: return 0;
	}
}

bool usage_is_key(const struct object *o)
{
	return class_bit(o) != 0;
}

unsigned usage_bits(const struct attrset *a)
{
	unsigned bits = 0;

	for (unsigned u = 0; u < USAGE_COUNT; u++)
		if (attrset_bool(a, rules[u].attribute, false))
			bits |= 1U << u;
	return bits;
}

/*
 * CKA_ALLOWED_MECHANISMS (3.2, 4.8): a key without the attribute, or with an empty list, is not
 * restricted.
 */
static bool mechanism_allowed(const struct object *o, CK_MECHANISM_TYPE type)
{
	struct span list;
	CK_MECHANISM_TYPE one;

	if (!o->restricted)
		return true;
	list = attrset_bytes(o->attrs, CKA_ALLOWED_MECHANISMS);
	for (; list.n >= sizeof(one); list = span(list.p + sizeof(one), list.n - sizeof(one))) {
		memcpy(&one, list.p, sizeof(one));
		if (one == type)
			return true;
	}
	return false;
}

/* What can be said before the key is parsed. */
static enum err check_object(const struct object *o, enum usage u, const struct mech *m)
{
	const struct rule *r = &rules[u];
	unsigned bit = class_bit(o);

	if (bit == 0)
		return r->handle;
	if ((m->flags & r->flag) == 0)
		return E_MECHANISM;
	if (!mech_takes(m, o->key_type))
		return r->type;
	if ((bit & r->classes) == 0 || (o->usages & 1U << u) == 0)
		return r->usage;
	return mechanism_allowed(o, m->type) ? OK : E_MECHANISM;
}

static enum err check_size(const struct key *k, const struct rule *r, const struct mech *m)
{
	CK_ULONG size = key_size(k);

	if (m->max_key == 0)
		return OK; /* the mechanism has no range */
	return size < m->min_key || size > m->max_key ? r->size : OK;
}

enum err usage_key(struct token *t, CK_OBJECT_HANDLE h, enum usage u, const struct mech *m,
		   struct used_key *k)
{
	const struct rule *r = &rules[u];
	enum err e = token_object(t, h, &k->object);

	k->key = NULL;
	if (e != OK) {
		k->object = NULL;
		return e == E_OBJECT_HANDLE ? r->handle : e;
	}
	e = check_object(k->object, u, m);
	if (e == OK && k->object->cls != CKO_PUBLIC_KEY)
		e = release_ready(t);
	if (e == OK)
		e = object_key(k->object, &k->key);
	if (e == OK)
		e = check_size(k->key, r, m);
	if (e != OK)
		usage_done(k);
	return e;
}

void usage_done(struct used_key *k)
{
	key_unref(k->key);
	object_unref(k->object);
	*k = (struct used_key){ NULL, NULL };
}
