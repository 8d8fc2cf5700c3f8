/* SPDX-License-Identifier: Apache-2.0 */
#include "crypto/asym.h"

#include "base/mem.h"
#include "crypto/pkey.h"

#include <openssl/err.h>

static void forget(struct asym *s)
{
	EVP_PKEY_CTX_free(s->pctx);
	s->pctx = NULL;
	key_unref(s->key);
	s->key = NULL;
}

void asym_drop(void *state)
{
	struct asym *s = state;

	if (s == NULL)
		return;
	forget(s);
	EVP_MD_CTX_free(s->mdctx);
	mem_free(s);
}

static bool fits(const struct asym *s, const struct run *r)
{
	const struct param *p = &r->param;

	return s->key == r->key && s->mech == r->mech && s->use == r->use && !s->once_only &&
	       p->context.n == 0 && s->hash == p->hash && s->mgf_hash == p->mgf_hash &&
	       s->salt_len == p->salt_len && s->hedge == p->hedge && s->given == p->given &&
	       s->prehash == p->prehash;
}

static void remember(struct asym *s, const struct run *r)
{
	const struct param *p = &r->param;

	s->key = key_ref(r->key);
	s->mech = r->mech;
	s->use = r->use;
	s->hash = p->hash;
	s->mgf_hash = p->mgf_hash;
	s->salt_len = p->salt_len;
	s->hedge = p->hedge;
	s->given = p->given;
	s->prehash = p->prehash;
	s->once_only = p->context.n != 0;
}

static enum err make_context(struct asym *s, struct run *r, asym_setup *setup)
{
	enum err e;

	forget(s);
	s->pctx = EVP_PKEY_CTX_new_from_pkey(crypto_ctx(), r->key->pkey, NULL);
	if (s->pctx == NULL)
		return pkey_fail(E_MEMORY);
	e = setup(r, s->pctx);
	if (e != OK) {
		forget(s);
		return pkey_fail(e);
	}
	remember(s, r);
	return OK;
}

static enum err start_digest(struct asym *s, const struct run *r)
{
	const struct hash *h = hash_of(r->mech->hash);

	if (h == NULL)
		return OK;
	if (s->mdctx == NULL)
		s->mdctx = EVP_MD_CTX_new();
	if (s->mdctx == NULL)
		return pkey_fail(E_MEMORY);
	return EVP_DigestInit_ex2(s->mdctx, fetch_md(h->alg), NULL) > 0 ? OK : pkey_fail(E_FAILED);
}

static bool needs_private(enum mech_use use)
{
	return use == USE_SIGN || use == USE_SIGN_RECOVER || use == USE_DECRYPT;
}

enum err asym_begin(struct run *r, asym_setup *setup)
{
	struct asym *s = r->state;
	enum err e = OK;

	if (needs_private(r->use) && r->key->class != CKO_PRIVATE_KEY)
		return E_KEY_TYPE;
	if (s == NULL) {
		s = mem_alloc(sizeof(*s));
		if (s == NULL)
			return E_MEMORY;
		r->state = s;
	}
	s->streaming = false;
	if (!fits(s, r))
		e = make_context(s, r, setup);
	return e == OK ? start_digest(s, r) : e;
}

typedef int evp_call(EVP_PKEY_CTX *ctx, uint8_t *out, size_t *n, const uint8_t *in, size_t in_n);

static evp_call *const calls[USE_COUNT] = {
	[USE_ENCRYPT] = EVP_PKEY_encrypt,
	[USE_DECRYPT] = EVP_PKEY_decrypt,
	[USE_SIGN] = EVP_PKEY_sign,
	[USE_SIGN_RECOVER] = EVP_PKEY_sign,
	[USE_VERIFY_RECOVER] = EVP_PKEY_verify_recover,
};

/* libcrypto wants a pointer even to nothing. */
static const uint8_t *pointer(struct span s)
{
	return s.n != 0 ? s.p : (const uint8_t *)"";
}

/*
 * libcrypto does not look at every failure of its own (ML-DSA's encoding of w1), and then makes a
 * signature that is none; its error queue remembers.
 */
static enum err believe(const struct run *r)
{
	return r->use == USE_SIGN && ERR_peek_error() != 0 ? pkey_fail(OK) : OK;
}

enum err asym_apply(struct run *r, struct span in, struct sink *o, enum err refused)
{
	struct asym *s = r->state;
	size_t n = sink_room(o);
	enum err e;

	if (s->pctx == NULL || calls[r->use](s->pctx, o->p + o->n, &n, pointer(in), in.n) <= 0)
		e = pkey_fail(refused);
	else
		e = believe(r);
	if (e == OK)
		o->n += n;
	else
		forget(s);
	return e;
}

enum err asym_verify(struct run *r, struct span in, struct span sig)
{
	struct asym *s = r->state;
	int got = -1;

	if (s->pctx != NULL)
		got = EVP_PKEY_verify(s->pctx, pointer(sig), sig.n, pointer(in), in.n);
	if (got == 1)
		return OK;
	forget(s);
	return pkey_fail(got < 0 ? E_FAILED : E_SIGNATURE);
}

typedef int evp_init(EVP_PKEY_CTX *ctx, EVP_SIGNATURE *alg, const OSSL_PARAM *params);

static bool init(evp_init *f, EVP_PKEY_CTX *ctx, enum alg a, const OSSL_PARAM *params)
{
	EVP_SIGNATURE *alg = fetch_signature(a);

	return alg != NULL && f != NULL && f(ctx, alg, params) > 0;
}

bool asym_init_digest(const struct run *r, EVP_PKEY_CTX *ctx, enum alg a, const OSSL_PARAM *params)
{
	static evp_init *const inits[USE_COUNT] = {
		[USE_SIGN] = EVP_PKEY_sign_init_ex2,
		[USE_SIGN_RECOVER] = EVP_PKEY_sign_init_ex2,
		[USE_VERIFY] = EVP_PKEY_verify_init_ex2,
		[USE_VERIFY_RECOVER] = EVP_PKEY_verify_recover_init_ex2,
	};

	return init(inits[r->use], ctx, a, params);
}

bool asym_init_message(const struct run *r, EVP_PKEY_CTX *ctx, enum alg a, const OSSL_PARAM *params)
{
	return init(r->use == USE_SIGN ? EVP_PKEY_sign_message_init : EVP_PKEY_verify_message_init,
		    ctx, a, params);
}

bool asym_init_cipher(const struct run *r, EVP_PKEY_CTX *ctx, const OSSL_PARAM *params)
{
	/* libcrypto fetches it itself, and finds it here: see pkey.c */
	if (fetch_asym(ALG_RSA_ASYM) == NULL)
		return false;
	if (r->use == USE_ENCRYPT)
		return EVP_PKEY_encrypt_init_ex(ctx, params) > 0;
	return EVP_PKEY_decrypt_init_ex(ctx, params) > 0;
}

enum err asym_hash_update(struct run *r, struct span in, struct sink *o)
{
	struct asym *s = r->state;

	(void)o;
	return EVP_DigestUpdate(s->mdctx, in.p, in.n) > 0 ? OK : pkey_fail(E_FAILED);
}

enum err asym_hash_final(struct run *r, uint8_t out[EVP_MAX_MD_SIZE], size_t *n)
{
	struct asym *s = r->state;
	unsigned len;

	if (EVP_DigestFinal_ex(s->mdctx, out, &len) <= 0)
		return pkey_fail(E_FAILED);
	*n = len;
	return OK;
}
