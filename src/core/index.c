/* SPDX-License-Identifier: Apache-2.0 */
#include "core/index.h"

#include "base/le.h"
#include "base/mem.h"

#define FIRST_BUCKETS 64

/* Handles and ids are counted upwards: the multiplication spreads them over all bits. */
static size_t place(const struct index *x, uint64_t key)
{
	return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & x->mask;
}

enum err index_init(struct index *x)
{
	*x = (struct index){ 0 };
	x->bucket = mem_alloc(FIRST_BUCKETS * sizeof(struct link *));
	if (x->bucket == NULL)
		return E_MEMORY;
	x->mask = FIRST_BUCKETS - 1;
	return OK;
}

void index_free(struct index *x)
{
	mem_free(x->bucket);
	*x = (struct index){ 0 };
}

static void chain(struct index *x, struct link *l)
{
	struct link **at = &x->bucket[place(x, l->key)];

	l->next = *at;
	l->at = at;
	if (l->next != NULL)
		l->next->at = &l->next;
	*at = l;
}

static void grow(struct index *x)
{
	struct index old = *x;
	size_t n = (old.mask + 1) * 2;
	struct link **bucket = mem_alloc(n * sizeof(*bucket));

	if (bucket == NULL)
		return;
	x->bucket = bucket;
	x->mask = n - 1;
	for (size_t i = 0; i <= old.mask; i++) {
		while (old.bucket[i] != NULL) {
			struct link *l = old.bucket[i];

			old.bucket[i] = l->next;
			chain(x, l);
		}
	}
	mem_free(old.bucket);
}

void index_add(struct index *x, struct link *l, uint64_t key)
{
	if (x->n > x->mask)
		grow(x);
	l->key = key;
	chain(x, l);
	x->n++;
}

void index_remove(struct index *x, struct link *l)
{
	if (l->at == NULL)
		return;
	*l->at = l->next;
	if (l->next != NULL)
		l->next->at = l->at;
	l->next = NULL;
	l->at = NULL;
	x->n--;
}

static struct link *same_key(struct link *l, uint64_t key)
{
	while (l != NULL && l->key != key)
		l = l->next;
	return l;
}

struct link *index_first(const struct index *x, uint64_t key)
{
	return same_key(x->bucket[place(x, key)], key);
}

struct link *index_next(const struct link *l)
{
	return same_key(l->next, l->key);
}

static uint64_t rotate(uint64_t v, int n)
{
	return v << n | v >> (64 - n);
}

static void sip_rounds(uint64_t v[4], int n)
{
	while (n-- > 0) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] = rotate(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] = rotate(v[2], 32);
	}
}

static void sip_word(uint64_t v[4], uint64_t m)
{
	v[3] ^= m;
	sip_rounds(v, 2);
	v[0] ^= m;
}

/* Aumasson and Bernstein, "SipHash: a fast short-input PRF". */
uint64_t index_hash(const struct index_secret *secret, struct span bytes)
{
	uint64_t v[4] = { secret->k[0] ^ UINT64_C(0x736f6d6570736575),
			  secret->k[1] ^ UINT64_C(0x646f72616e646f6d),
			  secret->k[0] ^ UINT64_C(0x6c7967656e657261),
			  secret->k[1] ^ UINT64_C(0x7465646279746573) };
	uint64_t last = (uint64_t)bytes.n << 56;
	size_t whole = bytes.n & ~(size_t)7;

	for (size_t i = 0; i < whole; i += 8)
		sip_word(v, le_get64(bytes.p + i));
	for (size_t i = whole; i < bytes.n; i++)
		last |= (uint64_t)bytes.p[i] << (8 * (i - whole));
	sip_word(v, last);
	v[2] ^= 0xff;
	sip_rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
