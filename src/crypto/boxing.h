/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sealing to a public key: what nobody on this machine can open again (docs/AUDIT.md, "Sealing"). X25519MLKEM768, HKDF-SHA-256,
 * AES-256-GCM. Threads, locks and errors as in sealing.h.
 */
#ifndef CHANCERY_CRYPTO_BOXING_H
#define CHANCERY_CRYPTO_BOXING_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

enum { BOXING_PUBLIC = 1216, BOXING_CT = 1120 };

/* ct, nonce, box and tag, appended to out. E_DATA: public_key is none. On error out is as it was. */
enum err boxing_seal(struct span public_key, struct span aad, struct span plain, struct buf *out);

/* For the self-test, which fills out with 1: a secret that was sent to a fresh key is what arrives there, else with 0. */
enum err boxing_pairwise(uint8_t *out, size_t n);

#endif
