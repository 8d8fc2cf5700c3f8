/* SPDX-License-Identifier: Apache-2.0 */
/* HKDF and PBKDF2 as mechanisms. */
#include "base/mem.h"
#include "crypto/families.h"
#include "crypto/kdfctx.h"
#include "crypto/key_type.h"
#include "crypto/param_rules.h"
#include "crypto/secret.h"

/* RFC 5869, 2.3: the counter of the expansion is one byte. */
#define EXPAND_MAX 255

/*
 * PKCS#11 3.2, HKDF: extraction yields a digest and nothing else; expansion what is asked for, up
 * to a limit.
 */
static enum err hkdf_length(const struct param *par, const struct hash *h,
			    const struct attrset *templ, size_t *n)
{
	CK_ULONG asked = attrset_ulong(templ, CKA_VALUE_LEN, h->size);

	if (par->expand && !attrset_has(templ, CKA_VALUE_LEN))
		return E_TEMPLATE_INCOMPLETE;
	if (par->expand ? asked == 0 || asked > EXPAND_MAX * h->size : asked != h->size)
		return E_TEMPLATE_INCONSISTENT;
	*n = asked;
	return OK;
}

static enum err salt_of(const struct mech *m, const struct param *par, const struct key *extra,
			struct span *salt)
{
	*salt = pbytes_span(&par->data);
	if (par->salt_type != CKF_HKDF_SALT_KEY)
		return OK;
	if (extra == NULL || !mech_takes(m, key_type(extra)))
		return E_MECHANISM_PARAM;
	*salt = span(extra->value, extra->value_n);
	return OK;
}

/* A key as the template says, or a data object. */
static enum err hkdf_put(const struct mech *m, const struct attrset *templ, struct span value,
			 struct attrset *made)
{
	enum err e;

	if ((m->traits & MECH_DERIVE_DATA) == 0)
		return secret_put(templ, attrset_ulong(templ, CKA_KEY_TYPE, CKK_GENERIC_SECRET),
				  value, made);
	e = attrset_put_ulong(made, CKA_CLASS, CKO_DATA);
	return e == OK ? attrset_put(made, CKA_VALUE, value) : e;
}

static enum err hkdf_derive(const struct mech *m, const struct param *par, struct key *base,
			    struct key *extra, const struct attrset *templ, struct attrset *made)
{
	struct hkdf_input in = {
		.hash = hash_of(par->hash),
		.extract = par->extract,
		.expand = par->expand,
		.secret = span(base->value, base->value_n),
		.info = pbytes_span(&par->context),
	};
	uint8_t *value;
	size_t n = 0;
	enum err e;

	if ((e = hkdf_length(par, in.hash, templ, &n)) != OK)
		return e;
	if ((e = salt_of(m, par, extra, &in.salt)) != OK)
		return e;
	value = mem_alloc_secret(n);
	if (value == NULL)
		return E_MEMORY;
	e = kdf_hkdf(&in, value, n);
	if (e == OK)
		e = hkdf_put(m, templ, span(value, n), made);
	mem_free(value);
	return e;
}

static enum err pbkdf2_generate(const struct mech *m, const struct param *par,
				const struct attrset *templ, struct attrset *made)
{
	CK_KEY_TYPE type = attrset_ulong(templ, CKA_KEY_TYPE, CK_UNAVAILABLE_INFORMATION);
	uint8_t *value;
	size_t n = 0;
	enum err e;

	(void)m;
	if (!attrset_has(templ, CKA_KEY_TYPE))
		return E_TEMPLATE_INCOMPLETE;
	if ((e = secret_length(templ, type, &n)) != OK)
		return e;
	value = mem_alloc_secret(n);
	if (value == NULL)
		return E_MEMORY;
	e = kdf_pbkdf2(hash_of(par->hash), pbytes_span(&par->context), pbytes_span(&par->data),
		       par->iterations, value, n);
	if (e == OK)
		e = secret_put(templ, type, span(value, n), made);
	mem_free(value);
	return e;
}

static const struct mech_make hkdf_make = { .derive = hkdf_derive };
static const struct mech_make pbkdf2_make = { .generate = pbkdf2_generate };

#define HKDF(mech, more)                                                                     \
	{                                                                                    \
		.type = (mech), .key_type = CKK_HKDF, .key_type2 = CKK_GENERIC_SECRET,       \
		.flags = CKF_DERIVE, .min_key = 1, .max_key = SECRET_MAX,                    \
		.traits = MECH_APPROVED | MECH_DERIVE_FROM_DATA | (more),                    \
		.hash = CK_UNAVAILABLE_INFORMATION, .param = param_hkdf, .make = &hkdf_make, \
		.needs = "HKDF", .kat = "HKDF"                                               \
	}

const struct mech kdf_mechs[] = {
	HKDF(CKM_HKDF_DERIVE, 0),
	HKDF(CKM_HKDF_DATA, MECH_DERIVE_DATA),
	{
		.type = CKM_PKCS5_PBKD2,
		.key_type = CK_UNAVAILABLE_INFORMATION,
		.key_type2 = CK_UNAVAILABLE_INFORMATION,
		.flags = CKF_GENERATE,
		.traits = MECH_APPROVED,
		.hash = CK_UNAVAILABLE_INFORMATION,
		.param = param_pbkdf2,
		.make = &pbkdf2_make,
		.needs = "PBKDF2",
		.kat = "PBKDF2",
	},
};
const size_t kdf_mechs_n = sizeof(kdf_mechs) / sizeof(kdf_mechs[0]);
