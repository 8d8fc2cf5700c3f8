/* SPDX-License-Identifier: Apache-2.0 */
/* Counters in the text format that Prometheus reads. */
#ifndef CHANCERY_CLI_PROMETHEUS_H
#define CHANCERY_CLI_PROMETHEUS_H

#include <jansson.h>

/* Prints the tokens and rows of `chancery stat` (stat.c) to stdout. */
void prometheus_print(const json_t *tokens, const json_t *rows);

#endif
