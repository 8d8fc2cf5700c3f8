/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of RSA mechanisms (docs/CASES.md): B015 PSS, B016 OAEP, B028 exponents. libcrypto is the second opinion. */
#include "case.h"

#include <openssl/core_names.h>
#include <openssl/rsa.h>
#include <stdio.h>

static const struct hash {
	const char *name;
	CK_MECHANISM_TYPE digest, pss;
	CK_RSA_PKCS_MGF_TYPE mgf;
	CK_ULONG n;
} hashes[] = {
	{ "SHA1", CKM_SHA_1, CKM_SHA1_RSA_PKCS_PSS, CKG_MGF1_SHA1, 20 },
	{ "SHA224", CKM_SHA224, CKM_SHA224_RSA_PKCS_PSS, CKG_MGF1_SHA224, 28 },
	{ "SHA256", CKM_SHA256, CKM_SHA256_RSA_PKCS_PSS, CKG_MGF1_SHA256, 32 },
	{ "SHA384", CKM_SHA384, CKM_SHA384_RSA_PKCS_PSS, CKG_MGF1_SHA384, 48 },
	{ "SHA512", CKM_SHA512, CKM_SHA512_RSA_PKCS_PSS, CKG_MGF1_SHA512, 64 },
	{ "SHA3-256", CKM_SHA3_256, CKM_SHA3_256_RSA_PKCS_PSS, CKG_MGF1_SHA3_256, 32 },
};

static CK_BYTE data[64] = "what is signed or encrypted", out[512];

/* ---- B015: PSS ---- */

/* libcrypto verifies the signature with exactly this salt length. */
static void verify_pss(EVP_PKEY *k, const struct hash *h, const struct hash *mgf, int salt,
		       const CK_BYTE *digest, CK_ULONG n)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(k, NULL);

	assert_int_equal(EVP_PKEY_verify_init(ctx), 1);
	assert_int_equal(EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PSS_PADDING), 1);
	assert_int_equal(EVP_PKEY_CTX_set_signature_md(ctx, EVP_get_digestbyname(h->name)), 1);
	assert_int_equal(EVP_PKEY_CTX_set_rsa_mgf1_md(ctx, EVP_get_digestbyname(mgf->name)), 1);
	assert_int_equal(EVP_PKEY_CTX_set_rsa_pss_saltlen(ctx, salt), 1);
	assert_int_equal(EVP_PKEY_verify(ctx, out, n, digest, h->n), 1);
	EVP_PKEY_CTX_free(ctx);
}

/* Signs by the hashed variant and by the generic one; both say the same of a salt length, at Init. */
static void pss_salt(struct pair k, EVP_PKEY *pub, const struct hash *h, const struct hash *mgf,
		     CK_ULONG salt, CK_RV want)
{
	CK_RSA_PKCS_PSS_PARAMS p = { h->digest, mgf->mgf, salt };
	CK_MECHANISM hashed = mechanism(h->pss, &p, sizeof(p)),
		     generic = mechanism(CKM_RSA_PKCS_PSS, &p, sizeof(p));
	CK_SESSION_HANDLE s = p11_session();
	CK_BYTE digest[64];
	CK_ULONG n = sizeof(out);

	assert_int_equal(EVP_Q_digest(NULL, h->name, NULL, data, sizeof(data), digest, NULL), 1);
	assert_rv(p11->C_SignInit(s, &hashed, k.priv), want);
	if (want == CKR_OK) {
		assert_ok(p11->C_Sign(s, data, sizeof(data), out, &n));
		verify_pss(pub, h, mgf, (int)salt, digest, n);
	}
	assert_rv(p11->C_SignInit(s, &generic, k.priv), want);
	if (want == CKR_OK) {
		n = sizeof(out);
		assert_ok(p11->C_Sign(s, digest, h->n, out, &n));
		verify_pss(pub, h, mgf, (int)salt, digest, n);
		assert_ok(p11->C_VerifyInit(s, &generic, k.pub));
		assert_ok(p11->C_Verify(s, digest, h->n, out, n));
	}
	assert_rv(p11->C_VerifyInit(s, &generic, k.pub), want);
	if (want == CKR_OK)
		assert_ok(p11->C_VerifyInit(s, NULL, 0));
}

