/* SPDX-License-Identifier: Apache-2.0 */
/* What grows with an audit log: reading all of it, and beginning another file beside many. */
#include "auditor/keys.h"
#include "base/file.h"
#include "bench/barrier.h"
#include "bench/proc.h"
#include "bench/rollparts.h"
#include "bench/writer.h"
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* ---- made by the writer itself; nothing of it is timed ---- */

static bool sync_all(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool good = fd >= 0 && syncfs(fd) == 0;

	if (fd >= 0)
		close(fd);
	return good;
}

static bool write_records(struct writer *w, unsigned n)
{
	bool good = true;

	for (unsigned i = 0; good && i < n; i++)
		good = writer_note(w);
	good = good && writer_commit(w);
	writer_close(w);
	return good;
}

/* A log for an auditor, whose private keys are in the file beside it: see proc.c. */
static bool make_log(const char *target, unsigned n)
{
	struct buf public_text = { 0 }, private_text = { .secret = true };
	char key[PATH_MAX];
	struct writer w = { .roll = NULL };
	bool good;

	snprintf(key, sizeof(key), "%s.key", target);
	good = keys_make(&public_text, &private_text, NULL) == OK &&
	       file_create(key, 0600, buf_span(&private_text), NULL) == OK &&
	       writer_open_for(&w, target, buf_span(&public_text)) && write_records(&w, n);
	buf_free(&public_text);
	buf_free(&private_text);
	return good;
}

static bool make_closed(const char *target, unsigned files)
{
	bool good = true;

	barrier_skip(true);
	for (unsigned i = 0; good && i < files; i++) {
		struct writer w;

		good = writer_open(&w, target) && writer_commit(&w);
		writer_close(&w);
	}
	barrier_skip(false);
	return good && sync_all(target);
}

/* ---- verify ---- */

static bool ask(const char *question, const char *target, struct series *s)
{
	const double v = proc_ask(question, &(const struct target){ .path = "-" }, target);

	if (v >= 0)
		s->v[s->n++] = v;
	return v >= 0;
}

static void verify(struct plan *p, const char *target, const char *question, const char *name,
		   double goal)
{
	struct series ours = { 0 }, floor = { 0 };

	for (unsigned i = 0; i < p->rounds; i++) {
		row_progress(p, name, i);
		if (!ask("digest-lines", target, &floor) || !ask(question, target, &ours)) {
			row_skip(p, "roll", name, "a log that is right was not found to be");
			return;
		}
	}
	row_progress(p, NULL, 0);
	row_values(p, "roll", name, "1/s", &ours, &floor, NULL);
	row_figure(p, "roll", name, "1/s", &ours, (struct goal){ false, goal });
}

/* Constant, but for what the allocator happens to keep. */
static void memory(struct plan *p, const char *small, const char *large)
{
	const char *name = "verify: memory of 10 times the records";
	struct series a = { 0 }, b = { 0 }, ratio;

	for (unsigned i = 0; i < p->rounds; i++)
		if (!ask("verify-memory", small, &a) || !ask("verify-memory", large, &b)) {
			row_skip(p, "roll", name, "a log that is right was not found to be");
			return;
		}
	row_values(p, "roll", "verify: memory", "MiB", &b, &a, NULL);
	ratio = series_ratio(&b, &a);
	row_figure(p, "roll", name, "x", &ratio, (struct goal){ true, 1.05 });
}

void rollparts_verify(struct plan *p, const struct field *f)
{
	char small[PATH_MAX], large[PATH_MAX];

	snprintf(small, sizeof(small), "%s/small", f->dir);
	snprintf(large, sizeof(large), "%s/large", f->dir);
	if (!make_log(small, p->records / 10) || !make_log(large, p->records)) {
		row_skip(p, "roll", "verify", "a log to be verified could not be written");
		return;
	}
	verify(p, large, "verify-consistent", "verify: records a core and second, consistent",
	       500000);
	verify(p, large, "verify-authentic", "verify: records a core and second, authentic",
	       300000);
	memory(p, small, large);
}

/* ---- opening ---- */

/* Milliseconds until the first record of a process is durable; below zero: it failed. */
static double first_record(const char *target)
{
	const double begin = work_clock();
	struct writer w;
	const bool good = writer_open(&w, target) && writer_commit(&w);
	const double took = work_clock() - begin;

	writer_close(&w);
	return good ? took * 1e3 : -1;
}

static void opening(struct plan *p, const char *few, const char *many)
{
	const unsigned rounds = p->rounds * 4 < ROUNDS_MAX ? p->rounds * 4 : ROUNDS_MAX;
	struct series sf = { 0 }, sm = { 0 }, more = { 0 };
	char name[80];

	snprintf(name, sizeof(name), "first record beside %u closed files", p->files);
	for (unsigned i = 0; i < rounds; i++) {
		const double f = first_record(few), m = first_record(many);

		if (f < 0 || m < 0) {
			row_skip(p, "roll", name, "a record failed");
			return;
		}
		sf.v[sf.n++] = f;
		sm.v[sm.n++] = m;
		more.v[more.n++] = m - f;
	}
	row_values(p, "roll", name, "ms", &sm, &sf, NULL);
	snprintf(name, sizeof(name), "%u closed files: more time to open", p->files);
	row_figure(p, "roll", name, "ms", &more, (struct goal){ true, 1 });
}

void rollparts_opening(struct plan *p, const struct field *f)
{
	char few[PATH_MAX], many[PATH_MAX];

	snprintf(few, sizeof(few), "%s/few", f->dir);
	snprintf(many, sizeof(many), "%s/many", f->dir);
	if (make_closed(few, 1) && make_closed(many, p->files))
		opening(p, few, many);
	else
		row_skip(p, "roll", "opening", "closed files could not be made");
}
