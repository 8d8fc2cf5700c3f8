/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of key derivation (docs/CASES.md): B020 ECDH, B021 HKDF, B022 PBKDF2. libcrypto is the second opinion. */
#include "case.h"

#include <sys/mman.h>

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/kdf.h>

static CK_BYTE got[9000], want[9000];

/* A derived key is read whole. */
static size_t value_of(CK_OBJECT_HANDLE h)
{
	size_t n = p11_get_bytes(p11_session(), h, CKA_VALUE, got, sizeof(got));

	assert_ok(p11->C_DestroyObject(p11_session(), h));
	return n;
}

static void derived_template(struct templ *t, CK_KEY_TYPE type, CK_ULONG len)
{
	case_open_secret(t, type, NULL, 0);
	if (len != 0)
		templ_ulong(t, CKA_VALUE_LEN, len);
}

/* ---- B020: ECDH ---- */

struct agreement {
	CK_OBJECT_HANDLE priv; /* in the module */
	CK_BYTE point[160];    /* of the peer */
	size_t point_n;
	CK_BYTE z[80];
	size_t z_n;
};

static void agree(EVP_PKEY *own, EVP_PKEY *peer, struct agreement *a)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(own, NULL);

	a->z_n = sizeof(a->z);
	assert_int_equal(EVP_PKEY_derive_init(ctx), 1);
	assert_int_equal(EVP_PKEY_derive_set_peer(ctx, peer), 1);
	assert_int_equal(EVP_PKEY_derive(ctx, a->z, &a->z_n), 1);
	EVP_PKEY_CTX_free(ctx);
}

static CK_OBJECT_HANDLE import_ec(EVP_PKEY *k, const CK_BYTE *oid, size_t oid_n)
{
	struct templ t = { 0 };
	CK_BYTE d[80];
	BIGNUM *v = NULL;
	CK_OBJECT_HANDLE h;

	assert_int_equal(EVP_PKEY_get_bn_param(k, OSSL_PKEY_PARAM_PRIV_KEY, &v), 1);
	templ_ulong(&t, CKA_CLASS, CKO_PRIVATE_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, CKK_EC);
	templ_bytes(&t, CKA_EC_PARAMS, oid, oid_n);
	templ_bytes(&t, CKA_VALUE, d, (size_t)BN_bn2bin(v, d));
	templ_flags(&t, CKA_DERIVE);
	assert_ok(case_create(p11_session(), &t, &h));
	BN_clear_free(v);
	return h;
}

/* Keys made until the secret begins with a zero, which one in 256 does. */
static void find_leading_zero(const char *curve, const CK_BYTE *oid, size_t oid_n,
			      struct agreement *a)
{
	EVP_PKEY *own = EVP_EC_gen(curve), *peer = NULL;

	assert_non_null(own);
	do {
		EVP_PKEY_free(peer);
		peer = EVP_EC_gen(curve);
		agree(own, peer, a);
	} while (a->z[0] != 0);
	a->priv = import_ec(own, oid, oid_n);
	assert_int_equal(EVP_PKEY_get_octet_string_param(peer, OSSL_PKEY_PARAM_PUB_KEY, a->point,
							 sizeof(a->point), &a->point_n),
			 1);
	EVP_PKEY_free(own);
	EVP_PKEY_free(peer);
}

static CK_RV derive_ecdh(const struct agreement *a, CK_EC_KDF_TYPE kdf, CK_BYTE *shared,
			 CK_ULONG shared_n, CK_KEY_TYPE type, CK_ULONG len, CK_OBJECT_HANDLE *h)
{
	CK_BYTE point[160];
	CK_ECDH1_DERIVE_PARAMS p = { kdf, shared_n, shared, a->point_n, point };
	CK_MECHANISM m = mechanism(CKM_ECDH1_DERIVE, &p, sizeof(p));
	struct templ t;

	memcpy(point, a->point, a->point_n);
	derived_template(&t, type, len);
	return p11->C_DeriveKey(p11_session(), &m, a->priv, t.a, t.n, h);
}

