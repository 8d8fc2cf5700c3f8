/* SPDX-License-Identifier: Apache-2.0 */
/* Discovery of interfaces (case B004), and what the lists hold. */
#include "p11.h"

#include <chancery/chancery.h>

#define INTERFACES 4

static CK_UTF8CHAR standard[] = "PKCS 11";

static CK_RV get(CK_UTF8CHAR_PTR name, CK_BYTE major, CK_BYTE minor, CK_FLAGS flags,
		 CK_INTERFACE_PTR *i)
{
	CK_VERSION v = { major, minor };

	*i = NULL;
	return p11->C_GetInterface(name, &v, i, flags);
}

static void counts(void **state)
{
	CK_INTERFACE list[INTERFACES + 1];
	CK_ULONG n = 0;

	(void)state;
	assert_rv(p11->C_GetInterfaceList(NULL, NULL), CKR_ARGUMENTS_BAD);
	assert_rv(p11->C_GetInterfaceList(list, NULL), CKR_ARGUMENTS_BAD);
	assert_ok(p11->C_GetInterfaceList(NULL, &n));
	assert_int_equal(n, INTERFACES);
	n = 1;
	assert_rv(p11->C_GetInterfaceList(list, &n), CKR_BUFFER_TOO_SMALL);
	assert_int_equal(n, INTERFACES);
	n = INTERFACES + 1;
	assert_ok(p11->C_GetInterfaceList(list, &n));
	assert_int_equal(n, INTERFACES);
	for (CK_ULONG i = 0; i < n; i++) {
		assert_non_null(list[i].pFunctionList);
		assert_int_equal(list[i].flags, 0);
	}
}

static void default_is_newest(void **state)
{
	CK_INTERFACE_PTR i = NULL, named = NULL;

	(void)state;
	assert_ok(p11->C_GetInterface(NULL, NULL, &i, 0));
	assert_string_equal((char *)i->pInterfaceName, "PKCS 11");
	assert_int_equal(((CK_VERSION *)i->pFunctionList)->major, 3);
	assert_int_equal(((CK_VERSION *)i->pFunctionList)->minor, 2);
	assert_ok(p11->C_GetInterface(standard, NULL, &named, 0));
	assert_ptr_equal(i, named);
}

static void versions(void **state)
{
	static const CK_VERSION known[] = { { 2, 40 }, { 3, 0 }, { 3, 2 } };
	CK_INTERFACE_PTR i;

	(void)state;
	for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++) {
		assert_ok(get(standard, known[k].major, known[k].minor, 0, &i));
		assert_memory_equal(i->pFunctionList, &known[k], sizeof(known[k]));
	}
	assert_rv(get(standard, 9, 9, 0, &i), CKR_ARGUMENTS_BAD);
	assert_null(i);
	assert_rv(get(standard, 3, 1, 0, &i), CKR_ARGUMENTS_BAD);
	assert_ok(get(NULL, 3, 0, 0, &i));
}

static void refusals(void **state)
{
	CK_UTF8CHAR nope[] = "nope", prefix[] = "PKCS 1";
	CK_INTERFACE_PTR i = NULL;

	(void)state;
	assert_rv(p11->C_GetInterface(NULL, NULL, NULL, 0), CKR_ARGUMENTS_BAD);
	assert_rv(p11->C_GetInterface(nope, NULL, &i, 0), CKR_ARGUMENTS_BAD);
	assert_rv(p11->C_GetInterface(prefix, NULL, &i, 0), CKR_ARGUMENTS_BAD);
	/* A forked child starts anew: no interface promises otherwise. */
	assert_rv(p11->C_GetInterface(standard, NULL, &i, CKF_INTERFACE_FORK_SAFE),
		  CKR_ARGUMENTS_BAD);
	assert_null(i);
}

static void vendor(void **state)
{
	CK_UTF8CHAR name[] = CHANCERY_INTERFACE_NAME;
	CK_CHANCERY_FUNCTIONS *f;
	CK_INTERFACE_PTR i;

	(void)state;
	assert_ok(get(name, CHANCERY_INTERFACE_MAJOR, CHANCERY_INTERFACE_MINOR, 0, &i));
	f = i->pFunctionList;
	assert_int_equal(f->version.major, CHANCERY_INTERFACE_MAJOR);
	assert_non_null(f->StateCheck);
	assert_non_null(f->CryptoVersion);
	assert_non_null(f->CryptoVersion());
}

static void *function_at(const void *list, size_t i)
{
	void *f;

	memcpy(&f, (const char *)list + sizeof(void *) * (i + 1), sizeof(f));
	return f;
}

/* Every function is in each list that should have it, the same that is exported under its name. */
static void members(void **state)
{
#define NAME(name) #name,
	static const char *const names[] = { CK_FUNCTIONS_2_40(NAME) CK_FUNCTIONS_3_0(NAME)
						     CK_FUNCTIONS_3_2(NAME) };
	static const struct {
		CK_BYTE major, minor;
		size_t n;
	} lists[] = { { 2, 40, 68 }, { 3, 0, 92 }, { 3, 2, 104 } };
	CK_INTERFACE_PTR iface;

	(void)state;
	assert_int_equal(sizeof(names) / sizeof(names[0]), 104);
	for (size_t l = 0; l < 3; l++) {
		assert_ok(get(standard, lists[l].major, lists[l].minor, 0, &iface));
		for (size_t i = 0; i < lists[l].n; i++) {
			assert_non_null(p11_symbol(names[i]));
			assert_ptr_equal(function_at(iface->pFunctionList, i),
					 p11_symbol(names[i]));
		}
	}
}

static void function_list(void **state)
{
	CK_FUNCTION_LIST_PTR list = NULL;
	CK_INTERFACE_PTR i;

	(void)state;
	assert_rv(p11->C_GetFunctionList(NULL), CKR_ARGUMENTS_BAD);
	assert_ok(p11->C_GetFunctionList(&list));
	assert_int_equal(list->version.major, 2);
	assert_int_equal(list->version.minor, 40);
	assert_ok(get(standard, 2, 40, 0, &i));
	assert_ptr_equal(i->pFunctionList, list);
}

/* Nothing but the standard's functions leaves the module. */
static void exports(void **state)
{
	static const char *const hidden[] = { "mem_alloc", "op_init", "OPENSSL_init_crypto",
					      "EVP_DigestInit", "vendor_functions" };

	(void)state;
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		assert_null(p11_symbol(hidden[i]));
}

int main(void)
{
	/* Discovery works before C_Initialize and after it alike. */
#define BOTH(f)                                                                  \
	cmocka_unit_test_setup_teardown(f, p11_setup_only_loaded, p11_teardown), \
		cmocka_unit_test_setup_teardown(f, p11_setup, p11_teardown)
	const struct CMUnitTest tests[] = {
		BOTH(counts),
		BOTH(default_is_newest),
		BOTH(versions),
		BOTH(refusals),
		BOTH(members),
		BOTH(function_list),
		BOTH(vendor),
		cmocka_unit_test_setup_teardown(exports, p11_setup_only_loaded, p11_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
