/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records as text (docs/AUDIT.md, "A record"): pure functions from what happened to the members of a line. All output is ASCII
 * and no input, however long or malformed, can end a member, a line, or make it longer than RECORD_MAX.
 */
#ifndef CHANCERY_AUDIT_ENCODE_H
#define CHANCERY_AUDIT_ENCODE_H

#include "audit/roll.h"

enum {
	RECORD_MAX = 65536,    /* bytes of a line, its line feed included */
	RECORD_TEXT_MAX = 256, /* bytes of a text or id before it is cut */
};

/* Who writes: the same for all records of a process. */
struct author_id {
	char boot[37];  /* of the kernel; "?" when it does not say */
	uint32_t uid, pid;
	char exe[4096]; /* "?" */
	size_t exe_n;
};
void author_id_now(struct author_id *id);

struct moment {
	int64_t wall_us; /* since 1970, UTC */
	uint64_t mono_ns;
};
void moment_now(struct moment *m);

/* A member `"name":"…"` with a comma before it, as text or, if it is not valid UTF-8, in hexadecimal; cut if it is too long. */
enum err encode_text(struct buf *b, const char *name, struct span text);
/* The same for what is bytes: always hexadecimal, under its own name. */
enum err encode_bytes(struct buf *b, const char *name, struct span bytes);
/* A text of ours, of any length that fits: neither cut nor given in hexadecimal. */
enum err encode_own(struct buf *b, const char *name, struct span text);
enum err encode_number(struct buf *b, const char *name, uint64_t v);

/* `"ts":…,"boot":…,"mono":…,"uid":…,"pid":…,"exe":…[,"on_behalf":…]`, no comma before it. */
enum err encode_who(struct buf *b, const struct author_id *id, const struct moment *at,
		    struct span on_behalf);
/* `,"event":…` to `,"rv":…[,"change":…]`. */
enum err encode_what(struct buf *b, const struct roll_event *ev);

#endif
