/* SPDX-License-Identifier: Apache-2.0 */
/* What an object shows of an attribute, and what a template may say about one. */
#include "core/attr_internal.h"

#define NESTED_HEAD  12 /* type and length in the serial form */
#define NESTED_DEPTH 8  /* more than attr_take lets in */

bool attr_hidden(const struct attrset *obj)
{
	return attrset_bool(obj, CKA_SENSITIVE, false) || !attrset_bool(obj, CKA_EXTRACTABLE, true);
}

bool attr_sealed(const struct attrset *obj)
{
	CK_OBJECT_CLASS cls = attrset_ulong(obj, CKA_CLASS, SCHEMA_NONE);

	return (cls == CKO_PRIVATE_KEY || cls == CKO_SECRET_KEY) &&
	       attrset_bool(obj, CKA_TOKEN, false) && !attrset_bool(obj, CKA_PRIVATE, false) &&
	       attr_hidden(obj);
}

enum err attr_value(const struct schema_kind *k, const struct attrset *obj, bool verified,
		    CK_ATTRIBUTE_TYPE t, const struct schema_row **row, struct span *v)
{
	static const CK_BBOOL no = CK_FALSE;

	*row = k != NULL ? schema_row(k, t) : NULL;
	if (*row == NULL || ((*row)->rules & DERIVE_ONLY) != 0)
		return E_ATTR_TYPE;
	if (((*row)->rules & SECRET) != 0 && attr_hidden(obj))
		return E_ATTR_SENSITIVE;
	*v = t == CKA_TRUSTED && !verified ? span(&no, sizeof(no)) : attrset_bytes(obj, t);
	return OK;
}

bool attr_walk(struct span nested, struct attr_walk *w)
{
	w->rest = nested;
	w->left = 0;
	return nested.n == 0 ||
	       (take_u32(&w->rest, &w->left) && w->left <= w->rest.n / NESTED_HEAD);
}

bool attr_walk_next(struct attr_walk *w, struct attr *a)
{
	uint64_t type;
	uint32_t len;

	if (w->left == 0 || !take_u64(&w->rest, &type) || !take_u32(&w->rest, &len) ||
	    !take_bytes(&w->rest, len, &a->v))
		return false;
	a->type = type;
	w->left--;
	return true;
}

static enum err value_allowed(CK_ATTRIBUTE_TYPE t, struct span v, unsigned depth);

/* What is in a file may be nested deeper than what attr_take lets in. */
static enum err nested_allowed(struct span nested, unsigned depth)
{
	struct attr_walk w;
	struct attr a;

	if (depth == 0 || !attr_walk(nested, &w))
		return E_ATTR_VALUE;
	while (attr_walk_next(&w, &a)) {
		enum err e = schema_form(a.type) != FORM_UNKNOWN
				     ? value_allowed(a.type, a.v, depth - 1)
				     : E_ATTR_TYPE;

		if (e != OK)
			return e;
	}
	return OK;
}

static enum err value_allowed(CK_ATTRIBUTE_TYPE t, struct span v, unsigned depth)
{
	if (schema_is_template(t))
		return nested_allowed(v, depth);
	return schema_value_ok(t, v) && schema_value_in_range(t, v) ? OK : E_ATTR_VALUE;
}

enum err attr_value_allowed(CK_ATTRIBUTE_TYPE t, struct span v)
{
	return value_allowed(t, v, NESTED_DEPTH);
}