static const CK_BYTE oid_p384[] = { 0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x22 };
static const CK_BYTE oid_p521[] = { 0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x23 };

static const struct {
	const char *name;
	const CK_BYTE *oid;
	size_t oid_n, field;
} curves[] = {
	{ "P-256", p11_oid_p256, sizeof(p11_oid_p256), 32 },
	{ "P-384", oid_p384, sizeof(oid_p384), 48 },
	{ "P-521", oid_p521, sizeof(oid_p521), 66 },
};

/* A secret that begins with zeros keeps them; what is too much of it is cut from its front; no length is all of it. */
static void test_B020_leading_zeros(void **state)
{
	struct agreement a;
	CK_OBJECT_HANDLE h;

	(void)state;
	for (size_t c = 0; c < LENGTH(curves); c++) {
		find_leading_zero(curves[c].name, curves[c].oid, curves[c].oid_n, &a);
		assert_int_equal(a.z_n, curves[c].field);
		assert_ok(derive_ecdh(&a, CKD_NULL, NULL, 0, CKK_GENERIC_SECRET, 0, &h));
		assert_int_equal(value_of(h), a.z_n);
		assert_memory_equal(got, a.z, a.z_n);
		assert_ok(derive_ecdh(&a, CKD_NULL, NULL, 0, CKK_GENERIC_SECRET, 16, &h));
		assert_int_equal(value_of(h), 16);
		assert_memory_equal(got, a.z + a.z_n - 16, 16);
		assert_ok(derive_ecdh(&a, CKD_NULL, NULL, 0, CKK_AES, 32, &h));
		assert_int_equal(value_of(h), 32);
		assert_memory_equal(got, a.z + a.z_n - 32, 32);
	}
}

/* ANSI X9.63 as it is written: the hash of Z, a counter from 1 and the shared data, over and over. */
static void x963(const char *md, const struct agreement *a, const CK_BYTE *shared, size_t shared_n,
		 size_t n)
{
	CK_BYTE in[700];
	size_t done = 0, md_n = 0, total = a->z_n + 4 + shared_n;

	assert_true(total <= sizeof(in));
	memcpy(in, a->z, a->z_n);
	if (shared_n != 0)
		memcpy(in + a->z_n + 4, shared, shared_n);
	for (CK_BYTE counter = 1; done < n; counter++, done += md_n) {
		memcpy(in + a->z_n, (CK_BYTE[]){ 0, 0, 0, counter }, 4);
		assert_int_equal(EVP_Q_digest(NULL, md, NULL, in, total, want + done, &md_n), 1);
	}
}

static const struct {
	CK_EC_KDF_TYPE kdf;
	const char *md;
} kdfs[] = {
	{ CKD_SHA1_KDF, "SHA1" },     { CKD_SHA224_KDF, "SHA224" }, { CKD_SHA256_KDF, "SHA256" },
	{ CKD_SHA384_KDF, "SHA384" }, { CKD_SHA512_KDF, "SHA512" },
};

