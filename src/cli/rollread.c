/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rollread.h"
#include "auditor/lines.h"
#include "auditor/place.h"
#include "base/mem.h"
#include "cli/report.h"
#include <inttypes.h>
#include <stdlib.h>

enum { TS = 27 };

enum stage {
	STAGE_WAITING, /* in the queue, not opened yet: its time has not come */
	STAGE_READY,   /* in the queue with `line`, its next record; or given out */
	STAGE_DRY,     /* nothing more at the moment: when following */
	STAGE_DONE,
};

struct source {
	uint64_t number;
	enum stage stage;
	bool told;      /* that something is damaged */
	uint8_t ts[TS]; /* of its next record; of a damaged first one: the beginning of time */
	struct lines lines;
	struct line line;
};

struct rollread {
	struct call *c;
	const char *dir;
	struct rollfilter filter;
	bool follow, damaged;
	struct source **at;
	size_t n, cap;
	uint64_t newest;       /* number of the last of them */
	struct source **queue; /* a heap by time, the oldest in front; as much room as `at` has */
	size_t queued;
	struct source *given; /* whose record was given out last; not in the queue */
};

/* ---- the queue ---- */

static bool before(const struct source *a, const struct source *b)
{
	int order = memcmp(a->ts, b->ts, TS);

	return order != 0 ? order < 0 : a->number < b->number;
}

static void swap(struct source **a, struct source **b)
{
	struct source *was = *a;

	*a = *b;
	*b = was;
}