/* Every salt length from none to what fits is taken, with every hash and with two unlike ones; one more is refused at Init. */
static void test_B015_pss_salts(void **state)
{
	CK_SESSION_HANDLE s = p11_session();

	(void)state;
	for (CK_ULONG bits = 1024; bits <= 2048; bits *= 2) {
		struct pair k = p11_rsa(s, bits, NULL, NULL);
		EVP_PKEY *pub = case_public(s, k.pub);

		for (size_t i = 0; i < LENGTH(hashes); i++) {
			const struct hash *h = &hashes[i], *mgf = &hashes[(i + 1) % LENGTH(hashes)];
			CK_ULONG most = bits / 8 - 2 - h->n;

			pss_salt(k, pub, h, h, 0, CKR_OK);
			pss_salt(k, pub, h, h, 20, CKR_OK);
			pss_salt(k, pub, h, mgf, most, CKR_OK);
			pss_salt(k, pub, h, mgf, most + 1, CKR_MECHANISM_PARAM_INVALID);
			pss_salt(k, pub, h, h, most + 2, CKR_MECHANISM_PARAM_INVALID);
			pss_salt(k, pub, h, h, ~0UL, CKR_MECHANISM_PARAM_INVALID);
		}
		EVP_PKEY_free(pub);
	}
}

/* Parameters that contradict the mechanism or are cut short fail at Init; a digest of another length at Sign. */
static void test_B015_pss_parameters(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	struct pair k = p11_rsa(s, 1024, NULL, NULL);
	CK_RSA_PKCS_PSS_PARAMS p = { CKM_SHA256, CKG_MGF1_SHA256, 32 };
	CK_MECHANISM m = mechanism(CKM_SHA384_RSA_PKCS_PSS, &p, sizeof(p));
	CK_ULONG n;

	(void)state;
	assert_rv(p11->C_SignInit(s, &m, k.priv), CKR_MECHANISM_PARAM_INVALID);
	m = mechanism(CKM_SHA256_RSA_PKCS_PSS, &p, sizeof(p) - 1);
	assert_rv(p11->C_SignInit(s, &m, k.priv), CKR_MECHANISM_PARAM_INVALID);
	m = mechanism(CKM_SHA256_RSA_PKCS_PSS, NULL, 0);
	assert_rv(p11->C_SignInit(s, &m, k.priv), CKR_MECHANISM_PARAM_INVALID);
	for (CK_ULONG len = 31; len <= 33; len += 2) {
		n = sizeof(out);
		m = mechanism(CKM_RSA_PKCS_PSS, &p, sizeof(p));
		assert_ok(p11->C_SignInit(s, &m, k.priv));
		assert_rv(p11->C_Sign(s, data, len, out, &n), CKR_DATA_LEN_RANGE);
	}
	p.hashAlg = CKM_RSA_PKCS;
	assert_rv(p11->C_SignInit(s, &m, k.priv), CKR_MECHANISM_PARAM_INVALID);
	p.hashAlg = CKM_SHA256;
	p.mgf = 0;
	assert_rv(p11->C_SignInit(s, &m, k.priv), CKR_MECHANISM_PARAM_INVALID);
}

static void put_number(struct templ *t, CK_ATTRIBUTE_TYPE type, EVP_PKEY *k, const char *name,
		       CK_BYTE *room)
{
	BIGNUM *v = NULL;

	assert_int_equal(EVP_PKEY_get_bn_param(k, name, &v), 1);
	templ_bytes(t, type, room, (size_t)BN_bn2bin(v, room));
	BN_clear_free(v);
}

static EVP_PKEY *rsa_1025(void)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
	EVP_PKEY *k = NULL;

	assert_int_equal(EVP_PKEY_keygen_init(ctx), 1);
	assert_int_equal(EVP_PKEY_CTX_set_rsa_keygen_bits(ctx, 1025), 1);
	assert_int_equal(EVP_PKEY_generate(ctx, &k), 1);
	EVP_PKEY_CTX_free(ctx);
	assert_int_equal(EVP_PKEY_get_bits(k), 1025);
	return k;
}

