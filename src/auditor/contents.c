/* SPDX-License-Identifier: Apache-2.0 */
#include "auditor/contents.h"

#include "auditor/lines.h"
#include "auditor/merkle.h"
#include "base/le.h"
#include "base/mem.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- lines ---- */

struct entry_line {
	struct span op, auditor, sealed, seed;
	struct number file, seq;
	struct hash first, head;
};

#define ROW(field, kind, nullable)                                          \
	{                                                                   \
#field, sizeof(#field) - 1, MEMBER_##kind, false, nullable, \
			offsetof(struct entry_line, field), NULL            \
	}
#define END                                                 \
	{                                                   \
		NULL, 0, MEMBER_FLAG, false, false, 0, NULL \
	}

static const struct member init_rows[] = { ROW(op, STRING, false), ROW(auditor, STRING, true),
					   ROW(sealed, STRING, true), END };
static const struct member open_rows[] = { ROW(op, STRING, false), ROW(file, NUMBER, false),
					   ROW(first, HASH, false), ROW(seed, STRING, true), END };
static const struct member close_rows[] = { ROW(op, STRING, false), ROW(file, NUMBER, false),
					    ROW(seq, NUMBER, false), ROW(head, HASH, false), END };
static const struct member left_rows[] = { ROW(op, STRING, false), ROW(file, NUMBER, false),
					   ROW(seq, NUMBER, true), ROW(head, HASH, true), END };
static const struct member void_rows[] = { ROW(op, STRING, false), ROW(file, NUMBER, false),
					   ROW(seed, STRING, true), END };

/* Where in the reading we are. */
struct reading {
	struct contents *c;
	char auditor[LINE_FINGERPRINT + 1]; /* of the last `init` */
	bool keyed_by_init;
};

static bool take_init(struct reading *r, const struct entry_line *l)
{
	if ((l->auditor.p == NULL) != (l->sealed.p == NULL) ||
	    (l->auditor.p != NULL && l->auditor.n != LINE_FINGERPRINT))
		return false;
	r->keyed_by_init = true;
	memset(r->auditor, 0, sizeof(r->auditor));
	if (l->auditor.p != NULL)
		memcpy(r->auditor, l->auditor.p, LINE_FINGERPRINT);
	r->c->audited = r->c->audited || l->auditor.p != NULL;
	return true;
}

static struct entry *entry_new(struct contents *c)
{
	if (c->n == c->cap) {
		size_t cap = c->cap == 0 ? 64 : 2 * c->cap;
		struct entry *at = mem_realloc(c->at, cap * sizeof(*at));
		if (at == NULL)
			return NULL;
		c->at = at;
		c->cap = cap;
	}
	memset(&c->at[c->n], 0, sizeof(*c->at));
	return &c->at[c->n++];
}

/* Numbers are given out without holes. */
static bool take_new(struct reading *r, const struct entry_line *l, enum entry_kind kind)
{
	if (!r->keyed_by_init || l->file.v != r->c->n + 1 ||
	    (l->seed.p == NULL) != (r->auditor[0] == '\0'))
		return false;
	struct entry *e = entry_new(r->c);
	if (e == NULL)
		return false;
	e->kind = kind;
	e->first = l->first;
	memcpy(e->auditor, r->auditor, sizeof(e->auditor));
	return true;
}

static bool take_open(struct reading *r, const struct entry_line *l)
{
	return take_new(r, l, ENTRY_OPEN);
}

static bool take_void(struct reading *r, const struct entry_line *l)
{
	return take_new(r, l, ENTRY_VOID);
}

/* NULL: the index has no such file. */
static struct entry *entry_at(const struct contents *c, const struct entry_line *l)
{
	return l->file.v == 0 || l->file.v > c->n ? NULL : &c->at[l->file.v - 1];
}

static bool take_end(struct reading *r, const struct entry_line *l, enum entry_kind kind)
{
	struct entry *e = entry_at(r->c, l);

	if (e == NULL || e->kind != ENTRY_OPEN || l->seq.there != l->head.there)
		return false;
	e->kind = kind;
	e->seq = l->seq;
	e->head = l->head;
	return true;
}

static bool take_close(struct reading *r, const struct entry_line *l)
{
	return take_end(r, l, ENTRY_CLOSED);
}

