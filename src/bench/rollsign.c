/* SPDX-License-Identifier: Apache-2.0 */
/* What the audit log leaves of a module's signatures: on storage, with a slower barrier, beside /dev/null and off. */
#include "bench/append.h"
#include "bench/barrier.h"
#include "bench/p11work.h"
#include "bench/placement.h"
#include "bench/rollparts.h"
#include <stdio.h>

enum { THREADS = 32, INPUT = 32, MAC_INPUT = 16 };

/* Of what binds: all threads' records in one barrier each time, or the module without a barrier. */
#define SHARE_OF_BARRIERS 0.75

static const struct {
	const char *name;
	enum target_key key;
	CK_MECHANISM_TYPE mech;
	double share; /* of /dev/null, where that binds */
	bool injected_judged;
} rows[] = {
	{ "ECDSA P-256", KEY_P256, CKM_ECDSA, 0.40, true },
	{ "ML-DSA-65", KEY_MLDSA65, CKM_ML_DSA, 0.85, false },
	{ "RSA-2048", KEY_RSA2048, CKM_RSA_PKCS, 0.85, false },
};

/* In the order in which they take turns. */
enum { FLOOR, STORAGE, DEV_NULL, OFF, SLOW_FLOOR, SLOW_STORAGE, LANES };

/* How many records the threads could have made durable, had each barrier been for all of them. */
static struct series bound_of(const struct series *floor)
{
	struct series s = *floor;

	for (unsigned i = 0; i < s.n; i++)
		s.v[i] *= THREADS;
	return s;
}

static void judge(struct plan *p, const char *what, const char *label, const struct lane *storage,
		  const struct series *bound, const struct series *null, double share)
{
	const bool binds = series_median(bound) < series_median(null);
	struct series ratio = series_ratio(&storage->rate, binds ? bound : null);
	char name[96];

	snprintf(name, sizeof(name), "%s, %s, over %s", what, label,
		 binds ? "32/barrier" : "/dev/null");
	row_figure(p, "roll", name, "x", &ratio,
		   (struct goal){ false, binds ? SHARE_OF_BARRIERS : share });
}

static void print_rates(struct plan *p, size_t r, const struct lane *lanes)
{
	static const struct {
		const char *name;
		int lane, floor;
	} shown[] = {
		{ "off", OFF, -1 },
		{ "/dev/null", DEV_NULL, OFF },
		{ "storage, natural barrier", STORAGE, DEV_NULL },
		{ "storage, " BARRIER_LABEL, SLOW_STORAGE, DEV_NULL },
	};
	char name[96];

	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		snprintf(name, sizeof(name), "%s, %s", rows[r].name, shown[i].name);
		row_values(p, "roll", name, "1/s", &lanes[shown[i].lane].rate,
			   shown[i].floor >= 0 ? &lanes[shown[i].floor].rate : NULL, NULL);
	}
}

static void algorithm(struct plan *p, struct placement *at, struct append *a, size_t r)
{
	struct p11job job[PLACES];
	struct contender sign[PLACES], floor = append_contender(a);
	const unsigned long slow = BARRIER_INJECTED_NS;
	struct series bound;

	for (int i = 0; i < PLACES; i++) {
		job[i] = (struct p11job){ &at->at[i], rows[r].key, rows[r].mech, INPUT };
		sign[i] = p11_sign(&job[i]);
		if (!sign[i].there) {
			row_skip(p, "roll", rows[r].name,
				 "the module has no such key or mechanism");
			return;
		}
	}
	struct lane lanes[LANES] = {
		[FLOOR] = { .who = &floor, .threads = 1 },
		[STORAGE] = { .who = &sign[PLACE_STORAGE], .threads = THREADS },
		[DEV_NULL] = { .who = &sign[PLACE_NULL], .threads = THREADS },
		[OFF] = { .who = &sign[PLACE_OFF], .threads = THREADS },
		[SLOW_FLOOR] = { .who = &floor, .threads = 1, .inject_ns = slow },
		[SLOW_STORAGE] = { .who = &sign[PLACE_STORAGE],
				   .threads = THREADS,
				   .inject_ns = slow },
	};
	if (!row_lanes(p, "roll", rows[r].name, lanes, LANES))
		return;
	print_rates(p, r, lanes);
	bound = bound_of(&lanes[FLOOR].rate);
	judge(p, rows[r].name, "natural barrier", &lanes[STORAGE], &bound, &lanes[DEV_NULL].rate,
	      rows[r].share);
	bound = bound_of(&lanes[SLOW_FLOOR].rate);
	if (rows[r].injected_judged)
		judge(p, rows[r].name, BARRIER_LABEL, &lanes[SLOW_STORAGE], &bound,
		      &lanes[DEV_NULL].rate, rows[r].share);
}

/* An operation that costs nothing beside its record. */
static void one_caller(struct plan *p, struct placement *at, struct append *a)
{
	struct p11job job = { &at->at[PLACE_STORAGE], KEY_HMAC, CKM_SHA256_HMAC, MAC_INPUT };
	struct contender ours = p11_sign(&job), floor = append_contender(a);
	struct lane lanes[] = { { .who = &floor, .threads = 1 }, { .who = &ours, .threads = 1 } };
	const char *name = "HMAC of 16 bytes, 1 thread, natural barrier";

	if (!ours.there)
		row_skip(p, "roll", name, "the module has no such key or mechanism");
	else if (row_lanes(p, "roll", name, lanes, 2))
		row_values(p, "roll", name, "1/s", &lanes[1].rate, &lanes[0].rate, NULL);
}

/* What the module waits for is this program's own fdatasync: else nothing was injected, and nothing is to be said. */
static bool barriers_reach(struct placement *at)
{
	struct p11job job = { &at->at[PLACE_STORAGE], KEY_HMAC, CKM_SHA256_HMAC, MAC_INPUT };
	struct contender c = p11_sign(&job);
	const unsigned long before = barrier_count();

	return c.there && work_rate(&c.work, 1, 10) > 0 && barrier_count() > before;
}

void rollparts_signatures(struct plan *p, const struct field *f, size_t bytes)
{
	struct append a = { f->dir, bytes };
	struct placement at;
	struct why why = { "" };

	if (!placement_open(&at, f->dir, f->module, &why)) {
		row_skip(p, "roll", "signatures", why.text);
	} else if (!barriers_reach(&at)) {
		row_skip(p, "roll", "signatures", "barriers of the module are not seen");
	} else {
		one_caller(p, &at, &a);
		for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++)
			algorithm(p, &at, &a, r);
	}
	placement_close(&at);
}
