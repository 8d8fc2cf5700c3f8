/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/preface.h"

#include "audit/digits.h"
#include "audit/encode.h"
#include "base/version.h"
#include <limits.h>
#include <unistd.h>

enum { FORMAT = 1 };

/* Hexadecimal digits of at most 32 bytes. */
static enum err put_hex(struct buf *b, const char *name, const uint8_t *bytes, size_t n)
{
	char hex[2 * TREE_HASH];

	digits_hex(span(bytes, n), hex);
	return encode_own(b, name, span(hex, 2 * n));
}

/* A member without quotes; encode_number would do but for the name. */
static enum err put_raw(struct buf *b, const char *text)
{
	return buf_put(b, span_str(text));
}

static enum err put_host(struct buf *b)
{
	char host[HOST_NAME_MAX + 1] = "?";

	if (gethostname(host, sizeof(host)) != 0)
		host[0] = '?';
	host[sizeof(host) - 1] = '\0';
	return encode_text(b, "host", span_str(host));
}

static enum err put_index(struct buf *b, const struct ledger *l)
{
	const struct tree none = { 0 }, *t = l != NULL ? &l->tree : &none;
	uint8_t root[TREE_HASH];
	size_t at;
	enum err e = tree_root(t, root);

	if (e == OK)
		e = encode_open(b, "index", &at);
	if (e == OK)
		e = encode_number(b, "size", t->size);
	if (e == OK)
		e = put_hex(b, "root", root, sizeof(root));
	return e == OK ? encode_close(b, at) : e;
}

static enum err put_open(struct buf *b, const struct ledger *l)
{
	char digits[DIGITS_MAX];
	enum err e = put_raw(b, ",\"open\":[");

	for (size_t i = 0; e == OK && l != NULL && i < l->open_n; i++) {
		if (i != 0)
			e = buf_put_u8(b, ',');
		if (e == OK)
			e = buf_put(b, span(digits, digits_decimal(l->open[i], digits)));
	}
	return e == OK ? buf_put_u8(b, ']') : e;
}

static enum err put_after(struct buf *b, const struct preface_after *a)
{
	size_t at;
	enum err e;

	if (a == NULL)
		return OK;
	e = encode_open(b, "after", &at);
	if (e == OK)
		e = encode_number(b, "file", a->file);
	if (e == OK)
		e = encode_number(b, "seq", a->end.seq);
	if (e == OK)
		e = put_hex(b, "head", a->end.head, sizeof(a->end.head));
	return e == OK ? encode_close(b, at) : e;
}

static enum err put_members(struct buf *b, const struct preface *p)
{
	enum err e = encode_number(b, "format", FORMAT);

	if (e == OK)
		e = put_hex(b, "id", p->id, LEDGER_ID);
	if (e == OK)
		e = encode_number(b, "file", p->file);
	if (e == OK)
		e = encode_own(b, "build", span_str(CHANCERY_VERSION));
	if (e == OK)
		e = put_host(b);
	if (e == OK)
		e = put_raw(b, p->durable ? ",\"durable\":true" : ",\"durable\":false");
	if (e == OK)
		e = put_index(b, p->ledger);
	if (e == OK)
		e = put_open(b, p->ledger);
	if (e == OK)
		e = put_after(b, p->after);
	if (e == OK)
		e = note_publics(p->keys, b);
	if (e == OK && p->ledger != NULL && p->ledger->audited)
		e = put_hex(b, "auditor", p->ledger->print, LEDGER_PRINT);
	return e;
}

enum err preface_put(struct buf *b, const struct preface *p)
{
	size_t at;
	enum err e = encode_open(b, "roll", &at);

	if (e == OK)
		e = put_members(b, p);
	return e == OK ? encode_close(b, at) : e;
}