/* Once more by an author whose file was touched while it lived, and which somebody else took for left: it had no fewer records than were found. */
static bool take_left(struct reading *r, const struct entry_line *l)
{
	struct entry *e = entry_at(r->c, l);

	if (e == NULL || e->kind != ENTRY_LEFT)
		return take_end(r, l, ENTRY_LEFT);
	if (!l->seq.there || !l->head.there || (e->seq.there && e->seq.v > l->seq.v))
		return false;
	e->seq = l->seq;
	e->head = l->head;
	return true;
}

static const struct op {
	const char *front;
	const struct member *rows;
	bool (*take)(struct reading *r, const struct entry_line *l);
} ops[] = {
	{ "{\"op\":\"init\",", init_rows, take_init },
	{ "{\"op\":\"open\",", open_rows, take_open },
	{ "{\"op\":\"close\",", close_rows, take_close },
	{ "{\"op\":\"left\",", left_rows, take_left },
	{ "{\"op\":\"void\",", void_rows, take_void },
};

/* The row of ops that a line is of, or NULL: it is none. */
static const struct op *entry_read(struct span text, struct entry_line *l)
{
	const char *bad;

	memset(l, 0, sizeof(*l));
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		size_t n = strlen(ops[i].front);

		if (text.n < n || memcmp(text.p, ops[i].front, n) != 0)
			continue;
		return member_read(&text, ops[i].rows, l, &bad) && text.n == 0 ? &ops[i] : NULL;
	}
	return NULL;
}

/* ---- reading ---- */

static void bad_line(struct findings *all, uint64_t line, bool form)
{
	struct finding f;

	finding_set(&f, DAMAGE_INDEX, 0, line,
		    form ? "this is no line of an index"
			 : "this line does not fit to those before it: one was removed, added, "
			   "changed or moved");
	findings_add(all, &f);
}

/* The first bad line is told; a torn last one is of a process that ended, or still writes. */
static void read_all(struct lines *l, struct reading *r, struct findings *all)
{
	struct merkle tree = { 0 };
	struct entry_line line;
	struct span text;
	enum lines_end end;
	bool told = false;

	while ((end = lines_next(l, &text)) == LINES_MORE) {
		const struct op *op = entry_read(text, &line);

		merkle_add(&tree, text);
		if (op != NULL && op->take(r, &line))
			continue;
		if (!told)
			bad_line(all, l->number, op == NULL);
		told = true;
	}
	if (end == LINES_TOO_LONG || end == LINES_FAILED)
		bad_line(all, l->number, true);
	r->c->lines = tree.size;
	merkle_root(&tree, r->c->root);
}

enum err contents_read(const char *path, struct contents *c, struct findings *all, struct why *why)
{
	struct reading r = { .c = c };
	struct lines l;
	enum err e = lines_open(path, &l, why);

	memset(c, 0, sizeof(*c));
	if (e != OK)
		return e;
	read_all(&l, &r, all);
	lines_close(&l);
	return OK;
}

void contents_free(struct contents *c)
{
	mem_free(c->at);
	memset(c, 0, sizeof(*c));
}

/* ---- keys ---- */

struct opening {
	const uint8_t *id;
	const struct keys_private *keys;
	struct contents *c;
	struct findings *all;
	bool have;   /* S, of the auditor `which` */
	bool sealed; /* some `init` was */
	size_t which;
	uint8_t s[SUM];
};

static void tell_init(struct opening *o, enum damage kind, uint64_t line, const char *text,
		      struct span auditor)
{
	struct finding f;

	finding_set(&f, kind, 0, line, "%s%.*s", text, (int)auditor.n, (const char *)auditor.p);
	findings_add(o->all, &f);
}

/* A roll may begin without an auditor; to lose one is nothing that goes unsaid. */
static void open_init(struct opening *o, const struct entry_line *l, uint64_t line)
{
	uint8_t aad[4 + LINE_ID] = { 'i', 'n', 'i', 't' };
	const struct span none = span("", 0);

	o->have = false;
	if (l->sealed.p == NULL && o->sealed)
		tell_init(o, DAMAGE_WRONG_KEY, line,
			  "from here on it is sealed to nobody: auditor.pub was gone", none);
	if (l->sealed.p == NULL)
		return;
	o->sealed = true;
	memcpy(aad + 4, o->id, LINE_ID);
	if (!keys_private_find(o->keys, l->auditor, &o->which)) {
		tell_init(o, DAMAGE_WRONG_KEY, line, "this is sealed to the auditor ", l->auditor);
		return;
	}
	o->have = keys_open(o->keys, o->which, l->sealed, span(aad, sizeof(aad)), o->s);
	if (!o->have)
		tell_init(o, DAMAGE_INDEX, line, "the sealed secret in this line was changed",
			  none);
}

