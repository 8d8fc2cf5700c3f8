/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was published of a roll, to be held against it later (docs/AUDIT.md, "Anchors"): a note over the index and the files that are not closed, or
 * a checkpoint of one file.
 */
#ifndef CHANCERY_AUDITOR_ANCHOR_H
#define CHANCERY_AUDITOR_ANCHOR_H

#include "auditor/keys.h"
#include "base/err.h"
#include "base/why.h"

struct anchor_file {
	uint64_t number, size;
	uint8_t root[SUM];
};

struct anchor {
	uint8_t id[LINE_ID];
	bool has_index; /* size and root are the index's */
	uint64_t size;
	uint8_t root[SUM];
	struct anchor_file *file;
	size_t n;
	struct signed_note note; /* points into the text */
};

/* E_DATA with a why: it is none. text must live as long; afterwards anchor_free. */
enum err anchor_read(struct span text, struct anchor *a, struct why *why);
void anchor_free(struct anchor *a);
const struct anchor_file *anchor_find(const struct anchor *a, uint64_t number);

/*
 * The text of an anchor of the roll in dir as it stands, without signatures: its index, and every file that is not closed. Only these are read, and
 * checked. E_CORRUPT with a why: something is wrong with them.
 */
enum err anchor_text(const char *dir, struct buf *out, struct why *why);

#endif
