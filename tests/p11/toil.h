/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work whose every result is accounted for, to be cut off at any moment: processes with threads that use and change the keys of a token, each
 * step on behalf of its own tag. When its result is in hand, the tag goes to a file as one line. Which step comes next is settled by
 * what came before alone, so that whoever reads the lines knows what the records must be (tally.h).
 *
 * A tag: "round/process/thread/step". A process is one life of the library, from C_Initialize to C_Finalize. Thread 0 logs in.
 */
#ifndef CHANCERY_TESTS_TOIL_H
#define CHANCERY_TESTS_TOIL_H

#include "p11.h"

#include <stdatomic.h>

enum {
	TOIL_THREADS = 6, /* of a process, thread 0 included */
	TOIL_LIVES = 256, /* of a round */
	TOIL_TAG = 64,
};

/* What the processes of a round share. */
struct toil_shared {
	_Atomic unsigned lives;    /* that began */
	_Atomic unsigned progress; /* steps that were delivered, and beginnings */
};

struct toil {
	unsigned round;
	int acks; /* open for appending */
	struct toil_shared *shared;
	unsigned threads; /* thread 0 not counted */
	unsigned steps;   /* of each in one life */
	unsigned forks;   /* children that the first life makes */
	bool fat;         /* records of two kilobytes */
	bool unfinished;  /* no C_Finalize */
};

/* Makes the token and its keys, in a library that is initialised. */
void toil_make(void);
/* The token's slot; false: none yet. */
bool toil_slot(CK_SLOT_ID *slot);

/* One life, which is to begin with no library initialised. What fails is a line that begins with '!', and ends the process. */
void toil_life(struct toil *w);

/* ---- what is to come of it ---- */

/* Where a thread is: course_begin, then course_next gives the kind of the next step, whose number is n. */
struct course {
	unsigned n, holds;
};

struct course course_begin(unsigned process, unsigned thread);
unsigned course_next(struct course *c, unsigned thread);

enum toil_effect {
	NO_EFFECT,
	MAKES_SECRET,
	SETS_ID,
	DROPS_SECRET,
	MAKES_PAIR,
	DROPS_PRIVATE,
	DROPS_PUBLIC
};

/* What a step of this kind leaves. */
struct toil_row {
	const char *event;
	unsigned records;
	bool session_key; /* recorded only with session_keys */
	enum toil_effect effect;
};

const struct toil_row *toil_row(unsigned kind);

#endif
