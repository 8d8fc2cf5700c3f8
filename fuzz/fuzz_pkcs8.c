/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unwrapped private keys: the first byte chooses the key type, the rest is what a cipher left. A
 * key that is taken must be whole: it is written again, and what was written is taken too.
 */
#include "base/attrset.h"
#include "crypto/key.h"
#include "crypto/lib.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const CK_KEY_TYPE types[] = { CKK_RSA, CKK_EC, CKK_EC_EDWARDS, CKK_EC_MONTGOMERY,
				     CKK_ML_DSA };

static struct attrset *private_key(CK_KEY_TYPE type)
{
	struct attrset *a = attrset_new(true);

	if (a == NULL || attrset_put_ulong(a, CKA_CLASS, CKO_PRIVATE_KEY) != OK ||
	    attrset_put_ulong(a, CKA_KEY_TYPE, type) != OK)
		abort();
	return a;
}

/* What was taken goes out and in again, and is the same. */
static void again(CK_KEY_TYPE type, const struct attrset *a)
{
	struct attrset *b = private_key(type);
	struct buf one = { .secret = true }, two = { .secret = true };

	if (key_wrap_form(a, &one) != OK || key_unwrap_form(buf_span(&one), true, b) != OK ||
	    key_wrap_form(b, &two) != OK || !span_eq(buf_span(&one), buf_span(&two)))
		abort();
	buf_free(&one);
	buf_free(&two);
	attrset_free(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct attrset *a;
	CK_KEY_TYPE type;

	if (n == 0 || crypto_start() != OK)
		return 0;
	type = types[data[0] / 2 % (sizeof(types) / sizeof(types[0]))];
	a = private_key(type);
	if (key_unwrap_form(span(data + 1, n - 1), data[0] % 2 != 0, a) == OK)
		again(type, a);
	attrset_free(a);
	return 0;
}
