/* SPDX-License-Identifier: Apache-2.0 */
/* A set that decodes encodes to the same bytes: there is one form only. */
#include "base/attrset.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Changes every value, so that holes and moves of the block are reached too. */
static void change(struct attrset *s)
{
	for (size_t i = 0; i < attrset_count(s); i++) {
		struct attr a = attrset_at(s, i);

		if (attrset_put(s, a.type, span(a.v.p, a.v.n / 2)) != OK)
			abort();
	}
	while (attrset_count(s) != 0)
		attrset_drop(s, attrset_at(s, attrset_count(s) / 2).type);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct attrset *s = NULL;
	struct buf b = { 0 };

	if (attrset_decode(span(data, size), size % 2 != 0, &s) != OK)
		return 0;
	if (attrset_encode(s, &b) != OK || !span_eq(buf_span(&b), span(data, size)))
		abort();
	buf_free(&b);
	change(s);
	attrset_free(s);
	return 0;
}
