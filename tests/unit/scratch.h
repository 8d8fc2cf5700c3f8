/* SPDX-License-Identifier: Apache-2.0 */
/* A directory of its own for a test, and files in it. Failures end the test. */
#ifndef CHANCERY_TESTS_SCRATCH_H
#define CHANCERY_TESTS_SCRATCH_H

#include <stddef.h>
#include <sys/types.h>

/* cmocka fixtures: *state is the directory's path; teardown removes it with everything in it. */
int scratch_setup(void **state);
int scratch_teardown(void **state);

/* "dir/name"; static per thread, good for eight calls. */
const char *scratch_path(void **state, const char *name);

/* Makes a file of exactly this mode. Gives its path. */
const char *scratch_file(void **state, const char *name, mode_t mode, const void *data, size_t n);

/* Names in the directory, "." and ".." left out. */
size_t scratch_count(void **state);

#endif
