/* SPDX-License-Identifier: Apache-2.0 */
/* The lock of a folder of tokens, and what is kept in the folder beside them. */
#ifndef CHANCERY_STORE_FOLDER_LOCK_H
#define CHANCERY_STORE_FOLDER_LOCK_H

#include "base/why.h"
#include <chancery/pkcs11.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* Names in the folder that are not tokens. */
#define FOLDER_NEXT "next-slot"
#define FOLDER_NEW  ".new-"
#define FOLDER_OLD  ".old-"

struct folder_lock {
	int fd; /* of the directory */
	const char *dir;
};

/* Takes the gate and the folder's lock, and removes what killed processes left half done. E_BUSY after 30 s. */
enum err folder_lock_take(struct folder_lock *l, const char *dir, struct why *why);
void folder_lock_drop(struct folder_lock *l);

/* Whether a name in the folder is one that killed processes leave behind; the second: of next-slot, a file. */
bool folder_is_leftover(const char *name);
bool folder_is_next(const char *name);
/* Calls each for every name in the directory fd, which is closed (-1: E_* by errno), until one fails. */
enum err folder_each(int fd, enum err (*each)(int fd, const char *name, struct why *why),
		     struct why *why);

/* Removes everything that is half made or half removed. The lock is held. */
enum err folder_sweep(const struct folder_lock *l, struct why *why);

/* The lowest id that was never used, as the file says; 0 when there is none. E_CORRUPT when it cannot be read as a number. */
enum err folder_next_get(const char *dir, CK_SLOT_ID *next, struct why *why);
enum err folder_next_set(const char *dir, CK_SLOT_ID next, mode_t mode, struct why *why);

/* A name that is not taken: prefix, slot and random digits. */
enum err folder_name(char out[PATH_MAX], const char *dir, const char *prefix, CK_SLOT_ID slot,
		     struct why *why);

#endif
