/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Known-answer tests as data. A row gives a mechanism, what it does, and the bytes in and out; it runs through
 * the same run_* ops as the callers' work, so that what is tested is what is used.
 */
#ifndef CHANCERY_CRYPTO_KAT_H
#define CHANCERY_CRYPTO_KAT_H

#include "crypto/mech.h"

/* An attribute of the test's key: bytes in hexadecimal. */
struct kat_attr {
	CK_ATTRIBUTE_TYPE type;
	const char *hex;
};

#define KAT_ATTRS 10

enum kat_kind {
	KAT_DIGEST, /* in -> out */
	KAT_SIGN,   /* in -> out under priv, verified under pub; a changed signature is refused */
	KAT_PAIRWISE, /* as KAT_SIGN for signatures that differ each time: signs and verifies, and verifies out */
	KAT_CIPHER,  /* in -> out under priv, and back; AEAD: a changed out is refused */
	KAT_DECRYPT, /* out -> in under priv: for encryption that differs each time, which runs under pub and is decrypted again */
	KAT_DERIVE /* base key priv -> out, as many bytes as out has */,
	KAT_GENERATE /* parameters -> out (PBKDF2) */
};

struct kat {
	const char *name; /* what mech.kat names; unique over all families */
	enum kat_kind kind;
	CK_MECHANISM_TYPE mech;
	CK_OBJECT_CLASS class; /* of priv; pub is CKO_PUBLIC_KEY of the same type */
	CK_KEY_TYPE key_type;
	struct kat_attr
		priv[KAT_ATTRS];        /* ends at type 0 with hex NULL; class and type are added */
	struct kat_attr pub[KAT_ATTRS]; /* empty: priv serves both ways (secret keys) */
	/* The mechanism's parameter; NULL and 0: none. Static memory. */
	const void *param;
	size_t param_n;
	const char *in, *out; /* hexadecimal */
};

/* Runs one row, without regard to earlier results and without latching. E_SELFTEST when the answer is wrong. */
enum err kat_run(const struct kat *k);

extern const struct kat digest_kats[];
extern const size_t digest_kats_n;
extern const struct kat mac_kats[];
extern const size_t mac_kats_n;
extern const struct kat aes_kats[];
extern const size_t aes_kats_n;
extern const struct kat kdf_kats[];
extern const size_t kdf_kats_n;
/* kat_rsa.c, kat_ec.c, kat_mldsa.c: RSA, ECDSA and ECDH, EdDSA and X25519, ML-DSA. */
extern const struct kat rsa_kats[];
extern const size_t rsa_kats_n;
extern const struct kat ec_kats[];
extern const size_t ec_kats_n;
extern const struct kat mldsa_kats[];
extern const size_t mldsa_kats_n;

#endif
