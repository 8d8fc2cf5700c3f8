/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys that are made of keys: C_WrapKey, C_UnwrapKey, C_DeriveKey, C_GenerateKeyPair. Migration
 * of every type of private key (case R14), what may leave (R12, B013), templates that keys
 * impose, objects that come to be whole or not at all.
 */
#include "p11.h"

#define BLOB 8192

static CK_BYTE blob[BLOB], data[32] = "message", sig[4096];

static CK_OBJECT_HANDLE wrapping_key(CK_SESSION_HANDLE s)
{
	return p11_secret(s, CKM_AES_KEY_GEN, 32, CKA_WRAP, CKA_UNWRAP);
}

static CK_MECHANISM kwp(void)
{
	return mechanism(CKM_AES_KEY_WRAP_KWP, NULL, 0);
}

static CK_ULONG objects(CK_SESSION_HANDLE s)
{
	struct templ all = { 0 };

	return p11_count(s, &all);
}

/* Wraps with a question for the length and too little room first. */
static CK_ULONG wrap(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE kek, CK_OBJECT_HANDLE key)
{
	CK_MECHANISM m = kwp();
	CK_ULONG need = 0, n;

	assert_ok(p11->C_WrapKey(s, &m, kek, key, NULL, &need));
	assert_true(need > 0 && need <= BLOB);
	n = need - 1;
	assert_rv(p11->C_WrapKey(s, &m, kek, key, blob, &n), CKR_BUFFER_TOO_SMALL);
	assert_int_equal(n, need);
	assert_ok(p11->C_WrapKey(s, &m, kek, key, blob, &n));
	assert_int_equal(n, need);
	return n;
}

static CK_OBJECT_HANDLE unwrap(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE kek, CK_ULONG n,
			       CK_OBJECT_CLASS cls, CK_KEY_TYPE type, CK_ATTRIBUTE_TYPE use)
{
	CK_MECHANISM m = kwp();
	struct templ t = { 0 };
	CK_OBJECT_HANDLE h = 0;

	templ_ulong(&t, CKA_CLASS, cls);
	templ_ulong(&t, CKA_KEY_TYPE, type);
	templ_bool(&t, CKA_EXTRACTABLE, false);
	templ_flags(&t, use);
	assert_ok(p11->C_UnwrapKey(s, &m, kek, blob, n, t.a, t.n, &h));
	return h;
}

/* ---- migration ---- */

static struct templ *extractable(struct templ *t)
{
	memset(t, 0, sizeof(*t));
	templ_flags(t, CKA_SIGN, CKA_EXTRACTABLE);
	return t;
}

/* The key that came back signs, and the public key that stayed says so. */
static void moved(struct pair k, CK_KEY_TYPE type, CK_MECHANISM_TYPE sign)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE kek = wrapping_key(s), back;
	CK_MECHANISM m = mechanism(sign, NULL, 0);
	CK_ULONG n = sizeof(sig);

	back = unwrap(s, kek, wrap(s, kek, k.priv), CKO_PRIVATE_KEY, type, CKA_SIGN);
	assert_true(back != k.priv);
	assert_ok(p11->C_SignInit(s, &m, back));
	assert_ok(p11->C_Sign(s, data, sizeof(data), sig, &n));
	assert_ok(p11->C_VerifyInit(s, &m, k.pub));
	assert_ok(p11->C_Verify(s, data, sizeof(data), sig, n));
	assert_false(p11_get_bool(s, back, CKA_LOCAL));
	assert_false(p11_get_bool(s, back, CKA_ALWAYS_SENSITIVE));
	assert_false(p11_get_bool(s, back, CKA_NEVER_EXTRACTABLE));
}

