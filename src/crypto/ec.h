/* SPDX-License-Identifier: Apache-2.0 */
/* What the keys and the mechanisms of elliptic curves share. */
#ifndef CHANCERY_CRYPTO_EC_H
#define CHANCERY_CRYPTO_EC_H

#include "crypto/curve.h"
#include "crypto/mech.h"

#include <openssl/evp.h>

/* A Weierstrass public key of a point that curve_point accepted. E_ATTR_VALUE: not on the curve. */
enum err ec_public_of(const struct curve *c, struct span point, EVP_PKEY **out);
/* Whether the 32 or 57 bytes are a point of the Edwards curve (RFC 8032, 5.1.3 and 5.2.3). */
bool edwards_point_ok(const struct curve *c, struct span point);

/* Key pairs of all curves, by CKA_EC_PARAMS. */
extern const struct mech_make curve_make;
/* CKM_ECDH1_DERIVE and its cofactor form. */
extern const struct mech_make ecdh_make;

#endif
