/* SPDX-License-Identifier: Apache-2.0 */
/* All counts of a token, for whoever holds the roll against them. */
#include "base/mem.h"
#include "core/uses_inside.h"
#include <stdlib.h>

#define USES_MOST ((uint64_t)INT64_MAX) /* what every reader of a count can hold */

/* A count, as the token or a file has it. Both have the whole, so the greater one is right. */
struct found {
	struct uses_row row;
	uint64_t part;
};

struct reading {
	const uint8_t *serial;
	struct found *at;
	size_t n, room;
};

static enum err put(struct reading *r, const struct store_uses *u, bool sealed)
{
	for (size_t i = 0; i < u->n; i++) {
		struct found *f;

		if (r->n == r->room) {
			const size_t room = r->room == 0 ? 64 : 2 * r->room;

			f = mem_realloc(r->at, room * sizeof(*f));
			if (f == NULL)
				return E_MEMORY;
			r->at = f;
			r->room = room;
		}
		f = &r->at[r->n++];
		*f = (struct found){ .part = u->part };
		f->row.file = u->file;
		f->row.count = u->use[i].count;
		f->row.sealed = sealed ? u->use[i].count : 0;
		memcpy(f->row.roll, u->roll, sizeof(f->row.roll));
		memcpy(f->row.key, u->use[i].key, sizeof(f->row.key));
	}
	return OK;
}

static enum err put_sealed(void *arg, const struct store_uses *u)
{
	return put(arg, u, true);
}

static enum err put_file(void *arg, struct uses_file *f)
{
	struct reading *r = arg;
	struct store_uses *u = mem_alloc(sizeof(*u));
	enum err e = u != NULL ? OK : E_MEMORY;

	for (size_t i = 0; e == OK && i < f->pages; i++) {
		usepage_copy(f->page + i * USETAB_CELLS, r->serial, u);
		u->file = f->file;
		u->part = f->part;
		memcpy(u->roll, f->roll, sizeof(u->roll));
		e = put(r, u, false);
	}
	mem_free(u);
	return e;
}

static int compare_rows(const struct uses_row *a, const struct uses_row *b)
{
	int order = memcmp(a->roll, b->roll, sizeof(a->roll));

	if (order == 0)
		order = (a->file > b->file) - (a->file < b->file);
	return order != 0 ? order : memcmp(a->key, b->key, sizeof(a->key));
}

static int compare(const void *x, const void *y)
{
	const struct found *a = x, *b = y;
	const int order = compare_rows(&a->row, &b->row);

	return order != 0 ? order : (a->part > b->part) - (a->part < b->part);
}

static uint64_t greater(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* As much as fits: a part that somebody made up can only add to the others, and never take from them. a is no more than that. */
static uint64_t plus(uint64_t a, uint64_t b)
{
	return b < USES_MOST - a ? a + b : USES_MOST;
}

/* The sum over the parts of the key at *i, which then is the next key's. */
static struct uses_row sum_up(const struct reading *r, size_t *i)
{
	struct uses_row sum = r->at[*i].row;

	sum.count = sum.sealed = 0;
	while (*i < r->n && compare_rows(&r->at[*i].row, &sum) == 0) {
		const uint64_t part = r->at[*i].part;
		uint64_t count = 0, sealed = 0;

		for (;
		     *i < r->n && r->at[*i].part == part && compare_rows(&r->at[*i].row, &sum) == 0;
		     ++*i) {
			count = greater(count, r->at[*i].row.count);
			sealed = greater(sealed, r->at[*i].row.sealed);
		}
		sum.count = plus(sum.count, count);
		sum.sealed = plus(sum.sealed, sealed);
	}
	return sum;
}

static enum err show(const struct reading *r, uses_cb *cb, void *arg)
{
	enum err e = OK;

	for (size_t i = 0; e == OK && i < r->n;) {
		const struct uses_row sum = sum_up(r, &i);

		e = cb(arg, &sum);
	}
	return e;
}

/* The files first: what is sealed meanwhile, and taken out of them, is then in the token. */
enum err uses_each(struct uses *u, struct store *s, const struct seal *k, const uint8_t *serial,
		   uses_cb *cb, void *arg)
{
	struct reading r = { .serial = serial };
	char folder[PATH_MAX];
	enum err e = OK;

	if (u != NULL && uses_folder(u, folder))
		e = uses_files(folder, put_file, &r);
	if (e == OK)
		e = store_uses_each(s, k, put_sealed, &r);
	if (e == OK && r.n > 1)
		qsort(r.at, r.n, sizeof(*r.at), compare);
	if (e == OK)
		e = show(&r, cb, arg);
	mem_free(r.at);
	return e;
}
