/* SPDX-License-Identifier: Apache-2.0 */
/* Pending records of the roll: as durable as the changes that they record, until the roll has them. */
#ifndef CHANCERY_STORE_EVENT_H
#define CHANCERY_STORE_EVENT_H

#include "base/span.h"
#include "store/db.h"

/* In the caller's transaction. */
enum err event_put(struct db *d, struct span body);

#endif