static void enqueue(struct rollread *r, struct source *s)
{
	struct source **q = r->queue;
	size_t i = r->queued++;

	q[i] = s;
	for (; i > 0 && before(q[i], q[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&q[i], &q[(i - 1) / 2]);
}

/* The source whose next record is the oldest; one whose file is not open yet counts with its first. */
static struct source *dequeue(struct rollread *r)
{
	struct source **q = r->queue, *front;
	size_t i = 0;

	if (r->queued == 0)
		return NULL;
	front = q[0];
	q[0] = q[--r->queued];
	for (;;) {
		size_t least = 2 * i + 1;

		if (least >= r->queued)
			return front;
		if (least + 1 < r->queued && before(q[least + 1], q[least]))
			least++;
		if (!before(q[least], q[i]))
			return front;
		swap(&q[least], &q[i]);
		i = least;
	}
}

/* ---- one file ---- */

static void tell(struct rollread *r, struct source *s, const char *what)
{
	r->damaged = true;
	if (!s->told)
		report_warn(r->c,
			    "roll.%06" PRIu64 ", line %" PRIu64 ": %s; `audit verify` tells more",
			    s->number, s->lines.number, what);
	s->told = true;
}

static void done(struct source *s)
{
	lines_close(&s->lines);
	s->stage = STAGE_DONE;
}

/* No more is to come: it has its last record, or nobody holds it. */
static bool ended(const struct source *s)
{
	return s->lines.number != 0 && !lines_held(&s->lines);
}

static void advance(struct rollread *r, struct source *s)
{
	struct span text;
	const char *bad;

	for (;;) {
		bool over = r->follow && ended(s); /* asked first: what came until then is read */
		enum lines_end end = lines_next(&s->lines, &text);

		if (end == LINES_END && r->follow && !over) {
			s->stage = STAGE_DRY;
			return;
		}
		if (end == LINES_FAILED || end == LINES_TOO_LONG)
			tell(r, s, "it could not be read");
		if (end != LINES_MORE) {
			done(s);
			return;
		}
		if (line_read(text, &s->line, &bad))
			break;
		tell(r, s, "this is no record");
	}
	memcpy(s->ts, s->line.who.ts.p, TS);
	s->stage = STAGE_READY;
	enqueue(r, s);
}

static void start(struct rollread *r, struct source *s)
{
	char path[PATH_MAX];
	struct why why = { .text = "" };

	if (place_file(r->dir, s->number, path, &why) != OK ||
	    lines_open(path, &s->lines, &why) != OK) {
		s->stage = STAGE_DONE;
		r->damaged = true;
		report_warn(r->c, "%s", why.text);
		return;
	}
	s->lines.follow = r->follow;
	advance(r, s);
}

/* ---- files ---- */

static enum err more_room(struct rollread *r)
{
	size_t cap = r->cap == 0 ? 64 : 2 * r->cap;
	struct source **at, **queue;

	if (r->n < r->cap)
		return OK;
	at = mem_realloc(r->at, cap * sizeof(*at));
	if (at == NULL)
		return E_MEMORY;
	r->at = at;
	queue = mem_realloc(r->queue, cap * sizeof(*queue));
	if (queue == NULL)
		return E_MEMORY;
	r->queue = queue;
	r->cap = cap;
	return OK;
}

static enum err add(struct rollread *r, uint64_t number, uint8_t *room)
{
	struct source *s = mem_alloc(sizeof(*s));
	char path[PATH_MAX];
	uint8_t h[SUM];

	if (s == NULL || more_room(r) != OK) {
		mem_free(s);
		return E_MEMORY;
	}
	s->number = number;
	if (place_file(r->dir, number, path, &r->c->why) == OK &&
	    place_first(path, room, &s->line, h))
		memcpy(s->ts, s->line.who.ts.p, TS);
	r->at[r->n++] = s;
	r->newest = number;
	enqueue(r, s);
	return OK;
}

static enum err add_files(struct rollread *r)
{
	uint64_t *numbers = NULL;
	size_t n = 0;
	uint8_t *room = mem_alloc(LINE_MAX_BYTES);
	enum err e = room == NULL ? E_MEMORY : place_list(r->dir, &numbers, &n, &r->c->why);
	bool some = r->filter.file == 0;

	for (size_t i = 0; e == OK && i < n; i++) {
		bool wanted = r->filter.file == 0 || r->filter.file == numbers[i];

		some = some || wanted;
		if (wanted && numbers[i] > r->newest)
			e = add(r, numbers[i], room);
	}
	if (e == OK && !some)
		e = why_fail(&r->c->why, E_ABSENT, "the roll has no file %" PRIu64, r->filter.file);
	mem_free(numbers);
	mem_free(room);
	return e;
}

enum err rollread_open(struct call *c, const char *dir, const struct rollfilter *f, bool follow,
		       struct rollread **out)
{
	struct rollread *r = mem_alloc(sizeof(*r));
	enum err e;

	if (r == NULL)
		return E_MEMORY;
	r->c = c;
	r->dir = dir;
	r->filter = *f;
	r->follow = follow;
	e = add_files(r);
	if (e == OK)
		*out = r;
	else
		rollread_close(r);
	return e;
}

void rollread_close(struct rollread *r)
{
	if (r == NULL)
		return;
	for (size_t i = 0; i < r->n; i++) {
		lines_close(&r->at[i]->lines);
		mem_free(r->at[i]);
	}
	mem_free(r->at);
	mem_free(r->queue);
	mem_free(r);
}

/* ---- records ---- */

const struct line *rollread_next(struct rollread *r, uint64_t *file)
{
	for (;;) {
		if (r->given != NULL)
			advance(r, r->given);
		r->given = NULL;
		struct source *s = dequeue(r);
		if (s == NULL)
			return NULL;
		if (s->stage == STAGE_WAITING) {
			start(r, s);
			continue;
		}
		r->given = s;
		*file = s->number;
		if (rollfilter_wants(&r->filter, &s->line))
			return &s->line;
	}
}

enum err rollread_again(struct rollread *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->at[i]->stage == STAGE_DRY)
			advance(r, r->at[i]);
	return add_files(r);
}

bool rollread_damaged(const struct rollread *r)
{
	return r->damaged;
}
