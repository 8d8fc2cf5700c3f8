/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cases of attributes (docs/CASES.md) that go beyond test_p11_attributes: forms of public points and of curve names,
 * each way in which an object comes to be, what unwrapping may give, and searching by every attribute of a key.
 */
#include "case.h"

#include <openssl/core_names.h>

#define POINT_MAX 160

static const CK_BYTE oid_p384[] = { 0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x22 };
static const CK_BYTE oid_p521[] = { 0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x23 };
static const CK_BYTE oid_k256[] = { 0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x0a };
static const CK_BYTE oid_bp512[] = { 0x06, 0x09, 0x2b, 0x24, 0x03, 0x03,
				     0x02, 0x08, 0x01, 0x01, 0x0d };
static const CK_BYTE oid_ed448[] = { 0x06, 0x03, 0x2b, 0x65, 0x71 };
static const CK_BYTE oid_x448[] = { 0x06, 0x03, 0x2b, 0x65, 0x6f };
static const CK_BYTE oid_x25519[] = { 0x06, 0x03, 0x2b, 0x65, 0x6e };

/* ---- B007: points of Weierstrass curves ---- */

static const struct {
	const CK_BYTE *oid;
	size_t oid_n;
	size_t field; /* bytes of a coordinate */
} weierstrass[] = {
	{ p11_oid_p256, sizeof(p11_oid_p256), 32 }, { oid_p384, sizeof(oid_p384), 48 },
	{ oid_p521, sizeof(oid_p521), 66 },         { oid_k256, sizeof(oid_k256), 32 },
	{ oid_bp512, sizeof(oid_bp512), 64 },
};

static struct pair generate_ec(CK_MECHANISM_TYPE type, const CK_BYTE *oid, size_t n)
{
	CK_MECHANISM m = mechanism(type, NULL, 0);
	struct templ pub = { 0 }, priv = { 0 };
	struct pair k;

	templ_bytes(&pub, CKA_EC_PARAMS, oid, n);
	assert_ok(p11->C_GenerateKeyPair(p11_session(), &m, pub.a, pub.n, priv.a, priv.n, &k.pub,
					 &k.priv));
	return k;
}

static CK_RV import_point(CK_KEY_TYPE type, const CK_BYTE *oid, size_t oid_n, const CK_BYTE *point,
			  size_t n, CK_OBJECT_HANDLE *h)
{
	struct templ t = { 0 };

	templ_ulong(&t, CKA_CLASS, CKO_PUBLIC_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, type);
	templ_bytes(&t, CKA_EC_PARAMS, oid, oid_n);
	templ_bytes(&t, CKA_EC_POINT, point, n);
	if (type != CKK_EC_MONTGOMERY)
		templ_flags(&t, CKA_VERIFY);
	return case_create(p11_session(), &t, h);
}

static void expect_point(CK_OBJECT_HANDLE h, const CK_BYTE *want, size_t n)
{
	CK_BYTE got[POINT_MAX];

	assert_int_equal(p11_get_bytes(p11_session(), h, CKA_EC_POINT, got, sizeof(got)), n);
	assert_memory_equal(got, want, n);
}

/* Takes the point in each good form, and gives it back in one. */
static void good_points(size_t c, const CK_BYTE *der, size_t n, size_t head)
{
	size_t field = weierstrass[c].field;
	CK_BYTE compressed[POINT_MAX] = { 0x04, (CK_BYTE)(1 + field) };
	CK_OBJECT_HANDLE h;

	assert_ok(import_point(CKK_EC, weierstrass[c].oid, weierstrass[c].oid_n, der, n, &h));
	expect_point(h, der, n);
	assert_ok(import_point(CKK_EC, weierstrass[c].oid, weierstrass[c].oid_n, der + head,
			       n - head, &h));
	expect_point(h, der, n);
	compressed[2] = (CK_BYTE)(2 + (der[n - 1] & 1));
	memcpy(compressed + 3, der + head + 1, field);
	assert_ok(import_point(CKK_EC, weierstrass[c].oid, weierstrass[c].oid_n, compressed,
			       3 + field, &h));
	expect_point(h, der, n);
}

