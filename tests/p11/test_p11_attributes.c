/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes through the function list: cases B006, B010, B011, B012, B013, B047, R11 and R12. What
 * the rules are in full is tested beside the schema (tests/unit/test_attr_*.c); here, that the
 * calls obey them and leave nothing behind when they refuse.
 */
#include "p11.h"

static const CK_ULONG none = CK_UNAVAILABLE_INFORMATION;

/* Every template for generating begins with the length. */
static void length_of(struct templ *t, CK_ULONG len)
{
	*t = (struct templ){ 0 };
	templ_ulong(t, CKA_VALUE_LEN, len);
}

static CK_RV generate(CK_SESSION_HANDLE s, struct templ *t, CK_OBJECT_HANDLE *h)
{
	CK_MECHANISM m = mechanism(CKM_AES_KEY_GEN, NULL, 0);

	*h = CK_INVALID_HANDLE;
	return p11->C_GenerateKey(s, &m, t->a, t->n, h);
}

/* A key of 16 bytes with these flags. */
static CK_OBJECT_HANDLE aes(CK_SESSION_HANDLE s, bool sensitive, bool extractable)
{
	struct templ t;
	CK_OBJECT_HANDLE h;

	length_of(&t, 16);
	templ_bool(&t, CKA_SENSITIVE, sensitive);
	templ_bool(&t, CKA_EXTRACTABLE, extractable);
	templ_text(&t, CKA_LABEL, "key");
	assert_ok(generate(s, &t, &h));
	return h;
}

static CK_ULONG objects(CK_SESSION_HANDLE s)
{
	struct templ all = { 0 };

	return p11_count(s, &all);
}

static CK_RV set_flag(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE h, CK_ATTRIBUTE_TYPE type, bool v)
{
	struct templ t = { 0 };

	templ_bool(&t, type, v);
	return p11->C_SetAttributeValue(s, h, t.a, t.n);
}

static CK_RV copy_flag(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE h, CK_ATTRIBUTE_TYPE type, bool v,
		       CK_OBJECT_HANDLE *copy)
{
	struct templ t = { 0 };

	templ_bool(&t, type, v);
	return p11->C_CopyObject(s, h, t.a, t.n, copy);
}

/* ---- B006: reading several ---- */

static void read_many(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE h = aes(s, true, true);
	static const CK_ULONG want[6] = { sizeof(CK_KEY_TYPE), -1UL, -1UL, 3, -1UL, 0 };

	(void)state;
	for (int reverse = 0; reverse <= 1; reverse++) {
		CK_KEY_TYPE kt = 0;
		CK_BYTE value[16], modulus[16], small[1];
		CK_MECHANISM_TYPE allowed[2];
		const CK_ATTRIBUTE in_order[6] = {
			{ CKA_KEY_TYPE, &kt, sizeof(kt) },
			{ CKA_VALUE, value, sizeof(value) },
			{ CKA_MODULUS, modulus, sizeof(modulus) },
			{ CKA_LABEL, NULL, 0 },
			{ CKA_CLASS, small, sizeof(small) },
			{ CKA_ALLOWED_MECHANISMS, allowed, sizeof(allowed) }
		};
		CK_ATTRIBUTE t[6];

		for (size_t i = 0; i < 6; i++)
			t[i] = in_order[reverse ? 5 - i : i];
		assert_rv_of(p11->C_GetAttributeValue(s, h, t, 6), CKR_ATTRIBUTE_SENSITIVE,
			     CKR_BUFFER_TOO_SMALL);
		for (size_t i = 0; i < 6; i++)
			assert_int_equal(t[reverse ? 5 - i : i].ulValueLen, want[i]);
		assert_int_equal(kt, CKK_AES);
	}
}

/* ---- B010: copies and changes ---- */

