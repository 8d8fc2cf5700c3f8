/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys of a token. A random data key is the root of them; PINs wrap it (pin.h) and one key for each purpose is
 * derived from it here. What each is used for, byte by byte, is in docs/STORE.md.
 */
#ifndef CHANCERY_STORE_SEAL_H
#define CHANCERY_STORE_SEAL_H

#include "base/span.h"
#include "crypto/sealing.h"
#include "store/store.h"

enum { IDENT_SERIAL = 16, IDENT_GENERATION = 16 };

/* What is bound into everything that is sealed: the token, and its data key's generation (new at each C_InitToken). */
struct ident {
	uint8_t serial[IDENT_SERIAL]; /* text, as in CK_TOKEN_INFO */
	uint8_t generation[IDENT_GENERATION];
};

/* In the secret arena. Read by any number of threads, never changed after seal_new. */
struct seal {
	enum store_user user; /* whose PIN opened it */
	struct ident ident;
	uint8_t data
		[SEALING_KEY]; /* wrapped by PINs, used for nothing but the derivation of the others */
	uint8_t record[SEALING_KEY]; /* AES-256-GCM of sealed records */
	uint8_t mac[SEALING_KEY];    /* HMAC-SHA-256 of public records */
	uint8_t index[SEALING_KEY];  /* HMAC-SHA-256 of labels and ids of sealed records */
	uint8_t root[SEALING_KEY];   /* HMAC-SHA-256: a record's part of the root */
	uint8_t state[SEALING_KEY];  /* AES-256-GCM of the root and the counter */
	uint8_t uses[SEALING_KEY];   /* AES-256-GCM of the counts of uses */
};

/* *out is the caller's. data_key: SEALING_KEY bytes. */
enum err seal_new(const struct ident *ident, enum store_user user, const uint8_t *data_key,
		  struct seal **out);

/* Whether k is for this token and this generation of its data key. */
bool seal_fits(const struct seal *k, const struct ident *ident);

#endif
