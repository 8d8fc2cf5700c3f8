/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cases of the interface (docs/CASES.md) that hold for every mechanism that is listed, beyond the operations with an output
 * (test_p11_ops): B001, verification; B002, the length of a wrapped key.
 *
 * Seen to fail: with op_verify that returns at once on bad input; with C_WrapKey that leaves the length as it was.
 */
#include "recipe.h"

#include "base/names.h"

static CK_BYTE data[32] = "what is signed and verified 123", sig[8192], blob[8192];
static CK_ULONG sig_n;
static struct dish d;

/* Runs test with a dish of each listed mechanism that can do what flags say. */
static void each(CK_FLAGS flags, void (*test)(void))
{
	static CK_MECHANISM_TYPE list[512];
	CK_ULONG n = LENGTH(list);
	CK_MECHANISM_INFO info;
	unsigned tested = 0;

	assert_ok(p11->C_GetMechanismList(p11_slot(), list, &n));
	for (CK_ULONG i = 0; i < n; i++) {
		assert_ok(p11->C_GetMechanismInfo(p11_slot(), list[i], &info));
		if ((info.flags & flags) != flags)
			continue;
		print_message("  %s\n", name_of(NAME_CKM, list[i]));
		recipe_cook(&d, list[i], flags);
		test();
		tested++;
	}
	assert_true(tested > 5);
}

/* ---- B001: verification ---- */

static void begin(void)
{
	assert_ok(p11->C_VerifyInit(p11_session(), &d.m, d.k.pub));
}

static void over(void)
{
	CK_SESSION_HANDLE s = p11_session();

	assert_rv(p11->C_Verify(s, data, d.in, sig, sig_n), CKR_OPERATION_NOT_INITIALIZED);
	assert_rv(p11->C_VerifyUpdate(s, data, d.in), CKR_OPERATION_NOT_INITIALIZED);
	assert_rv(p11->C_VerifyFinal(s, sig, sig_n), CKR_OPERATION_NOT_INITIALIZED);
}

/* A call for the whole, as it is named and however it ends. */
static void ends(CK_BYTE *p, CK_ULONG n, CK_BYTE *q, CK_ULONG q_n, CK_RV want)
{
	begin();
	assert_rv(p11->C_Verify(p11_session(), p, n, q, q_n), want);
	over();
}

static void whole_ends(void)
{
	ends(data, d.in, sig, sig_n, CKR_OK);
	ends(NULL, 16, sig, sig_n, CKR_ARGUMENTS_BAD);
	ends(data, d.in, NULL, sig_n, CKR_ARGUMENTS_BAD);
	ends(data, d.in, sig, sig_n - 1, CKR_SIGNATURE_LEN_RANGE);
	ends(data, d.in, sig, sig_n + 1, CKR_SIGNATURE_LEN_RANGE);
	ends(data, d.in, NULL, 0, CKR_SIGNATURE_LEN_RANGE);
	sig[sig_n - 1] ^= 1;
	ends(data, d.in, sig, sig_n, CKR_SIGNATURE_INVALID);
	sig[sig_n - 1] ^= 1;
}

static bool has_parts(void)
{
	CK_RV rv;

	begin();
	rv = p11->C_VerifyUpdate(p11_session(), data, d.in);
	assert_rv_of(rv, CKR_OK, CKR_OPERATION_NOT_INITIALIZED);
	if (rv == CKR_OK)
		assert_ok(p11->C_VerifyFinal(p11_session(), sig, sig_n));
	over();
	return rv == CKR_OK;
}

static void parts_end(void)
{
	CK_SESSION_HANDLE s = p11_session();

	if (!has_parts())
		return;
	begin();
	assert_rv(p11->C_VerifyUpdate(s, NULL, 16), CKR_ARGUMENTS_BAD);
	over();
	begin();
	assert_ok(p11->C_VerifyUpdate(s, data, d.in));
	assert_rv(p11->C_VerifyFinal(s, NULL, sig_n), CKR_ARGUMENTS_BAD);
	over();
	begin();
	assert_ok(p11->C_VerifyUpdate(s, data, d.in - 1));
	assert_rv(p11->C_VerifyFinal(s, sig, sig_n), CKR_SIGNATURE_INVALID);
	over();
	begin();
	assert_ok(p11->C_VerifyUpdate(s, data, d.in));
	assert_rv(p11->C_Verify(s, data, d.in, sig, sig_n), CKR_OPERATION_ACTIVE);
	over();
}

/* B005, too: a second Init harms nothing; NULL and C_SessionCancel end it. */
static void one_at_a_time(void)
{
	CK_SESSION_HANDLE s = p11_session();

	begin();
	assert_rv(p11->C_VerifyInit(s, &d.m, d.k.pub), CKR_OPERATION_ACTIVE);
	assert_ok(p11->C_SessionCancel(s, ~(CK_FLAGS)CKF_VERIFY));
	assert_ok(p11->C_Verify(s, data, d.in, sig, sig_n));
	begin();
	assert_ok(p11->C_VerifyInit(s, NULL, 0));
	over();
	begin();
	assert_ok(p11->C_SessionCancel(s, CKF_VERIFY));
	over();
}

static void verifying(void)
{
	sig_n = sizeof(sig);
	assert_ok(p11->C_SignInit(p11_session(), &d.m, d.k.priv));
	assert_ok(p11->C_Sign(p11_session(), data, d.in, sig, &sig_n));
	whole_ends();
	parts_end();
	one_at_a_time();
}

/* Verification has no length to ask for, so that every return ends it, the verdict and bad arguments alike. */
static void test_B001_verification_ends(void **state)
{
	(void)state;
	each(CKF_SIGN | CKF_VERIFY, verifying);
}

/* ---- B002: wrapped keys ---- */

static void expect_wrapped(CK_OBJECT_HANDLE key, CK_ULONG room)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_ULONG need = 0, n = room;

	assert_ok(p11->C_WrapKey(s, &d.m, d.k.pub, key, NULL, &need));
	assert_true(need > room);
	memset(blob, 0xee, sizeof(blob));
	assert_rv(p11->C_WrapKey(s, &d.m, d.k.pub, key, blob, &n), CKR_BUFFER_TOO_SMALL);
	assert_true(n > room && n <= need);
	for (size_t i = 0; i < sizeof(blob); i++)
		assert_int_equal(blob[i], 0xee);
	assert_ok(p11->C_WrapKey(s, &d.m, d.k.pub, key, blob, &n));
	assert_true(n > room && n <= need);
	assert_int_equal(blob[n], 0xee);
}

static void wrapping(void)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE key = case_secret(s, CKK_GENERIC_SECRET, data, 32, CKA_SIGN);

	expect_wrapped(key, 0);
	expect_wrapped(key, 1);
	expect_wrapped(key, 31);
	if (strstr(name_of(NAME_CKM, d.m.mechanism), "_AES_KEY_WRAP") != NULL) {
		struct templ leaves = { 0 };

		templ_flags(&leaves, CKA_SIGN, CKA_EXTRACTABLE);
		expect_wrapped(p11_p256(s, NULL, &leaves).priv, 32);
	}
}

/* Each mechanism that wraps tells the length when asked and when there is too little room; the second call succeeds. */
static void test_B002_every_wrapping(void **state)
{
	(void)state;
	each(CKF_WRAP, wrapping);
}

/* By default CKM_AES_CTR and its kin wrap nothing under a hidden key. */
static int setup_compat(void **state)
{
	return p11_setup_configured(state, "[token]\ncompat = on\n");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup_compat, p11_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_B001_verification_ends),
		TEST(test_B002_every_wrapping),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
