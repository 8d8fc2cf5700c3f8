/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of signature parameters (docs/CASES.md): B024 EdDSA, B025 ML-DSA. libcrypto is the second opinion. */
#include "case.h"

#include <openssl/core_names.h>

static CK_BYTE data[] = "what is signed", context[256] = "context", sig[8192], other_sig[8192];

static CK_RV sign(CK_MECHANISM m, CK_OBJECT_HANDLE key, CK_BYTE *out, CK_ULONG *n)
{
	CK_RV rv = p11->C_SignInit(p11_session(), &m, key);

	*n = sizeof(sig);
	return rv != CKR_OK ? rv : p11->C_Sign(p11_session(), data, sizeof(data), out, n);
}

static CK_RV verify(CK_MECHANISM m, CK_OBJECT_HANDLE key, CK_ULONG n)
{
	CK_RV rv = p11->C_VerifyInit(p11_session(), &m, key);

	return rv != CKR_OK ? rv : p11->C_Verify(p11_session(), data, sizeof(data), sig, n);
}

/* In two parts. */
static CK_RV sign_parts(CK_MECHANISM m, CK_OBJECT_HANDLE key, CK_BYTE *out, CK_ULONG *n)
{
	CK_SESSION_HANDLE s = p11_session();

	*n = sizeof(sig);
	assert_ok(p11->C_SignInit(s, &m, key));
	assert_ok(p11->C_SignUpdate(s, data, 5));
	assert_ok(p11->C_SignUpdate(s, data + 5, sizeof(data) - 5));
	return p11->C_SignFinal(s, out, n);
}

/* libcrypto's view of sig: instance NULL for the plain algorithm. */
static bool libcrypto_verifies(EVP_PKEY *k, const char *instance, const CK_BYTE *ctx_p,
			       size_t ctx_n, CK_ULONG n)
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	OSSL_PARAM p[3], *at = p;
	int right;

	if (instance != NULL)
		*at++ = OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_INSTANCE,
							 (char *)(uintptr_t)instance, 0);
	if (ctx_n != 0)
		*at++ = OSSL_PARAM_construct_octet_string(OSSL_SIGNATURE_PARAM_CONTEXT_STRING,
							  (void *)(uintptr_t)ctx_p, ctx_n);
	*at = OSSL_PARAM_construct_end();
	assert_int_equal(EVP_DigestVerifyInit_ex(ctx, NULL, NULL, NULL, NULL, k, p), 1);
	right = EVP_DigestVerify(ctx, sig, n, data, sizeof(data));
	EVP_MD_CTX_free(ctx);
	return right == 1;
}

/* ---- B024: EdDSA ---- */

static const CK_BYTE oid_ed448[] = { 0x06, 0x03, 0x2b, 0x65, 0x71 };

static struct pair ed448(void)
{
	CK_MECHANISM m = mechanism(CKM_EC_EDWARDS_KEY_PAIR_GEN, NULL, 0);
	struct templ pub = { 0 }, priv = { 0 };
	struct pair k;

	templ_bytes(&pub, CKA_EC_PARAMS, oid_ed448, sizeof(oid_ed448));
	templ_flags(&pub, CKA_VERIFY);
	templ_flags(&priv, CKA_SIGN);
	assert_ok(p11->C_GenerateKeyPair(p11_session(), &m, pub.a, pub.n, priv.a, priv.n, &k.pub,
					 &k.priv));
	return k;
}

/* The schemes that there are; what they have no row for is refused. ph -1: no parameter. */
static const struct scheme {
	bool ed448;
	int ph;
	CK_ULONG context_n;
	const char *instance;
} schemes[] = {
	{ false, -1, 0, "Ed25519" },
	{ false, CK_FALSE, 1, "Ed25519ctx" },
	{ false, CK_FALSE, 255, "Ed25519ctx" },
	{ false, CK_TRUE, 0, "Ed25519ph" },
	{ false, CK_TRUE, 7, "Ed25519ph" },
	{ true, -1, 0, "Ed448" },
	{ true, CK_FALSE, 0, "Ed448" },
	{ true, CK_FALSE, 255, "Ed448" },
	{ true, CK_TRUE, 0, "Ed448ph" },
	{ true, CK_TRUE, 9, "Ed448ph" },
};

static CK_MECHANISM eddsa(const struct scheme *c, CK_EDDSA_PARAMS *p)
{
	if (c->ph < 0)
		return mechanism(CKM_EDDSA, NULL, 0);
	*p = (CK_EDDSA_PARAMS){ (CK_BBOOL)c->ph, c->context_n, c->context_n != 0 ? context : NULL };
	return mechanism(CKM_EDDSA, p, sizeof(*p));
}

static bool same_scheme(const struct scheme *a, const struct scheme *b)
{
	return strcmp(a->instance, b->instance) == 0 && a->context_n == b->context_n;
}

