/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The audit log (docs/PERFORMANCE.md, "The roll"). Its floor is one thread that appends as many bytes and syncs, on the same
 * filesystem in the same rounds.
 */
#include "bench/append.h"
#include "bench/barrier.h"
#include "bench/rollparts.h"
#include "bench/writer.h"
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- one writer ---- */

/* Short rounds and many: a barrier's time changes within seconds. */
static void one_writer(struct plan *p, struct append *a, struct writer *w)
{
	const struct contender ours = writer_contender(w), floor = append_contender(a);
	struct plan often = *p;
	struct lane lanes[] = { { .who = &floor, .threads = 1 }, { .who = &ours, .threads = 1 } };
	const char *name = "1 writer";
	struct series ratio;

	often.rounds = p->rounds * 4 < ROUNDS_MAX ? p->rounds * 4 : ROUNDS_MAX;
	often.ms = p->ms / 3 > 10 ? p->ms / 3 : 10;
	if (row_lanes(&often, "roll", name, lanes, 2)) {
		row_values(&often, "roll", name, "1/s", &lanes[1].rate, &lanes[0].rate, NULL);
		ratio = series_ratio(&lanes[1].rate, &lanes[0].rate);
		row_figure(&often, "roll", "1 writer over bare append", "x", &ratio,
			   (struct goal){ false, 0.95 });
	}
	p->failed = often.failed;
}

/* ---- shared barriers ---- */

/* As the log counts them, and as they happened. False: the two differ, or a run failed. */
static bool barriers_per_record(struct plan *p, struct writer *w, unsigned threads, double *v)
{
	const struct contender c = writer_contender(w);
	const unsigned long happened = barrier_count();
	struct roll_state before, after;
	uint64_t records, barriers;

	roll_state(w->roll, &before);
	if (work_rate(&c.work, threads, p->ms) < 0)
		return false;
	roll_state(w->roll, &after);
	records = after.records - before.records;
	barriers = after.barriers - before.barriers;
	*v = records != 0 ? (double)barriers / (double)records : 0;
	return records != 0 && barriers == barrier_count() - happened;
}

static void sharing(struct plan *p, struct writer *w)
{
	const char *name = "8 writers: barriers per record";
	struct series s = { 0 };

	for (unsigned i = 0; i < p->rounds; i++) {
		row_progress(p, name, i);
		if (!barriers_per_record(p, w, 8, &s.v[s.n++])) {
			row_skip(p, "roll", name, "a run failed, or barriers were miscounted");
			return;
		}
	}
	row_progress(p, NULL, 0);
	row_figure(p, "roll", name, "1", &s, (struct goal){ true, 0.15 });
}

/* ---- more writers ---- */

static const unsigned sweep[] = { 1, 2, 4, 8, 16, 32 };

enum { SWEEP = sizeof(sweep) / sizeof(sweep[0]) };

static void print_sweep(struct plan *p, const struct lane *lanes, const char *label)
{
	char name[80];

	for (size_t i = 0; i < SWEEP; i++) {
		snprintf(name, sizeof(name), "%u writer%s, %s", sweep[i], sweep[i] > 1 ? "s" : "",
			 label);
		row_values(p, "roll", name, "1/s", &lanes[1 + i].rate, &lanes[0].rate, NULL);
	}
}

static void many_writers(struct plan *p, struct append *a, struct writer *w, const char *label,
			 unsigned long inject_ns, bool judged)
{
	const struct contender ours = writer_contender(w), floor = append_contender(a);
	struct lane lanes[1 + SWEEP] = { { .who = &floor, .threads = 1, .inject_ns = inject_ns } };
	struct series ratio;
	char name[80];

	for (size_t i = 0; i < SWEEP; i++)
		lanes[1 + i] =
			(struct lane){ .who = &ours, .threads = sweep[i], .inject_ns = inject_ns };
	snprintf(name, sizeof(name), "1 to 32 writers, %s", label);
	if (!row_lanes(p, "roll", name, lanes, 1 + SWEEP))
		return;
	print_sweep(p, lanes, label);
	ratio = series_ratio(&lanes[SWEEP].rate, &lanes[1].rate);
	snprintf(name, sizeof(name), "32 writers over 1, %s", label);
	if (judged)
		row_figure(p, "roll", name, "x", &ratio, (struct goal){ false, 25 });
	else
		row_values(p, "roll", name, "x", &ratio, NULL, NULL);
}

