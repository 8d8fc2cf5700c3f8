/* SPDX-License-Identifier: Apache-2.0 */
#include "auditor/review.h"

#include "auditor/place.h"
#include "base/mem.h"
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { JOBS_MAX = 64, TICK_NS = 100000000 };

/* The files to check, which the threads share. */
struct work {
	const struct review_ask *ask;
	struct review *r;
	const struct contents *contents;
	uint64_t number; /* when only one file is asked for */
	_Atomic size_t next;
	_Atomic uint64_t done;    /* bytes */
	_Atomic unsigned running; /* threads */
	_Atomic bool no_memory;
};

/* ---- the files, one by one ---- */

static void ask_entry(const struct contents *c, uint64_t number, struct chapter_ask *ask)
{
	const struct entry *e = number <= c->n ? &c->at[number - 1] : NULL;

	if (e == NULL || e->kind == ENTRY_VOID)
		return;
	ask->ended = e->kind != ENTRY_OPEN;
	ask->last_seq = e->seq;
	ask->last_head = e->head;
	/* a file whose first record did not become durable has none */
	if (e->kind != ENTRY_LEFT || e->seq.there)
		ask->first = e->first;
	ask->keyed = e->keyed;
	memcpy(ask->k0, e->k0, SUM);
}

static void ask_anchor(const struct anchor *a, uint64_t number, struct chapter_ask *ask)
{
	const struct anchor_file *f = a != NULL ? anchor_find(a, number) : NULL;

	if (f == NULL)
		return;
	ask->anchored = true;
	ask->anchor_size = f->size;
	memcpy(ask->anchor_root, f->root, SUM);
}

static void check_one(struct work *w, struct chapter *c)
{
	struct chapter_ask ask = { .number = c->number, .bytes_done = &w->done };
	char path[PATH_MAX];
	struct why why;

	if (w->r->has_id)
		ask.id = w->r->id;
	ask_entry(w->contents, c->number, &ask);
	ask_anchor(w->ask->anchor, c->number, &ask);
	ask.path = path;
	if (place_file(w->ask->dir, c->number, path, &why) != OK || chapter_check(&ask, c) != OK)
		atomic_store(&w->no_memory, true);
	mem_wipe(ask.k0, sizeof(ask.k0));
}

static void *check_some(void *arg)
{
	struct work *w = arg;
	size_t i;

	while ((i = atomic_fetch_add(&w->next, 1)) < w->r->n)
		check_one(w, &w->r->at[i]);
	atomic_fetch_sub(&w->running, 1);
	return NULL;
}

static uint64_t total_bytes(const struct review_ask *ask, const struct review *r)
{
	uint64_t sum = 0;
	char path[PATH_MAX];
	struct stat st;
	struct why why;

	for (size_t i = 0; i < r->n; i++)
		if (place_file(ask->dir, r->at[i].number, path, &why) == OK &&
		    stat(path, &st) == 0 && st.st_size > 0)
			sum += (uint64_t)st.st_size;
	return sum;
}

static unsigned job_count(const struct review_ask *ask, size_t files)
{
	long have = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned n = ask->jobs != 0 ? ask->jobs : have > 0 ? (unsigned)have : 1;

	n = n < JOBS_MAX ? n : JOBS_MAX;
	return n < files ? n : files != 0 ? (unsigned)files : 1;
}

/* This thread shows how far the others are. Where no thread can be had, it does the work. */
static enum err check_files(struct work *w, struct why *why)
{
	const struct timespec nap = { 0, TICK_NS };
	const uint64_t total = w->ask->tick != NULL ? total_bytes(w->ask, w->r) : 0;
	pthread_t thread[JOBS_MAX];
	unsigned n = job_count(w->ask, w->r->n), started = 0;