/* A modulus of 8n + 1 bits leaves a byte less: the encoded message has one bit less than the modulus. */
static void test_B015_pss_of_odd_modulus(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	EVP_PKEY *k = rsa_1025();
	CK_BYTE n[200], e[8], d[200];
	struct templ pub = { 0 }, priv = { 0 };
	struct pair pair;

	(void)state;
	templ_ulong(&pub, CKA_CLASS, CKO_PUBLIC_KEY);
	templ_ulong(&priv, CKA_CLASS, CKO_PRIVATE_KEY);
	templ_ulong(&pub, CKA_KEY_TYPE, CKK_RSA);
	templ_ulong(&priv, CKA_KEY_TYPE, CKK_RSA);
	put_number(&pub, CKA_MODULUS, k, OSSL_PKEY_PARAM_RSA_N, n);
	put_number(&priv, CKA_MODULUS, k, OSSL_PKEY_PARAM_RSA_N, n);
	put_number(&pub, CKA_PUBLIC_EXPONENT, k, OSSL_PKEY_PARAM_RSA_E, e);
	put_number(&priv, CKA_PUBLIC_EXPONENT, k, OSSL_PKEY_PARAM_RSA_E, e);
	put_number(&priv, CKA_PRIVATE_EXPONENT, k, OSSL_PKEY_PARAM_RSA_D, d);
	templ_flags(&pub, CKA_VERIFY);
	templ_flags(&priv, CKA_SIGN);
	assert_ok(case_create(s, &pub, &pair.pub));
	assert_ok(case_create(s, &priv, &pair.priv));
	pss_salt(pair, k, &hashes[2], &hashes[2], 128 - 2 - 32, CKR_OK);
	pss_salt(pair, k, &hashes[2], &hashes[2], 128 - 1 - 32, CKR_MECHANISM_PARAM_INVALID);
	EVP_PKEY_free(k);
}

/* ---- B016: OAEP ---- */

struct oaep {
	CK_OBJECT_HANDLE pub, priv, secret;
	EVP_PKEY *other; /* the public key in libcrypto */
	CK_RSA_PKCS_OAEP_PARAMS p;
	CK_MECHANISM m;
};

static void oaep_make(struct oaep *o)
{
	CK_SESSION_HANDLE s = p11_session();
	struct templ pub = { 0 }, priv = { 0 };
	struct pair k;

	/* all four uses of one pair: that is what compat is for */
	templ_flags(&pub, CKA_ENCRYPT, CKA_WRAP);
	templ_flags(&priv, CKA_DECRYPT, CKA_UNWRAP);
	k = p11_rsa(s, 2048, &pub, &priv);
	*o = (struct oaep){ .pub = k.pub, .priv = k.priv, .other = case_public(s, k.pub) };
	o->secret = case_secret(s, CKK_GENERIC_SECRET, data, 24, CKA_SIGN);
	o->m = mechanism(CKM_RSA_PKCS_OAEP, &o->p, sizeof(o->p));
}

static int setup_compat(void **state)
{
	return p11_setup_configured(state, "[token]\ncompat = on\n");
}

/* Encrypted by libcrypto, for the module to decrypt. */
static size_t libcrypto_encrypts(const struct oaep *o, const struct hash *h, const struct hash *mgf)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(o->other, NULL);
	size_t n = sizeof(out);
	void *label = NULL;

	assert_int_equal(EVP_PKEY_encrypt_init(ctx), 1);
	assert_int_equal(EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_OAEP_PADDING), 1);
	assert_int_equal(EVP_PKEY_CTX_set_rsa_oaep_md(ctx, EVP_get_digestbyname(h->name)), 1);
	assert_int_equal(EVP_PKEY_CTX_set_rsa_mgf1_md(ctx, EVP_get_digestbyname(mgf->name)), 1);
	if (o->p.ulSourceDataLen != 0) {
		label = OPENSSL_memdup(o->p.pSourceData, o->p.ulSourceDataLen);
		assert_int_equal(
			EVP_PKEY_CTX_set0_rsa_oaep_label(ctx, label, (int)o->p.ulSourceDataLen), 1);
	}
	assert_int_equal(EVP_PKEY_encrypt(ctx, out, &n, data, 24), 1);
	EVP_PKEY_CTX_free(ctx);
	return n;
}

static void expect_decrypted(struct oaep *o, CK_ULONG n)
{
	CK_BYTE plain[256];
	CK_ULONG plain_n = sizeof(plain);

	assert_ok(p11->C_DecryptInit(p11_session(), &o->m, o->priv));
	assert_ok(p11->C_Decrypt(p11_session(), out, n, plain, &plain_n));
	assert_int_equal(plain_n, 24);
	assert_memory_equal(plain, data, 24);
}

