/* SPDX-License-Identifier: Apache-2.0 */
/* ML-DSA keys (3.2, ML-DSA; RFC 9881): a private key is a seed, an expanded key, or both. */
#include "crypto/mldsa.h"

#include "base/mem.h"
#include "crypto/der.h"
#include "crypto/key_type.h"
#include "crypto/pkcs8.h"
#include "crypto/pkey.h"

#include <openssl/core_names.h>

#define OID(last)                                                                    \
	{                                                                            \
		(const uint8_t *)"\x06\x09\x60\x86\x48\x01\x65\x03\x04\x03" last, 11 \
	}

static const struct mldsa sets[] = {
	{ CKP_ML_DSA_44, OID("\x11"), "ML-DSA-44", ALG_ML_DSA_44, 1312, 2560, 2420 },
	{ CKP_ML_DSA_65, OID("\x12"), "ML-DSA-65", ALG_ML_DSA_65, 1952, 4032, 3309 },
	{ CKP_ML_DSA_87, OID("\x13"), "ML-DSA-87", ALG_ML_DSA_87, 2592, 4896, 4627 },
};

enum {
	SETS = sizeof(sets) / sizeof(sets[0]),
	SEED_ONLY = DER_CONTEXT + 0 /* tag of the seed in ML-DSA-PrivateKey (RFC 9881, 6) */
};

/*
 * Most of a parsed private key is its matrix and vectors in the transformed domain, four bytes a
 * coefficient.
 */
#define FOOTPRINT(m) (8 * (m)->private_n + 1024)

enum err mldsa_of(const struct attrset *a, const struct mldsa **out)
{
	CK_ULONG set = attrset_ulong(a, CKA_PARAMETER_SET, 0);

	if (!attrset_has(a, CKA_PARAMETER_SET))
		return E_TEMPLATE_INCOMPLETE;
	for (size_t i = 0; i < SETS; i++) {
		if (sets[i].set == set) {
			*out = &sets[i];
			return OK;
		}
	}
	return E_PARAMETER_SET;
}

static enum err normalise(struct attrset *a)
{
	const bool private = key_attrs_private(a);

	/* a caller that has only one of the two often sends the other empty */
	if (private && attrset_bytes(a, CKA_SEED).n == 0)
		attrset_drop(a, CKA_SEED);
	if (private && attrset_bytes(a, CKA_VALUE).n == 0)
		attrset_drop(a, CKA_VALUE);
	if (attrset_has(a, CKA_VALUE) || (private && attrset_has(a, CKA_SEED)))
		return OK;
	return E_TEMPLATE_INCOMPLETE;
}

static enum err build_seed(const struct mldsa *m, struct span seed, EVP_PKEY **out)
{
	if (seed.n != MLDSA_SEED)
		return E_ATTR_VALUE;
	return pkey_of_bytes(m->name, true, OSSL_PKEY_PARAM_ML_DSA_SEED, seed, out);
}

static enum err parse_private(const struct attrset *a, const struct mldsa *m, EVP_PKEY **out)
{
	struct span value = attrset_bytes(a, CKA_VALUE);

	if (!attrset_has(a, CKA_VALUE))
		return build_seed(m, attrset_bytes(a, CKA_SEED), out);
	if (value.n != m->private_n)
		return E_ATTR_VALUE;
	return pkey_of_bytes(m->name, true, OSSL_PKEY_PARAM_PRIV_KEY, value, out);
}

static enum err parse(const struct attrset *a, struct key *k)
{
	struct span value = attrset_bytes(a, CKA_VALUE);
	const struct mldsa *m;
	enum err e = mldsa_of(a, &m);

	if (e != OK)
		return e;
	k->info = m;
	k->size = m->public_n;
	if (k->class == CKO_PRIVATE_KEY) {
		k->footprint = FOOTPRINT(m);
		return parse_private(a, m, &k->pkey);
	}
	if (value.n != m->public_n)
		return E_ATTR_VALUE;
	return pkey_of_bytes(m->name, false, OSSL_PKEY_PARAM_PUB_KEY, value, &k->pkey);
}

/* RFC 9881, 6: a seed and an expanded key that came together must be the same key. */
static enum err check_seed(const struct key *k, const struct attrset *a)
{
	struct span value = attrset_bytes(a, CKA_VALUE);
	struct buf expanded = { .secret = true };
	EVP_PKEY *pk = NULL;
	enum err e = build_seed(k->info, attrset_bytes(a, CKA_SEED), &pk);

	if (e == OK)
		e = pkey_bytes(pk, OSSL_PKEY_PARAM_PRIV_KEY, &expanded);
	if (e == OK && !(expanded.n == value.n && mem_equal(expanded.p, value.p, value.n)))
		e = E_ATTR_VALUE;
	buf_free(&expanded);
	EVP_PKEY_free(pk);
	return e;
}

