/* SPDX-License-Identifier: Apache-2.0 */
/* What the rest of src/crypto needs of the registry and of runs, beside mech.h. */
#ifndef CHANCERY_CRYPTO_REGISTRY_H
#define CHANCERY_CRYPTO_REGISTRY_H

#include "crypto/mech.h"

#include <stdatomic.h>

/* Builds the index at the first call. Under the library's initialise lock. */
enum err registry_start(void);
/* Frees the list behind mech_at. Nothing of the registry may be in use. */
void registry_stop(void);

/* The row if libcrypto has what it needs, whatever the profile; else NULL. */
const struct mech *registry_row(CK_MECHANISM_TYPE type);
/*
 * Where the result of the known-answer tests of m is kept; NULL for a row that is not of the
 * registry.
 */
atomic_uchar *registry_tested(const struct mech *m);

/* run_begin without its checks and without the known-answer test, for the test itself. */
enum err run_start(struct run *r, const struct mech *m, enum mech_use use, struct key *key,
		   struct param *par);

#endif
