/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/work.h"

#include "base/clock.h"
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS_MAX = 64 };

/* One batch takes about this long, so that reading the clock costs nothing that matters. */
#define BATCH_SECONDS 0.0005

struct gang {
	const struct work *w;
	pthread_barrier_t start;
	double seconds;
	atomic_bool failed;
};

struct worker {
	struct gang *gang;
	pthread_t thread;
	double rate;
};

double work_clock(void)
{
	return (double)clock_ns() / 1e9;
}

static bool batch(struct gang *g, void *state, unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		if (!g->w->step(state)) {
			atomic_store(&g->failed, true);
			return false;
		}
	return true;
}

/* Steps per batch: doubled until a batch takes long enough. This warms up as well. */
static unsigned long calibrate(struct gang *g, void *state)
{
	for (unsigned long n = 1;; n *= 2) {
		double begin = work_clock();
		if (!batch(g, state, n) || work_clock() - begin > BATCH_SECONDS)
			return n;
	}
}

static double run(struct gang *g, void *state, unsigned long n)
{
	double begin = work_clock(), now = begin;
	unsigned long done = 0;

	while (now - begin < g->seconds &&
	       !atomic_load_explicit(&g->failed, memory_order_relaxed)) {
		if (!batch(g, state, n))
			return 0;
		done += n;
		now = work_clock();
	}
	return (double)done / (now - begin);
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	struct gang *g = w->gang;
	void *state = g->w->begin(g->w->arg);
	unsigned long n = 1;

	if (state == NULL)
		atomic_store(&g->failed, true);
	else
		n = calibrate(g, state);
	pthread_barrier_wait(&g->start);
	if (state == NULL)
		return NULL;
	w->rate = run(g, state, n);
	g->w->end(state);
	return NULL;
}

double work_rate(const struct work *w, unsigned threads, unsigned ms)
{
	struct gang g = { .w = w, .seconds = ms / 1e3 };
	struct worker workers[THREADS_MAX] = { 0 };
	double sum = 0;

	if (threads == 0 || threads > THREADS_MAX ||
	    pthread_barrier_init(&g.start, NULL, threads) != 0)
		return -1;
	for (unsigned i = 0; i < threads; i++) {
		workers[i].gang = &g;
		if (pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]) != 0)
			return -1; /* the others wait at the barrier for good: the program ends */
	}
	for (unsigned i = 0; i < threads; i++) {
		pthread_join(workers[i].thread, NULL);
		sum += workers[i].rate;
	}
	pthread_barrier_destroy(&g.start);
	return atomic_load(&g.failed) ? -1 : sum;
}
