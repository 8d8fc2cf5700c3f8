/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reference tables that may lie beside the source tree: tab-separated, '#' begins a note, "-" means
 * empty. Tests that compare with them skip when they are not there.
 */
#ifndef CHANCERY_TESTS_REF_H
#define CHANCERY_TESTS_REF_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Opens `file` in the directory that CHANCERY_REF names, by default ../shared/ref relative to the
 * source tree. NULL, with a line on stdout, when it is not there. The caller closes it.
 */
FILE *ref_open(const char *file);

enum { REF_COLUMNS = 20, REF_LINE = 4096 };

struct ref_row {
	char line[REF_LINE];
	const char *col[REF_COLUMNS]; /* into line; "" beyond the last column */
};

/* The next row, notes left out; false at the end. A row that does not fit fails the test. */
bool ref_next(FILE *f, struct ref_row *row);

#endif