static void downgrades(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE h = aes(s, true, true), closed = aes(s, true, false), copy;
	CK_ULONG before;

	(void)state;
	assert_ok(copy_flag(s, h, CKA_EXTRACTABLE, false, &copy));
	assert_false(p11_get_bool(s, copy, CKA_NEVER_EXTRACTABLE));
	assert_false(p11_get_bool(s, copy, CKA_EXTRACTABLE));
	before = objects(s);
	assert_rv(copy_flag(s, h, CKA_SENSITIVE, false, &copy), CKR_ATTRIBUTE_READ_ONLY);
	assert_rv(copy_flag(s, closed, CKA_EXTRACTABLE, true, &copy), CKR_ATTRIBUTE_READ_ONLY);
	assert_int_equal(objects(s), before);
	assert_rv(set_flag(s, h, CKA_SENSITIVE, false), CKR_ATTRIBUTE_READ_ONLY);
	assert_rv(set_flag(s, closed, CKA_EXTRACTABLE, true), CKR_ATTRIBUTE_READ_ONLY);
	assert_true(p11_get_bool(s, h, CKA_SENSITIVE));
	assert_false(p11_get_bool(s, closed, CKA_EXTRACTABLE));
}

static void copies_are_new_objects(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE h = aes(s, true, false), copy;
	struct templ t = { 0 };
	CK_BYTE a[36], b[36];

	(void)state;
	templ_ulong(&t, CKA_CLASS, CKO_SECRET_KEY); /* is no change */
	assert_ok(p11->C_CopyObject(s, h, t.a, t.n, &copy));
	assert_int_equal(p11_get_bytes(s, h, CKA_UNIQUE_ID, a, sizeof(a)), 36);
	assert_int_equal(p11_get_bytes(s, copy, CKA_UNIQUE_ID, b, sizeof(b)), 36);
	assert_memory_not_equal(a, b, sizeof(a));
	assert_true(p11_get_bool(s, copy, CKA_LOCAL));
	assert_true(p11_get_bool(s, copy, CKA_ALWAYS_SENSITIVE));
	assert_ok(p11->C_CopyObject(s, h, NULL, 0, &copy));
}

static void policy_flags(void **state)
{
	static const CK_ATTRIBUTE_TYPE flags[] = { CKA_COPYABLE, CKA_MODIFIABLE, CKA_DESTROYABLE };
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE h[3], copy;
	struct templ label = { 0 };

	(void)state;
	templ_text(&label, CKA_LABEL, "new");
	for (size_t i = 0; i < 3; i++) {
		struct templ t;

		length_of(&t, 16);
		templ_bool(&t, flags[i], false);
		assert_ok(generate(s, &t, &h[i]));
	}
	assert_rv(p11->C_CopyObject(s, h[0], NULL, 0, &copy), CKR_ACTION_PROHIBITED);
	assert_rv(p11->C_SetAttributeValue(s, h[1], label.a, label.n), CKR_ACTION_PROHIBITED);
	assert_rv(p11->C_DestroyObject(s, h[2]), CKR_ACTION_PROHIBITED);
	/* each flag forbids its own call only */
	assert_ok(p11->C_SetAttributeValue(s, h[2], label.a, label.n));
	assert_ok(p11->C_DestroyObject(s, h[0]));
	assert_ok(p11->C_CopyObject(s, h[1], NULL, 0, &copy));
}

static void fixed_attributes(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	struct pair k = p11_p256(s, NULL, NULL);
	CK_MECHANISM_TYPE allowed = CKM_ECDSA;
	CK_MECHANISM m = mechanism(CKM_ECDSA_SHA256, NULL, 0);
	CK_BYTE sig[64], data[4] = { 0 };
	CK_ULONG n = sizeof(sig);
	struct templ t = { 0 }, label = { 0 };

	(void)state;
	assert_rv(set_flag(s, k.priv, CKA_ALWAYS_AUTHENTICATE, true), CKR_ATTRIBUTE_READ_ONLY);
	templ_bytes(&t, CKA_ALLOWED_MECHANISMS, &allowed, sizeof(allowed));
	assert_rv(p11->C_SetAttributeValue(s, k.priv, t.a, t.n), CKR_ATTRIBUTE_READ_ONLY);
	/* The key is whole after a change. */
	templ_text(&label, CKA_LABEL, "renamed");
	assert_ok(p11->C_SetAttributeValue(s, k.priv, label.a, label.n));
	assert_ok(p11->C_SignInit(s, &m, k.priv));
	assert_ok(p11->C_Sign(s, data, sizeof(data), sig, &n));
	assert_ok(p11->C_VerifyInit(s, &m, k.pub));
	assert_ok(p11->C_Verify(s, data, sizeof(data), sig, n));
}

