/* SPDX-License-Identifier: Apache-2.0 */
/* ML-DSA (FIPS 204): what its keys and its mechanisms share. */
#ifndef CHANCERY_CRYPTO_MLDSA_H
#define CHANCERY_CRYPTO_MLDSA_H

#include "crypto/fetch.h"
#include "crypto/mech.h"

enum {
	MLDSA_SEED = 32,
	MLDSA_TR = 64, /* digest of the public key, */
	MLDSA_MU = 64  /* and with it, of the message */
};

struct mldsa {
	CK_ULONG set;     /* CKP_ML_DSA_… */
	struct span oid;  /* DER, with tag and length */
	const char *name; /* libcrypto's key type */
	enum alg alg;     /* and signature */
	size_t public_n;
	size_t private_n; /* of the expanded key */
	size_t signature_n;
};

/* The parameter set that an attribute set names. E_TEMPLATE_INCOMPLETE, E_PARAMETER_SET. */
enum err mldsa_of(const struct attrset *a, const struct mldsa **out);

/* CKM_ML_DSA_KEY_PAIR_GEN. */
extern const struct mech_make mldsa_make;

#endif
