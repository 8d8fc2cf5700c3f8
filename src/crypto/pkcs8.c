/* SPDX-License-Identifier: Apache-2.0 */
#include "crypto/pkcs8.h"

#include "crypto/der.h"
#include "crypto/spki.h"

enum { PKCS8_ATTRIBUTES = DER_CONTEXT_CONSTRUCTED + 0, PKCS8_PUBLIC_KEY = DER_CONTEXT + 1 };

static bool all_zero(struct span s)
{
	return der_trim(s).n == 0;
}

/* The version number: 0, or 1 when a public key may follow. */
static bool take_version(struct span *in, bool *second)
{
	struct span v;

	if (!der_take_uint(in, &v) || v.n > 1 || (v.n == 1 && v.p[0] != 1))
		return false;
	*second = v.n == 1;
	return true;
}

static bool take_algorithm(struct span *in, struct pkcs8 *p)
{
	struct span alg, any;

	if (!der_take(in, DER_SEQUENCE, &alg) || !der_take_oid(&alg, &p->oid))
		return false;
	p->params = alg;
	/* parameters, if any, are exactly one value */
	return alg.n == 0 || (der_take(&alg, alg.p[0], &any) && alg.n == 0);
}

enum err pkcs8_take(struct span in, bool zero_padded, struct pkcs8 *p)
{
	struct span body, attributes;
	bool second;

	memset(p, 0, sizeof(*p));
	if (!der_take(&in, DER_SEQUENCE, &body) || !(in.n == 0 || (zero_padded && all_zero(in))))
		return E_WRAPPED_INVALID;
	if (!take_version(&body, &second) || !take_algorithm(&body, p) ||
	    !der_take(&body, DER_OCTET_STRING, &p->key))
		return E_WRAPPED_INVALID;
	if (der_next(body, PKCS8_ATTRIBUTES) && !der_take(&body, PKCS8_ATTRIBUTES, &attributes))
		return E_WRAPPED_INVALID;
	if (second && body.n != 0 && !der_take_bits(&body, PKCS8_PUBLIC_KEY, &p->pub))
		return E_WRAPPED_INVALID;
	return body.n == 0 ? OK : E_WRAPPED_INVALID;
}

enum err pkcs8_put(struct buf *out, const struct pkcs8 *p)
{
	const uint8_t version = p->pub.n != 0;
	size_t from = out->n;
	enum err e;

	if ((e = der_put_uint(out, span(&version, 1))) != OK ||
	    (e = spki_put_algorithm(out, p->oid, p->params)) != OK ||
	    (e = der_put(out, DER_OCTET_STRING, p->key)) != OK)
		return e;
	if (p->pub.n != 0 && (e = der_put_bits(out, PKCS8_PUBLIC_KEY, p->pub)) != OK)
		return e;
	return der_wrap(out, from, DER_SEQUENCE);
}

enum err pkcs8_put_public_info(const struct pkcs8 *p, struct attrset *a)
{
	struct buf info = { 0 };
	enum err e = spki_put(&info, p->oid, p->params, p->pub);

	if (e == OK)
		e = attrset_put(a, CKA_PUBLIC_KEY_INFO, buf_span(&info));
	buf_free(&info);
	return e;
}
