/* SPDX-License-Identifier: Apache-2.0 */
#include "auditor/anchor.h"

#include "auditor/code.h"
#include "base/mem.h"
#include <inttypes.h>
#include <stdio.h>

#define FRONT "chancery-roll/"

static enum err no_anchor(struct why *why)
{
	return why_fail(why, E_DATA,
			"this is no anchor: it is a note that begins with \"" FRONT
			"\", as `audit anchor` prints it");
}

/* The text up to c, or to the end; *s begins behind it. */
static struct span take_until(struct span *s, char c)
{
	const uint8_t *at = s->n == 0 ? NULL : memchr(s->p, c, s->n);
	struct span word = span(s->p, at == NULL ? s->n : (size_t)(at - s->p));
	size_t used = word.n + (at != NULL);

	*s = span(s->p + used, s->n - used);
	return word;
}

/* `chancery-roll/<id>/<number or "index">`; *number 0: the index. */
static bool read_origin(struct span s, uint8_t id[LINE_ID], uint64_t *number)
{
	const size_t front = sizeof(FRONT) - 1;

	if (s.n < front || memcmp(s.p, FRONT, front) != 0)
		return false;
	s = span(s.p + front, s.n - front);
	struct span hex = take_until(&s, '/');
	*number = 0;
	return code_hex(hex, id, LINE_ID) &&
	       (span_eq(s, span_str("index")) || (code_number(s, number) && *number != 0));
}

/* `file <number> <size> <root>` */
static bool read_file(struct span line, struct anchor_file *f)
{
	struct span word = take_until(&line, ' ');

	if (!span_eq(word, span_str("file")))
		return false;
	word = take_until(&line, ' ');
	if (!code_number(word, &f->number) || f->number == 0)
		return false;
	word = take_until(&line, ' ');
	return code_number(word, &f->size) && f->size != 0 && code_b64_exact(line, f->root, SUM);
}

static bool read_files(struct span rest, struct anchor *a)
{
	while (rest.n != 0) {
		struct anchor_file *f = &a->file[a->n];

		if (!read_file(take_until(&rest, '\n'), f) ||
		    (a->n != 0 && f->number <= f[-1].number))
			return false;
		a->n++;
	}
	return true;
}

enum err anchor_read(struct span text, struct anchor *a, struct why *why)
{
	struct checkpoint c;
	uint64_t number;
	size_t lines = 1;

	memset(a, 0, sizeof(*a));
	if (!signed_read(text, &a->note) || !checkpoint_read(a->note.text, &c) ||
	    !read_origin(c.origin, a->id, &number))
		return no_anchor(why);
	for (size_t i = 0; i < c.rest.n; i++)
		lines += c.rest.p[i] == '\n';
	a->file = mem_alloc(lines * sizeof(*a->file));
	if (a->file == NULL)
		return why_fail(why, E_MEMORY, "no memory for the anchor");
	a->has_index = number == 0;
	if (!a->has_index) {
		a->file[0].number = number;
		a->file[0].size = c.size;
		memcpy(a->file[0].root, c.root, SUM);
		a->n = c.size != 0;
		return c.rest.n == 0 ? OK : no_anchor(why);
	}
	a->size = c.size;
	memcpy(a->root, c.root, SUM);
	return read_files(c.rest, a) ? OK : no_anchor(why);
}

void anchor_free(struct anchor *a)
{
	mem_free(a->file);
	a->file = NULL;
	a->n = 0;
}

const struct anchor_file *anchor_find(const struct anchor *a, uint64_t number)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->file[i].number == number)
			return &a->file[i];
	return NULL;
}
