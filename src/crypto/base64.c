/* SPDX-License-Identifier: Apache-2.0 */
#include "crypto/base64.h"

#include <limits.h>
#include <openssl/evp.h>

enum err base64_put(struct buf *out, struct span bytes)
{
	size_t n = (bytes.n + 2) / 3 * 4;
	enum err e;

	if (bytes.n > INT_MAX / 2) /* libcrypto counts in int */
		return E_DATA_LEN;
	e = buf_reserve(out, n + 1); /* it ends with a zero */
	if (e != OK || n == 0)
		return e;
	(void)EVP_EncodeBlock(out->p + out->n, bytes.p, (int)bytes.n);
	out->n += n;
	return OK;
}

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* 64: it is none. */
static uint32_t value_of(uint8_t digit)
{
	const char *at = memchr(digits, digit, sizeof(digits) - 1);

	return at != NULL ? (uint32_t)(at - digits) : 64;
}

/* Up to three bytes of four digits; 0: they are none. Padding only where it may be, with no bits lost. */
static size_t take_group(const uint8_t in[4], bool last, uint8_t out[3])
{
	size_t n = !last || in[3] != '=' ? 3 : in[2] != '=' ? 2 : 1;
	uint32_t v = 0;

	for (size_t i = 0; i < 4; i++) {
		uint32_t d = i <= n ? value_of(in[i]) : 0;

		if (d == 64)
			return 0;
		v = v << 6 | d;
	}
	for (size_t i = 0; i < 3; i++)
		out[i] = (uint8_t)(v >> (16 - 8 * i));
	return (n < 3 && out[2] != 0) || (n < 2 && out[1] != 0) ? 0 : n;
}

enum err base64_take(struct span text, struct buf *out)
{
	size_t was = out->n;
	enum err e = text.n % 4 == 0 ? buf_reserve(out, text.n / 4 * 3) : E_DATA;

	for (size_t at = 0; e == OK && at < text.n; at += 4) {
		size_t n = take_group(text.p + at, at + 4 == text.n, out->p + out->n);

		out->n += n;
		if (n == 0)
			e = E_DATA;
	}
	if (e != OK)
		out->n = was;
	return e;
}
