/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One try of a PIN. It is charged before it is made: the failure is counted, durably, then the KDF runs without any
 * lock, and only the right PIN takes it back. However many try at once, in however many processes, no more than pin_max tries are
 * made. What is changed afterwards is changed only if the PIN that was tried is still the one in the row.
 */
#ifndef CHANCERY_STORE_ATTEMPT_H
#define CHANCERY_STORE_ATTEMPT_H

#include "store/pinkey.h"

struct attempt {
	enum store_user user; /* given; what follows is of the row, when it was read */
	struct pinkey key;
	struct ident ident;
	uint32_t before; /* failures in a row before this try */
	int turn;        /* turn.h; -1 before the try */
};

static inline struct attempt attempt_of(enum store_user u)
{
	return (struct attempt){ .user = u, .turn = -1 };
}

/* On OK the charge still stands: attempt_discharge with what *k is, or attempt_still and a new count in a transaction of the caller's. */
enum err attempt_make(struct store *s, struct attempt *a, struct span pin, struct seal **k);
/* Also verifies: as attempt_still. After an error other than E_PIN_WRONG the try does not count. */
enum err attempt_discharge(struct store *s, const struct attempt *a, const struct seal *k);
/* After attempt_make, whatever it returned, and after what is done with a right PIN. */
void attempt_end(struct attempt *a);

/*
 * In a transaction, with the seal that the PIN opened. E_PIN_WRONG: the PIN was changed while the KDF ran. E_CORRUPT: its row is not the
 * one last set (vouch.h), or the token's own row was altered.
 */
enum err attempt_still(struct store *s, const struct attempt *a, const struct seal *k);
/* In a transaction: reads the row. E_PIN_UNSET. */
enum err attempt_row(struct store *s, struct attempt *a);

#endif
