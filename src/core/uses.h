/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often this process used which key, so that the roll can be held against it (docs/AUDIT.md, "Counters"): counted here from what is released,
 * not from what the roll's writer says that it wrote. Counts are kept in files in the directory `uses` of the roll, one for each file of
 * records, and sealed into the token now and then; what a process leaves behind is sealed by the next that logs in.
 *
 * Locks: RANK_SEALING is held for as long as counts are on their way into a token, RANK_USES for each addition.
 */
#ifndef CHANCERY_CORE_USES_H
#define CHANCERY_CORE_USES_H

#include "base/lock.h"
#include "core/usetab.h"

struct uses;
struct roll;

/* r is borrowed for as long as *out lives; NULL: nothing is counted. */
enum err uses_new(struct roll *r, bool group, struct uses **out);
/* Nobody is counting. What is not sealed stays for others. NULL accepted, here and below. */
void uses_free(struct uses *u);

/*
 * Counts one use whose record is in that file; 0: not known, which counts in the newest. An error: it may not be released. Nothing is counted
 * where the roll is a stream.
 */
enum err uses_count(struct uses *u, const struct use_of *of, uint64_t file);

/*
 * Seals what is counted of the token into it. patient false: unless another thread is at it, or the token is in use just now (E_BUSY). What is not
 * sealed now is sealed another time. No lock of a store or of the roll is held.
 */
enum err uses_seal(struct uses *u, struct store *s, const struct seal *k, const uint8_t *serial,
		   bool patient);
/* The same for what processes left that are not there any more. */
void uses_adopt(struct uses *u, struct store *s, const struct seal *k, const uint8_t *serial);

/* The uses of one key, or of all that are none of the token's objects (zeros), of one file of a roll. */
struct uses_row {
	uint8_t roll[STORE_ROLL];
	uint64_t file;
	uint8_t key[STORE_USE_KEY];
	uint64_t count;  /* all that is known of */
	uint64_t sealed; /* that are in the token */
};
/* Shows cb all that the token and the files say, by roll, file and key. E_CORRUPT: what is in the token was altered. */
typedef enum err uses_cb(void *arg, const struct uses_row *row);
enum err uses_each(struct uses *u, struct store *s, const struct seal *k, const uint8_t *serial,
		   uses_cb *cb, void *arg);

#endif
