/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What begins under a login ends with it (case B031), CKA_ALWAYS_AUTHENTICATE, and who may use a
 * key for what (usage attributes, CKA_ALLOWED_MECHANISMS, key types).
 */
#include "case.h"

static CK_BYTE data[32] = "what is to be signed", out[512];

static CK_MECHANISM ecdsa(void)
{
	return mechanism(CKM_ECDSA_SHA256, NULL, 0);
}

/* ---- logout ---- */

static void sign_after_logout(void **state)
{
	CK_SESSION_HANDLE a = p11_session(), b = p11_open(p11_slot(), false);
	struct pair k = p11_p256(a, NULL, NULL);
	CK_MECHANISM m = ecdsa();
	CK_ULONG n = sizeof(out);

	(void)state;
	assert_ok(p11->C_SignInit(a, &m, k.priv));
	assert_ok(p11->C_Logout(b)); /* one session logs out, all are */
	assert_rv(p11->C_Sign(a, data, sizeof(data), out, &n), CKR_USER_NOT_LOGGED_IN);
	assert_rv(p11->C_Sign(a, data, sizeof(data), out, &n), CKR_OPERATION_NOT_INITIALIZED);
	p11_login(b, CKU_USER);
	/* the handle is dead for good */
	assert_rv(p11->C_SignInit(a, &m, k.priv), CKR_KEY_HANDLE_INVALID);
	assert_ok(p11->C_VerifyInit(a, &m, k.pub)); /* a public object lives on */
}

/* The operation stays dead even if the user is back before it goes on. */
static void logout_and_login(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	struct pair k = p11_p256(s, NULL, NULL);
	CK_MECHANISM m = ecdsa();
	CK_ULONG n = sizeof(out);

	(void)state;
	assert_ok(p11->C_SignInit(s, &m, k.priv));
	assert_ok(p11->C_SignUpdate(s, data, sizeof(data)));
	assert_ok(p11->C_Logout(s));
	p11_login(s, CKU_USER);
	assert_rv(p11->C_SignFinal(s, out, &n), CKR_USER_NOT_LOGGED_IN);
	k = p11_p256(s, NULL, NULL);
	assert_ok(p11->C_SignInit(s, &m, k.priv));
	assert_ok(p11->C_Logout(s));
	p11_login(s, CKU_USER);
	assert_rv(p11->C_SignUpdate(s, data, sizeof(data)), CKR_USER_NOT_LOGGED_IN);
}

static void decrypt_after_logout(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE aes = p11_secret(s, CKM_AES_KEY_GEN, 16, CKA_ENCRYPT, CKA_DECRYPT);
	CK_MECHANISM m = mechanism(CKM_AES_ECB, NULL, 0);
	CK_ULONG n = sizeof(out);

	(void)state;
	assert_ok(p11->C_DecryptInit(s, &m, aes));
	assert_ok(p11->C_EncryptInit(s, &m, aes));
	assert_ok(p11->C_DecryptUpdate(s, data, 16, out, &n));
	assert_ok(p11->C_Logout(s));
	n = sizeof(out);
	assert_rv(p11->C_DecryptUpdate(s, data, 16, out, &n), CKR_USER_NOT_LOGGED_IN);
	assert_rv(p11->C_Encrypt(s, data, 16, out, &n), CKR_OPERATION_NOT_INITIALIZED);
}

/* What was decrypted went into the digest: that is made with the key, too. */
static void digest_of_decrypted(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE aes = p11_secret(s, CKM_AES_KEY_GEN, 16, CKA_DECRYPT);
	CK_MECHANISM m = mechanism(CKM_AES_ECB, NULL, 0), d = mechanism(CKM_SHA256, NULL, 0);
	CK_ULONG n = sizeof(out);

	(void)state;
	assert_ok(p11->C_DigestInit(s, &d));
	assert_ok(p11->C_DecryptInit(s, &m, aes));
	assert_ok(p11->C_DecryptDigestUpdate(s, data, 16, out, &n));
	assert_ok(p11->C_Logout(s));
	n = sizeof(out);
	assert_rv(p11->C_DigestFinal(s, out, &n), CKR_OPERATION_NOT_INITIALIZED);
}

