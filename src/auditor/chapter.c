/* SPDX-License-Identifier: Apache-2.0 */
#include "auditor/chapter.h"

#include "auditor/code.h"
#include "auditor/lines.h"
#include "auditor/merkle.h"
#include "auditor/signed.h"
#include "auditor/why_order.h"
#include "base/le.h"
#include "base/mem.h"
#include <inttypes.h>
#include <stdio.h>

/* The check under way. */
struct walk {
	const struct chapter_ask *ask;
	struct chapter *out;
	struct lines lines;
	struct line line;
	uint8_t h[SUM], k[SUM]; /* of the record before; for this record */
	uint64_t n;             /* records that were good */
	uint64_t ended_at;      /* number of records when the last record came; 0: it did not */
	uint64_t mono;          /* of the record before, */
	uint8_t boot[SUM];      /* and the digest of its boot id */
	struct merkle tree;
	struct signer signers[SIGNER_KINDS];
	char name[CHAPTER_NAME];
	struct buf note;
};

void chapter_origin(const uint8_t id[LINE_ID], uint64_t number, uint8_t out[SUM])
{
	uint8_t b[LINE_ID + 8];

	memcpy(b, id, LINE_ID);
	le_put64(b + LINE_ID, number);
	sum_of(span_str("chancery roll 1\n"), span(b, sizeof(b)), out);
}

void chapter_name(const uint8_t id[LINE_ID], uint64_t number, char out[CHAPTER_NAME])
{
	char hex[2 * LINE_ID + 1];

	code_hex_put(span(id, LINE_ID), hex);
	snprintf(out, CHAPTER_NAME, "chancery-roll/%s/%" PRIu64, hex, number);
}

