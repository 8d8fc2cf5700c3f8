/* SPDX-License-Identifier: Apache-2.0 */
/* A template becomes the beginning of an object. */
#include "core/attr_internal.h"

#include "core/policy.h"

/* Which footnotes count for which way; C_DeriveKey is like generating, but asks for nothing. */
static const struct {
	unsigned required, never;
} ways[] = {
	[HOW_CREATE] = { CREATE_REQ, CREATE_NEVER },
	[HOW_GENERATE] = { GEN_REQ, GEN_NEVER },
	[HOW_UNWRAP] = { UNWRAP_REQ, UNWRAP_NEVER },
	[HOW_DERIVE] = { 0, GEN_NEVER },
};

/* Puts number v (SCHEMA_NONE: the template alone decides, dflt if it does not). */
static enum err settle(struct attrset *obj, CK_ATTRIBUTE_TYPE t, CK_ULONG v, CK_ULONG dflt)
{
	if (attrset_has(obj, t))
		return v == SCHEMA_NONE || attrset_ulong(obj, t, SCHEMA_NONE) == v
			       ? OK
			       : E_TEMPLATE_INCONSISTENT;
	if (v == SCHEMA_NONE)
		v = dflt;
	return v != SCHEMA_NONE ? attrset_put_ulong(obj, t, v) : E_TEMPLATE_INCOMPLETE;
}

/*
 * The class when neither the call nor the template names one. CKA_CLASS has no footnote for
 * C_UnwrapKey and C_DeriveKey, and the key type of an unwrapped key tells: no type is both private
 * and secret.
 */
static CK_OBJECT_CLASS implied_class(enum attr_how how, CK_KEY_TYPE kt)
{
	if (how == HOW_DERIVE)
		return CKO_SECRET_KEY;
	if (how != HOW_UNWRAP)
		return SCHEMA_NONE;
	return schema_kind(CKO_PRIVATE_KEY, kt) != NULL ? CKO_PRIVATE_KEY : CKO_SECRET_KEY;
}

/* What a mechanism derives when the template does not say (3.2, 6.43: "a generic secret key"). */
static CK_KEY_TYPE implied_type(enum attr_how how)
{
	return how == HOW_DERIVE ? CKK_GENERIC_SECRET : SCHEMA_NONE;
}

static enum err settle_kind(enum attr_how how, CK_OBJECT_CLASS cls, CK_KEY_TYPE kt,
			    struct attrset *obj, const struct schema_kind **k)
{
	CK_KEY_TYPE hint = kt != SCHEMA_NONE ? kt : attrset_ulong(obj, CKA_KEY_TYPE, SCHEMA_NONE);
	CK_ATTRIBUTE_TYPE sub;
	enum err e = settle(obj, CKA_CLASS, cls, implied_class(how, hint));

	if (e != OK)
		return e;
	sub = schema_sub(attrset_ulong(obj, CKA_CLASS, SCHEMA_NONE));
	if (sub != SCHEMA_NONE)
		e = settle(obj, sub, sub == CKA_KEY_TYPE ? kt : SCHEMA_NONE, implied_type(how));
	if (e != OK)
		return e;
	*k = schema_kind_of(obj);
	if (*k == NULL)
		return E_ATTR_VALUE;
	if ((schema_ways((*k)->cls) & 1U << how) == 0)
		return how == HOW_CREATE ? E_ATTR_READ_ONLY : E_TEMPLATE_INCONSISTENT;
	return OK;
}

/* 4.1.1: an attribute of other classes contradicts this one, an unknown one is invalid. */
static enum err misplaced(CK_ATTRIBUTE_TYPE t)
{
	return schema_form(t) != FORM_UNKNOWN ? E_TEMPLATE_INCONSISTENT : E_ATTR_TYPE;
}

static enum err check_given(enum attr_how how, const struct attr_who *who,
			    const struct schema_row *row, const struct attr *a)
{
	if (row == NULL || ((row->rules & DERIVE_ONLY) != 0 && how != HOW_DERIVE))
		return misplaced(a->type);
	if ((row->rules & ways[how].never) != 0)
		return E_ATTR_READ_ONLY;
	if ((row->rules & SO_ONLY) != 0 && !who->so && a->v.p[0] != CK_FALSE)
		return E_ATTR_READ_ONLY;
	return attr_value_allowed(a->type, a->v);
}

static enum err check_all_given(enum attr_how how, const struct attr_who *who,
				const struct schema_kind *k, const struct attrset *obj)
{
	enum err e = OK;

	for (size_t i = 0; e == OK && i < attrset_count(obj); i++) {
		struct attr a = attrset_at(obj, i);

		e = check_given(how, who, schema_row(k, a.type), &a);
	}
	return e;
}

static enum err put_default(struct attrset *obj, const struct schema_row *row)
{
	if (row->dflt == SCHEMA_NONE || attrset_has(obj, row->type))
		return OK;
	if (schema_form(row->type) == FORM_BOOL)
		return attrset_put_bool(obj, row->type, row->dflt != CK_FALSE);
	return attrset_put_ulong(obj, row->type, row->dflt);
}

static enum err complete(enum attr_how how, const struct schema_kind *k, struct attrset *obj)
{
	struct schema_walk w = { .kind = k };
	const struct schema_row *row;
	enum err e = OK;

	while (e == OK && (row = schema_next(&w)) != NULL) {
		if ((row->rules & ways[how].required) != 0 && !attrset_has(obj, row->type))
			e = E_TEMPLATE_INCOMPLETE;
		else
			e = put_default(obj, row);
	}
	return e;
}

enum err attr_begin(enum attr_how how, const struct attr_who *who, CK_OBJECT_CLASS cls,
		    CK_KEY_TYPE kt, struct attrset *obj)
{
	const struct schema_kind *k = NULL;
	enum err e;

	if (how != HOW_CREATE && how != HOW_GENERATE && how != HOW_UNWRAP && how != HOW_DERIVE)
		return E_INTERNAL;
	e = settle_kind(how, cls, kt, obj, &k);
	if (e == OK)
		e = check_all_given(how, who, k, obj);
	if (e == OK)
		e = complete(how, k, obj);
	if (e == OK)
		e = attr_rules(obj);
	if (e == OK)
		e = policy_roles(who, NULL, obj);
	return e;
}
