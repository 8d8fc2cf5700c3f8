/* SPDX-License-Identifier: Apache-2.0 */
/* Token objects: making them durably, and finding one among many. */
#include "base/mem.h"
#include "bench/proc.h"
#include "bench/suites.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

enum { LABEL = 32 };

static CK_BBOOL yes = CK_TRUE;
static CK_OBJECT_CLASS data_class = CKO_DATA;
static atomic_ulong next_number;

/* "object-0000042" */
static void label_of(char label[LABEL], unsigned long i)
{
	snprintf(label, LABEL, "object-%07lu", i);
}

static bool create(const struct target *t, CK_SESSION_HANDLE h, unsigned long i)
{
	char label[LABEL];
	CK_OBJECT_HANDLE o;

	label_of(label, i);
	CK_ATTRIBUTE a[] = { { CKA_CLASS, &data_class, sizeof(data_class) },
			     { CKA_TOKEN, &yes, 1 },
			     { CKA_PRIVATE, &yes, 1 },
			     { CKA_LABEL, label, strlen(label) },
			     { CKA_VALUE, label, strlen(label) } };
	return module_fn(t->m)->C_CreateObject(h, a, 5, &o) == CKR_OK;
}

/* ---- creation ---- */

struct maker {
	const struct target *t;
	CK_SESSION_HANDLE h;
};

static void *maker_begin(void *arg)
{
	struct maker *m = mem_alloc(sizeof(*m));

	if (m == NULL)
		return NULL;
	m->t = arg;
	if (pool_take(m->t->pool, &m->h, NULL) == OK)
		return m;
	mem_free(m);
	return NULL;
}

static bool maker_step(void *arg)
{
	struct maker *m = arg;

	return create(m->t, m->h, atomic_fetch_add(&next_number, 1));
}

static void maker_end(void *arg)
{
	struct maker *m = arg;

	pool_give(m->t->pool, m->h, false);
	mem_free(m);
}

static struct contender maker(struct target *t)
{
	return (struct contender){ t->name,
				   { maker_begin, maker_step, maker_end, t },
				   t->m != NULL };
}

static void creation(struct plan *p, const struct field *f)
{
	struct contender ours = maker(f->ours), peer = maker(f->peer);
	struct series ratio = { 0 };

	row_rates(p, "store", "create token objects, 1 thread", 1, &ours, NULL, &peer);
	row_rates(p, "store", "create token objects, 8 threads", 8, &ours, NULL, &peer);
	for (unsigned i = 0; i < p->rounds; i++) {
		double one = work_rate(&ours.work, 1, p->ms),
		       eight = work_rate(&ours.work, 8, p->ms);
		if (one <= 0 || eight < 0) {
			row_skip(p, "store", "8 threads over 1 thread", "a run failed");
			return;
		}
		ratio.v[ratio.n++] = eight / one;
	}
	row_values(p, "store", "create: 8 threads over 1 thread", "x", &ratio, NULL, NULL);
}

/* ---- finding ---- */

struct finder {
	const struct target *t;
	unsigned long first, n; /* objects with these numbers are there */
	CK_SESSION_HANDLE h;
	unsigned long at;
};

static void *finder_begin(void *arg)
{
	struct finder *f = mem_alloc(sizeof(*f));

	if (f == NULL)
		return NULL;
	*f = *(struct finder *)arg;
	if (pool_take(f->t->pool, &f->h, NULL) == OK)
		return f;
	mem_free(f);
	return NULL;
}

static bool finder_step(void *arg)
{
	struct finder *f = arg;
	const CK_FUNCTION_LIST *fn = module_fn(f->t->m);
	char label[LABEL];
	CK_OBJECT_HANDLE o[2];
	CK_ULONG n = 0;

	f->at = f->at * 6364136223846793005UL + 1442695040888963407UL; /* another one each time */
	label_of(label, f->first + (f->at >> 33) % f->n);
	CK_ATTRIBUTE a = { CKA_LABEL, label, strlen(label) };
	return fn->C_FindObjectsInit(f->h, &a, 1) == CKR_OK &&
	       fn->C_FindObjects(f->h, o, 2, &n) == CKR_OK &&
	       fn->C_FindObjectsFinal(f->h) == CKR_OK && n == 1;
}

