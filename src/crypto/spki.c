/* SPDX-License-Identifier: Apache-2.0 */
#include "crypto/spki.h"

#include "crypto/der.h"

enum err spki_put_algorithm(struct buf *out, struct span oid, struct span params)
{
	size_t from = out->n;
	enum err e;

	if ((e = buf_put(out, oid)) != OK || (e = buf_put(out, params)) != OK)
		return e;
	return der_wrap(out, from, DER_SEQUENCE);
}

enum err spki_put(struct buf *out, struct span oid, struct span params, struct span key)
{
	size_t from = out->n;
	enum err e;

	if ((e = spki_put_algorithm(out, oid, params)) != OK ||
	    (e = der_put_bits(out, DER_BIT_STRING, key)) != OK)
		return e;
	return der_wrap(out, from, DER_SEQUENCE);
}