static void refuse_point(size_t c, const CK_BYTE *p, size_t n)
{
	CK_OBJECT_HANDLE h;

	assert_rv(import_point(CKK_EC, weierstrass[c].oid, weierstrass[c].oid_n, p, n, &h),
		  CKR_ATTRIBUTE_VALUE_INVALID);
	assert_int_equal(h, CK_INVALID_HANDLE);
}

static void bad_points(size_t c, const CK_BYTE *der, size_t n, size_t head)
{
	static const CK_BYTE infinity[] = { 0x04, 0x01, 0x00 };
	CK_BYTE bad[POINT_MAX + 1] = { 0 };

	refuse_point(c, infinity, sizeof(infinity));
	refuse_point(c, infinity + 2, 1);
	refuse_point(c, der, n - 1); /* cut short, the DER length too long */
	refuse_point(c, der + head, n - head - 1);
	memcpy(bad, der, n);
	refuse_point(c, bad, n + 1); /* a byte behind it */
	refuse_point(c, bad + head, n - head + 1);
	bad[n - 1] ^= 1; /* off the curve */
	refuse_point(c, bad, n);
	refuse_point(c, bad + head, n - head);
	bad[n - 1] ^= 1;
	bad[head] = 6; /* the hybrid form */
	refuse_point(c, bad, n);
	bad[head] = 4;
	memset(bad + head + 1, 0xff, n - head - 1); /* coordinates beyond the field */
	refuse_point(c, bad, n);
}

/* What goes out is DER; malformed points and points off the curve never become objects. */
static void test_B007_weierstrass_points(void **state)
{
	CK_SESSION_HANDLE s = p11_session();

	(void)state;
	for (size_t c = 0; c < LENGTH(weierstrass); c++) {
		struct pair k =
			generate_ec(CKM_EC_KEY_PAIR_GEN, weierstrass[c].oid, weierstrass[c].oid_n);
		CK_BYTE der[POINT_MAX];
		size_t n = p11_get_bytes(s, k.pub, CKA_EC_POINT, der, sizeof(der)), head;
		CK_ULONG before;

		head = n - (1 + 2 * weierstrass[c].field);
		assert_int_equal(head, n > 130 ? 3 : 2);
		assert_int_equal(der[0], 0x04);
		assert_int_equal(der[head], 0x04);
		good_points(c, der, n, head);
		before = case_objects(s);
		bad_points(c, der, n, head);
		assert_int_equal(case_objects(s), before);
	}
}

static CK_RV import_number(size_t c, const CK_BYTE *d, size_t n)
{
	struct templ t = { 0 };
	CK_OBJECT_HANDLE h;

	templ_ulong(&t, CKA_CLASS, CKO_PRIVATE_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, CKK_EC);
	templ_bytes(&t, CKA_EC_PARAMS, weierstrass[c].oid, weierstrass[c].oid_n);
	templ_bytes(&t, CKA_VALUE, d, n);
	templ_flags(&t, CKA_SIGN);
	return case_create(p11_session(), &t, &h);
}

/* The order of the curve, from its public key: libcrypto knows the curve by that. */
static size_t order_of(EVP_PKEY *pub, CK_BYTE *order)
{
	BIGNUM *v = NULL;
	int n;

	assert_int_equal(EVP_PKEY_get_bn_param(pub, OSSL_PKEY_PARAM_EC_ORDER, &v), 1);
	n = BN_bn2bin(v, order);
	BN_free(v);
	return (size_t)n;
}

