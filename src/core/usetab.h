/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often keys were used in one file of the roll, in a file that outlives the process (docs/AUDIT.md, "Counters"). Counting is an addition in
 * shared memory. The file system must not be able to refuse a page that it gave room for; on one that could (file_stays_in_place), each
 * count is written instead. The caller's lock guards all of it.
 */
#ifndef CHANCERY_CORE_USETAB_H
#define CHANCERY_CORE_USETAB_H

#include "base/err.h"
#include "store/store.h"
#include <limits.h>
#include <stdatomic.h>
#include <sys/types.h>

enum { USETAB_SERIAL = 16, USETAB_MAGIC = 8 };

/* Whose uses are counted together. */
struct use_of {
	uint8_t serial[USETAB_SERIAL]; /* of the token */
	uint8_t key[STORE_USE_KEY]; /* CKA_UNIQUE_ID; zeros: all that are no objects of the token */
	uint8_t zero[4];
};

/* A place in the file. The first of each page has the name of the file's counts instead. */
struct usecell {
	struct use_of of; /* zeros: it is free, or another process sealed it and took it out */
	_Atomic uint64_t count;
};

struct usecell_head {
	char magic[USETAB_MAGIC];
	uint8_t roll[STORE_ROLL];
	uint64_t file, part;
	uint8_t zero[24];
};

union useplace {
	struct usecell cell;
	struct usecell_head head;
};

enum { USETAB_CELLS = STORE_USE_PAGE + 1, USETAB_PAGE = USETAB_CELLS * 64 };

_Static_assert(sizeof(union useplace) == 64, "the file is laid out as said here");
_Static_assert(sizeof(struct use_of) % 8 == 0, "hashed by words");
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "no lock of one process may be behind a count");

/* A page in memory: the file's, or a copy that is written through. */
struct usepage {
	union useplace *at;
	uint64_t sealed[USETAB_CELLS]; /* of each count, what is in the token for sure */
	uint64_t taken[USETAB_CELLS];  /* what usetab_take last gave out */
	bool out; /* it did, and usetab_took did not say yet what became of it */
};

struct usetab {
	struct usetab *next;
	uint8_t roll[STORE_ROLL];
	uint64_t file, part;
	char path[PATH_MAX];
	bool mapped; /* the pages are; else they are copies, and each count is written */
	struct usepage **page;
	size_t pages, room;
	size_t used;     /* cells of the last page, its head included */
	uint32_t *index; /* by hash: the number of a cell, 0 for none */
	size_t slots, keys;
};

/* A new file in the directory, named by file and part (random). The name of a file that is made by nobody else. *out is the caller's. */
enum err usetab_make(const char *folder, mode_t mode, const uint8_t roll[STORE_ROLL], uint64_t file,
		     struct usetab **out);
/* done: all is sealed, so the file goes, too. */
void usetab_free(struct usetab *t, bool done);

/* Counts one use. An error: it is not counted, and what it was of may not leave. E_MEMORY, E_DEVICE_MEMORY, E_DEVICE. */
enum err usetab_count(struct usetab *t, const struct use_of *of);

/* Whether every count, or if serial is not NULL every one of that token, is sealed. */
bool usetab_sealed(const struct usetab *t, const uint8_t *serial);
/* Copies the i-th page, as far as it is of the token, and remembers what it gave. u->n 0: nothing of it is unsealed. */
void usetab_take(struct usetab *t, size_t i, const uint8_t *serial, struct store_uses *u);
/* What was taken of the token since this was last said is sealed now, or (sealed false) is not. */
void usetab_took(struct usetab *t, const uint8_t *serial, bool sealed);

/* ---- files that others left ---- */

/* What a page says of a token; place has USETAB_CELLS. */
void usepage_copy(const union useplace *place, const uint8_t *serial, struct store_uses *u);
/* The file and part in the name of a file of counts; false: it is none. */
bool usetab_named(const char *name, uint64_t *file, uint64_t *part);

#endif
