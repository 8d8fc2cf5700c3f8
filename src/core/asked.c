/* SPDX-License-Identifier: Apache-2.0 */
#include "core/token_internal.h"

#include "base/mem.h"

#define FIRST_SLOTS 64
/* So many different searches are remembered (2 MiB); beyond it all are forgotten, and asked again. */
#define MOST_SLOTS ((size_t)1 << 18)

/* The place of key, or the free one where it belongs. The table is never full. */
static size_t place(const struct asked *q, uint64_t key)
{
	size_t i = (size_t)key & (q->cap - 1);

	while (q->slot[i] != 0 && q->slot[i] != key)
		i = (i + 1) & (q->cap - 1);
	return i;
}

bool asked_has(const struct asked *q, uint64_t key)
{
	return q->cap != 0 && q->slot[place(q, key)] == key;
}

static bool grow(struct asked *q)
{
	struct asked next = { .cap = q->cap == 0 ? FIRST_SLOTS : q->cap * 2 };

	next.slot = mem_alloc(next.cap * sizeof(*next.slot));
	if (next.slot == NULL)
		return false;
	for (size_t i = 0; i < q->cap; i++)
		if (q->slot[i] != 0)
			next.slot[place(&next, q->slot[i])] = q->slot[i];
	next.n = q->n;
	mem_free(q->slot);
	*q = next;
	return true;
}

void asked_add(struct asked *q, uint64_t key)
{
	if (q->cap >= MOST_SLOTS && q->n >= q->cap / 2)
		asked_clear(q);
	if (q->n >= q->cap / 2 && !grow(q))
		return;
	if (!asked_has(q, key))
		q->n++;
	q->slot[place(q, key)] = key;
}

void asked_clear(struct asked *q)
{
	mem_free(q->slot);
	*q = (struct asked){ 0 };
}
