/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between attributes and libcrypto's EVP_PKEY, for the key types of pairs. Functions that fail
 * leave libcrypto's error queue empty.
 */
#ifndef CHANCERY_CRYPTO_PKEY_H
#define CHANCERY_CRYPTO_PKEY_H

#include "base/attrset.h"

#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

/*
 * A key of libcrypto's type `type` from the parameters gathered in b (not freed), public or with
 * its private part. E_ATTR_VALUE: libcrypto takes them for no key.
 */
enum err pkey_build(const char *type, bool private, OSSL_PARAM_BLD *b, EVP_PKEY **out);
/* The same for types whose key is one string of bytes, given as the parameter `param`. */
enum err pkey_of_bytes(const char *type, bool private, const char *param, struct span bytes,
		       EVP_PKEY **out);
/* A new pair of the type; params as its generator takes them, or NULL. E_FAILED. */
enum err pkey_generate(const char *type, const OSSL_PARAM *params, EVP_PKEY **out);

/*
 * Appends the octet string or the big-endian number that param of pk is. E_FAILED when it has none.
 */
enum err pkey_bytes(const EVP_PKEY *pk, const char *param, struct buf *out);
/* Appends SubjectPublicKeyInfo of a key whose algorithm is its OID alone (DER) and whose public half is plain bytes. */
enum err pkey_public_info(const EVP_PKEY *pk, struct span oid, struct buf *out);
enum err pkey_number(const EVP_PKEY *pk, const char *param, struct buf *out);
/* Puts the same into *a as attribute t. */
enum err pkey_put_bytes(const EVP_PKEY *pk, const char *param, struct attrset *a,
			CK_ATTRIBUTE_TYPE t);
enum err pkey_put_number(const EVP_PKEY *pk, const char *param, struct attrset *a,
			 CK_ATTRIBUTE_TYPE t);

/* The attribute as a number; NULL: absent, or no memory. The caller frees it with BN_clear_free. */
BIGNUM *pkey_attr_number(const struct attrset *a, CK_ATTRIBUTE_TYPE t);
/* Puts v, without leading zeros. */
enum err pkey_put_bn(struct attrset *a, CK_ATTRIBUTE_TYPE t, const BIGNUM *v);

/*
 * Parameters of borrowed memory, which libcrypto takes by a pointer that is not const and only
 * reads.
 */
OSSL_PARAM pkey_param_name(const char *key, const char *name);
OSSL_PARAM pkey_param_bytes(const char *key, struct span bytes);

/*
 * After a failure of libcrypto: e, or E_MEMORY when its error queue says that memory was short. The
 * queue is left empty.
 */
enum err pkey_fail(enum err e);

#endif
