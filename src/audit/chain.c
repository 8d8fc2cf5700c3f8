/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/chain.h"

#include "audit/digits.h"
#include "audit/encode.h"
#include "audit/tree.h"
#include "base/le.h"
#include "base/mem.h"
#include "crypto/sealing.h"

#define FIRST   "{\"seq\":"
#define PREV    ",\"prev\":\""
#define MAC     ",\"mac\":\""
#define END     "\"}\n"
#define TEXT(s) span((s), sizeof(s) - 1)

enum { HEX = 2 * CHAIN_HASH };

_Static_assert((int)CHAIN_HASH == (int)SEALING_MAC && (int)CHAIN_HASH == (int)SEALING_KEY &&
		       (int)CHAIN_HASH == (int)TREE_HASH,
	       "everything is SHA-256");

struct chain {
	uint8_t key[CHAIN_HASH];  /* k(seq) */
	uint8_t head[CHAIN_HASH]; /* h(seq - 1) */
	struct tree tree;         /* of h(0) … h(seq - 1): its size is seq */
};

static enum err first_head(const uint8_t *id, uint64_t file, uint8_t head[CHAIN_HASH])
{
	uint8_t number[8];
	const struct span parts[] = { TEXT("chancery roll 1\n"), span(id, CHAIN_ID),
				      span(number, sizeof(number)) };

	le_put64(number, file);
	return sealing_digest(parts, 3, head);
}

enum err chain_new(const uint8_t id[CHAIN_ID], uint64_t file, const uint8_t key[CHAIN_HASH],
		   struct chain **out)
{
	struct chain *c = mem_alloc_secret(sizeof(*c));
	enum err e;

	if (c == NULL)
		return E_MEMORY;
	e = first_head(id, file, c->head);
	if (e != OK) {
		chain_free(c);
		return e;
	}
	memcpy(c->key, key, sizeof(c->key));
	*out = c;
	return OK;
}

void chain_free(struct chain *c)
{
	mem_free(c);
}

uint64_t chain_seq(const struct chain *c)
{
	return c->tree.size;
}

const uint8_t *chain_head(const struct chain *c)
{
	return c->head;
}

enum err chain_root(const struct chain *c, uint8_t root[CHAIN_HASH])
{
	return tree_root(&c->tree, root);
}

/* A line in the making, in memory that has room for it. */
struct line {
	uint8_t *p;
	size_t n;
};

static void put(struct line *l, struct span s)
{
	if (s.n != 0)
		memcpy(l->p + l->n, s.p, s.n);
	l->n += s.n;
}

static void put_hash(struct line *l, const uint8_t hash[CHAIN_HASH])
{
	digits_hex(span(hash, CHAIN_HASH), (char *)l->p + l->n);
	l->n += HEX;
}

/* From `{` to the end of prev. */
static void put_body(const struct chain *c, const struct span *members, size_t n, struct line *l)
{
	char digits[DIGITS_MAX];

	put(l, TEXT(FIRST));
	put(l, span(digits, digits_decimal(chain_seq(c), digits)));
	put(l, TEXT(","));
	for (size_t i = 0; i < n; i++)
		put(l, members[i]);
	put(l, TEXT(PREV));
	put_hash(l, c->head);
	put(l, TEXT("\""));
}

/* No less than the line needs; E_DATA_LEN: more than a line may have. */
static enum err line_room(const struct span *members, size_t n, size_t *room)
{
	size_t r =
		sizeof(FIRST) + DIGITS_MAX + sizeof(PREV) + HEX + sizeof(MAC) + HEX + sizeof(END);

	for (size_t i = 0; i < n; i++) {
		if (members[i].n > RECORD_MAX - r)
			return E_DATA_LEN;
		r += members[i].n;
	}
	*room = r;
	return OK;
}

/* What a record makes of the chain. */
struct step {
	uint8_t head[CHAIN_HASH], mac[CHAIN_HASH], key[CHAIN_HASH];
};

static enum err step(const struct chain *c, struct span body, struct step *s)
{
	const struct span hashed[] = { span(c->head, CHAIN_HASH), body };
	const struct span maced[] = { span(s->head, CHAIN_HASH) };
	const struct span ratchet[] = { TEXT("rat"), span(c->key, CHAIN_HASH) };
	enum err e = sealing_digest(hashed, 2, s->head);

	if (e == OK)
		e = sealing_mac(c->key, maced, 1, s->mac);
	return e == OK ? sealing_digest(ratchet, 2, s->key) : e;
}

/* The old key is gone with it. */
static enum err move_on(struct chain *c, const struct step *s)
{
	enum err e = tree_add(&c->tree, span(s->head, CHAIN_HASH));

	if (e != OK)
		return e;
	memcpy(c->head, s->head, CHAIN_HASH);
	memcpy(c->key, s->key, CHAIN_HASH);
	return OK;
}

enum err chain_append(struct chain *c, const struct span *members, size_t n, struct buf *out)
{
	struct line l = { 0 };
	struct step s;
	size_t room = 0;
	enum err e = line_room(members, n, &room);

	if (e == OK)
		e = buf_reserve(out, room);
	if (e != OK)
		return e;
	l.p = out->p + out->n;
	put_body(c, members, n, &l);
	e = step(c, span(l.p, l.n), &s);
	if (e == OK)
		e = move_on(c, &s);
	if (e == OK) {
		put(&l, TEXT(MAC));
		put_hash(&l, s.mac);
		put(&l, TEXT(END));
		out->n += l.n;
	}
	mem_wipe(&s, sizeof(s));
	return e;
}
