/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chancery-bench: each figure beside its floor (libcrypto alone, in the same run) and beside a peer where one is
 * installed. A private token is made for every module in a temporary directory.
 */
#include "bench/machine.h"
#include "bench/proc.h"
#include "bench/scratch.h"
#include "bench/settings.h"
#include "bench/suites.h"
#include "crypto/lib.h"
#include <string.h>
#include <sysexits.h>

static const struct suite suites[] = {
	{ "sign", "signatures at 1 and 2 threads", suite_sign, false },
	{ "digest", "digests, HMAC and AES-GCM by size", suite_digest, false },
	{ "attr", "reading an attribute", suite_attr, false },
	{ "session", "opening sessions, bytes of an idle one", suite_session, false },
	{ "process", "a process that loads, initialises, finalises", suite_process, false },
	{ "memory", "resident memory of C_Initialize", suite_memory, false },
	{ "store", "creating and finding token objects", suite_store, false },
	{ "roll", "the audit log, each figure beside its physical limit (alone)", suite_roll,
	  true },
};

#define SUITES (sizeof(suites) / sizeof(suites[0]))

static void usage(FILE *f)
{
	fprintf(f,
		"Usage: chancery-bench [--module FILE] [--peer FILE] [--dir DIR] [--rounds N] [--time MS]\n"
		"                      [--objects N] [--records N] [--files N] [--json FILE] [SUITE...]\n\n");
	for (size_t i = 0; i < SUITES; i++)
		fprintf(f, "  %-9s %s\n", suites[i].name, suites[i].what);
}

/* Without names every suite that runs beside others; with names these. */
static bool chosen(const struct suite *u, const struct settings *s)
{
	return *s->suites != NULL ? settings_name(s, u->name) : !u->alone;
}

static bool known(const struct settings *s)
{
	for (char **name = s->suites; *name != NULL; name++) {
		size_t k = 0;
		while (k < SUITES && strcmp(*name, suites[k].name) != 0)
			k++;
		if (k == SUITES) {
			fprintf(stderr, "chancery-bench: there is no suite \"%s\"\n", *name);
			return false;
		}
	}
	return true;
}

/* The suite that must run by itself, if it is among those named; false: it is, beside others. */
static bool lonely(const struct settings *s, const struct suite **alone)
{
	*alone = NULL;
	for (size_t i = 0; i < SUITES; i++)
		if (suites[i].alone && chosen(&suites[i], s))
			*alone = &suites[i];
	if (*alone == NULL || s->suites[1] == NULL)
		return true;
	fprintf(stderr, "chancery-bench: the suite %s runs by itself\n", (*alone)->name);
	return false;
}

/* An absent peer is said, never passed over in silence. */
static void open_peer(struct target *t, const char *path, struct plan *p)
{
	struct why why = { "" };

	*t = (struct target){ .name = "peer" };
	if (path == NULL)
		snprintf(why.text, sizeof(why.text), "none was named");
	else if (target_open(t, "peer", path, &why))
		return;
	fprintf(p->table, "peer: none (%s)\n", why.text);
}

static bool write_json(const char *path, const struct plan *p, const struct field *f)
{
	json_t *all = json_pack("{s:o, s:s, s:s, s:O}", "machine", machine_json(f->dir), "module",
				f->module, "peer", f->peer->m != NULL ? f->peer->path : "", "rows",
				p->rows);
	int bad = all == NULL || json_dump_file(all, path, JSON_INDENT(1)) != 0;

	json_decref(all);
	if (bad)
		fprintf(stderr, "chancery-bench: %s could not be written\n", path);
	return !bad;
}

static void print_head(const struct field *f, const char *floor)
{
	machine_print(stdout, f->dir);
	printf("%-9s %-*s %-7s %11s %11s  %-18s %11s  %s\n", "SUITE", ROW_NAME, "WHAT", "UNIT",
	       "OURS", floor, "RATIO (MIN..MAX)", "PEER", "OURS/PEER");
}

/* ---- measuring ---- */

static int measure_alone(struct plan *p, struct field *f, const struct suite *u)
{
	if (crypto_start() != OK) {
		fprintf(stderr, "chancery-bench: libcrypto does not start\n");
		return EX_UNAVAILABLE;
	}
	print_head(f, "FLOOR");
	u->run(p, f);
	return EX_OK;
}

static int measure_some(struct plan *p, struct field *f, const struct settings *s)
{
	struct why why = { "" };

	if (!target_open(f->ours, "module", s->module, &why)) {
		fprintf(stderr, "chancery-bench: %s\n", why.text);
		return EX_UNAVAILABLE;
	}
	open_peer(f->peer, s->peer, p);
	print_head(f, "LIBCRYPTO");
	for (size_t i = 0; i < SUITES; i++)
		if (chosen(&suites[i], s))
			suites[i].run(p, f);
	return EX_OK;
}

static int measure(const struct settings *s, const char *dir, const struct suite *alone)
{
	struct plan p = { .rounds = s->rounds,
			  .ms = s->ms,
			  .objects = s->objects,
			  .records = s->records,
			  .files = s->files,
			  .rows = json_array(),
			  .table = stdout };
	struct target ours = { .name = "module" }, peer = { .name = "peer" };
	struct field f = { &ours, &peer, s->module, dir };
	int status = alone != NULL ? measure_alone(&p, &f, alone) : measure_some(&p, &f, s);

	if (status == EX_OK && s->json != NULL && !write_json(s->json, &p, &f))
		status = EX_CANTCREAT;
	if (status == EX_OK && p.failed != 0)
		status = EX_SOFTWARE;
	target_close(&peer);
	target_close(&ours);
	json_decref(p.rows);
	return status;
}

int main(int argc, char **argv)
{
	const struct suite *alone = NULL;
	struct settings s;
	struct scratch scratch;

	if (argc > 1 && strcmp(argv[1], "--child") == 0)
		return proc_child(argc, argv);
	if (!settings_take(&s, argc, argv) || !known(&s) || !lonely(&s, &alone)) {
		usage(stderr);
		return EX_USAGE;
	}
	if (s.help) {
		usage(stdout);
		return EX_OK;
	}
	if (!scratch_make(&scratch, s.dir)) {
		perror("chancery-bench: no temporary directory");
		return EX_CANTCREAT;
	}
	int status = measure(&s, scratch.path, alone);
	scratch_remove(&scratch);
	return status;
}
