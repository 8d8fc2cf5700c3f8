/* SPDX-License-Identifier: Apache-2.0 */
#include "auditor/code.h"

static const char hex_digits[] = "0123456789abcdef";
static const char b64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* What a character is worth, plus one; 0: it is no digit. */
static const uint8_t hex_worth[256] = {
	['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
	['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
	['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
};

bool code_hex(struct span text, uint8_t *out, size_t n)
{
	if (text.n != 2 * n)
		return false;
	for (size_t i = 0; i < n; i++) {
		unsigned a = hex_worth[text.p[2 * i]], b = hex_worth[text.p[2 * i + 1]];

		if (a == 0 || b == 0)
			return false;
		out[i] = (uint8_t)((a - 1) << 4 | (b - 1));
	}
	return true;
}

void code_hex_put(struct span bytes, char *out)
{
	for (size_t i = 0; i < bytes.n; i++) {
		*out++ = hex_digits[bytes.p[i] >> 4];
		*out++ = hex_digits[bytes.p[i] & 15];
	}
	*out = '\0';
}

static int b64_worth(uint8_t c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Four characters, of which the last `pad` were "=": 3 - pad bytes. */
static bool b64_group(const uint8_t *p, size_t pad, uint8_t *out)
{
	uint32_t v = 0;

	for (size_t i = 0; i < 4; i++) {
		int w = i < 4 - pad ? b64_worth(p[i]) : 0;

		if (w < 0)
			return false;
		v = v << 6 | (uint32_t)w;
	}
	if ((v & ((1U << (8 * pad)) - 1)) != 0)
		return false;
	for (size_t i = 0; i < 3 - pad; i++)
		out[i] = (uint8_t)(v >> (16 - 8 * i));
	return true;
}

bool code_b64(struct span text, uint8_t *out, size_t *n)
{
	size_t pad = 0, done = 0;

	if (text.n % 4 != 0)
		return false;
	while (pad < 2 && pad < text.n && text.p[text.n - 1 - pad] == '=')
		pad++;
	if (text.n / 4 * 3 - pad > *n)
		return false;
	for (size_t i = 0; i < text.n; i += 4) {
		size_t cut = i + 4 == text.n ? pad : 0;

		if (!b64_group(text.p + i, cut, out + done))
			return false;
		done += 3 - cut;
	}
	*n = done;
	return true;
}

bool code_b64_exact(struct span text, uint8_t *out, size_t n)
{
	size_t got = n;

	return code_b64(text, out, &got) && got == n;
}

enum err code_b64_put(struct span bytes, struct buf *out)
{
	enum err e = buf_reserve(out, (bytes.n + 2) / 3 * 4);

	for (size_t i = 0; e == OK && i < bytes.n; i += 3) {
		size_t n = bytes.n - i < 3 ? bytes.n - i : 3;
		uint32_t v = (uint32_t)bytes.p[i] << 16;
		uint8_t four[4];

		v |= n > 1 ? (uint32_t)bytes.p[i + 1] << 8 : 0;
		v |= n > 2 ? bytes.p[i + 2] : 0;
		for (size_t k = 0; k < 4; k++)
			four[k] = k <= n ? (uint8_t)b64_digits[v >> (18 - 6 * k) & 63] : '=';
		e = buf_put(out, span(four, sizeof(four)));
	}
	return e;
}

bool code_number(struct span text, uint64_t *v)
{
	uint64_t sum = 0;

	if (text.n == 0 || text.n > 20 || (text.p[0] == '0' && text.n > 1))
		return false;
	for (size_t i = 0; i < text.n; i++) {
		unsigned d = (unsigned)text.p[i] - '0';

		if (d > 9 || __builtin_mul_overflow(sum, 10, &sum) ||
		    __builtin_add_overflow(sum, d, &sum))
			return false;
	}
	*v = sum;
	return true;
}

/* Four hexadecimal digits at p, which the line's parser has seen. */
static uint32_t unit(const uint8_t *p)
{
	uint8_t b[2] = { 0, 0 };

	(void)code_hex(span(p, 4), b, 2);
	return (uint32_t)b[0] << 8 | b[1];
}

static enum err put_point(struct buf *out, uint32_t c)
{
	uint8_t b[4];
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const uint8_t lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	for (size_t i = n - 1; i > 0; i--, c >>= 6)
		b[i] = (uint8_t)(0x80 | (c & 0x3f));
	b[0] = (uint8_t)(lead[n] | c);
	return buf_put(out, span(b, n));
}

enum err code_unescape(struct span text, struct buf *out)
{
	enum err e = OK;

	for (size_t i = 0; e == OK && i < text.n;) {
		size_t plain = i;

		while (plain < text.n && text.p[plain] != '\\')
			plain++;
		e = buf_put(out, span(text.p + i, plain - i));
		i = plain;
		if (e != OK || i == text.n)
			break;
		if (i + 5 >= text.n || text.p[i + 1] != 'u') {
			if (i + 1 >= text.n)
				return E_DATA;
			e = buf_put_u8(out, text.p[i + 1]);
			i += 2;
			continue;
		}
		uint32_t c = unit(text.p + i + 2);
		i += 6;
		if (c >= 0xd800 && c < 0xdc00 && i + 6 <= text.n) {
			c = 0x10000 +
			    ((c - 0xd800) << 10 | ((unit(text.p + i + 2) - 0xdc00) & 0x3ff));
			i += 6;
		}
		e = put_point(out, c);
	}
	return e;
}
