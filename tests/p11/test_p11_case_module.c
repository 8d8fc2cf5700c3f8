/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cases of the interface (docs/CASES.md) that test_p11_ops, _iface and _lifecycle leave: B002, lengths told by the calls that
 * are no operations; B079, numbers of slots.
 */
#include "case.h"

/* ---- B002 ---- */

/* A call that fills p, of *n elements, with what there is. */
typedef CK_RV list_fn(void *p, CK_ULONG *n);

static CK_RV slots(void *p, CK_ULONG *n)
{
	return p11->C_GetSlotList(CK_FALSE, p, n);
}

static CK_RV slots_with_token(void *p, CK_ULONG *n)
{
	return p11->C_GetSlotList(CK_TRUE, p, n);
}

static CK_RV mechanisms(void *p, CK_ULONG *n)
{
	return p11->C_GetMechanismList(p11_slot(), p, n);
}

static CK_RV interfaces(void *p, CK_ULONG *n)
{
	return p11->C_GetInterfaceList(p, n);
}

static CK_RV operation_state(void *p, CK_ULONG *n)
{
	return p11->C_GetOperationState(p11_session(), p, n);
}

static const struct {
	const char *name;
	list_fn *call;
	size_t size; /* of an element */
} lists[] = {
	{ "C_GetSlotList, all", slots, sizeof(CK_SLOT_ID) },
	{ "C_GetSlotList, present", slots_with_token, sizeof(CK_SLOT_ID) },
	{ "C_GetMechanismList", mechanisms, sizeof(CK_MECHANISM_TYPE) },
	{ "C_GetInterfaceList", interfaces, sizeof(CK_INTERFACE) },
	{ "C_GetOperationState", operation_state, 1 },
};

/* With too little room, even none, a list tells how long it is and writes nothing behind the room; the next call succeeds. */
static void test_B002_lists(void **state)
{
	static CK_BYTE room[65536];
	CK_MECHANISM sha256 = mechanism(CKM_SHA256, NULL, 0);

	(void)state;
	assert_ok(p11->C_DigestInit(p11_session(), &sha256));
	p11_new_token("second", false);
	for (size_t i = 0; i < LENGTH(lists); i++) {
		CK_ULONG need = 0, n;

		print_message("  %s\n", lists[i].name);
		assert_ok(lists[i].call(NULL, &need));
		assert_true(need > 1);
		for (CK_ULONG less = 0; less < need; less += need - 1) {
			memset(room, 0xee, sizeof(room));
			n = less;
			assert_rv(lists[i].call(room, &n), CKR_BUFFER_TOO_SMALL);
			assert_int_equal(n, need);
			assert_int_equal(room[less * lists[i].size], 0xee);
		}
		assert_ok(lists[i].call(room, &n));
		assert_int_equal(n, need);
		assert_rv(lists[i].call(NULL, NULL), CKR_ARGUMENTS_BAD);
		assert_rv(lists[i].call(room, NULL), CKR_ARGUMENTS_BAD);
	}
}

/* A search gives as many as there is room for, and goes on from there. */
static void test_B002_search(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE h[8] = { 0 };
	CK_ULONG n = 9;

	(void)state;
	for (int i = 0; i < 5; i++)
		case_secret(s, CKK_AES, "0123456789abcdef", 16, CKA_ENCRYPT);
	assert_ok(p11->C_FindObjectsInit(s, NULL, 0));
	assert_ok(p11->C_FindObjects(s, h, 0, &n));
	assert_int_equal(n, 0);
	assert_ok(p11->C_FindObjects(s, h, 2, &n));
	assert_int_equal(n, 2);
	assert_int_equal(h[2], 0);
	assert_ok(p11->C_FindObjects(s, h + 2, 6, &n));
	assert_int_equal(n, 3);
	assert_ok(p11->C_FindObjects(s, h, 8, &n));
	assert_int_equal(n, 0);
	assert_ok(p11->C_FindObjectsFinal(s));
}

/* ---- B079 ---- */

/* The tokens that were made, and behind them the one to come. */
static void expect_present(const CK_SLOT_ID *want, CK_ULONG n)
{
	CK_SLOT_ID got[16];
	CK_ULONG got_n = LENGTH(got);

	assert_ok(p11->C_GetSlotList(CK_TRUE, got, &got_n));
	assert_int_equal(got_n, n + 1);
	assert_memory_equal(got, want, n * sizeof(want[0]));
}

static CK_SLOT_ID numbers[3];

static void same_numbers(void)
{
	p11_initialize();
	expect_present(numbers, 3);
}

/* A token keeps the number of its slot, from C_InitToken on, in every process; it is small enough for any caller. */
static void test_B079_slot_numbers_stay(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_SESSION_INFO info;

	(void)state;
	numbers[0] = p11_slot();
	numbers[1] = p11_new_token("second", false);
	numbers[2] = p11_new_token("third", true);
	expect_present(numbers, 3);
	assert_ok(p11->C_GetSessionInfo(s, &info)); /* opened before the others came */
	assert_int_equal(info.slotID, numbers[0]);
	for (size_t i = 0; i < LENGTH(numbers); i++)
		assert_true(numbers[i] < 0x80000000UL);
	case_child(same_numbers);
	case_restart();
	expect_present(numbers, 3);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, p11_setup_token, p11_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_B002_lists),
		TEST(test_B002_search),
		TEST(test_B079_slot_numbers_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
