/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/template.h"
#include <stdlib.h>

static const CK_BBOOL truth[2] = { CK_FALSE, CK_TRUE };

void template_bytes(struct template *t, CK_ATTRIBUTE_TYPE type, struct span v)
{
	if (t->n == TEMPLATE_MAX)
		abort();
	/* The standard's template is not const, but modules only read it. */
	t->a[t->n++] = (CK_ATTRIBUTE){ type, (void *)(uintptr_t)v.p, v.n };
}

void template_ulong(struct template *t, CK_ATTRIBUTE_TYPE type, CK_ULONG v)
{
	CK_ULONG *place = &t->numbers[t->n < TEMPLATE_MAX ? t->n : 0];

	*place = v;
	template_bytes(t, type, span(place, sizeof(*place)));
}

void template_bool(struct template *t, CK_ATTRIBUTE_TYPE type, bool v)
{
	template_bytes(t, type, span(&truth[v], sizeof(truth[v])));
}
