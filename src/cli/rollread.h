/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records of a roll, of all its files in the order of their time, as commands show them. Each file keeps its own order, also where its clock
 * jumped back. What is no record is told once for each file and passed over.
 */
#ifndef CHANCERY_CLI_ROLLREAD_H
#define CHANCERY_CLI_ROLLREAD_H

#include "auditor/line.h"
#include "cli/rollfilter.h"

struct rollread;

/* Follow: rollread_next says NULL where there is no more yet, and more may come. */
enum err rollread_open(struct call *c, const char *dir, const struct rollfilter *f, bool follow,
		       struct rollread **out);
void rollread_close(struct rollread *r); /* NULL accepted */

/* The next record that the filter wants, and the number of its file; NULL: there is none. Valid until the next call. */
const struct line *rollread_next(struct rollread *r, uint64_t *file);
/* Looks for new files and new lines. */
enum err rollread_again(struct rollread *r);
/* Whether something was no record. */
bool rollread_damaged(const struct rollread *r);

#endif