static void migration(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	struct templ t;

	(void)state;
	moved(p11_rsa(s, 2048, NULL, extractable(&t)), CKK_RSA, CKM_SHA256_RSA_PKCS);
	moved(p11_p256(s, NULL, extractable(&t)), CKK_EC, CKM_ECDSA_SHA256);
	moved(p11_ed25519(s, NULL, extractable(&t)), CKK_EC_EDWARDS, CKM_EDDSA);
	moved(p11_mldsa(s, CKP_ML_DSA_65, NULL, extractable(&t)), CKK_ML_DSA, CKM_ML_DSA);
}

/* ---- what may leave ---- */

static void what_may_leave(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE kek = wrapping_key(s),
			 stays = p11_secret(s, CKM_AES_KEY_GEN, 16, CKA_ENCRYPT);
	CK_OBJECT_HANDLE goes = p11_secret(s, CKM_AES_KEY_GEN, 16, CKA_ENCRYPT, CKA_EXTRACTABLE);
	CK_OBJECT_HANDLE no_kek = p11_secret(s, CKM_AES_KEY_GEN, 32, CKA_ENCRYPT);
	CK_OBJECT_HANDLE self = p11_secret(s, CKM_AES_KEY_GEN, 32, CKA_WRAP, CKA_EXTRACTABLE);
	CK_OBJECT_HANDLE picky = p11_secret(s, CKM_AES_KEY_GEN, 32, CKA_ENCRYPT, CKA_EXTRACTABLE,
					    CKA_WRAP_WITH_TRUSTED);
	struct pair k = p11_p256(s, NULL, NULL);
	CK_MECHANISM m = kwp(), ecb = mechanism(CKM_SHA256, NULL, 0);
	CK_ULONG n = BLOB;

	(void)state;
	assert_rv(p11->C_WrapKey(s, &m, kek, stays, blob, &n), CKR_KEY_UNEXTRACTABLE);
	assert_rv(p11->C_WrapKey(s, &m, kek, k.pub, blob, &n), CKR_KEY_NOT_WRAPPABLE);
	assert_rv(p11->C_WrapKey(s, &m, kek, picky, blob, &n), CKR_KEY_NOT_WRAPPABLE);
	assert_rv(p11->C_WrapKey(s, &m, self, self, blob, &n), CKR_KEY_NOT_WRAPPABLE);
	assert_rv(p11->C_WrapKey(s, &m, no_kek, goes, blob, &n),
		  CKR_WRAPPING_KEY_TYPE_INCONSISTENT);
	assert_rv(p11->C_WrapKey(s, &m, k.pub, goes, blob, &n), CKR_WRAPPING_KEY_TYPE_INCONSISTENT);
	assert_rv(p11->C_WrapKey(s, &m, 99999, goes, blob, &n), CKR_WRAPPING_KEY_HANDLE_INVALID);
	assert_rv(p11->C_WrapKey(s, &m, kek, 99999, blob, &n), CKR_KEY_HANDLE_INVALID);
	assert_rv(p11->C_WrapKey(s, &ecb, kek, goes, blob, &n), CKR_MECHANISM_INVALID);
	assert_rv(p11->C_WrapKey(s, NULL, kek, goes, blob, &n), CKR_ARGUMENTS_BAD);
	assert_rv(p11->C_WrapKey(s, &m, kek, goes, blob, NULL), CKR_ARGUMENTS_BAD);
	wrap(s, kek, goes);
}

static void wrap_template(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE goes = p11_secret(s, CKM_AES_KEY_GEN, 16, CKA_ENCRYPT, CKA_EXTRACTABLE);
	CK_OBJECT_HANDLE other = p11_secret(s, CKM_AES_KEY_GEN, 16, CKA_SIGN, CKA_EXTRACTABLE),
			 kek = 0;
	CK_MECHANISM m = kwp(), gen = mechanism(CKM_AES_KEY_GEN, NULL, 0);
	struct templ inner = { 0 }, t = { 0 };
	CK_ULONG n = BLOB;

	(void)state;
	templ_flags(&inner, CKA_ENCRYPT);
	templ_ulong(&t, CKA_VALUE_LEN, 32);
	templ_flags(&t, CKA_WRAP);
	templ_bytes(&t, CKA_WRAP_TEMPLATE, inner.a, inner.n * sizeof(inner.a[0]));
	assert_ok(p11->C_GenerateKey(s, &gen, t.a, t.n, &kek));
	assert_ok(p11->C_WrapKey(s, &m, kek, goes, blob, &n));
	n = BLOB;
	assert_rv(p11->C_WrapKey(s, &m, kek, other, blob, &n), CKR_KEY_HANDLE_INVALID);
}

