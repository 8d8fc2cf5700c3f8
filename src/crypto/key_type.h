/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is inside a struct key, and the table of key types: one row per CKK that says how attributes
 * become a key libcrypto can use and back. For src/crypto only; everybody else has key.h.
 */
#ifndef CHANCERY_CRYPTO_KEY_TYPE_H
#define CHANCERY_CRYPTO_KEY_TYPE_H

#include "crypto/key.h"

#include <openssl/evp.h>
#include <stdatomic.h>

/* Immutable once key_parse has returned it. */
struct key {
	atomic_uint refs;
	const struct key_type_row *row;
	CK_OBJECT_CLASS class;
	CK_ULONG size;    /* as key_size gives it */
	size_t footprint; /* as key_footprint gives it */
	EVP_PKEY *pkey;   /* pairs: the public or private half; owned */
	const void *info; /* pairs: the type's own static row (curve, parameter set) or NULL */
	uint8_t *value;   /* secret keys: the bytes, in the secret arena; owned */
	size_t value_n;
};

struct key_type_row {
	CK_KEY_TYPE type;
	bool secret; /* CKO_SECRET_KEY; else the halves of a pair */
	/*
	 * Before parse, for attributes from outside: what must be there is there
	 * (E_TEMPLATE_INCOMPLETE), values take their standard form. NULL: nothing to do.
	 */
	enum err (*normalise)(struct attrset *a);
	/*
	 * Fills size, footprint and pkey with info, or value, of k (zeroed, with row, class and
	 * refs set). Runs inside the secret tag unless k is public. What it left in k is freed by
	 * the caller after an error.
	 */
	enum err (*parse)(const struct attrset *a, struct key *k);
	/*
	 * After parse: the parts belong together (E_ATTR_VALUE), and adds to *a what follows from
	 * them. Where that is the public key, key.c adds CKA_PUBLIC_KEY_INFO itself. NULL: nothing
	 * to do.
	 */
	enum err (*complete)(const struct key *k, struct attrset *a);
	/* Appends the bytes that are wrapped; of private and secret keys only. */
	enum err (*wrap_form)(const struct key *k, const struct attrset *a, struct buf *out);
	/*
	 * The reverse; fills *a with what normalise wants. A public key that came with a private
	 * one is put as CKA_PUBLIC_KEY_INFO and compared later.
	 */
	enum err (*unwrap_form)(struct span in, bool len_exact, struct attrset *a);
	/* Appends SubjectPublicKeyInfo DER. NULL for secret keys. */
	enum err (*public_info)(const struct key *k, struct buf *out);
};

static inline bool key_attrs_private(const struct attrset *a)
{
	return attrset_ulong(a, CKA_CLASS, 0) == CKO_PRIVATE_KEY;
}

/*
 * The end of every pair's generation: puts CKA_CLASS and CKA_KEY_TYPE on both halves and completes
 * them, which also checks what was generated. Errors of key_complete.
 */
enum err key_pair_finish(CK_KEY_TYPE type, struct attrset *pub, struct attrset *priv);

/* The rows, gathered by key.c. */
extern const struct key_type_row rsa_key_type;
extern const struct key_type_row ec_key_type;
extern const struct key_type_row edwards_key_type;
extern const struct key_type_row montgomery_key_type;
extern const struct key_type_row mldsa_key_type;
extern const struct key_type_row secret_key_types[]; /* secret.c */
extern const size_t secret_key_types_n;

#endif
