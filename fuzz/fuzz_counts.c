/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of counters with anything in it: what is read is in order, each row once, and no number is beyond what JSON holds. The input is the
 * file's beginning, or, since most of a file is zero, words to be put into a good one: place (4 bytes), word (8).
 */
#include "cli/counts.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct counts c;

static void check_number(uint64_t v)
{
	if (v > INT64_MAX)
		abort();
}

static void check_row(const struct counts_row *r, const struct counts_row *before)
{
	const uint64_t all[] = {
		r->done, r->rejected, r->failed, r->bytes, r->samples, r->sample_ns
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		check_number(all[i]);
	if (before != NULL && (before->mechanism > r->mechanism ||
			       (before->mechanism == r->mechanism && before->use >= r->use)))
		abort();
}

static void parse(const void *p, size_t n)
{
	struct why why;

	if (counts_parse(span(p, n), "fuzz", &c, &why) != OK)
		return;
	check_number(c.since);
	check_number(c.lost);
	for (size_t i = 0; i < c.n; i++)
		check_row(&c.row[i], i > 0 ? &c.row[i - 1] : NULL);
}

/* The words go to the names of the rows, and to their cells. */
static void put(struct tally *t, const uint8_t *p)
{
	const size_t first = TALLY_PAGE, words = (sizeof(*t) - first) / 8;
	uint32_t place;

	memcpy(&place, p, sizeof(place));
	memcpy((uint8_t *)(void *)t + first + place % words * 8, p + sizeof(place), 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tally *t = calloc(1, sizeof(*t));

	parse(data, size);
	if (t == NULL)
		return 0;
	t->head = tally_head_new();
	for (; size >= 12; data += 12, size -= 12)
		put(t, data);
	parse((const void *)t, sizeof(*t));
	free(t);
	return 0;
}
