/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of records, in a transaction that has the right to write. */
#ifndef CHANCERY_STORE_CHANGE_H
#define CHANCERY_STORE_CHANGE_H

#include "store/head.h"

/* What a transaction changes beside the rows, kept in memory until its end. */
struct tally {
	struct head head;
	struct state state;   /* opened by the first seal that changes something */
	const struct seal *k; /* that seal; NULL: none yet */
};

/* Reads the token's row and counts the change counter up. */
enum err change_begin(struct db *d, struct tally *t);

/*
 * Makes one change and settles the record's id and version. On error the record is as it was, while rows and tally may be half
 * changed: the caller goes back to a savepoint and to a copy of the tally.
 */
enum err change_apply(struct db *d, struct tally *t, const struct seal *k, struct store_change *c);

/* Takes back what change_apply settled in the record, when the transaction is undone afterwards. */
void change_unsettle(struct store_change *c);

/* Writes the token's row. */
enum err change_end(struct db *d, struct tally *t);

#endif
