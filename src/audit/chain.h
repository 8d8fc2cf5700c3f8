/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The chain of a file (docs/AUDIT.md, "Chain"): hashes that hang together, MACs under a key that only ever moves on, and the tree over the
 * hashes. Its owner's lock guards it. In the secret arena, so a forked child finds it zeroed.
 */
#ifndef CHANCERY_AUDIT_CHAIN_H
#define CHANCERY_AUDIT_CHAIN_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

enum { CHAIN_HASH = 32, CHAIN_ID = 16 };

struct chain;

/* key: k(0), copied; the caller wipes its own. *out is the caller's. E_MEMORY; E_FAILED, E_SELFTEST: of libcrypto, here and below. */
enum err chain_new(const uint8_t id[CHAIN_ID], uint64_t file, const uint8_t key[CHAIN_HASH],
		   struct chain **out);
void chain_free(struct chain *c); /* wipes; NULL accepted */

/* The number that the next record gets, and h of the one before. */
uint64_t chain_seq(const struct chain *c);
const uint8_t *chain_head(const struct chain *c);
/*
 * Appends one record to out as a whole line: `{"seq":…,` members `,"prev":"…","mac":"…"}` and the line feed, and moves on. members:
 * what encode_who and encode_what gave, in pieces. Allocates only where out must grow. On error out and the chain are as they were.
 * E_MEMORY; E_DATA_LEN: the line would be longer than RECORD_MAX, out longer than its max, or the chain has 2^40 - 1 records.
 */
enum err chain_append(struct chain *c, const struct span *members, size_t n, struct buf *out);
/* The RFC 6962 root over h of all records so far. */
enum err chain_root(const struct chain *c, uint8_t root[CHAIN_HASH]);

#endif
