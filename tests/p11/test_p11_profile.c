/* SPDX-License-Identifier: Apache-2.0 */
/* `profile` in the configuration decides which mechanisms there are: what is listed, and what can be begun. */
#include "case.h"

static int setup_approved(void **state)
{
	return p11_setup_configured(state, "[module]\nprofile = approved\n");
}

static int setup_interop(void **state)
{
	return p11_setup_configured(state, "[module]\nprofile = interop\n");
}

static bool listed(CK_MECHANISM_TYPE type)
{
	CK_MECHANISM_TYPE list[512];
	CK_ULONG n = LENGTH(list);

	assert_ok(p11->C_GetMechanismList(p11_slot(), list, &n));
	for (CK_ULONG i = 0; i < n; i++)
		if (list[i] == type)
			return true;
	return false;
}

/* A key pair of the token signs, and AES_KEY_WRAP_PKCS7, which no approved mode has, is there or not. */
static void check(bool pkcs7)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE key = p11_secret(s, CKM_AES_KEY_GEN, 16, CKA_ENCRYPT);
	CK_MECHANISM m = mechanism(CKM_AES_KEY_WRAP_PKCS7, NULL, 0);
	CK_MECHANISM_INFO info;
	struct pair k = p11_p256(s, NULL, NULL);
	CK_BYTE digest[32] = { 1 }, sig[64];
	CK_ULONG n = sizeof(sig);

	assert_int_equal(listed(CKM_AES_KEY_WRAP_PKCS7), pkcs7);
	assert_true(listed(CKM_AES_KEY_WRAP_KWP));
	assert_rv(p11->C_GetMechanismInfo(p11_slot(), m.mechanism, &info),
		  pkcs7 ? CKR_OK : CKR_MECHANISM_INVALID);
	assert_rv(p11->C_EncryptInit(s, &m, key), pkcs7 ? CKR_OK : CKR_MECHANISM_INVALID);
	m = mechanism(CKM_ECDSA_SHA256, NULL, 0);
	assert_ok(p11->C_SignInit(s, &m, k.priv));
	assert_ok(p11->C_Sign(s, digest, sizeof(digest), sig, &n));
}

static void approved(void **state)
{
	(void)state;
	check(false);
}

static void standard(void **state)
{
	(void)state;
	check(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(approved, setup_approved, p11_teardown),
		cmocka_unit_test_setup_teardown(standard, p11_setup_token, p11_teardown),
		cmocka_unit_test_setup_teardown(standard, setup_interop, p11_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
