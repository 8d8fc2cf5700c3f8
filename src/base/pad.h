/* SPDX-License-Identifier: Apache-2.0 */
/* Text fields of fixed length, as in CK_INFO and its kin: filled up with blanks, not terminated. */
#ifndef CHANCERY_BASE_PAD_H
#define CHANCERY_BASE_PAD_H

#include <stdint.h>
#include <string.h>

/* What does not fit is cut. */
static inline void pad_put(uint8_t *field, size_t n, const char *text)
{
	size_t len = strlen(text);

	memset(field, ' ', n);
	memcpy(field, text, len < n ? len : n);
}

#endif
