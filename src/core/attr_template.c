/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CKA_WRAP_TEMPLATE, CKA_UNWRAP_TEMPLATE, CKA_DERIVE_TEMPLATE and their kin (PKCS#11 3.2, 4.7 to
 * 4.10).
 */
#include "core/attr_internal.h"

#include "base/mem.h"

/* Values may be secrets of keys, so equal bytes are compared in constant time. */
static bool same(struct span a, struct span b)
{
	return a.n == b.n && mem_equal(a.p, b.p, a.n);
}

static bool secret(const struct schema_kind *k, CK_ATTRIBUTE_TYPE t)
{
	const struct schema_row *row = k != NULL ? schema_row(k, t) : NULL;

	return row != NULL && (row->rules & SECRET) != 0;
}

/* A secret agrees with nothing: whoever makes the template could guess at keys with it. */
bool attr_agrees(const struct attrset *key, CK_ATTRIBUTE_TYPE which, const struct attrset *obj)
{
	const struct schema_kind *k = schema_kind_of(obj);
	struct attr_walk w;
	struct attr a;

	if (!attr_walk(attrset_bytes(key, schema_type(which)), &w))
		return false;
	while (attr_walk_next(&w, &a))
		if (!attrset_has(obj, a.type) || secret(k, a.type) ||
		    !same(attrset_bytes(obj, a.type), a.v))
			return false;
	return true;
}

enum err attr_impose(const struct attrset *key, CK_ATTRIBUTE_TYPE which, struct attrset *templ)
{
	struct attr_walk w;
	struct attr a;
	enum err e = OK;

	if (!attr_walk(attrset_bytes(key, schema_type(which)), &w))
		return E_CORRUPT;
	while (e == OK && attr_walk_next(&w, &a)) {
		/* until somebody logs in, a record that is not private may be anybody's */
		if (!schema_value_ok(a.type, a.v))
			e = E_CORRUPT;
		else if (!attrset_has(templ, a.type))
			e = attrset_put(templ, a.type, a.v);
		else if (!same(attrset_bytes(templ, a.type), a.v))
			e = E_TEMPLATE_INCONSISTENT;
	}
	return e;
}