static void one_scheme(const struct scheme *c, struct pair k, EVP_PKEY *pub)
{
	CK_EDDSA_PARAMS p, q;
	CK_ULONG n, m;

	assert_ok(sign(eddsa(c, &p), k.priv, sig, &n));
	assert_true(libcrypto_verifies(pub, c->instance, context, c->context_n, n));
	assert_ok(sign_parts(eddsa(c, &p), k.priv, other_sig, &m));
	assert_int_equal(n, m);
	assert_memory_equal(sig, other_sig, n); /* there is one signature of a message */
	for (size_t i = 0; i < LENGTH(schemes); i++)
		if (schemes[i].ed448 == c->ed448)
			assert_rv(verify(eddsa(&schemes[i], &q), k.pub, n),
				  same_scheme(c, &schemes[i]) ? CKR_OK : CKR_SIGNATURE_INVALID);
}

/* Each scheme is made as asked for, and taken for no other. */
static void test_B024_schemes(void **state)
{
	struct pair small = p11_ed25519(p11_session(), NULL, NULL), big = ed448();
	EVP_PKEY *small_pub = case_public(p11_session(), small.pub),
		 *big_pub = case_public(p11_session(), big.pub);

	(void)state;
	for (size_t i = 0; i < LENGTH(schemes); i++)
		one_scheme(&schemes[i], schemes[i].ed448 ? big : small,
			   schemes[i].ed448 ? big_pub : small_pub);
	EVP_PKEY_free(small_pub);
	EVP_PKEY_free(big_pub);
}

/* A parameter that cannot be followed is refused at Init, never ignored. */
static void test_B024_bad_parameters(void **state)
{
	struct pair small = p11_ed25519(p11_session(), NULL, NULL), big = ed448();
	const CK_EDDSA_PARAMS bad[] = { { CK_FALSE, 256, context },
					{ CK_TRUE, 256, context },
					{ CK_FALSE, 5, NULL },
					{ 2, 0, NULL } };
	CK_EDDSA_PARAMS p = { CK_FALSE, 0, NULL };
	CK_ULONG n;

	(void)state;
	for (size_t i = 0; i < LENGTH(bad); i++) {
		p = bad[i];
		assert_rv(sign(mechanism(CKM_EDDSA, &p, sizeof(p)), small.priv, sig, &n),
			  CKR_MECHANISM_PARAM_INVALID);
		assert_rv(sign(mechanism(CKM_EDDSA, &p, sizeof(p)), big.priv, sig, &n),
			  CKR_MECHANISM_PARAM_INVALID);
		assert_rv(verify(mechanism(CKM_EDDSA, &p, sizeof(p)), big.pub, 114),
			  CKR_MECHANISM_PARAM_INVALID);
	}
	p = (CK_EDDSA_PARAMS){ CK_FALSE, 0, NULL };
	assert_rv(sign(mechanism(CKM_EDDSA, &p, 1), small.priv, sig, &n),
		  CKR_MECHANISM_PARAM_INVALID);
	assert_rv_of(sign(mechanism(CKM_EDDSA, NULL, sizeof(p)), small.priv, sig, &n),
		     CKR_MECHANISM_PARAM_INVALID, CKR_ARGUMENTS_BAD);
	/* Ed25519ctx with an empty context is not plain Ed25519, and libcrypto does not make it */
	assert_rv(sign(mechanism(CKM_EDDSA, &p, sizeof(p)), small.priv, sig, &n),
		  CKR_MECHANISM_PARAM_INVALID);
}

/* ---- B025: ML-DSA ---- */

static CK_MECHANISM mldsa(CK_SIGN_ADDITIONAL_CONTEXT *p, CK_HEDGE_TYPE hedge, CK_ULONG context_n)
{
	*p = (CK_SIGN_ADDITIONAL_CONTEXT){ hedge, context_n != 0 ? context : NULL, context_n };
	return mechanism(CKM_ML_DSA, p, sizeof(*p));
}

static const CK_ULONG sets[] = { CKP_ML_DSA_44, CKP_ML_DSA_65, CKP_ML_DSA_87 };

/* Two signatures are the same exactly when they must be deterministic; all verify, in libcrypto, too. */
static void hedges(struct pair k, EVP_PKEY *pub, CK_HEDGE_TYPE hedge, CK_ULONG context_n)
{
	CK_SIGN_ADDITIONAL_CONTEXT p;
	CK_ULONG n, m;

	assert_ok(sign(mldsa(&p, hedge, context_n), k.priv, sig, &n));
	assert_ok(sign_parts(mldsa(&p, hedge, context_n), k.priv, other_sig, &m));
	assert_int_equal(n, m);
	assert_int_equal(memcmp(sig, other_sig, n) == 0, hedge == CKH_DETERMINISTIC_REQUIRED);
	assert_true(libcrypto_verifies(pub, NULL, context, context_n, n));
	/* how it was hedged does not matter to who verifies, the context does */
	assert_ok(verify(mldsa(&p, CKH_HEDGE_REQUIRED, context_n), k.pub, n));
	assert_ok(verify(mldsa(&p, CKH_DETERMINISTIC_REQUIRED, context_n), k.pub, n));
	assert_rv(verify(mldsa(&p, hedge, context_n == 0 ? 1 : context_n - 1), k.pub, n),
		  CKR_SIGNATURE_INVALID);
}

