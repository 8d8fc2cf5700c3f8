/* SPDX-License-Identifier: Apache-2.0 */
/* Asks a module in a process of its own: what it breaks there does not break the rest. */
#ifndef CHANCERY_CLI_PROBE_H
#define CHANCERY_CLI_PROBE_H

#include "base/err.h"
#include "base/why.h"
#include <jansson.h>

/*
 * What the slots of the module at path that fit uri (NULL: all) offer, as offer_read gives it. A
 * module that crashes, exits or takes longer than so many seconds is E_FAILED; its process is
 * killed then, and in any case what it started and left in its process group. What it prints goes
 * to stderr. *slots: a new reference, also on error, since a module may crash when everything was
 * read; NULL only for want of memory.
 */
enum err probe(const char *path, const char *uri, unsigned seconds, json_t **slots,
	       struct why *why);

#endif
