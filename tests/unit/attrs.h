/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attribute sets in tests, written as tables:
 *
 *	struct attrset *key = ATTRS(NUM(CKA_CLASS, CKO_SECRET_KEY), FLAG(CKA_SENSITIVE, true),
 *		TEXT(CKA_LABEL, "kek"));
 */
#ifndef CHANCERY_TESTS_ATTRS_H
#define CHANCERY_TESTS_ATTRS_H

#include "base/attrset.h"

struct give {
	CK_ATTRIBUTE_TYPE type;
	enum { GIVE_FLAG, GIVE_NUM, GIVE_BYTES } form;
	CK_ULONG number;
	struct span bytes;
};

#define FLAG(type, v)     ((struct give){ type, GIVE_FLAG, v, { NULL, 0 } })
#define NUM(type, v)      ((struct give){ type, GIVE_NUM, v, { NULL, 0 } })
#define BYTES(type, p, n) ((struct give){ type, GIVE_BYTES, 0, span(p, n) })
#define TEXT(type, text)  BYTES(type, text, sizeof(text) - 1)
#define EMPTY(type)       BYTES(type, NULL, 0)

#define ATTRS(...)                                     \
	attrs_of((const struct give[]){ __VA_ARGS__ }, \
		 sizeof((const struct give[]){ __VA_ARGS__ }) / sizeof(struct give))

/* Never NULL; the caller frees it. */
struct attrset *attrs_of(const struct give *g, size_t n);
/*
 * The value of a template attribute: the set in its serial form, which is freed. The caller frees
 * *form.
 */
struct span attrs_nested(struct attrset *s, struct buf *form);

#endif