/* ---- B011: bad templates ---- */

static void bad_templates(void **state)
{
	CK_ULONG len = 32, huge = 1UL << 40;
	CK_BBOOL two = 2, yes = CK_TRUE, no = CK_FALSE;
	CK_BYTE some[16] = { 1 }, date[] = "20260230";
	const struct {
		CK_ATTRIBUTE a[2];
		CK_ULONG n;
		CK_RV want;
	} bad[] = {
		{ { { CKA_VALUE_LEN, &len, 4 } }, 1, CKR_ATTRIBUTE_VALUE_INVALID },
		{ { { CKA_VALUE_LEN, &huge, 8 } }, 1, CKR_ATTRIBUTE_VALUE_INVALID },
		{ { { CKA_ENCRYPT, &two, 1 } }, 1, CKR_ATTRIBUTE_VALUE_INVALID },
		{ { { CKA_ENCRYPT, &yes, 1 }, { CKA_ENCRYPT, &no, 1 } },
		  2,
		  CKR_TEMPLATE_INCONSISTENT },
		{ { { CKA_LOCAL, &no, 1 } }, 1, CKR_ATTRIBUTE_READ_ONLY },
		{ { { CKA_ALWAYS_SENSITIVE, &no, 1 } }, 1, CKR_ATTRIBUTE_READ_ONLY },
		{ { { CKA_NEVER_EXTRACTABLE, &no, 1 } }, 1, CKR_ATTRIBUTE_READ_ONLY },
		{ { { CKA_KEY_GEN_MECHANISM, &len, 8 } }, 1, CKR_ATTRIBUTE_READ_ONLY },
		{ { { CKA_UNIQUE_ID, some, 2 } }, 1, CKR_ATTRIBUTE_READ_ONLY },
		{ { { CKA_VALUE, some, 16 } }, 1, CKR_ATTRIBUTE_READ_ONLY },
		{ { { CKA_LABEL, NULL, -1UL } }, 1, CKR_ATTRIBUTE_VALUE_INVALID },
		{ { { CKA_MODULUS, some, 1 } }, 1, CKR_TEMPLATE_INCONSISTENT },
		{ { { CKA_VENDOR_DEFINED, some, 1 } }, 1, CKR_ATTRIBUTE_TYPE_INVALID },
		{ { { CKA_START_DATE, date, 8 } }, 1, CKR_ATTRIBUTE_VALUE_INVALID },
	};
	CK_SESSION_HANDLE s = p11_session();
	CK_MECHANISM m = mechanism(CKM_AES_KEY_GEN, NULL, 0);
	CK_ULONG before = objects(s);
	CK_OBJECT_HANDLE h;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CK_ATTRIBUTE t[3] = { bad[i].a[0], bad[i].a[1], { CKA_VALUE_LEN, &len, 8 } };
		bool has_len = t[0].type == CKA_VALUE_LEN;

		if (!has_len)
			t[bad[i].n] = t[2];
		assert_rv(p11->C_GenerateKey(s, &m, t, bad[i].n + !has_len, &h), bad[i].want);
	}
	assert_rv(p11->C_GenerateKey(s, &m, NULL, 0, &h), CKR_TEMPLATE_INCOMPLETE);
	assert_rv(p11->C_GenerateKey(s, &m, NULL, 1, &h), CKR_ARGUMENTS_BAD);
	assert_int_equal(objects(s), before);
}

