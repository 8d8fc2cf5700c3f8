/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which rows of PINs are the ones last set: their digests lie in the sealed state, which only the data key opens. So the row
 * of an earlier PIN, put back by whoever can write the file, still unwraps the data key, but is told from the present
 * one, and so is a row that was removed. Failures are not part of it. An earlier sealed state, put back with the row, is told by the
 * change counter and by the records that are newer than it. All in the caller's transaction.
 */
#ifndef CHANCERY_STORE_VOUCH_H
#define CHANCERY_STORE_VOUCH_H

#include "store/head.h"

/*
 * The token's row and what the data key seals of it. E_CORRUPT: label, flags or counter were altered, or the sealed state is older than the
 * counter or than a record that k opens, or k is of another token.
 */
enum err vouch_open(struct db *d, const struct seal *k, struct head *h, struct state *st);
/* Seals st into h as the state of a change of its own: counts the change counter up. */
enum err vouch_seal(struct state *st, const struct seal *k, struct head *h);

/* Notes pk as the row of u. */
enum err vouch_note(struct state *st, const struct ident *ident, enum store_user u,
		    const struct pinkey *pk);
/* Whether the row of u is the one noted: there and the same, or never set. E_CORRUPT is not returned: a damaged row is not. */
enum err vouch_current(struct db *d, const struct head *h, const struct state *st,
		       enum store_user u, bool *current);
/* What is said of a row that is not: with vouch_name for %s. */
#define VOUCH_NOT_CURRENT "the %s PIN's row is not the one last set"
const char *vouch_name(enum store_user u);

/* Sets the row of u, and notes it. Failures begin at none. ev: as in event_put. */
enum err vouch_put(struct db *d, const struct seal *k, enum store_user u, const struct pinkey *pk,
		   struct store_event *ev);

#endif