static void expect_unwrapped(struct oaep *o, CK_ULONG n)
{
	CK_BYTE value[64];
	struct templ t;
	CK_OBJECT_HANDLE h;

	case_open_secret(&t, CKK_GENERIC_SECRET, NULL, 0);
	assert_ok(p11->C_UnwrapKey(p11_session(), &o->m, o->priv, out, n, t.a, t.n, &h));
	assert_int_equal(p11_get_bytes(p11_session(), h, CKA_VALUE, value, sizeof(value)), 24);
	assert_memory_equal(value, data, 24);
	assert_ok(p11->C_DestroyObject(p11_session(), h));
}

/* What each of encrypt and wrap gives, and what libcrypto gives, both decrypt and unwrap take. */
static void all_four(struct oaep *o, const struct hash *h, const struct hash *mgf)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_ULONG n = sizeof(out);

	o->p.hashAlg = h->digest;
	o->p.mgf = mgf->mgf;
	assert_ok(p11->C_EncryptInit(s, &o->m, o->pub));
	assert_ok(p11->C_Encrypt(s, data, 24, out, &n));
	expect_decrypted(o, n);
	expect_unwrapped(o, n);
	n = sizeof(out);
	assert_ok(p11->C_WrapKey(s, &o->m, o->pub, o->secret, out, &n));
	expect_decrypted(o, n);
	expect_unwrapped(o, n);
	expect_decrypted(o, libcrypto_encrypts(o, h, mgf));
}

static CK_BYTE label[] = "lab";

/* Any two hashes, with a label and without, with the source named or (no label) left zero, in all four functions. */
static void test_B016_oaep_hashes_and_labels(void **state)
{
	struct oaep o;

	(void)state;
	oaep_make(&o);
	for (size_t i = 0; i < LENGTH(hashes); i++)
		for (size_t j = 0; j < LENGTH(hashes); j++) {
			o.p.source = i % 2 ? CKZ_DATA_SPECIFIED : 0;
			o.p.pSourceData = NULL;
			o.p.ulSourceDataLen = 0;
			all_four(&o, &hashes[i], &hashes[j]);
			o.p.source = CKZ_DATA_SPECIFIED;
			o.p.pSourceData = label;
			o.p.ulSourceDataLen = 3;
			all_four(&o, &hashes[i], &hashes[j]);
		}
	EVP_PKEY_free(o.other);
}

static void refuse_oaep(struct oaep *o)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE h;
	CK_ULONG n = sizeof(out);
	struct templ t;

	case_open_secret(&t, CKK_GENERIC_SECRET, NULL, 0);
	assert_rv(p11->C_EncryptInit(s, &o->m, o->pub), CKR_MECHANISM_PARAM_INVALID);
	assert_rv(p11->C_DecryptInit(s, &o->m, o->priv), CKR_MECHANISM_PARAM_INVALID);
	assert_rv(p11->C_WrapKey(s, &o->m, o->pub, o->secret, out, &n),
		  CKR_MECHANISM_PARAM_INVALID);
	assert_rv(p11->C_UnwrapKey(s, &o->m, o->priv, out, 256, t.a, t.n, &h),
		  CKR_MECHANISM_PARAM_INVALID);
}

/* A label without bytes, a source that does not exist, and a zero source with a label are refused by all four alike. */
static void test_B016_oaep_bad_parameters(void **state)
{
	static const CK_RSA_PKCS_OAEP_PARAMS bad[] = {
		{ CKM_SHA256, CKG_MGF1_SHA256, CKZ_DATA_SPECIFIED, NULL, 3 },
		{ CKM_SHA256, CKG_MGF1_SHA256, 0, label, 3 },
		{ CKM_SHA256, CKG_MGF1_SHA256, 2, NULL, 0 },
		{ CKM_RSA_PKCS, CKG_MGF1_SHA256, CKZ_DATA_SPECIFIED, NULL, 0 },
		{ CKM_SHA256, 0, CKZ_DATA_SPECIFIED, NULL, 0 },
	};
	struct oaep o;

	(void)state;
	oaep_make(&o);
	for (size_t i = 0; i < LENGTH(bad); i++) {
		o.p = bad[i];
		refuse_oaep(&o);
	}
	o.p = (CK_RSA_PKCS_OAEP_PARAMS){ CKM_SHA256, CKG_MGF1_SHA256, CKZ_DATA_SPECIFIED, NULL, 0 };
	o.m.ulParameterLen--;
	refuse_oaep(&o);
	EVP_PKEY_free(o.other);
}

