/* SPDX-License-Identifier: Apache-2.0 */
#include "crypto/rsa.h"

#include "crypto/der.h"
#include "crypto/key_type.h"
#include "crypto/pkey.h"

#include <openssl/core_names.h>

static const uint8_t f4[] = { 1, 0, 1 }; /* 65537: 3.2, 6.1.6, when the template has no exponent */

/*
 * The exponent that the template asks for, without leading zeros; it lives as long as the template.
 */
static enum err wanted_exponent(const struct attrset *templ, CK_ULONG bits, struct span *out)
{
	*out = span(f4, sizeof(f4));
	if (!attrset_has(templ, CKA_PUBLIC_EXPONENT))
		return OK;
	*out = der_trim(attrset_bytes(templ, CKA_PUBLIC_EXPONENT));
	return rsa_exponent_ok(*out, bits) ? OK : E_ATTR_VALUE;
}

static enum err wanted_bits(const struct attrset *templ, CK_ULONG *bits)
{
	if (!attrset_has(templ, CKA_MODULUS_BITS))
		return E_TEMPLATE_INCOMPLETE;
	*bits = attrset_ulong(templ, CKA_MODULUS_BITS, 0);
	/* libcrypto's primes are of one size, so it gives an odd size a bit less than asked for */
	if (*bits < RSA_MIN_BITS || *bits > RSA_MAX_BITS || *bits % 2 != 0)
		return E_KEY_SIZE;
	return OK;
}

static enum err generate(CK_ULONG bits, struct span exponent, EVP_PKEY **out)
{
	OSSL_PARAM_BLD *b = OSSL_PARAM_BLD_new();
	BIGNUM *v = BN_bin2bn(exponent.p, (int)exponent.n, NULL);
	OSSL_PARAM *params = NULL;
	enum err e = E_MEMORY;

	if (b != NULL && v != NULL &&
	    OSSL_PARAM_BLD_push_size_t(b, OSSL_PKEY_PARAM_RSA_BITS, bits) &&
	    OSSL_PARAM_BLD_push_BN(b, OSSL_PKEY_PARAM_RSA_E, v))
		params = OSSL_PARAM_BLD_to_param(b);
	if (params != NULL)
		e = pkey_generate("RSA", params, out);
	OSSL_PARAM_free(params);
	OSSL_PARAM_BLD_free(b);
	BN_free(v);
	return e == OK ? OK : pkey_fail(e);
}

/* Puts the numbers of the pair: all into priv, the public ones into pub. */
static enum err put_numbers(const EVP_PKEY *pk, struct attrset *pub, struct attrset *priv)
{
	enum err e = OK;

	for (size_t i = 0; e == OK && i < RSA_NUMBERS; i++) {
		e = pkey_put_number(pk, rsa_numbers[i].param, priv, rsa_numbers[i].attr);
		if (e == OK && i < RSA_PUBLIC_NUMBERS)
			e = pkey_put_number(pk, rsa_numbers[i].param, pub, rsa_numbers[i].attr);
	}
	return e;
}

static enum err generate_pair(const struct mech *m, const struct param *par,
			      const struct attrset *pub_templ, const struct attrset *priv_templ,
			      struct attrset *pub, struct attrset *priv)
{
	struct span exponent;
	EVP_PKEY *pk = NULL;
	CK_ULONG bits;
	enum err e;

	(void)par;
	(void)priv_templ;
	if ((e = wanted_bits(pub_templ, &bits)) != OK ||
	    (e = wanted_exponent(pub_templ, bits, &exponent)) != OK ||
	    (e = generate(bits, exponent, &pk)) != OK)
		return e;
	e = put_numbers(pk, pub, priv);
	EVP_PKEY_free(pk);
	return e == OK ? key_pair_finish(m->key_type, pub, priv) : e;
}

const struct mech_make rsa_make = { .generate_pair = generate_pair };
