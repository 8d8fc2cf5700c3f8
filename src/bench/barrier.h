/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The barriers of this process: fdatasync and fsync are this program's own, for its modules too, so that they are counted where they
 * happen, and can be made as slow as an ordinary disk's where the disk is faster. What was measured so says it (BARRIER_LABEL).
 */
#ifndef CHANCERY_BENCH_BARRIER_H
#define CHANCERY_BENCH_BARRIER_H

#include <stdbool.h>

/* What ordinary disks cost: docs/PERFORMANCE.md. */
#define BARRIER_INJECTED_NS 2500000UL
#define BARRIER_LABEL       "injected barrier 2.5 ms"

/* Each fdatasync of regular files takes so much longer from now on; 0: only what it takes. */
void barrier_inject(unsigned long ns);
/* None at all, while files are made that are not measured; they are to be synced together afterwards. */
void barrier_skip(bool skip);
/* How many fdatasync that succeeded there were. */
unsigned long barrier_count(void);

#endif
