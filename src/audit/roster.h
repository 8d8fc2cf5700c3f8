/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file `index` of a roll's directory: a line for each thing that became of a file, only ever appended to (docs/AUDIT.md, "The index").
 * Lines are gathered, and written and synced together. The ledger, which is held all the time, has the tree over them.
 */
#ifndef CHANCERY_AUDIT_ROSTER_H
#define CHANCERY_AUDIT_ROSTER_H

#include "audit/ledger.h"
#include "base/buf.h"

struct roster {
	int fd;
	struct buf lines; /* to be written */
	bool unsynced;    /* something is in the file that nobody is known to have synced */
};

/* What is known of the end of a file. whole false: it has no whole record. */
struct roster_end {
	bool whole;
	uint64_t seq;
	uint8_t head[TREE_HASH];
};

/*
 * Opens the index, makes it when nothing was ever in it, and takes into l what was appended after l was last stored. A line that was cut short is cut
 * off. E_CORRUPT: shorter than l knows it, or not what l expects. r is ended by roster_close.
 */
enum err roster_open(struct roster *r, const struct site *s, struct ledger *l, struct why *why);
void roster_close(struct roster *r);

/* Lines, gathered and taken into l. */
enum err roster_put(struct roster *r, struct ledger *l, struct span line);
enum err roster_put_end(struct roster *r, struct ledger *l, const char *op, uint64_t file,
			const struct roster_end *end);
/* Writes and syncs what was gathered, if there is anything. After an error nothing more may be done with l and r. */
enum err roster_sync(struct roster *r, struct why *why);

/* What l owes next: the line of a file that is about to be (first: h(0), seed: as recipient.h gives it), or of a new S. */
enum err roster_owe_open(struct ledger *l, uint64_t file, const uint8_t first[TREE_HASH],
			 struct span seed);
enum err roster_owe_init(struct ledger *l, struct span sealed);
/* Gathers the line that is owed; the same for a file that never came to be (`void`). Then nothing is owed. */
enum err roster_pay(struct roster *r, struct ledger *l);
enum err roster_pay_void(struct roster *r, struct ledger *l);

#endif
