/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/counts.h"

#include "base/file.h"
#include "base/mem.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one file ---- */

static enum err no_memory(struct why *why)
{
	return why_fail(why, E_MEMORY, "%s", err_text(E_MEMORY));
}

/* What JSON can hold; an honest counter never gets there. */
static uint64_t plus(uint64_t a, uint64_t b)
{
	const uint64_t max = INT64_MAX;

	return a > max || b > max - a ? max : a + b;
}

static void add_cell(struct counts_row *r, const struct tally_cell *c)
{
	const uint64_t recent = c->recent;

	r->done = plus(plus(r->done, c->done), recent >> TALLY_SHIFT);
	r->bytes = plus(plus(r->bytes, c->bytes), recent & (((uint64_t)1 << TALLY_SHIFT) - 1));
	r->rejected = plus(r->rejected, c->rejected);
	r->failed = plus(r->failed, c->failed);
	r->samples = plus(r->samples, c->samples);
	r->sample_ns = plus(r->sample_ns, c->sample_ns);
}

static bool same(const struct counts_row *a, const struct counts_row *b)
{
	return a->use == b->use && a->mechanism == b->mechanism;
}

/* The row of key in c, added if need be. A key that stands in the file twice, as we never write it, is one row. */
static struct counts_row *row_for(struct counts *c, uint64_t key)
{
	const struct counts_row r = { .use = (unsigned)(key & 0xff) - 1,
				      .mechanism = (CK_MECHANISM_TYPE)(key >> 8) };

	for (size_t i = 0; i < c->n; i++)
		if (same(&c->row[i], &r))
			return &c->row[i];
	c->row[c->n] = r;
	return &c->row[c->n++];
}

static bool key_fits(uint64_t key)
{
	return (key & 0xff) != 0 && key >> 40 == 0;
}

static bool counted(const struct counts_row *r)
{
	return (r->done | r->rejected | r->failed) != 0;
}

static int by_mechanism(const void *a, const void *b)
{
	const struct counts_row *x = a, *y = b;

	if (x->mechanism != y->mechanism)
		return x->mechanism < y->mechanism ? -1 : 1;
	return (x->use > y->use) - (x->use < y->use);
}

static void take_rows(const struct tally *t, struct counts *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < TALLY_ROWS; i++) {
		struct counts_row *r = key_fits(t->key[i]) ? row_for(c, t->key[i]) : NULL;

		for (size_t lane = 0; r != NULL && lane < TALLY_LANES; lane++)
			add_cell(r, &t->cell[lane][i]);
	}
	for (size_t i = 0; i < c->n; i++)
		if (counted(&c->row[i]))
			c->row[kept++] = c->row[i];
	c->n = kept;
	qsort(c->row, c->n, sizeof(c->row[0]), by_mechanism);
}

static void take_text(char *to, const _Atomic uint64_t *from, size_t words)
{
	for (size_t i = 0; i < words; i++) {
		const uint64_t v = from[i];

		memcpy(to + i * sizeof(v), &v, sizeof(v));
	}
}

static bool fresh(const struct tally *t)
{
	static const struct tally_head zero;

	return memcmp(&t->head, &zero, sizeof(zero)) == 0;
}

static enum err take(const struct tally *t, size_t n, const char *name, struct counts *c,
		     struct why *why)
{
	if (fresh(t))
		return E_ABSENT;
	if (memcmp(t->head.magic, TALLY_MAGIC, sizeof(t->head.magic)) != 0)
		return why_fail(why, E_DATA, "%s holds no counters: remove it", name);
	if (!tally_head_known(&t->head))
		return why_fail(
			why, E_DATA,
			"%s has counters of version %u, of which nothing is known here: use the "
			"chancery that belongs to the module, or remove the file while nobody uses "
			"the token",
			name, t->head.version);
	if (n < sizeof(*t))
		return why_fail(why, E_DATA, "%s was cut short: remove it", name);
	*c = (struct counts){ .since = plus(t->head.since, 0), .lost = plus(t->head.lost, 0) };
	take_text(c->label, t->head.label, 4);
	take_text(c->serial, t->head.serial, 2);
	take_rows(t, c);
	return OK;
}

enum err counts_parse(struct span bytes, const char *name, struct counts *c, struct why *why)
{
	struct tally *t = mem_alloc(sizeof(*t)); /* aligned, and zero where the file has no bytes */
	const size_t n = bytes.n < sizeof(*t) ? bytes.n : sizeof(*t);
	enum err e;

	if (t == NULL)
		return no_memory(why);
	if (n != 0)
		memcpy((void *)t, bytes.p, n);
	e = take(t, n, name, c, why);
	mem_free(t);
	return e;
}

enum err counts_read(const char *tokens, CK_SLOT_ID slot, struct counts *c, struct why *why)
{
	struct buf b = { 0 };
	char path[PATH_MAX];
	enum err e;

	if (snprintf(path, sizeof(path), "%s/%lu/" TALLY_FILE, tokens, slot) >= (int)sizeof(path))
		return why_fail(why, E_ARGUMENTS, "%s: the path is too long", tokens);
	e = file_read(path, 0, sizeof(struct tally), &b, why);
	if (e == E_DATA_LEN)
		return why_fail(why, E_DATA, "%s is longer than any file of counters: remove it",
				path);
	if (e == OK)
		e = counts_parse(buf_span(&b), path, c, why);
	buf_free(&b);
	return e;
}

/* ---- the directory ---- */

/* Decimal, without a zero in front, as the store names them. */
static bool is_slot(const char *name, CK_SLOT_ID *id)
{
	char again[24];

	if (name[0] < '0' || name[0] > '9')
		return false;
	*id = strtoul(name, NULL, 10);
	(void)snprintf(again, sizeof(again), "%lu", *id);
	return strcmp(name, again) == 0;
}

static int ascending(const void *a, const void *b)
{
	const CK_SLOT_ID x = *(const CK_SLOT_ID *)a, y = *(const CK_SLOT_ID *)b;

	return (x > y) - (x < y);
}

static enum err scan(DIR *d, CK_SLOT_ID **ids, size_t *n)
{
	struct dirent *entry;
	CK_SLOT_ID id;

	while ((entry = readdir(d)) != NULL) {
		CK_SLOT_ID *more;

		if (!is_slot(entry->d_name, &id))
			continue;
		more = mem_realloc(*ids, (*n + 1) * sizeof(**ids));
		if (more == NULL)
			return E_MEMORY;
		*ids = more;
		more[(*n)++] = id;
	}
	return OK;
}

enum err counts_slots(const char *tokens, CK_SLOT_ID **ids, size_t *n, struct why *why)
{
	DIR *d = opendir(tokens);

	*ids = NULL;
	*n = 0;
	if (d == NULL && errno == ENOENT)
		return OK;
	if (d == NULL)
		return why_errno(why, "cannot read the directory %s", tokens);
	if (scan(d, ids, n) != OK) {
		(void)closedir(d);
		mem_free(*ids);
		*ids = NULL;
		return no_memory(why);
	}
	(void)closedir(d);
	if (*n > 1)
		qsort(*ids, *n, sizeof(**ids), ascending);
	return OK;
}
