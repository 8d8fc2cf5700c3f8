/* SPDX-License-Identifier: Apache-2.0 */
/* The RSA mechanisms (3.2, 6.1). */
#include "crypto/rsa.h"

#include "base/mem.h"
#include "crypto/asym.h"
#include "crypto/der.h"
#include "crypto/families.h"
#include "crypto/param_rules.h"
#include "crypto/pkey.h"

#include <openssl/core_names.h>
#include <openssl/rsa.h>

enum {
	PKCS1_OVERHEAD = 11, /* RFC 8017, 7.2.1 and 9.2 */
	PARAMS_MAX = 5
};

/* Bytes of the modulus, and so of a signature and of a ciphertext. */
static size_t modulus_n(const struct run *r)
{
	return (key_size(r->key) + 7) / 8;
}

static bool is_raw(const struct run *r)
{
	return r->mech->type == CKM_RSA_X_509;
}

/*
 * Signatures of bytes as they are given, PKCS #1 v1.5, are verified as raw ones, and their padding
 * is written and read here: libcrypto takes an empty message for an error.
 */
static bool is_bare_pkcs(const struct run *r)
{
	return r->mech->type == CKM_RSA_PKCS &&
	       (r->use == USE_VERIFY || r->use == USE_VERIFY_RECOVER);
}

static bool is_pss(const struct run *r)
{
	return r->mech->param == param_pss;
}

static bool is_oaep(const struct run *r)
{
	return r->mech->param == param_oaep;
}

static bool is_cipher(enum mech_use use)
{
	return use == USE_ENCRYPT || use == USE_DECRYPT;
}

/*
 * RFC 8017, 9.1.1: the encoded message has one bit less than the modulus; salt, hash and two bytes
 * fit in. What does not is refused at Init.
 */
static bool salt_fits(const struct run *r, const struct hash *h)
{
	size_t em = (key_size(r->key) - 1 + 7) / 8;

	return em >= h->size + 2 && r->param.salt_len <= em - h->size - 2;
}

static enum err setup_pss(struct run *r, EVP_PKEY_CTX *ctx)
{
	const struct hash *h = hash_of(r->param.hash), *mgf = hash_of(r->param.mgf_hash);
	OSSL_PARAM params[PARAMS_MAX], *p = params;
	int salt;

	if (h == NULL || mgf == NULL || !salt_fits(r, h))
		return E_MECHANISM_PARAM;
	salt = (int)r->param.salt_len;
	*p++ = pkey_param_name(OSSL_SIGNATURE_PARAM_PAD_MODE, OSSL_PKEY_RSA_PAD_MODE_PSS);
	*p++ = pkey_param_name(OSSL_SIGNATURE_PARAM_DIGEST, fetch_name(h->alg));
	*p++ = pkey_param_name(OSSL_SIGNATURE_PARAM_MGF1_DIGEST, fetch_name(mgf->alg));
	*p++ = OSSL_PARAM_construct_int(OSSL_SIGNATURE_PARAM_PSS_SALTLEN, &salt);
	*p = OSSL_PARAM_construct_end();
	return asym_init_digest(r, ctx, ALG_RSA_SIGNATURE, params) ? OK : E_FAILED;
}

static enum err setup_oaep(struct run *r, EVP_PKEY_CTX *ctx)
{
	const struct hash *h = hash_of(r->param.hash), *mgf = hash_of(r->param.mgf_hash);
	OSSL_PARAM params[PARAMS_MAX], *p = params;

	if (h == NULL || mgf == NULL || modulus_n(r) < 2 * h->size + 2)
		return E_MECHANISM_PARAM;
	*p++ = pkey_param_name(OSSL_ASYM_CIPHER_PARAM_PAD_MODE, OSSL_PKEY_RSA_PAD_MODE_OAEP);
	*p++ = pkey_param_name(OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST, fetch_name(h->alg));
	*p++ = pkey_param_name(OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST, fetch_name(mgf->alg));
	if (r->param.context.n != 0)
		*p++ = pkey_param_bytes(OSSL_ASYM_CIPHER_PARAM_OAEP_LABEL,
					pbytes_span(&r->param.context));
	*p = OSSL_PARAM_construct_end();
	return asym_init_cipher(r, ctx, params) ? OK : E_FAILED;
}

/*
 * PKCS #1 v1.5, with the DigestInfo of the mechanism's hash if it has one, and no padding at all.
 */
