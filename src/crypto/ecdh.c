/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Key agreement on Weierstrass and Montgomery curves (3.2, ECDH mechanisms), and Montgomery key
 * pairs.
 */
#include "crypto/ec.h"

#include "crypto/families.h"
#include "crypto/hash.h"
#include "crypto/key_type.h"
#include "crypto/param_rules.h"
#include "crypto/pkey.h"
#include "crypto/secret.h"

#include <openssl/core_names.h>
#include <openssl/kdf.h>

/* The peer's public key, in any of the forms of curve_point (3.2, 6.3.15 demands the bare one). */
static enum err peer_key(const struct curve *c, struct span data, EVP_PKEY **out)
{
	struct span point;
	enum err e;

	if (!curve_point(c, data, &point))
		return E_MECHANISM_PARAM;
	if (c->type == CKK_EC)
		e = ec_public_of(c, point, out);
	else
		e = pkey_of_bytes(c->name, false, OSSL_PKEY_PARAM_PUB_KEY, point, out);
	return e == E_ATTR_VALUE ? E_MECHANISM_PARAM : e;
}

static bool set_cofactor(const struct mech *m, EVP_PKEY_CTX *ctx)
{
	int on = 1;
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_int(OSSL_EXCHANGE_PARAM_EC_ECDH_COFACTOR_MODE, &on),
		OSSL_PARAM_construct_end(),
	};

	return m->type != CKM_ECDH1_COFACTOR_DERIVE || EVP_PKEY_CTX_set_params(ctx, params) > 0;
}

/* libcrypto fetches it itself, and finds it here: see pkey.c. */
static EVP_KEYEXCH *exchange(const struct curve *c)
{
	if (c->type == CKK_EC)
		return fetch_exchange(ALG_ECDH);
	return fetch_exchange(c->bits == 255 ? ALG_X25519 : ALG_X448);
}

/*
 * The shared secret Z, as long as the field whatever it begins with. A Montgomery point
 * of low order, which makes Z zero, fails here (RFC 7748, 6.1).
 */
static enum err agree(const struct mech *m, const struct key *own, EVP_PKEY *peer, struct buf *z)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(crypto_ctx(), own->pkey, NULL);
	size_t n = 0;
	enum err e = OK;

	if (ctx == NULL)
		e = E_MEMORY;
	else if (exchange(own->info) == NULL || EVP_PKEY_derive_init(ctx) <= 0 ||
		 !set_cofactor(m, ctx) || EVP_PKEY_derive_set_peer_ex(ctx, peer, 0) <= 0 ||
		 EVP_PKEY_derive(ctx, NULL, &n) <= 0)
		e = E_FAILED;
	else if ((e = buf_reserve(z, n)) == OK && EVP_PKEY_derive(ctx, z->p, &n) <= 0)
		e = E_MECHANISM_PARAM;
	if (e == OK)
		z->n = n;
	EVP_PKEY_CTX_free(ctx);
	return e == OK ? OK : pkey_fail(e);
}

/* ANSI X9.63, 5.6.3, from the start of its output. */
static enum err x963(const struct param *par, struct span z, uint8_t *out, size_t n)
{
	const struct hash *h = hash_of(par->hash);
	EVP_KDF_CTX *ctx = EVP_KDF_CTX_new(fetch_kdf(ALG_X963KDF));
	OSSL_PARAM params[4], *p = params;
	enum err e = E_MEMORY;

	*p++ = pkey_param_name(OSSL_KDF_PARAM_DIGEST, fetch_name(h->alg));
	*p++ = pkey_param_bytes(OSSL_KDF_PARAM_KEY, z);
	if (par->context.n != 0)
		*p++ = pkey_param_bytes(OSSL_KDF_PARAM_INFO, pbytes_span(&par->context));
	*p = OSSL_PARAM_construct_end();
	if (ctx != NULL)
		e = EVP_KDF_derive(ctx, out, n, params) > 0 ? OK : E_FAILED;
	EVP_KDF_CTX_free(ctx);
	return e == OK ? OK : pkey_fail(e);
}

/*
 * 3.2, 6.3.17: what is too much of Z is cut from its front; a KDF's output is used from its start.
 */
static enum err make_value(const struct param *par, struct span z, size_t n, struct buf *value)
{
	enum err e;

	if (par->kdf == CKD_NULL)
		return n <= z.n ? buf_put(value, span(z.p + (z.n - n), n)) : E_ATTR_VALUE;
	if ((e = buf_reserve(value, n)) != OK)
		return e;
	if ((e = x963(par, z, value->p, n)) == OK)
		value->n = n;
	return e;
}

/* 3.2, 6.3.17: without a KDF all of Z is the key, unless the template wants less. */
static enum err wanted_length(const struct param *par, const struct attrset *templ,
			      CK_KEY_TYPE type, size_t z_n, size_t *n)
{
	*n = z_n;
	if (par->kdf == CKD_NULL && !attrset_has(templ, CKA_VALUE_LEN))
		return OK;
	return secret_length(templ, type, n);
}

static enum err derive(const struct mech *m, const struct param *par, struct key *base,
		       struct key *extra, const struct attrset *templ, struct attrset *made)
{
	struct buf z = { .secret = true }, value = { .secret = true };
	CK_KEY_TYPE type = attrset_ulong(templ, CKA_KEY_TYPE, CKK_GENERIC_SECRET);
	EVP_PKEY *peer = NULL;
	size_t n;
	enum err e;

	(void)extra;
	if (base->class != CKO_PRIVATE_KEY)
		return E_KEY_TYPE;
	if ((e = peer_key(base->info, pbytes_span(&par->data), &peer)) == OK &&
	    (e = agree(m, base, peer, &z)) == OK &&
	    (e = wanted_length(par, templ, type, z.n, &n)) == OK &&
	    (e = make_value(par, buf_span(&z), n, &value)) == OK)
		e = secret_put(templ, type, buf_span(&value), made);
	EVP_PKEY_free(peer);
	buf_free(&value);
	buf_free(&z);
	return e;
}

const struct mech_make ecdh_make = { .derive = derive };

#define NO_HASH CK_UNAVAILABLE_INFORMATION

const struct mech xdh_mechs[] = {
	{ .type = CKM_EC_MONTGOMERY_KEY_PAIR_GEN,
	  .key_type = CKK_EC_MONTGOMERY,
	  .key_type2 = CKK_EC_MONTGOMERY,
	  .flags = CKF_GENERATE_KEY_PAIR | CKF_EC_F_P | CKF_EC_OID | CKF_EC_CURVENAME,
	  .min_key = 255,
	  .max_key = 448,
	  .hash = NO_HASH,
	  .make = &curve_make,
	  .needs = "X25519",
	  .kat = "X25519" },
};
const size_t xdh_mechs_n = sizeof(xdh_mechs) / sizeof(xdh_mechs[0]);
