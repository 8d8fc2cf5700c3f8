/* SPDX-License-Identifier: Apache-2.0 */
/* ECDSA, EdDSA and ML-DSA. */
#include "vec.h"
#include <openssl/ec.h>

static struct bytes msg, sig, key, context;

static enum vec_outcome verify(struct vec *v, CK_MECHANISM *m, CK_OBJECT_HANDLE h)
{
	CK_RV rv = p11->C_VerifyInit(v->s, m, h);

	if (rv == CKR_OK)
		rv = p11->C_Verify(v->s, msg.p, msg.n, sig.p, sig.n);
	return rv == CKR_OK ? VEC_TAKEN : VEC_REFUSED;
}

/* ---- ECDSA ---- */

static const struct {
	const char *name;
	const char *oid;
	CK_ULONG n; /* bytes of r and of s */
} curves[] = {
	{ "secp256r1", "\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07", 32 },
	{ "secp384r1", "\x06\x05\x2b\x81\x04\x00\x22", 48 },
	{ "secp521r1", "\x06\x05\x2b\x81\x04\x00\x23", 66 },
};

static size_t curve_of(const json_t *group)
{
	const char *name = vec_text(json_object_get(group, "publicKey"), "curve");
	size_t i = 0;

	while (strcmp(curves[i].name, name) != 0)
		i++;
	return i;
}

static CK_OBJECT_HANDLE make_ec(struct vec *v)
{
	size_t c = curve_of(v->group);
	CK_BYTE der[160] = { 0x04 };
	CK_ULONG head;
	struct templ t = { 0 };

	vec_bytes(json_object_get(v->group, "publicKey"), "uncompressed", &key);
	head = key.n < 128 ? 2 : 3;
	if (head == 3)
		der[1] = 0x81;
	der[head - 1] = (CK_BYTE)key.n;
	memcpy(der + head, key.p, key.n);
	templ_ulong(&t, CKA_CLASS, CKO_PUBLIC_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, CKK_EC);
	templ_bytes(&t, CKA_EC_PARAMS, curves[c].oid, 2 + (size_t)curves[c].oid[1]);
	templ_bytes(&t, CKA_EC_POINT, der, head + key.n);
	templ_flags(&t, CKA_VERIFY);
	return vec_create(v, &t);
}

/*
 * A DER signature as PKCS#11 has it. False: it is not DER in its one form, or its numbers do not fit, so that it has no
 * form in PKCS#11 at all: whoever converts must refuse it.
 */
static bool from_der(CK_ULONG half)
{
	const unsigned char *p = sig.p;
	unsigned char *again = NULL;
	ECDSA_SIG *s = d2i_ECDSA_SIG(NULL, &p, (long)sig.n);
	int n = s != NULL ? i2d_ECDSA_SIG(s, &again) : 0;
	bool good = n > 0 && (CK_ULONG)n == sig.n && memcmp(again, sig.p, sig.n) == 0;

	good = good && !BN_is_negative(ECDSA_SIG_get0_r(s)) && !BN_is_negative(ECDSA_SIG_get0_s(s));
	if (good)
		good = BN_bn2binpad(ECDSA_SIG_get0_r(s), sig.p, (int)half) >= 0 &&
		       BN_bn2binpad(ECDSA_SIG_get0_s(s), sig.p + half, (int)half) >= 0;
	sig.n = 2 * half;
	OPENSSL_free(again);
	ECDSA_SIG_free(s);
	return good;
}

static enum vec_outcome ecdsa(struct vec *v, bool der)
{
	const struct vec_hash *h = vec_hash(vec_text(v->group, "sha"));
	CK_MECHANISM m;

	if (h == NULL || h->ecdsa == CK_UNAVAILABLE_INFORMATION)
		return VEC_SKIPPED;
	m = mechanism(h->ecdsa, NULL, 0);
	vec_bytes(v->test, "msg", &msg);
	vec_bytes(v->test, "sig", &sig);
	if (der && !from_der(curves[curve_of(v->group)].n))
		return VEC_REFUSED;
	return verify(v, &m, vec_group_key(v, make_ec));
}

