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

static bool put_unit(struct sink *s, uint32_t unit)
{
	const uint8_t bytes[] = { (uint8_t)(unit >> 8), (uint8_t)unit };
	char esc[6] = { '\\', 'u' };

	digits_hex(span(bytes, sizeof(bytes)), esc + 2);
	return sink_put(s, span(esc, sizeof(esc)));
}

/* RFC 8259, 7. */
static bool put_char(struct sink *s, uint32_t c)
{
	const char esc[] = { '\\', (char)c };

	if (c == '"' || c == '\\')
		return sink_put(s, span(esc, sizeof(esc)));
	if (c < BASIC_PLANE)
		return put_unit(s, c);
	return put_unit(s, 0xd800 + ((c - BASIC_PLANE) >> 10)) &&
	       put_unit(s, 0xdc00 + ((c - BASIC_PLANE) & 0x3ff));
}

static struct span after(struct span s, size_t n)
{
	return span(s.p + n, s.n - n);
}

bool escape_put(struct sink *s, struct span text)
{
	while (text.n != 0) {
		size_t n = plain_run(text);
		uint32_t c = 0;

		if (!sink_put(s, span(text.p, n)))
			return false;
		text = after(text, n);
		if (text.n == 0)
			return true;
		n = utf8_char(text, &c);
		if (n == 0 || !put_char(s, c))
			return false;
		text = after(text, n);
	}
	return true;
}
