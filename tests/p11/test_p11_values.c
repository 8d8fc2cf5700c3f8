/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Return values are those of the standard's lists (watch.h looks at each): bad calls of all functions, and all mechanisms
 * begun with keys, parameters and inputs that do not fit. What a value must be where several would do is said by name.
 *
 * Seen to fail: with each value of `named` put back to what it was before.
 */
#include "every.h"
#include "recipe.h"
#include "watch.h"

#include <stdio.h>

static CK_BYTE in[64], out[8192];

static int setup_compat(void **state)
{
	return p11_setup_configured(state, "[token]\ncompat = on\n");
}

/* ---- what the lists leave a choice of ---- */

static void keys_without_leave(CK_SESSION_HANDLE s)
{
	CK_OBJECT_HANDLE idle = p11_secret(s, CKM_AES_KEY_GEN, 32, CKA_EXTRACTABLE), h;
	CK_MECHANISM m = mechanism(CKM_AES_KEY_WRAP_KWP, NULL, 0);
	CK_ULONG n = sizeof(out);
	struct templ t;

	case_open_secret(&t, CKK_GENERIC_SECRET, NULL, 0);
	assert_rv(p11->C_WrapKey(s, &m, idle, idle, out, &n), CKR_WRAPPING_KEY_TYPE_INCONSISTENT);
	assert_rv(p11->C_UnwrapKey(s, &m, idle, in, 40, t.a, t.n, &h),
		  CKR_UNWRAPPING_KEY_TYPE_INCONSISTENT);
}

static void two_values_to_find(CK_SESSION_HANDLE s)
{
	struct templ t = { 0 };

	templ_text(&t, CKA_LABEL, "one");
	templ_text(&t, CKA_LABEL, "two");
	assert_rv(p11->C_FindObjectsInit(s, t.a, t.n), CKR_ATTRIBUTE_VALUE_INVALID);
	assert_ok(p11->C_FindObjectsInit(s, t.a, 1));
	assert_ok(p11->C_FindObjectsFinal(s));
}

/* The operation for the whole is not the one that is active; and it ends. */
static void whole_after_part(CK_SESSION_HANDLE s)
{
	struct pair k = p11_rsa(s, 2048, NULL, NULL);
	CK_MECHANISM m = mechanism(CKM_SHA256_RSA_PKCS, NULL, 0);

	assert_ok(p11->C_VerifySignatureInit(s, &m, k.pub, out, 256));
	assert_ok(p11->C_VerifySignatureUpdate(s, in, 5));
	assert_rv(p11->C_VerifySignature(s, in, 5), CKR_OPERATION_NOT_INITIALIZED);
	assert_rv(p11->C_VerifySignatureFinal(s), CKR_OPERATION_NOT_INITIALIZED);
}

static void blank_slot(void)
{
	CK_SLOT_ID list[8];
	CK_SESSION_HANDLE s;
	CK_ULONG n = LENGTH(list);

	assert_ok(p11->C_GetSlotList(CK_FALSE, list, &n));
	assert_rv(p11->C_OpenSession(list[n - 1], CKF_SERIAL_SESSION, NULL, NULL, &s),
		  CKR_TOKEN_NOT_INITIALIZED);
	assert_ok(p11->C_CloseAllSessions(list[n - 1]));
	assert_rv(p11->C_CloseAllSessions(list[n - 1] + 1), CKR_SLOT_ID_INVALID);
}

static void test_named(void **state)
{
	(void)state;
	keys_without_leave(p11_session());
	two_values_to_find(p11_session());
	whole_after_part(p11_session());
	blank_slot();
}

/* ---- keys, parameters and inputs that do not fit ---- */

enum { KEYS = 10 };

static CK_OBJECT_HANDLE keys[KEYS];

