/* SPDX-License-Identifier: Apache-2.0 */
#include "base/names.h"

#include <string.h>

struct name {
	enum name_group group;
	CK_ULONG value;
	const char *text;
};

/* Sorted by group and value. An alias stands behind the current name, so a search finds that one. */
static const struct name names[] = {
/* ALIAS is spelled out: handed on to NAME, n would be a number before # makes it a text. */
#define NAME(g, n)  { NAME_##g, n, #n },
#define ALIAS(g, n) { NAME_##g, n, #n },
#include "base/names_ckm.def"
#include "base/names_cka.def"
#include "base/names_ckr.def"
#include "base/names_ckk.def"
#include "base/names_types.def"
#include "base/names_flags.def"
#undef ALIAS
#undef NAME
};

static const size_t names_count = sizeof(names) / sizeof(names[0]);

static bool name_before(const struct name *n, enum name_group g, CK_ULONG v)
{
	return n->group < g || (n->group == g && n->value < v);
}

/* Index of the first row that does not stand before (g, v); names_count when all do. */
static size_t name_search(enum name_group g, CK_ULONG v)
{
	size_t low = 0, high = names_count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (name_before(&names[mid], g, v))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const char *name_of(enum name_group g, CK_ULONG v)
{
	size_t i = name_search(g, v);

	if (i == names_count || names[i].group != g || names[i].value != v)
		return NULL;
	return names[i].text;
}

/* toupper() would follow the host's locale. */
static char ascii_upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

/* upper has no small letters. */
static bool text_equal(const char *text, const char *upper)
{
	while (*upper != '\0' && ascii_upper(*text) == *upper) {
		text++;
		upper++;
	}
	return *text == '\0' && *upper == '\0';
}

static bool name_matches(const struct name *n, const char *text)
{
	return text_equal(text, n->text) || text_equal(text, strchr(n->text, '_') + 1);
}

/*
 * A walk through the group: names come from people and configuration files, one at a time, and a
 * second order of the table would have to be kept in step.
 */
bool name_value(enum name_group g, const char *name, CK_ULONG *v)
{
	for (size_t i = name_search(g, 0); i < names_count && names[i].group == g; i++) {
		if (name_matches(&names[i], name)) {
			*v = names[i].value;
			return true;
		}
	}
	return false;
}