/* Every KDF, with shared data of every length and none, gives the start of its output; without one there is no shared data. */
static void test_B020_kdfs(void **state)
{
	static const CK_ULONG shared_lengths[] = { 0, 1, 32, 33, 64, 500 }, lengths[] = { 16, 100 };
	static CK_BYTE shared[500] = "shared between the two";
	struct agreement a;
	CK_OBJECT_HANDLE h;

	(void)state;
	find_leading_zero("P-256", p11_oid_p256, sizeof(p11_oid_p256), &a);
	for (size_t k = 0; k < LENGTH(kdfs); k++)
		for (size_t i = 0; i < LENGTH(shared_lengths); i++)
			for (size_t l = 0; l < LENGTH(lengths); l++) {
				x963(kdfs[k].md, &a, shared, shared_lengths[i], lengths[l]);
				assert_ok(derive_ecdh(
					&a, kdfs[k].kdf, shared_lengths[i] != 0 ? shared : NULL,
					shared_lengths[i], l == 0 ? CKK_AES : CKK_GENERIC_SECRET,
					lengths[l], &h));
				assert_int_equal(value_of(h), lengths[l]);
				assert_memory_equal(got, want, lengths[l]);
			}
	assert_rv(derive_ecdh(&a, CKD_NULL, shared, 1, CKK_GENERIC_SECRET, 16, &h),
		  CKR_MECHANISM_PARAM_INVALID);
	assert_rv(derive_ecdh(&a, CKD_SHA256_KDF, NULL, 5, CKK_GENERIC_SECRET, 16, &h),
		  CKR_MECHANISM_PARAM_INVALID);
	assert_rv(derive_ecdh(&a, 0x7777, NULL, 0, CKK_GENERIC_SECRET, 16, &h),
		  CKR_MECHANISM_PARAM_INVALID);
	assert_rv(derive_ecdh(&a, CKD_SHA256_KDF, NULL, 0, CKK_GENERIC_SECRET, 0, &h),
		  CKR_TEMPLATE_INCOMPLETE);
}

/* ---- B021: HKDF ---- */

static const CK_BYTE ikm[40] = "input keying material", salt_bytes[40] = "salt",
		     info_bytes[300] = "info";

/* What RFC 5869 says, by libcrypto. mode: EVP_KDF_HKDF_MODE_*. */
static void hkdf_by_libcrypto(int mode, const char *md, size_t ikm_n, size_t salt_n, size_t info_n,
			      size_t n)
{
	EVP_KDF *kdf = EVP_KDF_fetch(NULL, "HKDF", NULL);
	EVP_KDF_CTX *ctx = EVP_KDF_CTX_new(kdf);
	OSSL_PARAM p[6], *at = p;

	*at++ = OSSL_PARAM_construct_int(OSSL_KDF_PARAM_MODE, &mode);
	*at++ = OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)(uintptr_t)md, 0);
	*at++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)(uintptr_t)ikm,
						  ikm_n);
	if (salt_n != 0)
		*at++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT,
							  (void *)(uintptr_t)salt_bytes, salt_n);
	if (info_n != 0)
		*at++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO,
							  (void *)(uintptr_t)info_bytes, info_n);
	*at = OSSL_PARAM_construct_end();
	assert_int_equal(EVP_KDF_derive(ctx, want, n, p), 1);
	EVP_KDF_CTX_free(ctx);
	EVP_KDF_free(kdf);
}

static CK_HKDF_PARAMS hkdf_params(CK_MECHANISM_TYPE hash)
{
	return (CK_HKDF_PARAMS){ CK_TRUE, CK_TRUE, hash, CKF_HKDF_SALT_NULL, NULL, 0, 0, NULL, 0 };
}

static CK_RV hkdf(CK_OBJECT_HANDLE base, CK_HKDF_PARAMS p, CK_ULONG len, CK_OBJECT_HANDLE *h)
{
	CK_MECHANISM m = mechanism(CKM_HKDF_DERIVE, &p, sizeof(p));
	struct templ t;

	derived_template(&t, CKK_GENERIC_SECRET, len);
	return p11->C_DeriveKey(p11_session(), &m, base, t.a, t.n, h);
}

static void expect_hkdf(CK_OBJECT_HANDLE base, CK_HKDF_PARAMS p, CK_ULONG len, size_t n)
{
	CK_OBJECT_HANDLE h;

	assert_ok(hkdf(base, p, len, &h));
	assert_int_equal(value_of(h), n);
	assert_memory_equal(got, want, n);
}

static CK_OBJECT_HANDLE hkdf_base(size_t n)
{
	return case_secret(p11_session(), CKK_GENERIC_SECRET, ikm, n, CKA_DERIVE);
}

