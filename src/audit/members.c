/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/members.h"

#include "audit/digits.h"

static bool take(struct span *s, uint8_t c)
{
	if (s->n == 0 || s->p[0] != c)
		return false;
	*s = span(s->p + 1, s->n - 1);
	return true;
}

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static bool is_name(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || is_digit(c) || c == '_';
}

static bool is_hex(uint8_t c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f');
}

/* At least one of a kind. */
static bool take_some(struct span *s, bool (*is)(uint8_t))
{
	size_t n = 0;

	while (n < s->n && is(s->p[n]))
		n++;
	*s = span(s->p + n, s->n - n);
	return n != 0;
}

/* After a backslash. */
static bool take_escape(struct span *s)
{
	if (take(s, '"') || take(s, '\\'))
		return true;
	if (!take(s, 'u') || s->n < 4)
		return false;
	for (size_t i = 0; i < 4; i++)
		if (!is_hex(s->p[i]))
			return false;
	*s = span(s->p + 4, s->n - 4);
	return true;
}

static bool take_string(struct span *s)
{
	if (!take(s, '"'))
		return false;
	while (s->n != 0 && s->p[0] != '"') {
		if (take(s, '\\')) {
			if (!take_escape(s))
				return false;
			continue;
		}
		if (s->p[0] < 0x20 || s->p[0] > 0x7e)
			return false;
		*s = span(s->p + 1, s->n - 1);
	}
	return take(s, '"');
}

static bool take_name(struct span *s)
{
	return take(s, '"') && take_some(s, is_name) && take(s, '"') && take(s, ':');
}

/* As digits_decimal writes them. */
static bool take_number(struct span *s)
{
	const struct span was = *s;

	if (!take_some(s, is_digit))
		return false;
	return was.n - s->n <= DIGITS_MAX && (was.p[0] != '0' || was.n - s->n == 1);
}

static bool take_simple(struct span *s)
{
	return take_name(s) && (s->n != 0 && s->p[0] == '"' ? take_string(s) : take_number(s));
}

static bool take_object(struct span *s)
{
	bool ok = take(s, '{') && take_simple(s);

	while (ok && take(s, ','))
		ok = take_simple(s);
	return ok && take(s, '}');
}

static bool take_member(struct span *s)
{
	struct span value = *s;

	if (!take_name(&value) || value.n == 0)
		return false;
	if (value.p[0] != '{')
		return take_simple(s);
	*s = value;
	return take_object(s);
}

bool members_ok(struct span s)
{
	bool ok = take_member(&s);

	while (ok && take(&s, ','))
		ok = take_member(&s);
	return ok && s.n == 0;
}