static enum err setup_plain(struct run *r, EVP_PKEY_CTX *ctx)
{
	const bool none = is_raw(r) || is_bare_pkcs(r);
	const char *mode = none ? OSSL_PKEY_RSA_PAD_MODE_NONE : OSSL_PKEY_RSA_PAD_MODE_PKCSV15;
	const struct hash *h = hash_of(r->mech->hash);
	OSSL_PARAM params[PARAMS_MAX], *p = params;

	_Static_assert(sizeof(OSSL_SIGNATURE_PARAM_PAD_MODE) ==
			       sizeof(OSSL_ASYM_CIPHER_PARAM_PAD_MODE),
		       "one name for the padding of signatures and ciphers");
	*p++ = pkey_param_name(OSSL_SIGNATURE_PARAM_PAD_MODE, mode);
	if (h != NULL)
		*p++ = pkey_param_name(OSSL_SIGNATURE_PARAM_DIGEST, fetch_name(h->alg));
	*p = OSSL_PARAM_construct_end();
	if (is_cipher(r->use))
		return asym_init_cipher(r, ctx, params) ? OK : E_FAILED;
	return asym_init_digest(r, ctx, ALG_RSA_SIGNATURE, params) ? OK : E_FAILED;
}

static enum err begin(struct run *r)
{
	return asym_begin(r, is_pss(r) ? setup_pss : is_oaep(r) ? setup_oaep : setup_plain);
}

static size_t bound(const struct run *r, size_t n, bool last)
{
	(void)n;
	return last ? modulus_n(r) : 0;
}

/* The longest input that is padded to a block: a message, or what is to be signed. */
static enum err check_message(const struct run *r, size_t n)
{
	size_t k = modulus_n(r);

	if (is_pss(r))
		return n == hash_of(r->param.hash)->size ? OK : E_DATA_LEN;
	if (is_oaep(r))
		return n <= k - 2 - 2 * hash_of(r->param.hash)->size ? OK : E_DATA_LEN;
	return n <= (is_raw(r) ? k : k - PKCS1_OVERHEAD) ? OK : E_DATA_LEN;
}

/* What the length of the input must be, and the error if libcrypto refuses what is in it. */
static const struct rule {
	bool block;      /* a whole block, as long as the modulus; else a message */
	enum err length; /* when a block is not */
	enum err refused;
	enum err refused_raw; /* without padding, a number that is not below the modulus */
} rules[USE_COUNT] = {
	[USE_ENCRYPT] = { false, E_DATA_LEN, E_FAILED, E_DATA },
	[USE_DECRYPT] = { true, E_CIPHERTEXT_LEN, E_CIPHERTEXT, E_CIPHERTEXT },
	[USE_SIGN] = { false, E_DATA_LEN, E_FAILED, E_DATA },
	[USE_SIGN_RECOVER] = { false, E_DATA_LEN, E_FAILED, E_DATA },
	[USE_VERIFY_RECOVER] = { true, E_SIGNATURE_LEN, E_SIGNATURE, E_SIGNATURE },
};

/* A message for the raw operation, filled up with zeros in front to a whole block (3.2, 6.1.10). */
static struct span fill_up(const struct run *r, struct span in, uint8_t block[RSA_MAX_BITS / 8])
{
	size_t k = modulus_n(r), zeros = k - in.n;

	memset(block, 0, zeros);
	if (in.n != 0)
		memcpy(block + zeros, in.p, in.n);
	return span(block, k);
}

/* RFC 8017, 9.2: 0, 1, bytes of ff, 0, the message. */
static struct span pad_pkcs(const struct run *r, struct span in, uint8_t block[RSA_MAX_BITS / 8])
{
	size_t k = modulus_n(r), padded = k - in.n;

	memset(block, 0xff, padded);
	block[0] = 0;
	block[1] = 1;
	block[padded - 1] = 0;
	if (in.n != 0)
		memcpy(block + padded, in.p, in.n);
	return span(block, k);
}

/* The reverse of what stands in all of o; the message moves to its front. */
static enum err unpad_pkcs(struct sink *o)
{
	size_t at = 2;

	if (o->n < PKCS1_OVERHEAD || o->p[0] != 0 || o->p[1] != 1)
		return E_SIGNATURE;
	while (at < o->n && o->p[at] == 0xff)
		at++;
	if (at < PKCS1_OVERHEAD - 1 || at == o->n || o->p[at] != 0)
		return E_SIGNATURE;
	at++;
	memmove(o->p, o->p + at, o->n - at);
	o->n -= at;
	return OK;
}