static void others_survive(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	struct pair k = p11_p256(s, NULL, NULL);
	CK_MECHANISM d = mechanism(CKM_SHA256, NULL, 0), m = ecdsa();
	CK_ULONG n = sizeof(out), sig_n = 64;
	CK_BYTE sig[64];

	(void)state;
	assert_ok(p11->C_SignInit(s, &m, k.priv));
	assert_ok(p11->C_Sign(s, data, sizeof(data), sig, &sig_n));
	assert_ok(p11->C_DigestInit(s, &d));
	assert_ok(p11->C_VerifyInit(s, &m, k.pub));
	assert_ok(p11->C_Logout(s));
	assert_ok(p11->C_Digest(s, data, sizeof(data), out, &n));
	assert_ok(p11->C_Verify(s, data, sizeof(data), sig, sig_n));
}

/* A digest that a private key went into is the key's, too. */
static void keyed_digest(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE key = case_secret(s, CKK_GENERIC_SECRET, data, 32, CKA_SIGN);
	CK_MECHANISM d = mechanism(CKM_SHA256, NULL, 0);
	CK_ULONG n = sizeof(out);

	(void)state;
	assert_ok(p11->C_DigestInit(s, &d));
	assert_ok(p11->C_DigestKey(s, key));
	assert_ok(p11->C_Logout(s));
	assert_rv(p11->C_DigestFinal(s, out, &n), CKR_OPERATION_NOT_INITIALIZED);
}

/* A search that began before gives no handle of a private object after. */
static void search_after_logout(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE h[8];
	CK_ULONG n = 0;
	struct pair k = p11_p256(s, NULL, NULL);

	(void)state;
	assert_ok(p11->C_FindObjectsInit(s, NULL, 0));
	assert_ok(p11->C_Logout(s));
	assert_ok(p11->C_FindObjects(s, h, 8, &n));
	assert_int_equal(n, 1);
	assert_int_equal(h[0], k.pub);
	assert_ok(p11->C_FindObjectsFinal(s));
}

/* No call takes the handle of a private object of before, though the object is stored and the user is back. */
static void old_handles_stay_dead(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	struct templ stored = { 0 }, label = { 0 };
	CK_MECHANISM m = ecdsa();
	CK_ATTRIBUTE read = { CKA_LABEL, NULL, 0 };
	CK_OBJECT_HANDLE old, h;
	CK_ULONG n;

	(void)state;
	templ_flags(&stored, CKA_SIGN, CKA_TOKEN);
	templ_text(&label, CKA_LABEL, "new");
	old = p11_p256(s, NULL, &stored).priv;
	for (int again = 0; again < 2; again++) {
		if (again)
			p11_login(s, CKU_USER);
		else
			assert_ok(p11->C_Logout(s));
		assert_rv(p11->C_SignInit(s, &m, old), CKR_KEY_HANDLE_INVALID);
		assert_rv(p11->C_GetAttributeValue(s, old, &read, 1), CKR_OBJECT_HANDLE_INVALID);
		assert_rv(p11->C_SetAttributeValue(s, old, label.a, label.n),
			  CKR_OBJECT_HANDLE_INVALID);
		assert_rv(p11->C_GetObjectSize(s, old, &n), CKR_OBJECT_HANDLE_INVALID);
		assert_rv(p11->C_CopyObject(s, old, NULL, 0, &h), CKR_OBJECT_HANDLE_INVALID);
		assert_rv(p11->C_DestroyObject(s, old), CKR_OBJECT_HANDLE_INVALID);
	}
	assert_int_equal(p11_count(s, &stored), 1); /* found again, by another handle */
}

/* A login is to one token; the end of its sessions is no business of another's. */
static void tokens_are_apart(void **state)
{
	CK_SLOT_ID two = p11_new_token("two", true);
	CK_SESSION_HANDLE s = p11_open(two, true);
	CK_SESSION_INFO info;
	struct pair k = p11_p256(p11_session(), NULL, NULL);
	CK_MECHANISM m = ecdsa();

	(void)state;
	assert_ok(p11->C_GetSessionInfo(s, &info));
	assert_int_equal(info.state, CKS_RW_PUBLIC_SESSION);
	p11_login(s, CKU_USER);
	assert_rv(p11->C_SignInit(s, &m, k.priv), CKR_KEY_HANDLE_INVALID);
	assert_ok(p11->C_CloseAllSessions(p11_slot()));
	assert_ok(p11->C_GetSessionInfo(s, &info));
	assert_int_equal(info.state, CKS_RW_USER_FUNCTIONS);
}