/* A private key is a number from 1 to the order less one: no other becomes an object. */
static void test_B007_private_numbers(void **state)
{
	(void)state;
	for (size_t c = 0; c < LENGTH(weierstrass); c++) {
		struct pair k =
			generate_ec(CKM_EC_KEY_PAIR_GEN, weierstrass[c].oid, weierstrass[c].oid_n);
		EVP_PKEY *pub = case_public(p11_session(), k.pub);
		CK_BYTE d[POINT_MAX] = { 0 };
		size_t n = order_of(pub, d);

		EVP_PKEY_free(pub);
		assert_rv(import_number(c, d, n), CKR_ATTRIBUTE_VALUE_INVALID);
		d[n - 1]--;
		assert_ok(import_number(c, d, n));
		d[n - 1] += 2;
		assert_rv(import_number(c, d, n), CKR_ATTRIBUTE_VALUE_INVALID);
		memset(d, 0, n);
		assert_rv(import_number(c, d, n), CKR_ATTRIBUTE_VALUE_INVALID);
		assert_rv(import_number(c, d, 0), CKR_ATTRIBUTE_VALUE_INVALID);
		d[n - 1] = 1;
		assert_ok(import_number(c, d, n));
		assert_ok(import_number(c, d + n - 1, 1)); /* zeros in front may be left out */
		memset(d, 0xff, n + 1);
		assert_rv(import_number(c, d, n + 1), CKR_ATTRIBUTE_VALUE_INVALID);
	}
}

/* ---- B008: points that look like DER ---- */

/* Private keys whose public keys begin as an OCTET STRING of the right length would: found by search. */
static const struct look_alike {
	CK_KEY_TYPE type;
	const CK_BYTE *oid;
	int id;
	CK_ULONG n;
	uint32_t seed; /* the key is this number, zeros, and 0x40 as its last byte */
	CK_BYTE second;
} look_alikes[] = {
	{ CKK_EC_EDWARDS, p11_oid_ed25519, EVP_PKEY_ED25519, 32, 117061, 0x1e },
	{ CKK_EC_MONTGOMERY, oid_x25519, EVP_PKEY_X25519, 32, 165024, 0x1e },
	{ CKK_EC_EDWARDS, oid_ed448, EVP_PKEY_ED448, 57, 29238, 0x37 },
	{ CKK_EC_MONTGOMERY, oid_x448, EVP_PKEY_X448, 56, 174892, 0x36 },
};

static EVP_PKEY *look_alike_key(const struct look_alike *l, CK_BYTE pub[57])
{
	unsigned char seed[57] = { 0 };
	size_t n = 57;
	EVP_PKEY *k;

	for (size_t i = 0; i < 4; i++)
		seed[i] = (unsigned char)(l->seed >> 8 * i);
	seed[l->n - 1] = 0x40;
	k = EVP_PKEY_new_raw_private_key(l->id, NULL, seed, l->n);
	assert_non_null(k);
	assert_int_equal(EVP_PKEY_get_raw_public_key(k, pub, &n), 1);
	assert_int_equal(n, l->n);
	assert_int_equal(pub[0], 0x04);
	assert_int_equal(pub[1], l->second);
	return k;
}

/* The module verifies, under the imported point, what libcrypto signed. */
static void edwards_verifies(EVP_PKEY *k, CK_OBJECT_HANDLE h)
{
	CK_EDDSA_PARAMS empty = { CK_FALSE, 0, NULL };
	bool ed448 = EVP_PKEY_get_base_id(k) == EVP_PKEY_ED448;
	CK_MECHANISM m = mechanism(CKM_EDDSA, ed448 ? &empty : NULL, ed448 ? sizeof(empty) : 0);
	CK_BYTE sig[114], data[] = "signed elsewhere";
	size_t n = sizeof(sig);
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();

	assert_int_equal(EVP_DigestSignInit(ctx, NULL, NULL, NULL, k), 1);
	assert_int_equal(EVP_DigestSign(ctx, sig, &n, data, sizeof(data)), 1);
	EVP_MD_CTX_free(ctx);
	assert_ok(p11->C_VerifyInit(p11_session(), &m, h));
	assert_ok(p11->C_Verify(p11_session(), data, sizeof(data), sig, n));
}

