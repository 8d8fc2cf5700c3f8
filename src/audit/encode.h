/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records as text (docs/AUDIT.md, "A record"): pure functions from what happened to the members of a line. All output is ASCII
 * and no input, however long or malformed, can end a member, a line, or make it longer than RECORD_MAX.
 *
 * Each appends to b; on error (E_MEMORY, E_DATA_LEN beyond b->max, and those named) b is as it was. Names are ours, and plain.
 */
#ifndef CHANCERY_AUDIT_ENCODE_H
#define CHANCERY_AUDIT_ENCODE_H

#include "audit/author_id.h"
#include "audit/moment.h"
#include "audit/roll.h"

enum {
	RECORD_MAX = 65536,    /* bytes of a line, its line feed included */
	RECORD_TEXT_MAX = 256, /* bytes of a text or id before it is cut */
};

/* A member `"name":"…"` with a comma before it, as text or, if it is not valid UTF-8, in hexadecimal; cut if it is too long. */
enum err encode_text(struct buf *b, const char *name, struct span text);
/* The same for what is bytes: always hexadecimal, under its own name. */
enum err encode_bytes(struct buf *b, const char *name, struct span bytes);
/* A text of ours, of any length that fits: neither cut nor given in hexadecimal. E_DATA: it is not valid UTF-8. */
enum err encode_own(struct buf *b, const char *name, struct span text);
enum err encode_number(struct buf *b, const char *name, uint64_t v);
/* A member that is an object: what is encoded between the two, each with its comma, are its members. *at is for encode_close. */
enum err encode_open(struct buf *b, const char *name, size_t *at);
enum err encode_close(struct buf *b, size_t at);

/* `"ts":…,"boot":…,"mono":…,"uid":…,"pid":…,"exe":…[,"on_behalf":…]`, no comma before it. */
enum err encode_who(struct buf *b, const struct author_id *id, const struct moment *at,
		    struct span on_behalf);
/* `,"event":…` to `,"rv":…[,"change":…]`. E_ARGUMENTS: a change without the serial number of its token. */
enum err encode_what(struct buf *b, const struct roll_event *ev);

#endif
