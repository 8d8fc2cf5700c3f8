/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a file of records begins and ends. The order in which things become durable is what tells a crash from tampering:
 *
 * 1. the state: this number is given out, S has moved on, and this line of the index is owed;
 * 2. the file with its first record, then its name in the directory;
 * 3. the line in the index.
 *
 * All under the lock of the state; no lock of a roll is held.
 */
#ifndef CHANCERY_AUDIT_OPENING_H
#define CHANCERY_AUDIT_OPENING_H

#include "audit/author.h"

/*
 * A new file, or the stream, with its first record in it. after: the file that it continues, whose end is put into the index; NULL: none. who is
 * borrowed for as long as *out lives; *out is the caller's: sheet_close, author_free. Any error but E_MEMORY and E_BUSY comes
 * again until somebody mends something.
 */
enum err opening_make(const struct roll_policy *p, const struct author_id *who,
		      const struct preface_after *after, struct author **out, struct why *why);
/* Puts the end of a file that is complete into the index. Its sheet is still open, and so locked: nobody else does it. Nothing for a stream. */
enum err opening_end(const struct roll_policy *p, const struct author *a, struct why *why);

#endif
