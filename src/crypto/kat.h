/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Known-answer tests as data. A row gives a mechanism, what it does, and the bytes in and out; it
 * runs through the same ops as the callers' work, so that what is tested is what is used.
 */
#ifndef CHANCERY_CRYPTO_KAT_H
#define CHANCERY_CRYPTO_KAT_H

#include "crypto/mech.h"

#include <stdatomic.h>

/* An attribute of the test's key, its value in hexadecimal. */
struct kat_attr {
	CK_ATTRIBUTE_TYPE type;
	const char *hex;
};

#define KAT_ATTRS 10

enum kat_kind {
	KAT_DIGEST,   /* in -> out */
	KAT_SIGN,     /* in -> out under priv; verified under pub, and refused when changed */
	KAT_PAIRWISE, /* for signatures that differ: out verifies, so does a new one unless changed */
	KAT_CIPHER,   /* in -> out under priv, and back */
	KAT_AEAD,     /* KAT_CIPHER, and a changed out is refused */
	KAT_DECRYPT,  /* for ciphertexts that differ: out -> in under priv; in to pub and back */
	KAT_DERIVE,   /* priv -> a secret key whose value is out */
	KAT_GENERATE, /* parameter -> a secret key whose value is out */
	KAT_CALL      /* call() makes out: for what is no mechanism */
};

struct kat {
	const char *name; /* what mech.kat names; unique over all families */
	enum kat_kind kind;
	CK_MECHANISM_TYPE mech;
	CK_OBJECT_CLASS class; /* of priv: CKO_SECRET_KEY or CKO_PRIVATE_KEY */
	CK_KEY_TYPE key_type;
	/*
	 * Attributes besides class and type, as key_parse wants them; they end at the first hex
	 * that is NULL.
	 */
	struct kat_attr priv[KAT_ATTRS];
	struct kat_attr pub[KAT_ATTRS]; /* of the public key; none: priv serves both ways */
	const void *param;              /* of the mechanism, static; NULL: none */
	size_t param_n;
	const char *in, *out;                     /* hexadecimal; NULL: empty */
	enum err (*call)(uint8_t *out, size_t n); /* KAT_CALL */
};

/*
 * Runs one row, without regard to earlier results and without latching. E_SELFTEST when an answer
 * is wrong.
 */
enum err kat_run(const struct kat *k);

/*
 * The row of this name, once per process: *tested keeps that it passed. A failure latches:
 * E_SELFTEST from then on, here and in selftest_once. Any number of threads at once.
 */
enum err selftest_named(const char *name, atomic_uchar *tested);

extern const struct kat digest_kats[];
extern const size_t digest_kats_n;
extern const struct kat mac_kats[];
extern const size_t mac_kats_n;
extern const struct kat aes_kats[];
extern const size_t aes_kats_n;
extern const struct kat kdf_kats[];
extern const size_t kdf_kats_n;
/* RSA; ECDSA and ECDH; EdDSA and X25519, X448; ML-DSA. */
extern const struct kat rsa_kats[];
extern const size_t rsa_kats_n;
extern const struct kat ec_kats[];
extern const size_t ec_kats_n;
extern const struct kat ecx_kats[];
extern const size_t ecx_kats_n;
extern const struct kat mldsa_kats[];
extern const size_t mldsa_kats_n;

#endif
