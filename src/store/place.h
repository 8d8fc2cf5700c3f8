/* SPDX-License-Identifier: Apache-2.0 */
/* Where a token lies, and whether what lies there may be trusted. */
#ifndef CHANCERY_STORE_PLACE_H
#define CHANCERY_STORE_PLACE_H

#include "base/err.h"
#include "base/why.h"
#include <chancery/pkcs11.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#define PLACE_FILE "token.db"

enum { PLACE_SLOT_MAX = 0x7fffffff };

struct place {
	char path[PATH_MAX]; /* of the database, without symbolic links */
	bool read_only;      /* we may not write to the file or its directory */
	dev_t dev;
	ino_t ino;
};

/*
 * E_ABSENT: no token there. E_ACCESS: a link instead of the thing itself, a second name for the file, or somebody but its owner may
 * write. It may belong to another user: then, since only that user may write, it is read-only for us.
 */
enum err place_find(const char *dir, CK_SLOT_ID slot, struct place *p, struct why *why);

/* The path DIR/NAME; E_ARGUMENTS when it is too long. */
enum err place_join(char out[PATH_MAX], const char *dir, const char *name, struct why *why);

#endif
