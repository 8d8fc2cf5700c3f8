/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One module three times in this process, each a copy of the file and so a library of its own, with its audit log somewhere else:
 * so they can be measured in the same rounds.
 */
#ifndef CHANCERY_BENCH_PLACEMENT_H
#define CHANCERY_BENCH_PLACEMENT_H

#include "bench/target.h"

enum place { PLACE_STORAGE, PLACE_NULL, PLACE_OFF, PLACES };

struct placement {
	struct target at[PLACES];
};

/* Makes the copies, their configurations, states and tokens in dir. False with a why; afterwards placement_close in either case. */
bool placement_open(struct placement *p, const char *dir, const char *module, struct why *why);
void placement_close(struct placement *p);

#endif
