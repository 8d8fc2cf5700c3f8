/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mechanism parameters: CK_*_PARAMS of the caller become an owned, checked deep copy at Init, so
 * that nothing the caller does afterwards to its memory changes the operation (case B025). Lengths,
 * NULL pointers and enumerations are checked here, once for every mechanism; what depends on the
 * key is checked by begin.
 */
#ifndef CHANCERY_CRYPTO_PARAM_H
#define CHANCERY_CRYPTO_PARAM_H

#include "base/err.h"
#include "base/span.h"
#include <chancery/pkcs11.h>

struct mech;

/* Bytes of a parameter: short ones inside, longer ones allocated. */
#define PARAM_INLINE 32
struct pbytes {
	size_t n;
	uint8_t *heap; /* NULL: they are in here */
	uint8_t here[PARAM_INLINE];
};

static inline struct span pbytes_span(const struct pbytes *b)
{
	return span(b->heap != NULL ? b->heap : b->here, b->n);
}

/*
 * One flat form for all mechanisms: a field means the same wherever it is used. Absent parts are
 * zero.
 */
struct param {
	CK_MECHANISM_TYPE hash; /* digest of PSS, OAEP, KDF, PRF, HKDF; 0 is not a digest */
	CK_MECHANISM_TYPE mgf_hash;
	CK_ULONG salt_len;     /* PSS */
	CK_ULONG kdf;          /* CKD_* of ECDH */
	CK_ULONG tag_len;      /* bytes of an AEAD tag or a truncated MAC */
	CK_ULONG data_len;     /* CCM */
	CK_ULONG counter_bits; /* CTR */
	CK_ULONG iterations;   /* PBKDF2 */
	CK_ULONG hedge;        /* CKH_* of ML-DSA */
	CK_ULONG salt_type;    /* CKF_HKDF_SALT_* */
	CK_OBJECT_HANDLE key;  /* that the parameter names (HKDF salt), 0: none; core resolves it */
	bool given;   /* a parameter was given at all (EdDSA tells NULL from an empty context) */
	bool prehash; /* EdDSA ph */
	bool extract, expand; /* HKDF */
	struct pbytes iv;     /* IV, nonce, counter block */
	struct pbytes aad;
	struct pbytes context; /* EdDSA, ML-DSA context; OAEP label; HKDF info; PBKDF2 password */
	struct pbytes data;    /* peer's public data (ECDH), salt (HKDF, PBKDF2) */
};

/*
 * Checks and copies; par is zeroed memory of the caller and is freed with param_clear also after an
 * error.
 */
enum err param_take(const struct mech *m, const CK_MECHANISM *mechanism, struct param *par);
/* Wipes and frees what it owns. */
void param_clear(struct param *par);

#endif