/* Ends the walk with a finding, at the line that was read last or at one before. False. */
#define BAD(w, kind, line, ...)                                                           \
	(finding_set(&(w)->out->bad, DAMAGE_##kind, (w)->ask->number, line, __VA_ARGS__), \
	 (w)->out->damaged = true, false)

/* ---- the first record ---- */

static bool take_keys(struct walk *w)
{
	const struct line_roll *r = &w->line.roll;
	const struct span text[SIGNER_KINDS] = { r->ed25519, r->mldsa65 };
	uint8_t raw[LINE_MLDSA65];

	for (int i = 0; i < SIGNER_KINDS; i++) {
		size_t n = sizeof(raw);

		if (text[i].p == NULL)
			continue;
		if (!code_b64(text[i], raw, &n) ||
		    signer_set((enum signer_kind)i, span(raw, n), w->name, &w->signers[i]) != OK)
			return BAD(w, ALTERED, 1, "the first record has a key that is none");
	}
	return true;
}

static bool right_file(struct walk *w)
{
	const struct chapter_ask *ask = w->ask;
	const struct line_roll *r = &w->line.roll;

	if (ask->number != 0 && r->file.v != ask->number)
		return BAD(w, FOREIGN, 1,
			   "this is the file of number %" PRIu64 ", copied or renamed to this one",
			   r->file.v);
	if (ask->id != NULL && memcmp(r->id_bytes, ask->id, LINE_ID) != 0)
		return BAD(w, FOREIGN, 1, "this is a file of another roll");
	chapter_origin(r->id_bytes, r->file.v, w->h);
	return true;
}

static void keep_roll(struct walk *w)
{
	const struct line_roll *r = &w->line.roll;
	struct chapter *c = w->out;

	c->has_roll = true;
	c->number = r->file.v;
	memcpy(c->id, r->id_bytes, LINE_ID);
	c->index.size = r->index.size.v;
	memcpy(c->index.root, r->index.root.b, SUM);
	c->after.there = r->after.raw.p != NULL;
	c->after.file = r->after.file.v;
	c->after.seq = r->after.seq.v;
	memcpy(c->after.head, r->after.head.b, SUM);
	if (r->auditor.p != NULL)
		memcpy(c->auditor, r->auditor.p, LINE_FINGERPRINT);
	c->durable = r->durable;
}

static bool first_record(struct walk *w)
{
	if (!right_file(w))
		return false;
	chapter_name(w->line.roll.id_bytes, w->line.roll.file.v, w->name);
	keep_roll(w);
	return take_keys(w);
}

/* ---- checkpoints ---- */

static bool is_event(const struct line *l, const char *name)
{
	return span_eq(l->event, span_str(name));
}

static bool is_last(const struct line *l)
{
	return is_event(l, "module.stop") || is_event(l, "roll.rotate");
}

/* All of the file's keys, and none else under its name, have signed. */
static bool signatures(struct walk *w, const struct signed_note *note)
{
	size_t wanted = 0;

	for (int i = 0; i < SIGNER_KINDS; i++) {
		if (w->signers[i].key == NULL)
			continue;
		wanted++;
		if (signed_check(note, w->name, &w->signers[i]) != SIGNED_GOOD)
			return false;
	}
	return note->n == wanted;
}

static bool checkpoint(struct walk *w)
{
	const uint64_t at = w->lines.number;
	struct signed_note note;
	struct checkpoint c;
	uint8_t root[SUM];

	buf_clear(&w->note);
	if (code_unescape(w->line.note, &w->note) != OK ||
	    !signed_read(buf_span(&w->note), &note) || !checkpoint_read(note.text, &c) ||
	    c.rest.n != 0)
		return BAD(w, ALTERED, at, "the checkpoint in this record is none");
	if (!span_eq(c.origin, span_str(w->name)))
		return BAD(w, FOREIGN, at, "the checkpoint in this record is of another file");
	if (!signatures(w, &note))
		return BAD(w, ALTERED, at,
			   "the checkpoint in this record is not signed by the file's own keys");
	if (c.size != w->n)
		return BAD(w, ALTERED, at,
			   "the checkpoint in this record is over %" PRIu64
			   " records, not %" PRIu64,
			   c.size, w->n);
	merkle_root(&w->tree, root);
	if (memcmp(root, c.root, SUM) != 0)
		return BAD(w, FORKED, at,
			   "the records from line %" PRIu64
			   " to here are not those that this checkpoint was signed over",
			   w->out->signed_size + 1);
	w->out->checkpoints++;
	w->out->signed_size = c.size;
	return true;
}

static bool record_note(struct walk *w)
{
	bool wanted = is_event(&w->line, "checkpoint") || is_last(&w->line);

	if (wanted != (w->line.note.p != NULL))
		return BAD(w, ALTERED, w->lines.number,
			   wanted ? "this record has no checkpoint, and should"
				  : "this record has a checkpoint, and should not");
	if (is_last(&w->line))
		w->ended_at = w->n + 1;
	return !wanted || checkpoint(w);
}

/* ---- every record ---- */

/* Without the key the record before is the suspect: with it, that one is known to be right. */
static bool linked(struct walk *w)
{
	const uint64_t at = w->lines.number;

	if (memcmp(w->line.prev.b, w->h, SUM) == 0)
		return true;
	if (w->n == 0)
		return BAD(w, ALTERED, at, "the first record does not begin this file's chain");
	if (w->ask->keyed)
		return BAD(w, ALTERED, at, "the record names another one before it");
	return BAD(w, ALTERED, at - 1,
		   "the record in line %" PRIu64 " was chained to another one than this", at);
}

static bool authentic(struct walk *w)
{
	uint8_t mac[SUM];

	if (!w->ask->keyed)
		return true;
	sum_mac(w->k, span(w->h, SUM), mac);
	sum_ratchet(w->k);
	if (mem_equal(mac, w->line.mac.b, SUM))
		return true;
	return BAD(w, ALTERED, w->lines.number,
		   "the MAC is not right: the record was changed, or written by somebody without "
		   "the file's key");
}

/* The clock of a boot never falls, and its author takes care of the order: the wall clock, `ts`, may jump either way. */
static bool in_time(struct walk *w)
{
	const struct line_who *who = &w->line.who;
	const uint64_t before = w->mono;
	uint8_t boot[SUM];
	bool same;

	sum_of(span("", 0), who->boot, boot);
	same = w->n != 0 && memcmp(boot, w->boot, SUM) == 0;
	memcpy(w->boot, boot, SUM);
	w->mono = who->mono.v;
	if (!same || who->mono.v >= before)
		return true;
	return BAD(w, REORDERED, w->lines.number,
		   "this record was made before the one that it follows: mono falls from %" PRIu64
		   " to %" PRIu64,
		   before, who->mono.v);
}

static bool anchored(struct walk *w)
{
	uint8_t root[SUM];

	if (!w->ask->anchored || w->tree.size != w->ask->anchor_size)
		return true;
	merkle_root(&w->tree, root);
	if (memcmp(root, w->ask->anchor_root, SUM) != 0)
		return BAD(w, ROLLED_BACK, w->lines.number,
			   "the %" PRIu64 " records up to here are not those that the anchor saw",
			   w->tree.size);
	w->out->anchored = true;
	return true;
}

static bool after_end(struct walk *w)
{
	if (w->ended_at == 0)
		return true;
	return BAD(w, ADDED, w->lines.number, "a record follows the file's last one");
}

static bool malformed(struct walk *w, struct span text, const char *bad)
{
	uint64_t format;

	if (w->n == 0 && line_other_format(text, &format))
		return BAD(w, NEWER, 1,
			   "the file has the format %" PRIu64 ", this version knows %d", format,
			   LINE_FORMAT);
	return BAD(w, ALTERED, w->lines.number, "this is no record: it is wrong at \"%s\"", bad);
}

static bool one_record(struct walk *w, struct span text)
{
	const char *bad = "";

	if (!line_read(text, &w->line, &bad))
		return malformed(w, text, bad);
	if (w->line.seq.v != w->n &&
	    memcmp(w->line.prev.b, w->h, SUM) == 0) /* it stands where it was */
		return BAD(w, ALTERED, w->lines.number,
			   "the record has number %" PRIu64 ", not %" PRIu64, w->line.seq.v, w->n);
	if (w->line.seq.v != w->n) {
		w->out->damaged = true;
		why_order(w->ask->path, w->ask->number, w->n, &w->line, &w->out->bad);
		return false;
	}
	if (!after_end(w) || (w->n == 0 && !first_record(w)) || !linked(w))
		return false;
	sum_of(span(w->h, SUM), w->line.body, w->h);
	if (!authentic(w) || !in_time(w) || !record_note(w))
		return false;
	merkle_add(&w->tree, span(w->h, SUM));
	if (w->n == 0)
		memcpy(w->out->first, w->h, SUM);
	w->n++;
	return anchored(w);
}

/* ---- the end ---- */

/* The end that the index knows, against the one that is there. */
static bool index_end(struct walk *w)
{
	const struct chapter_ask *ask = w->ask;
	const uint64_t want = ask->last_seq.there ? ask->last_seq.v + 1 : 0;

	if (w->n < want)
		return BAD(w, CUT, w->n + 1,
			   "the file ends after %" PRIu64
			   " records; the index says that it had %" PRIu64,
			   w->n, want);
	if (w->n > want)
		return BAD(w, ADDED, want + 1,
			   "the file has %" PRIu64
			   " records; the index says that it ended after %" PRIu64,
			   w->n, want);
	if (want != 0 && memcmp(w->h, ask->last_head.b, SUM) != 0)
		return BAD(
			w, FORKED, w->n,
			"the file ends with another record than the index says: records from line "
			"%" PRIu64 " on were replaced",
			w->out->signed_size + 1);
	return true;
}

static bool beginning(struct walk *w)
{
	if (!w->ask->first.there)
		return true;
	if (w->n == 0)
		return BAD(w, CUT, 1, "no record is left in the file");
	if (memcmp(w->out->first, w->ask->first.b, SUM) != 0)
		return BAD(w, FORKED, 1, "the file begins with another record than the index says");
	return true;
}

static bool anchor_end(struct walk *w)
{
	if (!w->ask->anchored || w->tree.size >= w->ask->anchor_size)
		return true;
	return BAD(w, ROLLED_BACK, w->n + 1,
		   "the file has %" PRIu64 " records; the anchor saw %" PRIu64, w->n,
		   w->ask->anchor_size);
}

static void set_end(struct walk *w, enum lines_end last)
{
	struct chapter *c = w->out;

	if (w->ended_at != 0)
		c->end = CHAPTER_CLOSED;
	else if (lines_held(&w->lines))
		c->end = CHAPTER_OPEN;
	else if (last == LINES_TORN)
		c->end = CHAPTER_TORN;
	else
		c->end = w->n == 0 ? CHAPTER_EMPTY : CHAPTER_LEFT;
}

/* What is behind the last line feed: no damage, unless the file had ended in good order. */
static bool torn(struct walk *w, enum lines_end last)
{
	if (last != LINES_TORN || w->ended_at == 0)
		return true;
	return BAD(w, ADDED, w->lines.number, "something follows the file's last record");
}

static void finish(struct walk *w, enum lines_end last)
{
	if (last == LINES_FAILED)
		(void)BAD(w, UNREADABLE, w->lines.number + 1, "the file could not be read");
	else if (last == LINES_TOO_LONG)
		(void)BAD(w, ALTERED, w->lines.number, "the line is longer than any record");
	else if (beginning(w) && (!w->ask->ended || index_end(w)) && anchor_end(w) && torn(w, last))
		w->out->authentic = w->ask->keyed;
	set_end(w, last);
}

static void tell(struct walk *w, uint64_t *told)
{
	if (w->ask->bytes_done != NULL)
		atomic_fetch_add_explicit(w->ask->bytes_done, w->lines.offset - *told,
					  memory_order_relaxed);
	*told = w->lines.offset;
}

static void walk_file(struct walk *w)
{
	enum lines_end end;
	struct span text;
	uint64_t told = 0;

	while ((end = lines_next(&w->lines, &text)) == LINES_MORE) {
		if (!one_record(w, text))
			break;
		if ((w->n & 1023) == 0)
			tell(w, &told);
	}
	tell(w, &told);
	if (!w->out->damaged)
		finish(w, end);
	w->out->records = w->n;
	w->out->bytes = w->lines.offset;
	memcpy(w->out->head, w->h, SUM);
	merkle_root(&w->tree, w->out->root);
}

enum err chapter_check(const struct chapter_ask *ask, struct chapter *out)
{
	struct walk *w = mem_alloc(sizeof(*w));
	struct why why = { .text = "" };
	enum err e;

	memset(out, 0, sizeof(*out));
	out->number = ask->number;
	if (w == NULL)
		return E_MEMORY;
	w->ask = ask;
	w->out = out;
	memcpy(w->k, ask->k0, SUM);
	e = lines_open(ask->path, &w->lines, &why);
	if (e == OK)
		walk_file(w);
	else if (e != E_MEMORY)
		(void)BAD(w, UNREADABLE, 0, "%.300s", why.text);
	lines_close(&w->lines);
	for (int i = 0; i < SIGNER_KINDS; i++)
		signer_clear(&w->signers[i]);
	buf_free(&w->note);
	mem_free(w);
	return e == E_MEMORY ? e : OK;
}
