/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parameter checkers that rows of the registry name in mech.param. Each says which structure it
 * takes and which fields of struct param it fills; what is not named stays zero. All answer
 * E_MECHANISM_PARAM for a structure that is missing (unless optional), of the wrong size, or has a
 * pointer NULL with a length, and E_MEMORY. param_take calls them with a mechanism whose pointer is
 * NULL only when its length is 0.
 */
#ifndef CHANCERY_CRYPTO_PARAM_RULES_H
#define CHANCERY_CRYPTO_PARAM_RULES_H

#include "crypto/param.h"

typedef enum err param_rule(const struct mech *m, const CK_MECHANISM *mechanism, struct param *par);

/* CK_RSA_PKCS_PSS_PARAMS: hash (must be m->hash where that is one), mgf_hash, salt_len. */
param_rule param_pss;
/*
 * CK_RSA_PKCS_OAEP_PARAMS: hash, mgf_hash, context (the label). Source 0 only with an empty label
 * (case B016).
 */
param_rule param_oaep;
/*
 * CK_ECDH1_DERIVE_PARAMS: kdf, hash (of that KDF), context (shared data), data (the peer's public
 * data).
 */
param_rule param_ecdh1;
/* CK_EDDSA_PARAMS, optional: given, prehash, context (up to 255 bytes). */
param_rule param_eddsa;
/* CK_SIGN_ADDITIONAL_CONTEXT, optional: given, hedge, context (up to 255 bytes). */
param_rule param_sign_context;
/* CK_HASH_SIGN_ADDITIONAL_CONTEXT: as above and hash. */
param_rule param_hash_sign_context;
/* 16 bytes: iv. */
param_rule param_iv16;
/* CK_AES_CTR_PARAMS: counter_bits, iv. */
param_rule param_ctr;
/*
 * CK_GCM_PARAMS with or without ulIvBits, or CK_GCM_WRAP_PARAMS with the caller's IV: iv, aad,
 * tag_len.
 */
param_rule param_gcm;
/* The same for GMAC: no AAD, the signed data is it. */
param_rule param_gmac;
/* CK_CCM_PARAMS, or CK_CCM_WRAP_PARAMS with the caller's nonce: data_len, iv, aad, tag_len. */
param_rule param_ccm;
/* CK_MAC_GENERAL_PARAMS: tag_len, from 1; the upper end is checked by begin. */
param_rule param_mac_general;
/* An IV of 8 bytes, optional: iv, empty for the standard's own. */
param_rule param_kw_iv;
/* An IV of 4 bytes, optional: iv, empty for the standard's own. */
param_rule param_kwp_iv;
/* CK_HKDF_PARAMS: extract, expand, hash, salt_type, data (salt), key (salt key), context (info). */
param_rule param_hkdf;
/*
 * CK_PKCS5_PBKD2_PARAMS2, and the older form whose length is behind a pointer: hash, iterations,
 * data (salt), context (password).
 */
param_rule param_pbkdf2;

#endif
