/* SPDX-License-Identifier: Apache-2.0 */
/* A record in the making: its members in pieces, made on the stack of who wants it recorded, outside of every lock. */
#ifndef CHANCERY_AUDIT_DRAFT_H
#define CHANCERY_AUDIT_DRAFT_H

#include "audit/encode.h"

/* A text takes six bytes for each of its own at most, or its hexadecimal digits, and a digest. */
enum {
	DRAFT_TEXT = 6 * RECORD_TEXT_MAX + 128,
	DRAFT_WHO = 2 * DRAFT_TEXT + 512,
	DRAFT_WHAT = 5 * DRAFT_TEXT + 512
};

struct draft {
	const struct author_id *id;
	struct span on_behalf;
	struct moment at;
	struct buf who, what;
	uint8_t who_room[DRAFT_WHO], what_room[DRAFT_WHAT];
};

/* id and the texts of ev are borrowed for as long as d is used. Errors of encode_what. */
enum err draft_make(struct draft *d, const struct author_id *id, const struct roll_event *ev);
/* The same of members that exist already, on behalf of nobody. */
enum err draft_of(struct draft *d, const struct author_id *id, struct span what);
/*
 * Who and when anew: of two records that were drafted at once, the later one in a file is not the earlier one. Also where the host has
 * its own idea of the clock, mono is not below least.
 */
enum err draft_again(struct draft *d, uint64_t least);

#endif
