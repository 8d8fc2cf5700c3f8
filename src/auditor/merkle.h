/* SPDX-License-Identifier: Apache-2.0 */
/* The RFC 6962 tree: roots of a list as it grows, inclusion proofs in one pass over it, and their check. */
#ifndef CHANCERY_AUDITOR_MERKLE_H
#define CHANCERY_AUDITOR_MERKLE_H

#include "auditor/sum.h"

enum { MERKLE_HEIGHT = 64 };

/* `{ 0 }` is the tree of nothing. */
struct merkle {
	uint64_t size;
	uint8_t peak[MERKLE_HEIGHT][SUM];
};

void merkle_add(struct merkle *t, struct span leaf);
void merkle_root(const struct merkle *t, uint8_t root[SUM]);

/* The hash of a leaf as it stands in the tree. */
void merkle_leaf(struct span leaf, uint8_t out[SUM]);

/* A proof in the making, that leaf `index` is in the tree of the first `size` leaves: give it every leaf in order. */
struct merkle_prover {
	uint64_t index, size, at;
	size_t n; /* of the parts: the proof's length */
	struct {
		uint64_t from, to;
		struct merkle tree;
	} part[MERKLE_HEIGHT]; /* in the order of the proof, from the leaf up */
};

/* index < size. */
void merkle_prover_start(struct merkle_prover *p, uint64_t index, uint64_t size);
void merkle_prover_add(struct merkle_prover *p, struct span leaf);
/* The i-th hash of the proof, when all leaves were given. */
void merkle_prover_hash(const struct merkle_prover *p, size_t i, uint8_t out[SUM]);

/* The root that a proof leads to; false when it has not the length that index and size ask for. */
bool merkle_follow(struct span leaf, uint64_t index, uint64_t size, const uint8_t (*proof)[SUM],
		   size_t n, uint8_t root[SUM]);

#endif
