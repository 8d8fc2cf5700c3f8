/* SPDX-License-Identifier: Apache-2.0 */
#include "core/attr_check_value.h"

#include "base/buf.h"
#include "crypto/mech.h"

enum { CHECK_BYTES = 3, SHA1_BYTES = 20 };

/* E_NOT_SUPPORTED: SHA-1 is not among the mechanisms offered. */
static enum err sha1(struct span in, uint8_t digest[SHA1_BYTES])
{
	const struct mech *m = mech_find(CKM_SHA_1);
	struct sink o = sink(digest, SHA1_BYTES);
	struct param par = { 0 };
	struct run r = { 0 };
	enum err e;

	if (m == NULL)
		return E_NOT_SUPPORTED;
	e = run_begin(&r, m, USE_DIGEST, NULL, &par);
	if (e == OK)
		e = run_once(&r, in, &o);
	run_free(&r);
	return e;
}

enum err attr_check_value(struct attrset *obj)
{
	const struct attr *given = attrset_get(obj, CKA_CHECK_VALUE);
	struct span value = attrset_bytes(obj, CKA_VALUE);
	uint8_t digest[SHA1_BYTES];
	enum err e;

	if (attrset_ulong(obj, CKA_CLASS, CK_UNAVAILABLE_INFORMATION) != CKO_CERTIFICATE ||
	    value.n == 0)
		return OK;
	if (given != NULL && given->v.n == 0)
		return OK;
	e = sha1(value, digest);
	if (e == E_NOT_SUPPORTED)
		return OK;
	if (e != OK)
		return e;
	if (given == NULL)
		return attrset_put(obj, CKA_CHECK_VALUE, span(digest, CHECK_BYTES));
	return span_eq(given->v, span(digest, CHECK_BYTES)) ? OK : E_ATTR_VALUE;
}