/* ---- unwrapping ---- */

static void bad_blobs(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE kek = wrapping_key(s), h = 0;
	CK_OBJECT_HANDLE goes = p11_secret(s, CKM_AES_KEY_GEN, 16, CKA_ENCRYPT, CKA_EXTRACTABLE);
	CK_ULONG n = wrap(s, kek, goes), before = objects(s);
	CK_MECHANISM m = kwp();
	struct templ t = { 0 }, incomplete = { 0 };

	(void)state;
	templ_ulong(&incomplete, CKA_CLASS, CKO_SECRET_KEY);
	templ_ulong(&t, CKA_CLASS, CKO_SECRET_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, CKK_AES);
	templ_bool(&t, CKA_EXTRACTABLE, false);
	for (CK_ULONG bit = 0; bit < n * 8; bit += 13) {
		blob[bit / 8] ^= (CK_BYTE)(1 << bit % 8);
		assert_rv(p11->C_UnwrapKey(s, &m, kek, blob, n, t.a, t.n, &h),
			  CKR_WRAPPED_KEY_INVALID);
		blob[bit / 8] ^= (CK_BYTE)(1 << bit % 8);
	}
	assert_rv(p11->C_UnwrapKey(s, &m, kek, blob, n - 1, t.a, t.n, &h),
		  CKR_WRAPPED_KEY_LEN_RANGE);
	assert_rv(p11->C_UnwrapKey(s, &m, kek, blob, n, incomplete.a, incomplete.n, &h),
		  CKR_TEMPLATE_INCOMPLETE);
	assert_rv(p11->C_UnwrapKey(s, &m, 99999, blob, n, t.a, t.n, &h),
		  CKR_UNWRAPPING_KEY_HANDLE_INVALID);
	assert_rv(p11->C_UnwrapKey(s, &m, goes, blob, n, t.a, t.n, &h),
		  CKR_UNWRAPPING_KEY_TYPE_INCONSISTENT);
	assert_rv(p11->C_UnwrapKey(s, &m, kek, NULL, n, t.a, t.n, &h), CKR_ARGUMENTS_BAD);
	assert_rv(p11->C_UnwrapKey(s, &m, kek, blob, n, t.a, t.n, NULL), CKR_ARGUMENTS_BAD);
	assert_int_equal(h, 0);
	assert_int_equal(objects(s), before);
	assert_ok(p11->C_UnwrapKey(s, &m, kek, blob, n, t.a, t.n, &h));
	assert_int_equal(objects(s), before + 1);
}

