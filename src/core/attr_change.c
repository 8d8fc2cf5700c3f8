/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C_SetAttributeValue and C_CopyObject: an object and a template make a new version, or a new
 * object.
 */
#include "core/attr_internal.h"

#include "core/policy.h"
#include "crypto/key.h"

struct change {
	enum attr_how how; /* HOW_SET or HOW_COPY */
	const struct attr_who *who;
	const struct attrset *old;
};

/*
 * 4.1.3: a copy may be given what the object has anyway (CKA_CLASS, mostly). Not its secrets: that
 * would tell whether a guess was right. Nor what only the security officer grants.
 */
static bool repeats(const struct change *c, const struct schema_row *row, const struct attr *a)
{
	bool granted = (row->rules & SO_ONLY) != 0 && !c->who->so && a->v.n != 0 && a->v.p[0] != 0;

	if (c->how != HOW_COPY || (row->rules & SECRET) != 0 || granted ||
	    (row->rules & READ_ONLY) == READ_ONLY)
		return false;
	return span_eq(attrset_bytes(c->old, a->type), a->v);
}

static bool changeable(const struct change *c, const struct schema_row *row, const struct attr *a)
{
	if ((row->rules & SO_ONLY) != 0)
		return c->who->so;
	if ((row->rules & CHANGE_CLEAR) != 0)
		return a->v.n == 0;
	return (row->rules & (c->how == HOW_COPY ? CHANGE | CHANGE_COPY : CHANGE)) != 0;
}

/* Footnotes 11 and 12. */
static bool stuck(const struct change *c, const struct schema_row *row, const struct attr *a)
{
	bool now, next;

	if ((row->rules & (ONCE_TRUE | ONCE_FALSE)) == 0)
		return false;
	now = attrset_bool(c->old, row->type, (row->rules & ONCE_FALSE) != 0);
	next = a->v.p[0] != CK_FALSE;
	return now != next && now == ((row->rules & ONCE_TRUE) != 0);
}

/* CKA_PUBLIC_KEY_INFO follows from the key: it may be emptied, or set to what it is. */
static enum err check_key_info(const struct change *c, struct span v)
{
	struct buf info = { 0 };
	enum err e;

	if (v.n == 0)
		return OK;
	e = key_public_info(c->old, &info);
	if (e == OK && !span_eq(buf_span(&info), v))
		e = E_ATTR_VALUE;
	buf_free(&info);
	return e;
}

static enum err check_change(const struct change *c, const struct schema_kind *k,
			     const struct attr *a)
{
	const struct schema_row *row = schema_row(k, a->type);

	if (row == NULL || (row->rules & DERIVE_ONLY) != 0)
		return E_ATTR_TYPE;
	if (repeats(c, row, a))
		return OK;
	if (!changeable(c, row, a) || stuck(c, row, a))
		return E_ATTR_READ_ONLY;
	if (a->type == CKA_PUBLIC_KEY_INFO)
		return check_key_info(c, a->v);
	return attr_value_allowed(a->type, a->v);
}

static enum err check_all(const struct change *c, const struct attrset *change)
{
	const struct schema_kind *k = schema_kind_of(c->old);
	enum err e = k != NULL ? OK : E_INTERNAL;

	for (size_t i = 0; e == OK && i < attrset_count(change); i++) {
		struct attr a = attrset_at(change, i);

		e = check_change(c, k, &a);
	}
	return e;
}

/* The new attributes, with every rule checked that does not depend on set or copy. */
static enum err apply(const struct change *c, const struct attrset *change, struct attrset **out)
{
	struct attrset *s = NULL;
	enum err e = check_all(c, change);

	if (e != OK)
		return e;
	s = attrset_copy(c->old, true);
	if (s == NULL)
		return E_MEMORY;
	e = attrset_merge(s, change);
	if (e == OK)
		e = attr_rules(s);
	if (e == OK)
		e = policy_roles(c->who, c->old, s);
	if (e == OK && c->how == HOW_SET)
		e = policy_trust(c->who, c->old, s);
	if (e != OK) {
		attrset_free(s);
		return e;
	}
	*out = s; /* moved */
	return OK;
}

/* 4.6: trusted certificates are not modified, except by whoever grants the trust. */
static bool trusted_certificate(const struct attrset *obj)
{
	return attrset_ulong(obj, CKA_CLASS, SCHEMA_NONE) == CKO_CERTIFICATE &&
	       attrset_bool(obj, CKA_TRUSTED, false);
}

enum err attr_set(const struct attr_who *who, const struct attrset *old,
		  const struct attrset *change, struct attrset **out)
{
	const struct change c = { HOW_SET, who, old };

	if (!attrset_bool(old, CKA_MODIFIABLE, true) || (trusted_certificate(old) && !who->so))
		return E_PROHIBITED;
	return apply(&c, change, out);
}

/* What a copy is by itself: another object, and trusted only if the security officer makes it. */
static enum err start_anew(const struct attr_who *who, const struct attrset *old, struct attrset *s)
{
	enum err e = policy_copy(who, old, s);

	if (e == OK && !who->so && attrset_bool(s, CKA_TRUSTED, false))
		e = attrset_put_bool(s, CKA_TRUSTED, false);
	if (e == OK)
		e = attr_unique_id(s);
	return e;
}

/*
 * Each use of a copy is recorded, whatever the key has (docs/AUDIT.md, "Batches"): *own is then what is copied in its place, to be
 * freed.
 */
static enum err each_use(const struct attrset *old, struct attrset **own)
{
	if (attrset_ulong(old, CKA_CHANCERY_AUDIT, CHANCERY_AUDIT_EACH) == CHANCERY_AUDIT_EACH)
		return OK;
	*own = attrset_copy(old, true);
	return *own != NULL ? attrset_put_ulong(*own, CKA_CHANCERY_AUDIT, CHANCERY_AUDIT_EACH)
			    : E_MEMORY;
}

static enum err copy(const struct attr_who *who, const struct attrset *old,
		     const struct attrset *change, struct attrset **out)
{
	const struct change c = { HOW_COPY, who, old };
	struct attrset *s = NULL;
	enum err e = apply(&c, change, &s);

	if (e == OK)
		e = start_anew(who, old, s);
	if (e != OK) {
		attrset_free(s);
		return e;
	}
	*out = s; /* moved */
	return OK;
}

enum err attr_copy(const struct attr_who *who, const struct attrset *old,
		   const struct attrset *change, struct attrset **out)
{
	struct attrset *own = NULL;
	enum err e;

	/* What the module itself shows (profiles, mechanisms) has no copies. */
	if (!attrset_bool(old, CKA_COPYABLE, true) ||
	    schema_ways(attrset_ulong(old, CKA_CLASS, SCHEMA_NONE)) == 0)
		return E_PROHIBITED;
	e = each_use(old, &own);
	if (e == OK)
		e = copy(who, own != NULL ? own : old, change, out);
	attrset_free(own);
	return e;
}
