/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chancery-bench: each figure beside its floor (libcrypto alone, in the same run) and beside a peer where one is
 * installed. A private token is made for every module in a temporary directory.
 */
#include "bench/machine.h"
#include "bench/proc.h"
#include "bench/scratch.h"
#include "bench/suites.h"
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

static const struct suite suites[] = {
	{ "sign", "signatures at 1 and 2 threads", suite_sign },
	{ "digest", "digests, HMAC and AES-GCM by size", suite_digest },
	{ "attr", "reading an attribute", suite_attr },
	{ "session", "opening sessions, bytes of an idle one", suite_session },
	{ "process", "a process that loads, initialises, finalises", suite_process },
	{ "memory", "resident memory of C_Initialize", suite_memory },
	{ "store", "creating and finding token objects", suite_store },
};

#define SUITES (sizeof(suites) / sizeof(suites[0]))

struct settings {
	const char *module, *peer, *json;
	unsigned rounds, ms, objects;
	int first_suite; /* index of argv */
};

static void usage(FILE *f)
{
	fprintf(f,
		"Usage: chancery-bench --module FILE [--peer FILE] [--rounds N] [--time MS] [--objects N] [--json FILE] [SUITE...]\n\n");
	for (size_t i = 0; i < SUITES; i++)
		fprintf(f, "  %-9s %s\n", suites[i].name, suites[i].what);
}

static bool number(const char *text, unsigned min, unsigned max, unsigned *v)
{
	char *end = NULL;
	unsigned long n = strtoul(text, &end, 10);

	*v = (unsigned)n;
	return end != text && *end == '\0' && n >= min && n <= max;
}

static bool settings_take(struct settings *s, int argc, char **argv)
{
	static const struct option options[] = {
		{ "module", required_argument, NULL, 'm' },
		{ "peer", required_argument, NULL, 'p' },
		{ "rounds", required_argument, NULL, 'r' },
		{ "time", required_argument, NULL, 't' },
		{ "json", required_argument, NULL, 'j' },
		{ "objects", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	bool good = true;
	int o;

	*s = (struct settings){ .rounds = 7, .ms = 300, .objects = 100000 };
	while (good && (o = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (o == 'm')
			s->module = optarg;
		else if (o == 'p')
			s->peer = optarg;
		else if (o == 'j')
			s->json = optarg;
		else if (o == 'r')
			good = number(optarg, 1, ROUNDS_MAX, &s->rounds);
		else if (o == 'o')
			good = number(optarg, 10, 1000000, &s->objects);
		else if (o == 't')
			good = number(optarg, 10, 60000, &s->ms);
		else
			good = false;
	}
	s->first_suite = optind;
	return good && s->module != NULL;
}

static bool chosen(const struct suite *u, const struct settings *s, int argc, char **argv)
{
	for (int i = s->first_suite; i < argc; i++)
		if (strcmp(argv[i], u->name) == 0)
			return true;
	return s->first_suite == argc;
}

static bool known(const struct settings *s, int argc, char **argv)
{
	for (int i = s->first_suite; i < argc; i++) {
		size_t k = 0;
		while (k < SUITES && strcmp(argv[i], suites[k].name) != 0)
			k++;
		if (k == SUITES) {
			fprintf(stderr, "chancery-bench: there is no suite \"%s\"\n", argv[i]);
			return false;
		}
	}
	return true;
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
	json_t *all = json_pack("{s:o, s:s, s:s, s:O}", "machine", machine_json(), "module",
				f->ours->path, "peer", f->peer->m != NULL ? f->peer->path : "",
				"rows", p->rows);
	int bad = all == NULL || json_dump_file(all, path, JSON_INDENT(1)) != 0;

	json_decref(all);
	if (bad)
		fprintf(stderr, "chancery-bench: %s could not be written\n", path);
	return !bad;
}

static int measure(const struct settings *s, int argc, char **argv)
{
	struct plan p = { .rounds = s->rounds,
			  .ms = s->ms,
			  .objects = s->objects,
			  .rows = json_array(),
			  .table = stdout };
	struct target ours, peer;
	struct field f = { &ours, &peer };
	struct why why = { "" };

	if (!target_open(&ours, "module", s->module, &why)) {
		fprintf(stderr, "chancery-bench: %s\n", why.text);
		json_decref(p.rows);
		return EX_UNAVAILABLE;
	}
	machine_print(stdout);
	open_peer(&peer, s->peer, &p);
	printf("%-9s %-34s %-7s %11s %11s  %-18s %11s  %s\n", "SUITE", "WHAT", "UNIT", "OURS",
	       "LIBCRYPTO", "RATIO (MIN..MAX)", "PEER", "OURS/PEER");
	for (size_t i = 0; i < SUITES; i++)
		if (chosen(&suites[i], s, argc, argv))
			suites[i].run(&p, &f);
	bool written = s->json == NULL || write_json(s->json, &p, &f);
	target_close(&peer);
	target_close(&ours);
	json_decref(p.rows);
	return p.failed == 0 && written ? EX_OK : EX_SOFTWARE;
}

int main(int argc, char **argv)
{
	struct settings s;
	struct scratch scratch;

	if (argc > 1 && strcmp(argv[1], "--child") == 0)
		return proc_child(argc, argv);
	if (!settings_take(&s, argc, argv) || !known(&s, argc, argv)) {
		usage(stderr);
		return EX_USAGE;
	}
	if (!scratch_make(&scratch)) {
		perror("chancery-bench: no temporary directory");
		return EX_CANTCREAT;
	}
	int status = measure(&s, argc, argv);
	scratch_remove(&scratch);
	return status;
}
