/* SPDX-License-Identifier: Apache-2.0 */
#include "core/policy.h"

#include "base/mem.h"
#include "core/attr_internal.h"
#include "core/object.h"
#include <chancery/chancery.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* A bit each in CKA_CHANCERY_ROLES, for good: the numbers are in stored objects. */
enum role {
	ROLE_WRAP = 1 << 0,
	ROLE_UNWRAP = 1 << 1,
	ROLE_ENCRYPT = 1 << 2,
	ROLE_DECRYPT = 1 << 3
};

static const struct {
	CK_ATTRIBUTE_TYPE usage;
	CK_ULONG role;
} roles[] = {
	{ CKA_WRAP, ROLE_WRAP },
	{ CKA_UNWRAP, ROLE_UNWRAP },
	{ CKA_ENCRYPT, ROLE_ENCRYPT },
	{ CKA_DECRYPT, ROLE_DECRYPT },
};

/* Clulow 2003; Bortolozzo, Centenaro, Focardi, Steel 2010. */
static const CK_ULONG conflicts[] = {
	ROLE_WRAP | ROLE_DECRYPT,   /* wrap a key, then decrypt the blob as if it were data */
	ROLE_UNWRAP | ROLE_DECRYPT, /* decrypt what somebody else wrapped for this key */
	ROLE_UNWRAP |
		ROLE_ENCRYPT, /* encrypt a value of one's own, then unwrap it as a trusted key */
};

/* Usage of a public key protects nothing: anybody can do the same outside. */
static bool holds_secret(const struct attrset *obj)
{
	CK_OBJECT_CLASS cls = attrset_ulong(obj, CKA_CLASS, CK_UNAVAILABLE_INFORMATION);

	return cls == CKO_PRIVATE_KEY || cls == CKO_SECRET_KEY;
}

static CK_ULONG roles_now(const struct attrset *obj)
{
	CK_ULONG held = 0;

	for (size_t i = 0; i < LENGTH(roles); i++)
		if (attrset_bool(obj, roles[i].usage, false))
			held |= roles[i].role;
	return held;
}

static bool has_all(CK_ULONG held, CK_ULONG bits)
{
	return (held & bits) == bits;
}

enum err policy_roles(const struct attr_who *who, const struct attrset *old, struct attrset *obj)
{
	CK_ULONG before = old != NULL ? attrset_ulong(old, CKA_CHANCERY_ROLES, 0) : 0;
	CK_ULONG held = before | roles_now(obj);

	if (!holds_secret(obj))
		return OK;
	for (size_t i = 0; i < LENGTH(conflicts) && !who->compat; i++)
		if (has_all(held, conflicts[i]) && !has_all(before, conflicts[i]))
			return E_TEMPLATE_INCONSISTENT;
	return attrset_put_ulong(obj, CKA_CHANCERY_ROLES, held);
}

/* Whether key's template gives this attribute the value v. */
static bool template_grants(const struct attrset *key, CK_ATTRIBUTE_TYPE t, bool v)
{
	struct attrset *templ = NULL;
	bool granted;

	if (key == NULL ||
	    attrset_decode(attrset_bytes(key, CKA_UNWRAP_TEMPLATE), true, &templ) != OK)
		return false;
	granted = attrset_bool(templ, t, !v) == v;
	attrset_free(templ);
	return granted;
}

enum err policy_unwrap(const struct attr_who *who, const struct attrset *unwrapper,
		       const struct attrset *obj)
{
	if (who->compat)
		return OK;
	if (!attrset_bool(obj, CKA_SENSITIVE, false) &&
	    !template_grants(unwrapper, CKA_SENSITIVE, false))
		return E_TEMPLATE_INCONSISTENT;
	if (attrset_bool(obj, CKA_EXTRACTABLE, true) &&
	    !template_grants(unwrapper, CKA_EXTRACTABLE, true))
		return E_TEMPLATE_INCONSISTENT;
	return OK;
}

/*
 * A padding oracle (Vaudenay 2002) is its best known form, but lengths, check values and DER tell as
 * much. With a key that the caller may read he could decrypt himself.
 */
enum err policy_unwrapper(const struct attr_who *who, const struct mech *m,
			  const struct attrset *unwrapper)
{
	bool blind = (m->traits & MECH_UNWRAP_BLIND) != 0;

	return !blind && attr_hidden(unwrapper) && !who->compat ? E_MECHANISM : OK;
}

enum err policy_derive(const struct attr_who *who, const struct mech *m, const struct attrset *base,
		       const struct attrset *obj)
{
	bool open = m != NULL && (m->traits & MECH_DERIVE_OPEN) != 0;

	if (who->compat || open || base == NULL || !attr_hidden(base))
		return OK;
	return attr_hidden(obj) ? OK : E_TEMPLATE_INCONSISTENT;
}

enum err policy_wrap(const struct attr_who *who, const struct mech *m,
		     const struct attrset *wrapper, const struct attrset *key)
{
	struct span a = attrset_bytes(wrapper, CKA_VALUE), b = attrset_bytes(key, CKA_VALUE);

	if (who->compat || !holds_secret(wrapper))
		return OK;
	/* A known key wrapped under the same IV gives the keystream, and that the unknown one. */
	if ((m->traits & MECH_WRAP_KEYSTREAM) != 0 && attr_hidden(wrapper))
		return E_KEY_NOT_WRAPPABLE;
	return a.n != 0 && a.n == b.n && mem_equal(a.p, b.p, a.n) ? E_KEY_NOT_WRAPPABLE : OK;
}

enum err policy_sign(const struct attr_who *who, CK_MECHANISM_TYPE m, const struct attrset *key)
{
	bool unwraps = (attrset_ulong(key, CKA_CHANCERY_ROLES, 0) & ROLE_UNWRAP) != 0;

	return m == CKM_RSA_X_509 && unwraps && !who->compat ? E_KEY_USAGE : OK;
}

enum err policy_digest(const struct attr_who *who, const struct attrset *key)
{
	return attr_hidden(key) && !who->compat ? E_KEY_INDIGESTIBLE : OK;
}

enum err policy_copy(const struct attr_who *who, const struct attrset *old,
		     const struct attrset *obj)
{
	bool shown = object_sight(obj) < object_sight(old);

	return shown && holds_secret(old) && !who->compat ? E_TEMPLATE_INCONSISTENT : OK;
}
