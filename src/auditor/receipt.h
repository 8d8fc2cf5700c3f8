/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A receipt: one record, and what it takes to see, without the roll, that a checkpoint covers it (docs/AUDIT.md, "Receipts").
 */
#ifndef CHANCERY_AUDITOR_RECEIPT_H
#define CHANCERY_AUDITOR_RECEIPT_H

#include "auditor/keys.h"
#include "auditor/merkle.h"
#include "base/why.h"

struct receipt_proof {
	size_t n;
	uint8_t hash[MERKLE_HEIGHT][SUM];
};

struct receipt {
	struct buf first,
		record; /* lines, without their line feeds: the file's first, and the one in question */
	struct receipt_proof first_proof, record_proof;
	struct buf note; /* the checkpoint */
};

/* Of record seq of the file at path. E_ABSENT: there is none, or no checkpoint covers it yet. E_CORRUPT: the file is damaged. */
enum err receipt_make(const char *path, uint64_t seq, struct receipt *r, struct why *why);
void receipt_free(struct receipt *r); /* zeroed accepted */

struct receipt_answer {
	uint8_t id[LINE_ID];
	uint64_t file, seq, size;         /* records under the checkpoint */
	enum signed_answer countersigned; /* by the auditor; SIGNED_ABSENT without one */
};

/* auditor: NULL, or who should have counter-signed. E_DATA with a why: it does not hold. */
enum err receipt_check(const struct receipt *r, const struct keys_public *auditor,
		       struct receipt_answer *out, struct why *why);

#endif
