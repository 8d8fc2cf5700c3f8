/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Curve parameters and points of public keys: the first byte chooses the key type, the second says
 * how long the parameters are, the rest is parameters and point. A key that is taken has its
 * standard form, which is taken again unchanged.
 */
#include "base/attrset.h"
#include "crypto/key.h"
#include "crypto/lib.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const CK_KEY_TYPE types[] = { CKK_EC, CKK_EC_EDWARDS, CKK_EC_MONTGOMERY };

static struct attrset *public_key(CK_KEY_TYPE type, struct span params, struct span point)
{
	struct attrset *a = attrset_new(false);

	if (a == NULL || attrset_put_ulong(a, CKA_CLASS, CKO_PUBLIC_KEY) != OK ||
	    attrset_put_ulong(a, CKA_KEY_TYPE, type) != OK ||
	    attrset_put(a, CKA_EC_PARAMS, params) != OK ||
	    attrset_put(a, CKA_EC_POINT, point) != OK)
		abort();
	return a;
}

static void again(CK_KEY_TYPE type, const struct attrset *a)
{
	struct attrset *b =
		public_key(type, attrset_bytes(a, CKA_EC_PARAMS), attrset_bytes(a, CKA_EC_POINT));

	if (key_complete(b) != OK ||
	    !span_eq(attrset_bytes(a, CKA_EC_POINT), attrset_bytes(b, CKA_EC_POINT)) ||
	    !span_eq(attrset_bytes(a, CKA_PUBLIC_KEY_INFO), attrset_bytes(b, CKA_PUBLIC_KEY_INFO)))
		abort();
	attrset_free(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct attrset *a;
	CK_KEY_TYPE type;
	size_t params;

	if (n < 2 || crypto_start() != OK)
		return 0;
	type = types[data[0] % (sizeof(types) / sizeof(types[0]))];
	params = data[1] < n - 2 ? data[1] : n - 2;
	a = public_key(type, span(data + 2, params), span(data + 2 + params, n - 2 - params));
	if (key_complete(a) == OK)
		again(type, a);
	attrset_free(a);
	return 0;
}
