/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlines: a clock that nobody sets. */
#ifndef CHANCERY_BASE_CLOCK_H
#define CHANCERY_BASE_CLOCK_H

/* Milliseconds since some moment before this process. */
long clock_ms(void);

#endif