static void finder_end(void *arg)
{
	struct finder *f = arg;

	pool_give(f->t->pool, f->h, false);
	mem_free(f);
}

/* Threads that fill a token: their commits share a barrier where the module can do that. */
#define FILLERS 16

struct filler {
	const struct target *t;
	atomic_ulong next; /* the number of the next object */
	unsigned long end;
	atomic_bool failed;
};

static void *fill_some(void *arg)
{
	struct filler *f = arg;
	CK_SESSION_HANDLE h;
	unsigned long i;

	if (pool_take(f->t->pool, &h, NULL) != OK) {
		atomic_store(&f->failed, true);
		return NULL;
	}
	while (!atomic_load(&f->failed) && (i = atomic_fetch_add(&f->next, 1)) < f->end)
		if (!create(f->t, h, i))
			atomic_store(&f->failed, true);
	pool_give(f->t->pool, h, false);
	return NULL;
}

/* Creates objects until there are n of the series that begins at first. */
static bool fill(const struct target *t, unsigned long first, unsigned long have, unsigned long n)
{
	struct filler f = { .t = t, .next = first + have, .end = first + n };
	pthread_t id[FILLERS];
	int started = 0;

	while (started < FILLERS && pthread_create(&id[started], NULL, fill_some, &f) == 0)
		started++;
	for (int i = 0; i < started; i++)
		pthread_join(id[i], NULL);
	return started == FILLERS && !atomic_load(&f.failed);
}

/* Making 100,000 objects in a module that reads all of them each time would take hours: the peer stops here. */
#define PEER_MAX     10000UL
#define SERIES_FIRST 5000000UL

static struct contender finder(const struct target *t, struct finder *f, unsigned long n)
{
	*f = (struct finder){ .t = t, .first = SERIES_FIRST, .n = n, .at = 1 };
	return (struct contender){ t->name,
				   { finder_begin, finder_step, finder_end, f },
				   t->m != NULL };
}

static void first_find(struct plan *p, const struct field *f, unsigned long n, bool with_peer)
{
	struct series so = { 0 }, sp = { 0 };
	char label[LABEL], name[64];

	label_of(label, SERIES_FIRST + n / 2);
	snprintf(name, sizeof(name), "first find of a process among %lu", n);
	for (unsigned i = 0; i < p->rounds; i++) {
		double v = proc_ask("first-find", f->ours, label);
		if (v < 0) {
			row_skip(p, "store", name, "the child process failed");
			return;
		}
		so.v[so.n++] = v;
		if (with_peer && (v = proc_ask("first-find", f->peer, label)) >= 0)
			sp.v[sp.n++] = v;
	}
	row_values(p, "store", name, "ms", &so, NULL, &sp);
}

static void finding(struct plan *p, const struct field *f, unsigned long have, unsigned long n)
{
	struct finder fo, fp;
	bool with_peer = f->peer->m != NULL && n <= PEER_MAX;
	char name[64];

	snprintf(name, sizeof(name), "find by label among %lu", n);
	if (!fill(f->ours, SERIES_FIRST, have, n) ||
	    (with_peer && !fill(f->peer, SERIES_FIRST, have, n))) {
		row_skip(p, "store", name, "the objects could not be made");
		return;
	}
	struct contender ours = finder(f->ours, &fo, n), peer = finder(f->peer, &fp, n);
	peer.there = with_peer;
	row_rates(p, "store", name, 1, &ours, NULL, &peer);
	first_find(p, f, n, with_peer);
}

void suite_store(struct plan *p, const struct field *f)
{
	static const unsigned long sizes[] = { 10, 1000, 10000, 100000 };
	unsigned long have = 0;

	creation(p, f);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && sizes[i] <= p->objects; i++) {
		finding(p, f, have, sizes[i]);
		have = sizes[i];
	}
}
