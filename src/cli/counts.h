/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The counters of tokens, read from the files that the module keeps beside them (base/tally.h). No module is loaded and nothing is
 * mapped, so neither a token nor what somebody wrote into such a file can do anything to the reader.
 */
#ifndef CHANCERY_CLI_COUNTS_H
#define CHANCERY_CLI_COUNTS_H

#include "base/err.h"
#include "base/span.h"
#include "base/tally.h"
#include "base/why.h"
#include <chancery/pkcs11.h>
#include <limits.h>

struct counts_row {
	unsigned use;                /* enum tally_use, or a number that is not known yet */
	CK_MECHANISM_TYPE mechanism; /* 32 bits of it; of random numbers 0xffffffff */
	/* none is beyond INT64_MAX */
	uint64_t done, rejected, failed, bytes, samples, sample_ns;
};

struct counts {
	char label[32], serial[16]; /* whatever bytes */
	uint64_t since, lost;
	struct counts_row
		row[TALLY_ROWS]; /* by mechanism and use, each once, none without a count */
	size_t n;
};

/*
 * Takes the bytes of a file. E_ABSENT: it is being made, nothing was counted. E_DATA with a why: they are no counters, or of another
 * version. E_MEMORY.
 */
enum err counts_parse(struct span bytes, const char *name, struct counts *c, struct why *why);

/* The counters of the token in a slot of the directory of tokens. As counts_parse, and E_ABSENT when there is no file; E_ACCESS. */
enum err counts_read(const char *tokens, CK_SLOT_ID slot, struct counts *c, struct why *why);

/* The slots of the directory, ascending; *ids by mem_alloc. A directory that is not there has none. */
enum err counts_slots(const char *tokens, CK_SLOT_ID **ids, size_t *n, struct why *why);

#endif
