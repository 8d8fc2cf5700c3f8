/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What docs/ARCHITECTURE.md refuses of wrapping, unwrapping, derivation and digests with keys whose value may not be seen:
 * every listed mechanism that wraps, each with a key that may be read and its hidden twin, and all of it again with compat.
 *
 * Each rule was taken out of src/core/policy.c, and each trait out of its row, to see the test fail.
 */
#include "recipe.h"

#include "base/names.h"

enum { SECRET_N = 32 };

static CK_BYTE kek[64] = "wrapping key, 64 bytes, two halves that are not the same at all",
	       secret[SECRET_N] = "secret", blob[4096], value[256];

static int setup_compat(void **state)
{
	return p11_setup_configured(state, "[token]\ncompat = on\n");
}

/* ---- mechanisms that wrap ---- */

/* A forged blob tells nothing: these unwrap with any key. */
static const CK_MECHANISM_TYPE blind[] = {
	CKM_AES_KEY_WRAP, CKM_AES_KEY_WRAP_KWP, CKM_AES_KEY_WRAP_PAD, CKM_AES_KEY_WRAP_PKCS7,
	CKM_AES_GCM,      CKM_AES_CCM,          CKM_RSA_PKCS,         CKM_RSA_PKCS_OAEP,
};
/* The caller chooses the IV, and with it the keystream. */
static const CK_MECHANISM_TYPE keystream[] = { CKM_AES_CTR, CKM_AES_GCM, CKM_AES_CCM };

static bool among(const CK_MECHANISM_TYPE *list, size_t n, CK_MECHANISM_TYPE type)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == type)
			return true;
	return false;
}

struct keys {
	CK_OBJECT_HANDLE wraps, unwraps;
};

static struct keys secret_keys(CK_KEY_TYPE type, bool hidden)
{
	struct templ t = { 0 };
	struct keys k;

	templ_ulong(&t, CKA_CLASS, CKO_SECRET_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, type);
	templ_bytes(&t, CKA_VALUE, kek, type == CKK_AES_XTS ? 64 : 32);
	templ_bool(&t, CKA_SENSITIVE, hidden);
	templ_flags(&t, CKA_EXTRACTABLE, CKA_WRAP, CKA_UNWRAP);
	assert_ok(case_create(p11_session(), &t, &k.wraps));
	k.unwraps = k.wraps;
	return k;
}

static CK_RV unwrap(CK_MECHANISM *m, CK_OBJECT_HANDLE key, CK_ULONG n, CK_OBJECT_HANDLE *h)
{
	struct templ t = { 0 };

	templ_ulong(&t, CKA_CLASS, CKO_SECRET_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, CKK_GENERIC_SECRET);
	templ_bool(&t, CKA_EXTRACTABLE, false);
	return p11->C_UnwrapKey(p11_session(), m, key, blob, n, t.a, t.n, h);
}

/* A readable key does all, its hidden twin what is expected of it. */
static void wrap_as(CK_MECHANISM *m, CK_KEY_TYPE type, CK_RV wraps, CK_RV unwraps)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE goes = case_secret(s, CKK_GENERIC_SECRET, secret, SECRET_N, CKA_SIGN), h;
	struct keys open = secret_keys(type, false), hidden = secret_keys(type, true);
	CK_ULONG n = sizeof(blob), before;

	assert_rv(p11->C_WrapKey(s, m, hidden.wraps, goes, NULL, &n), wraps);
	n = sizeof(blob);
	assert_rv(p11->C_WrapKey(s, m, hidden.wraps, goes, blob, &n), wraps);
	n = sizeof(blob);
	assert_ok(p11->C_WrapKey(s, m, open.wraps, goes, blob, &n));
	before = case_objects(s);
	assert_rv(unwrap(m, hidden.unwraps, n, &h), unwraps);
	assert_int_equal(case_objects(s), before + (unwraps == CKR_OK));
	assert_ok(unwrap(m, open.unwraps, n, &h));
}

static void wrap_with(CK_MECHANISM_TYPE type, bool compat)
{
	static struct dish d;
	CK_RV wraps = CKR_OK, unwraps = CKR_OK;

	if (!compat && among(keystream, LENGTH(keystream), type))
		wraps = CKR_KEY_NOT_WRAPPABLE;
	if (!compat && !among(blind, LENGTH(blind), type))
		unwraps = CKR_MECHANISM_INVALID;
	recipe_cook(&d, type, CKF_WRAP | CKF_UNWRAP);
	if (d.k.pub == d.k.priv)
		wrap_as(&d.m, type == CKM_AES_XTS ? CKK_AES_XTS : CKK_AES, wraps, unwraps);
	else
		assert_int_equal(unwraps, CKR_OK); /* RSA: below */
}

