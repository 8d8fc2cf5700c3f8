/* SPDX-License-Identifier: Apache-2.0 */
/* Where a roll stands on the disk, for what is kept beside it (core/uses.h). */
#ifndef CHANCERY_AUDIT_STANDING_H
#define CHANCERY_AUDIT_STANDING_H

#include "audit/roll.h"
#include <limits.h>

struct standing {
	char dir[PATH_MAX]; /* of the roll */
	uint8_t id[16];
	uint64_t file; /* the newest of this process; 0: a stream, which has no directory */
};

/* False: nothing was recorded yet. r NULL: false. Takes the roll's lock. */
bool standing_of(struct roll *r, struct standing *s);
/* Whether the author of a file of the directory still writes, as far as the file is there to tell. */
bool standing_alive(const char *dir, uint64_t file);

#endif
