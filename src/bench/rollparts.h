/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the suite `roll` that have files of their own. */
#ifndef CHANCERY_BENCH_ROLLPARTS_H
#define CHANCERY_BENCH_ROLLPARTS_H

#include "bench/suites.h"

/* Signatures through the module with the log on storage, on /dev/null and off; bytes: of a record. */
void rollparts_signatures(struct plan *p, const struct field *f, size_t bytes);
/* How fast the auditor reads, and in how much memory. */
void rollparts_verify(struct plan *p, const struct field *f);
/* The first record of a process beside many closed files. */
void rollparts_opening(struct plan *p, const struct field *f);

#endif
