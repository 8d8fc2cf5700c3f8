/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One file of records and who writes it: what it is written to, its chain, the keys of its checkpoints, and the lines that are not written yet.
 * The order of records is that in which they are appended; the chain moves on then, not when they are durable. The
 * caller's lock guards everything but the sheet and safe, which one caller at a time has without it.
 */
#ifndef CHANCERY_AUDIT_AUTHOR_H
#define CHANCERY_AUDIT_AUTHOR_H

#include "audit/chain.h"
#include "audit/draft.h"
#include "audit/preface.h"
#include "audit/sheet.h"

struct author {
	struct site site; /* where the file is */
	struct sheet sheet;
	uint8_t id[LEDGER_ID]; /* of the roll */
	uint64_t file;
	const struct author_id *who; /* of the roll */
	struct chain *chain;
	struct note_keys *keys;
	struct buf lines;       /* appended and not written */
	struct buf note;        /* for the next checkpoint */
	uint64_t mono_ns;       /* of the newest record */
	uint64_t since;         /* records since the last checkpoint */
	uint64_t signed_ns;     /* when that was */
	bool told;              /* that space is low */
	bool ended;             /* the last record is durable: nothing may follow it */
	bool left;              /* the index has where it ended, though it was touched */
	uint64_t turn_at;       /* it is not followed by another before it has this size, */
	uint64_t pause;         /* and then by so much more */
	struct roster_end safe; /* the newest record that is known to be durable */
};

/* key: k(0). Nothing is written yet, and the sheet is not there. *out is the caller's. */
enum err author_new(const struct author_id *who, const uint8_t id[LEDGER_ID], uint64_t file,
		    const uint8_t key[CHAIN_HASH], bool mldsa, struct author **out);
void author_free(struct author *a); /* not the sheet; NULL accepted */
/* Wipes the keys and gives back what the file will not need any more; its sheet stays as it is. */
void author_strip(struct author *a);

/* The first record: `module.start`, or `roll.continue` when there is something before. */
enum err author_first(struct author *a, const struct ledger *l, const struct preface_after *after,
		      bool durable);
/* A record of d, with more members after it. On error nothing was appended. */
enum err author_append(struct author *a, struct draft *d, struct span more);
/* A record of ours with a signed tree head: a checkpoint, or the last record. */
enum err author_sign(struct author *a, enum roll_event_kind kind);
/* A record of ours. */
enum err author_tell(struct author *a, enum roll_event_kind kind);

/* Where the newest record is. */
void author_end(const struct author *a, struct roster_end *end);
/* Writes lines that were appended, as far as end, and makes them durable. Without the lock. Errors of sheet_write. */
enum err author_write(struct author *a, struct span lines, const struct roster_end *end,
		      struct why *why);
/* The last record, with what was not written yet; then the space that is left over is given back. While nobody else has a. Errors of both. */
enum err author_finish(struct author *a, enum roll_event_kind kind, struct why *why);

#endif
