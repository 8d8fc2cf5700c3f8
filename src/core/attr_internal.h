/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of attr.h, not by others. */
#ifndef CHANCERY_CORE_ATTR_INTERNAL_H
#define CHANCERY_CORE_ATTR_INTERNAL_H

#include "base/attrset.h"
#include "base/err.h"
#include "core/attr.h"
#include "core/schema.h"

/*
 * Footnote 7: whether secret values of obj are hidden, because CKA_SENSITIVE is TRUE or
 * CKA_EXTRACTABLE FALSE.
 */
bool attr_hidden(const struct attrset *obj);
/*
 * The value of an attribute of obj as a reader may see it, in *v (empty when the object has none):
 * borrowed from obj. verified false: CKA_TRUSTED reads FALSE. E_ATTR_TYPE, E_ATTR_SENSITIVE.
 */
enum err attr_value(const struct schema_kind *k, const struct attrset *obj, bool verified,
		    CK_ATTRIBUTE_TYPE t, const struct schema_row **row, struct span *v);
/*
 * Whether a well-formed value may be in a template: its range, and the attributes of nested
 * templates. E_ATTR_VALUE, E_ATTR_TYPE.
 */
enum err attr_value_allowed(CK_ATTRIBUTE_TYPE t, struct span v);
/* The rules between attributes of one object. E_TEMPLATE_INCONSISTENT, E_TEMPLATE_INCOMPLETE. */
enum err attr_rules(const struct attrset *obj);
/* Puts a fresh CKA_UNIQUE_ID. */
enum err attr_unique_id(struct attrset *obj);

/*
 * Reads the serial form of an attrset (a nested template) without copying: NULL-safe iteration for
 * `struct attr_walk w; if (attr_walk(value, &w)) while (attr_walk_next(&w, &a)) …`.
 */
struct attr_walk {
	struct span rest;
	uint32_t left;
};
/* False: not a serial form. An empty value is a template without attributes. */
bool attr_walk(struct span nested, struct attr_walk *w);
bool attr_walk_next(struct attr_walk *w, struct attr *a);

#endif
