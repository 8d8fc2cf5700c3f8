/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The RFC 6962 Merkle tree of a list that only grows: kept as the roots of its perfect subtrees, which is all that the root and the next leaf
 * need. Plain memory, may be copied and stored; all zeros is the tree of no leaves.
 *
 * Both take time with the logarithm of the size, and allocate nothing. E_FAILED, E_SELFTEST: of SHA-256.
 */
#ifndef CHANCERY_AUDIT_TREE_H
#define CHANCERY_AUDIT_TREE_H

#include "base/err.h"
#include "base/span.h"

enum { TREE_HASH = 32, TREE_HEIGHT = 40 };

struct tree {
	uint64_t size;
	uint8_t peak[TREE_HEIGHT]
		    [TREE_HASH]; /* of the subtree of 2^i leaves, where size has the bit i */
};

/* leaf: its bytes, not their hash. E_DATA_LEN: the tree has 2^40 - 1 leaves. An error leaves it as it was. */
enum err tree_add(struct tree *t, struct span leaf);
/* Of no leaves: SHA-256 of nothing (RFC 6962, 2.1). On error root is as it was, or wiped. */
enum err tree_root(const struct tree *t, uint8_t root[TREE_HASH]);

#endif