/* The longest message is k - 2h - 2; every other kind of failure in decrypting is one error. */
static void test_B016_oaep_limits_and_mismatch(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_ULONG most = 256 - 2 * 32 - 2, n = sizeof(out), plain_n;
	CK_BYTE plain[256] = { 0 };
	CK_OBJECT_HANDLE h;
	struct templ t;
	struct oaep o;

	(void)state;
	oaep_make(&o);
	o.p = (CK_RSA_PKCS_OAEP_PARAMS){ CKM_SHA256, CKG_MGF1_SHA256, CKZ_DATA_SPECIFIED, label,
					 3 };
	assert_ok(p11->C_EncryptInit(s, &o.m, o.pub));
	assert_rv(p11->C_Encrypt(s, plain, most + 1, out, &n), CKR_DATA_LEN_RANGE);
	assert_ok(p11->C_EncryptInit(s, &o.m, o.pub));
	n = sizeof(out);
	assert_ok(p11->C_Encrypt(s, plain, most, out, &n));
	case_open_secret(&t, CKK_GENERIC_SECRET, NULL, 0);
	for (int kind = 0; kind < 3; kind++) {
		CK_BYTE other[] = "bal";

		out[100] ^= kind == 2;
		o.p.pSourceData = kind == 0 ? other : label;
		o.p.mgf = kind == 1 ? CKG_MGF1_SHA1 : CKG_MGF1_SHA256;
		plain_n = sizeof(plain);
		assert_ok(p11->C_DecryptInit(s, &o.m, o.priv));
		assert_rv(p11->C_Decrypt(s, out, n, plain, &plain_n), CKR_ENCRYPTED_DATA_INVALID);
		assert_rv(p11->C_UnwrapKey(s, &o.m, o.priv, out, n, t.a, t.n, &h),
			  CKR_WRAPPED_KEY_INVALID);
	}
	EVP_PKEY_free(o.other);
}

/* ---- B028: exponents ---- */

static CK_RV generate_rsa(CK_ULONG bits, const void *e, size_t n, bool token, struct pair *k)
{
	CK_MECHANISM m = mechanism(CKM_RSA_PKCS_KEY_PAIR_GEN, NULL, 0);
	struct templ pub = { 0 }, priv = { 0 };

	*k = (struct pair){ CK_INVALID_HANDLE, CK_INVALID_HANDLE };
	templ_ulong(&pub, CKA_MODULUS_BITS, bits);
	if (e != NULL)
		templ_bytes(&pub, CKA_PUBLIC_EXPONENT, e, n);
	templ_bool(&pub, CKA_TOKEN, token);
	templ_bool(&priv, CKA_TOKEN, token);
	templ_flags(&pub, CKA_VERIFY);
	templ_flags(&priv, CKA_SIGN);
	return p11->C_GenerateKeyPair(p11_session(), &m, pub.a, pub.n, priv.a, priv.n, &k->pub,
				      &k->priv);
}

static const struct {
	const char *given, *kept; /* kept NULL: refused */
	size_t given_n, kept_n;
} exponents[] = {
	{ NULL, "\x01\x00\x01", 0, 3 },
	{ "\x01\x00\x01", "\x01\x00\x01", 3, 3 },
	{ "\x00\x01\x00\x01", "\x01\x00\x01", 4, 3 },
	{ "\x01\x00\x00\x00\x01", "\x01\x00\x00\x00\x01", 5, 5 },
	{ "\x03", "\x03", 1, 1 },
	{ "\x11", "\x11", 1, 1 },
	{ "\x00", NULL, 1, 0 },
	{ "\x01", NULL, 1, 0 },
	{ "\x04", NULL, 1, 0 },
	{ "\x01\x00\x00", NULL, 3, 0 },
	{ "", NULL, 0, 0 },
	{ "\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01", NULL, 33, 0 },
};

static void expect_exponent(CK_OBJECT_HANDLE h, const char *want, size_t n)
{
	CK_BYTE e[16];

	assert_int_equal(p11_get_bytes(p11_session(), h, CKA_PUBLIC_EXPONENT, e, sizeof(e)), n);
	assert_memory_equal(e, want, n);
}

