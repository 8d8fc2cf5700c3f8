/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/hex.h"

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

enum err hex_parse(const char *text, struct buf *out, struct why *why)
{
	const char *s = text;
	enum err e = OK;

	while (*s != '\0' && e == OK) {
		int high = digit(s[0]), low = high < 0 ? -1 : digit(s[1]);
		if (low < 0)
			return why_fail(why, E_ARGUMENTS, "\"%s\" is not hexadecimal", text);
		e = buf_put_u8(out, (uint8_t)(high << 4 | low));
		s += 2;
		if (*s == ':' && s[1] != '\0')
			s++;
	}
	if (e == OK && s == text)
		return why_fail(why, E_ARGUMENTS, "an empty text is no hexadecimal value");
	return e;
}
