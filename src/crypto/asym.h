/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the operations under asymmetric keys share: a libcrypto context that is kept between
 * operations as long as the key and all that was set in the context stay the same, and the digest
 * in front of a signature.
 */
#ifndef CHANCERY_CRYPTO_ASYM_H
#define CHANCERY_CRYPTO_ASYM_H

#include "crypto/hash.h"
#include "crypto/key_type.h"
#include "crypto/mech.h"

/* The state of a run. It holds a reference to the key, so that the same address is the same key. */
struct asym {
	struct key *key;
	EVP_PKEY_CTX *pctx;
	const struct mech *mech; /* pctx was set up for this, */
	enum mech_use use;       /* this, */
	CK_MECHANISM_TYPE hash;  /* and these fields of the parameter */
	CK_MECHANISM_TYPE mgf_hash;
	CK_ULONG salt_len;
	CK_ULONG hedge;
	bool given;
	bool prehash;
	bool once_only;    /* set up with bytes of the caller's: not for the next operation */
	bool streaming;    /* ML-DSA: parts of a message went into mdctx */
	EVP_MD_CTX *mdctx; /* of the digest in front, or NULL */
};

/* Sets up ctx, made for r->key, for r: the libcrypto init call of r->use with its parameters. */
typedef enum err asym_setup(struct run *r, EVP_PKEY_CTX *ctx);

/*
 * begin of the ops: state and context are there and set up, by `setup` unless the kept one fits;
 * with a hash in the mechanism (r->mech->hash, if it is one) the digest is started. E_KEY_TYPE: the
 * half that the use needs is not this one.
 */
enum err asym_begin(struct run *r, asym_setup *setup);
/*
 * What r->use does with `in`, appended to o (at least bound long). On error, `refused` unless
 * memory was short, the context is dropped.
 */
enum err asym_apply(struct run *r, struct span in, struct sink *o, enum err refused);
/*
 * Whether sig is a signature of `in`: E_SIGNATURE if not; E_MEMORY, E_FAILED if that cannot be
 * told.
 */
enum err asym_verify(struct run *r, struct span in, struct span sig);

/*
 * The libcrypto init call for the use of r, a signature or verification (of a digest, or of a
 * message).
 */
bool asym_init_digest(const struct run *r, EVP_PKEY_CTX *ctx, enum alg a, const OSSL_PARAM *params);
bool asym_init_message(const struct run *r, EVP_PKEY_CTX *ctx, enum alg a,
		       const OSSL_PARAM *params);
/* The same for encryption and decryption. */
bool asym_init_cipher(const struct run *r, EVP_PKEY_CTX *ctx, const OSSL_PARAM *params);

/* update of the ops with a digest in front. */
enum err asym_hash_update(struct run *r, struct span in, struct sink *o);
/*
 * The digest of all that update was given, at most EVP_MAX_MD_SIZE bytes at out; its length in *n.
 */
enum err asym_hash_final(struct run *r, uint8_t out[EVP_MAX_MD_SIZE], size_t *n);

/* drop of the ops. */
void asym_drop(void *state);

#endif