/* No salt, an empty one, bytes and a key are what RFC 5869 makes of them; base keys of one byte work. */
static void test_B021_salts(void **state)
{
	static const struct {
		CK_MECHANISM_TYPE mech;
		const char *md;
		size_t n;
	} hashes[] = { { CKM_SHA_1, "SHA1", 20 },
		       { CKM_SHA256, "SHA256", 32 },
		       { CKM_SHA512, "SHA512", 64 } };
	CK_OBJECT_HANDLE base = hkdf_base(40), short_base = hkdf_base(1);
	CK_OBJECT_HANDLE salt =
		case_secret(p11_session(), CKK_GENERIC_SECRET, salt_bytes, 13, CKA_DERIVE);
	const int both = EVP_KDF_HKDF_MODE_EXTRACT_AND_EXPAND;

	(void)state;
	for (size_t i = 0; i < LENGTH(hashes); i++) {
		CK_HKDF_PARAMS p = hkdf_params(hashes[i].mech);

		hkdf_by_libcrypto(both, hashes[i].md, 40, 0, 0, 42);
		expect_hkdf(base, p, 42, 42);
		p.ulSaltType = CKF_HKDF_SALT_DATA;
		expect_hkdf(base, p, 42, 42); /* of no bytes */
		p.pSalt = (CK_BYTE_PTR)(uintptr_t)salt_bytes;
		p.ulSaltLen = 13;
		p.pInfo = (CK_BYTE_PTR)(uintptr_t)info_bytes;
		p.ulInfoLen = 300;
		hkdf_by_libcrypto(both, hashes[i].md, 40, 13, 300, 42);
		expect_hkdf(base, p, 42, 42);
		p.ulSaltType = CKF_HKDF_SALT_KEY;
		p.hSaltKey = salt;
		expect_hkdf(base, p, 42, 42);
		hkdf_by_libcrypto(both, hashes[i].md, 1, 13, 300, 42);
		expect_hkdf(short_base, p, 42, 42);
	}
}

static CK_OBJECT_HANDLE data_base(size_t n, bool private)
{
	CK_OBJECT_HANDLE h;
	struct templ t = { 0 };

	templ_ulong(&t, CKA_CLASS, CKO_DATA);
	templ_bytes(&t, CKA_VALUE, ikm, n);
	templ_bool(&t, CKA_PRIVATE, private);
	assert_ok(case_create(p11_session(), &t, &h));
	return h;
}

static CK_OBJECT_HANDLE certificate(const CK_BYTE *value, size_t n)
{
	CK_OBJECT_HANDLE h;
	struct templ t = { 0 };

	templ_ulong(&t, CKA_CLASS, CKO_CERTIFICATE);
	templ_ulong(&t, CKA_CERTIFICATE_TYPE, CKC_X_509);
	templ_text(&t, CKA_SUBJECT, "the subject");
	templ_bytes(&t, CKA_VALUE, value, n);
	assert_ok(case_create(p11_session(), &t, &h));
	return h;
}

/*
 * A data object is a base of HKDF, for TLS 1.3's zeros, if it is as long as the hash: of no other mechanism, and no other object
 * that is no key. A private one needs the login.
 */
static void test_B021_data_base(void **state)
{
	CK_OBJECT_HANDLE base = data_base(32, false), private = data_base(32, true), h;
	struct agreement ecdh = { .priv = base, .point = { 0x04 }, .point_n = 65 };
	CK_HKDF_PARAMS p = hkdf_params(CKM_SHA256);

	(void)state;
	hkdf_by_libcrypto(EVP_KDF_HKDF_MODE_EXTRACT_AND_EXPAND, "SHA256", 32, 0, 0, 42);
	expect_hkdf(base, p, 42, 42);
	expect_hkdf(private, p, 42, 42);
	assert_rv(hkdf(data_base(31, false), p, 42, &h), CKR_KEY_SIZE_RANGE);
	assert_rv(hkdf(data_base(33, false), p, 42, &h), CKR_KEY_SIZE_RANGE);
	assert_rv(hkdf(data_base(0, false), p, 42, &h), CKR_KEY_SIZE_RANGE);
	assert_rv(hkdf(certificate(ikm, 32), p, 42, &h), CKR_KEY_HANDLE_INVALID);
	assert_rv(derive_ecdh(&ecdh, CKD_NULL, NULL, 0, CKK_AES, 16, &h), CKR_KEY_HANDLE_INVALID);
	p.prfHashMechanism = CKM_SHA512;
	assert_rv(hkdf(base, p, 42, &h), CKR_KEY_SIZE_RANGE);
	p.prfHashMechanism = CKM_SHA256;
	assert_ok(p11->C_Logout(p11_session()));
	assert_rv(hkdf(private, p, 42, &h), CKR_KEY_HANDLE_INVALID);
}

