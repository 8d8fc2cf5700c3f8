/* SPDX-License-Identifier: Apache-2.0 */
/* The schema against the reference table, row by row, in both directions. */
#include "core/schema.h"

#include "base/names.h"
#include "reftable.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static int load(void **state)
{
	(void)state;
	reftable_load();
	return 0;
}

static int unload(void **state)
{
	(void)state;
	reftable_free();
	return 0;
}

static void need_table(void)
{
	if (reftable_count() == 0)
		skip();
}

/* Where we knowingly differ from the table's columns, and why. */
static const struct {
	const char *cls, *sub; /* sub NULL: every type */
	CK_ATTRIBUTE_TYPE type;
	unsigned without; /* rules of the table that our row has not */
} exceptions[] = {
	/* No application knows it yet: added when it is not given. */
	{ "CKO_PUBLIC_KEY", NULL, CKA_PUBLIC_CRC64_VALUE, CREATE_REQ },
	{ "CKO_PRIVATE_KEY", NULL, CKA_PUBLIC_CRC64_VALUE, CREATE_REQ },
	/* The text lets CKA_SEED stand for it; key_complete wants one of the two. */
	{ "CKO_PRIVATE_KEY", "CKK_ML_DSA", CKA_VALUE, CREATE_REQ },
	{ "CKO_PRIVATE_KEY", "CKK_ML_KEM", CKA_VALUE, CREATE_REQ },
	/* Needed only when trust is given: attr_rules. The default stands for the algorithm. */
	{ "CKO_TRUST", NULL, CKA_HASH_OF_CERTIFICATE, CREATE_REQ },
	{ "CKO_TRUST", NULL, CKA_NAME_HASH_ALGORITHM, CREATE_REQ },
};

static unsigned excused(const char *cls, const char *sub, CK_ATTRIBUTE_TYPE t)
{
	for (size_t i = 0; i < sizeof(exceptions) / sizeof(exceptions[0]); i++)
		if (exceptions[i].type == t && strcmp(exceptions[i].cls, cls) == 0 &&
		    (exceptions[i].sub == NULL || strcmp(exceptions[i].sub, sub) == 0))
			return exceptions[i].without;
	return 0;
}

/* The rules of a row of the reference that are columns of the schema, too. */
static unsigned expected_rules(const struct ref_attr *a)
{
	unsigned rules = 0;

	rules |= a->create == REF_MUST ? CREATE_REQ : 0;
	rules |= a->create == REF_MUST_NOT ? CREATE_NEVER : 0;
	rules |= a->generate == REF_MUST ? GEN_REQ : 0;
	rules |= a->generate == REF_MUST_NOT ? GEN_NEVER : 0;
	rules |= a->unwrap == REF_MUST ? UNWRAP_REQ : 0;
	rules |= a->unwrap == REF_MUST_NOT ? UNWRAP_NEVER : 0;
	rules |= a->hidden ? SECRET : 0;
	rules |= a->so_only ? SO_ONLY : 0;
	return rules;
}

#define COMPARED                                                                                \
	(CREATE_REQ | CREATE_NEVER | GEN_REQ | GEN_NEVER | UNWRAP_REQ | UNWRAP_NEVER | SECRET | \
	 SO_ONLY)

/* Columns that say nothing ("n/a") leave ours free; they are refused by class. */
static unsigned undecided(const struct ref_attr *a)
{
	unsigned free = 0;

	free |= a->create == REF_NOT_APPLICABLE ? CREATE_REQ | CREATE_NEVER : 0;
	free |= a->generate == REF_NOT_APPLICABLE ? GEN_REQ | GEN_NEVER : 0;
	free |= a->unwrap == REF_NOT_APPLICABLE ? UNWRAP_REQ | UNWRAP_NEVER : 0;
	return free;
}

static void compare(const struct schema_kind *k, const struct schema_row *row)
{
	const char *cls = name_of(NAME_CKO, k->cls), *sub = reftable_sub_name(k->cls, k->sub);
	const struct ref_attr *a = reftable_find(cls, sub, row->type);
	unsigned want;

	if ((row->rules & DERIVE_ONLY) != 0 || (row->type & CKA_VENDOR_DEFINED) != 0) {
		assert_null(a); /* no attribute of the standard */
		return;
	}
	if (a == NULL)
		fail_msg("%s %s has %s, the table has not", cls, sub, name_of(NAME_CKA, row->type));
	want = (expected_rules(a) & ~excused(cls, sub, row->type));
	if (((want ^ row->rules) & COMPARED & ~undecided(a)) != 0)
		fail_msg("%s %s %s: rules %#x, the table says %#x", cls, sub, a->name,
			 row->rules & COMPARED, want);
}

