/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of records for people: fit for a terminal, whatever somebody wrote into a label. */
#ifndef CHANCERY_CLI_ROLLTEXT_H
#define CHANCERY_CLI_ROLLTEXT_H

#include "auditor/line.h"

/* A text has at most 256 bytes, and a byte that is not shown takes four characters; what its hexadecimal digits took fits as well. */
enum { ROLLTEXT_MAX = 4 * 256 + 64 };

/* As UTF-8; what may not be shown as \xNN, what is not UTF-8 as its hexadecimal digits, what was cut ends with "...". "" when there is none. */
void rolltext_plain(const struct text *t, char out[ROLLTEXT_MAX]);
/* The same between quotes, so that no text looks like what stands beside it. */
void rolltext_quoted(const struct text *t, char out[ROLLTEXT_MAX]);
/* `class` `label` and id of a key, as one word or few. */
void rolltext_key(const struct line_key *k, char out[ROLLTEXT_MAX]);

#endif