static void test_B025_hedges_and_contexts(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_SIGN_ADDITIONAL_CONTEXT p;
	CK_ULONG n;

	(void)state;
	for (size_t i = 0; i < LENGTH(sets); i++) {
		struct pair k = p11_mldsa(s, sets[i], NULL, NULL);
		EVP_PKEY *pub = case_public(s, k.pub);

		hedges(k, pub, CKH_HEDGE_PREFERRED, 0);
		hedges(k, pub, CKH_HEDGE_REQUIRED, 255);
		hedges(k, pub, CKH_DETERMINISTIC_REQUIRED, 7);
		/* no parameter: as hedged as can be, without a context */
		assert_ok(sign(mechanism(CKM_ML_DSA, NULL, 0), k.priv, sig, &n));
		assert_ok(verify(mldsa(&p, CKH_HEDGE_PREFERRED, 0), k.pub, n));
		assert_ok(verify(mechanism(CKM_ML_DSA, NULL, 0), k.pub, n));
		assert_true(libcrypto_verifies(pub, NULL, NULL, 0, n));
		EVP_PKEY_free(pub);
	}
}

static void test_B025_bad_parameters(void **state)
{
	struct pair k = p11_mldsa(p11_session(), CKP_ML_DSA_44, NULL, NULL);
	CK_SIGN_ADDITIONAL_CONTEXT p;
	CK_MECHANISM m;
	CK_ULONG n;

	(void)state;
	assert_rv(sign(mldsa(&p, CKH_HEDGE_PREFERRED, 256), k.priv, sig, &n),
		  CKR_MECHANISM_PARAM_INVALID);
	assert_rv(sign(mldsa(&p, 99, 0), k.priv, sig, &n), CKR_MECHANISM_PARAM_INVALID);
	assert_rv(verify(mldsa(&p, 99, 0), k.pub, 2420), CKR_MECHANISM_PARAM_INVALID);
	m = mldsa(&p, CKH_HEDGE_PREFERRED, 5);
	p.pContext = NULL;
	assert_rv(sign(m, k.priv, sig, &n), CKR_MECHANISM_PARAM_INVALID);
	m = mldsa(&p, CKH_HEDGE_PREFERRED, 0);
	m.ulParameterLen--;
	assert_rv(sign(m, k.priv, sig, &n), CKR_MECHANISM_PARAM_INVALID);
}

/* What Init was given is the module's own from then on, whatever becomes of the caller's memory. */
static void test_B025_parameters_are_copied(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	struct pair k = p11_mldsa(s, CKP_ML_DSA_44, NULL, NULL);
	CK_BYTE own[7];
	CK_SIGN_ADDITIONAL_CONTEXT p = { CKH_DETERMINISTIC_REQUIRED, own, sizeof(own) };
	CK_MECHANISM m = mechanism(CKM_ML_DSA, &p, sizeof(p));
	CK_ULONG n = sizeof(sig);

	(void)state;
	memcpy(own, context, sizeof(own));
	assert_ok(p11->C_SignInit(s, &m, k.priv));
	memset(own, 0xff, sizeof(own));
	memset(&p, 0xff, sizeof(p));
	memset(&m, 0xff, sizeof(m));
	assert_ok(p11->C_Sign(s, data, sizeof(data), sig, &n));
	assert_ok(verify(mldsa(&p, CKH_HEDGE_PREFERRED, 7), k.pub, n));
}

/* The same signature by C_VerifySignature, with its own context and with another. */
static void test_B025_signature_first(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	struct pair k = p11_mldsa(s, CKP_ML_DSA_65, NULL, NULL);
	CK_SIGN_ADDITIONAL_CONTEXT p;
	CK_MECHANISM m;
	CK_ULONG n;

	(void)state;
	assert_ok(sign(mldsa(&p, CKH_HEDGE_REQUIRED, 7), k.priv, sig, &n));
	for (CK_ULONG len = 6; len <= 8; len++) {
		m = mldsa(&p, CKH_HEDGE_PREFERRED, len);
		assert_ok(p11->C_VerifySignatureInit(s, &m, k.pub, sig, n));
		assert_rv(p11->C_VerifySignature(s, data, sizeof(data)),
			  len == 7 ? CKR_OK : CKR_SIGNATURE_INVALID);
	}
	assert_rv(verify(mldsa(&p, CKH_HEDGE_PREFERRED, 7), k.pub, n - 1), CKR_SIGNATURE_LEN_RANGE);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, p11_setup_token, p11_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_B024_schemes),
		TEST(test_B024_bad_parameters),
		TEST(test_B025_hedges_and_contexts),
		TEST(test_B025_bad_parameters),
		TEST(test_B025_parameters_are_copied),
		TEST(test_B025_signature_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