	atomic_store(&w->running, n);
	while (started < n && pthread_create(&thread[started], NULL, check_some, w) == 0)
		started++;
	atomic_fetch_sub(&w->running, n - started);
	if (started == 0) {
		atomic_store(&w->running, 1);
		check_some(w);
	}
	while (w->ask->tick != NULL && atomic_load(&w->running) != 0) {
		w->ask->tick(w->ask->arg, atomic_load(&w->done), total);
		(void)nanosleep(&nap, NULL);
	}
	for (unsigned i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
	if (w->ask->tick != NULL)
		w->ask->tick(w->ask->arg, total, total);
	return atomic_load(&w->no_memory) ? why_fail(why, E_MEMORY, "no memory to check the roll")
					  : OK;
}

/* ---- which files ---- */

/* Those in the directory, and those that came since it was read and are in the index already. */
static enum err list_files(const struct review_ask *ask, const struct contents *c,
			   const uint64_t *there, size_t n, struct review *r, struct why *why)
{
	char path[PATH_MAX];
	struct stat st;
	size_t room = n + c->n, at = 0;
	enum err e = OK;

	r->at = mem_alloc((room + 1) * sizeof(*r->at));
	if (r->at == NULL)
		return why_fail(why, E_MEMORY, "no memory for %zu files", room);
	for (uint64_t number = 1; e == OK && number <= c->n; number++) {
		bool listed = place_has(there, n, number);

		if (!listed && c->at[number - 1].kind != ENTRY_VOID) {
			e = place_file(ask->dir, number, path, why);
			listed = e == OK && lstat(path, &st) == 0;
		}
		if (listed)
			r->at[r->n++].number = number;
	}
	while (at < n && there[at] <= c->n)
		at++;
	for (; at < n; at++)
		r->at[r->n++].number = there[at];
	return e;
}

/* The id is what the first file says whose first record is the one that the index has. */
static enum err find_id(const struct review_ask *ask, const struct contents *c, struct review *r,
			struct why *why)
{
	uint8_t *room = mem_alloc(LINE_MAX_BYTES), h[SUM];
	struct line *l = mem_alloc(sizeof(*l));
	char path[PATH_MAX];
	enum err e = room == NULL || l == NULL ? why_fail(why, E_MEMORY, "no memory") : OK;

	if (ask->anchor != NULL) {
		memcpy(r->id, ask->anchor->id, LINE_ID);
		r->has_id = true;
	}
	for (size_t i = 0; e == OK && !r->has_id && i < r->n; i++) {
		uint64_t number = r->at[i].number;

		e = place_file(ask->dir, number, path, why);
		if (e != OK || number > c->n || !place_first(path, room, l, h) ||
		    memcmp(h, c->at[number - 1].first.b, SUM) != 0)
			continue;
		memcpy(r->id, l->roll.id_bytes, LINE_ID);
		r->has_id = true;
	}
	mem_free(l);
	mem_free(room);
	return e;
}

/* ---- what they say of each other ---- */

static void bad(struct review *r, enum damage kind, uint64_t file, const char *text)
{
	struct finding f;

	finding_set(&f, kind, file, 0, "%s", text);
	findings_add(&r->bad, &f);
}

static const struct chapter *chapter_of(const struct review *r, uint64_t number)
{
	size_t lo = 0, hi = r->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (r->at[mid].number < number)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < r->n && r->at[lo].number == number ? &r->at[lo] : NULL;
}

/* A file is missing when the index has it. */
static void missing_files(const struct contents *c, struct review *r)
{
	for (uint64_t number = 1; number <= c->n; number++) {
		const struct entry *e = &c->at[number - 1];
		const struct chapter *ch = chapter_of(r, number);

		if (ch == NULL && e->kind != ENTRY_VOID)
			bad(r, DAMAGE_MISSING, number, "the file is in the index, and not here");
		if (ch != NULL && e->kind == ENTRY_VOID)
			bad(r, DAMAGE_FOREIGN, number,
			    "the index says that there is no file of this number");
	}
}

/*
 * The index may lack one file: a process makes the file, then its line. The next one to come adds the line.
 */
static void unlisted_files(const struct contents *c, struct review *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->at[i].number > c->n + 1)
			bad(r, DAMAGE_FOREIGN, r->at[i].number,
			    "the index does not have this file, nor the one before it");
}