/* k(0) of this file, and S of the next. */
static void open_seed(struct opening *o, const struct entry_line *l, uint64_t line)
{
	uint8_t aad[4 + LINE_ID + 8] = { 's', 'e', 'e', 'd' }, r[SUM];
	struct entry *e = entry_at(o->c, l);
	struct finding f;

	if (!o->have || e == NULL)
		return;
	memcpy(aad + 4, o->id, LINE_ID);
	le_put64(aad + 4 + LINE_ID, l->file.v);
	o->have = l->seed.p != NULL &&
		  keys_open(o->keys, o->which, l->seed, span(aad, sizeof(aad)), r);
	if (!o->have) {
		finding_set(&f, DAMAGE_INDEX, 0, line, "the sealed seed in this line was changed");
		findings_add(o->all, &f);
		return;
	}
	sum_hkdf(span(o->s, SUM), span(r, SUM), "chancery roll key 1", e->k0);
	sum_hkdf(span(o->s, SUM), span(r, SUM), "chancery roll next 1", o->s);
	e->keyed = true;
	mem_wipe(r, sizeof(r));
}

enum err contents_open(const char *path, const uint8_t id[LINE_ID], const struct keys_private *keys,
		       struct contents *c, struct findings *all, struct why *why)
{
	struct opening o = { .id = id, .keys = keys, .c = c, .all = all };
	struct entry_line line;
	struct span text;
	struct lines l;
	enum err e = lines_open(path, &l, why);

	if (e != OK)
		return e;
	while (lines_next(&l, &text) == LINES_MORE) {
		const struct op *op = entry_read(text, &line);

		if (op == NULL)
			continue;
		if (op->take == take_init)
			open_init(&o, &line, l.number);
		else if (op->take == take_open || op->take == take_void)
			open_seed(&o, &line, l.number);
	}
	lines_close(&l);
	mem_wipe(o.s, sizeof(o.s));
	return OK;
}

/* ---- claims ---- */

static int by_size(const void *a, const void *b)
{
	const struct claim *x = a, *y = b;

	return x->size == y->size ? 0 : x->size < y->size ? -1 : 1;
}

/* good: how many lines are known to be right. */
static void bad_claim(const struct claim *c, uint64_t lines, uint64_t good, struct findings *all)
{
	enum damage kind = c->file == 0 ? DAMAGE_ROLLED_BACK : DAMAGE_INDEX;
	char who[40] = "the anchor";
	struct finding f;

	if (c->file != 0)
		snprintf(who, sizeof(who), "roll.%06" PRIu64, c->file);
	if (lines < c->size)
		finding_set(&f, kind, 0, lines + 1,
			    "the index has %" PRIu64 " lines; %s saw %" PRIu64, lines, who,
			    c->size);
	else
		finding_set(&f, kind, 0, good + 1,
			    "lines %" PRIu64 " to %" PRIu64 " are not those that %s saw", good + 1,
			    c->size, who);
	findings_add(all, &f);
}

/* Those of this size; how many there were is added to *at. False: one does not hold. */
static bool claims_hold(const struct claim *claims, size_t n, size_t *at, const struct merkle *t,
			bool *anchored)
{
	uint8_t root[SUM];

	if (*at < n && claims[*at].size == t->size)
		merkle_root(t, root);
	for (; *at < n && claims[*at].size == t->size; ++*at) {
		if (memcmp(claims[*at].root, root, SUM) != 0)
			return false;
		*anchored = *anchored || claims[*at].file == 0;
	}
	return true;
}

enum err contents_claims(const char *path, struct claim *claims, size_t n, struct findings *all,
			 bool *anchored, struct why *why)
{
	struct merkle tree = { 0 };
	struct lines l;
	struct span text;
	size_t at = 0;
	uint64_t good = 0;
	bool hold;
	enum err e = lines_open(path, &l, why);

	*anchored = false;
	if (e != OK)
		return e;
	if (n > 1)
		qsort(claims, n, sizeof(*claims), by_size);
	hold = claims_hold(claims, n, &at, &tree, anchored);
	while (hold && at < n && lines_next(&l, &text) == LINES_MORE) {
		merkle_add(&tree, text);
		size_t before = at;
		hold = claims_hold(claims, n, &at, &tree, anchored);
		good = hold && at > before ? tree.size : good;
	}
	if (at < n)
		bad_claim(&claims[at], tree.size, good, all);
	lines_close(&l);
	return OK;
}
