/* SPDX-License-Identifier: Apache-2.0 */
/* The two public headers: layout, versions, and what stands outside the tables of names. */
#include <chancery/chancery.h>
#include <chancery/pkcs11.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ref.h"

#define SIZE_OF(s, f) sizeof(((s *)NULL)->f)

/* The table is about 64-bit longs and pointers; elsewhere there is nothing to compare with. */
#if __SIZEOF_LONG__ == 8 && __SIZEOF_POINTER__ == 8
#define STRUCT(s, size) _Static_assert(sizeof(s) == (size), "size of " #s);
#define FIELD(s, f, off, size) \
	_Static_assert(offsetof(s, f) == (off) && SIZE_OF(s, f) == (size), "place of " #s "." #f);
/* A function keeps its place in every list that has it. */
#define ENTRY(list, f, off)                                                                      \
	_Static_assert(offsetof(list, f) == (off) && offsetof(CK_FUNCTION_LIST_3_2, f) == (off), \
		       "place of " #list "." #f);                                                \
	_Static_assert(_Generic(((list *)NULL)->f, CK_##f : 1), "type of " #list "." #f);
#include "layout.def"
#undef STRUCT
#undef FIELD
#undef ENTRY
#endif

/* A list of an older version is the beginning of the newer one. */
_Static_assert(offsetof(CK_FUNCTION_LIST_3_0, C_CancelFunction) ==
		       offsetof(CK_FUNCTION_LIST, C_CancelFunction),
	       "CK_FUNCTION_LIST begins CK_FUNCTION_LIST_3_0");

_Static_assert(sizeof(CK_ULONG) == sizeof(void *), "a CK_ULONG holds a pointer's worth");
_Static_assert((CK_LONG)-1 < 0, "CK_LONG is signed");

_Static_assert(CRYPTOKI_VERSION_MAJOR == 3 && CRYPTOKI_VERSION_MINOR == 2, "version 3.2");
_Static_assert(CRYPTOKI_VERSION_AMENDMENT == 0, "no amendment");
_Static_assert(CK_TRUE == 1 && CK_FALSE == 0 && TRUE == 1 && FALSE == 0, "truth");
_Static_assert(CK_UNAVAILABLE_INFORMATION == (CK_ULONG)-1, "unavailable is all ones");
_Static_assert(CK_EFFECTIVELY_INFINITE == 0 && CK_INVALID_HANDLE == 0, "zeros");
_Static_assert(CKF_ARRAY_ATTRIBUTE == 0x40000000UL, "array attributes");
_Static_assert(CKF_END_OF_MESSAGE == 1 && CKF_DONT_BLOCK == 1, "flags of single functions");
_Static_assert(CKF_LIBRARY_CANT_CREATE_OS_THREADS == 1 && CKF_OS_LOCKING_OK == 2,
	       "flags of C_Initialize");

/* The block of vendor numbers, docs and other programs rely on it. */
_Static_assert(CKM_CHANCERY_BASE == 0xc3480000UL, "vendor block");
_Static_assert(CKK_CHANCERY_BASE == CKM_CHANCERY_BASE && CKP_CHANCERY_BASE == CKM_CHANCERY_BASE &&
		       CKA_CHANCERY_BASE == CKM_CHANCERY_BASE &&
		       CKO_CHANCERY_BASE == CKM_CHANCERY_BASE &&
		       CKR_CHANCERY_BASE == CKM_CHANCERY_BASE,
	       "every kind has the same block");
_Static_assert(offsetof(CK_CHANCERY_FUNCTIONS, version) == 0, "lists begin with their version");

struct place {
	const char *owner;
	const char *member; /* "" for the structure itself */
	size_t offset;
	size_t size;
};

static const struct place places[] = {
#define STRUCT(s, size)        { #s, "", 0, size },
#define FIELD(s, f, off, size) { #s, #f, off, size },
#define ENTRY(list, f, off)    { #list, #f, off, sizeof(void *) },
#include "layout.def"
#undef STRUCT
#undef FIELD
#undef ENTRY
};

static const struct place *place_find(const char *owner, const char *member)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (strcmp(places[i].owner, owner) == 0 && strcmp(places[i].member, member) == 0)
			return &places[i];
	return NULL;
}

static void place_check(const char *owner, const char *member, const char *offset, const char *size)
{
	const struct place *p = place_find(owner, member);

	if (p == NULL)
		fail_msg("%s.%s is not in the layout table", owner, member);
	else if (p->offset != strtoul(offset, NULL, 10) || p->size != strtoul(size, NULL, 10))
		fail_msg("%s.%s: %zu+%zu here, %s+%s there", owner, member, p->offset, p->size,
			 offset, size);
}

/* Whether the layout table itself is complete and right. */
static void test_structures_against_reference(void **state)
{
	FILE *f = ref_open("pkcs11-v3.2-structs.tsv");
	struct ref_row row;
	size_t checked = 0;

	(void)state;
	if (f == NULL)
		skip();
	while (ref_next(f, &row)) {
		bool field = strcmp(row.col[0], "field") == 0;

		if (!field && strcmp(row.col[0], "struct") != 0 &&
		    strcmp(row.col[0], "funclist") != 0)
			continue;
		place_check(row.col[1], field ? row.col[4] : "", field ? row.col[7] : "0",
			    row.col[8]);
		checked++;
	}
	fclose(f);
	printf("%zu structures and members compared\n", checked);
	assert_true(checked > 0);
}

static void test_functions_against_reference(void **state)
{
	FILE *f = ref_open("pkcs11-v3.2-functions.tsv");
	struct ref_row row;
	size_t checked = 0;

	(void)state;
	if (f == NULL)
		skip();
	while (ref_next(f, &row)) {
		place_check(row.col[2], row.col[1], row.col[8], "8");
		checked++;
	}
	fclose(f);
	printf("%zu functions compared\n", checked);
	assert_true(checked > 0);
}

#define COUNT_ONE(name) +1

/* The lists of function names are complete. */
static void test_function_counts(void **state)
{
	(void)state;
	assert_int_equal(0 CK_FUNCTIONS_2_40(COUNT_ONE), 68);
	assert_int_equal(0 CK_FUNCTIONS_3_0(COUNT_ONE), 24);
	assert_int_equal(0 CK_FUNCTIONS_3_2(COUNT_ONE), 12);
}

/* The standard reserves names without "Vendor " for itself. */
static void test_vendor_interface_name(void **state)
{
	(void)state;
	assert_int_equal(strncmp(CHANCERY_INTERFACE_NAME, "Vendor ", 7), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_structures_against_reference),
		cmocka_unit_test(test_functions_against_reference),
		cmocka_unit_test(test_function_counts),
		cmocka_unit_test(test_vendor_interface_name),
	};

	return cmocka_run_group_tests_name("header", tests, NULL, NULL);
}
