/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file `state` of a roll's directory: what the next opening needs, so that its work does not grow with the number of files. Two slots, each
 * with its generation and a digest; a change is written to the older one and synced. Whoever reads or changes it, or the index, holds
 * the lock of the file (flock), behind the gate of hold.h.
 */
#ifndef CHANCERY_AUDIT_LEDGER_H
#define CHANCERY_AUDIT_LEDGER_H

#include "audit/site.h"
#include "audit/tree.h"
#include "base/err.h"
#include "base/why.h"

enum {
	LEDGER_ID = 16,
	LEDGER_SECRET = 32,
	LEDGER_PRINT = 16,       /* bytes of an auditor's fingerprint */
	LEDGER_OPEN_MAX = 4096,  /* files that are open at once */
	LEDGER_LINE_MAX = 4096,  /* bytes of a line of the index */
	LEDGER_PATIENCE = 30000, /* ms for which others may keep the state locked */
	LEDGER_HASTE = 250,      /* the same where something else can be done meanwhile */
};

/* The line that the index must have next: it was decided here first. */
struct owed {
	uint64_t file; /* 0: of no file (`init`) */
	size_t n;      /* 0: nothing is owed */
	char line[LEDGER_LINE_MAX];
};

/* In the secret arena. */
struct ledger {
	int fd;
	uint64_t generation; /* 0: never written */
	unsigned newer;      /* the slot that was read */

	uint8_t id[LEDGER_ID];
	uint64_t next;                 /* number of the next file */
	bool keyed;                    /* secret was made */
	uint8_t secret[LEDGER_SECRET]; /* S */
	bool audited;                  /* S was sealed, to print */
	uint8_t print[LEDGER_PRINT];
	struct tree tree; /* over the lines of the index */
	uint64_t index_n; /* their bytes */
	struct owed owed;
	size_t open_n; /* files that have no last line in the index, ascending */
	uint64_t open[LEDGER_OPEN_MAX];
};

/*
 * Enters the gate, locks the state and reads it; makes it when the directory is new. *out is ended by ledger_drop. E_BUSY: another process
 * kept it locked for so many ms. E_CORRUPT: damaged, or missing while there are files. E_TOKEN_UNKNOWN: of a newer version.
 */
enum err ledger_take(const struct site *s, long patience, struct ledger **out, struct why *why);
/* Makes what stands in l the state, durably. */
enum err ledger_store(struct ledger *l, struct why *why);
/* Unlocks, wipes, leaves the gate. NULL accepted. */
void ledger_drop(struct ledger *l);

/* A number enters or leaves the list of open files. E_DEVICE: there are too many. Leaving is nothing for one that is not there. */
enum err ledger_open(struct ledger *l, uint64_t file, struct why *why);
void ledger_close(struct ledger *l, uint64_t file);
bool ledger_has(const struct ledger *l, uint64_t file);

#endif
