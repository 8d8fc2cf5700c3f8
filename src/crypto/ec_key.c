/* SPDX-License-Identifier: Apache-2.0 */
/* Keys on Weierstrass curves: CKK_EC. */
#include "crypto/ec.h"

#include "crypto/der.h"
#include "crypto/fetch.h"
#include "crypto/key_type.h"
#include "crypto/pkcs8.h"
#include "crypto/pkey.h"
#include "crypto/spki.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/objects.h>

enum {
	EC_PARAMETERS = DER_CONTEXT_CONSTRUCTED + 0, /* of ECPrivateKey (RFC 5915) */
	EC_PUBLIC_KEY = DER_CONTEXT_CONSTRUCTED + 1,
	EC_POINT_MAX = 1 + 2 * 66,
	EC_FOOTPRINT = 2048 /* as measured: mostly the numbers of the group */
};

static const uint8_t ec_oid[] = { 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01 };

static enum err curve_of(const struct attrset *a, const struct curve **out)
{
	return curve_find(CKK_EC, attrset_bytes(a, CKA_EC_PARAMS), out);
}

static enum err normalise(struct attrset *a)
{
	if (!attrset_has(a, CKA_EC_PARAMS) ||
	    !attrset_has(a, key_attrs_private(a) ? CKA_VALUE : CKA_EC_POINT))
		return E_TEMPLATE_INCOMPLETE;
	return OK;
}

enum err ec_public_of(const struct curve *c, struct span point, EVP_PKEY **out)
{
	OSSL_PARAM_BLD *b = OSSL_PARAM_BLD_new();
	enum err e = E_MEMORY;

	if (b != NULL &&
	    OSSL_PARAM_BLD_push_utf8_string(b, OSSL_PKEY_PARAM_GROUP_NAME, c->name, 0) &&
	    OSSL_PARAM_BLD_push_octet_string(b, OSSL_PKEY_PARAM_PUB_KEY, point.p, point.n))
		e = pkey_build("EC", false, b, out);
	OSSL_PARAM_BLD_free(b);
	return e == OK ? OK : pkey_fail(e);
}

/*
 * The public point of d, uncompressed, into 1 + 2 * field_n bytes. E_ATTR_VALUE: d is not from 1 to
 * the order - 1.
 */
static enum err multiply(const struct curve *c, const BIGNUM *d, uint8_t point[EC_POINT_MAX])
{
	EC_GROUP *g = EC_GROUP_new_by_curve_name_ex(crypto_ctx(), NULL, OBJ_sn2nid(c->name));
	EC_POINT *p = g != NULL ? EC_POINT_new(g) : NULL;
	enum err e = OK;

	if (p == NULL)
		e = E_MEMORY;
	else if (BN_is_zero(d) || BN_ucmp(d, EC_GROUP_get0_order(g)) >= 0)
		e = E_ATTR_VALUE;
	else if (!EC_POINT_mul(g, p, d, NULL, NULL, NULL) ||
		 EC_POINT_point2oct(g, p, POINT_CONVERSION_UNCOMPRESSED, point, EC_POINT_MAX,
				    NULL) == 0)
		e = E_FAILED;
	EC_POINT_free(p);
	EC_GROUP_free(g);
	return e == OK ? OK : pkey_fail(e);
}

static enum err build_private(const struct curve *c, const BIGNUM *d, EVP_PKEY **out)
{
	OSSL_PARAM_BLD *b = OSSL_PARAM_BLD_new();
	uint8_t point[EC_POINT_MAX];
	enum err e = multiply(c, d, point);

	if (e == OK && b != NULL &&
	    OSSL_PARAM_BLD_push_utf8_string(b, OSSL_PKEY_PARAM_GROUP_NAME, c->name, 0) &&
	    OSSL_PARAM_BLD_push_octet_string(b, OSSL_PKEY_PARAM_PUB_KEY, point,
					     1 + 2 * c->field_n) &&
	    OSSL_PARAM_BLD_push_BN_pad(b, OSSL_PKEY_PARAM_PRIV_KEY, d, c->order_n))
		e = pkey_build("EC", true, b, out);
	else if (e == OK)
		e = E_MEMORY;
	OSSL_PARAM_BLD_free(b);
	return e == OK ? OK : pkey_fail(e);
}

