/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AES-GCM with an IV of any length. libcrypto's EVP takes 128 bytes at most, SP 800-38D allows
 * more: for such IVs GCM is put together from libcrypto's block cipher and its GCM over any block
 * cipher. Slower than EVP, and nobody uses it twice.
 */
#ifndef CHANCERY_CRYPTO_GCMLONG_H
#define CHANCERY_CRYPTO_GCMLONG_H

#include "crypto/key.h"

/* The longest IV that EVP takes. */
#define GCM_EVP_IV_MAX 128

struct gcmlong;

/* Ready for data, after the additional data. E_MEMORY, E_FAILED. */
enum err gcmlong_new(const struct key *key, struct span iv, struct span aad, struct gcmlong **out);
void gcmlong_free(struct gcmlong *g); /* NULL accepted */
/* in to as many bytes at out; may be in place. E_FAILED. */
enum err gcmlong_crypt(struct gcmlong *g, bool encrypt, struct span in, uint8_t *out);
/* The tag of all so far, 16 bytes; nothing can follow. E_FAILED. */
enum err gcmlong_tag(struct gcmlong *g, uint8_t tag[16]);

#endif
