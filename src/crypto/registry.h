/* SPDX-License-Identifier: Apache-2.0 */
/* What lib.c and selftest.c need of the registry, beside mech.h. */
#ifndef CHANCERY_CRYPTO_REGISTRY_H
#define CHANCERY_CRYPTO_REGISTRY_H

#include "crypto/mech.h"

#include <stdatomic.h>

/* Builds the index at the first call. Under the library's initialise lock. */
enum err registry_start(void);
/* Frees the list behind mech_at. Nothing of the registry may be in use. */
void registry_stop(void);

/* Where the result of the known-answer tests of m is kept; NULL for a row that is not of the registry. */
atomic_uchar *registry_tested(const struct mech *m);

#endif