/* Extraction gives a hash and no other length; expansion up to 255 of them; doing neither is no derivation. */
static void test_B021_lengths(void **state)
{
	CK_OBJECT_HANDLE base = hkdf_base(40), h;
	CK_HKDF_PARAMS p = hkdf_params(CKM_SHA256);

	(void)state;
	p.bExpand = CK_FALSE;
	hkdf_by_libcrypto(EVP_KDF_HKDF_MODE_EXTRACT_ONLY, "SHA256", 40, 0, 0, 32);
	expect_hkdf(base, p, 0, 32);
	expect_hkdf(base, p, 32, 32);
	assert_rv_of(hkdf(base, p, 31, &h), CKR_TEMPLATE_INCONSISTENT, CKR_ATTRIBUTE_VALUE_INVALID);
	assert_rv_of(hkdf(base, p, 33, &h), CKR_TEMPLATE_INCONSISTENT, CKR_ATTRIBUTE_VALUE_INVALID);
	p = hkdf_params(CKM_SHA256);
	p.bExtract = CK_FALSE;
	hkdf_by_libcrypto(EVP_KDF_HKDF_MODE_EXPAND_ONLY, "SHA256", 40, 0, 0, 255 * 32);
	expect_hkdf(base, p, 255 * 32, 255 * 32);
	expect_hkdf(base, p, 1, 1);
	assert_rv(hkdf(base, p, 255 * 32 + 1, &h), CKR_TEMPLATE_INCONSISTENT);
	assert_rv(hkdf(base, p, 0, &h), CKR_TEMPLATE_INCOMPLETE);
	p.bExpand = CK_FALSE;
	assert_rv(hkdf(base, p, 32, &h), CKR_MECHANISM_PARAM_INVALID);
}

static void test_B021_bad_parameters(void **state)
{
	CK_OBJECT_HANDLE base = hkdf_base(40), h;
	CK_HKDF_PARAMS p = hkdf_params(CKM_AES_CBC);

	(void)state;
	assert_rv(hkdf(base, p, 32, &h), CKR_MECHANISM_PARAM_INVALID);
	p = hkdf_params(CKM_SHA256);
	p.ulSaltType = 0x77;
	assert_rv(hkdf(base, p, 32, &h), CKR_MECHANISM_PARAM_INVALID);
	p.ulSaltType = CKF_HKDF_SALT_DATA;
	p.ulSaltLen = 5; /* of no pointer */
	assert_rv(hkdf(base, p, 32, &h), CKR_MECHANISM_PARAM_INVALID);
	p = hkdf_params(CKM_SHA256);
	p.ulInfoLen = 5;
	assert_rv(hkdf(base, p, 32, &h), CKR_MECHANISM_PARAM_INVALID);
	p = hkdf_params(CKM_SHA256);
	p.ulSaltType = CKF_HKDF_SALT_KEY;
	assert_rv(hkdf(base, p, 32, &h), CKR_MECHANISM_PARAM_INVALID);
}

