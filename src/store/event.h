/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pending records of the audit log: as durable as the changes that they record, until the log has them. Those that it has are removed with the
 * next transaction that there is, since nobody is to wait for that.
 */
#ifndef CHANCERY_STORE_EVENT_H
#define CHANCERY_STORE_EVENT_H

#include "store/head.h"
#include "store/inside.h"

/* In the caller's transaction, which writes h afterwards: keeps ev, if there is one, and numbers it. */
enum err event_put(struct db *d, struct head *h, struct store_event *ev);
/* How the transaction went: after an error the event has no number. ev may be NULL. */
void event_unsettle(struct store_event *ev, enum err e);

/* Takes what is done out of the list, to be forgotten in a transaction; over: it was committed, else they are put back. */
struct numbers event_done_take(struct store *s);
void event_done_end(struct store *s, struct numbers *done, bool over);
/* In the caller's transaction. */
enum err event_forget(struct db *d, const struct numbers *done);

/* Forgets what is done in a transaction of its own, as far as that can be had. No lock is held. */
void event_settle(struct store *s);

#endif
