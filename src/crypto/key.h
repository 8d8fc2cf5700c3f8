/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A key as libcrypto wants it: parsed once from attributes, immutable, reference counted, used by any
 * number of threads at once. Secret parts live in the secret arena. What PKCS#11 says about the key
 * (usage, sensitivity) is core's business, not here.
 */
#ifndef CHANCERY_CRYPTO_KEY_H
#define CHANCERY_CRYPTO_KEY_H

#include "base/attrset.h"
#include "base/buf.h"
#include "base/err.h"

struct key;

/* A reference to a new parsed key in *out. Errors: E_ATTR_VALUE and kin for values that are no key. */
enum err key_parse(const struct attrset *a, struct key **out);
struct key *key_ref(struct key *k);
void key_unref(struct key *k); /* NULL accepted */

CK_KEY_TYPE key_type(const struct key *k);
CK_OBJECT_CLASS key_class(const struct key *k);
/* In the unit that C_GetMechanismInfo uses for the type: bits for RSA and EC, bytes for secret keys and ML-DSA. */
CK_ULONG key_size(const struct key *k);
/* Bytes of the secret arena that the parsed form holds, for the cache's budget. */
size_t key_footprint(const struct key *k);

/*
 * Checks and completes the attributes of a key that arrives from outside (C_CreateObject) or was just
 * made: CKA_CLASS and CKA_KEY_TYPE present. Normalises (leading zeros of big integers, points to their
 * standard form, curve parameters kept as given), verifies that the parts belong together and the point
 * is on its curve, and adds what follows from them: CKA_MODULUS_BITS, CKA_VALUE_LEN, CRT parts, an
 * expanded key from its seed, CKA_PUBLIC_KEY_INFO and CKA_CHECK_VALUE (these two verified when given).
 * Completing twice changes nothing.
 * Errors: E_TEMPLATE_INCOMPLETE, E_ATTR_VALUE, E_CURVE, E_DOMAIN_PARAMS, E_PARAMETER_SET, E_KEY_SIZE,
 * E_TEMPLATE_INCONSISTENT.
 */
enum err key_complete(struct attrset *a);

/*
 * The bytes that C_WrapKey encrypts (3.2, 5.18.3 and 6.7): a secret key's value, or PKCS#8
 * PrivateKeyInfo DER of a private key. out is a secret buffer.
 */
enum err key_wrap_form(const struct attrset *a, struct buf *out);
/*
 * The reverse for C_UnwrapKey: fills *a (which has CKA_CLASS and CKA_KEY_TYPE, and CKA_VALUE_LEN if the
 * template gave it) with the key's own attributes, completed as by key_complete. len_exact: the mechanism
 * keeps the length; else a secret key is cut to CKA_VALUE_LEN, and zeros may follow a private key.
 * E_WRAPPED_INVALID, E_WRAPPED_LEN; E_CURVE, E_DOMAIN_PARAMS, E_PARAMETER_SET for private keys of kinds
 * that are not supported; errors of key_complete for secret keys.
 */
enum err key_unwrap_form(struct span in, bool len_exact, struct attrset *a);

/* SubjectPublicKeyInfo DER of a public or private key object's attributes. */
enum err key_public_info(const struct attrset *a, struct buf *out);

#endif
