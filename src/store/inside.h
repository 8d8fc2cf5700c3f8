/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An open store, for the files of this folder only.
 *
 * Locks: `queue` guards what the callers of store_commit hand to each other and is never held together with `lock`,
 * which guards the connection and all that is read through it. Waiting for another process happens without either.
 */
#ifndef CHANCERY_STORE_INSIDE_H
#define CHANCERY_STORE_INSIDE_H

#include "base/lock.h"
#include "store/db.h"
#include "store/pulse.h"
#include "store/seal.h"
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

struct commit; /* commit.c */

struct numbers {
	uint64_t *v;
	size_t n, room;
};

struct store {
	/* fixed at store_open */
	char path[PATH_MAX];
	dev_t dev;
	ino_t ino;
	struct store_policy policy;
	bool read_only;
	struct store *next; /* of this process's open stores (gate.c) */
	int witness;        /* O_PATH of the file: closing it drops none of SQLite's locks */

	struct lock lock; /* RANK_STORE: the block below */
	struct db db;
	struct pulse pulse;
	struct ident ident; /* which token, and which generation of it, was opened */
	enum err gone;      /* latched: E_DEVICE_REMOVED or E_TOKEN_UNKNOWN */
	unsigned
		glances; /* of store_version, for every how-manyeth the path is walked without a pulse */
	uint64_t data_version; /* SQLite's, of this connection */
	bool looked;           /* data_version is known */
	bool peeked;           /* counter is the file's, as of data_version */
	uint8_t counter[4];
	bool enumerated;      /* the root was compared with all rows */
	uint32_t failures[2]; /* of a read-only store, for each enum store_user */

	/* written under lock, read by anybody */
	_Atomic uint64_t version;
	atomic_bool
		committing; /* a transaction of ours is open: version is exact, unless the pulse */
	_Atomic uint64_t began; /* is not this any more */
	_Atomic uint64_t beat;  /* of the pulse, as of version */
	_Atomic uint64_t
		looked_ns; /* when version was last compared with the file itself; 0: look */

	struct lock over; /* RANK_LEAF: events that are done, to be forgotten */
	struct numbers done;

	struct lock queue; /* RANK_QUEUE: the block below */
	pthread_cond_t served, gathered;
	struct commit *first, **last;
	size_t waiting;      /* length of the queue */
	size_t expected;     /* how many callers the next leader waits for; 0: none */
	uint64_t barrier_ns; /* smoothed duration of a transaction */
	bool led;            /* a leader is at work */
};

/*
 * ---- txn.c: transactions ----
 * They wait for other processes without s->lock. Errors: E_BUSY, E_DEVICE_REMOVED, E_TOKEN_UNKNOWN, E_WRITE_PROTECTED, E_DEVICE_MEMORY,
 * E_DEVICE, E_CORRUPT, E_MEMORY. No lock of RANK_STORE or above is held.
 */
/* On OK s->lock is held and a transaction is open, until txn_end or txn_commit; else neither. */
enum err txn_read(struct store *s);
enum err txn_write(struct store *s);
/* The same, and nobody is waited for, neither another process nor a thread of ours: E_BUSY. */
enum err txn_write_now(struct store *s);
/* Undoes what was not committed, and lets go. */
void txn_end(struct store *s);
/* Lets go in any case. After an error: nothing was committed, or it is not known to be durable. */
enum err txn_commit(struct store *s);
/* The same with s->lock held before and after. */
enum err txn_commit_locked(struct store *s);
/* One try: E_BUSY when another process has the lock. */
enum err txn_begin_locked(struct store *s, bool write);
/* Latches e if it says that our token is not there any more. */
void txn_latch_locked(struct store *s, enum err e);

/*
 * ---- sure.c ----
 * As txn_commit and txn_commit_locked, of a transaction that sealed the token's row anew; an error says that it was undone, or
 * that the file fails altogether.
 */
enum err sure_commit(struct store *s);
enum err sure_commit_locked(struct store *s);

/*
 * ---- gate.c: this process's open stores ----
 * The gate is held while SQLite opens or closes anything, or works without a store's lock: a fork waits for it, so
 * that a child never inherits SQLite in the middle of something. RANK_STORE; no store's lock is held.
 */
void gate_take(void);
void gate_drop(void);
void gate_add_locked(struct store *s);
void gate_remove_locked(struct store *s);

#endif
