/* SPDX-License-Identifier: Apache-2.0 */
/* The file `index` of a roll (docs/AUDIT.md, "The index"). */
#ifndef CHANCERY_AUDITOR_CONTENTS_H
#define CHANCERY_AUDITOR_CONTENTS_H

#include "auditor/finding.h"
#include "auditor/keys.h"
#include "auditor/line.h"
#include "base/err.h"

enum entry_kind {
	ENTRY_OPEN, /* it has no last record yet */
	ENTRY_CLOSED,
	ENTRY_LEFT, /* its process ended without closing it */
	ENTRY_VOID, /* there is no file of this number */
};

/* What became of the file of a number. */
struct entry {
	enum entry_kind kind;
	struct hash first, head;
	struct number seq;                  /* of the last record */
	char auditor[LINE_FINGERPRINT + 1]; /* whom its seed is sealed to; "": nobody */
	bool keyed;
	uint8_t k0[SUM]; /* its first key, if keyed */
};

struct contents {
	struct entry *at; /* of number i + 1 */
	size_t n, cap;
	uint64_t lines; /* whole ones */
	uint8_t root[SUM];
	bool audited; /* some secret was sealed */
};

/* Damage goes to `all`. E_ABSENT, E_MEMORY and others with a why. Afterwards contents_free. */
enum err contents_read(const char *path, struct contents *c, struct findings *all, struct why *why);
void contents_free(struct contents *c); /* wipes the keys; zeroed accepted */

/* Opens the seals with the auditor's keys and derives the first key of every file that was sealed to them. */
enum err contents_open(const char *path, const uint8_t id[LINE_ID], const struct keys_private *keys,
		       struct contents *c, struct findings *all, struct why *why);

/* Somebody says what the root over the first `size` lines is: a file's first record, or an anchor. */
struct claim {
	uint64_t size, file; /* 0: the anchor */
	uint8_t root[SUM];
};

/* Sorts the claims and tells of the first that does not hold; *anchored: that of file 0 does. */
enum err contents_claims(const char *path, struct claim *claims, size_t n, struct findings *all,
			 bool *anchored, struct why *why);

#endif
