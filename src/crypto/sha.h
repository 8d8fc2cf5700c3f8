/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-1 and SHA-2 with a running state that can be saved. For digest.c only. */
#ifndef CHANCERY_CRYPTO_SHA_H
#define CHANCERY_CRYPTO_SHA_H

#include "base/buf.h"

#include <chancery/pkcs11.h>
#include <openssl/sha.h>

union sha_ctx {
	SHA_CTX sha1;
	SHA256_CTX sha256;
	SHA512_CTX sha512;
};

/* One of the three compression functions. Those that return int: 1 for success, as libcrypto's. */
struct sha_family {
	int (*update)(union sha_ctx *c, struct span in);
	int (*final)(union sha_ctx *c, uint8_t *out);
	/* Appends the running state. */
	enum err (*save)(const union sha_ctx *c, struct buf *out);
	/*
	 * Reads it from the front of *in over an initialised *c; false: no such state, *c is
	 * worthless.
	 */
	bool (*load)(union sha_ctx *c, struct span *in);
};

struct sha {
	CK_MECHANISM_TYPE mech;
	size_t size; /* bytes of the digest */
	const struct sha_family *family;
	int (*init)(union sha_ctx *c);
};

/* NULL for a mechanism that is no digest of these. Static. */
const struct sha *sha_of(CK_MECHANISM_TYPE mech);

#endif