/* Readable bytes come of a key that may be read, and of no other. */
static void test_B021_data(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE h,
		hidden = p11_secret(s, CKM_GENERIC_SECRET_KEY_GEN, 32, CKA_DERIVE, CKA_EXTRACTABLE);
	CK_HKDF_PARAMS p = hkdf_params(CKM_SHA256);
	CK_MECHANISM m = mechanism(CKM_HKDF_DATA, &p, sizeof(p));
	struct templ t = { 0 };

	(void)state;
	templ_ulong(&t, CKA_CLASS, CKO_DATA);
	templ_ulong(&t, CKA_VALUE_LEN, 50);
	assert_rv(p11->C_DeriveKey(s, &m, hidden, t.a, t.n, &h), CKR_TEMPLATE_INCONSISTENT);
	assert_ok(p11->C_DeriveKey(s, &m, hkdf_base(40), t.a, t.n, &h));
	hkdf_by_libcrypto(EVP_KDF_HKDF_MODE_EXTRACT_AND_EXPAND, "SHA256", 40, 0, 0, 50);
	assert_int_equal(p11_get_ulong(s, h, CKA_CLASS), CKO_DATA);
	assert_int_equal(value_of(h), 50);
	assert_memory_equal(got, want, 50);
}

/* ---- B022: PBKDF2 ---- */

static CK_BYTE password[] = "password", pb_salt[] = "salt of some length";

static CK_RV pbkdf2(CK_PKCS5_PBKD2_PARAMS2 p, CK_KEY_TYPE type, CK_ULONG len, CK_OBJECT_HANDLE *h)
{
	CK_MECHANISM m = mechanism(CKM_PKCS5_PBKD2, &p, sizeof(p));
	struct templ t;

	derived_template(&t, type, len);
	return p11->C_GenerateKey(p11_session(), &m, t.a, t.n, h);
}

static CK_PKCS5_PBKD2_PARAMS2 pb_params(CK_PKCS5_PBKD2_PSEUDO_RANDOM_FUNCTION_TYPE prf)
{
	return (CK_PKCS5_PBKD2_PARAMS2){
		CKZ_SALT_SPECIFIED, pb_salt, sizeof(pb_salt), 7, prf, NULL, 0, password, 8
	};
}

static void expect_pbkdf2(CK_PKCS5_PBKD2_PARAMS2 p, const EVP_MD *md, size_t password_n)
{
	CK_OBJECT_HANDLE h;

	assert_int_equal(PKCS5_PBKDF2_HMAC((char *)password, (int)password_n, p.pSaltSourceData,
					   (int)p.ulSaltSourceDataLen, (int)p.iterations, md, 77,
					   want),
			 1);
	assert_ok(pbkdf2(p, CKK_GENERIC_SECRET, 77, &h));
	assert_int_equal(value_of(h), 77);
	assert_memory_equal(got, want, 77);
}

/* Every PRF gives what libcrypto gives, also of an empty password and without salt. */
static void test_B022_prfs(void **state)
{
	const struct {
		CK_PKCS5_PBKD2_PSEUDO_RANDOM_FUNCTION_TYPE prf;
		const EVP_MD *md;
	} prfs[] = {
		{ CKP_PKCS5_PBKD2_HMAC_SHA1, EVP_sha1() },
		{ CKP_PKCS5_PBKD2_HMAC_SHA224, EVP_sha224() },
		{ CKP_PKCS5_PBKD2_HMAC_SHA256, EVP_sha256() },
		{ CKP_PKCS5_PBKD2_HMAC_SHA384, EVP_sha384() },
		{ CKP_PKCS5_PBKD2_HMAC_SHA512, EVP_sha512() },
		{ CKP_PKCS5_PBKD2_HMAC_SHA512_224, EVP_sha512_224() },
		{ CKP_PKCS5_PBKD2_HMAC_SHA512_256, EVP_sha512_256() },
	};
	CK_PKCS5_PBKD2_PARAMS2 p;

	(void)state;
	for (size_t i = 0; i < LENGTH(prfs); i++)
		expect_pbkdf2(pb_params(prfs[i].prf), prfs[i].md, 8);
	p = pb_params(CKP_PKCS5_PBKD2_HMAC_SHA256);
	p.pPassword = NULL;
	p.ulPasswordLen = 0;
	expect_pbkdf2(p, EVP_sha256(), 0);
	p = pb_params(CKP_PKCS5_PBKD2_HMAC_SHA256);
	p.pSaltSourceData = NULL;
	p.ulSaltSourceDataLen = 0;
	expect_pbkdf2(p, EVP_sha256(), 8);
}

