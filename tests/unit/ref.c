/* SPDX-License-Identifier: Apache-2.0 */
#include "ref.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

FILE *ref_open(const char *file)
{
	const char *dir = getenv("CHANCERY_REF"), *source = getenv("CHANCERY_SOURCE_DIR");
	char path[REF_LINE];
	FILE *f;
	int n;

	if (source == NULL)
		source = "."; /* run by hand, in the tree */
	if (dir != NULL && *dir != '\0')
		n = snprintf(path, sizeof(path), "%s/%s", dir, file);
	else
		n = snprintf(path, sizeof(path), "%s/../shared/ref/%s", source, file);
	assert_in_range(n, 1, sizeof(path) - 1);
	f = fopen(path, "r");
	if (f == NULL)
		printf("skipped: no %s (CHANCERY_REF names the directory)\n", file);
	return f;
}

static void row_split(struct ref_row *row)
{
	char *rest = row->line;

	row->line[strcspn(row->line, "\n")] = '\0';
	for (size_t i = 0; i < REF_COLUMNS; i++)
		row->col[i] = "";
	for (size_t i = 0; rest != NULL; i++) {
		char *tab = strchr(rest, '\t');

		assert_in_range(i, 0, REF_COLUMNS - 1);
		row->col[i] = rest;
		if (tab != NULL)
			*tab++ = '\0';
		rest = tab;
	}
}

bool ref_next(FILE *f, struct ref_row *row)
{
	while (fgets(row->line, sizeof(row->line), f) != NULL) {
		assert_true(strchr(row->line, '\n') != NULL || feof(f));
		if (row->line[0] == '#')
			continue;
		row_split(row);
		return true;
	}
	return false;
}
