/* SPDX-License-Identifier: Apache-2.0 */
/* The filesystem under a directory. */
#ifndef CHANCERY_BENCH_GROUND_H
#define CHANCERY_BENCH_GROUND_H

#include <limits.h>

struct ground {
	char type[64];         /* "ext4"; "unknown" */
	char device[PATH_MAX]; /* "/dev/sda1" */
};

void ground_of(const char *dir, struct ground *g);

#endif
