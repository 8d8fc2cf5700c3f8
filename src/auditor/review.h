/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole roll, checked: its files, each for itself and in parallel; the index; and what these say of each other, what the auditor's key
 * opens, what an anchor saw.
 */
#ifndef CHANCERY_AUDITOR_REVIEW_H
#define CHANCERY_AUDITOR_REVIEW_H

#include "auditor/anchor.h"
#include "auditor/chapter.h"
#include "auditor/contents.h"

struct review_ask {
	const char *dir;
	const struct keys_private *keys; /* NULL: no MAC is checked */
	const struct anchor *anchor;     /* or NULL */
	unsigned jobs;                   /* threads; 0: one for each processor */
	/* Called now and then by the thread that called review_run; or NULL. */
	void (*tick)(void *arg, uint64_t done, uint64_t total);
	void *arg;
};

struct review {
	uint8_t id[LINE_ID];
	bool has_id;        /* a file said it, and the index agreed, or the anchor did */
	struct chapter *at; /* the files that are there, by number */
	size_t n;
	uint64_t index_lines;
	uint8_t index_root[SUM];
	uint64_t records, bytes, checkpoints;
	uint64_t unsigned_records; /* after the last checkpoints */
	uint64_t authentic_files;  /* with records, and every MAC was right */
	uint64_t files;            /* with records */
	bool audited;              /* sealed to some auditor */
	bool anchored;             /* all that the anchor saw is there */
	struct findings bad;
};

/* Damage is in r->bad; an error with a why means that the check could not be made. Afterwards review_free. */
enum err review_run(const struct review_ask *ask, struct review *r, struct why *why);
/*
 * Whether every record of one file is authentic, before somebody puts his name to it. E_CORRUPT with a why: it is not, or the keys do not open
 * its seal.
 */
enum err review_vouch(const char *dir, uint64_t number, const struct keys_private *keys,
		      struct why *why);
/* The same as review_run for one file that stands alone: what was written to a stream. */
enum err review_alone(const char *path, struct review *r, struct why *why);
void review_free(struct review *r); /* zeroed accepted */

/* What was established. */
static inline bool review_consistent(const struct review *r)
{
	return r->bad.total == r->bad.of[DAMAGE_WRONG_KEY] + r->bad.of[DAMAGE_ROLLED_BACK];
}

static inline bool review_sound(const struct review *r)
{
	return r->bad.total == 0;
}

static inline bool review_authentic(const struct review *r)
{
	return review_sound(r) && r->files != 0 && r->authentic_files == r->files;
}

#endif