static enum err parse_private(const struct attrset *a, struct key *k, const struct curve *c)
{
	struct span v = der_trim(attrset_bytes(a, CKA_VALUE));
	BIGNUM *d;
	enum err e;

	if (v.n == 0 || v.n > c->order_n)
		return E_ATTR_VALUE;
	d = BN_bin2bn(v.p, (int)v.n, NULL);
	if (d == NULL)
		return pkey_fail(E_MEMORY);
	BN_set_flags(d, BN_FLG_CONSTTIME);
	e = build_private(c, d, &k->pkey);
	BN_clear_free(d);
	k->footprint = EC_FOOTPRINT;
	return e;
}

static enum err parse(const struct attrset *a, struct key *k)
{
	const struct curve *c;
	struct span point;
	enum err e = curve_of(a, &c);

	if (e != OK)
		return e;
	k->info = c;
	k->size = c->bits;
	if (k->class == CKO_PRIVATE_KEY)
		return parse_private(a, k, c);
	if (!curve_point(c, attrset_bytes(a, CKA_EC_POINT), &point))
		return E_ATTR_VALUE;
	return ec_public_of(c, point, &k->pkey);
}

/* Appends the public point, 04 || X || Y whatever the form was that the key came in. */
static enum err put_point(const struct key *k, struct buf *out)
{
	const struct curve *c = k->info;
	static const char *const halves[] = { OSSL_PKEY_PARAM_EC_PUB_X, OSSL_PKEY_PARAM_EC_PUB_Y };
	enum err e = buf_put_u8(out, 4);

	for (size_t i = 0; e == OK && i < 2; i++) {
		BIGNUM *v = NULL;

		if ((e = buf_reserve(out, c->field_n)) != OK)
			break;
		if (EVP_PKEY_get_bn_param(k->pkey, halves[i], &v) <= 0 ||
		    BN_bn2binpad(v, out->p + out->n, (int)c->field_n) < 0)
			e = pkey_fail(E_FAILED);
		else
			out->n += c->field_n;
		BN_free(v);
	}
	return e;
}

/* 3.2, 6.3.3: CKA_EC_POINT is the point in an OCTET STRING. */
static enum err complete_public(const struct key *k, struct attrset *a)
{
	struct buf point = { 0 };
	enum err e;

	if ((e = put_point(k, &point)) == OK && (e = der_wrap(&point, 0, DER_OCTET_STRING)) == OK)
		e = attrset_put(a, CKA_EC_POINT, buf_span(&point));
	buf_free(&point);
	return e;
}

/* A public key that came along, though it is no attribute of a private one, must be its own. */
static enum err check_point(const struct key *k, const struct attrset *a)
{
	struct span point;
	EVP_PKEY *pub = NULL;
	enum err e;

	if (!curve_point(k->info, attrset_bytes(a, CKA_EC_POINT), &point))
		return E_ATTR_VALUE;
	e = ec_public_of(k->info, point, &pub);
	if (e == OK && EVP_PKEY_eq(k->pkey, pub) != 1)
		e = pkey_fail(E_ATTR_VALUE);
	EVP_PKEY_free(pub);
	return e;
}

static enum err complete(const struct key *k, struct attrset *a)
{
	enum err e = OK;

	if (k->class == CKO_PUBLIC_KEY)
		return complete_public(k, a);
	if (attrset_has(a, CKA_EC_POINT))
		e = check_point(k, a);
	if (e != OK)
		return e;
	attrset_drop(a, CKA_EC_POINT);
	return pkey_put_number(k->pkey, OSSL_PKEY_PARAM_PRIV_KEY, a, CKA_VALUE);
}

