/* SPDX-License-Identifier: Apache-2.0 */
/* RSA keys: what rsa_key.c, rsa_crt.c, rsa_gen.c and the mechanisms of rsa.c share. */
#ifndef CHANCERY_CRYPTO_RSA_H
#define CHANCERY_CRYPTO_RSA_H

#include "base/attrset.h"
#include "crypto/mech.h"

/* Bits of the modulus; the upper end is libcrypto's. */
enum { RSA_MIN_BITS = 1024, RSA_MAX_BITS = 16384 };

/* The numbers of a key, in the order of RSAPrivateKey (RFC 8017, A.1.2). */
enum {
	RSA_NUMBERS = 8,
	RSA_PUBLIC_NUMBERS = 2,  /* a public key has these */
	RSA_REQUIRED_NUMBERS = 3 /* a private key must come with these (3.2, 6.1.3) */
};

struct rsa_number {
	CK_ATTRIBUTE_TYPE attr;
	const char *param; /* libcrypto's name */
};

extern const struct rsa_number rsa_numbers[RSA_NUMBERS];

/* Bits of a big-endian number without leading zeros. */
CK_ULONG rsa_bits(struct span number);
/*
 * Whether e (no leading zeros) is a public exponent for moduli of so many bits: odd, at least 3, at
 * most 256 bits (FIPS 186-5, A.1.1), and 64 bits beyond a modulus of 3072, where libcrypto draws
 * that line.
 */
bool rsa_exponent_ok(struct span e, CK_ULONG modulus_bits);

/*
 * Adds the CRT parts that a private key lacks: from n, e, d alone, or from a prime. Numbers have
 * their standard form. E_ATTR_VALUE: they are no key. E_MEMORY.
 */
enum err rsa_crt_fill(struct attrset *a);
/* Whether all parts of a private key belong together; E_ATTR_VALUE if not, E_MEMORY. */
enum err rsa_crt_check(const struct attrset *a);

/* CKM_RSA_PKCS_KEY_PAIR_GEN. */
extern const struct mech_make rsa_make;

#endif
