/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of counters beside a token's database (docs/OPERATIONS.md, "Counters"): a head, the names of the rows, and the cells. Written
 * through a mapping by every process that uses the token (store/meter.h), read by whoever may read it (cli/counts.h). Numbers are in the
 * machine's own order of bytes: in the other order the version is an unknown one.
 *
 * Every writer can write anything into it, so nobody takes a place or a size from it.
 */
#ifndef CHANCERY_BASE_TALLY_H
#define CHANCERY_BASE_TALLY_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TALLY_FILE    "counters"
#define TALLY_MAGIC   "CHYTALLY"
#define TALLY_VERSION 1u

enum {
	TALLY_ROWS =
		512, /* a power of 2, and several times as many as there are uses of mechanisms */
	TALLY_LANES = 8, /* so many threads do not meet in a cell */
	TALLY_PAGE = 4096,
	TALLY_SAMPLE = 64 /* the time of one use in so many is taken */
};

/* What a mechanism is used for. The numbers are in the file: new ones go last. */
enum tally_use {
	TALLY_ENCRYPT,
	TALLY_DECRYPT,
	TALLY_DIGEST,
	TALLY_SIGN,
	TALLY_VERIFY,
	TALLY_SIGN_RECOVER,
	TALLY_VERIFY_RECOVER,
	TALLY_GENERATE,
	TALLY_DERIVE,
	TALLY_WRAP,
	TALLY_UNWRAP,
	TALLY_RANDOM, /* of no mechanism */
	TALLY_USES
};

/* "sign"; NULL: a number that this version does not know. */
const char *tally_use_name(unsigned use);

/*
 * One row in one lane. A use that succeeds is one addition, to recent: 1 above TALLY_SHIFT and its bytes below. Who
 * finds recent half full moves it into done and bytes.
 */
struct tally_cell {
	_Atomic uint64_t recent;
	_Atomic uint64_t done, bytes;
	_Atomic uint64_t rejected; /* the data, signature or wrapped key was not right */
	_Atomic uint64_t failed;   /* any other error */
	_Atomic uint64_t samples, sample_ns;
	_Atomic uint64_t unused;
};

#define TALLY_SHIFT 40

struct tally_head {
	char magic[8];
	uint32_t version, rows, lanes, cell;
	_Atomic uint64_t since;    /* seconds since 1970: when it began */
	_Atomic uint64_t lost;     /* uses that found no row */
	_Atomic uint64_t label[4]; /* of the token, when it was last opened or named */
	_Atomic uint64_t serial[2];
};

struct tally {
	union {
		struct tally_head head;
		uint8_t page[TALLY_PAGE];
	};
	_Atomic uint64_t key[TALLY_ROWS]; /* tally_key of the row; 0: free. Never changes again */
	struct tally_cell cell[TALLY_LANES][TALLY_ROWS];
};

/* They are used by several processes at once, so no lock of one may be behind them. */
static_assert(ATOMIC_LLONG_LOCK_FREE == 2 && sizeof(_Atomic uint64_t) == 8, "atomics of 64 bits");
static_assert(sizeof(struct tally_cell) == 64 && sizeof(struct tally_head) < TALLY_PAGE, "layout");
static_assert(sizeof(struct tally) == TALLY_PAGE + TALLY_ROWS * 8 + TALLY_LANES * TALLY_ROWS * 64,
	      "no holes");

/* Mechanism numbers have 32 bits. Never 0. */
static inline uint64_t tally_key(unsigned use, unsigned long mechanism)
{
	return (uint64_t)(uint32_t)mechanism << 8 | (use + 1);
}

/* The head of a new file; since and what follows is zero. */
struct tally_head tally_head_new(void);
/* Whether a file with this head is laid out as said here. */
bool tally_head_known(const struct tally_head *h);

#endif
