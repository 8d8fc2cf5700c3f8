/* SPDX-License-Identifier: Apache-2.0 */
/* The works of a module: each thread has a session of its own. */
#ifndef CHANCERY_BENCH_P11WORK_H
#define CHANCERY_BENCH_P11WORK_H

#include "bench/row.h"
#include "bench/target.h"

enum { DATA_MAX = 65536 };

/* What one step does: Init and the single-part call. */
struct p11job {
	const struct target *t;
	enum target_key key; /* KEY_COUNT: none (digest) */
	CK_MECHANISM_TYPE mech;
	size_t n; /* bytes of input */
};

/* Contenders over a job, which must outlive them; absent when the target lacks the key or the mechanism. */
struct contender p11_sign(struct p11job *j);
struct contender p11_digest(struct p11job *j);
/* AES-GCM with a 12-byte IV that changes each time and a 16-byte tag. */
struct contender p11_gcm(struct p11job *j);
/* C_GetAttributeValue of CKA_KEY_TYPE. */
struct contender p11_attr(struct p11job *j);

#endif
