/* SPDX-License-Identifier: Apache-2.0 */
#include "auditor/member.h"

#include "auditor/code.h"

/* What stands for itself in a string: printable ASCII without `"` and `\`. */
static bool is_plain(uint8_t c)
{
	return c >= 0x20 && c <= 0x7e && c != '"' && c != '\\';
}

/* Every byte of a word: the byte v. */
static uint64_t eight(uint8_t v)
{
	return UINT64_C(0x0101010101010101) * v;
}

/* Whether a byte of w is zero (or, which is no loss here, the byte above one that is zero is 1). */
static uint64_t has_zero(uint64_t w)
{
	return (w - eight(1)) & ~w & eight(0x80);
}

/* How many bytes stand for themselves, eight at a time as long as there are eight. */
static size_t plain_run(struct span s)
{
	size_t i = 0;

	for (; i + 8 <= s.n; i += 8) {
		uint64_t w, other;

		memcpy(&w, s.p + i, sizeof(w));
		other = (w & eight(0x80)) | ((w - eight(0x20)) & ~w & eight(0x80));
		other |= has_zero(w ^ eight('"')) | has_zero(w ^ eight('\\'));
		other |= has_zero(w ^ eight(0x7f));
		if (other != 0)
			break;
	}
	while (i < s.n && is_plain(s.p[i]))
		i++;
	return i;
}

static bool take(struct span *s, const char *text, size_t n)
{
	if (s->n < n || memcmp(s->p, text, n) != 0)
		return false;
	*s = span(s->p + n, s->n - n);
	return true;
}

static bool take_char(struct span *s, char c)
{
	if (s->n == 0 || s->p[0] != (uint8_t)c)
		return false;
	*s = span(s->p + 1, s->n - 1);
	return true;
}

/* `uXXXX`, and what it stands for. */
static bool take_unit(struct span *s, uint32_t *v)
{
	uint8_t b[2];

	if (s->n < 5 || s->p[0] != 'u' || !code_hex(span(s->p + 1, 4), b, 2))
		return false;
	*v = (uint32_t)b[0] << 8 | b[1];
	*s = span(s->p + 5, s->n - 5);
	return true;
}

/* What follows a backslash. What could stand for itself has no other form. */
static bool take_escape(struct span *s)
{
	uint32_t high, low;

	if (take_char(s, '"') || take_char(s, '\\'))
		return true;
	if (!take_unit(s, &high) || (high >= 0x20 && high <= 0x7e) ||
	    (high >= 0xdc00 && high <= 0xdfff))
		return false;
	if (high < 0xd800 || high > 0xdbff)
		return true;
	return take_char(s, '\\') && take_unit(s, &low) && low >= 0xdc00 && low <= 0xdfff;
}

static bool take_string(struct span *s, struct span *out)
{
	struct span rest = *s;

	if (!take_char(&rest, '"'))
		return false;
	const uint8_t *from = rest.p;
	for (;;) {
		size_t i = plain_run(rest);

		rest = span(rest.p + i, rest.n - i);
		if (take_char(&rest, '"'))
			break;
		if (!take_char(&rest, '\\') || !take_escape(&rest))
			return false;
	}
	*out = span(from, (size_t)(rest.p - from) - 1);
	*s = rest;
	return true;
}

static bool take_number(struct span *s, uint64_t *v)
{
	size_t n = 0;

	while (n < s->n && s->p[n] >= '0' && s->p[n] <= '9')
		n++;
	if (!code_number(span(s->p, n), v))
		return false;
	*s = span(s->p + n, s->n - n);
	return true;
}

static bool take_numbers(struct span *s, struct span *out)
{
	struct span rest = *s;
	uint64_t v, last = 0;

	if (!take_char(&rest, '['))
		return false;
	const uint8_t *from = rest.p;
	if (rest.n != 0 && rest.p[0] != ']')
		do {
			if (!take_number(&rest, &v) || v <= last)
				return false;
			last = v;
		} while (take_char(&rest, ','));
	*out = span(from, (size_t)(rest.p - from));
	*s = rest;
	return take_char(s, ']');
}

