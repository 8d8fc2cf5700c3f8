/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about digests, and the numbers that PKCS#11 gives them in the places that name one. */
#ifndef CHANCERY_CRYPTO_HASH_H
#define CHANCERY_CRYPTO_HASH_H

#include "base/err.h"
#include "base/span.h"
#include "crypto/fetch.h"

#include <chancery/pkcs11.h>
#include <stddef.h>

struct hash {
	CK_MECHANISM_TYPE mech;   /* CKM_SHA256 */
	enum alg alg;             /* for fetch_md and fetch_name */
	size_t size;              /* bytes of the digest */
	size_t block;             /* bytes of an input block, as HMAC counts them */
	CK_RSA_PKCS_MGF_TYPE mgf; /* MGF1 with it; 0: no number */
	CK_EC_KDF_TYPE kdf;       /* X9.63 KDF with it; 0: no number */
	CK_ULONG prf;             /* HMAC with it as a PRF of PBKDF2; 0: no number */
};

/* Each by its number; NULL for what is no digest of this table. */
const struct hash *hash_of(CK_MECHANISM_TYPE mech);
const struct hash *hash_of_mgf(CK_RSA_PKCS_MGF_TYPE mgf);
const struct hash *hash_of_kdf(CK_EC_KDF_TYPE kdf);
const struct hash *hash_of_prf(CK_ULONG prf);

/* The digest of in, at out (h->size bytes). E_FAILED. */
enum err hash_once(const struct hash *h, struct span in, uint8_t *out);

#endif
