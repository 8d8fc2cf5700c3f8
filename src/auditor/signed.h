/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signed notes and checkpoints in the C2SP forms (signed-note, tlog-checkpoint; docs/AUDIT.md, "checkpoint"), for keys of the two algorithms that
 * the roll has.
 */
#ifndef CHANCERY_AUDITOR_SIGNED_H
#define CHANCERY_AUDITOR_SIGNED_H

#include "auditor/line.h"
#include "base/buf.h"
#include "base/err.h"
#include <openssl/evp.h>

enum {
	SIGNED_MAX = 262144,   /* bytes of a note */
	SIGNED_LINES_MAX = 16, /* signatures of a note */
};

enum signer_kind { SIGNER_ED25519, SIGNER_MLDSA65, SIGNER_KINDS };

/* A public key as a note names it. */
struct signer {
	EVP_PKEY *key;
	uint8_t id[4];
	enum signer_kind kind;
};

/* raw: the public half. E_DATA: it is none. Afterwards signer_clear. */
enum err signer_set(enum signer_kind kind, struct span raw, const char *name, struct signer *s);
void signer_clear(struct signer *s); /* zeroed accepted */
/* The id that a note has for a key of this name. */
void signer_id(enum signer_kind kind, struct span raw, const char *name, uint8_t id[4]);

/* A note taken apart; it points into the text. */
struct signed_note {
	struct span text; /* with its last line feed, without the blank line */
	size_t n;
	struct {
		struct span name, b64; /* of id and signature */
	} line[SIGNED_LINES_MAX];
};

/* False: it is no note. One without signatures is one, if it ends with the blank line. */
bool signed_read(struct span note, struct signed_note *out);

enum signed_answer {
	SIGNED_GOOD,
	SIGNED_ABSENT, /* no line of this name and key */
	SIGNED_BAD,
};
enum signed_answer signed_check(const struct signed_note *note, const char *name,
				const struct signer *s);
/* Appends `— name base64` with its line feed: a signature of text by a private key. */
enum err signed_line(struct span text, const char *name, const uint8_t id[4], EVP_PKEY *key,
		     struct buf *out);

/* What a checkpoint says. */
struct checkpoint {
	struct span origin;
	uint64_t size;
	uint8_t root[SUM];
	struct span rest; /* further lines */
};
bool checkpoint_read(struct span text, struct checkpoint *c);

#endif
