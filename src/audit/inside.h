/* SPDX-License-Identifier: Apache-2.0 */
/* The roll of this process, for the files of this folder. */
#ifndef CHANCERY_AUDIT_INSIDE_H
#define CHANCERY_AUDIT_INSIDE_H

#include "audit/author.h"
#include "audit/waiters.h"
#include "base/lock.h"
#include <stdatomic.h>

enum roll_kind { ROLL_UNKNOWN, ROLL_FILES, ROLL_STREAM }; /* known once the first is open */

struct roll {
	struct roll_policy policy;
	char *target; /* of the policy */
	struct author_id who;
	atomic_bool failed;           /* set once, under mu */
	_Atomic(enum roll_kind) kind; /* the same */

	struct lock mu;          /* guards what follows; an author's sheet is the leader's */
	pthread_cond_t done;     /* the leader finished something: for who needs a file */
	struct waiters waiters;  /* for a barrier */
	pthread_cond_t gathered; /* as many wait as were expected */
	struct author *author;   /* NULL: no file yet */
	struct author *
		first; /* its file's lock says that this process lives, also when another file followed */
	bool led;     /* a thread is at work without the lock: opening, writing, turning over */
	bool turning; /* nothing is appended until the next file is there */
	uint64_t appended; /* records, over all files */
	uint64_t durable;  /* of those */
	uint64_t barriers, bytes;
	size_t waiting;      /* callers whose record is not yet taken by a leader */
	size_t expected;     /* as many as were about when the last barrier ended */
	uint64_t barrier_ns; /* smoothed */
	struct buf spare;    /* takes the place of lines that are being written */
	struct why why;
};

#endif
