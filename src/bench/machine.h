/* SPDX-License-Identifier: Apache-2.0 */
/* What a figure was measured on: a figure without it means nothing. */
#ifndef CHANCERY_BENCH_MACHINE_H
#define CHANCERY_BENCH_MACHINE_H

#include <jansson.h>
#include <stdio.h>

/* dir: where what is durable goes. */
json_t *machine_json(const char *dir);
void machine_print(FILE *f, const char *dir);

#endif
