/* SPDX-License-Identifier: Apache-2.0 */
#include "auditor/receipt.h"

#include "auditor/chapter.h"
#include "auditor/code.h"
#include "auditor/lines.h"
#include "base/mem.h"
#include <inttypes.h>

/* ---- making ---- */

struct search {
	struct lines lines;
	struct line line;
	uint8_t h[SUM];
	uint64_t n;    /* records read */
	uint64_t size; /* of the checkpoint found; 0: none yet */
};

/* The next record, and h of it. E_ABSENT: there is no more. */
static enum err next_record(struct search *s, struct why *why)
{
	struct span text;
	const char *bad;

	if (lines_next(&s->lines, &text) != LINES_MORE)
		return E_ABSENT;
	if (!line_read(text, &s->line, &bad) || s->line.seq.v != s->n)
		return why_fail(why, E_CORRUPT, "line %" PRIu64 " is damaged: see `audit verify`",
				s->lines.number);
	if (s->n == 0)
		chapter_origin(s->line.roll.id_bytes, s->line.roll.file.v, s->h);
	if (memcmp(s->line.prev.b, s->h, SUM) != 0)
		return why_fail(why, E_CORRUPT,
				"line %" PRIu64
				" does not follow the one before: see `audit verify`",
				s->lines.number);
	sum_of(span(s->h, SUM), s->line.body, s->h);
	s->n++;
	return OK;
}

/* Keeps the two lines, and goes on to the first checkpoint that covers them. */
static enum err find(struct search *s, uint64_t seq, struct receipt *r, struct why *why)
{
	enum err e;

	while (s->size == 0 && (e = next_record(s, why)) == OK) {
		uint64_t at = s->n - 1;

		if (at == 0)
			e = buf_put(&r->first, s->line.raw);
		if (e == OK && at == seq)
			e = buf_put(&r->record, s->line.raw);
		if (e == OK && at > seq && s->line.note.p != NULL) {
			e = code_unescape(s->line.note, &r->note);
			s->size = at;
		}
		if (e != OK)
			return e;
	}
	if (s->size != 0)
		return OK;
	if (e != E_ABSENT)
		return e;
	if (seq >= s->n)
		return why_fail(why, e, "the file has no record %" PRIu64 ": it has %" PRIu64, seq,
				s->n);
	return why_fail(why, e,
			"no checkpoint covers record %" PRIu64
			" yet: the next one will, or the last record of the file",
			seq);
}

static void keep_proof(const struct merkle_prover *p, struct receipt_proof *out)
{
	out->n = p->n;
	for (size_t i = 0; i < p->n; i++)
		merkle_prover_hash(p, i, out->hash[i]);
}

/* A second time over the file, now that the size of the tree is known. */
static enum err prove(struct search *s, uint64_t seq, uint64_t size, struct receipt *r,
		      struct why *why)
{
	struct merkle_prover *p = mem_alloc(2 * sizeof(*p));
	enum err e = p == NULL ? E_MEMORY : OK;

	if (e != OK)
		return e;
	merkle_prover_start(&p[0], 0, size);
	merkle_prover_start(&p[1], seq, size);
	while (e == OK && s->n < size) {
		e = next_record(s, why);
		merkle_prover_add(&p[0], span(s->h, SUM));
		merkle_prover_add(&p[1], span(s->h, SUM));
	}
	keep_proof(&p[0], &r->first_proof);
	keep_proof(&p[1], &r->record_proof);
	mem_free(p);
	return e;
}

enum err receipt_make(const char *path, uint64_t seq, struct receipt *r, struct why *why)
{
	struct search *s = mem_alloc(sizeof(*s));
	enum err e = s == NULL ? E_MEMORY : lines_open(path, &s->lines, why);
	uint64_t size = 0;

	if (e == OK)
		e = find(s, seq, r, why);
	if (e == OK) {
		size = s->size;
		lines_close(&s->lines);
		memset(s, 0, sizeof(*s));
		e = lines_open(path, &s->lines, why);
	}
	if (e == OK)
		e = prove(s, seq, size, r, why);
	if (s != NULL)
		lines_close(&s->lines);
	mem_free(s);
	return e;
}

void receipt_free(struct receipt *r)
{
	buf_free(&r->first);
	buf_free(&r->record);
	buf_free(&r->note);
}

