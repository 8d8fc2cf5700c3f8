/* SPDX-License-Identifier: Apache-2.0 */
/* Where a result of bytes goes: --out, else standard output. */
#ifndef CHANCERY_CLI_OUTPUT_H
#define CHANCERY_CLI_OUTPUT_H

#include "base/span.h"
#include "cli/command.h"

/*
 * Writes bytes to the file of --out (file_put), or to standard output. *path: the file, for the
 * command to tell of; NULL: they went to standard output, where nothing else may follow.
 */
enum err output_write(struct call *c, struct span bytes, const char **path);

#endif
