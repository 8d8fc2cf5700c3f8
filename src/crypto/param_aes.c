/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of ciphers, MACs and key wrapping. */
#include "crypto/gcmlong.h"
#include "crypto/param_bytes.h"
#include "crypto/param_rules.h"

#define BLOCK 16

/* CK_GCM_PARAMS of programs built against headers without ulIvBits (case B017). */
struct gcm_params_short {
	CK_BYTE_PTR pIv;
	CK_ULONG ulIvLen;
	CK_BYTE_PTR pAAD;
	CK_ULONG ulAADLen;
	CK_ULONG ulTagBits;
};

_Static_assert(sizeof(struct gcm_params_short) != sizeof(CK_GCM_PARAMS) &&
		       sizeof(CK_GCM_PARAMS) != sizeof(CK_GCM_WRAP_PARAMS),
	       "told apart by their size");

/* An IV of n bytes, or, where it may be left out, none. */
static enum err take_iv(const CK_MECHANISM *mechanism, size_t n, bool optional, struct param *par)
{
	if (optional && mechanism->ulParameterLen == 0)
		return OK;
	if (mechanism->ulParameterLen != n)
		return E_MECHANISM_PARAM;
	return pbytes_take(&par->iv, mechanism->pParameter, n);
}

enum err param_iv16(const struct mech *m, const CK_MECHANISM *mechanism, struct param *par)
{
	(void)m;
	return take_iv(mechanism, BLOCK, false, par);
}

enum err param_kw_iv(const struct mech *m, const CK_MECHANISM *mechanism, struct param *par)
{
	(void)m;
	return take_iv(mechanism, 8, true, par);
}

enum err param_kwp_iv(const struct mech *m, const CK_MECHANISM *mechanism, struct param *par)
{
	(void)m;
	return take_iv(mechanism, 4, true, par);
}

enum err param_ctr(const struct mech *m, const CK_MECHANISM *mechanism, struct param *par)
{
	CK_AES_CTR_PARAMS s;
	enum err e = param_struct(mechanism, &s, sizeof(s));

	(void)m;
	if (e != OK)
		return e;
	/* PKCS#11 3.2, AES-CTR: 0 < ulCounterBits <= 128 */
	if (s.ulCounterBits == 0 || s.ulCounterBits > 128)
		return E_MECHANISM_PARAM;
	par->counter_bits = s.ulCounterBits;
	return pbytes_take(&par->iv, s.cb, sizeof(s.cb));
}

/* The three forms as one. ulIvBits is ignored: many callers leave garbage in it. */
static enum err gcm_struct(const CK_MECHANISM *mechanism, CK_GCM_PARAMS *s)
{
	struct gcm_params_short old;
	CK_GCM_WRAP_PARAMS wrap;
	enum err e = param_struct(mechanism, s, sizeof(*s));

	if (e == OK)
		return OK;
	if (param_struct(mechanism, &old, sizeof(old)) == OK) {
		*s =
			(CK_GCM_PARAMS){ old.pIv,  old.ulIvLen,  0,
					 old.pAAD, old.ulAADLen, old.ulTagBits };
		return OK;
	}
	if ((e = param_struct(mechanism, &wrap, sizeof(wrap))) != OK)
		return e;
	if (wrap.ivGenerator != CKG_NO_GENERATE)
		return E_MECHANISM_PARAM;
	*s = (CK_GCM_PARAMS){ wrap.pIv, wrap.ulIvLen, 0, wrap.pAAD, wrap.ulAADLen, wrap.ulTagBits };
	return OK;
}

/* SP 800-38D, 5.2.1.2: these sizes and no others, although PKCS#11 allows 0 to 128 bits. */
static bool gcm_tag_fits(CK_ULONG bits)
{
	return bits == 32 || bits == 64 || (bits >= 96 && bits <= 128 && bits % 8 == 0);
}

enum err param_gcm(const struct mech *m, const CK_MECHANISM *mechanism, struct param *par)
{
	CK_GCM_PARAMS s;
	enum err e = gcm_struct(mechanism, &s);

	(void)m;
	if (e != OK)
		return e;
	if (s.ulIvLen == 0 || !gcm_tag_fits(s.ulTagBits))
		return E_MECHANISM_PARAM;
	par->tag_len = s.ulTagBits / 8;
	e = pbytes_take(&par->iv, s.pIv, s.ulIvLen);
	return e == OK ? pbytes_take(&par->aad, s.pAAD, s.ulAADLen) : e;
}

enum err param_gmac(const struct mech *m, const CK_MECHANISM *mechanism, struct param *par)
{
	enum err e = param_gcm(m, mechanism, par);

	/* AAD would not be authenticated: the signed data takes its place */
	if (e == OK && (par->aad.n != 0 || par->iv.n > GCM_EVP_IV_MAX))
		e = E_MECHANISM_PARAM;
	return e;
}

static enum err ccm_struct(const CK_MECHANISM *mechanism, CK_CCM_PARAMS *s)
{
	CK_CCM_WRAP_PARAMS wrap;
	enum err e = param_struct(mechanism, s, sizeof(*s));

	if (e == OK)
		return OK;
	if ((e = param_struct(mechanism, &wrap, sizeof(wrap))) != OK)
		return e;
	if (wrap.nonceGenerator != CKG_NO_GENERATE)
		return E_MECHANISM_PARAM;
	*s = (CK_CCM_PARAMS){ wrap.ulDataLen, wrap.pNonce,   wrap.ulNonceLen,
			      wrap.pAAD,      wrap.ulAADLen, wrap.ulMACLen };
	return OK;
}

/*
 * SP 800-38C, A.1: sizes of tag and nonce, and the length field in what the nonce leaves of 15
 * bytes.
 */
static bool ccm_fits(const CK_CCM_PARAMS *s)
{
	CK_ULONG field = 15 - s->ulNonceLen;

	if (s->ulMACLen < 4 || s->ulMACLen > 16 || s->ulMACLen % 2 != 0)
		return false;
	if (s->ulNonceLen < 7 || s->ulNonceLen > 13)
		return false;
	return field >= sizeof(s->ulDataLen) || s->ulDataLen >> (8 * field) == 0;
}

enum err param_ccm(const struct mech *m, const CK_MECHANISM *mechanism, struct param *par)
{
	CK_CCM_PARAMS s;
	enum err e = ccm_struct(mechanism, &s);

	(void)m;
	if (e != OK)
		return e;
	if (!ccm_fits(&s))
		return E_MECHANISM_PARAM;
	par->data_len = s.ulDataLen;
	par->tag_len = s.ulMACLen;
	e = pbytes_take(&par->iv, s.pNonce, s.ulNonceLen);
	return e == OK ? pbytes_take(&par->aad, s.pAAD, s.ulAADLen) : e;
}

enum err param_mac_general(const struct mech *m, const CK_MECHANISM *mechanism, struct param *par)
{
	CK_MAC_GENERAL_PARAMS n;
	enum err e = param_struct(mechanism, &n, sizeof(n));

	(void)m;
	if (e != OK)
		return e;
	if (n == 0)
		return E_MECHANISM_PARAM;
	par->tag_len = n;
	return OK;
}
