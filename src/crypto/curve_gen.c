/* SPDX-License-Identifier: Apache-2.0 */
/* Key pairs on all curves: the public template's CKA_EC_PARAMS says which. */
#include "crypto/ec.h"

#include "crypto/key_type.h"
#include "crypto/pkey.h"

#include <openssl/core_names.h>

static enum err generate(const struct curve *c, EVP_PKEY **out)
{
	const OSSL_PARAM group[] = {
		pkey_param_name(OSSL_PKEY_PARAM_GROUP_NAME, c->name),
		OSSL_PARAM_construct_end(),
	};

	if (c->type == CKK_EC)
		return pkey_generate("EC", group, out);
	return pkey_generate(c->name, group + 1, out);
}

static enum err put_halves(const struct curve *c, const EVP_PKEY *pk, struct attrset *pub,
			   struct attrset *priv)
{
	enum err e = pkey_put_bytes(pk, OSSL_PKEY_PARAM_PUB_KEY, pub, CKA_EC_POINT);

	if (e != OK)
		return e;
	if (c->type == CKK_EC)
		return pkey_put_number(pk, OSSL_PKEY_PARAM_PRIV_KEY, priv, CKA_VALUE);
	return pkey_put_bytes(pk, OSSL_PKEY_PARAM_PRIV_KEY, priv, CKA_VALUE);
}

static enum err generate_pair(const struct mech *m, const struct param *par,
			      const struct attrset *pub_templ, const struct attrset *priv_templ,
			      struct attrset *pub, struct attrset *priv)
{
	struct span params = attrset_bytes(pub_templ, CKA_EC_PARAMS);
	const struct curve *c;
	EVP_PKEY *pk = NULL;
	enum err e;

	(void)par;
	(void)priv_templ;
	if (!attrset_has(pub_templ, CKA_EC_PARAMS))
		return E_TEMPLATE_INCOMPLETE;
	if ((e = curve_find(m->key_type, params, &c)) != OK || (e = generate(c, &pk)) != OK)
		return e;
	/* The same bytes on both halves, in the form that was given */
	if ((e = attrset_put(pub, CKA_EC_PARAMS, params)) == OK &&
	    (e = attrset_put(priv, CKA_EC_PARAMS, params)) == OK)
		e = put_halves(c, pk, pub, priv);
	EVP_PKEY_free(pk);
	return e == OK ? key_pair_finish(m->key_type, pub, priv) : e;
}

const struct mech_make curve_make = { .generate_pair = generate_pair };
