/* SPDX-License-Identifier: Apache-2.0 */
#include "auditor/merkle.h"

/* RFC 6962, 2.1: leaves and nodes are hashed with different first bytes, so that neither passes for the other. */
static void node(const uint8_t left[SUM], const uint8_t right[SUM], uint8_t out[SUM])
{
	uint8_t b[1 + 2 * SUM] = { 1 };

	memcpy(b + 1, left, SUM);
	memcpy(b + 1 + SUM, right, SUM);
	sum_of(span(b, sizeof(b)), span(NULL, 0), out);
}

void merkle_leaf(struct span leaf, uint8_t out[SUM])
{
	const uint8_t zero = 0;

	sum_of(span(&zero, 1), leaf, out);
}

void merkle_add(struct merkle *t, struct span leaf)
{
	uint8_t h[SUM];
	size_t i = 0;

	merkle_leaf(leaf, h);
	for (; (t->size >> i & 1) != 0; i++)
		node(t->peak[i], h, h);
	memcpy(t->peak[i], h, SUM);
	t->size++;
}

void merkle_root(const struct merkle *t, uint8_t root[SUM])
{
	bool some = false;

	if (t->size == 0)
		sum_of(span(NULL, 0), span(NULL, 0), root);
	for (size_t i = 0; i < MERKLE_HEIGHT; i++) {
		if ((t->size >> i & 1) == 0)
			continue;
		if (some)
			node(t->peak[i], root, root);
		else
			memcpy(root, t->peak[i], SUM);
		some = true;
	}
}

/* The largest power of two below n; n > 1. */
static uint64_t split(uint64_t n)
{
	return (uint64_t)1 << (63 - __builtin_clzll(n - 1));
}

void merkle_prover_start(struct merkle_prover *p, uint64_t index, uint64_t size)
{
	uint64_t lo = 0, hi = size;

	memset(p, 0, sizeof(*p));
	p->index = index;
	p->size = size;
	while (hi - lo > 1) {
		uint64_t mid = lo + split(hi - lo);
		bool left = index < mid;

		p->part[p->n].from = left ? mid : lo;
		p->part[p->n++].to = left ? hi : mid;
		*(left ? &hi : &lo) = mid;
	}
	for (size_t i = 0; i < p->n / 2; i++) {
		uint64_t from = p->part[i].from, to = p->part[i].to;

		p->part[i].from = p->part[p->n - 1 - i].from;
		p->part[i].to = p->part[p->n - 1 - i].to;
		p->part[p->n - 1 - i].from = from;
		p->part[p->n - 1 - i].to = to;
	}
}

void merkle_prover_add(struct merkle_prover *p, struct span leaf)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->at >= p->part[i].from && p->at < p->part[i].to)
			merkle_add(&p->part[i].tree, leaf);
	p->at++;
}

void merkle_prover_hash(const struct merkle_prover *p, size_t i, uint8_t out[SUM])
{
	merkle_root(&p->part[i].tree, out);
}

/* RFC 9162, 2.1.3.2. */
bool merkle_follow(struct span leaf, uint64_t index, uint64_t size, const uint8_t (*proof)[SUM],
		   size_t n, uint8_t root[SUM])
{
	uint64_t at = index, last = size - 1;

	if (index >= size)
		return false;
	merkle_leaf(leaf, root);
	for (size_t i = 0; i < n; i++) {
		if (last == 0)
			return false;
		if ((at & 1) != 0 || at == last) {
			node(proof[i], root, root);
			while ((at & 1) == 0 && at != 0) {
				at >>= 1;
				last >>= 1;
			}
		} else {
			node(root, proof[i], root);
		}
		at >>= 1;
		last >>= 1;
	}
	return last == 0;
}