static void value_and_length(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	struct templ t = { 0 };
	CK_OBJECT_HANDLE h;
	CK_ULONG before = objects(s);

	(void)state;
	templ_ulong(&t, CKA_CLASS, CKO_SECRET_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, CKK_AES);
	templ_bytes(&t, CKA_VALUE, "0123456789abcdef", 16);
	assert_ok(p11->C_CreateObject(s, t.a, t.n, &h));
	assert_int_equal(p11_get_ulong(s, h, CKA_VALUE_LEN), 16);
	templ_ulong(&t, CKA_VALUE_LEN, 16);
	assert_rv(p11->C_CreateObject(s, t.a, t.n, &h), CKR_ATTRIBUTE_READ_ONLY);
	assert_int_equal(objects(s), before + 1);
}

/* ---- B012: defaults ---- */

static void defaults(void **state)
{
	static const CK_ATTRIBUTE_TYPE off[] = { CKA_EXTRACTABLE, CKA_ENCRYPT, CKA_DECRYPT,
						 CKA_SIGN,        CKA_VERIFY,  CKA_WRAP,
						 CKA_UNWRAP,      CKA_DERIVE,  CKA_TOKEN };
	CK_SESSION_HANDLE s = p11_session();
	struct templ t;
	CK_OBJECT_HANDLE h;

	(void)state;
	length_of(&t, 32);
	assert_ok(generate(s, &t, &h));
	for (size_t i = 0; i < sizeof(off) / sizeof(off[0]); i++)
		assert_false(p11_get_bool(s, h, off[i]));
	assert_true(p11_get_bool(s, h, CKA_PRIVATE));
	assert_true(p11_get_bool(s, h, CKA_SENSITIVE));
	assert_true(p11_get_bool(s, h, CKA_ALWAYS_SENSITIVE));
	assert_true(p11_get_bool(s, h, CKA_NEVER_EXTRACTABLE));
	assert_int_equal(p11_get_ulong(s, h, CKA_KEY_GEN_MECHANISM), CKM_AES_KEY_GEN);
}

/* Of a pair, and of keys that are unwrapped and derived: private, hidden, and of no use unless the template says so. */
static void expect_no_use(CK_OBJECT_HANDLE h, const CK_ATTRIBUTE_TYPE *uses, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_false(p11_get_bool(p11_session(), h, uses[i]));
}

static void expect_secret_defaults(CK_OBJECT_HANDLE h)
{
	static const CK_ATTRIBUTE_TYPE off[] = { CKA_ENCRYPT, CKA_DECRYPT, CKA_SIGN,   CKA_VERIFY,
						 CKA_WRAP,    CKA_UNWRAP,  CKA_DERIVE, CKA_TOKEN };

	expect_no_use(h, off, sizeof(off) / sizeof(off[0]));
	assert_true(p11_get_bool(p11_session(), h, CKA_PRIVATE));
	assert_true(p11_get_bool(p11_session(), h, CKA_SENSITIVE));
	assert_false(p11_get_bool(p11_session(), h, CKA_EXTRACTABLE));
}

static void defaults_of_pairs(void **state)
{
	static const CK_ATTRIBUTE_TYPE priv_off[] = { CKA_EXTRACTABLE, CKA_DECRYPT,
						      CKA_SIGN,        CKA_SIGN_RECOVER,
						      CKA_UNWRAP,      CKA_DERIVE,
						      CKA_TOKEN,       CKA_ALWAYS_AUTHENTICATE };
	static const CK_ATTRIBUTE_TYPE pub_off[] = { CKA_PRIVATE,        CKA_ENCRYPT, CKA_VERIFY,
						     CKA_VERIFY_RECOVER, CKA_WRAP,    CKA_DERIVE,
						     CKA_TOKEN,          CKA_TRUSTED };
	CK_SESSION_HANDLE s = p11_session();
	struct templ pub = { 0 }, priv = { 0 };
	struct pair k[4];

	(void)state;
	k[0] = p11_rsa(s, 1024, &pub, &priv);
	k[1] = p11_p256(s, &pub, &priv);
	k[2] = p11_ed25519(s, &pub, &priv);
	k[3] = p11_mldsa(s, CKP_ML_DSA_44, &pub, &priv);
	for (size_t i = 0; i < 4; i++) {
		expect_no_use(k[i].priv, priv_off, sizeof(priv_off) / sizeof(priv_off[0]));
		expect_no_use(k[i].pub, pub_off, sizeof(pub_off) / sizeof(pub_off[0]));
		assert_true(p11_get_bool(s, k[i].priv, CKA_PRIVATE));
		assert_true(p11_get_bool(s, k[i].priv, CKA_SENSITIVE));
		assert_true(p11_get_bool(s, k[i].priv, CKA_ALWAYS_SENSITIVE));
		assert_true(p11_get_bool(s, k[i].priv, CKA_NEVER_EXTRACTABLE));
	}
}

