/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/tree.h"

#include "crypto/sealing.h"

#define SIZE_LIMIT ((UINT64_C(1) << TREE_HEIGHT) - 1)

/* RFC 6962, 2.1: leaves and nodes are hashed apart, so that no node passes for a leaf. */
static enum err leaf_hash(struct span leaf, uint8_t out[TREE_HASH])
{
	static const uint8_t mark[] = { 0 };
	const struct span parts[] = { span(mark, sizeof(mark)), leaf };

	return sealing_digest(parts, 2, out);
}

static enum err node_hash(const uint8_t left[TREE_HASH], const uint8_t right[TREE_HASH],
			  uint8_t out[TREE_HASH])
{
	static const uint8_t mark[] = { 1 };
	const struct span parts[] = { span(mark, sizeof(mark)), span(left, TREE_HASH),
				      span(right, TREE_HASH) };

	return sealing_digest(parts, 3, out);
}

static bool has_peak(const struct tree *t, unsigned i)
{
	return (t->size >> i & 1) != 0;
}

/* As a binary counter is incremented: the leaf is joined with each peak that is as high as it has become. */
enum err tree_add(struct tree *t, struct span leaf)
{
	uint8_t hash[TREE_HASH];
	unsigned i = 0;
	enum err e;

	if (t->size >= SIZE_LIMIT)
		return E_DATA_LEN;
	e = leaf_hash(leaf, hash);
	for (; e == OK && has_peak(t, i); i++)
		e = node_hash(t->peak[i], hash, hash);
	if (e != OK)
		return e;
	memcpy(t->peak[i], hash, sizeof(hash));
	t->size++;
	return OK;
}

/* The lowest peak is the right end of the list, and each higher one stands to the left of all below. */
enum err tree_root(const struct tree *t, uint8_t root[TREE_HASH])
{
	uint8_t hash[TREE_HASH];
	unsigned i = 0;
	enum err e = OK;

	if (t->size == 0)
		return sealing_digest(NULL, 0, root);
	while (!has_peak(t, i))
		i++;
	memcpy(hash, t->peak[i], sizeof(hash));
	for (i++; e == OK && i < TREE_HEIGHT; i++)
		if (has_peak(t, i))
			e = node_hash(t->peak[i], hash, hash);
	if (e == OK)
		memcpy(root, hash, sizeof(hash));
	return e;
}
