/* SPDX-License-Identifier: Apache-2.0 */
/* RSA signatures and decryption. */
#include "vec.h"

static struct bytes msg, data, label, der, modulus, exponent;
static CK_BYTE out[4096];

/* ---- verification ---- */

static CK_OBJECT_HANDLE make_public(struct vec *v)
{
	const json_t *k = json_object_get(v->group, "publicKey");
	struct templ t = { 0 };

	vec_bytes(k, "modulus", &modulus);
	vec_bytes(k, "publicExponent", &exponent);
	templ_ulong(&t, CKA_CLASS, CKO_PUBLIC_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, CKK_RSA);
	templ_bytes(&t, CKA_MODULUS, modulus.p, modulus.n);
	templ_bytes(&t, CKA_PUBLIC_EXPONENT, exponent.p, exponent.n);
	templ_flags(&t, CKA_VERIFY);
	return vec_create(v, &t);
}

static enum vec_outcome verify(struct vec *v, CK_MECHANISM *m)
{
	CK_OBJECT_HANDLE h = vec_group_key(v, make_public);
	CK_RV rv;

	if (h == 0)
		return VEC_REFUSED;
	vec_bytes(v->test, "msg", &msg);
	vec_bytes(v->test, "sig", &data);
	rv = p11->C_VerifyInit(v->s, m, h);
	if (rv == CKR_OK)
		rv = p11->C_Verify(v->s, msg.p, msg.n, data.p, data.n);
	return rv == CKR_OK ? VEC_TAKEN : VEC_REFUSED;
}

static enum vec_outcome run_pkcs1_verify(struct vec *v)
{
	const struct vec_hash *h = vec_hash(vec_text(v->group, "sha"));
	CK_MECHANISM m;

	if (h == NULL || h->rsa == CK_UNAVAILABLE_INFORMATION)
		return VEC_SKIPPED;
	m = mechanism(h->rsa, NULL, 0);
	return verify(v, &m);
}

static enum vec_outcome run_pss(struct vec *v)
{
	const struct vec_hash *h = vec_hash(vec_text(v->group, "sha"));
	const struct vec_hash *mgf = vec_hash(vec_text(v->group, "mgfSha"));
	CK_RSA_PKCS_PSS_PARAMS param;
	CK_MECHANISM m;

	if (h == NULL || mgf == NULL || h->pss == CK_UNAVAILABLE_INFORMATION || mgf->mgf == 0)
		return VEC_SKIPPED;
	param = (CK_RSA_PKCS_PSS_PARAMS){ h->digest, mgf->mgf, vec_number(v->group, "sLen") };
	m = mechanism(h->pss, &param, sizeof(param));
	return verify(v, &m);
}

/* ---- private keys ---- */

static CK_OBJECT_HANDLE make_signer(struct vec *v)
{
	vec_bytes(v->group, "privateKeyPkcs8", &der);
	return vec_pkcs8(v, CKK_RSA, &der, CKA_SIGN);
}

static CK_OBJECT_HANDLE make_decrypter(struct vec *v)
{
	vec_bytes(v->group, "privateKeyPkcs8", &der);
	return vec_pkcs8(v, CKK_RSA, &der, CKA_DECRYPT);
}

static enum vec_outcome run_pkcs1_sign(struct vec *v)
{
	const struct vec_hash *h = vec_hash(vec_text(v->group, "sha"));
	CK_OBJECT_HANDLE key;
	CK_MECHANISM m;
	CK_ULONG n = sizeof(out);
	CK_RV rv;

	if (h == NULL || h->rsa == CK_UNAVAILABLE_INFORMATION)
		return VEC_SKIPPED;
	key = vec_group_key(v, make_signer);
	vec_bytes(v->test, "msg", &msg);
	vec_bytes(v->test, "sig", &data);
	m = mechanism(h->rsa, NULL, 0);
	rv = p11->C_SignInit(v->s, &m, key);
	if (rv == CKR_OK)
		rv = p11->C_Sign(v->s, msg.p, msg.n, out, &n);
	return vec_compare(rv, out, n, &data);
}

static enum vec_outcome decrypt(struct vec *v, CK_MECHANISM *m)
{
	CK_OBJECT_HANDLE key = vec_group_key(v, make_decrypter);
	CK_ULONG n = sizeof(out);
	CK_RV rv;

	if (key == 0)
		return VEC_REFUSED;
	vec_bytes(v->test, "msg", &msg);
	vec_bytes(v->test, "ct", &data);
	rv = p11->C_DecryptInit(v->s, m, key);
	if (rv == CKR_OK)
		rv = p11->C_Decrypt(v->s, data.p, data.n, out, &n);
	return vec_compare(rv, out, n, &msg);
}

static enum vec_outcome run_oaep(struct vec *v)
{
	const struct vec_hash *h = vec_hash(vec_text(v->group, "sha")),
			      *g = vec_hash(vec_text(v->group, "mgfSha"));
	CK_RSA_PKCS_OAEP_PARAMS param;
	CK_MECHANISM m = mechanism(CKM_RSA_PKCS_OAEP, &param, sizeof(param));

	if (h == NULL || g == NULL || g->mgf == 0)
		return VEC_SKIPPED;
	vec_bytes(v->test, "label", &label);
	param = (CK_RSA_PKCS_OAEP_PARAMS){ h->digest, g->mgf, CKZ_DATA_SPECIFIED, label.p,
					   label.n };
	return decrypt(v, &m);
}

/*
 * Bad padding is answered with a random message rather than an error, so that nobody learns which it was: for an
 * invalid vector another message is as good as a refusal.
 */
static enum vec_outcome run_pkcs1_decrypt(struct vec *v)
{
	CK_MECHANISM m = mechanism(CKM_RSA_PKCS, NULL, 0);
	enum vec_outcome o = decrypt(v, &m);

	if (o == VEC_DIFFERS && strcmp(vec_text(v->test, "result"), "invalid") == 0)
		return VEC_REFUSED;
	return o;
}

const struct vec_kind vec_rsa[] = {
	{ "RsassaPkcs1Verify", run_pkcs1_verify },
	{ "RsassaPkcs1Generate", run_pkcs1_sign },
	{ "RsassaPssVerify", run_pss },
	{ "RsassaPssWithParametersVerify", run_pss },
	{ "RsaesOaepDecrypt", run_oaep },
	{ "RsaesPkcs1Decrypt", run_pkcs1_decrypt },
	{ NULL, NULL },
};