static void make_keys(CK_SESSION_HANDLE s)
{
	struct templ open;
	struct pair rsa = p11_rsa(s, 2048, NULL, NULL), ec = p11_p256(s, NULL, NULL);

	case_open_secret(&open, CKK_AES, in, 32);
	keys[0] = CK_INVALID_HANDLE;
	keys[1] = 99999;
	keys[2] = case_data(s, "data", "value", true);
	keys[3] = p11_secret(s, CKM_AES_KEY_GEN, 32, CKA_ENCRYPT, CKA_WRAP, CKA_EXTRACTABLE);
	keys[4] = case_secret(s, CKK_GENERIC_SECRET, in, 20, CKA_SIGN, CKA_VERIFY);
	keys[5] = rsa.pub;
	keys[6] = rsa.priv;
	keys[7] = ec.pub;
	keys[8] = ec.priv;
	keys[9] = p11_secret(s, CKM_GENERIC_SECRET_KEY_GEN, 20, CKA_DERIVE);
}

/* All that can follow an Init, right or not; the last of each kind ends it. */
static void go_on(CK_SESSION_HANDLE s)
{
	CK_ULONG n = 3;

	(void)p11->C_EncryptUpdate(s, in, 17, out, &n);
	(void)p11->C_Encrypt(s, in, 17, out, &n);
	(void)p11->C_DecryptUpdate(s, in, 17, out, &n);
	(void)p11->C_Decrypt(s, in, 17, out, &n);
	(void)p11->C_SignUpdate(s, in, 17);
	(void)p11->C_Sign(s, in, 17, out, &n);
	(void)p11->C_SignRecover(s, in, 17, out, &n);
	(void)p11->C_VerifyUpdate(s, in, 17);
	(void)p11->C_Verify(s, in, 17, out, 3);
	(void)p11->C_VerifyRecover(s, in, 17, out, &n);
	(void)p11->C_VerifySignature(s, in, 17);
	(void)p11->C_DigestUpdate(s, in, 17);
	(void)p11->C_DigestKey(s, keys[4]);
	(void)p11->C_DigestEncryptUpdate(s, in, 17, out, &n);
	(void)p11->C_SignEncryptUpdate(s, in, 17, out, &n);
	(void)p11->C_Digest(s, in, 17, out, &n);
	n = sizeof(out);
	(void)p11->C_EncryptFinal(s, out, &n);
	(void)p11->C_DecryptFinal(s, out, &n);
	(void)p11->C_SignFinal(s, out, &n);
	(void)p11->C_VerifyFinal(s, out, 3);
	(void)p11->C_DigestFinal(s, out, &n);
	(void)p11->C_VerifySignatureFinal(s);
	(void)p11->C_SessionCancel(s, CKF_ENCRYPT | CKF_DECRYPT | CKF_SIGN | CKF_VERIFY |
					      CKF_SIGN_RECOVER | CKF_VERIFY_RECOVER | CKF_DIGEST);
}

static void begin_all(CK_SESSION_HANDLE s, CK_MECHANISM *m, CK_OBJECT_HANDLE key)
{
	(void)p11->C_EncryptInit(s, m, key);
	(void)p11->C_DecryptInit(s, m, key);
	(void)p11->C_SignInit(s, m, key);
	(void)p11->C_SignRecoverInit(s, m, key);
	(void)p11->C_VerifyInit(s, m, key);
	(void)p11->C_VerifyRecoverInit(s, m, key);
	(void)p11->C_DigestInit(s, m);
	go_on(s);
	(void)p11->C_VerifySignatureInit(s, m, key, in, 17);
	go_on(s);
}

