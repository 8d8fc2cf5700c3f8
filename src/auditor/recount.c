/* SPDX-License-Identifier: Apache-2.0 */
#include "auditor/recount.h"

#include "auditor/lines.h"
#include "auditor/place.h"
#include "base/mem.h"
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

enum { TICK_LINES = 4096 };

/* ---- one file ---- */

struct seen {
	uint8_t key[RECOUNT_KEY];
	uint64_t recorded; /* 0: the slot is free */
};

struct file {
	const struct recount_ask *ask;
	struct recount *r;
	uint64_t number;
	bool told; /* that something is no record */
	struct seen *slot;
	size_t slots, keys;
	uint64_t done, total; /* bytes, of all files */
};

static void bad(const struct file *f, enum damage kind, uint64_t line, const char *text)
{
	struct finding one;

	finding_set(&one, kind, f->number, line, "%s", text);
	findings_add(&f->r->bad, &one);
}

static size_t hash_of(const uint8_t key[RECOUNT_KEY])
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < RECOUNT_KEY; i++)
		h = (h ^ key[i]) * UINT64_C(0x100000001b3);
	return (size_t)(h ^ h >> 32);
}

static struct seen *slot_of(const struct file *f, const uint8_t key[RECOUNT_KEY])
{
	size_t i = hash_of(key) & (f->slots - 1);

	while (f->slot[i].recorded != 0 && memcmp(f->slot[i].key, key, RECOUNT_KEY) != 0)
		i = (i + 1) & (f->slots - 1);
	return &f->slot[i];
}

/* At most half full. */
static enum err grow(struct file *f)
{
	struct seen *old = f->slot;
	const size_t n = f->slots;

	if (2 * (f->keys + 1) <= n)
		return OK;
	f->slots = n == 0 ? 64 : 2 * n;
	f->slot = mem_alloc(f->slots * sizeof(*f->slot));
	if (f->slot == NULL) {
		f->slot = old;
		f->slots = n;
		return E_MEMORY;
	}
	for (size_t i = 0; i < n; i++)
		if (old[i].recorded != 0)
			*slot_of(f, old[i].key) = old[i];
	mem_free(old);
	return OK;
}

/* What the module counts: docs/AUDIT.md, "Counters". */
static bool is_counted(struct span event)
{
	static const char *const events[] = {
		"sign",       "sign.batch",   "sign.recover", "mac.verify", "encrypt",
		"decrypt",    "stream.begin", "stream.end",   "key.wrap",   "key.unwrap",
		"key.derive", "key.digest",   "key.read",
	};

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (span_eq(event, span_str(events[i])))
			return true;
	return false;
}

static bool is_ours(const struct file *f, const struct line *l)
{
	return l->key.raw.p != NULL && l->key.cls.p != NULL && l->change.p == NULL &&
	       l->serial.s.p != NULL && !l->serial.hex && span_eq(l->serial.s, f->ask->serial) &&
	       is_counted(l->event);
}

static enum err take(struct file *f, const struct line *l)
{
	uint8_t key[RECOUNT_KEY] = { 0 };
	struct seen *s;
	enum err e;

	f->r->records++;
	if (!is_ours(f, l))
		return OK;
	if (!l->key.session && l->key.unique.s.n == RECOUNT_KEY && !l->key.unique.hex)
		memcpy(key, l->key.unique.s.p, RECOUNT_KEY);
	e = grow(f);
	if (e != OK)
		return e;
	s = slot_of(f, key);
	f->keys += s->recorded++ == 0;
	memcpy(s->key, key, RECOUNT_KEY);
	f->r->uses++;
	return OK;
}

static void tick(const struct file *f, const struct lines *l)
{
	if (f->ask->tick != NULL && l->number % TICK_LINES == 0)
		f->ask->tick(f->ask->arg, f->done + l->offset, f->total);
}

/* A torn last line is of a process that ended in the middle, and was answered to nobody. line: room for a record. */
static enum err read_lines(struct file *f, struct lines *l, struct line *line)
{
	enum lines_end end;
	struct span text;
	const char *what;
	enum err e = OK;

	while (e == OK && (end = lines_next(l, &text)) == LINES_MORE) {
		tick(f, l);
		if (line_read(text, line, &what)) {
			e = take(f, line);
			continue;
		}
		if (!f->told)
			bad(f, DAMAGE_ALTERED, l->number,
			    "this is no record: `audit verify` tells more");
		f->told = true;
	}
	if (e == OK && (end == LINES_TOO_LONG || end == LINES_FAILED))
		bad(f, DAMAGE_UNREADABLE, l->number, "the file cannot be read from here on");
	f->done += l->offset;
	return e;
}

