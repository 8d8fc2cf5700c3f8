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

struct class
{
	CK_ATTRIBUTE_TYPE sub;
	unsigned ways;
	struct schema_group groups[CLASS_GROUPS];
};

/* By number: the standard's classes have no gaps. */
static const struct class classes[] = {
#define CLASS(cls, sub, ways, a, b, c, d) \
	[cls] = { sub, ways, { ROWS(a), ROWS(b), ROWS(c), ROWS(d) } },
#include "core/schema_kinds.def"
#undef CLASS
};

static const struct schema_kind kinds[] = {
#define KIND(cls, sub, group) { cls, sub, ROWS(group) },
#include "core/schema_kinds.def"
#undef KIND
};

static const struct schema_group every_object = ROWS(object);

static bool kind_before(const struct schema_kind *k, CK_OBJECT_CLASS cls, CK_ULONG sub)
{
	return k->cls != cls ? k->cls < cls : k->sub < sub;
}

static const struct schema_kind *kind_find(CK_OBJECT_CLASS cls, CK_ULONG sub)
{
	size_t lo = 0, hi = LENGTH(kinds);

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (kind_before(&kinds[mid], cls, sub))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < LENGTH(kinds) && kinds[lo].cls == cls && kinds[lo].sub == sub ? &kinds[lo]
										  : NULL;
}

const struct schema_kind *schema_kind(CK_OBJECT_CLASS cls, CK_ULONG sub)
{
	const struct schema_kind *k = kind_find(cls, sub);

	return k != NULL ? k : kind_find(cls, SCHEMA_NONE);
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
	return LENGTH(kinds);
}

const struct schema_kind *schema_kind_at(size_t i)
{
	return &kinds[i];
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
	size_t lo = 0, hi = g->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (g->rows[mid].type < t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < g->n && g->rows[lo].type == t ? &g->rows[lo] : NULL;
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