static void defaults_of_made_keys(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE kek = p11_secret(s, CKM_AES_KEY_GEN, 32, CKA_WRAP, CKA_UNWRAP),
			 key = p11_secret(s, CKM_AES_KEY_GEN, 32, CKA_EXTRACTABLE),
			 base = p11_secret(s, CKM_GENERIC_SECRET_KEY_GEN, 32, CKA_DERIVE), h;
	CK_HKDF_PARAMS p = {
		CK_TRUE, CK_TRUE, CKM_SHA256, CKF_HKDF_SALT_NULL, NULL, 0, 0, NULL, 0
	};
	CK_MECHANISM kwp = mechanism(CKM_AES_KEY_WRAP_KWP, NULL, 0),
		     hkdf = mechanism(CKM_HKDF_DERIVE, &p, sizeof(p));
	struct templ t = { 0 };
	CK_BYTE blob[64];
	CK_ULONG n = sizeof(blob);

	(void)state;
	templ_ulong(&t, CKA_KEY_TYPE, CKK_AES);
	assert_ok(p11->C_WrapKey(s, &kwp, kek, key, blob, &n));
	assert_ok(p11->C_UnwrapKey(s, &kwp, kek, blob, n, t.a, t.n, &h));
	expect_secret_defaults(h);
	assert_false(p11_get_bool(s, h, CKA_ALWAYS_SENSITIVE));
	assert_false(p11_get_bool(s, h, CKA_NEVER_EXTRACTABLE));
	templ_ulong(&t, CKA_VALUE_LEN, 32);
	assert_ok(p11->C_DeriveKey(s, &hkdf, base, t.a, t.n, &h));
	expect_secret_defaults(h);
}

/* Nobody is logged in: no private object comes to be, by default or by request. */
static void private_needs_login(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	struct templ t, data = { 0 };
	CK_OBJECT_HANDLE h;

	(void)state;
	length_of(&t, 16);
	assert_ok(p11->C_Logout(s));
	assert_rv(generate(s, &t, &h), CKR_USER_NOT_LOGGED_IN);
	templ_bool(&t, CKA_PRIVATE, true);
	assert_rv(generate(s, &t, &h), CKR_USER_NOT_LOGGED_IN);
	templ_ulong(&data, CKA_CLASS, CKO_DATA);
	assert_ok(p11->C_CreateObject(s, data.a, data.n, &h));
	templ_bool(&data, CKA_PRIVATE, true);
	assert_rv(p11->C_CreateObject(s, data.a, data.n, &h), CKR_USER_NOT_LOGGED_IN);
	length_of(&t, 16);
	templ_bool(&t, CKA_PRIVATE, false);
	assert_ok(generate(s, &t, &h));
	assert_rv(copy_flag(s, h, CKA_PRIVATE, true, &h), CKR_USER_NOT_LOGGED_IN);
}

static void derived_history(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_HKDF_PARAMS p = {
		CK_TRUE, CK_TRUE, CKM_SHA256, CKF_HKDF_SALT_NULL, NULL, 0, 0, NULL, 0
	};
	CK_MECHANISM gen = mechanism(CKM_GENERIC_SECRET_KEY_GEN, NULL, 0),
		     hkdf = mechanism(CKM_HKDF_DERIVE, &p, sizeof(p));

	(void)state;
	for (int open = 0; open <= 1; open++) {
		struct templ base, t;
		CK_OBJECT_HANDLE b, h;

		length_of(&base, 32);
		length_of(&t, 16);
		templ_bool(&base, CKA_DERIVE, true);
		templ_bool(&base, CKA_SENSITIVE, !open);
		templ_bool(&base, CKA_EXTRACTABLE, open);
		assert_ok(p11->C_GenerateKey(s, &gen, base.a, base.n, &b));
		templ_ulong(&t, CKA_KEY_TYPE, CKK_AES);
		assert_ok(p11->C_DeriveKey(s, &hkdf, b, t.a, t.n, &h));
		assert_true(p11_get_bool(s, h, CKA_SENSITIVE));
		assert_int_equal(p11_get_bool(s, h, CKA_ALWAYS_SENSITIVE), !open);
		assert_int_equal(p11_get_bool(s, h, CKA_NEVER_EXTRACTABLE), !open);
		assert_false(p11_get_bool(s, h, CKA_LOCAL));
		assert_int_equal(p11_get_ulong(s, h, CKA_KEY_GEN_MECHANISM), none);
	}
}

