/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ML-DSA mechanisms (3.2; FIPS 204). A message in parts is hashed to mu as it comes, so that
 * nothing is collected; libcrypto signs mu as it would have signed the message.
 */
#include "crypto/mldsa.h"

#include "crypto/asym.h"
#include "crypto/families.h"
#include "crypto/param_rules.h"
#include "crypto/pkey.h"

#include <openssl/core_names.h>

static const struct mldsa *set_of(const struct run *r)
{
	return r->key->info;
}

static enum err setup(struct run *r, EVP_PKEY_CTX *ctx)
{
	int deterministic = r->param.hedge == CKH_DETERMINISTIC_REQUIRED;
	OSSL_PARAM params[3], *p = params;

	if (r->param.context.n != 0)
		*p++ = pkey_param_bytes(OSSL_SIGNATURE_PARAM_CONTEXT_STRING,
					pbytes_span(&r->param.context));
	*p++ = OSSL_PARAM_construct_int(OSSL_SIGNATURE_PARAM_DETERMINISTIC, &deterministic);
	*p = OSSL_PARAM_construct_end();
	return asym_init_message(r, ctx, set_of(r)->alg, params) ? OK : E_FAILED;
}

static enum err begin(struct run *r)
{
	return asym_begin(r, setup);
}

static size_t bound(const struct run *r, size_t n, bool last)
{
	(void)n;
	return last ? set_of(r)->signature_n : 0;
}

static enum err once(struct run *r, struct span in, struct sink *o)
{
	return asym_apply(r, in, o, E_FAILED);
}

static enum err verify_once(struct run *r, struct span in, struct span sig)
{
	if (sig.n != set_of(r)->signature_n)
		return E_SIGNATURE_LEN;
	return asym_verify(r, in, sig);
}

/* tr: the digest of the public key. */
static enum err key_digest(const struct key *k, EVP_MD_CTX *md, uint8_t tr[MLDSA_TR])
{
	struct buf pub = { 0 };
	enum err e = pkey_bytes(k->pkey, OSSL_PKEY_PARAM_PUB_KEY, &pub);

	if (e == OK &&
	    !(EVP_DigestInit_ex2(md, fetch_md(ALG_SHAKE256), NULL) > 0 &&
	      EVP_DigestUpdate(md, pub.p, pub.n) > 0 && EVP_DigestFinalXOF(md, tr, MLDSA_TR) > 0))
		e = pkey_fail(E_FAILED);
	buf_free(&pub);
	return e;
}

/* FIPS 204, algorithm 2, line 10 and algorithm 7, line 6: what stands before the message in mu. */
static enum err stream_start(struct run *r)
{
	struct asym *s = r->state;
	struct span context = pbytes_span(&r->param.context);
	const uint8_t head[] = { 0, (uint8_t)context.n };
	uint8_t tr[MLDSA_TR];
	enum err e;

	if (s->mdctx == NULL && (s->mdctx = EVP_MD_CTX_new()) == NULL)
		return pkey_fail(E_MEMORY);
	if ((e = key_digest(r->key, s->mdctx, tr)) != OK)
		return e;
	if (EVP_DigestInit_ex2(s->mdctx, fetch_md(ALG_SHAKE256), NULL) <= 0 ||
	    EVP_DigestUpdate(s->mdctx, tr, sizeof(tr)) <= 0 ||
	    EVP_DigestUpdate(s->mdctx, head, sizeof(head)) <= 0 ||
	    EVP_DigestUpdate(s->mdctx, context.p, context.n) <= 0)
		return pkey_fail(E_FAILED);
	s->streaming = true;
	return OK;
}

static enum err update(struct run *r, struct span in, struct sink *o)
{
	struct asym *s = r->state;
	enum err e = s->streaming ? OK : stream_start(r);

	return e == OK ? asym_hash_update(r, in, o) : e;
}

/* Ends the message; from here on the context takes mu for it, and is not for another message. */
static enum err stream_end(struct run *r, uint8_t mu[MLDSA_MU])
{
	struct asym *s = r->state;
	int is_mu = 1;
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_int(OSSL_SIGNATURE_PARAM_MU, &is_mu),
		OSSL_PARAM_construct_end(),
	};
	enum err e = s->streaming ? OK : stream_start(r);

	if (e != OK)
		return e;
	s->once_only = true;
	if (EVP_DigestFinalXOF(s->mdctx, mu, MLDSA_MU) <= 0 ||
	    EVP_PKEY_CTX_set_params(s->pctx, params) <= 0)
		return pkey_fail(E_FAILED);
	return OK;
}

static enum err final(struct run *r, struct sink *o)
{
	uint8_t mu[MLDSA_MU];
	enum err e = stream_end(r, mu);

	return e == OK ? once(r, span(mu, sizeof(mu)), o) : e;
}

static enum err verify_final(struct run *r, struct span sig)
{
	uint8_t mu[MLDSA_MU];
	enum err e = stream_end(r, mu);

	return e == OK ? verify_once(r, span(mu, sizeof(mu)), sig) : e;
}

static const struct mech_ops mldsa_ops = {
	.begin = begin,
	.bound = bound,
	.update = update,
	.final = final,
	.verify_final = verify_final,
	.once = once,
	.verify_once = verify_once,
	.drop = asym_drop,
};

#define MLDSA_ROW(mech, f, t)                                                          \
	.type = (mech), .key_type = CKK_ML_DSA, .key_type2 = CKK_ML_DSA, .flags = (f), \
	.min_key = 1312, .max_key = 2592, .traits = (t) | MECH_APPROVED,               \
	.hash = CK_UNAVAILABLE_INFORMATION, .needs = "ML-DSA-44", .kat = "ML-DSA-44"

const struct mech mldsa_mechs[] = {
	{ MLDSA_ROW(CKM_ML_DSA_KEY_PAIR_GEN, CKF_GENERATE_KEY_PAIR, 0), .make = &mldsa_make },
	{ MLDSA_ROW(CKM_ML_DSA, CKF_SIGN | CKF_VERIFY, MECH_VERIFY_SIG_FIRST),
	  .param = param_sign_context, .ops = &mldsa_ops },
};
const size_t mldsa_mechs_n = sizeof(mldsa_mechs) / sizeof(mldsa_mechs[0]);