/* Appends ECPrivateKey (RFC 5915) without parameters: those are in the envelope. */
static enum err put_private(const struct key *k, const struct attrset *a, struct buf *out)
{
	static const uint8_t version = 1, zeros[66];
	const struct curve *c = k->info;
	struct span d = der_trim(attrset_bytes(a, CKA_VALUE));
	struct buf point = { 0 };
	size_t from = out->n, at;
	enum err e = der_put_uint(out, span(&version, 1));

	at = out->n;
	if (e == OK && (e = buf_put(out, span(zeros, c->order_n - d.n))) == OK &&
	    (e = buf_put(out, d)) == OK && (e = der_wrap(out, at, DER_OCTET_STRING)) == OK &&
	    (e = put_point(k, &point)) == OK) {
		at = out->n;
		if ((e = der_put_bits(out, DER_BIT_STRING, buf_span(&point))) == OK &&
		    (e = der_wrap(out, at, EC_PUBLIC_KEY)) == OK)
			e = der_wrap(out, from, DER_SEQUENCE);
	}
	buf_free(&point);
	return e;
}

static enum err wrap_form(const struct key *k, const struct attrset *a, struct buf *out)
{
	const struct curve *c = k->info;
	struct pkcs8 p = { .oid = { ec_oid, sizeof(ec_oid) }, .params = c->oid };
	struct buf inner = { .secret = true };
	enum err e = put_private(k, a, &inner);

	if (e == OK) {
		p.key = buf_span(&inner);
		e = pkcs8_put(out, &p);
	}
	buf_free(&inner);
	return e;
}

struct ec_private {
	struct span d, params, point; /* the last two empty when absent */
};

static bool take_private(struct span in, struct ec_private *k)
{
	struct span body, version, part;

	memset(k, 0, sizeof(*k));
	if (!der_take(&in, DER_SEQUENCE, &body) || in.n != 0 || !der_take_uint(&body, &version) ||
	    version.n != 1 || version.p[0] != 1 || !der_take(&body, DER_OCTET_STRING, &k->d))
		return false;
	if (der_next(body, EC_PARAMETERS) && !der_take(&body, EC_PARAMETERS, &k->params))
		return false;
	if (der_next(body, EC_PUBLIC_KEY) &&
	    !(der_take(&body, EC_PUBLIC_KEY, &part) &&
	      der_take_bits(&part, DER_BIT_STRING, &k->point) && part.n == 0))
		return false;
	return body.n == 0;
}

static enum err unwrap_form(struct span in, bool len_exact, struct attrset *a)
{
	struct ec_private k;
	struct pkcs8 p;
	enum err e = pkcs8_take(in, !len_exact, &p);

	if (e != OK)
		return e;
	if (!span_eq(p.oid, span(ec_oid, sizeof(ec_oid))) || !take_private(p.key, &k))
		return E_WRAPPED_INVALID;
	if (p.params.n == 0)
		p.params = k.params;
	if (k.params.n != 0 && !span_eq(k.params, p.params))
		return E_WRAPPED_INVALID;
	if ((e = attrset_put(a, CKA_EC_PARAMS, p.params)) != OK ||
	    (e = attrset_put(a, CKA_VALUE, k.d)) != OK)
		return e;
	if (k.point.n == 0)
		k.point = p.pub;
	return k.point.n != 0 ? attrset_put(a, CKA_EC_POINT, k.point) : OK;
}

static enum err public_info(const struct key *k, struct buf *out)
{
	const struct curve *c = k->info;
	struct buf point = { 0 };
	enum err e = put_point(k, &point);

	if (e == OK)
		e = spki_put(out, span(ec_oid, sizeof(ec_oid)), c->oid, buf_span(&point));
	buf_free(&point);
	return e;
}

const struct key_type_row ec_key_type = {
	.type = CKK_EC,
	.normalise = normalise,
	.parse = parse,
	.complete = complete,
	.wrap_form = wrap_form,
	.unwrap_form = unwrap_form,
	.public_info = public_info,
};
