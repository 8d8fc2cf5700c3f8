/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that grow by doubling. */
#ifndef CHANCERY_STORE_GROW_H
#define CHANCERY_STORE_GROW_H

#include "base/mem.h"

/* The array p of n elements of size bytes, with room for one more; NULL when there is no memory: p stays as it was. */
static inline void *grow(void *p, size_t n, size_t *room, size_t size)
{
	size_t more = *room == 0 ? 16 : *room * 2;
	void *q;

	if (n < *room)
		return p;
	q = mem_realloc(p, more * size);
	if (q != NULL)
		*room = more;
	return q;
}

#endif
