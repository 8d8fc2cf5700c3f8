/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of key pairs share: pairs, operations on them, and the same keys as plain OpenSSL
 * sees them.
 */
#ifndef CHANCERY_TESTS_PAIR_H
#define CHANCERY_TESTS_PAIR_H

#include "base/attrset.h"
#include "crypto/mech.h"

#include <openssl/evp.h>

/* Group fixtures. */
int crypto_up(void **state);
int crypto_down(void **state);

/* Bytes of a string constant. */
#define BYTES(s) span((s), sizeof(s) - 1)

struct pair {
	struct attrset *pub, *priv;
};

/* All of these assert that they succeed. */
struct attrset *set_new(CK_OBJECT_CLASS class, CK_KEY_TYPE type);
void set_put(struct attrset *a, CK_ATTRIBUTE_TYPE t, struct span v);
void set_put_ulong(struct attrset *a, CK_ATTRIBUTE_TYPE t, CK_ULONG v);
struct pair pair_rsa(CK_ULONG bits);
struct pair pair_curve(CK_MECHANISM_TYPE gen, struct span params);
struct pair pair_mldsa(CK_ULONG set);
void pair_free(struct pair *p);
struct key *key_of(const struct attrset *a);

/*
 * The pair as plain OpenSSL reads it: the private key from its PKCS#8, the public one from its
 * SPKI.
 */
EVP_PKEY *evp_private(const struct attrset *a);
EVP_PKEY *evp_public(const struct attrset *a);
/* The reverse: attributes of a private key from the PKCS#8 that OpenSSL writes. */
enum err import_private(EVP_PKEY *pk, CK_KEY_TYPE type, struct attrset **out);
/* PKCS#8 of a key by OpenSSL. */
void evp_pkcs8(EVP_PKEY *pk, struct buf *out);

/* A mechanism with a parameter structure; NULL, 0: none. */
struct call {
	CK_MECHANISM_TYPE type;
	const void *param;
	CK_ULONG param_n;
};

/* Generates with the templates given; what was made, or NULLs. */
enum err generate(CK_MECHANISM_TYPE gen, const struct attrset *templ, struct pair *out);
/*
 * One operation in one call, appended to out; key NULL: a digest. part: in pieces of so many bytes,
 * 0 in one call.
 */
enum err work(struct call c, enum mech_use use, const struct attrset *key, struct span in,
	      size_t part, struct buf *out);
enum err check(struct call c, const struct attrset *key, struct span in, size_t part,
	       struct span sig);
enum err derive(struct call c, const struct attrset *key, const struct attrset *templ,
		struct buf *out);

/* Hexadecimal to bytes; the buffer is the caller's to free. */
struct buf unhex(const char *hex);

#endif