/* ---- B013: role mixes ---- */

static void role_mixes(void **state)
{
	static const CK_ATTRIBUTE_TYPE mixes[][2] = { { CKA_WRAP, CKA_DECRYPT },
						      { CKA_UNWRAP, CKA_ENCRYPT },
						      { CKA_UNWRAP, CKA_DECRYPT } };
	CK_SESSION_HANDLE s = p11_session();
	CK_ULONG before;

	(void)state;
	for (size_t i = 0; i < sizeof(mixes) / sizeof(mixes[0]); i++) {
		struct templ one, both;
		CK_OBJECT_HANDLE h, copy;

		length_of(&one, 16);
		length_of(&both, 16);
		templ_flags(&one, mixes[i][0]);
		templ_flags(&both, mixes[i][0], mixes[i][1]);
		assert_rv(generate(s, &both, &h), CKR_TEMPLATE_INCONSISTENT);
		assert_ok(generate(s, &one, &h));
		before = objects(s);
		/* nor later, nor in a copy, nor after the first role was dropped */
		assert_rv(set_flag(s, h, mixes[i][1], true), CKR_TEMPLATE_INCONSISTENT);
		assert_rv(copy_flag(s, h, mixes[i][1], true, &copy), CKR_TEMPLATE_INCONSISTENT);
		assert_ok(set_flag(s, h, mixes[i][0], false));
		assert_rv(set_flag(s, h, mixes[i][1], true), CKR_TEMPLATE_INCONSISTENT);
		assert_int_equal(objects(s), before);
	}
}

/* ---- B047: what the security officer does ---- */

static void certificate(struct templ *t)
{
	*t = (struct templ){ 0 };
	templ_ulong(t, CKA_CLASS, CKO_CERTIFICATE);
	templ_ulong(t, CKA_CERTIFICATE_TYPE, CKC_X_509);
	templ_bool(t, CKA_TOKEN, true);
	templ_text(t, CKA_SUBJECT, "s");
	templ_text(t, CKA_VALUE, "abc");
	templ_ulong(t, CKA_CERTIFICATE_CATEGORY, CK_CERTIFICATE_CATEGORY_AUTHORITY);
}

static void trusted_certificates(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	struct templ t, trusted, label = { 0 };
	CK_OBJECT_HANDLE h;
	CK_BYTE check[3];

	(void)state;
	certificate(&t);
	certificate(&trusted);
	templ_bool(&trusted, CKA_TRUSTED, true);
	templ_text(&label, CKA_LABEL, "ca");
	assert_ok(p11->C_CreateObject(s, t.a, t.n, &h));
	assert_false(p11_get_bool(s, h, CKA_PRIVATE));
	assert_int_equal(p11_get_bytes(s, h, CKA_CHECK_VALUE, check, 3), 3);
	assert_memory_equal(check, "\xa9\x99\x3e", 3); /* SHA-1("abc") */
	assert_rv(p11->C_CreateObject(s, trusted.a, trusted.n, &h), CKR_ATTRIBUTE_READ_ONLY);
	assert_ok(p11->C_Logout(s));
	p11_login(s, CKU_SO);
	assert_ok(p11->C_CreateObject(s, trusted.a, trusted.n, &h));
	assert_true(p11_get_bool(s, h, CKA_TRUSTED));
	assert_ok(p11->C_SetAttributeValue(s, h, label.a, label.n));
	assert_ok(p11->C_Logout(s));
	p11_login(s, CKU_USER);
	assert_rv(p11->C_SetAttributeValue(s, h, label.a, label.n), CKR_ACTION_PROHIBITED);
}