/* A module's key agrees with the point as libcrypto does from the other side. */
static void montgomery_agrees(const struct look_alike *l, EVP_PKEY *k, CK_BYTE *pub)
{
	CK_ECDH1_DERIVE_PARAMS p = { CKD_NULL, 0, NULL, l->n, pub };
	CK_MECHANISM m = mechanism(CKM_ECDH1_DERIVE, &p, sizeof(p)),
		     gen = mechanism(CKM_EC_MONTGOMERY_KEY_PAIR_GEN, NULL, 0);
	struct templ pt = { 0 }, st = { 0 }, t;
	CK_BYTE own[57], z[57], want[57];
	CK_OBJECT_HANDLE h;
	size_t n = sizeof(want);
	struct pair pair;

	templ_bytes(&pt, CKA_EC_PARAMS, l->oid, 5);
	templ_flags(&st, CKA_DERIVE);
	assert_ok(p11->C_GenerateKeyPair(p11_session(), &gen, pt.a, pt.n, st.a, st.n, &pair.pub,
					 &pair.priv));
	case_open_secret(&t, CKK_GENERIC_SECRET, NULL, 0);
	assert_ok(p11->C_DeriveKey(p11_session(), &m, pair.priv, t.a, t.n, &h));
	assert_int_equal(p11_get_bytes(p11_session(), h, CKA_VALUE, z, sizeof(z)), l->n);
	assert_int_equal(p11_get_bytes(p11_session(), pair.pub, CKA_EC_POINT, own, 57), l->n);
	EVP_PKEY *peer = EVP_PKEY_new_raw_public_key(l->id, NULL, own, l->n);
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(k, NULL);
	assert_int_equal(EVP_PKEY_derive_init(ctx), 1);
	assert_int_equal(EVP_PKEY_derive_set_peer(ctx, peer), 1);
	assert_int_equal(EVP_PKEY_derive(ctx, want, &n), 1);
	assert_memory_equal(z, want, n);
	EVP_PKEY_CTX_free(ctx);
	EVP_PKEY_free(peer);
}

static void forms_of_raw_point(const struct look_alike *l)
{
	CK_BYTE pub[57], der[59] = { 0x04, (CK_BYTE)l->n },
			 bits[60] = { 0x03, (CK_BYTE)(l->n + 1) };
	EVP_PKEY *k = look_alike_key(l, pub);
	CK_OBJECT_HANDLE h;

	memcpy(der + 2, pub, l->n);
	memcpy(bits + 3, pub, l->n);
	assert_ok(import_point(l->type, l->oid, 5, der, l->n + 2, &h));
	expect_point(h, pub, l->n);
	assert_ok(import_point(l->type, l->oid, 5, bits, l->n + 3, &h));
	expect_point(h, pub, l->n);
	assert_rv(import_point(l->type, l->oid, 5, pub, l->n - 1, &h), CKR_ATTRIBUTE_VALUE_INVALID);
	assert_rv(import_point(l->type, l->oid, 5, der, l->n + 1, &h), CKR_ATTRIBUTE_VALUE_INVALID);
	assert_ok(import_point(l->type, l->oid, 5, pub, l->n, &h));
	expect_point(h, pub, l->n);
	if (l->type == CKK_EC_EDWARDS)
		edwards_verifies(k, h);
	else
		montgomery_agrees(l, k, pub);
	EVP_PKEY_free(k);
}

/* The form is told by the exact length, so a key that looks like DER is still a key; out go bare bytes. */
static void test_B008_raw_points(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(look_alikes); i++)
		forms_of_raw_point(&look_alikes[i]);
}

/* ---- B009: forms of CKA_EC_PARAMS ---- */

#define NAMED(text) "\x13" text

