/* SPDX-License-Identifier: Apache-2.0 */
#include "crypto/derived.h"

#include "crypto/key.h"

/* Key types of one length only. */
static const struct {
	CK_KEY_TYPE type;
	size_t n;
} fixed_lengths[] = {
	{ CKK_DES, 8 },       { CKK_DES2, 16 },    { CKK_DES3, 24 },
	{ CKK_CHACHA20, 32 }, { CKK_SALSA20, 32 }, { CKK_POLY1305, 32 },
};

static CK_KEY_TYPE wanted_type(const struct attrset *templ)
{
	return attrset_ulong(templ, CKA_KEY_TYPE, CKK_GENERIC_SECRET);
}

static size_t fixed_length(CK_KEY_TYPE type)
{
	for (size_t i = 0; i < sizeof(fixed_lengths) / sizeof(fixed_lengths[0]); i++)
		if (fixed_lengths[i].type == type)
			return fixed_lengths[i].n;
	return 0;
}

enum err derived_length(const struct attrset *templ, size_t natural, size_t *n)
{
	size_t fixed = fixed_length(wanted_type(templ));

	if (!attrset_has(templ, CKA_VALUE_LEN)) {
		*n = fixed != 0 ? fixed : natural;
		return *n != 0 ? OK : E_TEMPLATE_INCOMPLETE;
	}
	*n = attrset_ulong(templ, CKA_VALUE_LEN, 0);
	if (*n == 0)
		return E_KEY_SIZE;
	return fixed == 0 || *n == fixed ? OK : E_TEMPLATE_INCONSISTENT;
}

enum err derived_put(const struct attrset *templ, struct span value, struct attrset *made)
{
	CK_OBJECT_CLASS class = attrset_ulong(templ, CKA_CLASS, CKO_SECRET_KEY);
	enum err e;

	if ((e = attrset_put_ulong(made, CKA_CLASS, class)) != OK ||
	    (e = attrset_put(made, CKA_VALUE, value)) != OK || class == CKO_DATA)
		return e;
	if ((e = attrset_put_ulong(made, CKA_KEY_TYPE, wanted_type(templ))) != OK)
		return e;
	return key_complete(made);
}
