/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 and what the roll makes of it (docs/AUDIT.md, "Chain" and "Keys"). No allocation, cannot fail. */
#ifndef CHANCERY_AUDITOR_SUM_H
#define CHANCERY_AUDITOR_SUM_H

#include "base/span.h"

enum { SUM = 32 };

/* SHA-256(a || b). out may be where a or b is. */
void sum_of(struct span a, struct span b, uint8_t out[SUM]);
/* HMAC-SHA-256(key, data). */
void sum_mac(const uint8_t key[SUM], struct span data, uint8_t out[SUM]);
/* k(i+1) from k(i), in its place. */
void sum_ratchet(uint8_t key[SUM]);
/* HKDF-SHA-256 (RFC 5869) of one block. */
void sum_hkdf(struct span secret, struct span salt, const char *info, uint8_t out[SUM]);

#endif
