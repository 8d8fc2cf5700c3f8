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
	ROLE_DECRYPT = 1 << 3,
	ROLE_SIGN = 1 << 4,
	ROLE_VERIFY = 1 << 5,
	ROLE_DERIVE = 1 << 6,
};

static const struct {
	CK_ATTRIBUTE_TYPE usage;
	CK_ULONG role;
} roles[] = {
	{ CKA_WRAP, ROLE_WRAP },       { CKA_UNWRAP, ROLE_UNWRAP },
	{ CKA_ENCRYPT, ROLE_ENCRYPT }, { CKA_DECRYPT, ROLE_DECRYPT },
	{ CKA_SIGN, ROLE_SIGN },       { CKA_SIGN_RECOVER, ROLE_SIGN },
	{ CKA_VERIFY, ROLE_VERIFY },   { CKA_VERIFY_RECOVER, ROLE_VERIFY },
	{ CKA_DERIVE, ROLE_DERIVE },
};

/* secret_only: a private key signs and derives by functions that do not undo each other. */
static const struct {
	CK_ULONG roles;
	bool secret_only;
} conflicts[] = {
	/* Clulow 2003; Bortolozzo, Centenaro, Focardi, Steel 2010: */
	/* wrap a key, then decrypt the blob as if it were data */
	{ ROLE_WRAP | ROLE_DECRYPT, false },
	/* decrypt what somebody else wrapped for this key */
	{ ROLE_UNWRAP | ROLE_DECRYPT, false },
	/* encrypt a value of one's own, then unwrap it as a trusted key */
	{ ROLE_UNWRAP | ROLE_ENCRYPT, false },
	/* AES-GMAC and CMAC give the block cipher of chosen blocks, and with it the keystream of GCM */
	{ ROLE_UNWRAP | ROLE_SIGN, true },
	{ ROLE_UNWRAP | ROLE_VERIFY, true },
	/* HKDF is HMAC: a MAC is what another derivation would give, and verifying finds it piece by piece */
	{ ROLE_DERIVE | ROLE_SIGN, true },
	{ ROLE_DERIVE | ROLE_VERIFY, true },
};

/* The shortest tag of an AEAD that guards a key (SP 800-38D has 4 bytes for streams), and MAC that is verified in parts. */
enum { UNWRAP_TAG_MIN = 12, VERIFY_MAC_MIN = 8 };

/* Bytes of a hidden key that is derived from one: the check value of a shorter one tells what it is. */
enum { DERIVED_MIN = 16 };

/* Usage of a public key protects nothing: anybody can do the same outside. */
static bool holds_secret(const struct attrset *obj)
{
	CK_OBJECT_CLASS cls = attrset_ulong(obj, CKA_CLASS, CK_UNAVAILABLE_INFORMATION);

	return cls == CKO_PRIVATE_KEY || cls == CKO_SECRET_KEY;
}

