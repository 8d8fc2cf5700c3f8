/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/escape.h"

#include "audit/digits.h"
#include "base/utf8.h"

#define BASIC_PLANE 0x10000U /* code points from here on are pairs of surrogates */

static bool plain(uint8_t c)
{
	return c >= 0x20 && c <= 0x7e && c != '"' && c != '\\';
}

static size_t plain_run(struct span text)
{
	size_t n = 0;

	while (n < text.n && plain(text.p[n]))
		n++;
	return n;
}

static enum err put_unit(struct buf *b, uint32_t unit)
{
	const uint8_t bytes[] = { (uint8_t)(unit >> 8), (uint8_t)unit };
	char esc[6] = { '\\', 'u' };

	digits_hex(span(bytes, sizeof(bytes)), esc + 2);
	return buf_put(b, span(esc, sizeof(esc)));
}

/* RFC 8259, 7. */
static enum err put_char(struct buf *b, uint32_t c)
{
	const char esc[] = { '\\', (char)c };
	enum err e;

	if (c == '"' || c == '\\')
		return buf_put(b, span(esc, sizeof(esc)));
	if (c < BASIC_PLANE)
		return put_unit(b, c);
	e = put_unit(b, 0xd800 + ((c - BASIC_PLANE) >> 10));
	return e == OK ? put_unit(b, 0xdc00 + ((c - BASIC_PLANE) & 0x3ff)) : e;
}

enum err escape_put(struct buf *b, struct span text)
{
	size_t n = plain_run(text);
	enum err e = buf_put(b, span(text.p, n));

	while (e == OK && n < text.n) {
		struct span rest = span(text.p + n, text.n - n);
		uint32_t c = 0;
		size_t of_char = utf8_char(rest, &c), run;

		if (of_char == 0)
			return E_DATA;
		rest = span(rest.p + of_char, rest.n - of_char);
		run = plain_run(rest);
		e = put_char(b, c);
		if (e == OK)
			e = buf_put(b, span(rest.p, run));
		n += of_char + run;
	}
	return e;
}
