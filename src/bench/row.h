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

enum { ROUNDS_MAX = 64, ROW_NAME = 50 /* columns of a row's name */ };

struct plan {
	unsigned rounds, ms;
	unsigned objects; /* most token objects that a suite makes */
	unsigned records; /* of the audit log, to be verified */
	unsigned files;   /* of the audit log, closed, beside which another is opened */
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
/* a over b round by round: what disturbs the machine disturbs both. */
struct series series_ratio(const struct series *a, const struct series *b);

/* What several do in turn, round after round, each with threads of its own. */
struct lane {
	const struct contender *who;
	unsigned threads;
	unsigned long inject_ns; /* as barrier_inject, while it runs */
	struct series rate;
};
/* Fills the rates. False: a run failed; it was said, and there is no figure. */
bool row_lanes(struct plan *p, const char *suite, const char *name, struct lane *lanes, size_t n);

/* What a figure is to reach. */
struct goal {
	bool at_most; /* else at least */
	double bound;
};
/* A figure, and whether its median reaches the goal. */
void row_figure(struct plan *p, const char *suite, const char *name, const char *unit,
		const struct series *v, struct goal goal);
/* Says on a terminal what is under way; what = NULL: nothing any more. */
void row_progress(const struct plan *p, const char *what, unsigned round);

#endif