static const struct {
	CK_MECHANISM_TYPE mech;
	const char *params;
	size_t n;
	CK_RV want;
} curve_forms[] = {
	{ CKM_EC_EDWARDS_KEY_PAIR_GEN, "\x06\x03\x2b\x65\x70", 5, CKR_OK },
	{ CKM_EC_EDWARDS_KEY_PAIR_GEN,
	  NAMED("\x0c"
		"edwards25519"),
	  14, CKR_OK },
	{ CKM_EC_EDWARDS_KEY_PAIR_GEN, "\x06\x03\x2b\x65\x71", 5, CKR_OK },
	{ CKM_EC_EDWARDS_KEY_PAIR_GEN,
	  NAMED("\x0a"
		"edwards448"),
	  12, CKR_OK },
	{ CKM_EC_MONTGOMERY_KEY_PAIR_GEN, "\x06\x03\x2b\x65\x6e", 5, CKR_OK },
	{ CKM_EC_MONTGOMERY_KEY_PAIR_GEN,
	  NAMED("\x0a"
		"curve25519"),
	  12, CKR_OK },
	{ CKM_EC_MONTGOMERY_KEY_PAIR_GEN, "\x06\x03\x2b\x65\x6f", 5, CKR_OK },
	{ CKM_EC_MONTGOMERY_KEY_PAIR_GEN,
	  NAMED("\x08"
		"curve448"),
	  10, CKR_OK },
	{ CKM_EC_KEY_PAIR_GEN, "\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07", 10, CKR_OK },
	{ CKM_EC_KEY_PAIR_GEN,
	  NAMED("\x09"
		"secp256r1"),
	  11, CKR_OK },
	{ CKM_EC_KEY_PAIR_GEN,
	  NAMED("\x09"
		"secp521r1"),
	  11, CKR_OK },
	/* lengths that are not those of the text, nothing at all, something behind */
	{ CKM_EC_MONTGOMERY_KEY_PAIR_GEN,
	  NAMED("\x0b"
		"curve25519"),
	  12, CKR_ATTRIBUTE_VALUE_INVALID },
	{ CKM_EC_MONTGOMERY_KEY_PAIR_GEN,
	  NAMED("\x09"
		"curve25519"),
	  12, CKR_ATTRIBUTE_VALUE_INVALID },
	{ CKM_EC_KEY_PAIR_GEN, "", 0, CKR_ATTRIBUTE_VALUE_INVALID },
	{ CKM_EC_KEY_PAIR_GEN, "\x06", 1, CKR_ATTRIBUTE_VALUE_INVALID },
	{ CKM_EC_KEY_PAIR_GEN, "\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07\x00", 11,
	  CKR_ATTRIBUTE_VALUE_INVALID },
	/* curves that are unknown, or of another kind of key */
	{ CKM_EC_KEY_PAIR_GEN, "\x06\x05\x2b\x81\x04\x00\x01", 7, CKR_CURVE_NOT_SUPPORTED },
	{ CKM_EC_KEY_PAIR_GEN, "\x06\x03\x2b\x65\x70", 5, CKR_CURVE_NOT_SUPPORTED },
	{ CKM_EC_EDWARDS_KEY_PAIR_GEN, "\x06\x03\x2b\x65\x6e", 5, CKR_CURVE_NOT_SUPPORTED },
	{ CKM_EC_EDWARDS_KEY_PAIR_GEN,
	  NAMED("\x0a"
		"curve25519"),
	  12, CKR_CURVE_NOT_SUPPORTED },
	/* explicit parameters, and the CA's */
	{ CKM_EC_KEY_PAIR_GEN, "\x30\x03\x02\x01\x01", 5, CKR_DOMAIN_PARAMS_INVALID },
	{ CKM_EC_KEY_PAIR_GEN, "\x05\x00", 2, CKR_DOMAIN_PARAMS_INVALID },
};

/* Both named forms generate; the same bytes are on both halves and find both; all else has its own error. */
static void test_B009_curve_names(void **state)
{
	CK_SESSION_HANDLE s = p11_session();

	(void)state;
	for (size_t i = 0; i < LENGTH(curve_forms); i++) {
		CK_MECHANISM m = mechanism(curve_forms[i].mech, NULL, 0);
		CK_ULONG before = case_objects(s);
		struct templ pub = { 0 }, priv = { 0 };
		struct pair k;

		templ_bytes(&pub, CKA_EC_PARAMS, curve_forms[i].params, curve_forms[i].n);
		assert_rv(p11->C_GenerateKeyPair(s, &m, pub.a, pub.n, priv.a, priv.n, &k.pub,
						 &k.priv),
			  curve_forms[i].want);
		assert_int_equal(case_objects(s), before + (curve_forms[i].want == CKR_OK ? 2 : 0));
		if (curve_forms[i].want == CKR_OK)
			assert_int_equal(p11_count(s, &pub), 2);
	}
}