static void unwrap_template(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE goes = p11_secret(s, CKM_AES_KEY_GEN, 16, CKA_ENCRYPT, CKA_EXTRACTABLE),
			 kek = 0, h = 0;
	CK_MECHANISM m = kwp(), gen = mechanism(CKM_AES_KEY_GEN, NULL, 0);
	struct templ inner = { 0 }, t = { 0 }, key = { 0 }, clash = { 0 };
	CK_ULONG n;

	(void)state;
	templ_bool(&inner, CKA_EXTRACTABLE, false);
	templ_bool(&inner, CKA_ENCRYPT, true);
	templ_ulong(&t, CKA_VALUE_LEN, 32);
	templ_flags(&t, CKA_WRAP, CKA_UNWRAP);
	templ_bytes(&t, CKA_UNWRAP_TEMPLATE, inner.a, inner.n * sizeof(inner.a[0]));
	assert_ok(p11->C_GenerateKey(s, &gen, t.a, t.n, &kek));
	n = wrap(s, kek, goes);
	templ_ulong(&key, CKA_CLASS, CKO_SECRET_KEY);
	templ_ulong(&key, CKA_KEY_TYPE, CKK_AES);
	assert_ok(p11->C_UnwrapKey(s, &m, kek, blob, n, key.a, key.n, &h));
	assert_false(p11_get_bool(s, h, CKA_EXTRACTABLE));
	assert_true(p11_get_bool(s, h, CKA_ENCRYPT));
	templ_ulong(&clash, CKA_CLASS, CKO_SECRET_KEY);
	templ_ulong(&clash, CKA_KEY_TYPE, CKK_AES);
	templ_bool(&clash, CKA_EXTRACTABLE, true);
	assert_rv(p11->C_UnwrapKey(s, &m, kek, blob, n, clash.a, clash.n, &h),
		  CKR_TEMPLATE_INCONSISTENT);
}

/* ---- derivation ---- */

static CK_RV hkdf(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE base, CK_OBJECT_HANDLE salt,
		  CK_MECHANISM_TYPE type, struct templ *t, CK_OBJECT_HANDLE *h)
{
	CK_BYTE info[] = "info";
	CK_HKDF_PARAMS p = { CK_TRUE,
			     CK_TRUE,
			     CKM_SHA256,
			     salt != 0 ? CKF_HKDF_SALT_KEY : CKF_HKDF_SALT_NULL,
			     NULL,
			     0,
			     salt,
			     info,
			     sizeof(info) - 1 };
	CK_MECHANISM m = mechanism(type, &p, sizeof(p));

	return p11->C_DeriveKey(s, &m, base, t->a, t->n, h);
}

static void aes_template(struct templ *t)
{
	memset(t, 0, sizeof(*t));
	templ_ulong(t, CKA_CLASS, CKO_SECRET_KEY);
	templ_ulong(t, CKA_KEY_TYPE, CKK_AES);
	templ_ulong(t, CKA_VALUE_LEN, 32);
	templ_flags(t, CKA_ENCRYPT);
}

static void derivation(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE base = p11_secret(s, CKM_GENERIC_SECRET_KEY_GEN, 32, CKA_DERIVE), h = 0,
			 before;
	CK_OBJECT_HANDLE open_base =
		p11_secret(s, CKM_GENERIC_SECRET_KEY_GEN, 32, CKA_DERIVE, CKA_EXTRACTABLE);
	CK_OBJECT_HANDLE not_base = p11_secret(s, CKM_GENERIC_SECRET_KEY_GEN, 32, CKA_SIGN);
	struct templ t, out = { 0 };

	(void)state;
	aes_template(&t);
	assert_ok(hkdf(s, base, 0, CKM_HKDF_DERIVE, &t, &h));
	assert_true(p11_get_bool(s, h, CKA_SENSITIVE));
	assert_true(p11_get_bool(s, h, CKA_ALWAYS_SENSITIVE));
	assert_true(p11_get_bool(s, h, CKA_NEVER_EXTRACTABLE));
	assert_false(p11_get_bool(s, h, CKA_LOCAL));
	assert_ok(hkdf(s, open_base, 0, CKM_HKDF_DERIVE, &t, &h));
	assert_false(p11_get_bool(s, h, CKA_NEVER_EXTRACTABLE));      /* as its base was not */
	assert_ok(hkdf(s, base, open_base, CKM_HKDF_DERIVE, &t, &h)); /* a key as salt */
	before = objects(s);
	assert_rv(hkdf(s, not_base, 0, CKM_HKDF_DERIVE, &t, &h), CKR_KEY_FUNCTION_NOT_PERMITTED);
	assert_rv(hkdf(s, base, not_base, CKM_HKDF_DERIVE, &t, &h), CKR_KEY_FUNCTION_NOT_PERMITTED);
	assert_rv(hkdf(s, 99999, 0, CKM_HKDF_DERIVE, &t, &h), CKR_KEY_HANDLE_INVALID);
	assert_rv(hkdf(s, base, 99999, CKM_HKDF_DERIVE, &t, &h), CKR_KEY_HANDLE_INVALID);
	/* readable bytes from a sensitive key */
	templ_ulong(&out, CKA_CLASS, CKO_DATA);
	templ_ulong(&out, CKA_VALUE_LEN, 32);
	assert_rv(hkdf(s, base, 0, CKM_HKDF_DATA, &out, &h), CKR_TEMPLATE_INCONSISTENT);
	assert_int_equal(objects(s), before);
}

