/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Key pairs that are made here, sign texts, and go with whoever made them: Ed25519, and ML-DSA-65 pure with an empty context. In
 * the secret arena. Threads, locks and errors as in sealing.h; a key is used by any number of threads at once.
 */
#ifndef CHANCERY_CRYPTO_NOTEKEY_H
#define CHANCERY_CRYPTO_NOTEKEY_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

enum notekey_type { NOTEKEY_ED25519, NOTEKEY_MLDSA65, NOTEKEY_TYPES };

struct notekey;

/* *out is the caller's. */
enum err notekey_new(enum notekey_type type, struct notekey **out);
void notekey_free(struct notekey *k); /* wipes; NULL accepted */
/* The public half as its standard encodes it (RFC 8032: 32 bytes; FIPS 204: 1,952), appended to out. */
enum err notekey_public(const struct notekey *k, struct buf *out);
/* A signature of text (64 bytes; 3,309), appended to out. On error out is as it was. */
enum err notekey_sign(const struct notekey *k, struct span text, struct buf *out);

#endif
