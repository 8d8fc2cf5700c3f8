/* SPDX-License-Identifier: Apache-2.0 */
#include "attrs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static enum err put(struct attrset *s, const struct give *g)
{
	switch (g->form) {
	case GIVE_FLAG: return attrset_put_bool(s, g->type, g->number != 0);
	case GIVE_NUM: return attrset_put_ulong(s, g->type, g->number);
	case GIVE_BYTES: return attrset_put(s, g->type, g->bytes);
	}
	return E_INTERNAL;
}

struct attrset *attrs_of(const struct give *g, size_t n)
{
	struct attrset *s = attrset_new(false);

	assert_non_null(s);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(put(s, &g[i]), OK);
	return s;
}

struct span attrs_nested(struct attrset *s, struct buf *form)
{
	assert_int_equal(attrset_encode(s, form), OK);
	attrset_free(s);
	return buf_span(form);
}