static void test_every_row_is_in_the_table(void **state)
{
	(void)state;
	need_table();
	for (size_t i = 0; i < schema_kinds(); i++) {
		struct schema_walk w = { .kind = schema_kind_at(i) };
		const struct schema_row *row;

		while ((row = schema_next(&w)) != NULL)
			compare(w.kind, row);
	}
}

static void test_every_line_is_in_the_schema(void **state)
{
	size_t seen = 0;

	(void)state;
	need_table();
	for (size_t r = 0; r < reftable_count(); r++) {
		const struct ref_attr *a = reftable_at(r);
		size_t kinds = 0;

		for (size_t i = 0; i < schema_kinds(); i++) {
			const struct schema_kind *k = schema_kind_at(i);
			const char *cls = name_of(NAME_CKO, k->cls);

			if (reftable_find(cls, reftable_sub_name(k->cls, k->sub), a->type) != a)
				continue;
			if (schema_row(k, a->type) == NULL)
				fail_msg("%s of %s %s is missing", a->name, a->class_name,
					 a->type_name);
			kinds++;
		}
		seen += kinds != 0;
		if (kinds == 0)
			fail_msg("no kind for %s of %s %s", a->name, a->class_name, a->type_name);
	}
	printf("%zu of %zu lines of the reference compared\n", seen, reftable_count());
}

static enum schema_form form_of(const char *data_type)
{
	static const struct {
		const char *name;
		enum schema_form form;
	} known[] = { { "CK_BBOOL", FORM_BOOL },
		      { "BOOL", FORM_BOOL },
		      { "Big integer", FORM_BIGINT },
		      { "Byte array", FORM_BYTES },
		      { "RFC2279 string", FORM_STRING },
		      { "RFC 2279 string", FORM_STRING },
		      { "CK_UTF8CHAR", FORM_STRING },
		      { "CK_CHAR[16]", FORM_BYTES },
		      { "CK_DATE", FORM_DATE },
		      { "CK_VERSION", FORM_VERSION },
		      { "CK_ATTRIBUTE_PTR", FORM_TEMPLATE },
		      { "CK_ULONG_PTR", FORM_ULONGS },
		      { "CK_MECHANISM_TYPE_PTR, pointer to a CK_MECHANISM_TYPE array",
			FORM_ULONGS } };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(known[i].name, data_type) == 0)
			return known[i].form;
	return FORM_ULONG; /* CK_ULONG and the many types of numbers */
}

static void test_forms(void **state)
{
	(void)state;
	need_table();
	for (size_t r = 0; r < reftable_count(); r++) {
		const struct ref_attr *a = reftable_at(r);
		enum schema_form want = form_of(a->data_type), have = schema_form(a->type);

		/* CKA_VALUE is a number in some classes, bytes in others: the same bytes. */
		if (a->type == CKA_VALUE && want == FORM_BIGINT)
			want = FORM_BYTES;
		if (want != have)
			fail_msg("%s is a %s, not form %d", a->name, a->data_type, have);
	}
	assert_int_equal(schema_form(CKA_VENDOR_DEFINED | 7), FORM_UNKNOWN);
	assert_int_equal(schema_form(0x7fff), FORM_UNKNOWN);
}

/*
 * The defaults that the standard names; where it says "token-specific" ours are tested in
 * test_attr_begin.
 */
static void test_defaults(void **state)
{
	(void)state;
	need_table();
	for (size_t r = 0; r < reftable_count(); r++) {
		const struct ref_attr *a = reftable_at(r);
		bool yes = strcmp(a->dflt, "CK_TRUE") == 0, no = strcmp(a->dflt, "CK_FALSE") == 0;

		for (size_t i = 0; (yes || no) && i < schema_kinds(); i++) {
			const struct schema_kind *k = schema_kind_at(i);
			const struct schema_row *row = schema_row(k, a->type);
			const char *cls = name_of(NAME_CKO, k->cls);

			if (reftable_find(cls, reftable_sub_name(k->cls, k->sub), a->type) != a)
				continue;
			/* Secret keys are born sensitive here, whatever the standard's default. */
			assert_int_equal(row->dflt, a->type == CKA_SENSITIVE ? CK_TRUE : yes);
		}
	}
}

