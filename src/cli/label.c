/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/label.h"
#include "base/mem.h"
#include "base/utf8.h"
#include <string.h>

enum err label_take(struct call *c, CK_UTF8CHAR label[LABEL_BYTES])
{
	const char *text;
	enum err e = call_required(c, "label", &text);

	if (e != OK)
		return e;
	size_t n = strlen(text);
	if (n == 0 || n > LABEL_BYTES)
		return why_fail(&c->why, E_ARGUMENTS,
				"a token's label has 1 to %d bytes, \"%s\" has %zu", LABEL_BYTES,
				text, n);
	if (!utf8_all_shown(span(text, n)))
		return why_fail(
			&c->why, E_ARGUMENTS,
			"a token's label is UTF-8 text without control characters or marks that "
			"turn its direction");
	memset(label, ' ', LABEL_BYTES);
	memcpy(label, text, n);
	return OK;
}

enum err label_unused(struct call *c, const struct office *o, const CK_UTF8CHAR label[LABEL_BYTES])
{
	struct picks p;
	enum err e = pick_tokens(o->m, NULL, PICK_TOKEN, &p, &c->why);

	for (size_t i = 0; i < p.n && e == OK; i++)
		if (memcmp(p.spots[i].info.label, label, LABEL_BYTES) == 0 &&
		    p.spots[i].slot != o->spot.slot)
			e = why_fail(&c->why, E_ARGUMENTS,
				     "there is a token of this name already, in slot %lu",
				     p.spots[i].slot);
	picks_free(&p);
	return e;
}
