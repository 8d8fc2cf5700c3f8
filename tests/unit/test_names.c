/* SPDX-License-Identifier: Apache-2.0 */
#include "base/names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ref.h"

struct row {
	enum name_group group;
	CK_ULONG value;
	const char *text;
	bool alias;
};

static const struct row rows[] = {
#define NAME(g, n)  { NAME_##g, n, #n, false },
#define ALIAS(g, n) { NAME_##g, n, #n, true },
#include "base/names_ckm.def"
#include "base/names_cka.def"
#include "base/names_ckr.def"
#include "base/names_ckk.def"
#include "base/names_types.def"
#include "base/names_flags.def"
#undef ALIAS
#undef NAME
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

/* Constants that are no value of a type: nothing prints them. test_header checks them. */
static const char *const untabled[] = {
	"CRYPTOKI_VERSION_MAJOR",
	"CRYPTOKI_VERSION_MINOR",
	"CRYPTOKI_VERSION_AMENDMENT",
	"CK_TRUE",
	"CK_FALSE",
	"TRUE",
	"FALSE",
	"CK_UNAVAILABLE_INFORMATION",
	"CK_EFFECTIVELY_INFINITE",
	"CK_INVALID_HANDLE",
	"CKF_ARRAY_ATTRIBUTE",
	"CKF_END_OF_MESSAGE",
	"CKF_DONT_BLOCK",
	"CKF_LIBRARY_CANT_CREATE_OS_THREADS",
	"CKF_OS_LOCKING_OK",
};

enum { UNTABLED = sizeof(untabled) / sizeof(untabled[0]) };

/* The binary search needs it, and an alias must not hide the current name. */
static void test_rows_are_sorted(void **state)
{
	(void)state;
	assert_false(rows[0].alias);
	for (size_t i = 1; i < ROWS; i++) {
		const struct row *a = &rows[i - 1], *b = &rows[i];
		bool same = a->group == b->group && a->value == b->value;

		if (a->group > b->group || (a->group == b->group && a->value > b->value))
			fail_msg("%s stands behind %s", b->text, a->text);
		if (same != b->alias)
			fail_msg("%s after %s: alias or not?", b->text, a->text);
	}
}

static void test_value_to_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS; i++) {
		const char *text = name_of(rows[i].group, rows[i].value);

		assert_non_null(text);
		assert_int_equal(strcmp(text, rows[i].text) == 0, !rows[i].alias);
	}
}

static void lower(char *out, size_t cap, const char *in)
{
	size_t i;

	assert_true(strlen(in) < cap);
	for (i = 0; in[i] != '\0'; i++)
		out[i] = in[i] >= 'A' && in[i] <= 'Z' ? (char)(in[i] - 'A' + 'a') : in[i];
	out[i] = '\0';
}

static void check_value(const struct row *r, const char *text)
{
	CK_ULONG v = ~r->value;

	if (!name_value(r->group, text, &v) || v != r->value)
		fail_msg("%s: %#lx, not %#lx", text, v, r->value);
}

static void test_name_to_value(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS; i++) {
		char small[64];

		lower(small, sizeof(small), rows[i].text);
		check_value(&rows[i], rows[i].text);
		check_value(&rows[i], small);
		check_value(&rows[i], strchr(rows[i].text, '_') + 1);
		check_value(&rows[i], strchr(small, '_') + 1);
	}
}

static void test_unknown_values(void **state)
{
	static const CK_ULONG unknown[] = { 0x0fffffffUL, 0x80000001UL, ~0UL };

	(void)state;
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		for (int g = NAME_CKM; g <= NAME_CKF_OTP; g++)
			assert_null(name_of((enum name_group)g, unknown[i]));
	/* Gaps, and the ends of the table. */
	assert_null(name_of(NAME_CKR, 4));
	assert_null(name_of(NAME_CKU, 3));
	assert_null(name_of(NAME_CKF_OTP, 0));
	assert_null(name_of((enum name_group)(NAME_CKF_OTP + 1), 0));
}

