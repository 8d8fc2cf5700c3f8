/* SPDX-License-Identifier: Apache-2.0 */
/* Little-endian numbers in bytes of any alignment. */
#ifndef CHANCERY_BASE_LE_H
#define CHANCERY_BASE_LE_H

#include <stdint.h>

static inline void le_put32(uint8_t p[4], uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> (8 * i));
}

static inline void le_put64(uint8_t p[8], uint64_t v)
{
	for (int i = 0; i < 8; i++)
		p[i] = (uint8_t)(v >> (8 * i));
}

/* Written out, for compilers then see one load. */
static inline uint32_t le_get32(const uint8_t p[4])
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t le_get64(const uint8_t p[8])
{
	return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 |
	       (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 |
	       (uint64_t)p[7] << 56;
}

#endif