/* 64 digits, the first of which was not looked at. */
static bool take_hash(struct span *s, uint8_t out[SUM])
{
	enum { DIGITS = 2 * SUM };

	if (s->n < DIGITS + 2 || s->p[0] != '"' || s->p[DIGITS + 1] != '"' ||
	    !code_hex(span(s->p + 1, DIGITS), out, SUM))
		return false;
	*s = span(s->p + DIGITS + 2, s->n - DIGITS - 2);
	return true;
}

/* `"name` and an end of it. Most names that are asked for are others: their first letter says so. */
static bool take_name(struct span *s, const struct member *row, struct span end)
{
	const size_t n = 1 + row->n + end.n;
	const uint8_t *p = s->p;

	if (s->n < n || p[0] != '"' || p[1] != (uint8_t)row->name[0] ||
	    memcmp(p + 1 + row->n, end.p, end.n) != 0 || memcmp(p + 1, row->name, row->n) != 0)
		return false;
	*s = span(p + n, s->n - n);
	return true;
}

static bool is_hex(struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((s.p[i] < '0' || s.p[i] > '9') && (s.p[i] < 'a' || s.p[i] > 'f'))
			return false;
	return s.n % 2 == 0;
}

/* The name was read; *hex says which of the two it was. */
static bool take_text(struct span *s, const struct member *row, bool hex, struct text *t)
{
	struct span rest;
	uint8_t whole[SUM];

	t->hex = hex;
	if (!take_string(s, &t->s) || (hex && !is_hex(t->s)))
		return false;
	rest = *s;
	if (!take_char(&rest, ',') || !take_name(&rest, row, span("_sha256\":", 9)))
		return true;
	t->cut = true;
	*s = rest;
	return take_hash(s, whole);
}

static bool take_flag(struct span *s, bool *v)
{
	*v = take(s, "true", 4);
	return *v || take(s, "false", 5);
}

static bool take_value(struct span *s, const struct member *row, bool hex, uint8_t *at,
		       const char **bad)
{
	struct number *number = (struct number *)(void *)at;
	struct hash *hash = (struct hash *)(void *)at;
	struct span *string = (struct span *)(void *)at;

	switch (row->kind) {
	case MEMBER_NUMBER: return number->there = take_number(s, &number->v);
	case MEMBER_FLAG: return take_flag(s, (bool *)at);
	case MEMBER_STRING: return take_string(s, string);
	case MEMBER_TEXT: return take_text(s, row, hex, (struct text *)(void *)at);
	case MEMBER_HASH: return hash->there = take_hash(s, hash->b);
	case MEMBER_NUMBERS: return take_numbers(s, string);
	case MEMBER_OBJECT: break;
	}
	const uint8_t *from = s->p;
	if (!member_read(s, row->inner, at, bad))
		return false;
	*string = span(from, (size_t)(s->p - from));
	return true;
}

/* One row. *first: nothing was read of the object yet. */
static bool take_member(struct span *s, const struct member *row, bool *first, uint8_t *into,
			const char **bad)
{
	struct span rest = *s;
	bool hex = false;

	if (!*first && !take_char(&rest, ','))
		return row->optional;
	if (!take_name(&rest, row, span("\":", 2))) {
		hex = row->kind == MEMBER_TEXT && take_name(&rest, row, span("_hex\":", 6));
		if (!hex)
			return row->optional;
	}
	*first = false;
	*s = rest;
	if (row->nullable && take(s, "null", 4))
		return true;
	return take_value(s, row, hex, into + row->at, bad);
}

bool member_read(struct span *s, const struct member *rows, void *into, const char **bad)
{
	bool first = true;

	*bad = "{";
	if (!take_char(s, '{'))
		return false;
	for (; rows->name != NULL; rows++) {
		*bad = rows->name;
		if (!take_member(s, rows, &first, into, bad))
			return false;
	}
	*bad = "}";
	return take_char(s, '}');
}
