/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/row.h"
#include "bench/barrier.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static struct series sorted(const struct series *s)
{
	struct series t = *s;

	qsort(t.v, t.n, sizeof(t.v[0]), by_value);
	return t;
}

double series_median(const struct series *s)
{
	struct series t = sorted(s);

	if (t.n == 0)
		return 0;
	return t.n % 2 == 1 ? t.v[t.n / 2] : (t.v[t.n / 2 - 1] + t.v[t.n / 2]) / 2;
}

struct series series_ratio(const struct series *a, const struct series *b)
{
	struct series r = { .n = a->n < b->n ? a->n : b->n };

	for (unsigned i = 0; i < r.n; i++)
		r.v[i] = b->v[i] != 0 ? a->v[i] / b->v[i] : 0;
	return r;
}

void row_progress(const struct plan *p, const char *what, unsigned round)
{
	if (!isatty(STDERR_FILENO))
		return;
	if (what == NULL)
		fputs("\r\x1b[K", stderr);
	else
		fprintf(stderr, "\r\x1b[K%s: round %u of %u", what, round + 1, p->rounds);
}

static json_t *series_json(const struct series *s)
{
	struct series t = sorted(s);
	json_t *samples = json_array();

	for (unsigned i = 0; i < s->n; i++)
		json_array_append_new(samples, json_real(s->v[i]));
	return json_pack("{s:f, s:f, s:f, s:o}", "median", series_median(s), "min",
			 t.n > 0 ? t.v[0] : 0.0, "max", t.n > 0 ? t.v[t.n - 1] : 0.0, "samples",
			 samples);
}

static void print_number(FILE *f, double v)
{
	if (v >= 1e6)
		fprintf(f, " %9.2f M", v / 1e6);
	else if (v >= 1e4)
		fprintf(f, " %9.1f k", v / 1e3);
	else
		fprintf(f, " %9.2f  ", v);
}

static void print_name(FILE *f, const char *suite, const char *name, const char *unit)
{
	fprintf(f, "%-9s %-*s %-7s", suite, ROW_NAME, name, unit);
}

static void print_side(FILE *f, const struct series *s)
{
	if (s != NULL && s->n > 0)
		print_number(f, series_median(s));
	else
		fprintf(f, " %9s  ", "-");
}

static void print_ratio(FILE *f, const struct series *ours, const struct series *other)
{
	if (other == NULL || other->n == 0) {
		fprintf(f, "  %-18s", "-");
		return;
	}
	struct series r = series_ratio(ours, other), t = sorted(&r);
	fprintf(f, "  %5.2f (%.2f..%.2f) ", series_median(&r), t.v[0], t.v[t.n - 1]);
}

static void row_put(struct plan *p, json_t *row, const struct series *ours,
		    const struct series *floor, const struct series *peer)
{
	json_object_set_new(row, "ours", series_json(ours));
	if (floor != NULL && floor->n > 0) {
		struct series r = series_ratio(ours, floor);
		json_object_set_new(row, "floor", series_json(floor));
		json_object_set_new(row, "ratio_to_floor", series_json(&r));
	}
	if (peer != NULL && peer->n > 0) {
		struct series r = series_ratio(ours, peer);
		json_object_set_new(row, "peer", series_json(peer));
		json_object_set_new(row, "ratio_to_peer", series_json(&r));
	}
	json_array_append_new(p->rows, row);
}

void row_values(struct plan *p, const char *suite, const char *name, const char *unit,
		const struct series *ours, const struct series *floor, const struct series *peer)
{
	row_put(p, json_pack("{s:s, s:s, s:s}", "suite", suite, "name", name, "unit", unit), ours,
		floor, peer);
	if (p->table == NULL)
		return;
	print_name(p->table, suite, name, unit);
	print_side(p->table, ours);
	print_side(p->table, floor);
	print_ratio(p->table, ours, floor);
	print_side(p->table, peer);
	print_ratio(p->table, ours, peer);
	fputc('\n', p->table);
	fflush(p->table);
}

void row_skip(struct plan *p, const char *suite, const char *name, const char *why)
{
	p->failed++;
	json_array_append_new(
		p->rows, json_pack("{s:s, s:s, s:s}", "suite", suite, "name", name, "failed", why));
	if (p->table != NULL)
		fprintf(p->table, "%-9s %-*s no figure: %s\n", suite, ROW_NAME, name, why);
}

void row_figure(struct plan *p, const char *suite, const char *name, const char *unit,
		const struct series *v, struct goal goal)
{
	const double median = series_median(v);
	const bool met = goal.at_most ? median <= goal.bound : median >= goal.bound;
	struct series t = sorted(v);

	json_array_append_new(p->rows,
			      json_pack("{s:s, s:s, s:s, s:o, s:s, s:f, s:b}", "suite", suite,
					"name", name, "unit", unit, "ours", series_json(v), "goal",
					goal.at_most ? "at most" : "at least", "bound", goal.bound,
					"met", met));
	if (p->table == NULL)
		return;
	print_name(p->table, suite, name, unit);
	fprintf(p->table, " %.3f (%.3f..%.3f), goal %s %g: %s\n", median, t.v[0], t.v[t.n - 1],
		goal.at_most ? "<=" : ">=", goal.bound, met ? "met" : "missed");
	fflush(p->table);
}

/* One more sample; false when the run failed. */
static bool sample(const struct plan *p, const struct contender *c, unsigned threads,
		   struct series *s)
{
	if (c == NULL || !c->there)
		return true;
	double rate = work_rate(&c->work, threads, p->ms);
	if (rate < 0)
		return false;
	s->v[s->n++] = rate;
	return true;
}

void row_rates(struct plan *p, const char *suite, const char *name, unsigned threads,
	       const struct contender *ours, const struct contender *floor,
	       const struct contender *peer)
{
	struct series so = { 0 }, sf = { 0 }, sp = { 0 };
	const char *failed = NULL;

	for (unsigned i = 0; i < p->rounds && failed == NULL; i++) {
		if (!sample(p, floor, threads, &sf))
			failed = floor->name;
		else if (!sample(p, ours, threads, &so))
			failed = ours->name;
		else if (!sample(p, peer, threads, &sp))
			failed = peer->name;
	}
	if (failed == NULL) {
		row_values(p, suite, name, "1/s", &so, &sf, &sp);
		return;
	}
	char why[96];
	snprintf(why, sizeof(why), "%s failed", failed);
	row_skip(p, suite, name, why);
}

/* Who failed, or NULL. */
static const char *lanes_round(const struct plan *p, struct lane *lanes, size_t n)
{
	const char *failed = NULL;

	for (size_t i = 0; i < n && failed == NULL; i++) {
		barrier_inject(lanes[i].inject_ns);
		if (!sample(p, lanes[i].who, lanes[i].threads, &lanes[i].rate))
			failed = lanes[i].who->name;
	}
	barrier_inject(0);
	return failed;
}

bool row_lanes(struct plan *p, const char *suite, const char *name, struct lane *lanes, size_t n)
{
	const char *failed = NULL;
	char why[96];

	for (unsigned i = 0; i < p->rounds && failed == NULL; i++) {
		row_progress(p, name, i);
		failed = lanes_round(p, lanes, n);
	}
	row_progress(p, NULL, 0);
	if (failed == NULL)
		return true;
	snprintf(why, sizeof(why), "%s failed", failed);
	row_skip(p, suite, name, why);
	return false;
}
