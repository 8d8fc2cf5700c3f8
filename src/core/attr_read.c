/* SPDX-License-Identifier: Apache-2.0 */
/* C_GetAttributeValue (PKCS#11 3.2, 5.7.5). */
#include "core/attr_internal.h"

/* Too little room, or a length that an earlier call left as "unavailable": nothing is written. */
static bool fits(const CK_ATTRIBUTE *t, size_t n)
{
	return t->ulValueLen != CK_UNAVAILABLE_INFORMATION && t->ulValueLen >= n;
}

static enum err refuse(CK_ATTRIBUTE *t, enum err e)
{
	t->ulValueLen = CK_UNAVAILABLE_INFORMATION;
	return e;
}

static enum err read_value(CK_ATTRIBUTE_TYPE type, struct span v, CK_ATTRIBUTE *t);

/*
 * Entry i of a caller's nested template: its type is set, its room is the caller's, its value is
 * filled.
 */
static enum err read_entry(const struct attr *a, uint8_t *at)
{
	CK_ATTRIBUTE t;
	enum err e;

	memcpy(&t, at, sizeof(t));
	t.type = a->type;
	e = read_value(a->type, a->v, &t);
	memcpy(at, &t, sizeof(t));
	return e;
}

/*
 * An array attribute: the caller's array has entries of its own, which each follow the same rules.
 */
static enum err read_nested(struct span v, CK_ATTRIBUTE *t)
{
	struct attr_walk w;
	struct attr a;
	uint8_t *at = t->pValue;
	enum err e = OK;
	size_t n;

	if (!attr_walk(v, &w))
		return refuse(t, E_CORRUPT);
	n = w.left * sizeof(CK_ATTRIBUTE);
	if (at != NULL && !fits(t, n))
		return refuse(t, E_TOO_SMALL);
	for (; at != NULL && attr_walk_next(&w, &a); at += sizeof(CK_ATTRIBUTE)) {
		enum err e2 = read_entry(&a, at);

		if (e == OK)
			e = e2;
	}
	t->ulValueLen = n;
	return e;
}

static enum err read_value(CK_ATTRIBUTE_TYPE type, struct span v, CK_ATTRIBUTE *t)
{
	if (schema_is_template(type))
		return read_nested(v, t);
	if (t->pValue != NULL) {
		if (!fits(t, v.n))
			return refuse(t, E_TOO_SMALL);
		if (v.n != 0)
			memcpy(t->pValue, v.p, v.n);
	}
	t->ulValueLen = v.n;
	return OK;
}

/* Whether reading v gives something away. */
static bool tells(const struct schema_row *row, struct span v, const CK_ATTRIBUTE *t)
{
	return (row->rules & SECRET) != 0 && v.n != 0 && t->pValue != NULL && fits(t, v.n);
}

static enum err read_one(const struct schema_kind *k, const struct attrset *obj, bool verified,
			 CK_ATTRIBUTE *t, bool secrets, bool *secret)
{
	CK_ATTRIBUTE_TYPE type = schema_type(t->type);
	const struct schema_row *row;
	struct span v;
	enum err e = attr_value(k, obj, verified, type, &row, &v);

	if (e != OK)
		return refuse(t, e);
	if (tells(row, v, t)) {
		*secret = true;
		if (!secrets)
			return OK;
	}
	return read_value(type, v, t);
}

/* What another thread does to the caller's entry meanwhile does not change what is decided here about it. */
static enum err read_copy(const struct schema_kind *k, const struct attrset *obj, bool verified,
			  CK_ATTRIBUTE *t, bool secrets, bool *secret)
{
	CK_ATTRIBUTE copy;
	enum err e;

	memcpy(&copy, t, sizeof(copy));
	e = read_one(k, obj, verified, &copy, secrets, secret);
	t->ulValueLen = copy.ulValueLen;
	return e;
}

enum err attr_get(const struct attrset *obj, bool verified, CK_ATTRIBUTE *t, CK_ULONG n,
		  bool secrets, bool *secret)
{
	const struct schema_kind *k = schema_kind_of(obj);
	enum err e = OK;

	*secret = false;
	if (t == NULL && n != 0)
		return E_ARGUMENTS;
	for (CK_ULONG i = 0; i < n; i++) {
		enum err e2 = read_copy(k, obj, verified, &t[i], secrets, secret);

		if (e == OK)
			e = e2;
	}
	return e;
}
