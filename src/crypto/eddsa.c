/* SPDX-License-Identifier: Apache-2.0 */
/* Key pairs on Edwards curves and EdDSA (3.2, 6.3; RFC 8032). */
#include "crypto/asym.h"
#include "crypto/ec.h"
#include "crypto/families.h"
#include "crypto/param_rules.h"
#include "crypto/pkey.h"

#include <openssl/core_names.h>

enum { ED25519_BITS = 255, ED448_BITS = 448 };

static size_t signature_n(const struct run *r)
{
	const struct curve *c = r->key->info;

	return 2 * c->field_n;
}

/*
 * The scheme that parameter and curve ask for (3.2, table of EdDSA schemes). Ed448 has
 * always a context, empty or not. Ed25519 has none without a parameter; with one, it is Ed25519ctx,
 * whose context must not be empty for libcrypto (and should not, RFC 8032, 8.3): that is refused,
 * never taken for something else.
 */
static enum err scheme(const struct run *r, enum alg *alg)
{
	const struct param *p = &r->param;

	if (key_size(r->key) == ED448_BITS)
		*alg = p->prehash ? ALG_ED448PH : ALG_ED448;
	else if (p->prehash)
		*alg = ALG_ED25519PH;
	else if (!p->given)
		*alg = ALG_ED25519;
	else if (p->context.n != 0)
		*alg = ALG_ED25519CTX;
	else
		return E_MECHANISM_PARAM;
	return OK;
}

static enum err setup(struct run *r, EVP_PKEY_CTX *ctx)
{
	OSSL_PARAM params[2], *p = params;
	enum alg alg;
	enum err e = scheme(r, &alg);

	if (e != OK)
		return e;
	if (r->param.context.n != 0)
		*p++ = pkey_param_bytes(OSSL_SIGNATURE_PARAM_CONTEXT_STRING,
					pbytes_span(&r->param.context));
	*p = OSSL_PARAM_construct_end();
	return asym_init_message(r, ctx, alg, params) ? OK : E_FAILED;
}

static enum err begin(struct run *r)
{
	return asym_begin(r, setup);
}

static size_t bound(const struct run *r, size_t n, bool last)
{
	(void)n;
	return last ? signature_n(r) : 0;
}

static enum err once(struct run *r, struct span in, struct sink *o)
{
	return asym_apply(r, in, o, E_FAILED);
}

static enum err verify_once(struct run *r, struct span in, struct span sig)
{
	if (sig.n != signature_n(r))
		return E_SIGNATURE_LEN;
	return asym_verify(r, in, sig);
}

/*
 * Signing reads the message twice (RFC 8032, 5.1.6): parts are collected by the caller of the ops.
 */
static const struct mech_ops eddsa_ops = {
	.begin = begin,
	.bound = bound,
	.once = once,
	.verify_once = verify_once,
	.drop = asym_drop,
};

#define EDWARDS_ROW(mech, f, t)                                                                   \
	.type = (mech), .key_type = CKK_EC_EDWARDS, .key_type2 = CKK_EC_EDWARDS,                  \
	.flags = (f) | CKF_EC_F_P | CKF_EC_OID | CKF_EC_CURVENAME, .min_key = ED25519_BITS,       \
	.max_key = ED448_BITS, .traits = (t) | MECH_APPROVED, .hash = CK_UNAVAILABLE_INFORMATION, \
	.needs = "ED25519", .kat = "ED25519"

const struct mech eddsa_mechs[] = {
	{ EDWARDS_ROW(CKM_EC_EDWARDS_KEY_PAIR_GEN, CKF_GENERATE_KEY_PAIR, 0), .make = &curve_make },
	{ EDWARDS_ROW(CKM_EDDSA, CKF_SIGN | CKF_VERIFY, MECH_BUFFER | MECH_VERIFY_SIG_FIRST),
	  .param = param_eddsa, .ops = &eddsa_ops },
};
const size_t eddsa_mechs_n = sizeof(eddsa_mechs) / sizeof(eddsa_mechs[0]);
