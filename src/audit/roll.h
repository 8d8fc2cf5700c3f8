/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The seam of the roll: every release of a result passes roll_commit. Until the roll itself
 * exists it records nothing and always succeeds; the callers are already built so that an error
 * here returns an error and wiped output.
 */
#ifndef CHANCERY_AUDIT_ROLL_H
#define CHANCERY_AUDIT_ROLL_H

#include "base/err.h"
#include "base/span.h"
#include <chancery/pkcs11.h>

/* One row of events.def per event: what audit.md lists. */
enum roll_event_kind {
#define EVENT(name, text) name,
#include "audit/events.def"
#undef EVENT
	ROLL_EVENT_COUNT
};

struct roll_event {
	enum roll_event_kind kind;
	const char *token;      /* 32 bytes space padded label, or NULL */
	struct span label, id;  /* of the key */
	CK_MECHANISM_TYPE mech; /* CK_UNAVAILABLE_INFORMATION: none */
	uint64_t bytes;
	enum err result;
};

/* The name of the event in a record. */
const char *roll_event_name(enum roll_event_kind k);

/*
 * Makes the record durable. Called after the result exists and before any of it can be seen by
 * the caller; an error means: release nothing, wipe the output, return the error. No lock of a
 * token or the library is held.
 */
enum err roll_commit(const struct roll_event *ev);

#endif
