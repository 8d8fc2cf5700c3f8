/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Enrolment: how events reach the roll (audit/roll.h). Who acts, about which token and object, is gathered here alone; which uses are
 * recorded is decided in release.h.
 *
 * Whatever must be recorded on a token that requires the audit log is refused while there is none, E_AUDIT_OFF, and where it goes to a
 * stream, which keeps nothing: E_AUDIT_STREAM.
 */
#ifndef CHANCERY_CORE_ENROL_H
#define CHANCERY_CORE_ENROL_H

#include "audit/roll.h"
#include "base/buf.h"
#include "core/object.h"

struct session;
struct token;

enum { ENROL_BEHALF_MAX = 1024 /* bytes of the host's claim */ };

/* One event. Everything is borrowed but body. */
struct enrol {
	struct roll_event ev;
	struct session *session;
	const struct token *token;
	struct buf body;         /* of one that is kept with a change */
	struct store_event kept; /* for the call of the store that makes the change */
	uint64_t file;           /* that the record is in; 0: not known, or a stream */
};

/* Whether the roll is what t requires: OK, or the two errors above. t NULL: there is no token yet. */
enum err enrol_allowed(const struct token *t);

/* s, NULL for calls without a session: its lock is held until the event is recorded. t NULL: there is no token yet. */
struct enrol enrol_of(struct session *s, const struct token *t, enum roll_event_kind kind);
/* The object, with its class, label, id and unique id. */
void enrol_about(struct enrol *n, const struct object *o);

/*
 * Records it, durably, with this result. On an error nothing may be released. No lock of a token but token.login, and
 * none of the library, is held.
 */
enum err enrol_commit(struct enrol *n, enum err result);
/* Records n events with one result, in order and with one barrier for all; none is recorded of those whose kind is ROLL_EVENT_COUNT. */
enum err enrol_commit_all(struct enrol *list, size_t n, enum err result);

/*
 * An event that is kept with the change that it is about: enrol_pend before the change, then kept is for the store, then enrol_change or
 * enrol_changed with what became of it. An error of enrol_pend: the change may not be made.
 */
enum err enrol_pend(struct enrol *n);
/*
 * Records the change, as enrol_commit, also one that was refused; returns result, or why there is no record: then a change that was made is durable
 * all the same, and what is kept of the event stays to be recorded by whoever opens the token next. store may be NULL.
 */
enum err enrol_change(struct enrol *n, struct store *store, enum err result);
/* The same for several that succeeded: one barrier. */
enum err enrol_changes(struct enrol *list, size_t n, struct store *store);
/* What is kept was recorded. */
void enrol_done(struct enrol *list, size_t n, struct store *store);
void enrol_free(struct enrol *n);

/* ---- what a session knows of the roll; its lock is held ---- */

struct enrolled {
	struct roll_ref last; /* of the record last made */
	bool made;            /* there is one, and none failed since */
	size_t n;
	uint8_t behalf[ENROL_BEHALF_MAX]; /* for whom the host says it acts */
};

/* Sets, or with no bytes clears, the host's claim for what s does from now on. E_DATA_LEN, E_MEMORY. */
enum err enrol_behalf(struct session *s, struct span text);
/* Where the record that s last made is. E_NO_OPERATION: it made none, or the last one failed. */
enum err enrol_reference(const struct session *s, struct roll_ref *ref);
/* s is closed: another may be opened in its place. */
void enrol_forget(struct session *s);

#endif