/* ---- checking ---- */

static enum err wrong(struct why *why, const char *what)
{
	return why_fail(why, E_DATA, "the receipt does not hold: %s", what);
}

/* The first record begins its file's chain, and has the keys. h: its own. */
static enum err check_first(const struct receipt *r, struct line *first, uint8_t h[SUM],
			    struct why *why)
{
	const char *bad;

	if (!line_read(buf_span(&r->first), first, &bad) || first->seq.v != 0)
		return wrong(why, "\"first\" is no first record");
	chapter_origin(first->roll.id_bytes, first->roll.file.v, h);
	if (memcmp(first->prev.b, h, SUM) != 0)
		return wrong(why, "\"first\" does not begin the chain of its file");
	sum_of(span(h, SUM), first->body, h);
	return OK;
}

static enum err check_signature(enum signer_kind kind, struct span b64, const char *name,
				const struct signed_note *note, struct why *why)
{
	uint8_t raw[LINE_MLDSA65];
	struct signer s = { 0 };
	size_t n = sizeof(raw);
	bool good;

	if (b64.p == NULL)
		return OK;
	good = code_b64(b64, raw, &n) && signer_set(kind, span(raw, n), name, &s) == OK &&
	       signed_check(note, name, &s) == SIGNED_GOOD;
	signer_clear(&s);
	return good ? OK : wrong(why, "the file's own keys did not sign the checkpoint");
}

static enum err check_note(const struct receipt *r, const struct line *first,
			   struct signed_note *note, struct checkpoint *c, struct why *why)
{
	char name[CHAPTER_NAME];
	enum err e;

	chapter_name(first->roll.id_bytes, first->roll.file.v, name);
	if (!signed_read(buf_span(&r->note), note) || !checkpoint_read(note->text, c) ||
	    !span_eq(c->origin, span_str(name)))
		return wrong(why, "\"note\" is no checkpoint of this file");
	e = check_signature(SIGNER_ED25519, first->roll.ed25519, name, note, why);
	return e == OK ? check_signature(SIGNER_MLDSA65, first->roll.mldsa65, name, note, why) : e;
}

static enum err check_proof(const uint8_t h[SUM], uint64_t index, const struct checkpoint *c,
			    const struct receipt_proof *p, const char *what, struct why *why)
{
	uint8_t root[SUM];

	if (!merkle_follow(span(h, SUM), index, c->size, p->hash, p->n, root) ||
	    memcmp(root, c->root, SUM) != 0)
		return wrong(why, what);
	return OK;
}

static enum err check_lines(const struct receipt *r, struct line *first, struct line *record,
			    const struct keys_public *auditor, struct receipt_answer *out,
			    struct why *why)
{
	struct signed_note note;
	struct checkpoint c;
	uint8_t h[SUM];
	const char *bad;
	enum err e = check_first(r, first, h, why);

	if (e == OK)
		e = check_note(r, first, &note, &c, why);
	if (e == OK)
		e = check_proof(h, 0, &c, &r->first_proof,
				"the checkpoint does not cover \"first\"", why);
	if (e == OK && !line_read(buf_span(&r->record), record, &bad))
		e = wrong(why, "\"record\" is no record");
	if (e != OK)
		return e;
	sum_of(span(record->prev.b, SUM), record->body, h);
	e = check_proof(h, record->seq.v, &c, &r->record_proof,
			"the checkpoint does not cover \"record\"", why);
	if (e != OK)
		return e;
	memcpy(out->id, first->roll.id_bytes, LINE_ID);
	out->file = first->roll.file.v;
	out->seq = record->seq.v;
	out->size = c.size;
	out->countersigned = auditor != NULL ? keys_check(auditor, &note) : SIGNED_ABSENT;
	return out->countersigned != SIGNED_BAD
		       ? OK
		       : wrong(why, "the auditor's counter-signature is not right");
}

enum err receipt_check(const struct receipt *r, const struct keys_public *auditor,
		       struct receipt_answer *out, struct why *why)
{
	struct line *l = mem_alloc(2 * sizeof(*l));
	enum err e;

	if (l == NULL)
		return E_MEMORY;
	memset(out, 0, sizeof(*out));
	e = check_lines(r, &l[0], &l[1], auditor, out, why);
	mem_free(l);
	return e;
}
