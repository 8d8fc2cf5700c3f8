/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The floors: the same work by libcrypto alone, as a careful program would do it: algorithms fetched once, one
 * context per thread and kept.
 */
#ifndef CHANCERY_BENCH_EVP_H
#define CHANCERY_BENCH_EVP_H

#include "bench/row.h"
#include <openssl/evp.h>
#include <stddef.h>

struct evpjob {
	const char *name; /* "EC:P-256", "ED25519", "RSA:2048", "ML-DSA-65"; a digest; a cipher */
	size_t n;
	EVP_PKEY *key; /* of evp_sign, made by it; freed with evp_free */
};

/* Contenders over a job, which must outlive them. */
struct contender evp_sign(struct evpjob *j);
struct contender evp_digest(struct evpjob *j);
struct contender evp_hmac(struct evpjob *j); /* HMAC with the digest, a 32-byte key */
struct contender evp_gcm(struct evpjob *j);
void evp_free(struct evpjob *j);

#endif