static void derive_template(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_MECHANISM gen = mechanism(CKM_GENERIC_SECRET_KEY_GEN, NULL, 0);
	struct templ inner = { 0 }, base = { 0 }, t;
	CK_OBJECT_HANDLE b = 0, h = 0;

	(void)state;
	templ_bool(&inner, CKA_ENCRYPT, true);
	templ_text(&inner, CKA_LABEL, "derived");
	templ_ulong(&base, CKA_VALUE_LEN, 32);
	templ_flags(&base, CKA_DERIVE);
	templ_bytes(&base, CKA_DERIVE_TEMPLATE, inner.a, inner.n * sizeof(inner.a[0]));
	assert_ok(p11->C_GenerateKey(s, &gen, base.a, base.n, &b));
	aes_template(&t);
	assert_ok(hkdf(s, b, 0, CKM_HKDF_DERIVE, &t, &h));
	assert_int_equal(p11_get_bytes(s, h, CKA_LABEL, blob, sizeof(blob)), 7);
	t.flag[3] = CK_FALSE;
	assert_rv(hkdf(s, b, 0, CKM_HKDF_DERIVE, &t, &h), CKR_TEMPLATE_INCONSISTENT);
}

/* ---- pairs ---- */

/* When one half cannot be, neither is. */
static void whole_pairs(void **state)
{
	CK_SESSION_HANDLE s = p11_session(), ro = p11_open(p11_slot(), false);
	CK_MECHANISM m = mechanism(CKM_EC_KEY_PAIR_GEN, NULL, 0);
	struct templ pub = { 0 }, priv = { 0 }, bad = { 0 };
	CK_OBJECT_HANDLE a = 77, b = 78;
	CK_ULONG before = objects(s);

	(void)state;
	templ_bytes(&pub, CKA_EC_PARAMS, p11_oid_p256, sizeof(p11_oid_p256));
	templ_flags(&priv, CKA_TOKEN);
	templ_flags(&bad, CKA_LOCAL);
	assert_rv(p11->C_GenerateKeyPair(s, &m, pub.a, pub.n, bad.a, bad.n, &a, &b),
		  CKR_ATTRIBUTE_READ_ONLY);
	/* the private half is a token object, which a R/O session cannot make */
	assert_rv(p11->C_GenerateKeyPair(ro, &m, pub.a, pub.n, priv.a, priv.n, &a, &b),
		  CKR_SESSION_READ_ONLY);
	assert_int_equal(objects(s), before);
	assert_int_equal(a, 77);
	assert_int_equal(b, 78);
	assert_ok(p11->C_GenerateKeyPair(s, &m, pub.a, pub.n, priv.a, priv.n, &a, &b));
	assert_int_equal(objects(s), before + 2);
	assert_false(p11_get_bool(s, a, CKA_TOKEN));
	assert_true(p11_get_bool(s, b, CKA_TOKEN));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, p11_setup_token, p11_teardown)
	const struct CMUnitTest tests[] = {
		TEST(migration),       TEST(what_may_leave),  TEST(wrap_template),
		TEST(bad_blobs),       TEST(unwrap_template), TEST(derivation),
		TEST(derive_template), TEST(whole_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