static enum err recover_pkcs(struct run *r, struct span in, struct sink *o)
{
	struct sink block = sink(o->p + o->n, sink_room(o));
	enum err e = asym_apply(r, in, &block, E_SIGNATURE);

	if (e == OK)
		e = unpad_pkcs(&block);
	if (e == OK)
		o->n += block.n;
	return e;
}

/* A raw operation on less than a block. */
static enum err apply_filled(struct run *r, struct span in, struct sink *o)
{
	uint8_t block[RSA_MAX_BITS / 8];
	enum err e = asym_apply(r, fill_up(r, in, block), o, rules[r->use].refused_raw);

	mem_wipe(block, modulus_n(r));
	return e;
}

static enum err once(struct run *r, struct span in, struct sink *o)
{
	const struct rule *rule = &rules[r->use];
	enum err e = OK;

	if (rule->block && in.n != modulus_n(r))
		return rule->length;
	if (!rule->block && (e = check_message(r, in.n)) != OK)
		return e;
	if (is_bare_pkcs(r))
		return recover_pkcs(r, in, o);
	if (is_raw(r) && !rule->block)
		return apply_filled(r, in, o);
	return asym_apply(r, in, o, is_raw(r) ? rule->refused_raw : rule->refused);
}

static enum err verify_once(struct run *r, struct span in, struct span sig)
{
	uint8_t block[RSA_MAX_BITS / 8];
	enum err e = check_message(r, in.n);

	if (e != OK)
		return e;
	if (sig.n != modulus_n(r))
		return E_SIGNATURE_LEN;
	if (!is_pss(r))
		in = is_raw(r) ? fill_up(r, in, block) : pad_pkcs(r, in, block);
	return asym_verify(r, in, sig);
}

static enum err hash_final(struct run *r, struct sink *o)
{
	uint8_t digest[EVP_MAX_MD_SIZE];
	size_t n;
	enum err e = asym_hash_final(r, digest, &n);

	if (e != OK)
		return e;
	return asym_apply(r, span(digest, n), o, E_FAILED);
}

static enum err hash_verify_final(struct run *r, struct span sig)
{
	uint8_t digest[EVP_MAX_MD_SIZE];
	size_t n;
	enum err e;

	if (sig.n != modulus_n(r))
		return E_SIGNATURE_LEN;
	if ((e = asym_hash_final(r, digest, &n)) != OK)
		return e;
	return asym_verify(r, span(digest, n), sig);
}

static const struct mech_ops rsa_ops = {
	.begin = begin,
	.bound = bound,
	.once = once,
	.verify_once = verify_once,
	.drop = asym_drop,
};

static const struct mech_ops rsa_hash_ops = {
	.begin = begin,
	.bound = bound,
	.update = asym_hash_update,
	.final = hash_final,
	.verify_final = hash_verify_final,
	.drop = asym_drop,
};

#define RSA_ROW(mech, f, t, h, checker)                                               \
	.type = (mech), .key_type = CKK_RSA, .key_type2 = CKK_RSA, .flags = (f),      \
	.min_key = RSA_MIN_BITS, .max_key = RSA_MAX_BITS, .traits = (t), .hash = (h), \
	.param = (checker), .needs = "RSA"

#define RSA_SIGNS    (CKF_SIGN | CKF_VERIFY)
#define RSA_RECOVERS (CKF_SIGN_RECOVER | CKF_VERIFY_RECOVER)
#define RSA_CIPHERS  (CKF_ENCRYPT | CKF_DECRYPT)
#define RSA_WRAPS    (CKF_WRAP | CKF_UNWRAP)

#define RSA_HASHED(mech, hash, more)                                                  \
	{                                                                             \
		RSA_ROW(mech, RSA_SIGNS, MECH_VERIFY_SIG_FIRST | (more), hash, NULL), \
			.ops = &rsa_hash_ops, .kat = "RSA-PKCS1-SHA256"               \
	}

#define RSA_HASHED_PSS(mech, hash, more)                                                   \
	{                                                                                  \
		RSA_ROW(mech, RSA_SIGNS, MECH_VERIFY_SIG_FIRST | (more), hash, param_pss), \
			.ops = &rsa_hash_ops, .kat = "RSA-PSS-SHA256"                      \
	}

#define NO_HASH CK_UNAVAILABLE_INFORMATION

