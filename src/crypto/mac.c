/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HMAC, AES-CMAC and AES-GMAC. The libcrypto context stays keyed between operations: computing a
 * short HMAC costs less than setting its key.
 */
#include "base/mem.h"
#include "crypto/families.h"
#include "crypto/hash.h"
#include "crypto/key_type.h"
#include "crypto/param_rules.h"
#include "crypto/secret.h"

#include <openssl/core_names.h>
#include <openssl/params.h>

#define AES_BLOCK 16

struct mac_state {
	EVP_MAC_CTX *ctx;
	const char *sub; /* the digest or cipher that ctx was told; static */
	struct key *key; /* whose key ctx has; a reference, so that its address stays its own */
	size_t size;     /* bytes of the MAC of this operation */
};

static void state_unkey(struct mac_state *s)
{
	key_unref(s->key);
	s->key = NULL;
}

static void mac_drop(void *state)
{
	struct mac_state *s = state;

	EVP_MAC_CTX_free(s->ctx);
	state_unkey(s);
	mem_free(s);
}

static struct mac_state *state_new(enum alg a)
{
	EVP_MAC *mac = fetch_mac(a);
	struct mac_state *s = mac != NULL ? mem_alloc(sizeof(*s)) : NULL;

	if (s == NULL)
		return NULL;
	s->ctx = EVP_MAC_CTX_new(mac);
	if (s->ctx == NULL) {
		mem_free(s);
		return NULL;
	}
	return s;
}

/*
 * The digest or cipher under the MAC, by libcrypto's parameter `what`. A change of it forgets the
 * key.
 */
static enum err set_sub(struct mac_state *s, const char *what, const char *sub)
{
	char name[32];
	OSSL_PARAM params[2];

	if (s->sub == sub)
		return OK;
	state_unkey(s);
	s->sub = NULL;
	/* libcrypto's parameters are not const */
	(void)OPENSSL_strlcpy(name, sub, sizeof(name));
	params[0] = OSSL_PARAM_construct_utf8_string(what, name, 0);
	params[1] = OSSL_PARAM_construct_end();
	if (EVP_MAC_CTX_set_params(s->ctx, params) != 1)
		return E_FAILED;
	s->sub = sub;
	return OK;
}

/* Without a key libcrypto starts again under the one it has. */
static enum err set_key(struct mac_state *s, struct key *key, const OSSL_PARAM *params)
{
	if (s->key == key)
		return EVP_MAC_init(s->ctx, NULL, 0, params) == 1 ? OK : E_FAILED;
	state_unkey(s);
	if (EVP_MAC_init(s->ctx, key->value, key->value_n, params) != 1)
		return E_FAILED;
	s->key = key_ref(key);
	return OK;
}

/* The whole MAC, or for the _GENERAL mechanisms as much of it as the parameter says. */
static enum err set_size(struct run *r, size_t full)
{
	struct mac_state *s = r->state;
	CK_ULONG asked = r->param.tag_len;

	if (asked > full)
		return E_MECHANISM_PARAM;
	s->size = asked != 0 ? asked : full;
	return OK;
}

static enum err mac_begin(struct run *r, enum alg a, const char *what, const char *sub, size_t full,
			  const OSSL_PARAM *params)
{
	enum err e;

	if (r->state == NULL && (r->state = state_new(a)) == NULL)
		return E_MEMORY;
	if ((e = set_size(r, full)) != OK)
		return e;
	if ((e = set_sub(r->state, what, sub)) != OK)
		return e;
	return set_key(r->state, r->key, params);
}

static enum err hmac_begin(struct run *r)
{
	const struct hash *h = hash_of(r->mech->hash);

	return mac_begin(r, ALG_HMAC, OSSL_MAC_PARAM_DIGEST, fetch_name(h->alg), h->size, NULL);
}

/* AES of the key's length, as ECB's first row. */
static enum alg aes_of(enum alg first, const struct key *key)
{
	return (enum alg)(first + (key->value_n - 16) / 8);
}

