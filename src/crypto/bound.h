/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lengths of outputs from lengths of inputs, which are a caller's and may be anything: what would
 * not fit in a size_t stays at SIZE_MAX, a length that no buffer has.
 */
#ifndef CHANCERY_CRYPTO_BOUND_H
#define CHANCERY_CRYPTO_BOUND_H

#include <stddef.h>
#include <stdint.h>

static inline size_t bound_add(size_t a, size_t b)
{
	return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

/* n rounded up to whole units. */
static inline size_t bound_up(size_t n, size_t unit)
{
	size_t over = n % unit;

	return over == 0 || n == SIZE_MAX ? n : bound_add(n, unit - over);
}

#endif
