/* SPDX-License-Identifier: Apache-2.0 */
/* What a token's store holds for the roll: a body that is taken cannot end the record, the line or the object that it is put into. */
#include "audit/pend.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Read as any reader of JSON finds its way: strings end at a quote that is not escaped, and what is opened is closed. */
static void check_members(struct span s)
{
	bool string = false;
	int depth = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < 0x20 || s.p[i] > 0x7e)
			abort();
		if (string && s.p[i] == '\\')
			i++;
		else if (s.p[i] == '"')
			string = !string;
		else if (!string)
			depth += (s.p[i] == '{') - (s.p[i] == '}');
		if (depth < 0 || depth > 1)
			abort();
	}
	if (string || depth != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pend p;

	if (pend_take(span(data, size), &p) != OK)
		return 0;
	if (p.what.n == 0 || p.what.p[0] != ',')
		abort();
	check_members(p.what);
	check_members(p.who);
	return 0;
}
