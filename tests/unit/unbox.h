/* SPDX-License-Identifier: Apache-2.0 */
/* Opening what was sealed to an auditor, by libcrypto alone and by the steps of docs/AUDIT.md. Failures end the test. */
#ifndef CHANCERY_TESTS_UNBOX_H
#define CHANCERY_TESTS_UNBOX_H

#include "base/span.h"
#include "crypto/boxing.h"

#include <openssl/evp.h>

/* A new auditor's key, the caller's. */
EVP_PKEY *unbox_key(uint8_t public_key[BOXING_PUBLIC]);
/* The length of the plain text, or -1. */
int unbox(EVP_PKEY *auditor, struct span sealed, struct span aad, uint8_t *plain);
/* HKDF-SHA-256, 32 bytes. */
void unbox_hkdf(uint8_t *secret, size_t secret_n, uint8_t *salt, size_t salt_n, char *info,
		uint8_t out[32]);

#endif
