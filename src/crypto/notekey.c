/* SPDX-License-Identifier: Apache-2.0 */
#include "crypto/notekey.h"

#include "base/mem.h"
#include "crypto/fetch.h"
#include "crypto/kat.h"
#include "crypto/pkey.h"

#include <openssl/core_names.h>
#include <openssl/err.h>

static const struct type {
	const char *name; /* of libcrypto's key type */
	const char *kat;
	enum alg signature;
	size_t signature_n;
} types[NOTEKEY_TYPES] = {
	[NOTEKEY_ED25519] = { "ED25519", "ED25519", ALG_ED25519, 64 },
	[NOTEKEY_MLDSA65] = { "ML-DSA-65", "ML-DSA-44", ALG_ML_DSA_65, 3309 },
};

static atomic_uchar tested[NOTEKEY_TYPES];

struct notekey {
	const struct type *type;
	EVP_PKEY *pkey;
};

enum err notekey_new(enum notekey_type type, struct notekey **out)
{
	const struct type *t = &types[type];
	enum err e = selftest_named(t->kat, &tested[type]);
	struct notekey *k;

	if (e != OK)
		return e;
	k = mem_alloc_secret(sizeof(*k));
	if (k == NULL)
		return E_MEMORY;
	k->type = t;
	crypto_secret_enter();
	e = pkey_generate(t->name, NULL, &k->pkey);
	crypto_secret_leave();
	if (e == OK)
		*out = k;
	else
		notekey_free(k);
	return e;
}

void notekey_free(struct notekey *k)
{
	if (k == NULL)
		return;
	EVP_PKEY_free(k->pkey);
	mem_free(k);
}

enum err notekey_public(const struct notekey *k, struct buf *out)
{
	return pkey_bytes(k->pkey, OSSL_PKEY_PARAM_PUB_KEY, out);
}

/* n: the room at sig, and it is filled exactly. An error that libcrypto itself ignored is in its queue: asym.c has the case. */
static bool sign(const struct notekey *k, EVP_PKEY_CTX *c, struct span text, uint8_t *sig)
{
	size_t n = k->type->signature_n;

	return c != NULL &&
	       EVP_PKEY_sign_message_init(c, fetch_signature(k->type->signature), NULL) > 0 &&
	       EVP_PKEY_sign(c, sig, &n, text.p, text.n) > 0 && n == k->type->signature_n &&
	       ERR_peek_error() == 0;
}

enum err notekey_sign(const struct notekey *k, struct span text, struct buf *out)
{
	enum err e = buf_reserve(out, k->type->signature_n);
	EVP_PKEY_CTX *c;

	if (e != OK)
		return e;
	crypto_secret_enter();
	ERR_clear_error();
	c = EVP_PKEY_CTX_new_from_pkey(crypto_ctx(), k->pkey, NULL);
	if (sign(k, c, text, out->p + out->n))
		out->n += k->type->signature_n;
	else
		e = pkey_fail(E_FAILED);
	EVP_PKEY_CTX_free(c);
	crypto_secret_leave();
	return e;
}
