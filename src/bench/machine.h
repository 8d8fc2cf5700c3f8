/* SPDX-License-Identifier: Apache-2.0 */
/* What a figure was measured on: a figure without it means nothing. */
#ifndef CHANCERY_BENCH_MACHINE_H
#define CHANCERY_BENCH_MACHINE_H

#include <jansson.h>
#include <stdio.h>

json_t *machine_json(void);
void machine_print(FILE *f);

#endif
