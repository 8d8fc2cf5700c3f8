/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The uses of a token's keys that a roll has records of, held against those that the token counted (docs/AUDIT.md, "Counters"). More counted than
 * recorded is damage: records are gone, or never were written. More recorded than counted is told.
 */
#ifndef CHANCERY_AUDITOR_RECOUNT_H
#define CHANCERY_AUDITOR_RECOUNT_H

#include "auditor/contents.h"

enum { RECOUNT_KEY = 36, RECOUNT_GAPS = 200 };

/* What the token counted, of one key (zeros: whatever is no object of it) in one file. */
struct recount_row {
	uint64_t file;
	uint8_t key[RECOUNT_KEY];
	uint64_t counted, sealed;
};

/* More is recorded than was counted. */
struct recount_gap {
	uint64_t file;
	uint8_t key[RECOUNT_KEY];
	uint64_t counted, recorded;
	enum entry_kind end; /* how the file ended, when the recount began */
};

struct recount {
	uint8_t id[LINE_ID];     /* of the roll */
	uint64_t files, records; /* that were read */
	uint64_t uses;           /* of the token's keys, among the records */
	uint64_t counted, sealed;
	struct findings bad;
	struct recount_gap *gap; /* the first RECOUNT_GAPS */
	size_t gaps;
	uint64_t gaps_total, gaps_closed; /* in files that were closed */
	struct contents before;           /* the index, read before the counts are */
};

/*
 * Reads the index and which roll it is. The counts are read after it and before recount_run, for each use is recorded before it is counted. E_ABSENT:
 * there is no file of records. Afterwards recount_free, also after an error.
 */
enum err recount_begin(const char *dir, struct recount *r, struct why *why);

struct recount_ask {
	const char *dir;
	struct span serial;            /* of the token */
	const struct recount_row *row; /* by file, each key once */
	size_t n;
	void (*tick)(void *arg, uint64_t done, uint64_t total); /* or NULL */
	void *arg;
};
/* Damage is in r->bad. Memory: as many keys as one file has uses of. */
enum err recount_run(const struct recount_ask *ask, struct recount *r, struct why *why);
void recount_free(struct recount *r);

#endif
