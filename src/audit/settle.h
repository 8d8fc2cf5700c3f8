/* SPDX-License-Identifier: Apache-2.0 */
/* What processes that ended without a word left behind is written into the index: `left`, or `void`. */
#ifndef CHANCERY_AUDIT_SETTLE_H
#define CHANCERY_AUDIT_SETTLE_H

#include "audit/roster.h"
#include <sys/types.h>

/* Pays what the state owes to the index. Before anything else is put there. */
enum err settle_owed(struct roster *r, const struct site *s, struct ledger *l, struct why *why);
/* Gives each file whose author is gone its `left`. A file that cannot be read now is left for another time. */
enum err settle_dead(struct roster *r, const struct site *s, struct ledger *l, struct why *why);

/* Whether the lock of a file of records is held, or cannot be asked for: its author may live. fd: of that file, in any mode. */
bool settle_alive(int fd);

#endif
