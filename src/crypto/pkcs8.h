/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PrivateKeyInfo (RFC 5208) and its second version OneAsymmetricKey (RFC 5958): the envelope in
 * which a private key is wrapped. What is inside belongs to the key type.
 */
#ifndef CHANCERY_CRYPTO_PKCS8_H
#define CHANCERY_CRYPTO_PKCS8_H

#include "base/attrset.h"

/* Parts of an envelope; the bytes belong to the DER they were read from or are written from. */
struct pkcs8 {
	struct span oid;    /* with its tag */
	struct span params; /* of the algorithm, with their tag; empty: absent */
	struct span key;    /* content of privateKey */
	struct span pub;    /* bytes of publicKey (version 2); empty: absent */
};

/*
 * Strict DER. Attributes are read over. zero_padded: zero bytes may follow, the rest of a
 * block that a cipher without padding filled. E_WRAPPED_INVALID otherwise.
 */
enum err pkcs8_take(struct span in, bool zero_padded, struct pkcs8 *p);
/* Appends the envelope; version 2 when there is a public key. Errors as of buf_put. */
enum err pkcs8_put(struct buf *out, const struct pkcs8 *p);

/*
 * Puts the public key that came in the envelope, of a type without parameters, as
 * CKA_PUBLIC_KEY_INFO, where key_complete compares it. Errors of attrset_put.
 */
enum err pkcs8_put_public_info(const struct pkcs8 *p, struct attrset *a);

#endif
