/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/keyid.h"
#include "cli/template.h"
#include <openssl/sha.h>

#define ID_BYTES 20

/* What the id is computed from: the first of these that the module gives. */
static const CK_ATTRIBUTE_TYPE sources[] = { CKA_PUBLIC_KEY_INFO, CKA_MODULUS, CKA_EC_POINT,
					     CKA_VALUE };

enum err keyid_of(struct desk d, CK_OBJECT_HANDLE pub, struct buf *id, struct why *why)
{
	struct buf source = { 0 };
	uint8_t digest[SHA256_DIGEST_LENGTH];
	enum err e = E_ATTR_TYPE;

	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]) && source.n == 0; i++)
		e = object_attr(d, pub, sources[i], &source, why);
	if (e == OK && source.n > 0) {
		SHA256(source.p, source.n, digest);
		buf_clear(id);
		e = buf_put(id, span(digest, ID_BYTES));
	}
	buf_free(&source);
	return e;
}

enum err keyid_assign(struct desk d, CK_OBJECT_HANDLE pub, CK_OBJECT_HANDLE priv, struct why *why)
{
	const CK_FUNCTION_LIST *fn = module_fn(d.m);
	struct buf id = { 0 };
	struct template t = { 0 };
	enum err e = keyid_of(d, pub, &id, why);

	template_bytes(&t, CKA_ID, buf_span(&id));
	if (e == OK)
		e = module_err(fn->C_SetAttributeValue(d.h, pub, t.a, t.n), "C_SetAttributeValue",
			       why);
	if (e == OK && priv != 0)
		e = module_err(fn->C_SetAttributeValue(d.h, priv, t.a, t.n), "C_SetAttributeValue",
			       why);
	buf_free(&id);
	return e;
}