/* ---- CKA_ALWAYS_AUTHENTICATE ---- */

static struct pair careful_pair(CK_SESSION_HANDLE s)
{
	struct templ priv = { 0 };

	templ_flags(&priv, CKA_SIGN, CKA_ALWAYS_AUTHENTICATE);
	return p11_p256(s, NULL, &priv);
}

static CK_RV context_login(CK_SESSION_HANDLE s, const char *pin)
{
	CK_UTF8CHAR copy[64];

	memcpy(copy, pin, strlen(pin));
	return p11->C_Login(s, CKU_CONTEXT_SPECIFIC, copy, strlen(pin));
}

static void each_use_asks(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	struct pair k = careful_pair(s);
	CK_MECHANISM m = ecdsa();
	CK_ULONG n;

	(void)state;
	assert_rv(context_login(s, USER_PIN), CKR_OPERATION_NOT_INITIALIZED);
	for (int i = 0; i < 2; i++) {
		assert_ok(p11->C_SignInit(s, &m, k.priv));
		assert_ok(p11->C_Sign(s, data, sizeof(data), NULL, &n)); /* a length is no use */
		assert_rv(context_login(s, "wrong-pin"), CKR_PIN_INCORRECT);
		assert_ok(context_login(s, USER_PIN));
		n = sizeof(out);
		assert_ok(p11->C_Sign(s, data, sizeof(data), out, &n));
	}
	assert_ok(p11->C_SignInit(s, &m, k.priv));
	assert_rv(p11->C_Sign(s, data, sizeof(data), out, &n), CKR_USER_NOT_LOGGED_IN);
	assert_ok(p11->C_SignInit(s, &m, k.priv));
	assert_rv(p11->C_SignUpdate(s, data, sizeof(data)), CKR_USER_NOT_LOGGED_IN);
	assert_rv(context_login(s, USER_PIN), CKR_OPERATION_NOT_INITIALIZED);
	/* in parts: one login for the whole operation */
	assert_ok(p11->C_SignInit(s, &m, k.priv));
	assert_ok(context_login(s, USER_PIN));
	assert_ok(p11->C_SignUpdate(s, data, sizeof(data)));
	n = sizeof(out);
	assert_ok(p11->C_SignFinal(s, out, &n));
}

/* One PIN lets one operation through. */
static void one_waits(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	struct pair k = careful_pair(s), r;
	struct templ pub = { 0 }, priv = { 0 };
	CK_MECHANISM m = ecdsa(), oaep = mechanism(CKM_RSA_PKCS, NULL, 0);

	(void)state;
	templ_flags(&pub, CKA_ENCRYPT);
	templ_flags(&priv, CKA_DECRYPT, CKA_ALWAYS_AUTHENTICATE);
	r = p11_rsa(s, 1024, &pub, &priv);
	assert_ok(p11->C_SignInit(s, &m, k.priv));
	assert_rv(p11->C_DecryptInit(s, &oaep, r.priv), CKR_OPERATION_ACTIVE);
	assert_ok(context_login(s, USER_PIN));
	assert_ok(p11->C_DecryptInit(s, &oaep, r.priv));
}

