/* SPDX-License-Identifier: Apache-2.0 */
/* chancery audit tail */
#include "base/mem.h"
#include "cli/auditplace.h"
#include "cli/commands.h"
#include "cli/report.h"
#include "cli/rollprint.h"
#include "cli/rollread.h"
#include <stdio.h>
#include <time.h>

enum { LINES_DEFAULT = 10, LINES_LIMIT = 10000, POLL_NS = 200000000 };

static const struct option_row options[] = {
	AUDITPLACE_DIR,
	{ "lines", "N", "how many records (default 10)", NULL },
	{ "follow", NULL, "wait for more, in new files too, until interrupted", NULL },
	ROLLFILTER_ACTOR,
	ROLLFILTER_KEY,
	ROLLFILTER_EVENT,
	ROLLFILTER_FILE,
	AUDITPLACE_END,
};

static void print(const struct call *c, uint64_t file, const struct line *l)
{
	if (c->json) {
		rollprint_json(file, l);
		putchar('\n');
	} else {
		rollprint_text(file, l);
	}
}

/* The last n records, each as the text that it was. */
struct ring {
	size_t n, at;
	struct {
		uint64_t file;
		struct buf text;
	} slot[];
};

static enum err keep(struct ring *ring, uint64_t file, const struct line *l)
{
	size_t i = ring->at++ % ring->n;

	ring->slot[i].file = file;
	buf_clear(&ring->slot[i].text);
	return buf_put(&ring->slot[i].text, l->raw);
}

static enum err fill(struct ring *ring, struct rollread *r)
{
	const struct line *l;
	uint64_t file;
	enum err e = OK;

	while (e == OK && ring->n != 0 && (l = rollread_next(r, &file)) != NULL)
		e = keep(ring, file, l);
	while (ring->n == 0 && rollread_next(r, &file) != NULL)
		continue;
	return e;
}

static void print_ring(const struct call *c, const struct ring *ring)
{
	size_t n = ring->at < ring->n ? ring->at : ring->n;
	struct line l;
	const char *bad;

	for (size_t i = ring->at - n; i < ring->at; i++) {
		size_t k = i % ring->n;

		if (line_read(buf_span(&ring->slot[k].text), &l, &bad))
			print(c, ring->slot[k].file, &l);
	}
}

static enum err last_lines(struct call *c, struct rollread *r, size_t n)
{
	struct ring *ring = mem_alloc(sizeof(*ring) + n * sizeof(ring->slot[0]));
	enum err e;

	if (ring == NULL)
		return E_MEMORY;
	ring->n = n;
	e = fill(ring, r);
	if (e == OK)
		print_ring(c, ring);
	for (size_t i = 0; i < n; i++)
		buf_free(&ring->slot[i].text);
	mem_free(ring);
	return e;
}

/* Until somebody ends us, or whoever reads us is gone. */
static enum err follow(struct call *c, struct rollread *r)
{
	const struct timespec nap = { 0, POLL_NS };
	const struct line *l;
	uint64_t file;
	enum err e = OK;

	while (e == OK && fflush(stdout) == 0 && !ferror(stdout)) {
		(void)nanosleep(&nap, NULL);
		e = rollread_again(r);
		while (e == OK && (l = rollread_next(r, &file)) != NULL)
			print(c, file, l);
	}
	return e;
}

static enum err audit_tail(struct call *c)
{
	struct rollread *r = NULL;
	struct rollfilter f;
	char dir[PATH_MAX];
	long n;
	enum err e = call_number(c, "lines", 0, LINES_LIMIT, LINES_DEFAULT, &n);

	if (e == OK)
		e = auditplace_dir(c, dir);
	if (e == OK)
		e = rollfilter_take(c, &f);
	if (e == OK)
		e = rollread_open(c, dir, &f, call_flag(c, "follow"), &r);
	c->told = e == OK; /* each record is a value of its own */
	if (e == OK)
		e = last_lines(c, r, (size_t)n);
	if (e == OK && call_flag(c, "follow"))
		e = follow(c, r);
	if (r != NULL)
		c->status = rollread_damaged(r);
	rollread_close(r);
	return e;
}

const struct command cmd_audit_tail = {
	"audit", "tail", NULL, 0, "Print the newest records", options, audit_tail,
};
