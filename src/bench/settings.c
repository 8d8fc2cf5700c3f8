/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/settings.h"
#include "bench/row.h"
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MODULE_NAME "libchancery-pkcs11.so"
#define FIELD(name) offsetof(struct settings, name)

/* max 0: a text. */
static const struct {
	const char *name;
	size_t field;
	unsigned min, max;
} rows[] = {
	{ "module", FIELD(module), 0, 0 },
	{ "peer", FIELD(peer), 0, 0 },
	{ "dir", FIELD(dir), 0, 0 },
	{ "json", FIELD(json), 0, 0 },
	{ "rounds", FIELD(rounds), 1, ROUNDS_MAX },
	{ "time", FIELD(ms), 10, 60000 },
	{ "objects", FIELD(objects), 10, 1000000 },
	{ "records", FIELD(records), 10, 10000000 },
	{ "files", FIELD(files), 1, 1000000 },
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static void find_own(struct settings *s)
{
	ssize_t n = readlink("/proc/self/exe", s->own, PATH_MAX - 1);
	char *slash;

	s->own[n > 0 ? n : 0] = '\0';
	slash = strrchr(s->own, '/');
	if (slash != NULL)
		memcpy(slash + 1, MODULE_NAME, sizeof(MODULE_NAME));
	if (slash == NULL || access(s->own, R_OK) != 0)
		snprintf(s->own, sizeof(s->own), "%s/%s", CHANCERY_MODULE_DIR, MODULE_NAME);
}

static bool take(struct settings *s, int row, char *text)
{
	void *field = (char *)s + rows[row].field;
	char *end = NULL;
	unsigned long n;

	if (rows[row].max == 0) {
		*(const char **)field = text;
		return true;
	}
	n = strtoul(text, &end, 10);
	*(unsigned *)field = (unsigned)n;
	return end != text && *end == '\0' && n >= rows[row].min && n <= rows[row].max;
}

bool settings_take(struct settings *s, int argc, char **argv)
{
	struct option options[ROWS + 2] = { { NULL, 0, NULL, 0 } };
	bool good = true;
	int o;

	*s = (struct settings){ .rounds = 7,
				.ms = 300,
				.objects = 100000,
				.records = 400000,
				.files = 10000 };
	find_own(s);
	s->module = s->own;
	for (int i = 0; i < ROWS; i++)
		options[i] = (struct option){ rows[i].name, required_argument, NULL, i };
	options[ROWS] = (struct option){ "help", no_argument, NULL, ROWS };
	while (good && (o = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (o == ROWS)
			s->help = true;
		else
			good = o < ROWS && take(s, o, optarg);
	}
	s->suites = argv + optind;
	return good;
}

bool settings_name(const struct settings *s, const char *suite)
{
	for (char **name = s->suites; *name != NULL; name++)
		if (strcmp(*name, suite) == 0)
			return true;
	return false;
}
