/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys on Edwards and Montgomery curves (RFC 8032, 7748, 8410): CKK_EC_EDWARDS and
 * CKK_EC_MONTGOMERY.
 */
#include "crypto/ec.h"

#include "crypto/der.h"
#include "crypto/key_type.h"
#include "crypto/pkcs8.h"
#include "crypto/pkey.h"

#include <openssl/core_names.h>

#define ECX_FOOTPRINT 512

static enum err normalise(struct attrset *a)
{
	if (!attrset_has(a, CKA_EC_PARAMS) ||
	    !attrset_has(a, key_attrs_private(a) ? CKA_VALUE : CKA_EC_POINT))
		return E_TEMPLATE_INCOMPLETE;
	return OK;
}

static enum err parse_public(const struct attrset *a, struct key *k, const struct curve *c)
{
	struct span point;

	if (!curve_point(c, attrset_bytes(a, CKA_EC_POINT), &point))
		return E_ATTR_VALUE;
	return pkey_of_bytes(c->name, false, OSSL_PKEY_PARAM_PUB_KEY, point, &k->pkey);
}

static enum err parse(const struct attrset *a, struct key *k)
{
	const struct curve *c;
	struct span value = attrset_bytes(a, CKA_VALUE);
	enum err e = curve_find(k->row->type, attrset_bytes(a, CKA_EC_PARAMS), &c);

	if (e != OK)
		return e;
	k->info = c;
	k->size = c->bits;
	if (k->class == CKO_PUBLIC_KEY)
		return parse_public(a, k, c);
	if (value.n != c->field_n)
		return E_ATTR_VALUE;
	k->footprint = ECX_FOOTPRINT;
	return pkey_of_bytes(c->name, true, OSSL_PKEY_PARAM_PRIV_KEY, value, &k->pkey);
}

/* 3.2, 6.3.5 and 6.3.7: the point is the bare bytes, whatever form it came in. */
static enum err complete(const struct key *k, struct attrset *a)
{
	struct buf point = { 0 };
	enum err e = OK;

	if (k->class != CKO_PUBLIC_KEY)
		return OK;
	e = pkey_bytes(k->pkey, OSSL_PKEY_PARAM_PUB_KEY, &point);
	if (e == OK && k->row->type == CKK_EC_EDWARDS &&
	    !edwards_point_ok(k->info, buf_span(&point)))
		e = pkey_fail(E_ATTR_VALUE);
	if (e == OK)
		e = attrset_put(a, CKA_EC_POINT, buf_span(&point));
	buf_free(&point);
	return e;
}

/* RFC 8410, 7: the key is in an OCTET STRING of its own. Version 1, which every reader takes. */
static enum err wrap_form(const struct key *k, const struct attrset *a, struct buf *out)
{
	const struct curve *c = k->info;
	struct pkcs8 p = { .oid = c->oid };
	struct buf inner = { .secret = true };
	enum err e = der_put(&inner, DER_OCTET_STRING, attrset_bytes(a, CKA_VALUE));

	if (e == OK) {
		p.key = buf_span(&inner);
		e = pkcs8_put(out, &p);
	}
	buf_free(&inner);
	return e;
}

static enum err unwrap_form(struct span in, bool len_exact, struct attrset *a)
{
	const struct curve *c;
	struct pkcs8 p;
	struct span value;
	enum err e = pkcs8_take(in, !len_exact, &p);

	if (e != OK)
		return e;
	if (curve_find(attrset_ulong(a, CKA_KEY_TYPE, 0), p.oid, &c) != OK || p.params.n != 0)
		return E_WRAPPED_INVALID;
	if (!der_take(&p.key, DER_OCTET_STRING, &value) || p.key.n != 0 || value.n != c->field_n)
		return E_WRAPPED_INVALID;
	if ((e = attrset_put(a, CKA_EC_PARAMS, p.oid)) != OK ||
	    (e = attrset_put(a, CKA_VALUE, value)) != OK)
		return e;
	return p.pub.n != 0 ? pkcs8_put_public_info(&p, a) : OK;
}

static enum err public_info(const struct key *k, struct buf *out)
{
	const struct curve *c = k->info;

	return pkey_public_info(k->pkey, c->oid, out);
}

const struct key_type_row edwards_key_type = {
	.type = CKK_EC_EDWARDS,
	.normalise = normalise,
	.parse = parse,
	.complete = complete,
	.wrap_form = wrap_form,
	.unwrap_form = unwrap_form,
	.public_info = public_info,
};

const struct key_type_row montgomery_key_type = {
	.type = CKK_EC_MONTGOMERY,
	.normalise = normalise,
	.parse = parse,
	.complete = complete,
	.wrap_form = wrap_form,
	.unwrap_form = unwrap_form,
	.public_info = public_info,
};
