/* SPDX-License-Identifier: Apache-2.0 */
/* A piece of work that is done over and over, by one thread or several, and how often per second. */
#ifndef CHANCERY_BENCH_WORK_H
#define CHANCERY_BENCH_WORK_H

#include <stdbool.h>

struct work {
	/* What one thread needs; NULL: it cannot be had, the run failed. arg is the work's. */
	void *(*begin)(void *arg);
	/* The work, once. False: it failed, and so did the run: a run with an error is no figure. */
	bool (*step)(void *state);
	void (*end)(void *state);
	void *arg;
};

/* Steps per second of that many threads together for about ms milliseconds; below zero when anything failed. */
double work_rate(const struct work *w, unsigned threads, unsigned ms);

/* Seconds on a clock that nobody sets. */
double work_clock(void);

#endif
