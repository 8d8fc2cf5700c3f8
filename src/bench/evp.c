/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/evp.h"
#include "base/mem.h"
#include "bench/p11work.h"
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <stdlib.h>
#include <string.h>

enum { SIGNATURE_MAX = 4096, TAG = 16 };

struct state {
	const struct evpjob *j;
	EVP_PKEY_CTX *pctx;
	EVP_MD_CTX *mctx;
	EVP_MD *md;
	EVP_MAC *mac;
	EVP_MAC_CTX *macctx;
	EVP_CIPHER *cipher;
	EVP_CIPHER_CTX *cctx;
	uint8_t key[32], iv[12], tag[TAG];
	uint8_t in[DATA_MAX], out[DATA_MAX + SIGNATURE_MAX];
};

static struct state *state_new(void *arg)
{
	struct state *s = mem_alloc(sizeof(*s));

	if (s != NULL) {
		s->j = arg;
		memset(s->in, 0x5a, sizeof(s->in));
		memset(s->key, 0x11, sizeof(s->key));
	}
	return s;
}

static void end(void *arg)
{
	struct state *s = arg;

	EVP_PKEY_CTX_free(s->pctx);
	EVP_MD_CTX_free(s->mctx);
	EVP_MD_free(s->md);
	EVP_MAC_CTX_free(s->macctx);
	EVP_MAC_free(s->mac);
	EVP_CIPHER_CTX_free(s->cctx);
	EVP_CIPHER_free(s->cipher);
	mem_free(s);
}

/* s when ready, else NULL with s freed. */
static void *ready(struct state *s, bool good)
{
	if (good)
		return s;
	end(s);
	return NULL;
}

/* ---- signatures ---- */

static EVP_PKEY *make_key(const char *name)
{
	if (strncmp(name, "EC:", 3) == 0)
		return EVP_PKEY_Q_keygen(NULL, NULL, "EC", name + 3);
	if (strncmp(name, "RSA:", 4) == 0)
		return EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)strtoul(name + 4, NULL, 10));
	return EVP_PKEY_Q_keygen(NULL, NULL, name);
}

/* A raw 32-byte digest under ECDSA and PKCS#1; the message itself under Ed25519 and ML-DSA. */
static bool message_kind(const struct evpjob *j)
{
	return strncmp(j->name, "EC:", 3) != 0 && strncmp(j->name, "RSA:", 4) != 0;
}

static void *begin_sign(void *arg)
{
	struct evpjob *j = arg;
	struct state *s = state_new(arg);

	if (s == NULL)
		return NULL;
	if (!message_kind(j)) {
		s->pctx = EVP_PKEY_CTX_new_from_pkey(NULL, j->key, NULL);
		return ready(s, s->pctx != NULL && EVP_PKEY_sign_init(s->pctx) == 1);
	}
	EVP_SIGNATURE *alg = EVP_SIGNATURE_fetch(NULL, j->name, NULL);
	s->pctx = EVP_PKEY_CTX_new_from_pkey(NULL, j->key, NULL);
	bool good = alg != NULL && s->pctx != NULL &&
		    EVP_PKEY_sign_message_init(s->pctx, alg, NULL) == 1;
	EVP_SIGNATURE_free(alg);
	return ready(s, good);
}

static bool step_sign(void *arg)
{
	struct state *s = arg;
	size_t n = SIGNATURE_MAX;

	return EVP_PKEY_sign(s->pctx, s->out, &n, s->in, s->j->n) == 1;
}

struct contender evp_sign(struct evpjob *j)
{
	j->key = make_key(j->name);
	return (struct contender){ "libcrypto", { begin_sign, step_sign, end, j }, j->key != NULL };
}

/* ---- digests ---- */

static void *begin_digest(void *arg)
{
	struct evpjob *j = arg;
	struct state *s = state_new(arg);

	if (s == NULL)
		return NULL;
	s->md = EVP_MD_fetch(NULL, j->name, NULL);
	s->mctx = EVP_MD_CTX_new();
	return ready(s, s->md != NULL && s->mctx != NULL);
}

static bool step_digest(void *arg)
{
	struct state *s = arg;
	unsigned n = 0;

	return EVP_DigestInit_ex2(s->mctx, s->md, NULL) == 1 &&
	       EVP_DigestUpdate(s->mctx, s->in, s->j->n) == 1 &&
	       EVP_DigestFinal_ex(s->mctx, s->out, &n) == 1;
}

struct contender evp_digest(struct evpjob *j)
{
	return (struct contender){ "libcrypto", { begin_digest, step_digest, end, j }, true };
}

/* ---- HMAC ---- */

static void *begin_hmac(void *arg)
{
	struct evpjob *j = arg;
	struct state *s = state_new(arg);
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)(uintptr_t)j->name,
						 0),
		OSSL_PARAM_construct_end(),
	};

	if (s == NULL)
		return NULL;
	s->mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
	s->macctx = s->mac != NULL ? EVP_MAC_CTX_new(s->mac) : NULL;
	return ready(s, s->macctx != NULL &&
				EVP_MAC_init(s->macctx, s->key, sizeof(s->key), params) == 1);
}

static bool step_hmac(void *arg)
{
	struct state *s = arg;
	size_t n = 0;

	return EVP_MAC_init(s->macctx, NULL, 0, NULL) == 1 &&
	       EVP_MAC_update(s->macctx, s->in, s->j->n) == 1 &&
	       EVP_MAC_final(s->macctx, s->out, &n, SIGNATURE_MAX) == 1;
}

struct contender evp_hmac(struct evpjob *j)
{
	return (struct contender){ "libcrypto", { begin_hmac, step_hmac, end, j }, true };
}

/* ---- AES-GCM ---- */

static void *begin_gcm(void *arg)
{
	struct evpjob *j = arg;
	struct state *s = state_new(arg);

	if (s == NULL)
		return NULL;
	s->cipher = EVP_CIPHER_fetch(NULL, j->name, NULL);
	s->cctx = EVP_CIPHER_CTX_new();
	return ready(s, s->cipher != NULL && s->cctx != NULL &&
				EVP_EncryptInit_ex2(s->cctx, s->cipher, s->key, s->iv, NULL) == 1);
}

static bool step_gcm(void *arg)
{
	struct state *s = arg;
	int n = 0, m = 0;
	uint64_t count;

	memcpy(&count, s->iv, sizeof(count));
	count++;
	memcpy(s->iv, &count, sizeof(count));
	return EVP_EncryptInit_ex2(s->cctx, NULL, NULL, s->iv, NULL) == 1 &&
	       EVP_EncryptUpdate(s->cctx, s->out, &n, s->in, (int)s->j->n) == 1 &&
	       EVP_EncryptFinal_ex(s->cctx, s->out + n, &m) == 1 &&
	       EVP_CIPHER_CTX_ctrl(s->cctx, EVP_CTRL_AEAD_GET_TAG, TAG, s->tag) == 1;
}

struct contender evp_gcm(struct evpjob *j)
{
	return (struct contender){ "libcrypto", { begin_gcm, step_gcm, end, j }, true };
}

void evp_free(struct evpjob *j)
{
	EVP_PKEY_free(j->key);
	j->key = NULL;
}
