/* SPDX-License-Identifier: Apache-2.0 */
/* A configuration either gives values that can all be printed, or a reason. */
#include "base/conf.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print_all(const struct conf *c)
{
	size_t n;
	const struct conf_key *k = conf_keys(&n);

	for (size_t i = 0; i < n; i++) {
		struct buf b = { 0 };

		if (conf_value(&k[i], conf_section(c, &k[i]), &b) != OK)
			abort();
		buf_free(&b);
	}
	if (conf_token(c, span_str("a"))->argon2_time < 2)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct conf *c = NULL;
	struct why w = { "" };

	if (conf_parse(span(data, size), "fuzz", &c, &w) == OK)
		print_all(c);
	else if (c != NULL || w.text[0] == '\0')
		abort();
	conf_free(c);
	return 0;
}
