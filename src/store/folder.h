/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder of tokens: DIR/<slot id>/token.db, and DIR/next-slot, the lowest id that was never used. Whoever changes the
 * folder holds a lock of it (flock of the directory), so what is found half-made then is a killed process's.
 */
#ifndef CHANCERY_STORE_FOLDER_H
#define CHANCERY_STORE_FOLDER_H

#include "store/db.h"
#include "store/store.h"

/* Fills a new database, in a transaction that has made the tables. */
typedef enum err folder_fill(void *arg, struct db *d, struct why *why);

/* Whether name is a slot id as we write it: decimal, no leading zero, no more than PLACE_SLOT_MAX. */
bool folder_is_slot(const char *name, CK_SLOT_ID *id);

/*
 * Adds a token as a whole: its directory is filled under another name, synced and renamed. E_SESSION_EXISTS when the slot holds one,
 * E_SLOT when it once did. fill runs with the gate and the folder's lock held.
 */
enum err folder_add(const char *dir, CK_SLOT_ID slot, const struct store_policy *p,
		    folder_fill *fill, void *arg, struct why *why);

#endif
