/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

/*
 * RFC 3629, section 4: first bytes, how many follow, and the bounds of the second byte, which rule
 * out overlong forms (E0, F0), surrogates (ED) and what is above U+10FFFF (F4).
 */
static const struct row {
	uint8_t first, last;
	uint8_t follow;
	uint8_t low, high;
} rows[] = {
	{ 0x00, 0x7f, 0, 0x00, 0x00 }, { 0xc2, 0xdf, 1, 0x80, 0xbf }, { 0xe0, 0xe0, 2, 0xa0, 0xbf },
	{ 0xe1, 0xec, 2, 0x80, 0xbf }, { 0xed, 0xed, 2, 0x80, 0x9f }, { 0xee, 0xef, 2, 0x80, 0xbf },
	{ 0xf0, 0xf0, 3, 0x90, 0xbf }, { 0xf1, 0xf3, 3, 0x80, 0xbf }, { 0xf4, 0xf4, 3, 0x80, 0x8f },
};

static const struct row *row_of(uint8_t first)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (first >= rows[i].first && first <= rows[i].last)
			return &rows[i];
	}
	return NULL;
}

/* The length of the character at the front of s; 0: it is not one. */
static size_t char_len(struct span s)
{
	const struct row *r = row_of(s.p[0]);

	if (r == NULL || s.n <= r->follow)
		return 0;
	for (size_t i = 1; i <= r->follow; i++) {
		uint8_t low = i == 1 ? r->low : 0x80, high = i == 1 ? r->high : 0xbf;

		if (s.p[i] < low || s.p[i] > high)
			return 0;
	}
	return r->follow + 1U;
}

/* Of a well-formed character of n bytes: the first holds 7 bits, or 7 - n, the others 6 each. */
static uint32_t code_point(const uint8_t *p, size_t n)
{
	uint32_t c = n == 1 ? p[0] : p[0] & (0x7fU >> n);

	for (size_t i = 1; i < n; i++)
		c = c << 6 | (p[i] & 0x3fU);
	return c;
}

size_t utf8_char(struct span s, uint32_t *c)
{
	size_t n = s.n != 0 ? char_len(s) : 0;

	if (n != 0)
		*c = code_point(s.p, n);
	return n;
}

/* Most texts are ASCII, and this is asked of each that is recorded. */
static struct span skip_ascii(struct span s)
{
	size_t n = 0;

	while (n < s.n && s.p[n] < 0x80)
		n++;
	return n != 0 ? span(s.p + n, s.n - n) : s;
}

bool utf8_valid(struct span s)
{
	for (s = skip_ascii(s); s.n != 0; s = skip_ascii(s)) {
		size_t n = char_len(s);

		if (n == 0)
			return false;
		s = span(s.p + n, s.n - n);
	}
	return true;
}

static const struct range {
	uint32_t first, last;
} steering[] = {
	{ 0x00, 0x1f },     { 0x7f, 0x9f },     { 0x61c, 0x61c },
	{ 0x200e, 0x200f }, { 0x2028, 0x202e }, { 0x2066, 0x2069 },
};

size_t utf8_shown(struct span s)
{
	uint32_t c = 0;
	size_t n = utf8_char(s, &c);

	for (size_t i = 0; i < sizeof(steering) / sizeof(steering[0]); i++) {
		if (c >= steering[i].first && c <= steering[i].last)
			return 0;
	}
	return n;
}

bool utf8_all_shown(struct span s)
{
	while (s.n != 0) {
		size_t n = utf8_shown(s);

		if (n == 0)
			return false;
		s = span(s.p + n, s.n - n);
	}
	return true;
}
