/* SPDX-License-Identifier: Apache-2.0 */
/* The floor of everything durable: one thread appends to a file and syncs, and nothing else. */
#ifndef CHANCERY_BENCH_APPEND_H
#define CHANCERY_BENCH_APPEND_H

#include "bench/row.h"
#include <stddef.h>

enum { APPEND_MAX = 65536 };

struct append {
	const char *dir; /* where the file is made, and removed again */
	size_t n;        /* bytes of one append, APPEND_MAX at most */
};

/* For one thread. a must outlive it. */
struct contender append_contender(struct append *a);

#endif