/* Templates that lack what is needed, that have too much, and that contradict the mechanism. */
static void make_all(CK_SESSION_HANDLE s, CK_MECHANISM *m, CK_OBJECT_HANDLE key)
{
	CK_OBJECT_HANDLE a, b;
	CK_ULONG n = sizeof(out);
	struct templ t[4];

	memset(t, 0, sizeof(t));
	templ_ulong(&t[1], CKA_VALUE_LEN, 7);
	case_open_secret(&t[2], CKK_AES, NULL, 0);
	templ_ulong(&t[3], CKA_CLASS, CKO_DATA);
	templ_bool(&t[3], CKA_LOCAL, true);
	(void)p11->C_WrapKey(s, m, key, keys[3], out, &n);
	for (size_t i = 0; i < LENGTH(t); i++) {
		(void)p11->C_UnwrapKey(s, m, key, in, 40, t[i].a, t[i].n, &a);
		(void)p11->C_UnwrapKey(s, m, key, in, 17, t[i].a, t[i].n, &a);
		(void)p11->C_DeriveKey(s, m, key, t[i].a, t[i].n, &a);
		if (key == CK_INVALID_HANDLE) {
			(void)p11->C_GenerateKey(s, m, t[i].a, t[i].n, &a);
			(void)p11->C_GenerateKeyPair(s, m, t[i].a, t[i].n, t[i].a, t[i].n, &a, &b);
		}
	}
}

static void test_mechanisms(void **state)
{
	static struct dish d;
	CK_SESSION_HANDLE s = p11_session();
	CK_MECHANISM_TYPE list[512];
	CK_MECHANISM bad;
	CK_ULONG n = LENGTH(list);

	(void)state;
	make_keys(s);
	assert_ok(p11->C_GetMechanismList(p11_slot(), list, &n));
	for (CK_ULONG i = 0; i < n; i++) {
		recipe_cook(&d, list[i], 0);
		bad = mechanism(list[i], in, 3);
		for (size_t k = 0; k < KEYS; k++) {
			begin_all(s, &d.m, keys[k]);
			begin_all(s, &bad, keys[k]);
			make_all(s, &d.m, keys[k]);
			make_all(s, &bad, keys[k]);
		}
	}
	assert_int_equal(watch_violations(), 0);
}

/* ---- all functions, in every state of library, session and login ---- */

static void objects_of(CK_SESSION_HANDLE s)
{
	CK_ATTRIBUTE odd = { CKA_TOKEN, in, 3 };
	CK_ULONG n = 0;
	struct templ t[4];
	CK_OBJECT_HANDLE h;

	memset(t, 0, sizeof(t));
	templ_ulong(&t[0], CKA_CLASS, CKO_DATA);
	templ_flags(&t[0], CKA_TOKEN, CKA_PRIVATE);
	case_open_secret(&t[1], CKK_AES, in, 17);
	templ_ulong(&t[2], CKA_CLASS, CKO_PUBLIC_KEY);
	templ_ulong(&t[2], CKA_KEY_TYPE, CKK_RSA);
	templ_bytes(&t[2], CKA_MODULUS, "\x0b", 1);
	templ_bytes(&t[2], CKA_PUBLIC_EXPONENT, "\3", 1);
	templ_ulong(&t[3], CKA_CLASS, CKO_PUBLIC_KEY);
	templ_ulong(&t[3], CKA_KEY_TYPE, CKK_EC);
	templ_bytes(&t[3], CKA_EC_PARAMS, "\6\1\1", 3);
	templ_bytes(&t[3], CKA_EC_POINT, "\4\1\1", 3);
	for (size_t i = 0; i < LENGTH(t); i++) {
		(void)p11->C_CreateObject(s, t[i].a, t[i].n, &h);
		(void)p11->C_CopyObject(s, 99999, t[i].a, t[i].n, &h);
		(void)p11->C_SetAttributeValue(s, 99999, t[i].a, t[i].n);
	}
	(void)p11->C_CreateObject(s, &odd, 1, &h);
	(void)p11->C_FindObjectsInit(s, &odd, 1);
	(void)p11->C_GetAttributeValue(s, 99999, &odd, 1);
	(void)p11->C_GetObjectSize(s, 99999, &n);
	(void)p11->C_DestroyObject(s, 99999);
	(void)p11->C_InitPIN(s, in, 3);
	(void)p11->C_SetPIN(s, in, 3, in, 3);
	(void)p11->C_Login(s, 77, in, 3);
	(void)p11->C_Login(s, CKU_SO, in, 3);
	(void)p11->C_Login(s, CKU_CONTEXT_SPECIFIC, in, 3);
	(void)p11->C_SetOperationState(s, in, 17, 0, 0);
	(void)p11->C_GetSessionValidationFlags(s, 77, &n);
}

