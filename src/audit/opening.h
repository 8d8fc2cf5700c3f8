/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a file of records begins and ends. The order in which things become durable is what tells a crash from tampering:
 *
 * 0. the last record of the file that it follows, if any, and the end of that in the index;
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
 * A new file, or the stream, with its first record in it. old: whose file it follows, NULL: none; nobody else uses it meanwhile. Its last record is
 * made when nothing but the disk can keep the new file from being made: after an error, old->ended tells whether it was, and if
 * not, old goes on. who is borrowed for as long as *out lives; *out is the caller's: sheet_close, author_free. Any error but E_MEMORY
 * and E_BUSY comes again until somebody mends something.
 */
enum err opening_make(const struct roll_policy *p, const struct author_id *who, struct author *old,
		      struct author **out, struct why *why);
/* Puts the end of a file that has its last record into the index (`close`). Its sheet is still open, and so locked: nobody else does it. Nothing for a stream. */
enum err opening_close(const struct author *a, struct why *why);
/*
 * Says in the index where a file ended that somebody else changed or removed while a lives (`left`, docs/AUDIT.md, "The index"): whatever is
 * found under its name was not all. patience: as for ledger_take.
 */
enum err opening_leave(const struct author *a, long patience, struct why *why);

#endif