static void wrap_with_all(bool compat)
{
	CK_MECHANISM_TYPE list[512];
	CK_MECHANISM_INFO info;
	CK_ULONG n = LENGTH(list), tried = 0;

	assert_ok(p11->C_GetMechanismList(p11_slot(), list, &n));
	for (CK_ULONG i = 0; i < n; i++) {
		assert_ok(p11->C_GetMechanismInfo(p11_slot(), list[i], &info));
		if ((info.flags & CKF_UNWRAP) == 0)
			continue;
		print_message("  %s\n", name_of(NAME_CKM, list[i]));
		wrap_with(list[i], compat);
		tried++;
	}
	assert_true(tried >= 12);
}

static void test_wrapping(void **state)
{
	(void)state;
	wrap_with_all(false);
}

static void test_wrapping_with_compat(void **state)
{
	(void)state;
	wrap_with_all(true);
}

/* ---- RSA ---- */

static void damage(CK_ULONG n, unsigned i)
{
	blob[n - 1 - i] ^= (CK_BYTE)(i + 1); /* at the end: it stays below the modulus */
}

/*
 * PKCS #1 v1.5 unwraps with a hidden key, since libcrypto makes a key of a wrong padding, too, always the same one of a
 * blob. A right blob and a wrong one differ in nothing that a caller sees.
 */
static void test_wrong_padding_is_a_key(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE goes = case_secret(s, CKK_GENERIC_SECRET, secret, SECRET_N, CKA_SIGN), a,
			 b;
	CK_MECHANISM m = mechanism(CKM_RSA_PKCS, NULL, 0);
	struct templ pub = { 0 }, priv = { 0 };
	CK_ULONG n = sizeof(blob);
	unsigned made = 0;
	struct pair k;

	(void)state;
	templ_flags(&pub, CKA_WRAP);
	templ_flags(&priv, CKA_UNWRAP);
	k = p11_rsa(s, 2048, &pub, &priv);
	assert_ok(p11->C_WrapKey(s, &m, k.pub, goes, blob, &n));
	assert_ok(unwrap(&m, k.priv, n, &a));
	for (unsigned i = 0; i < 64; i++) {
		CK_RV rv;

		damage(n, i);
		rv = unwrap(&m, k.priv, n, &a);
		assert_rv(unwrap(&m, k.priv, n, &b), rv);
		if (rv == CKR_OK) {
			assert_int_equal(p11_get_ulong(s, a, CKA_VALUE_LEN),
					 p11_get_ulong(s, b, CKA_VALUE_LEN));
			made++;
		}
		damage(n, i);
	}
	assert_true(made >= 56); /* the others had no byte: an empty message makes no key */
}

/* ---- derivation ---- */

static CK_RV derive(CK_MECHANISM *m, CK_OBJECT_HANDLE base, bool sensitive, bool extractable,
		    CK_OBJECT_HANDLE *h)
{
	struct templ t = { 0 };

	templ_ulong(&t, CKA_CLASS, CKO_SECRET_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, CKK_GENERIC_SECRET);
	templ_ulong(&t, CKA_VALUE_LEN, SECRET_N);
	templ_bool(&t, CKA_SENSITIVE, sensitive);
	templ_bool(&t, CKA_EXTRACTABLE, extractable);
	return p11->C_DeriveKey(p11_session(), m, base, t.a, t.n, h);
}

/* base's value may be seen or not; what comes of it is asked for in every way. */
static void derive_in_every_way(CK_MECHANISM *m, CK_OBJECT_HANDLE base, CK_RV readable)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE h;

	for (int i = 0; i < 4; i++) {
		bool sensitive = (i & 1) != 0, extractable = (i & 2) != 0,
		     seen = !sensitive && extractable;
		CK_ULONG before = case_objects(s);
		CK_RV want = seen ? readable : CKR_OK;

		assert_rv(derive(m, base, sensitive, extractable, &h), want);
		assert_int_equal(case_objects(s), before + (want == CKR_OK));
		if (seen && want == CKR_OK)
			assert_int_equal(p11_get_bytes(s, h, CKA_VALUE, value, sizeof(value)),
					 SECRET_N);
	}
}

static CK_HKDF_PARAMS hkdf_params(CK_OBJECT_HANDLE salt)
{
	return (CK_HKDF_PARAMS){ .bExtract = CK_TRUE,
				 .bExpand = CK_TRUE,
				 .prfHashMechanism = CKM_SHA256,
				 .ulSaltType = salt != 0 ? CKF_HKDF_SALT_KEY : CKF_HKDF_SALT_NULL,
				 .hSaltKey = salt };
}