/* ---- processor time ---- */

enum { CPU_RECORDS = 20000 };

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Microseconds of this thread for each call; below zero: one failed. */
static double cpu_of(bool (*one)(const struct writer *w), const struct writer *w)
{
	double begin = cpu_seconds();

	for (int i = 0; i < CPU_RECORDS; i++)
		if (!one(w))
			return -1;
	return (cpu_seconds() - begin) / CPU_RECORDS * 1e6;
}

/* The floor: SHA-256 of the record's bytes, once. */
static double cpu_of_digest(size_t n)
{
	static const uint8_t record[APPEND_MAX];
	EVP_MD *md = EVP_MD_fetch(NULL, "SHA256", NULL);
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	uint8_t out[EVP_MAX_MD_SIZE];
	unsigned len = 0;
	bool good = md != NULL && ctx != NULL;
	double begin = cpu_seconds();

	for (int i = 0; good && i < CPU_RECORDS; i++)
		good = EVP_DigestInit_ex2(ctx, md, NULL) == 1 &&
		       EVP_DigestUpdate(ctx, record, n) == 1 &&
		       EVP_DigestFinal_ex(ctx, out, &len) == 1;
	EVP_MD_CTX_free(ctx);
	EVP_MD_free(md);
	return good ? (cpu_seconds() - begin) / CPU_RECORDS * 1e6 : -1;
}

struct cost {
	struct series note, commit, digest;
};

static bool cost_round(const struct writer *w, size_t bytes, struct cost *c)
{
	const double note = cpu_of(writer_note, w), commit = cpu_of(writer_commit, w),
		     digest = cpu_of_digest(bytes);

	c->note.v[c->note.n++] = note;
	c->commit.v[c->commit.n++] = commit;
	c->digest.v[c->digest.n++] = digest;
	return note >= 0 && commit >= 0 && digest >= 0;
}

static void processor(struct plan *p, size_t bytes)
{
	const char *name = "CPU of a record: encode, chain, MAC, tree";
	struct cost c = { .note = { .n = 0 } };
	struct writer w;
	bool good = writer_open(&w, "/dev/null") && writer_commit(&w);

	for (unsigned i = 0; good && i < p->rounds; i++) {
		row_progress(p, name, i);
		good = cost_round(&w, bytes, &c);
	}
	row_progress(p, NULL, 0);
	writer_close(&w);
	if (!good) {
		row_skip(p, "roll", name, "a record failed");
		return;
	}
	row_values(p, "roll", "CPU of a record, beside SHA-256 of its bytes", "us", &c.note,
		   &c.digest, NULL);
	row_values(p, "roll", "CPU of a durable record without a barrier", "us", &c.commit, NULL,
		   NULL);
	row_figure(p, "roll", name, "us", &c.note, (struct goal){ true, 3 });
}

/* ---- all of it ---- */

static void writers(struct plan *p, const char *dir, size_t bytes)
{
	struct append a = { dir, bytes };
	struct writer w;
	char target[PATH_MAX];

	snprintf(target, sizeof(target), "%s/roll", dir);
	if (writer_open(&w, target) && writer_commit(&w)) {
		one_writer(p, &a, &w);
		sharing(p, &w);
		many_writers(p, &a, &w, "natural barrier", 0, false);
		many_writers(p, &a, &w, BARRIER_LABEL, BARRIER_INJECTED_NS, true);
	} else {
		row_skip(p, "roll", "writers", "no audit log could be begun");
	}
	writer_close(&w);
}

void suite_roll(struct plan *p, const struct field *f)
{
	const size_t bytes = writer_record_bytes();

	if (bytes == 0 || bytes > APPEND_MAX) {
		row_skip(p, "roll", "all", "no audit log can be written to /dev/null");
		return;
	}
	if (p->table != NULL)
		fprintf(p->table, "a record has %zu bytes\n", bytes);
	writers(p, f->dir, bytes);
	rollparts_signatures(p, f, bytes);
	processor(p, bytes);
	rollparts_verify(p, f);
	rollparts_opening(p, f);
}
