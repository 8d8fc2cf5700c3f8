/* SPDX-License-Identifier: Apache-2.0 */
/* One record, read (docs/AUDIT.md, "A record"). Everything points into the line. */
#ifndef CHANCERY_AUDITOR_LINE_H
#define CHANCERY_AUDITOR_LINE_H

#include "auditor/member.h"

enum {
	LINE_MAX_BYTES = 65536, /* its line feed included */
	LINE_FORMAT = 1,
	LINE_ID = 16,
	LINE_ED25519 = 32,
	LINE_MLDSA65 = 1952,
	LINE_FINGERPRINT = 32, /* hexadecimal digits */
};

struct line_who {
	struct span raw; /* of `recovered`; p NULL: not there */
	struct span ts, boot;
	struct number mono, uid, pid;
	struct text exe, on_behalf;
};

struct line_key {
	struct span raw;
	struct span cls;
	struct text label, id, unique;
	bool session; /* no object of the token */
};

struct line_tree {
	struct span raw;
	struct number size;
	struct hash root;
};

struct line_after {
	struct span raw;
	struct number file, seq;
	struct hash head;
};

/* `roll` of a first record. */
struct line_roll {
	struct span raw;
	struct number format, file;
	struct span id;
	struct text build, host;
	bool durable;
	struct line_tree index;
	struct span open;
	struct line_after after;
	struct span ed25519, mldsa65, auditor;
	uint8_t id_bytes[LINE_ID];
};

struct line {
	struct span raw, body; /* without the line feed; what h is made of */
	struct number seq;
	struct line_who who;
	struct span event;
	struct text token, serial;
	struct line_key key;
	struct span mech;
	struct number bytes, count;
	struct hash root;
	struct span rv, change;
	struct line_who owed;
	struct line_roll roll;
	struct span note; /* escaped */
	struct hash prev, mac;
};

/* text: without its line feed. False: it is no record; *bad says at which member. */
bool line_read(struct span text, struct line *l, const char **bad);
/* Whether text is a first record of a format other than ours, and which. */
bool line_other_format(struct span text, uint64_t *format);
/* The number at the front, for a line that need not be well-formed otherwise. */
bool line_seq(struct span text, uint64_t *seq);

#endif
