/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signing and verifying a stream of bytes with a key of any module. Algorithms are rows with a name that
 * people write; a module that lacks the hashing mechanism of a row but has the plain one is used through its own digests.
 */
#ifndef CHANCERY_CLIENT_SIGNER_H
#define CHANCERY_CLIENT_SIGNER_H

#include "base/buf.h"
#include "client/object.h"

struct sign_alg {
	const char *name; /* "ecdsa-sha256" */
	CK_KEY_TYPE key_type;
	CK_MECHANISM_TYPE mech;   /* hashes and signs */
	CK_MECHANISM_TYPE plain;  /* signs a digest; CK_UNAVAILABLE_INFORMATION: there is none */
	CK_MECHANISM_TYPE hash;   /* of that digest */
	CK_RSA_PKCS_MGF_TYPE mgf; /* 0: no PSS */
	CK_ULONG salt;
};

/* What a signature is made or checked with. */
struct signer {
	struct desk desk;
	CK_OBJECT_HANDLE key;
	const struct sign_alg *alg;
	struct span context; /* ML-DSA, EdDSA; empty: none */
};

/* All rows; ends with a row without a name. */
extern const struct sign_alg sign_algs[];

/* The row with this name that fits a key of type kt; name NULL: the usual one for the key (for EC by its size in bits). NULL when none. */
const struct sign_alg *sign_alg_find(const char *name, CK_KEY_TYPE kt, unsigned bits);

/* Signs what can be read from fd until its end. sig's contents are replaced. name is of the input, for messages. */
enum err signer_sign(const struct signer *s, int fd, const char *name, struct buf *sig,
		     struct why *why);
/* E_SIGNATURE or E_SIGNATURE_LEN: it does not match. */
enum err signer_verify(const struct signer *s, int fd, const char *name, struct span sig,
		       struct why *why);

#endif