static void anchor_missing(const struct anchor *a, struct review *r)
{
	for (size_t i = 0; a != NULL && i < a->n; i++)
		if (chapter_of(r, a->file[i].number) == NULL)
			bad(r, DAMAGE_ROLLED_BACK, a->file[i].number,
			    "the anchor saw this file, and it is not here");
}

/* After a rotation the new file says how the old one ended. */
static void continuation(const struct chapter *c, struct review *r)
{
	const struct chapter *old = chapter_of(r, c->after.file);

	if (!c->after.there || old == NULL || old->damaged)
		return;
	if (old->records != c->after.seq + 1 || memcmp(old->head, c->after.head, SUM) != 0)
		bad(r, old->records <= c->after.seq ? DAMAGE_CUT : DAMAGE_FORKED, c->after.file,
		    "the file that continues this one says that it ended otherwise");
}

static void whose(const struct contents *c, const struct chapter *ch, struct review *r)
{
	if (ch->has_roll && ch->number <= c->n &&
	    strcmp(ch->auditor, c->at[ch->number - 1].auditor) != 0)
		bad(r, DAMAGE_INDEX, ch->number,
		    "the file and the index name different auditors for its key");
}

static void compare(const struct review_ask *ask, const struct contents *c, struct review *r)
{
	missing_files(c, r);
	unlisted_files(c, r);
	anchor_missing(ask->anchor, r);
	for (size_t i = 0; i < r->n; i++) {
		const struct chapter *ch = &r->at[i];

		if (ch->damaged) {
			findings_add(&r->bad, &ch->bad);
			continue;
		}
		continuation(ch, r);
		whose(c, ch, r);
	}
}

/* What first records and the anchor say of the index. Those of files that are not what they should be say nothing. */
static enum err claims(const struct review_ask *ask, const char *index, struct review *r,
		       struct why *why)
{
	struct claim *all = mem_alloc((r->n + 1) * sizeof(*all));
	size_t n = 0;
	bool anchored = false;
	enum err e;

	if (all == NULL)
		return why_fail(why, E_MEMORY, "no memory for %zu files", r->n);
	for (size_t i = 0; i < r->n; i++) {
		const struct chapter *c = &r->at[i];

		if (!c->has_roll || c->damaged)
			continue;
		all[n].size = c->index.size;
		all[n].file = c->number;
		memcpy(all[n++].root, c->index.root, SUM);
	}
	if (ask->anchor != NULL && ask->anchor->has_index) {
		all[n].size = ask->anchor->size;
		memcpy(all[n++].root, ask->anchor->root, SUM);
	}
	e = contents_claims(index, all, n, &r->bad, &anchored, why);
	r->anchored = ask->anchor != NULL && (anchored || !ask->anchor->has_index);
	mem_free(all);
	return e;
}

static void sum_up(const struct review_ask *ask, const struct contents *c, struct review *r)
{
	r->index_lines = c->lines;
	memcpy(r->index_root, c->root, SUM);
	r->audited = c->audited;
	for (size_t i = 0; i < r->n; i++) {
		const struct chapter *ch = &r->at[i];

		r->records += ch->records;
		r->bytes += ch->bytes;
		r->checkpoints += ch->checkpoints;
		if (ch->end != CHAPTER_CLOSED)
			r->unsigned_records += ch->records - ch->signed_size;
		r->files += ch->records != 0;
		r->authentic_files += ch->records != 0 && ch->authentic;
		if (ask->anchor != NULL && anchor_find(ask->anchor, ch->number) != NULL)
			r->anchored = r->anchored && ch->anchored;
	}
	r->anchored = r->anchored && review_sound(r);
}

