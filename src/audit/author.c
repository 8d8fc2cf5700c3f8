/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/author.h"

#include "base/mem.h"

enum err author_new(const struct author_id *who, const uint8_t id[LEDGER_ID], uint64_t file,
		    const uint8_t key[CHAIN_HASH], bool mldsa, struct author **out)
{
	struct author *a = mem_alloc(sizeof(*a));
	enum err e;

	if (a == NULL)
		return E_MEMORY;
	a->sheet.hold.fd = -1;
	a->who = who;
	a->file = file;
	memcpy(a->id, id, sizeof(a->id));
	e = chain_new(id, file, key, &a->chain);
	if (e == OK)
		e = note_keys_new(id, file, mldsa, &a->keys);
	if (e == OK)
		*out = a;
	else
		author_free(a);
	return e;
}

void author_strip(struct author *a)
{
	chain_free(a->chain);
	note_keys_free(a->keys);
	a->chain = NULL;
	a->keys = NULL;
	buf_free(&a->lines);
	buf_free(&a->note);
}

void author_free(struct author *a)
{
	if (a == NULL)
		return;
	author_strip(a);
	mem_free(a);
}

enum err author_append(struct author *a, struct draft *d, struct span more)
{
	struct span members[3];
	enum err e = d->at.mono_ns < a->mono_ns ? draft_again(d, a->mono_ns) : OK;

	if (e != OK)
		return e;
	members[0] = buf_span(&d->who);
	members[1] = buf_span(&d->what);
	members[2] = more;
	e = chain_append(a->chain, members, 3, &a->lines);
	if (e != OK)
		return e;
	a->mono_ns = d->at.mono_ns;
	a->since++;
	return OK;
}

static enum err append_own(struct author *a, enum roll_event_kind kind, struct span more)
{
	const struct roll_event ev = {
		.kind = kind,
		.cls = CK_UNAVAILABLE_INFORMATION,
		.mech = CK_UNAVAILABLE_INFORMATION,
		.result = OK,
	};
	struct draft d;
	enum err e = draft_make(&d, a->who, &ev);

	return e == OK ? author_append(a, &d, more) : e;
}

enum err author_tell(struct author *a, enum roll_event_kind kind)
{
	return append_own(a, kind, span(NULL, 0));
}

enum err author_first(struct author *a, const struct ledger *l, const struct preface_after *after,
		      bool durable)
{
	const struct preface p = {
		.id = a->id,
		.file = a->file,
		.durable = durable,
		.ledger = l,
		.after = after,
		.keys = a->keys,
	};
	struct buf more = { 0 };
	enum err e = preface_put(&more, &p);

	if (e == OK)
		e = append_own(a, after == NULL ? EV_MODULE_START : EV_ROLL_CONTINUE,
			       buf_span(&more));
	a->signed_ns = a->mono_ns;
	buf_free(&more);
	return e;
}

static enum err put_note(struct author *a, struct buf *more)
{
	uint8_t root[TREE_HASH];
	enum err e = chain_root(a->chain, root);

	a->note.n = 0;
	if (e == OK)
		e = note_sign(a->keys, chain_seq(a->chain), root, &a->note);
	return e == OK ? encode_own(more, "note", buf_span(&a->note)) : e;
}

enum err author_sign(struct author *a, enum roll_event_kind kind)
{
	struct buf more = { 0 };
	enum err e = put_note(a, &more);

	if (e == OK)
		e = append_own(a, kind, buf_span(&more));
	if (e == OK) {
		a->since = 0;
		a->signed_ns = a->mono_ns;
	}
	buf_free(&more);
	return e;
}

void author_end(const struct author *a, struct roster_end *end)
{
	end->whole = chain_seq(a->chain) != 0;
	end->seq = chain_seq(a->chain) - 1;
	memcpy(end->head, chain_head(a->chain), sizeof(end->head));
}

enum err author_write(struct author *a, struct span lines, const struct roster_end *end,
		      struct why *why)
{
	const uint64_t safe = a->sheet.safe;
	enum err e = sheet_write(&a->sheet, lines, why);

	if (a->sheet.safe != safe)
		a->safe = *end;
	return e;
}

enum err author_finish(struct author *a, enum roll_event_kind kind, struct why *why)
{
	struct roster_end end;
	enum err e = author_sign(a, kind);

	if (e != OK)
		return why_fail(why, e, "cannot sign the last record of %s: %s", a->sheet.path,
				err_text(e));
	author_end(a, &end);
	e = author_write(a, buf_span(&a->lines), &end, why);
	buf_clear(&a->lines);
	if (e != OK)
		return e;
	a->ended = true;
	sheet_trim(&a->sheet);
	return OK;
}
