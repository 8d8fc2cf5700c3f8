/* SPDX-License-Identifier: Apache-2.0 */
#include "reftable.h"

#include "base/names.h"
#include "ref.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_ROWS = 512 };

enum column {
	COL_CLASS,
	COL_TYPE,
	COL_NAME,
	COL_HEX,
	COL_DATA_TYPE,
	COL_FOOTNOTES,
	COL_CREATE,
	COL_GENERATE,
	COL_UNWRAP,
	COL_HIDDEN,
	COL_MODIFIABLE,
	COL_READ_ONLY,
	COL_DEFAULT
};

static struct {
	struct ref_attr *rows;
	size_t n;
} table;

/* The names of objects that the standard calls storage objects (4.4). */
static const char *const storage[] = { "CKO_DATA",       "CKO_CERTIFICATE",
				       "CKO_PUBLIC_KEY", "CKO_PRIVATE_KEY",
				       "CKO_SECRET_KEY", "CKO_DOMAIN_PARAMETERS",
				       "CKO_OTP_KEY",    "CKO_TRUST" };

static enum ref_must must(const char *s)
{
	if (strcmp(s, "must") == 0)
		return REF_MUST;
	if (strcmp(s, "must not") == 0)
		return REF_MUST_NOT;
	return strcmp(s, "may") == 0 ? REF_MAY : REF_NOT_APPLICABLE;
}

static void copy(char *to, size_t room, const char *from)
{
	assert_true(strlen(from) < room);
	strcpy(to, from);
}

/* Whether a list "1,4,13" has the number. */
static bool has_footnote(const char *list, const char *number)
{
	char want[8], all[64];

	snprintf(want, sizeof(want), ",%s,", number);
	snprintf(all, sizeof(all), ",%.60s,", list);
	return strstr(all, want) != NULL;
}

static void row_take(const struct ref_row *r, struct ref_attr *a)
{
	copy(a->class_name, sizeof(a->class_name), r->col[COL_CLASS]);
	copy(a->type_name, sizeof(a->type_name), r->col[COL_TYPE]);
	copy(a->name, sizeof(a->name), r->col[COL_NAME]);
	copy(a->data_type, sizeof(a->data_type), r->col[COL_DATA_TYPE]);
	copy(a->modifiable, sizeof(a->modifiable), r->col[COL_MODIFIABLE]);
	copy(a->dflt, sizeof(a->dflt), r->col[COL_DEFAULT]);
	a->type = strtoul(r->col[COL_HEX], NULL, 16);
	a->create = must(r->col[COL_CREATE]);
	a->generate = must(r->col[COL_GENERATE]);
	a->unwrap = must(r->col[COL_UNWRAP]);
	a->hidden = strcmp(r->col[COL_HIDDEN], "yes") == 0;
	a->so_only = has_footnote(r->col[COL_FOOTNOTES], "10");
	a->once_true = has_footnote(r->col[COL_FOOTNOTES], "11");
	a->once_false = has_footnote(r->col[COL_FOOTNOTES], "12");
}

bool reftable_load(void)
{
	FILE *f = ref_open("pkcs11-v3.2-attributes.tsv");
	struct ref_row r;

	if (f == NULL)
		return false;
	table.rows = calloc(MAX_ROWS, sizeof(*table.rows));
	assert_non_null(table.rows);
	while (ref_next(f, &r)) {
		assert_true(table.n < MAX_ROWS);
		row_take(&r, &table.rows[table.n++]);
	}
	fclose(f);
	return true;
}

void reftable_free(void)
{
	free(table.rows);
	table.rows = NULL;
	table.n = 0;
}

size_t reftable_count(void)
{
	return table.n;
}

const struct ref_attr *reftable_at(size_t i)
{
	return &table.rows[i];
}

static bool is_storage(const char *cls)
{
	for (size_t i = 0; i < sizeof(storage) / sizeof(storage[0]); i++)
		if (strcmp(storage[i], cls) == 0)
			return true;
	return false;
}

/* One-time password keys have what keys and secret keys have (6.38). */
static bool class_fits(const struct ref_attr *a, const char *cls)
{
	if (strcmp(a->class_name, "any object") == 0)
		return true;
	if (strcmp(a->class_name, "any storage object") == 0)
		return is_storage(cls);
	if (strcmp(cls, "CKO_OTP_KEY") == 0 && strcmp(a->type_name, "any") == 0 &&
	    strstr(a->class_name, "CKO_SECRET_KEY") != NULL)
		return true;
	return strstr(a->class_name, cls) != NULL;
}

static bool every_type(const struct ref_attr *a)
{
	return strcmp(a->type_name, "-") == 0 || strcmp(a->type_name, "any") == 0;
}

const struct ref_attr *reftable_find(const char *cls, const char *sub, CK_ATTRIBUTE_TYPE t)
{
	const struct ref_attr *general = NULL;

	for (size_t i = 0; i < table.n; i++) {
		const struct ref_attr *a = &table.rows[i];

		if (a->type != t || !class_fits(a, cls))
			continue;
		if (strcmp(a->type_name, sub) == 0)
			return a;
		if (every_type(a))
			general = a;
	}
	return general;
}

const char *reftable_sub_name(CK_OBJECT_CLASS cls, CK_ULONG sub)
{
	static const struct {
		CK_OBJECT_CLASS cls;
		enum name_group group;
	} groups[] = { { CKO_CERTIFICATE, NAME_CKC },
		       { CKO_HW_FEATURE, NAME_CKH },
		       { CKO_MECHANISM, NAME_CKM } };
	enum name_group g = NAME_CKK;
	const char *name;

	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (groups[i].cls == cls)
			g = groups[i].group;
	name = sub != CK_UNAVAILABLE_INFORMATION ? name_of(g, sub) : NULL;
	return name != NULL ? name : "-";
}
