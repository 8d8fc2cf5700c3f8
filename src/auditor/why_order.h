/* SPDX-License-Identifier: Apache-2.0 */
/* A record stands where another number should: what happened. */
#ifndef CHANCERY_AUDITOR_WHY_ORDER_H
#define CHANCERY_AUDITOR_WHY_ORDER_H

#include "auditor/finding.h"
#include "auditor/line.h"

/* Reads the file at path once more. got stands in line want + 1, where record `want` should be. */
void why_order(const char *path, uint64_t file, uint64_t want, const struct line *got,
	       struct finding *f);

#endif