/* Calls without an Init leave no place for the context login, so such a key is not for them. */
static void no_place_to_ask(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	struct templ pub = { 0 }, priv = { 0 }, ec = { 0 }, t = { 0 };
	CK_MECHANISM wrap = mechanism(CKM_RSA_PKCS, NULL, 0);
	CK_BYTE point[80];
	CK_ECDH1_DERIVE_PARAMS p = { .kdf = CKD_NULL };
	CK_MECHANISM ecdh = mechanism(CKM_ECDH1_DERIVE, &p, sizeof(p));
	CK_OBJECT_HANDLE key = p11_secret(s, CKM_AES_KEY_GEN, 16, CKA_ENCRYPT, CKA_EXTRACTABLE),
			 h = 0;
	CK_ULONG n = sizeof(out);
	struct pair k;

	(void)state;
	templ_flags(&pub, CKA_WRAP);
	templ_flags(&priv, CKA_UNWRAP, CKA_ALWAYS_AUTHENTICATE);
	k = p11_rsa(s, 1024, &pub, &priv);
	assert_ok(p11->C_WrapKey(s, &wrap, k.pub, key, out, &n));
	templ_ulong(&t, CKA_CLASS, CKO_SECRET_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, CKK_AES);
	templ_bool(&t, CKA_EXTRACTABLE, false);
	assert_rv(p11->C_UnwrapKey(s, &wrap, k.priv, out, n, t.a, t.n, &h), CKR_USER_NOT_LOGGED_IN);

	templ_flags(&ec, CKA_DERIVE, CKA_ALWAYS_AUTHENTICATE);
	k = p11_p256(s, NULL, &ec);
	p.pPublicData = point;
	p.ulPublicDataLen = p11_get_bytes(s, k.pub, CKA_EC_POINT, point, sizeof(point));
	templ_ulong(&t, CKA_VALUE_LEN, 16);
	assert_rv(p11->C_DeriveKey(s, &ecdh, k.priv, t.a, t.n, &h), CKR_USER_NOT_LOGGED_IN);
	assert_int_equal(h, 0);
}

/* ---- who may do what ---- */

static void usage_attributes(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	struct templ none = { 0 }, none2 = { 0 };
	struct pair silent = p11_p256(s, &none, &none2), k = p11_p256(s, NULL, NULL);
	CK_OBJECT_HANDLE aes = p11_secret(s, CKM_AES_KEY_GEN, 16, CKA_ENCRYPT);
	CK_MECHANISM m = ecdsa(), ecb = mechanism(CKM_AES_ECB, NULL, 0),
		     rsa = mechanism(CKM_RSA_PKCS, NULL, 0);

	(void)state;
	assert_rv(p11->C_SignInit(s, &m, silent.priv), CKR_KEY_FUNCTION_NOT_PERMITTED);
	assert_rv(p11->C_VerifyInit(s, &m, silent.pub), CKR_KEY_FUNCTION_NOT_PERMITTED);
	assert_rv(p11->C_SignInit(s, &m, k.pub), CKR_KEY_FUNCTION_NOT_PERMITTED);
	assert_rv(p11->C_VerifyInit(s, &m, k.priv), CKR_KEY_FUNCTION_NOT_PERMITTED);
	assert_rv(p11->C_DecryptInit(s, &ecb, aes), CKR_KEY_FUNCTION_NOT_PERMITTED);
	assert_rv(p11->C_SignInit(s, &rsa, k.priv), CKR_KEY_TYPE_INCONSISTENT);
	assert_rv(p11->C_EncryptInit(s, &m, k.pub), CKR_MECHANISM_INVALID);
	assert_rv(p11->C_SignInit(s, &m, 99999), CKR_KEY_HANDLE_INVALID);
	assert_rv(p11->C_SignInit(s, &m, 0), CKR_KEY_HANDLE_INVALID);
	/* none of these left anything behind */
	assert_ok(p11->C_SignInit(s, &m, k.priv));
	assert_ok(p11->C_VerifyInit(s, &m, k.pub));
}

static void not_a_key(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	struct templ t = { 0 };
	CK_OBJECT_HANDLE h = 0;
	CK_MECHANISM m = ecdsa();

	(void)state;
	templ_ulong(&t, CKA_CLASS, CKO_DATA);
	assert_ok(p11->C_CreateObject(s, t.a, t.n, &h));
	assert_rv(p11->C_SignInit(s, &m, h), CKR_KEY_HANDLE_INVALID);
}