/* The salt may be a key as the base is, and is protected as it is. */
static void hkdf_in_every_way(CK_RV readable)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE open = case_secret(s, CKK_GENERIC_SECRET, secret, SECRET_N, CKA_DERIVE);
	CK_OBJECT_HANDLE hidden = p11_secret(s, CKM_GENERIC_SECRET_KEY_GEN, SECRET_N, CKA_DERIVE);
	CK_HKDF_PARAMS p = hkdf_params(0), salted = hkdf_params(hidden);
	CK_MECHANISM m = mechanism(CKM_HKDF_DERIVE, &p, sizeof(p)),
		     with_salt = mechanism(CKM_HKDF_DERIVE, &salted, sizeof(salted));

	derive_in_every_way(&m, open, CKR_OK);
	derive_in_every_way(&m, hidden, readable);
	derive_in_every_way(&with_salt, open, readable);
}

/* An agreement gives what the peer has anyway, and programs read it (docs/ARCHITECTURE.md). */
static void agree_in_every_way(void)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_ECDH1_DERIVE_PARAMS p = { .kdf = CKD_NULL };
	CK_MECHANISM m = mechanism(CKM_ECDH1_DERIVE, &p, sizeof(p));
	struct templ priv = { 0 };
	CK_BYTE point[80];
	struct pair k;

	templ_flags(&priv, CKA_DERIVE);
	k = p11_p256(s, NULL, &priv);
	p.ulPublicDataLen = p11_get_bytes(s, k.pub, CKA_EC_POINT, point, sizeof(point));
	p.pPublicData = point;
	derive_in_every_way(&m, k.priv, CKR_OK);
}

static void test_derivation(void **state)
{
	(void)state;
	hkdf_in_every_way(CKR_TEMPLATE_INCONSISTENT);
	agree_in_every_way();
}

static void test_derivation_with_compat(void **state)
{
	(void)state;
	hkdf_in_every_way(CKR_OK);
	agree_in_every_way();
}

/* ---- digests of keys ---- */

static CK_RV digest(CK_OBJECT_HANDLE key)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_MECHANISM m = mechanism(CKM_SHA256, NULL, 0);
	CK_ULONG n = sizeof(value);
	CK_RV rv;

	assert_ok(p11->C_DigestInit(s, &m));
	rv = p11->C_DigestKey(s, key);
	if (rv == CKR_OK)
		assert_ok(p11->C_DigestFinal(s, value, &n));
	else /* and the operation has ended */
		assert_rv(p11->C_DigestFinal(s, value, &n), CKR_OPERATION_NOT_INITIALIZED);
	return rv;
}

static CK_OBJECT_HANDLE long_key(bool sensitive, bool extractable)
{
	struct templ t = { 0 };
	CK_OBJECT_HANDLE h;

	templ_ulong(&t, CKA_CLASS, CKO_SECRET_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, CKK_GENERIC_SECRET);
	templ_bytes(&t, CKA_VALUE, blob, 65);
	templ_bool(&t, CKA_SENSITIVE, sensitive);
	templ_bool(&t, CKA_EXTRACTABLE, extractable);
	templ_flags(&t, CKA_SIGN);
	assert_ok(case_create(p11_session(), &t, &h));
	return h;
}

static void sign(CK_OBJECT_HANDLE key, CK_BYTE mac[32])
{
	CK_MECHANISM m = mechanism(CKM_SHA256_HMAC, NULL, 0);
	CK_ULONG n = 32;

	assert_ok(p11->C_SignInit(p11_session(), &m, key));
	assert_ok(p11->C_Sign(p11_session(), kek, sizeof(kek), mac, &n));
}

static void digest_in_every_way(CK_RV hidden)
{
	for (int i = 0; i < 4; i++) {
		bool sensitive = (i & 1) != 0, extractable = (i & 2) != 0,
		     seen = !sensitive && extractable;

		assert_rv(digest(long_key(sensitive, extractable)), seen ? CKR_OK : hidden);
	}
}

static void test_digests(void **state)
{
	(void)state;
	digest_in_every_way(CKR_KEY_INDIGESTIBLE);
}

/* Why: of a key that is longer than the block HMAC uses the digest, so who has that signs without the key. */
static void test_digests_with_compat(void **state)
{
	CK_BYTE right[32], forged[32];

	(void)state;
	digest_in_every_way(CKR_OK);
	assert_ok(digest(long_key(true, false)));
	sign(long_key(true, false), right);
	sign(case_secret(p11_session(), CKK_GENERIC_SECRET, value, 32, CKA_SIGN), forged);
	assert_memory_equal(forged, right, sizeof(right));
}

int main(void)
{
#define TEST(f)   cmocka_unit_test_setup_teardown(f, p11_setup_token, p11_teardown)
#define COMPAT(f) cmocka_unit_test_setup_teardown(f, setup_compat, p11_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_wrapping),
		COMPAT(test_wrapping_with_compat),
		TEST(test_wrong_padding_is_a_key),
		TEST(test_derivation),
		COMPAT(test_derivation_with_compat),
		TEST(test_digests),
		COMPAT(test_digests_with_compat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