/* Trust that the security officer gave to a session object holds, too; a copy of somebody else's has none. */
static void trusted_session_objects(void **state)
{
	static const CK_BYTE modulus[128] = { 0xc1, [127] = 1 };
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE h = 0, copy = 0;
	struct templ t = { 0 };

	(void)state;
	templ_ulong(&t, CKA_CLASS, CKO_PUBLIC_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, CKK_RSA);
	templ_bytes(&t, CKA_MODULUS, modulus, sizeof(modulus));
	templ_bytes(&t, CKA_PUBLIC_EXPONENT, "\1\0\1", 3);
	templ_flags(&t, CKA_WRAP, CKA_TRUSTED);
	assert_rv(p11->C_CreateObject(s, t.a, t.n, &h), CKR_ATTRIBUTE_READ_ONLY);
	assert_ok(p11->C_Logout(s));
	p11_login(s, CKU_SO);
	assert_ok(p11->C_CreateObject(s, t.a, t.n, &h));
	assert_true(p11_get_bool(s, h, CKA_TRUSTED));
	assert_ok(p11->C_Logout(s));
	p11_login(s, CKU_USER);
	assert_true(p11_get_bool(s, h, CKA_TRUSTED));
	assert_ok(p11->C_CopyObject(s, h, NULL, 0, &copy));
	assert_false(p11_get_bool(s, copy, CKA_TRUSTED));
}

/* ---- R11: searching ---- */

static void find_by_each_attribute(void **state)
{
	static const struct {
		CK_ATTRIBUTE_TYPE type;
		const char *text;
	} differ[] = { { CKA_LABEL, "label" },
		       { CKA_APPLICATION, "application" },
		       { CKA_VALUE, "value" },
		       { CKA_OBJECT_ID, "id" } };
	enum { N = sizeof(differ) / sizeof(differ[0]) };
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE h;
	struct templ t;

	(void)state;
	/* One object for each attribute, which alone has it. */
	for (size_t i = 0; i < N; i++) {
		t = (struct templ){ 0 };
		templ_ulong(&t, CKA_CLASS, CKO_DATA);
		templ_text(&t, differ[i].type, differ[i].text);
		assert_ok(p11->C_CreateObject(s, t.a, t.n, &h));
	}
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < N; j++) {
			t = (struct templ){ 0 };
			templ_text(&t, differ[i].type, differ[i].text);
			templ_text(&t, differ[j].type, differ[j].text);
			assert_int_equal(p11_count(s, &t), i == j);
			t = (struct templ){ 0 };
			templ_text(&t, differ[i].type, differ[j].text);
			assert_int_equal(p11_count(s, &t), i == j);
		}
	t = (struct templ){ 0 };
	templ_text(&t, CKA_VENDOR_DEFINED | 1, "x");
	assert_int_equal(p11_count(s, &t), 0);
}

/* Not of a key that can be read, either, if it came from outside: that would be a reading without a record (docs/AUDIT.md, "Guesses"). */
static void secrets_are_not_found(void **state)
{
	CK_SESSION_HANDLE s = p11_session();

	(void)state;
	for (int sensitive = 0; sensitive <= 1; sensitive++) {
		CK_BYTE value[16] = { (CK_BYTE)(sensitive + 1) };
		struct templ t = { 0 }, by_value = { 0 };
		CK_OBJECT_HANDLE h;

		templ_ulong(&t, CKA_CLASS, CKO_SECRET_KEY);
		templ_ulong(&t, CKA_KEY_TYPE, CKK_AES);
		templ_bytes(&t, CKA_VALUE, value, sizeof(value));
		templ_bool(&t, CKA_SENSITIVE, sensitive);
		templ_bool(&t, CKA_EXTRACTABLE, true);
		assert_ok(p11->C_CreateObject(s, t.a, t.n, &h));
		templ_bytes(&by_value, CKA_VALUE, value, sizeof(value));
		assert_int_equal(p11_count(s, &by_value), 0);
	}
}

