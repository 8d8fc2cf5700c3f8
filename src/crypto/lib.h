/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The private libcrypto: one OSSL_LIB_CTX of our own per process and initialisation. The host
 * program's OpenSSL, of any version, is never touched: ours is linked in and hidden, reads no
 * configuration file and leaves no atexit handler.
 */
#ifndef CHANCERY_CRYPTO_LIB_H
#define CHANCERY_CRYPTO_LIB_H

#include "base/err.h"
#include "base/span.h"

/*
 * Makes the context (first use of libcrypto sets its allocator to mem.h). Called under the
 * library's initialise lock. After a fork the child calls it again: the parent's context is
 * abandoned, not freed.
 */
enum err crypto_start(void);
/* Frees the context, when it is this process's own. No operation may be running. */
void crypto_stop(void);

/* Bytes from the context's DRBG. E_FAILED leaves the place wiped. */
enum err crypto_random(void *p, size_t n);
/* Mixes caller-supplied seed material in (never replaces entropy). */
enum err crypto_seed(struct span seed);

/* The version text of the linked libcrypto, for doctor and C_GetInfo-like places. */
const char *crypto_version(void);

#endif
