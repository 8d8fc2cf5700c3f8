/* SPDX-License-Identifier: Apache-2.0 */
/* The library's state, for lib.c, slot.c, session.c and the token's files only. */
#ifndef CHANCERY_CORE_LIB_INTERNAL_H
#define CHANCERY_CORE_LIB_INTERNAL_H

#include "base/conf.h"
#include "base/lock.h"
#include "base/why.h"
#include "core/index.h"
#include "core/lib.h"
#include "core/session.h"
#include "core/slot.h"
#include <limits.h>
#include <stdatomic.h>

/* Index bits of a session handle; the bits above are its generation. */
#define SESSION_INDEX_BITS 24
#define SESSION_CHUNK      1024
#define SESSION_CHUNKS     ((1 << SESSION_INDEX_BITS) / SESSION_CHUNK)

struct sessions {
	struct lock mu; /* RANK_HANDLES: all but the reading of chunk */
	_Atomic(struct session *) chunk[SESSION_CHUNKS]; /* made once, never freed */
	uint32_t used;                                   /* sessions that were ever made */
	struct session *free;
};

/*
 * One for each process (a forked child makes its own, and leaves its parent's where it is): made by the first
 * C_Initialize and kept, so that a call that comes too late always finds something to look at.
 */
struct lib {
	struct rwlock enter; /* RANK_ENTER: read by calls without a session, written by finalise */
	atomic_bool ready;
	struct conf *conf;   /* changes only while not ready */
	struct roll *roll;   /* as conf; NULL: off */
	struct uses *uses;   /* of the roll, and as that */
	char home[PATH_MAX]; /* the directory of tokens; "" when there can be none */
	struct why homeless; /* why there can be none */
	struct index_secret hash;
	_Atomic(CK_OBJECT_HANDLE) last_handle; /* of objects; counted upwards for good */
	struct sessions sessions;
	struct slots slots;
};

/* This process's library, or NULL before the first C_Initialize. It may not be ready. */
struct lib *lib_this(void);

/* session.c's part of the table's life. */
void sessions_init(struct sessions *t);
/* Closes every session; no call is opening any. */
void sessions_close(struct sessions *t);
/* Closes the sessions that ended when t was taken away. The library is entered. */
void session_reap(struct token *t);

#endif