static void slots_of(CK_SLOT_ID slot)
{
	static CK_UTF8CHAR label[33] = "                                ";
	CK_SESSION_HANDLE s;
	CK_SLOT_INFO slot_info;
	CK_TOKEN_INFO info;
	CK_MECHANISM_INFO m;
	CK_ULONG n = 1;

	(void)p11->C_GetSlotInfo(slot, &slot_info);
	(void)p11->C_GetTokenInfo(slot, &info);
	(void)p11->C_GetMechanismList(slot, (CK_MECHANISM_TYPE *)out, &n);
	(void)p11->C_GetMechanismInfo(slot, CKM_VENDOR_DEFINED, &m);
	(void)p11->C_InitToken(slot, in, 3, label);
	(void)p11->C_OpenSession(slot, 0, NULL, NULL, &s);
	(void)p11->C_OpenSession(slot, CKF_SERIAL_SESSION | CKF_ASYNC_SESSION, NULL, NULL, &s);
	(void)p11->C_CloseAllSessions(slot + 1000);
	(void)p11->C_WaitForSlotEvent(CKF_DONT_BLOCK, &slot, NULL);
}

static void library_functions(void)
{
	CK_INTERFACE_PTR i;
	CK_UTF8CHAR name[] = "no such interface";
	CK_ULONG n = 0;

	(void)p11->C_Initialize(in);
	(void)p11->C_Initialize(NULL);
	(void)p11->C_Finalize(in);
	(void)p11->C_GetFunctionList(NULL);
	(void)p11->C_GetInterfaceList(NULL, NULL);
	(void)p11->C_GetInterfaceList((CK_INTERFACE *)out, &n);
	(void)p11->C_GetInterface(name, NULL, &i, 0);
	(void)p11->C_GetInterface(NULL, NULL, NULL, 0);
}

static void test_all_functions(void **state)
{
	CK_SLOT_ID slot = p11_slot();
	CK_SESSION_HANDLE s;

	(void)state;
	for (int logged_in = 0; logged_in <= 1; logged_in++)
		for (int rw = 0; rw <= 1; rw++) {
			assert_ok(p11->C_CloseAllSessions(slot));
			s = p11_open(slot, rw);
			if (logged_in)
				p11_login(s, CKU_USER);
			objects_of(s);
			every_session_function(s, EVERY_REFUSED);
		}
	slots_of(slot);
	slots_of(slot + 1);
	slots_of(slot + 1000);
	every_library_function(EVERY_REFUSED);
	library_functions();
	p11_finalize();
	every_library_function(EVERY_REFUSED);
	every_session_function(1, EVERY_REFUSED);
	assert_int_equal(watch_violations(), 0);
	assert_int_equal(watch_never_failed(), 0);
}

enum { SKIPPED = 77 }; /* as cmake/Testing.cmake tells ctest */

int main(void)
{
#define TEST(f)   cmocka_unit_test_setup_teardown(f, p11_setup_token, p11_teardown)
#define COMPAT(f) cmocka_unit_test_setup_teardown(f, setup_compat, p11_teardown)
	const struct CMUnitTest by_name[] = { TEST(test_named) };
	const struct CMUnitTest by_table[] = {
		TEST(test_mechanisms),
		COMPAT(test_mechanisms),
		TEST(test_all_functions),
	};
	int failed = cmocka_run_group_tests(by_name, NULL, NULL);

	if (failed == 0 && !watch_on())
		return SKIPPED; /* the others would call everything and look at nothing */
	return failed + cmocka_run_group_tests(by_table, NULL, NULL);
}