/* A key made fresh for the session is nobody's secret but the caller's. */
static void fresh_values_are_found(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE h = aes(s, false, true);
	CK_BYTE value[16];
	CK_ATTRIBUTE a = { CKA_VALUE, value, sizeof(value) };
	struct templ by_value = { 0 };

	(void)state;
	assert_ok(p11->C_GetAttributeValue(s, h, &a, 1));
	templ_bytes(&by_value, CKA_VALUE, value, sizeof(value));
	assert_int_equal(p11_count(s, &by_value), 1);
}

/* ---- R12: what may be read ---- */

static void readable_or_not(void **state)
{
	CK_SESSION_HANDLE s = p11_session();

	(void)state;
	for (int i = 0; i < 4; i++) {
		bool sensitive = (i & 1) != 0, extractable = (i & 2) != 0;
		CK_OBJECT_HANDLE h = aes(s, sensitive, extractable), copy;
		CK_BYTE value[16];
		CK_ATTRIBUTE t = { CKA_VALUE, value, sizeof(value) };
		CK_RV want = !sensitive && extractable ? CKR_OK : CKR_ATTRIBUTE_SENSITIVE;
		CK_ULONG size;

		assert_rv(p11->C_GetAttributeValue(s, h, &t, 1), want);
		assert_ok(p11->C_CopyObject(s, h, NULL, 0, &copy));
		t.ulValueLen = sizeof(value);
		assert_rv(p11->C_GetAttributeValue(s, copy, &t, 1), want);
		assert_ok(p11->C_GetObjectSize(s, h, &size));
	}
}

/* ---- templates inside templates ---- */

static void nested_templates(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_BBOOL yes = CK_TRUE, got = 7;
	CK_BYTE label[] = "from outside";
	CK_ATTRIBUTE inner[] = { { CKA_SENSITIVE, &yes, 1 }, { CKA_LABEL, label, 12 } };
	struct templ t;
	CK_ATTRIBUTE out[2] = { { 0 } }, read = { CKA_UNWRAP_TEMPLATE, NULL, 0 };
	CK_OBJECT_HANDLE h;

	(void)state;
	length_of(&t, 16);
	templ_flags(&t, CKA_UNWRAP, CKA_TOKEN);
	templ_bytes(&t, CKA_UNWRAP_TEMPLATE, inner, sizeof(inner));
	assert_ok(generate(s, &t, &h));
	assert_ok(p11->C_GetAttributeValue(s, h, &read, 1));
	assert_int_equal(read.ulValueLen, sizeof(out));
	read.pValue = out;
	assert_ok(p11->C_GetAttributeValue(s, h, &read, 1));
	assert_int_equal(out[0].type, CKA_LABEL);
	assert_int_equal(out[0].ulValueLen, 12);
	assert_int_equal(out[1].type, CKA_SENSITIVE);
	out[0] = (CK_ATTRIBUTE){ 0, inner, 3 };
	out[1] = (CK_ATTRIBUTE){ 0, &got, 1 };
	assert_rv(p11->C_GetAttributeValue(s, h, &read, 1), CKR_BUFFER_TOO_SMALL);
	assert_int_equal(out[0].ulValueLen, none);
	assert_int_equal(got, CK_TRUE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, p11_setup_token, p11_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(read_many),
		TEST(downgrades),
		TEST(copies_are_new_objects),
		TEST(policy_flags),
		TEST(fixed_attributes),
		TEST(bad_templates),
		TEST(value_and_length),
		TEST(defaults),
		TEST(defaults_of_pairs),
		TEST(defaults_of_made_keys),
		TEST(private_needs_login),
		TEST(derived_history),
		TEST(role_mixes),
		TEST(trusted_certificates),
		TEST(trusted_session_objects),
		TEST(find_by_each_attribute),
		TEST(secrets_are_not_found),
		TEST(fresh_values_are_found),
		TEST(readable_or_not),
		TEST(nested_templates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