/*
 * The raw operation does not wrap: a key in it would be the bare number that anybody can multiply.
 */
const struct mech rsa_mechs[] = {
	{ RSA_ROW(CKM_RSA_PKCS_KEY_PAIR_GEN, CKF_GENERATE_KEY_PAIR, MECH_APPROVED, NO_HASH, NULL),
	  .make = &rsa_make, .kat = "RSA-PKCS1-SHA256" },
	{ RSA_ROW(CKM_RSA_PKCS, RSA_CIPHERS | RSA_SIGNS | RSA_RECOVERS | RSA_WRAPS,
		  MECH_SINGLE | MECH_VERIFY_SIG_FIRST | MECH_WRAP_EXACT | MECH_UNWRAP_BLIND,
		  NO_HASH, NULL),
	  .ops = &rsa_ops, .kat = "RSA-PKCS1-SHA256" },
	{ RSA_ROW(CKM_RSA_X_509, RSA_CIPHERS | RSA_SIGNS | RSA_RECOVERS,
		  MECH_SINGLE | MECH_VERIFY_SIG_FIRST, NO_HASH, NULL),
	  .ops = &rsa_ops, .kat = "RSA-PKCS1-SHA256" },
	{ RSA_ROW(CKM_RSA_PKCS_OAEP, RSA_CIPHERS | RSA_WRAPS,
		  MECH_SINGLE | MECH_WRAP_EXACT | MECH_UNWRAP_BLIND | MECH_APPROVED, NO_HASH,
		  param_oaep),
	  .ops = &rsa_ops, .kat = "RSA-OAEP-SHA256" },
	{ RSA_ROW(CKM_RSA_PKCS_PSS, RSA_SIGNS, MECH_SINGLE | MECH_VERIFY_SIG_FIRST | MECH_APPROVED,
		  NO_HASH, param_pss),
	  .ops = &rsa_ops, .kat = "RSA-PSS-SHA256" },
	RSA_HASHED(CKM_SHA1_RSA_PKCS, CKM_SHA_1, 0),
	RSA_HASHED(CKM_SHA224_RSA_PKCS, CKM_SHA224, MECH_APPROVED),
	RSA_HASHED(CKM_SHA256_RSA_PKCS, CKM_SHA256, MECH_APPROVED),
	RSA_HASHED(CKM_SHA384_RSA_PKCS, CKM_SHA384, MECH_APPROVED),
	RSA_HASHED(CKM_SHA512_RSA_PKCS, CKM_SHA512, MECH_APPROVED),
	RSA_HASHED(CKM_SHA3_224_RSA_PKCS, CKM_SHA3_224, MECH_APPROVED),
	RSA_HASHED(CKM_SHA3_256_RSA_PKCS, CKM_SHA3_256, MECH_APPROVED),
	RSA_HASHED(CKM_SHA3_384_RSA_PKCS, CKM_SHA3_384, MECH_APPROVED),
	RSA_HASHED(CKM_SHA3_512_RSA_PKCS, CKM_SHA3_512, MECH_APPROVED),
	RSA_HASHED_PSS(CKM_SHA1_RSA_PKCS_PSS, CKM_SHA_1, 0),
	RSA_HASHED_PSS(CKM_SHA224_RSA_PKCS_PSS, CKM_SHA224, MECH_APPROVED),
	RSA_HASHED_PSS(CKM_SHA256_RSA_PKCS_PSS, CKM_SHA256, MECH_APPROVED),
	RSA_HASHED_PSS(CKM_SHA384_RSA_PKCS_PSS, CKM_SHA384, MECH_APPROVED),
	RSA_HASHED_PSS(CKM_SHA512_RSA_PKCS_PSS, CKM_SHA512, MECH_APPROVED),
	RSA_HASHED_PSS(CKM_SHA3_224_RSA_PKCS_PSS, CKM_SHA3_224, MECH_APPROVED),
	RSA_HASHED_PSS(CKM_SHA3_256_RSA_PKCS_PSS, CKM_SHA3_256, MECH_APPROVED),
	RSA_HASHED_PSS(CKM_SHA3_384_RSA_PKCS_PSS, CKM_SHA3_384, MECH_APPROVED),
	RSA_HASHED_PSS(CKM_SHA3_512_RSA_PKCS_PSS, CKM_SHA3_512, MECH_APPROVED),
};
const size_t rsa_mechs_n = sizeof(rsa_mechs) / sizeof(rsa_mechs[0]);
