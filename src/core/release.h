/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last step before a caller sees a result: its record on the roll. Which uses are recorded is
 * decided here.
 */
#ifndef CHANCERY_CORE_RELEASE_H
#define CHANCERY_CORE_RELEASE_H

#include "audit/roll.h"
#include "core/object.h"

struct token;

/*
 * Whether uses of o are recorded: every private key; a secret key unless it was made fresh for a
 * session, or derived from such. Where a key lies does not matter, what it comes from does
 * (docs/AUDIT.md, provenance).
 */
bool release_watched(const struct object *o);

/*
 * Whether a result that o (or nothing: NULL) took part in may still be released: that of a private object only while
 * the login epoch is the one that was read before o was looked up. E_NOT_LOGGED_IN.
 */
enum err release_login(const struct token *t, unsigned epoch, const struct object *o);

/*
 * Records an event about o, which belongs or will belong to t. On an error the caller must
 * release nothing, wipe what it has written and return the error. No lock of a token or the
 * library may be held; a session's is. m: CK_UNAVAILABLE_INFORMATION when no mechanism was used.
 */
enum err release_record(const struct token *t, enum roll_event_kind kind, const struct object *o,
			CK_MECHANISM_TYPE m, uint64_t bytes, enum err result);

#endif