static enum err read_file(struct file *f, const char *path, struct why *why)
{
	struct line *line = mem_alloc(sizeof(*line));
	struct lines l = { .fd = -1 };
	enum err e = line != NULL ? OK : E_MEMORY;

	if (f->slots != 0)
		memset(f->slot, 0, f->slots * sizeof(*f->slot));
	f->keys = 0;
	f->told = false;
	if (e == OK)
		e = lines_open(path, &l, why);
	if (e == OK) {
		e = read_lines(f, &l, line);
		lines_close(&l);
	}
	f->r->files += e == OK;
	mem_free(line);
	return e;
}

/* ---- what the token says of it ---- */

static const struct entry *entry_of(const struct contents *c, uint64_t number)
{
	return number != 0 && number <= c->n ? &c->at[number - 1] : NULL;
}

static void gap(struct file *f, const uint8_t *key, uint64_t counted, uint64_t recorded)
{
	const struct entry *e = entry_of(&f->r->before, f->number);
	const enum entry_kind end = e != NULL ? e->kind : ENTRY_OPEN;

	f->r->gaps_total++;
	f->r->gaps_closed += end == ENTRY_CLOSED;
	if (f->r->gaps == RECOUNT_GAPS)
		return;
	f->r->gap[f->r->gaps] = (struct recount_gap){ .file = f->number,
						      .counted = counted,
						      .recorded = recorded,
						      .end = end };
	memcpy(f->r->gap[f->r->gaps++].key, key, RECOUNT_KEY);
}

static void name_key(const uint8_t key[RECOUNT_KEY], char text[64])
{
	static const uint8_t none[RECOUNT_KEY];
	size_t n = 0;

	if (memcmp(key, none, RECOUNT_KEY) == 0) {
		memcpy(text, "what is no object of the token", 31);
		return;
	}
	memcpy(text, "the key ", n = 8);
	for (size_t i = 0; i < RECOUNT_KEY; i++)
		text[n++] = key[i] >= 0x20 && key[i] < 0x7f ? (char)key[i] : '?';
	text[n] = '\0';
}

static void hold_against(struct file *f, const struct recount_row *row)
{
	struct seen *s = f->slots != 0 ? slot_of(f, row->key) : NULL;
	const uint64_t recorded = s != NULL ? s->recorded : 0;
	struct finding one;
	char key[64];

	if (row->counted > recorded) {
		name_key(row->key, key);
		finding_set(&one, DAMAGE_LOST, f->number, 0,
			    "%" PRIu64 " uses of %s were counted, and %" PRIu64 " are recorded",
			    row->counted, key, recorded);
		findings_add(&f->r->bad, &one);
	} else if (row->counted < recorded) {
		gap(f, row->key, row->counted, recorded);
	}
	if (recorded != 0)
		memset(s->key, 0xff, RECOUNT_KEY); /* done with; no key is called so */
}

/* Keys that the token did not count at all. */
static void uncounted(struct file *f)
{
	static const uint8_t done = 0xff;

	for (size_t i = 0; i < f->slots; i++)
		if (f->slot[i].recorded != 0 && f->slot[i].key[0] != done)
			gap(f, f->slot[i].key, 0, f->slot[i].recorded);
}

/* *at: of the rows, the first that is not of a file before this one. */
static void compare(struct file *f, size_t *at)
{
	const struct recount_ask *ask = f->ask;

	for (; *at < ask->n && ask->row[*at].file == f->number; ++*at)
		hold_against(f, &ask->row[*at]);
	uncounted(f);
}

/* ---- all files ---- */

/* c: the index as it is now, which has what began since. */
static void not_here(struct file *f, const struct contents *c, size_t *at)
{
	const struct entry *e = entry_of(c, f->number);
	uint64_t counted = 0;
	struct finding one;

	for (; *at < f->ask->n && f->ask->row[*at].file == f->number; ++*at)
		counted += f->ask->row[*at].counted;
	finding_set(&one, e != NULL && e->kind != ENTRY_VOID ? DAMAGE_MISSING : DAMAGE_LOST,
		    f->number, 0, "%" PRIu64 " uses were counted in this file, which is not here%s",
		    counted, e != NULL ? "" : ", and the index does not have it");
	findings_add(&f->r->bad, &one);
}