/* The structure of 2.x has a pointer where that of 3.x has the length: both work, and nothing wild is followed. */
static void test_B022_both_structures(void **state)
{
	CK_ULONG len = 8;
	CK_PKCS5_PBKD2_PARAMS2 p = pb_params(CKP_PKCS5_PBKD2_HMAC_SHA256);
	CK_OBJECT_HANDLE h;
	void *nothing = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_true(nothing != MAP_FAILED);
	_Static_assert(sizeof(CK_PKCS5_PBKD2_PARAMS) == sizeof(CK_PKCS5_PBKD2_PARAMS2), "alike");
	p.ulPasswordLen = (CK_ULONG)(uintptr_t)&len;
	expect_pbkdf2(p, EVP_sha256(), 8);
	p.ulPasswordLen = (CK_ULONG)(uintptr_t)nothing;
	assert_rv(pbkdf2(p, CKK_GENERIC_SECRET, 32, &h), CKR_MECHANISM_PARAM_INVALID);
	p.ulPasswordLen = ~0UL;
	assert_rv(pbkdf2(p, CKK_GENERIC_SECRET, 32, &h), CKR_MECHANISM_PARAM_INVALID);
	len = ~0UL;
	p.ulPasswordLen = (CK_ULONG)(uintptr_t)&len;
	assert_rv(pbkdf2(p, CKK_GENERIC_SECRET, 32, &h), CKR_MECHANISM_PARAM_INVALID);
	assert_int_equal(munmap(nothing, 4096), 0);
}

static void test_B022_refusals(void **state)
{
	CK_PKCS5_PBKD2_PARAMS2 p = pb_params(CKP_PKCS5_PBKD2_HMAC_SHA256);
	CK_ULONG before = case_objects(p11_session());
	CK_OBJECT_HANDLE h;

	(void)state;
	p.iterations = 0;
	assert_rv(pbkdf2(p, CKK_AES, 32, &h), CKR_MECHANISM_PARAM_INVALID);
	p.iterations = 1000000000; /* would hold the session for minutes */
	assert_rv(pbkdf2(p, CKK_AES, 32, &h), CKR_MECHANISM_PARAM_INVALID);
	p = pb_params(CKP_PKCS5_PBKD2_HMAC_SHA256);
	p.pPrfData = password;
	p.ulPrfDataLen = 8;
	assert_rv(pbkdf2(p, CKK_AES, 32, &h), CKR_MECHANISM_PARAM_INVALID);
	p = pb_params(CKP_PKCS5_PBKD2_HMAC_SHA256);
	p.pPassword = NULL;
	assert_rv(pbkdf2(p, CKK_AES, 32, &h), CKR_MECHANISM_PARAM_INVALID);
	p = pb_params(CKP_PKCS5_PBKD2_HMAC_SHA256);
	p.pSaltSourceData = NULL;
	assert_rv(pbkdf2(p, CKK_AES, 32, &h), CKR_MECHANISM_PARAM_INVALID);
	assert_rv(pbkdf2(pb_params(0x7777), CKK_AES, 32, &h), CKR_MECHANISM_PARAM_INVALID);
	p = pb_params(CKP_PKCS5_PBKD2_HMAC_SHA256);
	assert_rv(pbkdf2(p, CKK_AES, 0, &h), CKR_TEMPLATE_INCOMPLETE);
	assert_int_equal(case_objects(p11_session()), before);
	assert_ok(pbkdf2(p, CKK_AES, 32, &h));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, p11_setup_token, p11_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_B020_leading_zeros),
		TEST(test_B020_kdfs),
		TEST(test_B021_salts),
		TEST(test_B021_data_base),
		TEST(test_B021_lengths),
		TEST(test_B021_bad_parameters),
		TEST(test_B021_data),
		TEST(test_B022_prfs),
		TEST(test_B022_both_structures),
		TEST(test_B022_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
