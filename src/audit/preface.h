/* SPDX-License-Identifier: Apache-2.0 */
/* The member `roll` of a file's first record (docs/AUDIT.md, "The first record"). */
#ifndef CHANCERY_AUDIT_PREFACE_H
#define CHANCERY_AUDIT_PREFACE_H

#include "audit/ledger.h"
#include "audit/note.h"
#include "audit/roster.h"

/* The end of the file that another one continues. */
struct preface_after {
	uint64_t file;
	struct roster_end end;
};

struct preface {
	const uint8_t *id;
	uint64_t file;
	bool durable;
	const struct ledger *ledger;       /* NULL: a stream has no index */
	const struct preface_after *after; /* NULL: nothing is continued */
	const struct note_keys *keys;
};

enum err preface_put(struct buf *b, const struct preface *p);

#endif