static enum err complete(const struct key *k, struct attrset *a)
{
	if (k->class == CKO_PUBLIC_KEY)
		return OK;
	if (!attrset_has(a, CKA_VALUE))
		return pkey_put_bytes(k->pkey, OSSL_PKEY_PARAM_PRIV_KEY, a, CKA_VALUE);
	return attrset_has(a, CKA_SEED) ? check_seed(k, a) : OK;
}

/* RFC 9881, 6: the seed alone where there is one, which is the form it recommends. */
static enum err wrap_form(const struct key *k, const struct attrset *a, struct buf *out)
{
	const struct mldsa *m = k->info;
	struct pkcs8 p = { .oid = m->oid };
	struct buf inner = { .secret = true };
	enum err e;

	if (attrset_has(a, CKA_SEED))
		e = der_put(&inner, SEED_ONLY, attrset_bytes(a, CKA_SEED));
	else
		e = der_put(&inner, DER_OCTET_STRING, attrset_bytes(a, CKA_VALUE));
	if (e == OK) {
		p.key = buf_span(&inner);
		e = pkcs8_put(out, &p);
	}
	buf_free(&inner);
	return e;
}

/* ML-DSA-PrivateKey: one of three forms, told apart by the tag. Absent parts are left empty. */
static bool take_private(struct span in, struct span *seed, struct span *expanded)
{
	struct span both;

	*seed = *expanded = span(NULL, 0);
	if (der_next(in, SEED_ONLY))
		return der_take(&in, SEED_ONLY, seed) && in.n == 0 && seed->n == MLDSA_SEED;
	if (der_next(in, DER_OCTET_STRING))
		return der_take(&in, DER_OCTET_STRING, expanded) && in.n == 0 && expanded->n != 0;
	return der_take(&in, DER_SEQUENCE, &both) && in.n == 0 &&
	       der_take(&both, DER_OCTET_STRING, seed) &&
	       der_take(&both, DER_OCTET_STRING, expanded) && both.n == 0 &&
	       seed->n == MLDSA_SEED && expanded->n != 0;
}

static const struct mldsa *set_of_oid(struct span oid)
{
	for (size_t i = 0; i < SETS; i++)
		if (span_eq(sets[i].oid, oid))
			return &sets[i];
	return NULL;
}

static enum err unwrap_form(struct span in, bool len_exact, struct attrset *a)
{
	struct span seed, expanded;
	const struct mldsa *m;
	struct pkcs8 p;
	enum err e = pkcs8_take(in, !len_exact, &p);

	if (e != OK)
		return e;
	m = set_of_oid(p.oid);
	if (m == NULL || p.params.n != 0 || !take_private(p.key, &seed, &expanded))
		return E_WRAPPED_INVALID;
	if ((e = attrset_put_ulong(a, CKA_PARAMETER_SET, m->set)) != OK)
		return e;
	if (seed.n != 0 && (e = attrset_put(a, CKA_SEED, seed)) != OK)
		return e;
	if (expanded.n != 0 && (e = attrset_put(a, CKA_VALUE, expanded)) != OK)
		return e;
	return p.pub.n != 0 ? pkcs8_put_public_info(&p, a) : OK;
}

static enum err public_info(const struct key *k, struct buf *out)
{
	const struct mldsa *m = k->info;

	return pkey_public_info(k->pkey, m->oid, out);
}

const struct key_type_row mldsa_key_type = {
	.type = CKK_ML_DSA,
	.normalise = normalise,
	.parse = parse,
	.complete = complete,
	.wrap_form = wrap_form,
	.unwrap_form = unwrap_form,
	.public_info = public_info,
};

static enum err generate_pair(const struct mech *m, const struct param *par,
			      const struct attrset *pub_templ, const struct attrset *priv_templ,
			      struct attrset *pub, struct attrset *priv)
{
	const struct mldsa *set;
	EVP_PKEY *pk = NULL;
	enum err e;

	(void)par;
	(void)priv_templ;
	if ((e = mldsa_of(pub_templ, &set)) != OK ||
	    (e = pkey_generate(set->name, NULL, &pk)) != OK)
		return e;
	if ((e = attrset_put_ulong(pub, CKA_PARAMETER_SET, set->set)) == OK &&
	    (e = attrset_put_ulong(priv, CKA_PARAMETER_SET, set->set)) == OK &&
	    (e = pkey_put_bytes(pk, OSSL_PKEY_PARAM_PUB_KEY, pub, CKA_VALUE)) == OK &&
	    (e = pkey_put_bytes(pk, OSSL_PKEY_PARAM_ML_DSA_SEED, priv, CKA_SEED)) == OK)
		e = pkey_put_bytes(pk, OSSL_PKEY_PARAM_PRIV_KEY, priv, CKA_VALUE);
	EVP_PKEY_free(pk);
	return e == OK ? key_pair_finish(m->key_type, pub, priv) : e;
}

const struct mech_make mldsa_make = { .generate_pair = generate_pair };
