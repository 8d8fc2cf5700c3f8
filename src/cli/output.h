/* SPDX-License-Identifier: Apache-2.0 */
/* Where a result of bytes goes: --out, else standard output. */
#ifndef CHANCERY_CLI_OUTPUT_H
#define CHANCERY_CLI_OUTPUT_H

#include "base/span.h"
#include "cli/command.h"
#include <jansson.h>

struct output {
	struct span bytes;
	bool text;        /* ASCII, a JSON text as it is; else base64 */
	const char *key;  /* its member of the JSON object: "signature" */
	const char *said; /* for people, the subject of a sentence: "The signature" */
};

/*
 * Writes the result to the file of --out (file_put) and tells of it, or to standard output, where nothing else may follow. With
 * --json the one value on standard output is about, with the number of "bytes" and either the "file" or the result itself.
 * Takes over the reference.
 */
enum err output_write(struct call *c, const struct output *out, json_t *about);

#endif