/* What is asked for is on both halves, without leading zeros; none at all is 65537; what is no exponent makes no object. */
static void test_B028_exponents(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(exponents); i++) {
		CK_ULONG before = case_objects(p11_session());
		struct pair k;

		assert_rv(generate_rsa(1024, exponents[i].given, exponents[i].given_n, false, &k),
			  exponents[i].kept != NULL ? CKR_OK : CKR_ATTRIBUTE_VALUE_INVALID);
		if (exponents[i].kept != NULL) {
			expect_exponent(k.pub, exponents[i].kept, exponents[i].kept_n);
			expect_exponent(k.priv, exponents[i].kept, exponents[i].kept_n);
		} else {
			assert_int_equal(case_objects(p11_session()), before);
		}
	}
}

/* A size is made exactly or refused. */
static void test_B028_sizes(void **state)
{
	static const CK_ULONG bad[] = { 0, 1000, 1023, 2047, 2049, 16385, ~0UL };
	struct pair k;

	(void)state;
	for (size_t i = 0; i < LENGTH(bad); i++)
		assert_rv(generate_rsa(bad[i], NULL, 0, false, &k), CKR_KEY_SIZE_RANGE);
	assert_ok(generate_rsa(1026, NULL, 0, false, &k));
	assert_int_equal(p11_get_ulong(p11_session(), k.pub, CKA_MODULUS_BITS), 1026);
}

/* A key made without an exponent is a whole key after the token is opened again. */
static void test_B028_survives_restart(void **state)
{
	CK_MECHANISM m = mechanism(CKM_SHA256_RSA_PKCS, NULL, 0);
	CK_ULONG n = sizeof(out), found = 0;
	CK_OBJECT_HANDLE priv;
	CK_SESSION_HANDLE s;
	struct templ t = { 0 };
	struct pair k;

	(void)state;
	assert_ok(generate_rsa(1024, NULL, 0, true, &k));
	s = case_restart();
	p11_login(s, CKU_USER);
	templ_ulong(&t, CKA_CLASS, CKO_PRIVATE_KEY);
	assert_ok(p11->C_FindObjectsInit(s, t.a, t.n));
	assert_ok(p11->C_FindObjects(s, &priv, 1, &found));
	assert_ok(p11->C_FindObjectsFinal(s));
	assert_int_equal(found, 1);
	assert_ok(p11->C_SignInit(s, &m, priv));
	assert_ok(p11->C_Sign(s, data, sizeof(data), out, &n));
}

/* A private key needs its public exponent (2.40 on); with it, modulus and private exponent are enough. */
static void test_B028_import(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	EVP_PKEY *k = EVP_RSA_gen(1024);
	CK_BYTE n[128], e[8], d[128];
	struct templ t = { 0 };
	CK_OBJECT_HANDLE h;

	(void)state;
	templ_ulong(&t, CKA_CLASS, CKO_PRIVATE_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, CKK_RSA);
	put_number(&t, CKA_MODULUS, k, OSSL_PKEY_PARAM_RSA_N, n);
	put_number(&t, CKA_PRIVATE_EXPONENT, k, OSSL_PKEY_PARAM_RSA_D, d);
	assert_rv(case_create(s, &t, &h), CKR_TEMPLATE_INCOMPLETE);
	put_number(&t, CKA_PUBLIC_EXPONENT, k, OSSL_PKEY_PARAM_RSA_E, e);
	assert_ok(case_create(s, &t, &h));
	expect_exponent(h, "\x01\x00\x01", 3);
	EVP_PKEY_free(k);
}

int main(void)
{
#define TEST(f)   cmocka_unit_test_setup_teardown(f, p11_setup_token, p11_teardown)
#define COMPAT(f) cmocka_unit_test_setup_teardown(f, setup_compat, p11_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_B015_pss_salts),
		TEST(test_B015_pss_parameters),
		TEST(test_B015_pss_of_odd_modulus),
		COMPAT(test_B016_oaep_hashes_and_labels),
		COMPAT(test_B016_oaep_bad_parameters),
		COMPAT(test_B016_oaep_limits_and_mismatch),
		TEST(test_B028_exponents),
		TEST(test_B028_sizes),
		TEST(test_B028_survives_restart),
		TEST(test_B028_import),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
