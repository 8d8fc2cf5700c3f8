/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers into a bounded place, little-endian: the fixed frames that are bound into what is sealed. */
#ifndef CHANCERY_STORE_PUT_H
#define CHANCERY_STORE_PUT_H

#include "base/le.h"
#include "base/span.h"

/* False, and nothing written, when there is no room: frames have a fixed length, so it does not happen. */
static inline bool put_u32(struct sink *s, uint32_t v)
{
	uint8_t le[4];

	le_put32(le, v);
	return sink_put(s, span(le, sizeof(le)));
}

static inline bool put_u64(struct sink *s, uint64_t v)
{
	uint8_t le[8];

	le_put64(le, v);
	return sink_put(s, span(le, sizeof(le)));
}

static inline bool put_u8(struct sink *s, uint8_t v)
{
	return sink_put(s, span(&v, 1));
}

#endif
