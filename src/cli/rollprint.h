/* SPDX-License-Identifier: Apache-2.0 */
/* Records on standard output, one to a line. */
#ifndef CHANCERY_CLI_ROLLPRINT_H
#define CHANCERY_CLI_ROLLPRINT_H

#include "auditor/line.h"

/* For people. */
void rollprint_text(uint64_t file, const struct line *l);
/* The record as it stands, with the number of its file as another member in front. No line feed. */
void rollprint_json(uint64_t file, const struct line *l);
/* RFC 4180; what a spreadsheet would take for a formula gets a `'` in front. */
void rollprint_csv_head(void);
void rollprint_csv(uint64_t file, const struct line *l);

#endif
