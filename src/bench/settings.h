/* SPDX-License-Identifier: Apache-2.0 */
/* What the command line says. */
#ifndef CHANCERY_BENCH_SETTINGS_H
#define CHANCERY_BENCH_SETTINGS_H

#include <limits.h>
#include <stdbool.h>

struct settings {
	char own[PATH_MAX + 32]; /* the module that was built or installed with this program */
	const char *module;
	const char *peer, *json, *dir; /* NULL: none */
	unsigned rounds, ms, objects, records, files;
	bool help;     /* nothing but how to use it is asked for */
	char **suites; /* names, up to a NULL; none: those that run beside each other */
};

/* False: they are not to be understood. argv is borrowed. */
bool settings_take(struct settings *s, int argc, char **argv);
bool settings_name(const struct settings *s, const char *suite);

#endif
