/* SPDX-License-Identifier: Apache-2.0 */
/* When something happened: by the wall clock, which may jump, and by the one that never falls until the machine starts anew. */
#ifndef CHANCERY_AUDIT_MOMENT_H
#define CHANCERY_AUDIT_MOMENT_H

#include <stdint.h>

struct moment {
	int64_t wall_us;  /* since 1970, UTC */
	uint64_t mono_ns; /* CLOCK_BOOTTIME */
};
void moment_now(struct moment *m);

enum { MOMENT_TEXT = 27 }; /* 2026-01-31T23:59:59.000000Z */

/* The wall clock after RFC 3339. What is before 1970 or after 9999 is given as the first or last moment in between. */
void moment_text(const struct moment *m, char out[MOMENT_TEXT]);

#endif
