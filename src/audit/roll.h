/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The roll: every use of a key and every change of a token is recorded durably before the caller sees its result
 * (docs/AUDIT.md). One of these for each initialised library; a forked child opens its own.
 *
 * Threads: everything may be called by any number of threads at once. Lock: RANK_ROLL, taken here alone and never
 * held when these functions return.
 */
#ifndef CHANCERY_AUDIT_ROLL_H
#define CHANCERY_AUDIT_ROLL_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "base/why.h"
#include <chancery/pkcs11.h>

/* One row of events.def per event: what docs/AUDIT.md lists. */
enum roll_event_kind {
#define EVENT(name, text) name,
#include "audit/events.def"
#undef EVENT
	ROLL_EVENT_COUNT
};

/* What is recorded. Texts are borrowed, and need not be valid UTF-8 or short. */
struct roll_event {
	enum roll_event_kind kind;
	struct span on_behalf; /* the host's claim; empty: none */
	const char *token;     /* label, 32 bytes space padded, or NULL */
	const char *serial;    /* 16 characters, or NULL */
	CK_OBJECT_CLASS cls;   /* of the key or object; CK_UNAVAILABLE_INFORMATION: there is none */
	struct span label, id, unique; /* its CKA_LABEL, CKA_ID, CKA_UNIQUE_ID; empty: not there */
	bool session;                  /* the key is no object of the token */
	CK_MECHANISM_TYPE mech;        /* CK_UNAVAILABLE_INFORMATION: none */
	bool measured;                 /* bytes means something, 0 included */
	uint64_t bytes;
	bool counted; /* count means something, 0 included */
	uint64_t count;
	struct span root; /* over so many results, 32 bytes; empty: there is none */
	uint64_t change;  /* number of the pending event in the token's store; 0: none */
	enum err result;
};

/* Where a record is. */
struct roll_ref {
	uint8_t id[16]; /* of the roll */
	uint64_t file, seq;
	uint8_t head[32]; /* h of the record */
};

/* How the roll is kept: from the configuration. */
struct roll_policy {
	const char *target;    /* directory, or what exists and is no regular file; NULL: no roll */
	bool group;            /* as dir_mode */
	bool mldsa;            /* checkpoints are signed with ML-DSA-65, too */
	uint64_t rotate_bytes; /* a file of this length is followed by another */
	uint32_t checkpoint_records; /* a checkpoint after so many */
	uint32_t checkpoint_seconds; /* or when this went by since the last */
};

/*
 * `audit init`, and a change of the auditor: makes a new S, sealed to auditor_pub (the text of docs/AUDIT.md, "Keys"), appends the
 * `init` line to the index and writes auditor.pub, in that order, under the lock of the state; makes the directory and the state if they
 * are not there. Files that are open go on with the keys they have. E_ARGUMENTS: no such text; E_NOT_SUPPORTED: the target is no directory.
 */
enum err roll_init(const struct roll_policy *p, struct span auditor_pub, struct why *why);

struct roll;

/*
 * Makes a roll: reads nothing and writes nothing yet, so that a process that only lists leaves no file behind. p is copied,
 * its target too. *out is the caller's. E_MEMORY.
 */
enum err roll_new(const struct roll_policy *p, struct roll **out);
/* Writes the last record, if there is a file, and lets go of it. No other call may be under way. NULL accepted. */
void roll_free(struct roll *r);

/* The name of the event in a record. */
const char *roll_event_name(enum roll_event_kind k);

/*
 * Makes the record durable. Called after the result exists and before any of it can be seen by the caller; an error
 * means: release nothing, wipe the output, return the error. No lock of a token or the library is held (a session's and
 * token.login are). ref may be NULL. r NULL (the roll is off) does nothing. E_DEVICE: the roll failed, now or
 * earlier, and stays failed until another is made.
 */
enum err roll_commit(struct roll *r, const struct roll_event *ev, struct roll_ref *ref);

/*
 * As roll_commit, for a record that nothing waits for (the end of a stream): queued in its place, durable
 * with the next that waits, or at the end.
 */
enum err roll_note(struct roll *r, const struct roll_event *ev, struct roll_ref *ref);

/* Whether a key may be used: E_DEVICE once the roll has failed. r NULL: OK. One load. */
enum err roll_ready(const struct roll *r);

/*
 * Whether records go to files of a directory, which keeps them, and not to a stream: what was begun, or before that what the
 * target is now (one system call).
 */
bool roll_keeps(const struct roll *r);

/*
 * For changes that are durable elsewhere before their record can be: what would be recorded, who and when included, and which
 * file's process owes it, appended to out, to be kept in the transaction of the change. It makes the file if there is none yet. r NULL:
 * nothing is appended.
 */
enum err roll_pend(struct roll *r, const struct roll_event *ev, struct buf *out);
/*
 * Records what another process left pending (`recovered`), under the number `change` of the token `serial`. *owed false: its process still
 * lives and will do it itself; nothing was recorded. E_DATA: no such body.
 */
enum err roll_recover(struct roll *r, struct span pended, const char *serial, uint64_t change,
		      bool *owed);

/* Makes a checkpoint now and waits until it is durable. */
enum err roll_checkpoint(struct roll *r);

struct roll_state {
	bool open;     /* a file was made */
	bool failed;   /* latched */
	bool durable;  /* false: the target cannot say that something is durable (/dev/null) */
	bool low;      /* the reserve of space could not be had: the disk is nearly full */
	uint64_t file; /* its number; 0: a stream */
	uint64_t records, barriers, bytes;
	char why[256]; /* what failed */
};
/* r NULL: all zero. */
void roll_state(struct roll *r, struct roll_state *s);

/*
 * For pthread_atfork, after the locks of the stores. The child gives up the descriptors of its parent's files, and with them the locks that say
 * that their process lives; the parent's roll itself it leaves where it is, and makes its own.
 */
void roll_fork_prepare(void);
void roll_fork_parent(void);
void roll_fork_child(void);

#endif
