/* SPDX-License-Identifier: Apache-2.0 */
#include "auditor/anchor.h"
#include "auditor/chapter.h"
#include "auditor/code.h"
#include "auditor/contents.h"
#include "auditor/place.h"
#include "base/mem.h"
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

static enum err put_root(const char *front, const uint8_t root[SUM], struct buf *out)
{
	enum err e = buf_put(out, span_str(front));

	if (e == OK)
		e = code_b64_put(span(root, SUM), out);
	return e == OK ? buf_put(out, span_str("\n")) : e;
}

static enum err damaged(const struct finding *f, struct why *why)
{
	return why_fail(why, E_CORRUPT,
			"the roll is damaged (%s: file %" PRIu64 ", line %" PRIu64
			", %s): `audit verify` tells the whole",
			damage_word(f->kind), f->file, f->line, f->text);
}

/* What is known of the roll so far. */
struct making {
	const char *dir;
	struct contents c;
	uint8_t id[LINE_ID];
	bool has_id;
};

/* A line for the file, if it has records. */
static enum err put_file(struct making *m, uint64_t number, struct buf *out, struct why *why)
{
	struct chapter_ask ask = { .number = number, .id = m->has_id ? m->id : NULL };
	struct chapter ch;
	char path[PATH_MAX], front[64];
	enum err e = place_file(m->dir, number, path, why);

	if (number <= m->c.n)
		ask.first = m->c.at[number - 1].first;
	ask.path = path;
	if (e == OK)
		e = chapter_check(&ask, &ch);
	if (e == OK && ch.damaged)
		return damaged(&ch.bad, why);
	if (e != OK || ch.records == 0)
		return e;
	snprintf(front, sizeof(front), "file %" PRIu64 " %" PRIu64 " ", number, ch.records);
	return put_root(front, ch.root, out);
}

/* The id is what the first file that can be read says. */
static enum err find_id(struct making *m, struct why *why)
{
	uint64_t *numbers = NULL;
	uint8_t h[SUM];
	uint8_t *room = mem_alloc(LINE_MAX_BYTES);
	struct line *l = mem_alloc(sizeof(*l));
	char path[PATH_MAX];
	size_t n = 0;
	enum err e = room == NULL || l == NULL ? E_MEMORY : place_list(m->dir, &numbers, &n, why);

	for (size_t i = 0; e == OK && !m->has_id && i < n; i++) {
		e = place_file(m->dir, numbers[i], path, why);
		if (e != OK || !place_first(path, room, l, h) || l->roll.file.v != numbers[i])
			continue;
		memcpy(m->id, l->roll.id_bytes, LINE_ID);
		m->has_id = true;
	}
	mem_free(numbers);
	mem_free(room);
	mem_free(l);
	if (e == OK && !m->has_id)
		e = why_fail(why, E_ABSENT, "nothing is recorded in %s yet", m->dir);
	return e;
}

/* Those that the index does not close, and one that it may not have yet. */
static enum err put_files(struct making *m, struct buf *out, struct why *why)
{
	char path[PATH_MAX];
	struct stat st;
	enum err e = OK;

	for (uint64_t number = 1; e == OK && number <= m->c.n; number++)
		if (m->c.at[number - 1].kind == ENTRY_OPEN)
			e = put_file(m, number, out, why);
	if (e == OK)
		e = place_file(m->dir, m->c.n + 1, path, why);
	if (e == OK && lstat(path, &st) == 0)
		e = put_file(m, m->c.n + 1, out, why);
	return e;
}

static enum err put_index(const struct making *m, struct buf *out)
{
	char hex[2 * LINE_ID + 1], front[128];

	code_hex_put(span(m->id, LINE_ID), hex);
	snprintf(front, sizeof(front), "chancery-roll/%s/index\n%" PRIu64 "\n", hex, m->c.lines);
	return put_root(front, m->c.root, out);
}

enum err anchor_text(const char *dir, struct buf *out, struct why *why)
{
	struct making m = { .dir = dir };
	struct findings bad = { 0 };
	char path[PATH_MAX];
	enum err e = place_name(dir, "index", path, why);

	if (e == OK)
		e = contents_read(path, &m.c, &bad, why);
	if (e == OK && bad.n != 0)
		e = damaged(&bad.at[0], why);
	if (e == OK)
		e = find_id(&m, why);
	if (e == OK)
		e = put_index(&m, out);
	if (e == OK)
		e = put_files(&m, out, why);
	findings_free(&bad);
	contents_free(&m.c);
	return e;
}