static void allowed_mechanisms(void **state)
{
	static const CK_MECHANISM_TYPE allowed[] = { CKM_ECDSA_SHA384, CKM_ECDSA_SHA256 };
	CK_SESSION_HANDLE s = p11_session();
	struct templ priv = { 0 };
	CK_MECHANISM good = ecdsa(), bad = mechanism(CKM_ECDSA, NULL, 0);
	struct pair k;

	(void)state;
	templ_flags(&priv, CKA_SIGN);
	templ_bytes(&priv, CKA_ALLOWED_MECHANISMS, allowed, sizeof(allowed));
	k = p11_p256(s, NULL, &priv);
	assert_rv(p11->C_SignInit(s, &bad, k.priv), CKR_MECHANISM_INVALID);
	assert_ok(p11->C_SignInit(s, &good, k.priv));
}

/* Dates inform, and forbid nothing (4.8). */
static void dates(void **state)
{
	static const CK_DATE past = { "1999", "12", "31" };
	CK_SESSION_HANDLE s = p11_session();
	struct templ priv = { 0 };
	CK_MECHANISM m = ecdsa();
	struct pair k;

	(void)state;
	templ_flags(&priv, CKA_SIGN);
	templ_bytes(&priv, CKA_END_DATE, &past, sizeof(past));
	k = p11_p256(s, NULL, &priv);
	assert_ok(p11->C_SignInit(s, &m, k.priv));
}

/* ---- C_VerifySignature ---- */

static void signature_first(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	struct pair k = p11_mldsa(s, CKP_ML_DSA_44, NULL, NULL);
	CK_MECHANISM m = mechanism(CKM_ML_DSA, NULL, 0);
	static CK_BYTE sig[4096];
	CK_ULONG n = sizeof(sig);

	(void)state;
	assert_ok(p11->C_SignInit(s, &m, k.priv));
	assert_ok(p11->C_Sign(s, data, sizeof(data), sig, &n));
	assert_ok(p11->C_VerifySignatureInit(s, &m, k.pub, sig, n));
	assert_ok(p11->C_VerifySignature(s, data, sizeof(data)));
	assert_rv(p11->C_VerifySignature(s, data, sizeof(data)), CKR_OPERATION_NOT_INITIALIZED);
	assert_ok(p11->C_VerifySignatureInit(s, &m, k.pub, sig, n));
	/* one verification at a time, and each by its own functions */
	assert_rv(p11->C_VerifyInit(s, &m, k.pub), CKR_OPERATION_ACTIVE);
	assert_rv(p11->C_Verify(s, data, sizeof(data), sig, n), CKR_OPERATION_NOT_INITIALIZED);
	sig[7] ^= 1; /* the module has its own copy */
	assert_ok(p11->C_VerifySignatureUpdate(s, data, 10));
	assert_ok(p11->C_VerifySignatureUpdate(s, data + 10, sizeof(data) - 10));
	assert_ok(p11->C_VerifySignatureFinal(s));
	assert_ok(p11->C_VerifySignatureInit(s, &m, k.pub, sig, n));
	assert_rv(p11->C_VerifySignature(s, data, sizeof(data)), CKR_SIGNATURE_INVALID);
	assert_ok(p11->C_VerifySignatureInit(s, &m, k.pub, sig, n));
	assert_ok(p11->C_SessionCancel(s, CKF_VERIFY));
	assert_rv(p11->C_VerifySignatureFinal(s), CKR_OPERATION_NOT_INITIALIZED);
	assert_rv(p11->C_VerifySignatureInit(s, &m, k.pub, NULL, 5), CKR_ARGUMENTS_BAD);
	assert_ok(p11->C_VerifySignatureInit(s, NULL, 0, NULL, 0));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, p11_setup_token, p11_teardown)
	const struct CMUnitTest tests[] = {
		TEST(sign_after_logout),   TEST(logout_and_login),
		TEST(digest_of_decrypted), TEST(decrypt_after_logout),
		TEST(others_survive),      TEST(keyed_digest),
		TEST(search_after_logout), TEST(old_handles_stay_dead),
		TEST(tokens_are_apart),    TEST(each_use_asks),
		TEST(one_waits),           TEST(no_place_to_ask),
		TEST(usage_attributes),    TEST(not_a_key),
		TEST(allowed_mechanisms),  TEST(dates),
		TEST(signature_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
