/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A row: our module's work beside its floor (the same work without a module) and a peer, in interleaved rounds
 * of one run, since two runs on a shared machine can't be compared.
 */
#ifndef CHANCERY_BENCH_ROW_H
#define CHANCERY_BENCH_ROW_H

#include "bench/work.h"
#include <jansson.h>
#include <stdio.h>

enum { ROUNDS_MAX = 64 };

struct plan {
	unsigned rounds, ms;
	unsigned objects; /* most token objects that a suite makes */
	json_t *rows;     /* results, in order */
	FILE *table;      /* for people; NULL: none */
	unsigned failed;  /* rows without a figure */
};

struct contender {
	const char *name;
	struct work work;
	bool there; /* false: an absent peer, shown as such */
};

/* Measures and reports: ours against floor (ratio), and the peer beside it. Any of floor and peer may be NULL. */
void row_rates(struct plan *p, const char *suite, const char *name, unsigned threads,
	       const struct contender *ours, const struct contender *floor,
	       const struct contender *peer);
/* A figure that is not a rate: values of one kind, of ours and the peer (NULL: none), in the given unit. */
struct series {
	double v[ROUNDS_MAX];
	unsigned n;
};
void row_values(struct plan *p, const char *suite, const char *name, const char *unit,
		const struct series *ours, const struct series *floor, const struct series *peer);
/* Says that a row could not be measured, and why. */
void row_skip(struct plan *p, const char *suite, const char *name, const char *why);

double series_median(const struct series *s);

#endif
