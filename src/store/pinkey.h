/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A PIN's hold on the data key: how the PIN becomes a key, and the data key wrapped under that. The way is
 * fixed in the row when the PIN is set, so a guess cannot choose a cheaper one.
 */
#ifndef CHANCERY_STORE_PINKEY_H
#define CHANCERY_STORE_PINKEY_H

#include "store/seal.h"

enum pinkey_kdf { KDF_ARGON2ID = 1, KDF_PBKDF2 = 2, KDF_HKDF = 3 };

enum {
	PINKEY_SALT = 16,
	PINKEY_WRAPPED = SEALING_KEY + SEALING_EXTRA,
	PINKEY_SUM = 8,
	/* what a row may ask for, so that an altered one takes no more than the configuration allows */
	PINKEY_ITERATIONS_MAX = 100000000,
	PINKEY_KIB_MAX = 4194304,
	PINKEY_PASSES_MAX = 1000
};

struct pinkey {
	uint32_t kdf;    /* enum pinkey_kdf */
	uint32_t cost;   /* KiB of Argon2id, iterations of PBKDF2; 0 for HKDF */
	uint32_t passes; /* of Argon2id, else 0 */
	uint8_t salt[PINKEY_SALT];
	uint8_t wrapped[PINKEY_WRAPPED];
};

/* For a new PIN: E_PIN_LEN, or E_PIN_INVALID when it is not UTF-8 (PKCS#11 3.2, 5.5.8). A PIN to be checked is only compared. */
enum err pinkey_acceptable(struct span pin);

/*
 * Wraps data_key under pin. least: another PIN of the token, whose cost is not undercut (NULL: none). Takes as long as the
 * KDF does: no lock is held.
 */
enum err pinkey_make(const struct store_policy *p, const struct pinkey *least,
		     const struct ident *ident, enum store_user u, struct span pin,
		     const uint8_t *data_key, struct pinkey *out);

/* Tries pin. E_PIN_WRONG. *k is the caller's. No lock is held. */
enum err pinkey_open(const struct pinkey *pk, const struct ident *ident, enum store_user u,
		     struct span pin, struct seal **k);

/* SHA-256 of everything that the row fixes, which is all but its failures. */
enum err pinkey_digest(const struct pinkey *pk, const struct ident *ident, enum store_user u,
		       uint8_t digest[SEALING_MAC]);

/*
 * A checksum of the row, no secret in it: damage is told from a wrong PIN, and does not use up tries. Who alters
 * the row can mend it; then no PIN opens it.
 */
enum err pinkey_sum(const struct pinkey *pk, const struct ident *ident, enum store_user u,
		    uint8_t sum[PINKEY_SUM]);

/* Whether the parameters are ones that this module runs. */
bool pinkey_sane(const struct pinkey *pk);

/* Parameters for a new PIN or passphrase, with a fresh salt; E_ARGUMENTS when the policy's cannot be run. least as above. */
enum err pinkey_begin(const struct store_policy *p, const struct pinkey *least, struct span pin,
		      struct pinkey *pk);
/* The key of a PIN or passphrase. */
enum err pinkey_derive(const struct pinkey *pk, struct span pin, uint8_t key[SEALING_KEY]);

/* How long a try is put off after this many failures in a row. */
unsigned pinkey_delay_ms(uint32_t failures);

#endif
