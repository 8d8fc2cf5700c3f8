/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlines and durations: a clock that nobody sets. */
#ifndef CHANCERY_BASE_CLOCK_H
#define CHANCERY_BASE_CLOCK_H

#include <stdint.h>

/* Milliseconds since some moment before this process. */
long clock_ms(void);
/* The same in nanoseconds. */
uint64_t clock_ns(void);
/* Of a clock that costs next to nothing and advances every few milliseconds. */
uint64_t clock_coarse_ns(void);

#endif