static void test_unknown_names(void **state)
{
	static const char *const unknown[] = {
		"",
		"CKM_",
		"_",
		"RSA",
		"CKM_RSA_PKC",
		"CKM_RSA_PKCS_",
		"CKA_LABEL",
		" CKM_RSA_PKCS",
		"CKM_RSA_PKCS ",
		"CKM-RSA-PKCS",
		"_RSA_PKCS",
		"CKMCKM_RSA_PKCS",
	};
	CK_ULONG v = 77;

	(void)state;
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		if (name_value(NAME_CKM, unknown[i], &v))
			fail_msg("\"%s\" is %#lx", unknown[i], v);
	assert_int_equal(v, 77);
}

/* The same number or word means different things in different groups. */
static void test_groups_are_apart(void **state)
{
	CK_ULONG v = 0;

	(void)state;
	assert_string_equal(name_of(NAME_CKP_ML_DSA, 1), "CKP_ML_DSA_44");
	assert_string_equal(name_of(NAME_CKP_ML_KEM, 1), "CKP_ML_KEM_512");
	assert_string_equal(name_of(NAME_CKF_TOKEN, 4), "CKF_LOGIN_REQUIRED");
	assert_string_equal(name_of(NAME_CKF_SLOT, 4), "CKF_HW_SLOT");
	assert_true(name_value(NAME_CKK, "ml_dsa", &v));
	assert_int_equal(v, CKK_ML_DSA);
	assert_true(name_value(NAME_CKM, "ml_dsa", &v));
	assert_int_equal(v, CKM_ML_DSA);
}

static void test_current_names_win(void **state)
{
	(void)state;
	assert_string_equal(name_of(NAME_CKM, 0x1040), "CKM_EC_KEY_PAIR_GEN");
	assert_string_equal(name_of(NAME_CKA, 0x180), "CKA_EC_PARAMS");
	assert_string_equal(name_of(NAME_CKK, 3), "CKK_EC");
}

static const struct row *row_find(const char *text)
{
	for (size_t i = 0; i < ROWS; i++)
		if (strcmp(rows[i].text, text) == 0)
			return &rows[i];
	return NULL;
}

static bool is_untabled(const char *text)
{
	for (size_t i = 0; i < UNTABLED; i++)
		if (strcmp(untabled[i], text) == 0)
			return true;
	return false;
}

/* Columns: group, name, value, introduced, status, alias of, context, note. */
static void compare(const struct ref_row *ref)
{
	const char *name = ref->col[1], *alias_of = ref->col[5];
	CK_ULONG value = strtoul(ref->col[2], NULL, 16);
	const struct row *r = row_find(name);
	bool alias = strcmp(alias_of, "-") != 0;

	if (r == NULL)
		fail_msg("%s is missing", name);
	else if (r->value != value || r->alias != alias)
		fail_msg("%s is %#lx, alias: %d", name, r->value, r->alias);
	else
		assert_string_equal(name_of(r->group, value), alias ? alias_of : name);
}

static void test_names_against_reference(void **state)
{
	FILE *f = ref_open("pkcs11-v3.2-constants.tsv");
	struct ref_row ref;
	size_t compared = 0, left = 0;

	(void)state;
	if (f == NULL)
		skip();
	while (ref_next(f, &ref)) {
		if (is_untabled(ref.col[1])) {
			left++;
			continue;
		}
		compare(&ref);
		compared++;
	}
	fclose(f);
	printf("%zu names compared, %zu are in no table\n", compared, left);
	assert_int_equal(compared, ROWS);
	assert_int_equal(left, UNTABLED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_are_sorted),
		cmocka_unit_test(test_value_to_name),
		cmocka_unit_test(test_name_to_value),
		cmocka_unit_test(test_unknown_values),
		cmocka_unit_test(test_unknown_names),
		cmocka_unit_test(test_groups_are_apart),
		cmocka_unit_test(test_current_names_win),
		cmocka_unit_test(test_names_against_reference),
	};

	return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
