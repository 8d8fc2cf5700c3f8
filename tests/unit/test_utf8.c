/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* Plain arithmetic, as a second opinion on every code point. */
static size_t encode(unsigned long c, uint8_t out[4])
{
	if (c < 0x80) {
		out[0] = (uint8_t)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (uint8_t)(0xc0 | c >> 6);
		out[1] = (uint8_t)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (uint8_t)(0xe0 | c >> 12);
		out[1] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
		out[2] = (uint8_t)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (uint8_t)(0xf0 | c >> 18);
	out[1] = (uint8_t)(0x80 | (c >> 12 & 0x3f));
	out[2] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
	out[3] = (uint8_t)(0x80 | (c & 0x3f));
	return 4;
}

static void every_code_point(void **state)
{
	(void)state;
	for (unsigned long c = 0; c < 0x200000; c++) {
		uint8_t b[4];
		size_t n = encode(c, b);
		bool good = c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);

		assert_int_equal(utf8_valid(span(b, n)), good);
		for (size_t cut = 1; cut < n; cut++)
			assert_false(utf8_valid(span(b, cut)));
	}
}

static void forms_that_are_none(void **state)
{
	static const char *const bad[] = {
		"\x80",
		"\xbf",
		"\xc0\x80",
		"\xc1\xbf",
		"\xc3\x28",
		"\xe0\x80\x80",
		"\xe0\x9f\xbf",
		"\xf0\x80\x80\x80",
		"\xf0\x8f\xbf\xbf",
		"\xf5\x80\x80\x80",
		"\xfe",
		"\xff",
		"a\xcc",
		"\xe2\x28\xa1",
		"\xe2\x82\x28",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(utf8_valid(span_str(bad[i])));
	assert_true(utf8_valid(span(NULL, 0)));
	assert_true(utf8_valid(span("a\0b", 3)));
	assert_true(utf8_valid(span_str("p\xc3\xa4ssw\xc3\xb6rd \xf0\x9f\x94\x91")));
}

/* Named one by one, as a second opinion on the ranges. Seen to fail with each range taken out. */
static bool steers(unsigned long c)
{
	static const unsigned long others[] = {
		0x61c,  0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b,
		0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069,
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (c == others[i])
			return true;
	return c < ' ' || (c >= 0x7f && c < 0xa0);
}

static void what_steers_is_not_shown(void **state)
{
	uint8_t b[6] = { 0 };

	(void)state;
	for (unsigned long c = 0; c < 0x200000; c++) {
		size_t n = encode(c, b);
		bool shown = utf8_valid(span(b, n)) && !steers(c);

		b[n] = 'x';
		assert_int_equal(utf8_shown(span(b, n + 1)), shown ? n : 0);
		assert_int_equal(utf8_all_shown(span(b, n + 1)), shown);
		assert_int_equal(utf8_shown(span(b, n - 1)), 0);
	}
	assert_int_equal(utf8_shown(span_str("\x9b")), 0);
	assert_true(utf8_all_shown(span(NULL, 0)));
	assert_false(utf8_all_shown(span_str("ab\n")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_code_point),
		cmocka_unit_test(what_steers_is_not_shown),
		cmocka_unit_test(forms_that_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
