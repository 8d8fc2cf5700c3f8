/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of operations (op*.c) share; nobody else includes this. The session's lock is
 * held throughout.
 */
#ifndef CHANCERY_CORE_OP_PRIVATE_H
#define CHANCERY_CORE_OP_PRIVATE_H

#include "audit/roll.h"
#include "base/buf.h"
#include "core/count.h"
#include "core/op.h"
#include "core/session.h"
#include "core/usage.h"
#include "crypto/mech.h"

enum op_phase {
	OP_IDLE,
	OP_READY, /* initialised, nothing consumed */
	OP_PARTS, /* a multi-part operation has begun */
	OP_DONE   /* finished, but the result did not fit: it waits in `out` */
};

/*
 * One kind of operation of one session. Made at its first use and reused: what libcrypto
 * allocated stays in run.
 */
struct op {
	enum op_kind kind;
	enum op_phase phase;
	unsigned epoch; /* the token's login epoch at Init */
	bool private;   /* an object that needs the login takes part: ends with it */
	bool waits;     /* for C_Login(CKU_CONTEXT_SPECIFIC) */
	bool watched;   /* its use is recorded (release.h) */
	bool used;      /* the key has worked on input, and nothing is on the roll about it yet */
	bool begun;     /* stream.begin is on the roll, stream.end is not */
	bool keyed;     /* C_DigestKey put a key into the digest */
	uint64_t bytes; /* of input so far */
	struct count count;
	struct used_key key; /* empty for digests */
	struct run run;
	struct buf in;  /* input of a mechanism that cannot stream, up to max_input_kb */
	struct buf out; /* a result before its release */
	struct buf sig; /* OP_VERIFY_SIGNATURE: the signature, given at Init */
};

/* One row for each kind: where the kinds differ. */
struct op_row {
	/* both ways to verify share one: a session has one verification at a time */
	enum op_kind slot;
	enum mech_use use;
	enum usage usage; /* not for digests */
	CK_FLAGS flag;    /* of the mechanism, and of C_SessionCancel */
	enum roll_event_kind event;
	bool exact;        /* run_bound is the very length, so a smaller buffer needs no attempt */
	bool streams;      /* Update gives output */
	enum err too_long; /* more input than may be kept, or than there can be */
	bool unlisted;     /* the list of the function for the whole lacks CKR_OPERATION_ACTIVE */
	enum err logged_out; /* the list of the standard's function has it */
};

extern const struct op_row op_rows[OP_COUNT];

/* 5.8.2 and its kin: the call for the whole after an Update. */
static inline enum err op_in_parts(enum op_kind k)
{
	return op_rows[k].unlisted ? E_NO_OPERATION : E_OPERATION_ACTIVE;
}

/* The mechanism if it is offered for this kind, or NULL. */
const struct mech *op_mech(enum op_kind k, CK_MECHANISM_TYPE type);
/* The active operation of this kind, or NULL. */
struct op *op_active(const struct session *s, enum op_kind k);
/* The operation object of the kind, made if there is none yet. */
enum err op_place(struct session *s, enum op_kind k, struct op **op);
/*
 * Idle again, and counted; what the caller has not seen is wiped. result: why, for the record of a
 * use that failed or of a stream. Returns what the caller is to be told: result, or why a failed use
 * has no record.
 */
enum err op_end(struct session *s, struct op *op, enum err result);
/*
 * Starts op, idle, with the mechanism and the key that op->key holds. Takes over *par, also on
 * error; NULL: the mechanism has no parameter.
 */
enum err op_start(struct op *op, enum op_kind k, const struct mech *m, struct param *par);

/* op_may_use for an operation that depends on a login, or is recorded. */
enum err op_check(const struct session *s, const struct op *op);
/*
 * Whether op may (still) use its key: the login it began under lasts, the context login was given,
 * and the use can be recorded.
 */
static inline enum err op_may_use(const struct session *s, const struct op *op)
{
	return op->waits || op->private || op->watched ? op_check(s, op) : OK;
}

/*
 * Puts the use that succeeded on the roll, if it is watched. On an error nothing may be released.
 */
enum err op_record(struct session *s, struct op *op, enum roll_event_kind event);

/* Whether Update and Final are allowed now. */
enum err op_multipart(const struct op *op);
/* The room that the output of an Update with n bytes needs. */
size_t op_part_bound(const struct op *op, size_t n);
/*
 * NULL with a length is refused, NULL without one is empty input. A length that nothing in memory
 * has is too_long: also when only the output's length is asked for.
 */
enum err op_check_input(struct span in, enum err too_long);
/* Takes a part of the input of an operation that gives no output before Final. */
enum err op_absorb(struct op *op, struct span in);

#endif