static enum err one_file(struct file *f, const struct contents *c, size_t *at, struct why *why)
{
	char path[PATH_MAX];
	enum err e = place_file(f->ask->dir, f->number, path, why);

	if (e == OK)
		e = read_file(f, path, why);
	if (e == OK)
		compare(f, at);
	if (e != E_ABSENT)
		return e;
	if (*at < f->ask->n && f->ask->row[*at].file == f->number)
		not_here(f, c, at);
	return OK;
}

/* Those that are there, and those that something was counted in, in their order. */
static enum err all_files(struct file *f, const uint64_t *there, size_t n, const struct contents *c,
			  struct why *why)
{
	size_t at = 0, i = 0;
	enum err e = OK;

	while (e == OK && (i < n || at < f->ask->n)) {
		f->number = i < n ? there[i] : UINT64_MAX;
		if (at < f->ask->n && f->ask->row[at].file < f->number)
			f->number = f->ask->row[at].file;
		if (i < n && there[i] == f->number)
			i++;
		e = one_file(f, c, &at, why);
	}
	return e;
}

static uint64_t bytes_of(const char *dir, const uint64_t *there, size_t n)
{
	uint64_t sum = 0;
	char path[PATH_MAX];
	struct stat st;
	struct why why;

	for (size_t i = 0; i < n; i++)
		if (place_file(dir, there[i], path, &why) == OK && stat(path, &st) == 0 &&
		    st.st_size > 0)
			sum += (uint64_t)st.st_size;
	return sum;
}

static enum err read_index(const char *dir, struct contents *c, struct findings *all,
			   struct why *why)
{
	char path[PATH_MAX];
	enum err e = place_name(dir, "index", path, why);

	return e == OK ? contents_read(path, c, all, why) : e;
}

enum err recount_run(const struct recount_ask *ask, struct recount *r, struct why *why)
{
	struct file f = { .ask = ask, .r = r };
	struct contents now = { 0 };
	struct findings seen = { 0 }; /* of the index a second time */
	uint64_t *there = NULL;
	size_t n = 0;
	enum err e = read_index(ask->dir, &now, &seen, why);

	r->gap = mem_alloc(RECOUNT_GAPS * sizeof(*r->gap));
	if (e == OK && r->gap == NULL)
		e = why_fail(why, E_MEMORY, "no memory to read the roll");
	if (e == OK)
		e = place_list(ask->dir, &there, &n, why);
	for (size_t i = 0; i < ask->n; i++) {
		r->counted += ask->row[i].counted;
		r->sealed += ask->row[i].sealed;
	}
	f.total = e == OK && ask->tick != NULL ? bytes_of(ask->dir, there, n) : 0;
	if (e == OK)
		e = all_files(&f, there, n, &now, why);
	if (e == OK && ask->tick != NULL)
		ask->tick(ask->arg, f.total, f.total);
	findings_sort(&r->bad);
	findings_free(&seen);
	contents_free(&now);
	mem_free(there);
	mem_free(f.slot);
	return e == E_MEMORY ? why_fail(why, e, "no memory to read the roll") : e;
}

static enum err find_id(const char *dir, struct recount *r, struct why *why)
{
	uint8_t *room = mem_alloc(LINE_MAX_BYTES), h[SUM];
	struct line *l = mem_alloc(sizeof(*l));
	uint64_t *there = NULL;
	char path[PATH_MAX];
	size_t n = 0;
	bool found = false;
	enum err e = room != NULL && l != NULL ? OK : why_fail(why, E_MEMORY, "no memory");

	if (e == OK)
		e = place_list(dir, &there, &n, why);
	for (size_t i = 0; e == OK && !found && i < n; i++) {
		e = place_file(dir, there[i], path, why);
		found = e == OK && place_first(path, room, l, h);
	}
	if (found)
		memcpy(r->id, l->roll.id_bytes, LINE_ID);
	else if (e == OK)
		e = why_fail(why, E_ABSENT, "%s has no file that says which roll it is", dir);
	mem_free(there);
	mem_free(l);
	mem_free(room);
	return e;
}

enum err recount_begin(const char *dir, struct recount *r, struct why *why)
{
	enum err e;

	memset(r, 0, sizeof(*r));
	e = read_index(dir, &r->before, &r->bad, why);
	return e == OK ? find_id(dir, r, why) : e;
}

void recount_free(struct recount *r)
{
	contents_free(&r->before);
	findings_free(&r->bad);
	mem_free(r->gap);
	memset(r, 0, sizeof(*r));
}
