/* SPDX-License-Identifier: Apache-2.0 */
/* C_FindObjects: does an object have these attributes? */
#include "core/attr_internal.h"

#include "base/mem.h"

/* What may not be read may not be searched for either, or searching would be reading by guesses. */
static bool match_one(const struct schema_kind *k, const struct attrset *obj, bool verified,
		      bool secrets, const struct attr *a)
{
	const struct schema_row *row;
	struct span v;

	if (attr_value(k, obj, verified, a->type, &row, &v) != OK)
		return false;
	if ((row->rules & SECRET) != 0)
		return secrets && v.n == a->v.n && mem_equal(v.p, a->v.p, v.n);
	return span_eq(v, a->v);
}

bool attr_match(const struct attrset *obj, bool verified, bool secrets, const struct attrset *templ)
{
	const struct schema_kind *k = schema_kind_of(obj);

	for (size_t i = 0; i < attrset_count(templ); i++) {
		struct attr a = attrset_at(templ, i);

		if (!match_one(k, obj, verified, secrets, &a))
			return false;
	}
	return true;
}
