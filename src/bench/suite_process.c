/* SPDX-License-Identifier: Apache-2.0 */
/* What a short-lived program pays: a whole process that loads, initialises and finalises, and its memory. */
#include "bench/proc.h"
#include "bench/suites.h"

typedef double ask_fn(const struct target *t);

static double whole_process(const struct target *t)
{
	double v = proc_time("initialise", t);

	return v < 0 ? v : v * 1e3;
}

static double empty_process(const struct target *t)
{
	double v = proc_time("nothing", t);

	return v < 0 ? v : v * 1e3;
}

static double rss(const struct target *t)
{
	double v = proc_ask("rss", t, NULL);

	return v < 0 ? v : v / (1 << 20);
}

static void values(struct plan *p, const struct field *f, const char *suite, const char *name,
		   const char *unit, ask_fn *ask, ask_fn *floor, unsigned rounds)
{
	struct series so = { 0 }, sf = { 0 }, sp = { 0 };

	for (unsigned i = 0; i < rounds; i++) {
		double v;
		if (floor != NULL && (v = floor(f->ours)) >= 0)
			sf.v[sf.n++] = v;
		if ((v = ask(f->ours)) < 0) {
			row_skip(p, suite, name, "the child process failed");
			return;
		}
		so.v[so.n++] = v;
		if (f->peer->m != NULL && (v = ask(f->peer)) >= 0)
			sp.v[sp.n++] = v;
	}
	row_values(p, suite, name, unit, &so, &sf, &sp);
}

void suite_process(struct plan *p, const struct field *f)
{
	values(p, f, "process", "process: load, initialise, finalise", "ms", whole_process,
	       empty_process, ROUNDS_MAX);
}

void suite_memory(struct plan *p, const struct field *f)
{
	values(p, f, "memory", "RSS of C_Initialize beyond the host's", "MiB", rss, NULL,
	       p->rounds);
}
