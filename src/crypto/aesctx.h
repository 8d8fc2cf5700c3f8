/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state that all AES ops share: a libcrypto cipher context that stays keyed between operations.
 */
#ifndef CHANCERY_CRYPTO_AESCTX_H
#define CHANCERY_CRYPTO_AESCTX_H

#include "crypto/mech.h"

#include <openssl/evp.h>

#define AES_BLOCK 16
/* libcrypto counts in int; longer input is fed in pieces of this. */
#define AES_PIECE ((size_t)1 << 30)

enum aes_mode {
	AES_MODE_ECB,
	AES_MODE_CBC,
	AES_MODE_CTR,
	AES_MODE_CTS,
	AES_MODE_GCM,
	AES_MODE_CCM,
	AES_MODE_XTS,
	AES_MODE_KW,
	AES_MODE_KWP,
	AES_MODE_COUNT
};

struct aes_state {
	EVP_CIPHER_CTX *ctx;
	EVP_CIPHER *cipher; /* the one selected; borrowed */
	/* whose schedule ctx has; a reference, so that its address stays its own */
	struct key *key;
	bool encrypt;           /* in this direction */
	size_t iv_n;            /* length of the IV that ctx was told, where it varies */
	struct gcmlong *longer; /* instead of ctx, for a GCM IV that EVP does not take; owned */
	size_t in, out;         /* bytes of this operation so far */
};

/*
 * Makes r->state if there is none, selects the cipher for r's key in this mode and begins to count
 * anew. E_MEMORY, E_KEY_SIZE.
 */
enum err aes_select(struct run *r, enum aes_mode mode);
/*
 * aes_select, and ready to be fed: the key is set only when it is another than last time. iv as the
 * mode wants it. E_FAILED too.
 */
enum err aes_open(struct run *r, enum aes_mode mode, struct span iv);
/* The context is about to be keyed by other means: forgets whose key it has. */
void aes_unkey(struct aes_state *s);
/* Feeds in, with its output at o, which has room; counts both. E_FAILED. */
enum err aes_feed(struct aes_state *s, struct span in, struct sink *o);
/* Frees a state; the drop of all AES ops. */
void aes_drop(void *state);

/*
 * What a wrong input or its wrong length is called: data when encrypting, ciphertext when
 * decrypting.
 */
static inline enum err aes_bad_length(const struct run *r)
{
	return r->use == USE_ENCRYPT ? E_DATA_LEN : E_CIPHERTEXT_LEN;
}

/* Ops of aesaead.c. */
extern const struct mech_ops gcm_ops;
extern const struct mech_ops ccm_ops;

#endif
