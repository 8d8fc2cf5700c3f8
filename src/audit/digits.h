/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and bytes as digits, without a terminating zero. */
#ifndef CHANCERY_AUDIT_DIGITS_H
#define CHANCERY_AUDIT_DIGITS_H

#include "base/span.h"

enum { DIGITS_MAX = 20 }; /* of 2^64 - 1 */

/* How many there are. */
size_t digits_decimal(uint64_t v, char out[DIGITS_MAX]);
/* v modulo 10^n with its leading zeros. */
void digits_fixed(uint64_t v, size_t n, char *out);
/* Lower-case hexadecimal, two for each byte. */
void digits_hex(struct span bytes, char *out);

#endif
