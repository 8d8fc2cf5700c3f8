/* SPDX-License-Identifier: Apache-2.0 */
/* What a module's process answers (probe.h): {"slots", "err", "why"}. */
#ifndef CHANCERY_CLI_ANSWER_H
#define CHANCERY_CLI_ANSWER_H

#include <jansson.h>
#include <stdbool.h>

/*
 * Whether v is an answer as our own code makes it: every member there, of its type, and no other; err
 * an error; "slots" as offer_read gives them; no text that may not be shown. The module shares the
 * process that answers, and may have written anything in its place.
 */
bool answer_fits(const json_t *v);

#endif
