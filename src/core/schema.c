/* SPDX-License-Identifier: Apache-2.0 */
#include "core/schema.h"

#include "core/attr.h"

/* CLASS names four groups; with the type's own before and `object` after them. */
#define CLASS_GROUPS 4
#define GROUPS       (CLASS_GROUPS + 2)

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

#define GROUP(name)            static const struct schema_row name##_rows[] = {
#define ROW(type, rules, dflt) { type, rules, dflt },
#define END                                 \
	{                                   \
		SCHEMA_NONE, 0, SCHEMA_NONE \
	}                                   \
	}                                   \
	;
#include "core/schema_rows.def"
#undef GROUP
#undef ROW
#undef END

/* The last row of each only closes it, so that a group may be empty. */
#define ROWS(name)                                   \
	{                                            \
		name##_rows, LENGTH(name##_rows) - 1 \
	}

#define KINDS(list)           static const struct schema_kind list##_kinds[] = {
#define KIND(cls, sub, group) { cls, sub, ROWS(group) },
#define END \
	}   \
	;
#include "core/schema_kinds.def"
#undef KINDS
#undef KIND
#undef END

/* By number: the standard's classes have no gaps. */
static const struct class_row {
	const struct schema_kind *kinds; /* sorted; one without a type is the last */
	size_t n;
	CK_ATTRIBUTE_TYPE sub;
	unsigned ways;
	struct schema_group groups[CLASS_GROUPS];
} classes[] = {
#define CLASS(cls, list, sub, ways, a, b, c, d) \
	[cls] = { list##_kinds,                 \
		  LENGTH(list##_kinds),         \
		  sub,                          \
		  ways,                         \
		  { ROWS(a), ROWS(b), ROWS(c), ROWS(d) } },
#include "core/schema_kinds.def"
#undef CLASS
};

static const struct schema_group every_object = ROWS(object);

/*
 * This search and the next one are part of every C_GetAttributeValue: they halve without branches
 * that depend on what is compared.
 */
const struct schema_kind *schema_kind(CK_OBJECT_CLASS cls, CK_ULONG sub)
{
	const struct schema_kind *k, *last;

	if (cls >= LENGTH(classes))
		return NULL;
	k = classes[cls].kinds;
	last = k + classes[cls].n - 1;
	for (size_t n = classes[cls].n; n > 1; n -= n / 2)
		k = k[n / 2].sub <= sub ? k + n / 2 : k;
	if (k->sub == sub)
		return k;
	return last->sub == SCHEMA_NONE ? last : NULL;
}

const struct schema_kind *schema_kind_of(const struct attrset *obj)
{
	CK_OBJECT_CLASS cls = attrset_ulong(obj, CKA_CLASS, SCHEMA_NONE);
	CK_ATTRIBUTE_TYPE sub = schema_sub(cls);

	return schema_kind(cls,
			   sub == SCHEMA_NONE ? SCHEMA_NONE : attrset_ulong(obj, sub, SCHEMA_NONE));
}

size_t schema_kinds(void)
{
	size_t n = 0;

	for (size_t c = 0; c < LENGTH(classes); c++)
		n += classes[c].n;
	return n;
}

const struct schema_kind *schema_kind_at(size_t i)
{
	size_t c = 0;

	while (i >= classes[c].n)
		i -= classes[c++].n;
	return &classes[c].kinds[i];
}

CK_ATTRIBUTE_TYPE schema_sub(CK_OBJECT_CLASS cls)
{
	return cls < LENGTH(classes) ? classes[cls].sub : SCHEMA_NONE;
}

unsigned schema_ways(CK_OBJECT_CLASS cls)
{
	return cls < LENGTH(classes) ? classes[cls].ways : 0;
}

static const struct schema_group *group_at(const struct schema_kind *k, size_t i)
{
	if (i == 0)
		return &k->own;
	return i <= CLASS_GROUPS ? &classes[k->cls].groups[i - 1] : &every_object;
}

static const struct schema_row *group_row(const struct schema_group *g, CK_ATTRIBUTE_TYPE t)
{
	const struct schema_row *row = g->rows;

	for (size_t n = g->n; n > 1; n -= n / 2)
		row = row[n / 2].type <= t ? row + n / 2 : row;
	return row->type == t && g->n != 0 ? row : NULL;
}

const struct schema_row *schema_row(const struct schema_kind *k, CK_ATTRIBUTE_TYPE t)
{
	for (size_t i = 0; i < GROUPS; i++) {
		const struct schema_row *row = group_row(group_at(k, i), t);

		if (row != NULL)
			return row;
	}
	return NULL;
}

const struct schema_row *schema_next(struct schema_walk *w)
{
	while (w->group < GROUPS) {
		const struct schema_group *g = group_at(w->kind, w->group);

		while (w->i < g->n) {
			const struct schema_row *row = &g->rows[w->i++];

			if (schema_row(w->kind, row->type) == row)
				return row;
		}
		w->group++;
		w->i = 0;
	}
	return NULL;
}
