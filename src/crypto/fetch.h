/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Algorithms of the private libcrypto, for src/crypto only. Each row of algs.def is fetched at its
 * first use and kept as long as the context: an implicit fetch takes locks in every operation, and
 * fetching all of them at start would make C_Initialize slow.
 *
 * What these functions return is borrowed and lives as long as the context. All of them may be
 * called by any number of threads at once; after the first call of a row a call is one atomic load.
 */
#ifndef CHANCERY_CRYPTO_FETCH_H
#define CHANCERY_CRYPTO_FETCH_H

#include "base/err.h"

#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <stdbool.h>

enum alg {
#define ALG(id, kind, name) ALG_##id,
#include "crypto/algs.def"
#undef ALG
	ALG_COUNT
};

/* The private context; NULL before crypto_start. */
OSSL_LIB_CTX *crypto_ctx(void);

/*
 * mem_secret_enter and mem_secret_leave for code that calls libcrypto: what libcrypto keeps for the
 * thread (its DRBGs, its error queue) is made before the tag is on, because it outlives the
 * operation and, after a fork, the arena's content.
 */
void crypto_secret_enter(void);
void crypto_secret_leave(void);

/*
 * Key material: bytes of the DRBG whose output nobody else sees. E_FAILED leaves the place wiped.
 */
enum err crypto_random_secret(void *p, size_t n);

/* NULL: this libcrypto has no such algorithm, or the row is of another kind. */
EVP_MD *fetch_md(enum alg a);
EVP_CIPHER *fetch_cipher(enum alg a);
EVP_MAC *fetch_mac(enum alg a);
EVP_KDF *fetch_kdf(enum alg a);
EVP_KEYMGMT *fetch_keymgmt(enum alg a);
EVP_SIGNATURE *fetch_signature(enum alg a);
EVP_KEYEXCH *fetch_exchange(enum alg a);
EVP_ASYM_CIPHER *fetch_asym(enum alg a);
EVP_KEM *fetch_kem(enum alg a);

/* The name of a row, as libcrypto knows it. Static. */
const char *fetch_name(enum alg a);
/* Whether the row of this name is there: for mech.needs. A name without a row counts as absent. */
bool fetch_has(const char *name);
/* Whether libcrypto does not have it, for good: false also when memory was too short to tell. */
bool fetch_lacks(const char *name);
/*
 * Drops the pointers of an abandoned context, unfreed. No other function of this file may be
 * running.
 */
void fetch_forget(void);

#endif