/* ---- B012: every way to an object ---- */

static CK_RV unwrap_with(CK_SESSION_HANDLE s, struct templ *t, CK_OBJECT_HANDLE kek, CK_BYTE *blob,
			 CK_ULONG n)
{
	CK_MECHANISM m = mechanism(CKM_AES_KEY_WRAP_KWP, NULL, 0);
	CK_OBJECT_HANDLE h;

	return p11->C_UnwrapKey(s, &m, kek, blob, n, t->a, t->n, &h);
}

static CK_RV derive_with(struct templ *t, CK_OBJECT_HANDLE base)
{
	CK_HKDF_PARAMS p = {
		CK_TRUE, CK_TRUE, CKM_SHA256, CKF_HKDF_SALT_NULL, NULL, 0, 0, NULL, 0
	};
	CK_MECHANISM m = mechanism(CKM_HKDF_DERIVE, &p, sizeof(p));
	CK_OBJECT_HANDLE h;

	return p11->C_DeriveKey(p11_session(), &m, base, t->a, t->n, &h);
}

static CK_OBJECT_HANDLE public_secret(CK_KEY_TYPE type, CK_ATTRIBUTE_TYPE use)
{
	CK_BYTE value[32] = { (CK_BYTE)use };
	struct templ t;
	CK_OBJECT_HANDLE h;

	case_open_secret(&t, type, value, sizeof(value));
	templ_bool(&t, CKA_PRIVATE, false);
	templ_flags(&t, use);
	assert_ok(case_create(p11_session(), &t, &h));
	return h;
}

/* What a template for a secret key needs, and CKA_PRIVATE as said: 1, 0, or not given. */
static void secret_template(struct templ *t, bool with_len, int priv)
{
	memset(t, 0, sizeof(*t));
	templ_ulong(t, CKA_CLASS, CKO_SECRET_KEY);
	templ_ulong(t, CKA_KEY_TYPE, CKK_AES);
	if (with_len)
		templ_ulong(t, CKA_VALUE_LEN, 32);
	templ_bool(t, CKA_EXTRACTABLE, false);
	if (priv >= 0)
		templ_bool(t, CKA_PRIVATE, priv != 0);
}

static CK_RV pair_with(int priv)
{
	CK_MECHANISM m = mechanism(CKM_EC_KEY_PAIR_GEN, NULL, 0);
	struct templ pub = { 0 }, t = { 0 };
	struct pair k;

	templ_bytes(&pub, CKA_EC_PARAMS, p11_oid_p256, sizeof(p11_oid_p256));
	if (priv >= 0)
		templ_bool(&t, CKA_PRIVATE, priv != 0);
	return p11->C_GenerateKeyPair(p11_session(), &m, pub.a, pub.n, t.a, t.n, &k.pub, &k.priv);
}

/* Nobody logged in: no call makes a private object, and secret and private keys are private unless said otherwise. */
static void test_B012_no_private_object_without_login(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_MECHANISM kwp = mechanism(CKM_AES_KEY_WRAP_KWP, NULL, 0);
	CK_OBJECT_HANDLE kek, base, target;
	CK_BYTE blob[64];
	CK_ULONG n = sizeof(blob), before;
	struct templ unwraps = { 0 };

	(void)state;
	assert_ok(p11->C_Logout(s));
	kek = public_secret(CKK_AES, CKA_WRAP);
	base = public_secret(CKK_GENERIC_SECRET, CKA_DERIVE);
	target = public_secret(CKK_AES, CKA_ENCRYPT);
	assert_ok(p11->C_WrapKey(s, &kwp, kek, target, blob, &n));
	templ_flags(&unwraps, CKA_UNWRAP);
	assert_ok(p11->C_SetAttributeValue(s, kek, unwraps.a, unwraps.n));
	before = case_objects(s);
	for (int priv = -1; priv <= 1; priv++) {
		CK_RV want = priv == 0 ? CKR_OK : CKR_USER_NOT_LOGGED_IN;
		struct templ t;

		secret_template(&t, false, priv);
		assert_rv(unwrap_with(s, &t, kek, blob, n), want);
		secret_template(&t, true, priv);
		assert_rv(derive_with(&t, base), want);
		assert_rv(pair_with(priv), want);
		if (priv != 0)
			assert_int_equal(case_objects(s), before);
		else
			before = case_objects(s);
	}
}

