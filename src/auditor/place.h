/* SPDX-License-Identifier: Apache-2.0 */
/* The directory of a roll: its names. */
#ifndef CHANCERY_AUDITOR_PLACE_H
#define CHANCERY_AUDITOR_PLACE_H

#include "auditor/line.h"
#include "base/err.h"
#include "base/why.h"
#include <limits.h>

/* The numbers of the files that are there, ascending. Freed with mem_free. */
enum err place_list(const char *dir, uint64_t **numbers, size_t *n, struct why *why);
/* E_ARGUMENTS: the path is too long. */
enum err place_name(const char *dir, const char *name, char path[PATH_MAX], struct why *why);
enum err place_file(const char *dir, uint64_t number, char path[PATH_MAX], struct why *why);
/* The number in `roll.000012`, or `12` as people say it; 0: it is none. */
uint64_t place_number(const char *name);
bool place_has(const uint64_t *numbers, size_t n, uint64_t number);

/*
 * What the first record of a file says, and its h. False: there is no such record. *l points into `room`, which has LINE_MAX_BYTES.
 */
bool place_first(const char *path, uint8_t *room, struct line *l, uint8_t h[SUM]);

#endif
