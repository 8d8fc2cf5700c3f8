/* SPDX-License-Identifier: Apache-2.0 */
/* SubjectPublicKeyInfo (RFC 5280, 4.1.2.7): the value of CKA_PUBLIC_KEY_INFO. */
#ifndef CHANCERY_CRYPTO_SPKI_H
#define CHANCERY_CRYPTO_SPKI_H

#include "base/buf.h"

/*
 * Appends AlgorithmIdentifier: oid, and params unless empty, both DER with their tags.
 * Errors as of buf_put.
 */
enum err spki_put_algorithm(struct buf *out, struct span oid, struct span params);
/* Appends SubjectPublicKeyInfo of that algorithm with the public key's bytes. */
enum err spki_put(struct buf *out, struct span oid, struct span params, struct span key);

#endif
