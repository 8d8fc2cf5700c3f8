/* SPDX-License-Identifier: Apache-2.0 */
/* The row of the token itself, and the rows of its PINs. All in the caller's transaction. */
#ifndef CHANCERY_STORE_HEAD_H
#define CHANCERY_STORE_HEAD_H

#include "store/db.h"
#include "store/pinkey.h"
#include "store/state.h"

enum { HEAD_LABEL = 32 };

enum {
	HEAD_AUDIT_REQUIRED = 1 << 0,    /* the keys work only with the audit log */
	HEAD_FLAGS = HEAD_AUDIT_REQUIRED /* those that are known */
};

struct head {
	struct ident ident;
	char label[HEAD_LABEL];
	uint8_t salt[RECORD_SALT]; /* of the index of public records */
	uint64_t changes;          /* the change counter */
	/* the change counter at the last change that did not seal the state anew; 0: none */
	uint64_t unsealed;
	uint64_t next_id;             /* of a record: this one and those above are unused */
	uint64_t pruned;              /* removals up to this change are not remembered one by one */
	uint64_t next_event;          /* number of a pending record: none is used twice */
	uint32_t flags;               /* HEAD_*: in the clear, and bound into what is sealed */
	uint8_t sealed[STATE_SEALED]; /* struct state */
};

/*
 * Begins a token, or begins it anew: fresh generation, data key and salt, the state of no objects, and the SO PIN's hold on
 * them in *so. Keeps the serial (made when it is empty), the flags and the counters of *h. least: as in pinkey_make. Runs the KDF: no lock is held.
 */
enum err head_begin(struct head *h, const char *label, const struct store_policy *p,
		    const struct pinkey *least, struct span so_pin, struct pinkey *so);

/* E_CORRUPT when it is not there or not as it must be. */
enum err head_get(struct db *d, struct head *h);
/* Of a new token, or in place of the one that is there. */
enum err head_make(struct db *d, const struct head *h);
enum err head_set(struct db *d, const struct head *h);
/* Whether both are of the same transaction: what it sealed is unlike what any other did. */
bool head_same(const struct head *a, const struct head *b);

/* *set false: this PIN was never set. E_CORRUPT: damaged. */
enum err head_pin_get(struct db *d, const struct ident *ident, enum store_user u, bool *set,
		      struct pinkey *pk, uint32_t *failures);
enum err head_pin_put(struct db *d, const struct ident *ident, enum store_user u,
		      const struct pinkey *pk, uint32_t failures);
enum err head_pin_count(struct db *d, enum store_user u, uint32_t failures);
enum err head_pin_drop(struct db *d, enum store_user u);

#endif
