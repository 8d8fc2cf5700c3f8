/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One file of records, checked from its first line to its last: form, numbers, hashes, checkpoints, and MACs if its key is
 * known. Memory is constant. Any number of threads may check different files.
 */
#ifndef CHANCERY_AUDITOR_CHAPTER_H
#define CHANCERY_AUDITOR_CHAPTER_H

#include "auditor/finding.h"
#include "auditor/line.h"
#include "base/err.h"
#include <stdatomic.h>

/* What others say of the file. */
struct chapter_ask {
	const char *path;
	uint64_t number;        /* 0: it stands alone, and may be any file */
	const uint8_t *id;      /* of the roll; NULL: not known */
	bool ended;             /* the index has its last record: */
	struct number last_seq; /*   not there: it has none */
	struct hash last_head, first;
	bool keyed; /* k0 is its first key */
	uint8_t k0[SUM];
	bool anchored; /* an anchor has its tree: */
	uint64_t anchor_size;
	uint8_t anchor_root[SUM];
	_Atomic uint64_t *bytes_done; /* for a display of progress; or NULL */
};

enum chapter_end {
	CHAPTER_CLOSED, /* with a last record */
	CHAPTER_OPEN,   /* its author still runs */
	CHAPTER_LEFT,   /* its author is gone, and wrote no last record */
	CHAPTER_TORN,   /* the same, in the middle of a line */
	CHAPTER_EMPTY,  /* nothing whole is in it */
};

struct chapter {
	uint64_t number;
	enum chapter_end end;
	uint64_t records, bytes, checkpoints;
	uint64_t signed_size; /* records under the last checkpoint */
	uint8_t id[LINE_ID];
	uint8_t first[SUM], head[SUM]; /* h of the first and last record */
	uint8_t root[SUM];             /* of the tree of all records */
	bool has_roll;                 /* the first record was read: id, and what follows */
	struct {                       /* of the index, as the first record has it */
		uint64_t size;
		uint8_t root[SUM];
	} index;
	struct {
		bool there;
		uint64_t file, seq;
		uint8_t head[SUM];
	} after;
	char auditor[LINE_FINGERPRINT + 1]; /* "": sealed to nobody */
	bool durable;
	bool authentic; /* every MAC was checked, and right */
	bool anchored;  /* it has what the anchor saw */
	bool damaged;
	struct finding bad; /* the first */
};

/* Damage is in *out; an error means that nothing can be said: E_MEMORY. */
enum err chapter_check(const struct chapter_ask *ask, struct chapter *out);

/* h(-1): what the first record of a file follows. */
void chapter_origin(const uint8_t id[LINE_ID], uint64_t number, uint8_t out[SUM]);
/* The origin line of its checkpoints, terminated. */
enum { CHAPTER_NAME = 80 };
void chapter_name(const uint8_t id[LINE_ID], uint64_t number, char out[CHAPTER_NAME]);

#endif
