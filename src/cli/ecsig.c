/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ecsig.h"
#include <openssl/ec.h>
#include <openssl/objects.h>

/* Bits of the group order, which is what r and s are as long as. */
static unsigned curve_bits(const EC_GROUP *g)
{
	return g != NULL ? (unsigned)EC_GROUP_order_bits(g) : 0;
}

/* CKA_EC_PARAMS: DER of a named curve's OID, or a PrintableString with the curve's name. */
static EC_GROUP *group_of(struct span params)
{
	const unsigned char *p = params.p;
	char name[64];

	if (params.n > 2 && params.p[0] == 0x13 && params.p[1] == params.n - 2 &&
	    params.n - 2 < sizeof(name)) {
		memcpy(name, params.p + 2, params.n - 2);
		name[params.n - 2] = '\0';
		return EC_GROUP_new_by_curve_name(OBJ_txt2nid(name));
	}
	return d2i_ECPKParameters(NULL, &p, (long)params.n);
}

unsigned ec_key_bits(struct desk d, CK_OBJECT_HANDLE key)
{
	struct buf params = { 0 };
	EC_GROUP *g = NULL;
	unsigned bits = 0;

	if (object_attr(d, key, CKA_EC_PARAMS, &params, NULL) == OK)
		g = group_of(buf_span(&params));
	bits = curve_bits(g);
	EC_GROUP_free(g);
	buf_free(&params);
	return bits;
}

static enum err put_der(const ECDSA_SIG *s, struct buf *sig)
{
	unsigned char *der = NULL;
	int n = i2d_ECDSA_SIG(s, &der);
	enum err e = n > 0 ? OK : E_MEMORY;

	buf_clear(sig);
	if (e == OK)
		e = buf_put(sig, span(der, (size_t)n));
	OPENSSL_free(der);
	return e;
}

enum err ecsig_to_der(struct buf *sig, struct why *why)
{
	int half = (int)(sig->n / 2);
	BIGNUM *r = BN_bin2bn(sig->p, half, NULL), *s = BN_bin2bn(sig->p + half, half, NULL);
	ECDSA_SIG *v = ECDSA_SIG_new();
	enum err e = E_MEMORY;

	if (r != NULL && s != NULL && v != NULL && ECDSA_SIG_set0(v, r, s) == 1) {
		r = s = NULL; /* moved */
		e = put_der(v, sig);
	}
	BN_free(r);
	BN_free(s);
	ECDSA_SIG_free(v);
	return e == OK ? OK : why_fail(why, e, "%s", err_text(e));
}

static enum err put_raw(const ECDSA_SIG *v, int half, struct buf *sig)
{
	enum err e = OK;

	buf_clear(sig);
	if ((e = buf_reserve(sig, 2 * (size_t)half)) != OK)
		return e;
	if (BN_bn2binpad(ECDSA_SIG_get0_r(v), sig->p, half) != half ||
	    BN_bn2binpad(ECDSA_SIG_get0_s(v), sig->p + half, half) != half)
		return E_SIGNATURE;
	sig->n = 2 * (size_t)half;
	return OK;
}

enum err ecsig_from_der(struct buf *sig, unsigned bits, struct why *why)
{
	const unsigned char *p = sig->p, *end = sig->p + sig->n;
	ECDSA_SIG *v = d2i_ECDSA_SIG(NULL, &p, (long)sig->n);
	enum err e = E_SIGNATURE;

	if (v != NULL && p == end && bits != 0)
		e = put_raw(v, (int)((bits + 7) / 8), sig);
	ECDSA_SIG_free(v);
	return e == OK ? OK
		       : why_fail(
				 why, e,
				 "the signature file holds no DER signature for this key; is it raw? "
				 "(--format raw)");
}