static void test_kinds(void **state)
{
	(void)state;
	for (size_t i = 0; i < schema_kinds(); i++) {
		const struct schema_kind *k = schema_kind_at(i);

		assert_ptr_equal(schema_kind(k->cls, k->sub), k);
		assert_non_null(schema_row(k, CKA_CLASS));
	}
	assert_null(schema_kind(CKO_SECRET_KEY, CKK_RSA));
	assert_null(schema_kind(CKO_PRIVATE_KEY, CKK_AES));
	assert_null(schema_kind(CKO_SECRET_KEY, CKK_VENDOR_DEFINED));
	assert_null(schema_kind(CKO_VENDOR_DEFINED, 0));
	assert_null(schema_kind(SCHEMA_NONE, SCHEMA_NONE));
	assert_int_equal(schema_sub(CKO_VENDOR_DEFINED), SCHEMA_NONE);
	assert_int_equal(schema_ways(CKO_VENDOR_DEFINED), 0);
	/* Classes without types take any, and any mechanism has its object. */
	assert_non_null(schema_kind(CKO_DATA, 5));
	assert_null(
		schema_row(schema_kind(CKO_MECHANISM, CKM_AES_CBC), CKA_DEFAULT_CMS_ATTRIBUTES));
	assert_non_null(
		schema_row(schema_kind(CKO_MECHANISM, CKM_CMS_SIG), CKA_DEFAULT_CMS_ATTRIBUTES));
}

static bool ok(CK_ATTRIBUTE_TYPE t, const char *text, size_t n)
{
	return schema_value_ok(t, span(text, n));
}

static void test_dates(void **state)
{
	static const char *const good[] = { "20240229", "00000101", "99991231", "20000229",
					    "20261130" };
	static const char *const bad[] = { "20230229", "19000229", "20241301", "20240001",
					   "20240100", "20240132", "20240431", "2024 101",
					   "2024-1-1", "        ", "00000000" };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(ok(CKA_START_DATE, good[i], 8));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(ok(CKA_END_DATE, bad[i], 8));
	assert_true(ok(CKA_START_DATE, NULL, 0));
	assert_false(ok(CKA_START_DATE, "20240101", 7));
	assert_false(ok(CKA_START_DATE, "202401011", 9));
}

static void test_sizes(void **state)
{
	(void)state;
	assert_true(ok(CKA_TOKEN, "\1", 1));
	assert_true(ok(CKA_TOKEN, "\0", 1));
	assert_false(ok(CKA_TOKEN, "\2", 1));
	assert_false(ok(CKA_TOKEN, "\xff", 1));
	assert_false(ok(CKA_TOKEN, NULL, 0));
	assert_false(ok(CKA_TOKEN, "\1\0", 2));
	assert_true(ok(CKA_CLASS, "\1\0\0\0\0\0\0\0", 8));
	assert_false(ok(CKA_CLASS, "\1\0\0\0", 4));
	assert_false(ok(CKA_CLASS, NULL, 0));
	assert_true(ok(CKA_ALLOWED_MECHANISMS, NULL, 0));
	assert_true(ok(CKA_ALLOWED_MECHANISMS, "0123456701234567", 16));
	assert_false(ok(CKA_ALLOWED_MECHANISMS, "012345670", 9));
	assert_true(ok(CKA_VALIDATION_VERSION, "\3\2", 2));
	assert_false(ok(CKA_VALIDATION_VERSION, "\3", 1));
	assert_true(ok(CKA_VENDOR_DEFINED | 1, "anything", 8));
}

static bool in_range(CK_ATTRIBUTE_TYPE t, CK_ULONG v)
{
	return schema_value_in_range(t, span(&v, sizeof(v)));
}

static void test_ranges(void **state)
{
	(void)state;
	assert_true(in_range(CKA_CERTIFICATE_CATEGORY, CK_CERTIFICATE_CATEGORY_OTHER_ENTITY));
	assert_false(in_range(CKA_CERTIFICATE_CATEGORY, CK_CERTIFICATE_CATEGORY_OTHER_ENTITY + 1));
	assert_true(in_range(CKA_VALUE_LEN, 32));
	assert_false(in_range(CKA_VALUE_LEN, 1UL << 40));
	assert_true(in_range(CKA_OBJECT_VALIDATION_FLAGS, 0));
	assert_false(in_range(CKA_OBJECT_VALIDATION_FLAGS, 1));
	assert_false(in_range(CKA_TRUST_CODE_SIGNING, CKT_TRUST_MUST_VERIFY_TRUST + 1));
	assert_true(in_range(CKA_KEY_TYPE, CK_UNAVAILABLE_INFORMATION));
}

static void test_spellings(void **state)
{
	(void)state;
	assert_int_equal(schema_type(0x4000062a), CKA_ENCAPSULATE_TEMPLATE);
	assert_int_equal(schema_type(0x4000062b), CKA_DECAPSULATE_TEMPLATE);
	assert_int_equal(schema_type(CKA_ENCAPSULATE_TEMPLATE), CKA_ENCAPSULATE_TEMPLATE);
	assert_int_equal(schema_type(CKA_WRAP_TEMPLATE), CKA_WRAP_TEMPLATE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_row_is_in_the_table),
		cmocka_unit_test(test_every_line_is_in_the_schema),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_dates),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_spellings),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
