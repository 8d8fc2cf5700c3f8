/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of mechanisms that work with key pairs. */
#include "crypto/hash.h"
#include "crypto/mech.h"
#include "crypto/param_bytes.h"
#include "crypto/param_rules.h"

/* RFC 8032, 5.1 and FIPS 204, algorithm 2: longer contexts do not exist. */
#define CONTEXT_MAX 255

static enum err hash_pair(CK_MECHANISM_TYPE hash, CK_RSA_PKCS_MGF_TYPE mgf, struct param *par)
{
	const struct hash *h = hash_of(hash), *g = hash_of_mgf(mgf);

	if (h == NULL || g == NULL)
		return E_MECHANISM_PARAM;
	par->hash = h->mech;
	par->mgf_hash = g->mech;
	return OK;
}

enum err param_pss(const struct mech *m, const CK_MECHANISM *mechanism, struct param *par)
{
	CK_RSA_PKCS_PSS_PARAMS s;
	enum err e = param_struct(mechanism, &s, sizeof(s));

	if (e != OK)
		return e;
	if (m->hash != CK_UNAVAILABLE_INFORMATION && m->hash != s.hashAlg)
		return E_MECHANISM_PARAM;
	par->salt_len = s.sLen;
	return hash_pair(s.hashAlg, s.mgf, par);
}

enum err param_oaep(const struct mech *m, const CK_MECHANISM *mechanism, struct param *par)
{
	CK_RSA_PKCS_OAEP_PARAMS s;
	enum err e = param_struct(mechanism, &s, sizeof(s));

	(void)m;
	if (e != OK)
		return e;
	/* 0 is no source, but many callers without a label leave it */
	if (s.source != CKZ_DATA_SPECIFIED && (s.source != 0 || s.ulSourceDataLen != 0))
		return E_MECHANISM_PARAM;
	if ((e = hash_pair(s.hashAlg, s.mgf, par)) != OK)
		return e;
	return pbytes_take(&par->context, s.pSourceData, s.ulSourceDataLen);
}

enum err param_ecdh1(const struct mech *m, const CK_MECHANISM *mechanism, struct param *par)
{
	CK_ECDH1_DERIVE_PARAMS s;
	const struct hash *h;
	enum err e = param_struct(mechanism, &s, sizeof(s));

	(void)m;
	if (e != OK)
		return e;
	h = hash_of_kdf(s.kdf);
	/* PKCS#11 3.2, ECDH: with CKD_NULL there is no shared data */
	if (s.kdf == CKD_NULL ? s.ulSharedDataLen != 0 : h == NULL)
		return E_MECHANISM_PARAM;
	par->kdf = s.kdf;
	par->hash = h != NULL ? h->mech : 0;
	if ((e = pbytes_take(&par->context, s.pSharedData, s.ulSharedDataLen)) != OK)
		return e;
	return pbytes_take(&par->data, s.pPublicData, s.ulPublicDataLen);
}

static enum err take_context(struct param *par, const void *p, CK_ULONG n)
{
	return n <= CONTEXT_MAX ? pbytes_take(&par->context, p, n) : E_MECHANISM_PARAM;
}

enum err param_eddsa(const struct mech *m, const CK_MECHANISM *mechanism, struct param *par)
{
	CK_EDDSA_PARAMS s;
	enum err e;

	(void)m;
	if (mechanism->ulParameterLen == 0)
		return OK;
	if ((e = param_struct(mechanism, &s, sizeof(s))) != OK)
		return e;
	if (s.phFlag != CK_FALSE && s.phFlag != CK_TRUE)
		return E_MECHANISM_PARAM;
	par->given = true;
	par->prehash = s.phFlag == CK_TRUE;
	return take_context(par, s.pContextData, s.ulContextDataLen);
}

static enum err take_hedge(struct param *par, CK_ULONG hedge)
{
	if (hedge != CKH_HEDGE_PREFERRED && hedge != CKH_HEDGE_REQUIRED &&
	    hedge != CKH_DETERMINISTIC_REQUIRED)
		return E_MECHANISM_PARAM;
	par->given = true;
	par->hedge = hedge;
	return OK;
}

enum err param_sign_context(const struct mech *m, const CK_MECHANISM *mechanism, struct param *par)
{
	CK_SIGN_ADDITIONAL_CONTEXT s;
	enum err e;

	(void)m;
	/* PKCS#11 3.2, ML-DSA: absent means hedging preferred and an empty context */
	if (mechanism->ulParameterLen == 0)
		return OK;
	if ((e = param_struct(mechanism, &s, sizeof(s))) != OK)
		return e;
	if ((e = take_hedge(par, s.hedgeVariant)) != OK)
		return e;
	return take_context(par, s.pContext, s.ulContextLen);
}

enum err param_hash_sign_context(const struct mech *m, const CK_MECHANISM *mechanism,
				 struct param *par)
{
	CK_HASH_SIGN_ADDITIONAL_CONTEXT s;
	enum err e = param_struct(mechanism, &s, sizeof(s));

	(void)m;
	if (e != OK)
		return e;
	if (hash_of(s.hash) == NULL)
		return E_MECHANISM_PARAM;
	par->hash = s.hash;
	if ((e = take_hedge(par, s.hedgeVariant)) != OK)
		return e;
	return take_context(par, s.pContext, s.ulContextLen);
}
