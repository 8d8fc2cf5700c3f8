/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/digits.h"

void digits_fixed(uint64_t v, size_t n, char *out)
{
	while (n != 0) {
		out[--n] = (char)('0' + v % 10);
		v /= 10;
	}
}

size_t digits_decimal(uint64_t v, char out[DIGITS_MAX])
{
	size_t n = 1;

	for (uint64_t rest = v / 10; rest != 0; rest /= 10)
		n++;
	digits_fixed(v, n, out);
	return n;
}

void digits_hex(struct span bytes, char *out)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < bytes.n; i++) {
		out[2 * i] = digits[bytes.p[i] >> 4];
		out[2 * i + 1] = digits[bytes.p[i] & 15];
	}
}
