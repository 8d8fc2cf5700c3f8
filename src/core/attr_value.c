/* SPDX-License-Identifier: Apache-2.0 */
/* What an object shows of an attribute, and what a template may say about one. */
#include "core/attr_internal.h"

#define NESTED_HEAD 12 /* type and length in the serial form */

bool attr_hidden(const struct attrset *obj)
{
	return attrset_bool(obj, CKA_SENSITIVE, false) || !attrset_bool(obj, CKA_EXTRACTABLE, true);
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

/* The value was well-formed when it was taken, so nesting is bounded. */
static enum err nested_allowed(struct span nested)
{
	struct attr_walk w;
	struct attr a;

	if (!attr_walk(nested, &w))
		return E_ATTR_VALUE;
	while (attr_walk_next(&w, &a)) {
		enum err e = schema_form(a.type) != FORM_UNKNOWN ? attr_value_allowed(a.type, a.v)
								 : E_ATTR_TYPE;

		if (e != OK)
			return e;
	}
	return OK;
}

enum err attr_value_allowed(CK_ATTRIBUTE_TYPE t, struct span v)
{
	if (schema_is_template(t))
		return nested_allowed(v);
	return schema_value_in_range(t, v) ? OK : E_ATTR_VALUE;
}
