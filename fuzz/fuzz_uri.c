/* SPDX-License-Identifier: Apache-2.0 */
/* A URI that parses says the same after it was formatted and parsed again. */
#include "base/uri.h"

#include "base/mem.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *text_of(struct span s)
{
	char *text = mem_alloc(s.n + 1);

	if (text != NULL && s.n != 0)
		memcpy(text, s.p, s.n);
	return text;
}

static void check_same(const struct uri *u, const struct uri *v)
{
	for (int a = 0; a < URI_ATTR_COUNT; a++) {
		if (u->has[a] != v->has[a] || !span_eq(u->v[a], v->v[a]))
			abort();
	}
}

/* Encoding can make a URI too long to be one. */
static void check_again(const struct uri *u)
{
	struct buf b = { 0 };
	struct uri v;
	char *text;

	if (uri_format(u, &b) != OK)
		abort();
	text = text_of(buf_span(&b));
	if (text != NULL && b.n <= URI_MAX) {
		if (uri_parse(text, &v, NULL) != OK)
			abort();
		check_same(u, &v);
		uri_free(&v);
	}
	mem_free(text);
	buf_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = text_of(span(data, size));
	struct why w;
	struct uri u;

	if (text != NULL && uri_parse(text, &u, &w) == OK) {
		check_again(&u);
		uri_free(&u);
	}
	mem_free(text);
	return 0;
}
