/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Digests: SHA-1 and SHA-2 through sha.h, so that their state can be saved; the others through EVP.
 */
#include "base/mem.h"
#include "crypto/families.h"
#include "crypto/hash.h"
#include "crypto/sha.h"

struct sha_state {
	const struct sha *sha;
	union sha_ctx ctx;
};

static enum err sha_begin(struct run *r)
{
	struct sha_state *s = r->state;

	if (s == NULL) {
		s = mem_alloc_secret(sizeof(*s));
		if (s == NULL)
			return E_MEMORY;
		r->state = s;
	}
	if (s->sha == NULL || s->sha->mech != r->mech->type)
		s->sha = sha_of(r->mech->type);
	return s->sha->init(&s->ctx) == 1 ? OK : E_FAILED;
}

static size_t sha_bound(const struct run *r, size_t n, bool last)
{
	const struct sha_state *s = r->state;

	(void)n;
	return last ? s->sha->size : 0;
}

static enum err sha_update(struct run *r, struct span in, struct sink *o)
{
	struct sha_state *s = r->state;

	(void)o;
	if (in.n == 0)
		return OK;
	return s->sha->family->update(&s->ctx, in) == 1 ? OK : E_FAILED;
}

static enum err sha_final(struct run *r, struct sink *o)
{
	struct sha_state *s = r->state;

	if (sink_room(o) < s->sha->size)
		return E_TOO_SMALL;
	if (s->sha->family->final(&s->ctx, o->p + o->n) != 1)
		return E_FAILED;
	o->n += s->sha->size;
	return OK;
}

/* Version of the saved form, then the mechanism that it belongs to, then the family's own. */
#define SAVED_VERSION 1

static enum err sha_save(const struct run *r, struct buf *out)
{
	const struct sha_state *s = r->state;
	enum err e = buf_put_u8(out, SAVED_VERSION);

	if (e == OK)
		e = buf_put_u64(out, s->sha->mech);
	return e == OK ? s->sha->family->save(&s->ctx, out) : e;
}

static enum err sha_load(struct run *r, struct span in)
{
	struct sha_state *s = r->state;
	union sha_ctx fresh = s->ctx; /* what is not in the saved form: length of the digest */
	uint8_t version;
	uint64_t mech;
	enum err e = E_STATE_INVALID;

	if (take_u8(&in, &version) && version == SAVED_VERSION && take_u64(&in, &mech) &&
	    mech == s->sha->mech && s->sha->family->load(&fresh, &in) && in.n == 0) {
		s->ctx = fresh;
		e = OK;
	}
	mem_wipe(&fresh, sizeof(fresh));
	return e;
}

static void sha_drop(void *state)
{
	mem_free(state);
}

static const struct mech_ops sha_ops = {
	.begin = sha_begin,
	.bound = sha_bound,
	.update = sha_update,
	.final = sha_final,
	.save = sha_save,
	.load = sha_load,
	.drop = sha_drop,
};

static enum err evp_init(struct run *r, const EVP_MD *md)
{
	if (r->state == NULL)
		r->state = EVP_MD_CTX_new();
	if (r->state == NULL)
		return E_MEMORY;
	return md != NULL && EVP_DigestInit_ex2(r->state, md, NULL) == 1 ? OK : E_FAILED;
}

/*
 * The state of the others is the libcrypto context itself. It is secret memory whatever goes in:
 * C_DigestKey may put a key into a digest that has begun (3.2, 5.12.4).
 */
static enum err evp_begin(struct run *r)
{
	EVP_MD *md = fetch_md(hash_of(r->mech->type)->alg);
	enum err e;

	crypto_secret_enter();
	e = evp_init(r, md);
	crypto_secret_leave();
	return e;
}

static size_t evp_bound(const struct run *r, size_t n, bool last)
{
	(void)n;
	return last ? hash_of(r->mech->type)->size : 0;
}

static enum err evp_update(struct run *r, struct span in, struct sink *o)
{
	(void)o;
	return EVP_DigestUpdate(r->state, in.p, in.n) == 1 ? OK : E_FAILED;
}

static enum err evp_final(struct run *r, struct sink *o)
{
	unsigned n = 0;

	if (sink_room(o) < evp_bound(r, 0, true))
		return E_TOO_SMALL;
	if (EVP_DigestFinal_ex(r->state, o->p + o->n, &n) != 1)
		return E_FAILED;
	o->n += n;
	return OK;
}

static void evp_drop(void *state)
{
	EVP_MD_CTX_free(state);
}

static const struct mech_ops evp_ops = {
	.begin = evp_begin,
	.bound = evp_bound,
	.update = evp_update,
	.final = evp_final,
	.drop = evp_drop,
};

#define NO_KEY CK_UNAVAILABLE_INFORMATION
/* A digest: its number, its ops, its name in libcrypto, which is also that of its test. */
#define DIGEST(mech, how, name)                                                               \
	{                                                                                     \
		.type = (mech), .key_type = NO_KEY, .key_type2 = NO_KEY, .flags = CKF_DIGEST, \
		.traits = MECH_APPROVED, .hash = (mech), .ops = &(how), .needs = (name),      \
		.kat = (name)                                                                 \
	}

const struct mech digest_mechs[] = {
	DIGEST(CKM_SHA_1, sha_ops, "SHA1"),
	DIGEST(CKM_SHA224, sha_ops, "SHA224"),
	DIGEST(CKM_SHA256, sha_ops, "SHA256"),
	DIGEST(CKM_SHA384, sha_ops, "SHA384"),
	DIGEST(CKM_SHA512, sha_ops, "SHA512"),
	DIGEST(CKM_SHA512_224, sha_ops, "SHA512-224"),
	DIGEST(CKM_SHA512_256, sha_ops, "SHA512-256"),
	DIGEST(CKM_SHA3_224, evp_ops, "SHA3-224"),
	DIGEST(CKM_SHA3_256, evp_ops, "SHA3-256"),
	DIGEST(CKM_SHA3_384, evp_ops, "SHA3-384"),
	DIGEST(CKM_SHA3_512, evp_ops, "SHA3-512"),
};
const size_t digest_mechs_n = sizeof(digest_mechs) / sizeof(digest_mechs[0]);
