/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sealed state: which rows of PINs are the ones last set (vouch.h), and one sum over all sealed records, changed in constant time by each change, so that a row that was
 * deleted, doubled or set back to an earlier version is noticed even though every row by itself is genuine.
 *
 * The sum is that of the HMACs of what each row says (record_frame) and its tag, modulo 2^256: a multiset hash. So what hides a row
 * from searches is noticed as well as a row that is missing. Who could see sums could learn the
 * parts of single rows and look for other sets with the same sum, so the sum is encrypted as well.
 */
#ifndef CHANCERY_STORE_STATE_H
#define CHANCERY_STORE_STATE_H

#include "store/record.h"

enum {
	STATE_ROOT = 32,
	STATE_PIN = 32,
	STATE_PLAIN = STATE_ROOT + 16 + 2 * STATE_PIN + STATE_ROOT + 8,
	STATE_SEALED = STATE_PLAIN + SEALING_EXTRA
};

struct state {
	uint8_t root[STATE_ROOT];
	uint64_t count;   /* rows in the sum: those with a tag */
	uint64_t changes; /* the change counter when it was sealed */
	uint8_t pin
		[2]
		[STATE_PIN]; /* pinkey_digest of the row of each enum store_user; zeros: never set */
	uint8_t uses[STATE_ROOT]; /* the same sum over the rows of uses (useset.h) */
	uint64_t uses_count;      /* of those */
};

/* Puts a row that says this into a sum, or takes it out. */
enum err state_sum_add(uint8_t sum[STATE_ROOT], const struct seal *k, struct span frame,
		       struct span tag);
enum err state_sum_sub(uint8_t sum[STATE_ROOT], const struct seal *k, struct span frame,
		       struct span tag);

/* Puts a row into the sum, or takes it out. A row without a tag has no part in it. */
enum err state_add(struct state *st, const struct seal *k, const struct row *row);
enum err state_sub(struct state *st, const struct seal *k, const struct row *row);

/* Bound to the token, its label and its flags. label: 32 bytes. */
enum err state_seal(const struct state *st, const struct seal *k, const char *label, uint32_t flags,
		    uint8_t sealed[STATE_SEALED]);
enum err state_open(struct state *st, const struct seal *k, const char *label, uint32_t flags,
		    struct span sealed);

#endif