/* Asked for authenticity of what nobody sealed, the answer must not look like a good one. */
static void unsealed(const struct review_ask *ask, const struct contents *c, struct review *r)
{
	if (ask->keys != NULL && !c->audited)
		bad(r, DAMAGE_WRONG_KEY, 0,
		    "the roll is not sealed to any auditor: its MACs cannot be checked");
}

enum err review_run(const struct review_ask *ask, struct review *r, struct why *why)
{
	struct contents c = { 0 };
	struct work w = { .ask = ask, .r = r, .contents = &c };
	uint64_t *there = NULL;
	char index[PATH_MAX];
	size_t n = 0;
	enum err e = place_list(ask->dir, &there, &n, why);

	memset(r, 0, sizeof(*r));
	if (e == OK)
		e = place_name(ask->dir, "index", index, why);
	if (e == OK)
		e = contents_read(index, &c, &r->bad, why);
	if (e == OK)
		e = list_files(ask, &c, there, n, r, why);
	if (e == OK)
		e = find_id(ask, &c, r, why);
	if (e == OK && ask->keys != NULL && r->has_id)
		e = contents_open(index, r->id, ask->keys, &c, &r->bad, why);
	if (e == OK)
		e = check_files(&w, why);
	if (e == OK) {
		compare(ask, &c, r);
		unsealed(ask, &c, r);
		e = claims(ask, index, r, why);
	}
	if (e == OK) {
		sum_up(ask, &c, r);
		findings_sort(&r->bad);
	}
	contents_free(&c);
	mem_free(there);
	return e;
}

/* The file's chapter, with its key if the seals open. */
static enum err check_alone(struct work *w, const char *index, struct contents *c, struct why *why)
{
	struct review *r = w->r;
	enum err e = contents_read(index, c, &r->bad, why);

	r->at = mem_alloc(sizeof(*r->at));
	if (e == OK && r->at == NULL)
		e = why_fail(why, E_MEMORY, "no memory to check a file");
	if (e != OK)
		return e;
	r->n = 1;
	r->at->number = w->number;
	e = find_id(w->ask, c, r, why);
	if (e == OK && r->has_id)
		e = contents_open(index, r->id, w->ask->keys, c, &r->bad, why);
	if (e == OK)
		check_one(w, r->at);
	return e;
}

enum err review_vouch(const char *dir, uint64_t number, const struct keys_private *keys,
		      struct why *why)
{
	struct review_ask ask = { .dir = dir, .keys = keys };
	struct review r = { .n = 0 };
	struct contents c = { 0 };
	struct work w = { .ask = &ask, .r = &r, .contents = &c, .number = number };
	char index[PATH_MAX];
	enum err e = place_name(dir, "index", index, why);

	if (e == OK)
		e = check_alone(&w, index, &c, why);
	if (e == OK && !r.at->authentic)
		e = why_fail(why, E_CORRUPT,
			     "file %" PRIu64
			     " is not authentic (%s): `audit verify` tells the whole",
			     number, r.at->damaged ? r.at->bad.text : "its MACs cannot be checked");
	contents_free(&c);
	review_free(&r);
	return e;
}

enum err review_alone(const char *path, struct review *r, struct why *why)
{
	struct review_ask ask = { .dir = NULL };
	struct contents c = { 0 };
	struct chapter_ask file = { .path = path };

	memset(r, 0, sizeof(*r));
	r->at = mem_alloc(sizeof(*r->at));
	if (r->at == NULL || chapter_check(&file, r->at) != OK)
		return why_fail(why, E_MEMORY, "no memory to check %s", path);
	r->n = 1;
	r->has_id = r->at->has_roll;
	memcpy(r->id, r->at->id, LINE_ID);
	if (r->at->damaged)
		findings_add(&r->bad, &r->at->bad);
	sum_up(&ask, &c, r);
	return OK;
}

void review_free(struct review *r)
{
	mem_free(r->at);
	findings_free(&r->bad);
	memset(r, 0, sizeof(*r));
}
