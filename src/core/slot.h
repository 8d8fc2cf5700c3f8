/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slots: one for each token of the directory, under the number that the directory gives it for good, and one more,
 * last, for a token to come. The calls are in lib.h.
 */
#ifndef CHANCERY_CORE_SLOT_H
#define CHANCERY_CORE_SLOT_H

#include "base/lock.h"
#include "base/why.h"
#include "core/lib.h"

struct slot {
	CK_SLOT_ID id;
	struct token *token; /* made at first sight, kept until finalise */
	bool present;        /* was there when the directory was last read */
	bool event;          /* came or went since C_WaitForSlotEvent last said so */
};

struct slots {
	struct lock mu;    /* RANK_SLOTS: all below */
	struct slot *slot; /* in order of id */
	size_t n, room;
	bool scanned;           /* the directory was read */
	bool blank;             /* the empty slot is offered */
	CK_SLOT_ID next;        /* its id: that of the next token, whether offered or not */
	pthread_cond_t changed; /* an event, or the end */
	unsigned life;          /* +1 at each finalise, for those who wait */
};

void slots_init(struct slots *t);
/* Frees every token, and ends the waiting for events; no call is inside. */
void slots_clear(struct slots *t);

/* ---- vendor calls (slot_admin.c); the library is entered; why may be NULL ---- */

/* A new token, in a new slot, whether an empty one is offered or not. */
enum err slot_create_token(struct span so_pin, const CK_UTF8CHAR label[32], CK_SLOT_ID *id,
			   struct why *why);
/* E_SESSION_EXISTS while the token has sessions. */
enum err slot_delete_token(CK_SLOT_ID id, struct span so_pin, struct why *why);
enum err slot_restore_token(struct span passphrase, const char *path, CK_SLOT_ID *id,
			    struct why *why);

enum err slot_rename_token(CK_SLOT_ID id, struct span so_pin, const CK_UTF8CHAR label[32]);
/* Whether the token's keys are to work only with the audit log. */
enum err slot_require_audit(CK_SLOT_ID id, struct span so_pin, bool on);
enum err slot_backup_token(CK_SLOT_ID id, struct span passphrase, const char *path,
			   struct why *why);
/* pin.p NULL: without a key. bad is whether the line is a finding. */
typedef void slot_check_cb(void *arg, bool bad, const char *text);
enum err slot_check_token(CK_SLOT_ID id, CK_USER_TYPE who, struct span pin, slot_check_cb *cb,
			  void *arg);

/* All counts of uses of the token's keys (uses.h): for whose PIN it is. */
struct uses_row;
enum err slot_token_uses(CK_SLOT_ID id, CK_USER_TYPE who, struct span pin,
			 enum err (*cb)(void *arg, const struct uses_row *row), void *arg);

/* Reports what keeps tokens from being served or made (store_survey). */
void slot_survey(slot_check_cb *cb, void *arg);

/* ---- between slot.c and slot_admin.c ---- */

/* The token that lies in the slot, store not opened. E_SLOT, E_TOKEN_ABSENT, E_TOKEN_BLANK. */
enum err slot_find(CK_SLOT_ID id, struct token **t);
/* Whether it is offered as the empty one, as of the last look at the directory. */
bool slot_is_blank(CK_SLOT_ID id);
/* Reads the directory. *next (may be NULL): the id of the next token. */
enum err slot_scan(CK_SLOT_ID *next);

#endif