static enum vec_outcome run_ecdsa(struct vec *v)
{
	return ecdsa(v, true);
}

/* PKCS#11 allows r and s to be shorter, each half of what is given (3.2, 6.3.1); the vectors do not. */
static enum vec_outcome run_ecdsa_p1363(struct vec *v)
{
	vec_bytes(v->test, "sig", &sig);
	if (sig.n < 2 * curves[curve_of(v->group)].n && sig.n % 2 == 0)
		return VEC_SKIPPED;
	return ecdsa(v, false);
}

/* ---- EdDSA ---- */

static CK_OBJECT_HANDLE make_ed25519(struct vec *v)
{
	struct templ t = { 0 };

	vec_bytes(json_object_get(v->group, "publicKey"), "pk", &key);
	templ_ulong(&t, CKA_CLASS, CKO_PUBLIC_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, CKK_EC_EDWARDS);
	templ_bytes(&t, CKA_EC_PARAMS, p11_oid_ed25519, sizeof(p11_oid_ed25519));
	templ_bytes(&t, CKA_EC_POINT, key.p, key.n);
	templ_flags(&t, CKA_VERIFY);
	return vec_create(v, &t);
}

static enum vec_outcome run_eddsa(struct vec *v)
{
	CK_MECHANISM m = mechanism(CKM_EDDSA, NULL, 0);

	vec_bytes(v->test, "msg", &msg);
	vec_bytes(v->test, "sig", &sig);
	return verify(v, &m, vec_group_key(v, make_ed25519));
}

/* ---- ML-DSA ---- */

static CK_ULONG mldsa_set(const char *name)
{
	return strstr(name, "44") != NULL   ? CKP_ML_DSA_44
	       : strstr(name, "65") != NULL ? CKP_ML_DSA_65
					    : CKP_ML_DSA_87;
}

static CK_OBJECT_HANDLE make_mldsa(struct vec *v)
{
	struct templ t = { 0 };
	bool seed = json_object_get(v->group, "privateSeed") != NULL;

	vec_bytes(v->group, seed ? "privateSeed" : "privateKey", &key);
	templ_ulong(&t, CKA_CLASS, CKO_PRIVATE_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, CKK_ML_DSA);
	templ_ulong(&t, CKA_PARAMETER_SET, mldsa_set(vec_text(v->file, "algorithm")));
	templ_bytes(&t, seed ? CKA_SEED : CKA_VALUE, key.p, key.n);
	templ_flags(&t, CKA_SIGN);
	return vec_create(v, &t);
}

static enum vec_outcome run_mldsa_sign(struct vec *v)
{
	static CK_BYTE out[8192];
	CK_ULONG n = sizeof(out);
	CK_OBJECT_HANDLE h = vec_group_key(v, make_mldsa);
	CK_SIGN_ADDITIONAL_CONTEXT param;
	CK_MECHANISM m = mechanism(CKM_ML_DSA, &param, sizeof(param));
	CK_RV rv;

	if (json_object_get(v->test, "msg") == NULL || json_object_get(v->test, "rnd") != NULL)
		return VEC_SKIPPED; /* given as mu only, or with the random bytes to use: the interface has neither */
	if (h == 0)
		return VEC_REFUSED;
	vec_bytes(v->test, "msg", &msg);
	vec_bytes(v->test, "ctx", &context);
	vec_bytes(v->test, "sig", &sig);
	param = (CK_SIGN_ADDITIONAL_CONTEXT){ CKH_DETERMINISTIC_REQUIRED, context.p, context.n };
	rv = p11->C_SignInit(v->s, &m, h);
	if (rv == CKR_OK)
		rv = p11->C_Sign(v->s, msg.p, msg.n, out, &n);
	return vec_compare(rv, out, n, &sig);
}

const struct vec_kind vec_signature[] = {
	{ "EcdsaVerify", run_ecdsa },
	{ "EcdsaP1363Verify", run_ecdsa_p1363 },
	{ "EddsaVerify", run_eddsa },
	{ "MlDsaSign", run_mldsa_sign },
	{ NULL, NULL },
};
