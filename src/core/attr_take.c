/* SPDX-License-Identifier: Apache-2.0 */
/* A caller's template becomes an attrset of our own. Everything in it is hostile until here. */
#include "core/attr.h"

#include "core/schema.h"

/*
 * Bounds of one template, nested ones counted in: far beyond what the standard's 160 attributes
 * need, and small enough that a template that lists the same memory again and again stays cheap.
 */
#define TAKE_ATTRS 1024
#define TAKE_BYTES ((size_t)12 << 20)
#define TAKE_DEPTH 4

_Static_assert(TAKE_BYTES + TAKE_ATTRS * 16 < BUF_MAX_DEFAULT,
	       "what was taken can be encoded again");

struct budget {
	size_t attrs, bytes;
	unsigned depth;
};

static enum err take_all(struct budget *b, const void *t, CK_ULONG n, struct attrset **out);

/* A nested template is kept in its serial form; an empty one is empty, and so the same as none. */
static enum err take_nested(struct budget *b, struct span v, struct buf *form)
{
	struct attrset *s = NULL;
	enum err e;

	if (v.n % sizeof(CK_ATTRIBUTE) != 0 || b->depth == 0)
		return E_ATTR_VALUE;
	if (v.n == 0)
		return OK;
	b->depth--;
	e = take_all(b, v.p, v.n / sizeof(CK_ATTRIBUTE), &s);
	if (e == OK)
		e = attrset_encode(s, form);
	b->depth++;
	attrset_free(s);
	return e;
}

/* PKCS#11 3.2, 4.1.1: one value twice counts once, two values contradict each other. */
static enum err take_put(struct attrset *s, CK_ATTRIBUTE_TYPE type, struct span v)
{
	const struct attr *earlier = attrset_get(s, type);

	if (earlier != NULL)
		return span_eq(earlier->v, v) ? OK : E_TEMPLATE_INCONSISTENT;
	return attrset_put(s, type, v);
}

static enum err take_one(struct budget *b, const CK_ATTRIBUTE *a, struct attrset *s)
{
	CK_ATTRIBUTE_TYPE type = schema_type(a->type);
	struct span v = span(a->pValue, a->ulValueLen);
	struct buf form = { .secret = true };
	enum err e;

	if ((v.p == NULL && v.n != 0) || v.n > b->bytes || b->attrs == 0)
		return E_ATTR_VALUE;
	b->attrs--;
	b->bytes -= v.n;
	if (!schema_value_ok(type, v))
		return E_ATTR_VALUE;
	if (!schema_is_template(type))
		return take_put(s, type, v);
	e = take_nested(b, v, &form);
	if (e == OK)
		e = take_put(s, type, buf_span(&form));
	buf_free(&form);
	return e;
}

/* t is read entry by entry: inside another template it may lie at any address. */
static enum err take_all(struct budget *b, const void *t, CK_ULONG n, struct attrset **out)
{
	const uint8_t *at = t;
	struct attrset *s = attrset_new(true);
	enum err e = s != NULL ? OK : E_MEMORY;

	for (CK_ULONG i = 0; e == OK && i < n; i++) {
		CK_ATTRIBUTE a;

		memcpy(&a, at + i * sizeof(a), sizeof(a));
		e = take_one(b, &a, s);
	}
	if (e != OK) {
		attrset_free(s);
		return e;
	}
	*out = s; /* moved */
	return OK;
}

enum err attr_take(const CK_ATTRIBUTE *t, CK_ULONG n, struct attrset **out)
{
	struct budget b = { .attrs = TAKE_ATTRS, .bytes = TAKE_BYTES, .depth = TAKE_DEPTH };

	if ((t == NULL && n != 0) || n > TAKE_ATTRS)
		return E_ARGUMENTS;
	return take_all(&b, t, n, out);
}