static enum err cmac_begin(struct run *r)
{
	const char *cipher = fetch_name(aes_of(ALG_AES_128_CBC, r->key));

	return mac_begin(r, ALG_CMAC, OSSL_MAC_PARAM_CIPHER, cipher, AES_BLOCK, NULL);
}

static enum err gmac_begin(struct run *r)
{
	const char *cipher = fetch_name(aes_of(ALG_AES_128_GCM, r->key));
	struct pbytes *iv = &r->param.iv;
	OSSL_PARAM params[2] = {
		OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_IV,
						  iv->heap != NULL ? iv->heap : iv->here, iv->n),
		OSSL_PARAM_construct_end(),
	};

	return mac_begin(r, ALG_GMAC, OSSL_MAC_PARAM_CIPHER, cipher, AES_BLOCK, params);
}

static size_t mac_bound(const struct run *r, size_t n, bool last)
{
	const struct mac_state *s = r->state;

	(void)n;
	return last && r->use == USE_SIGN ? s->size : 0;
}

static enum err mac_update(struct run *r, struct span in, struct sink *o)
{
	struct mac_state *s = r->state;

	(void)o;
	if (in.n == 0)
		return OK;
	return EVP_MAC_update(s->ctx, in.p, in.n) == 1 ? OK : E_FAILED;
}

/* The whole MAC, before it is cut. */
static enum err mac_compute(struct mac_state *s, uint8_t mac[EVP_MAX_MD_SIZE])
{
	size_t n = 0;

	return EVP_MAC_final(s->ctx, mac, &n, EVP_MAX_MD_SIZE) == 1 ? OK : E_FAILED;
}

static enum err mac_final(struct run *r, struct sink *o)
{
	struct mac_state *s = r->state;
	uint8_t mac[EVP_MAX_MD_SIZE];
	enum err e;

	if (sink_room(o) < s->size)
		return E_TOO_SMALL;
	e = mac_compute(s, mac);
	if (e == OK)
		(void)sink_put(o, span(mac, s->size));
	mem_wipe(mac, sizeof(mac));
	return e;
}

static enum err mac_verify_final(struct run *r, struct span sig)
{
	struct mac_state *s = r->state;
	uint8_t mac[EVP_MAX_MD_SIZE];
	enum err e;

	if (sig.n != s->size)
		return E_SIGNATURE_LEN;
	e = mac_compute(s, mac);
	if (e == OK && !mem_equal(mac, sig.p, sig.n))
		e = E_SIGNATURE;
	mem_wipe(mac, sizeof(mac));
	return e;
}

static const struct mech_ops hmac_ops = {
	.begin = hmac_begin,
	.bound = mac_bound,
	.update = mac_update,
	.final = mac_final,
	.verify_final = mac_verify_final,
	.drop = mac_drop,
};

static const struct mech_ops cmac_ops = {
	.begin = cmac_begin,
	.bound = mac_bound,
	.update = mac_update,
	.final = mac_final,
	.verify_final = mac_verify_final,
	.drop = mac_drop,
};

static const struct mech_ops gmac_ops = {
	.begin = gmac_begin,
	.bound = mac_bound,
	.update = mac_update,
	.final = mac_final,
	.verify_final = mac_verify_final,
	.drop = mac_drop,
};

/*
 * HMAC with one digest, in full and cut to a length. Its name in libcrypto is also that of its
 * test, after "HMAC-".
 */
