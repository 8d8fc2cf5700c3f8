/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of each family of mechanisms, gathered by mech.c; and each family's known-answer tests.
 */
#ifndef CHANCERY_CRYPTO_FAMILIES_H
#define CHANCERY_CRYPTO_FAMILIES_H

#include "crypto/mech.h"

extern const struct mech digest_mechs[];
extern const size_t digest_mechs_n;
extern const struct mech mac_mechs[];
extern const size_t mac_mechs_n;
extern const struct mech aes_mechs[];
extern const size_t aes_mechs_n;
extern const struct mech aeswrap_mechs[];
extern const size_t aeswrap_mechs_n;
extern const struct mech secret_mechs[];
extern const size_t secret_mechs_n;
extern const struct mech kdf_mechs[];
extern const size_t kdf_mechs_n;
extern const struct mech rsa_mechs[];
extern const size_t rsa_mechs_n;
extern const struct mech ec_mechs[];
extern const size_t ec_mechs_n;
extern const struct mech eddsa_mechs[];
extern const size_t eddsa_mechs_n;
extern const struct mech xdh_mechs[];
extern const size_t xdh_mechs_n;
extern const struct mech mldsa_mechs[];
extern const size_t mldsa_mechs_n;

#endif