/* ---- B013: what unwrapping may give ---- */

static void unwrap_readable(CK_SESSION_HANDLE s, CK_RV want)
{
	CK_OBJECT_HANDLE kek = p11_secret(s, CKM_AES_KEY_GEN, 32, CKA_WRAP, CKA_UNWRAP);
	CK_OBJECT_HANDLE k = p11_secret(s, CKM_AES_KEY_GEN, 16, CKA_ENCRYPT, CKA_EXTRACTABLE);
	CK_MECHANISM kwp = mechanism(CKM_AES_KEY_WRAP_KWP, NULL, 0);
	CK_BYTE blob[64];
	CK_ULONG n = sizeof(blob), before;
	struct templ t = { 0 };

	templ_ulong(&t, CKA_CLASS, CKO_SECRET_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, CKK_AES);
	templ_bool(&t, CKA_SENSITIVE, false);
	templ_bool(&t, CKA_EXTRACTABLE, true);
	assert_ok(p11->C_WrapKey(s, &kwp, kek, k, blob, &n));
	before = case_objects(s);
	assert_rv(unwrap_with(s, &t, kek, blob, n), want);
	assert_int_equal(case_objects(s), before + (want == CKR_OK));
}

static void generate_mixed(CK_SESSION_HANDLE s, CK_RV want)
{
	CK_MECHANISM gen = mechanism(CKM_AES_KEY_GEN, NULL, 0);
	struct templ t = { 0 };
	CK_OBJECT_HANDLE h;

	templ_ulong(&t, CKA_VALUE_LEN, 16);
	templ_flags(&t, CKA_WRAP, CKA_DECRYPT);
	assert_rv(p11->C_GenerateKey(s, &gen, t.a, t.n, &h), want);
}

/* A sensitive key does not come back readable through wrapping, unless the token is configured to allow it. */
static void test_B013_unwrapping_reveals_nothing(void **state)
{
	CK_SESSION_HANDLE s;

	(void)state;
	unwrap_readable(p11_session(), CKR_TEMPLATE_INCONSISTENT);
	generate_mixed(p11_session(), CKR_TEMPLATE_INCONSISTENT);
	p11_configure("[token]\ncompat = on\n");
	s = case_restart();
	p11_login(s, CKU_USER);
	unwrap_readable(s, CKR_OK);
	generate_mixed(s, CKR_OK);
}

/* ---- R11: searching keys by each attribute ---- */

static const struct {
	CK_ATTRIBUTE_TYPE type;
	CK_BYTE plain[8], other[8]; /* what all keys have, and the value of one alone */
	size_t n;
} key_attributes[] = {
	{ CKA_LABEL, "plain", "other", 5 },
	{ CKA_ID, { 1 }, { 2 }, 1 },
	{ CKA_START_DATE, "20200101", "20200102", 8 },
	{ CKA_END_DATE, "20300101", "20300102", 8 },
	{ CKA_ENCRYPT, { 0 }, { 1 }, 1 },
	{ CKA_SIGN, { 0 }, { 1 }, 1 },
	{ CKA_VERIFY, { 0 }, { 1 }, 1 },
	{ CKA_DERIVE, { 0 }, { 1 }, 1 },
	{ CKA_WRAP, { 0 }, { 1 }, 1 },
	{ CKA_SENSITIVE, { 0 }, { 1 }, 1 },
	{ CKA_EXTRACTABLE, { 0 }, { 1 }, 1 },
	{ CKA_PRIVATE, { 1 }, { 0 }, 1 },
	{ CKA_MODIFIABLE, { 1 }, { 0 }, 1 },
	{ CKA_COPYABLE, { 1 }, { 0 }, 1 },
	{ CKA_DESTROYABLE, { 1 }, { 0 }, 1 },
	{ CKA_TOKEN, { 0 }, { 1 }, 1 },
	{ CKA_WRAP_WITH_TRUSTED, { 0 }, { 1 }, 1 },
};