#define HMAC(full, general, kt, digest, name)                                                      \
	{ .type = (full),                                                                          \
	  .key_type = (kt),                                                                        \
	  .key_type2 = CKK_GENERIC_SECRET,                                                         \
	  .flags = CKF_SIGN | CKF_VERIFY,                                                          \
	  .min_key = 1,                                                                            \
	  .max_key = SECRET_MAX,                                                                   \
	  .traits = MECH_APPROVED | MECH_VERIFY_SIG_FIRST,                                         \
	  .hash = (digest),                                                                        \
	  .ops = &hmac_ops,                                                                        \
	  .needs = (name),                                                                         \
	  .kat = "HMAC-" name },                                                                   \
	{                                                                                          \
		.type = (general), .key_type = (kt), .key_type2 = CKK_GENERIC_SECRET,              \
		.flags = CKF_SIGN | CKF_VERIFY, .min_key = 1, .max_key = SECRET_MAX,               \
		.traits = MECH_APPROVED | MECH_VERIFY_SIG_FIRST, .hash = (digest),                 \
		.param = param_mac_general, .ops = &hmac_ops, .needs = (name), .kat = "HMAC-" name \
	}

#define AES_MAC(mech, how, rule, name)                                              \
	{                                                                           \
		.type = (mech), .key_type = CKK_AES, .key_type2 = CKK_AES,          \
		.flags = CKF_SIGN | CKF_VERIFY, .min_key = 16, .max_key = 32,       \
		.traits = MECH_APPROVED | MECH_VERIFY_SIG_FIRST,                    \
		.hash = CK_UNAVAILABLE_INFORMATION, .param = (rule), .ops = &(how), \
		.needs = (name), .kat = (name)                                      \
	}

const struct mech mac_mechs[] = {
	HMAC(CKM_SHA_1_HMAC, CKM_SHA_1_HMAC_GENERAL, CKK_SHA_1_HMAC, CKM_SHA_1, "SHA1"),
	HMAC(CKM_SHA224_HMAC, CKM_SHA224_HMAC_GENERAL, CKK_SHA224_HMAC, CKM_SHA224, "SHA224"),
	HMAC(CKM_SHA256_HMAC, CKM_SHA256_HMAC_GENERAL, CKK_SHA256_HMAC, CKM_SHA256, "SHA256"),
	HMAC(CKM_SHA384_HMAC, CKM_SHA384_HMAC_GENERAL, CKK_SHA384_HMAC, CKM_SHA384, "SHA384"),
	HMAC(CKM_SHA512_HMAC, CKM_SHA512_HMAC_GENERAL, CKK_SHA512_HMAC, CKM_SHA512, "SHA512"),
	HMAC(CKM_SHA512_224_HMAC, CKM_SHA512_224_HMAC_GENERAL, CKK_SHA512_224_HMAC, CKM_SHA512_224,
	     "SHA512-224"),
	HMAC(CKM_SHA512_256_HMAC, CKM_SHA512_256_HMAC_GENERAL, CKK_SHA512_256_HMAC, CKM_SHA512_256,
	     "SHA512-256"),
	HMAC(CKM_SHA3_224_HMAC, CKM_SHA3_224_HMAC_GENERAL, CKK_SHA3_224_HMAC, CKM_SHA3_224,
	     "SHA3-224"),
	HMAC(CKM_SHA3_256_HMAC, CKM_SHA3_256_HMAC_GENERAL, CKK_SHA3_256_HMAC, CKM_SHA3_256,
	     "SHA3-256"),
	HMAC(CKM_SHA3_384_HMAC, CKM_SHA3_384_HMAC_GENERAL, CKK_SHA3_384_HMAC, CKM_SHA3_384,
	     "SHA3-384"),
	HMAC(CKM_SHA3_512_HMAC, CKM_SHA3_512_HMAC_GENERAL, CKK_SHA3_512_HMAC, CKM_SHA3_512,
	     "SHA3-512"),
	AES_MAC(CKM_AES_CMAC, cmac_ops, NULL, "CMAC"),
	AES_MAC(CKM_AES_CMAC_GENERAL, cmac_ops, param_mac_general, "CMAC"),
	AES_MAC(CKM_AES_GMAC, gmac_ops, param_gmac, "GMAC"),
};
const size_t mac_mechs_n = sizeof(mac_mechs) / sizeof(mac_mechs[0]);
