/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches (5.7.7): C_FindObjectsInit takes the handles that match at that moment; what goes away
 * before C_FindObjects reaches it is skipped. The session's lock is held.
 */
#ifndef CHANCERY_CORE_FIND_H
#define CHANCERY_CORE_FIND_H

#include "base/err.h"
#include "core/keyops.h"

struct session;

/* The calls themselves are in keyops.h: find_init, find_next, find_final; they are in find.c. */

/* Ends a search if there is one (close, C_SessionCancel). */
void find_end(struct session *s);

#endif