/* Whether there is a secret in it that may not be seen, and that the token is to guard. NULL accepted. */
static bool guarded(const struct attr_who *who, const struct attrset *obj)
{
	return !who->compat && obj != NULL && holds_secret(obj) && attr_hidden(obj);
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

static bool conflict_applies(size_t i, const struct attrset *obj)
{
	return !conflicts[i].secret_only ||
	       attrset_ulong(obj, CKA_CLASS, CK_UNAVAILABLE_INFORMATION) == CKO_SECRET_KEY;
}

/*
 * What a hidden key may be used for is decided when it is made. Else copies that know nothing of each other could share roles that
 * conflict, and a trusted key could get one that nobody looked at when it was trusted.
 */
static bool gains(const struct attr_who *who, const struct attrset *old, const struct attrset *obj)
{
	return guarded(who, old) && (roles_now(obj) & ~roles_now(old)) != 0;
}

enum err policy_roles(const struct attr_who *who, const struct attrset *old, struct attrset *obj)
{
	CK_ULONG before = old != NULL ? attrset_ulong(old, CKA_CHANCERY_ROLES, 0) : 0;
	CK_ULONG held = before | roles_now(obj);

	if (!holds_secret(obj))
		return OK;
	if (gains(who, old, obj))
		return E_TEMPLATE_INCONSISTENT;
	for (size_t i = 0; i < LENGTH(conflicts) && !who->compat; i++)
		if (conflict_applies(i, obj) && has_all(held, conflicts[i].roles) &&
		    !has_all(before, conflicts[i].roles))
			return E_TEMPLATE_INCONSISTENT;
	return attrset_put_ulong(obj, CKA_CHANCERY_ROLES, held);
}

enum err policy_trust(const struct attr_who *who, const struct attrset *old,
		      const struct attrset *obj)
{
	bool granted =
		attrset_bool(obj, CKA_TRUSTED, false) && !attrset_bool(old, CKA_TRUSTED, false);

	return granted && !who->compat && holds_secret(obj) && !attrset_bool(old, CKA_LOCAL, false)
		       ? E_TEMPLATE_INCONSISTENT
		       : OK;
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
enum err policy_unwrapper(const struct attr_who *who, const struct mech *m, size_t tag,
			  const struct attrset *unwrapper)
{
	bool blind = (m->traits & MECH_UNWRAP_BLIND) != 0;

	if (!guarded(who, unwrapper))
		return OK;
	if (!blind)
		return E_MECHANISM;
	return tag != 0 && tag < UNWRAP_TAG_MIN ? E_MECHANISM_PARAM : OK;
}

enum err policy_verify(const struct attr_who *who, size_t mac, const struct attrset *key)
{
	return mac != 0 && mac < VERIFY_MAC_MIN && guarded(who, key) ? E_MECHANISM_PARAM : OK;
}

enum err policy_derive(const struct attr_who *who, const struct mech *m, const struct attrset *base,
		       const struct attrset *obj)
{
	bool open = m != NULL && (m->traits & MECH_DERIVE_OPEN) != 0;

	return !open && guarded(who, base) && !attr_hidden(obj) ? E_TEMPLATE_INCONSISTENT : OK;
}

enum err policy_derived(const struct attr_who *who, const struct attrset *base,
			const struct attrset *obj)
{
	bool both = guarded(who, base) && guarded(who, obj);

	return both && attrset_bytes(obj, CKA_VALUE).n < DERIVED_MIN ? E_TEMPLATE_INCONSISTENT : OK;
}

/* A known key wrapped under the same IV gives the keystream, and that the unknown one. */
enum err policy_wrapper(const struct attr_who *who, const struct mech *m,
			const struct attrset *wrapper)
{
	return (m->traits & MECH_WRAP_KEYSTREAM) != 0 && guarded(who, wrapper) ? E_KEY_NOT_WRAPPABLE
									       : OK;
}

enum err policy_wrap(const struct attr_who *who, const struct attrset *wrapper,
		     const struct attrset *key)
{
	struct span a = attrset_bytes(wrapper, CKA_VALUE), b = attrset_bytes(key, CKA_VALUE);

	if (who->compat || !holds_secret(wrapper))
		return OK;
	return a.n != 0 && a.n == b.n && mem_equal(a.p, b.p, a.n) ? E_KEY_NOT_WRAPPABLE : OK;
}

enum err policy_sign(const struct attr_who *who, CK_MECHANISM_TYPE m, const struct attrset *key)
{
	bool unwraps = (attrset_ulong(key, CKA_CHANCERY_ROLES, 0) & ROLE_UNWRAP) != 0;

	return m == CKM_RSA_X_509 && unwraps && !who->compat ? E_KEY_USAGE : OK;
}

enum err policy_digest(const struct attr_who *who, const struct attrset *key)
{
	return guarded(who, key) ? E_KEY_INDIGESTIBLE : OK;
}

enum err policy_copy(const struct attr_who *who, const struct attrset *old,
		     const struct attrset *obj)
{
	bool shown = object_sight(obj) < object_sight(old);

	return shown && holds_secret(old) && !who->compat ? E_TEMPLATE_INCONSISTENT : OK;
}