static void put_attribute(struct templ *t, size_t i, bool other)
{
	templ_bytes(t, key_attributes[i].type,
		    other ? key_attributes[i].other : key_attributes[i].plain, key_attributes[i].n);
}

/* Of keys that each differ in one attribute, a search by one or two of them finds exactly those that match. */
static void test_R11_each_attribute_of_keys(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_MECHANISM gen = mechanism(CKM_AES_KEY_GEN, NULL, 0);
	size_t count = LENGTH(key_attributes);
	CK_OBJECT_HANDLE h;
	struct templ t;

	(void)state;
	for (size_t k = 0; k < count; k++) {
		memset(&t, 0, sizeof(t));
		templ_ulong(&t, CKA_VALUE_LEN, 16);
		for (size_t i = 0; i < count; i++)
			put_attribute(&t, i, i == k);
		assert_ok(p11->C_GenerateKey(s, &gen, t.a, t.n, &h));
	}
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < count; j++) {
			memset(&t, 0, sizeof(t));
			put_attribute(&t, i, true);
			put_attribute(&t, j, true);
			assert_int_equal(p11_count(s, &t), i == j);
			if (i == j)
				continue;
			memset(&t, 0, sizeof(t));
			put_attribute(&t, i, true);
			put_attribute(&t, j, false);
			assert_int_equal(p11_count(s, &t), 1);
		}
	memset(&t, 0, sizeof(t));
	templ_ulong(&t, CKA_MODULUS_BITS, 2048); /* an attribute that no such object has */
	assert_int_equal(p11_count(s, &t), 0);
}

/* ---- R12: wrapping ---- */

/* Whatever CKA_SENSITIVE says, a key leaves only if it is extractable; no copy makes it so. */
static void test_R12_wrapping_needs_extractable(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE kek = p11_secret(s, CKM_AES_KEY_GEN, 32, CKA_WRAP), h, copy;
	CK_MECHANISM kwp = mechanism(CKM_AES_KEY_WRAP_KWP, NULL, 0),
		     gen = mechanism(CKM_AES_KEY_GEN, NULL, 0);
	CK_BYTE blob[64];

	(void)state;
	for (int i = 0; i < 4; i++) {
		bool extractable = (i & 2) != 0;
		CK_RV want = extractable ? CKR_OK : CKR_KEY_UNEXTRACTABLE;
		CK_ULONG n = sizeof(blob);
		struct templ t = { 0 };

		templ_ulong(&t, CKA_VALUE_LEN, 16);
		templ_bool(&t, CKA_SENSITIVE, (i & 1) != 0);
		templ_bool(&t, CKA_EXTRACTABLE, extractable);
		assert_ok(p11->C_GenerateKey(s, &gen, t.a, t.n, &h));
		assert_rv(p11->C_WrapKey(s, &kwp, kek, h, blob, &n), want);
		assert_ok(p11->C_CopyObject(s, h, NULL, 0, &copy));
		n = sizeof(blob);
		assert_rv(p11->C_WrapKey(s, &kwp, kek, copy, blob, &n), want);
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, p11_setup_token, p11_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_B007_weierstrass_points),
		TEST(test_B007_private_numbers),
		TEST(test_B008_raw_points),
		TEST(test_B009_curve_names),
		TEST(test_B012_no_private_object_without_login),
		TEST(test_B013_unwrapping_reveals_nothing),
		TEST(test_R11_each_attribute_of_keys),
		TEST(test_R12_wrapping_needs_extractable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
