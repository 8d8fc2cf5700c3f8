/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last step before a caller sees a result: its record on the roll. Which uses are recorded is
 * decided here.
 */
#ifndef CHANCERY_CORE_RELEASE_H
#define CHANCERY_CORE_RELEASE_H

#include "core/enrol.h"
#include "core/object.h"

struct mech;
struct session;
struct token;

/*
 * Whether uses of o are recorded: every private key; a secret key unless it was made fresh for a
 * session, or derived from such. Where a key lies does not matter, what it comes from does
 * (docs/AUDIT.md, provenance). With session_keys in the configuration, those too.
 */
bool release_watched(const struct object *o);
/* Whether changes of o are: token objects, and keys whose uses are. */
bool release_kept(const struct object *o);

/*
 * Whether keys of t may be used, to be asked before the work: E_DEVICE once the roll has failed, E_AUDIT_OFF and E_AUDIT_STREAM
 * when t requires another one. A few loads.
 */
enum err release_ready(const struct token *t);

/*
 * Whether a result that o (or nothing: NULL) took part in may still be released: that of a private object only while
 * the login epoch is the one that was read before o was looked up. E_NOT_LOGGED_IN.
 */
enum err release_login(const struct token *t, unsigned epoch, const struct object *o);

/* A use of o, or nothing that is recorded (enrol_commit_all) when o is NULL or not watched. m NULL: there is no mechanism. */
struct enrol release_use(struct session *s, enum roll_event_kind kind, const struct object *o,
			 const struct mech *m);

#endif
