/* SPDX-License-Identifier: Apache-2.0 */
#include "auditor/why_order.h"

#include "auditor/lines.h"
#include <inttypes.h>

enum seen {
	SEEN_NOT,   /* no line has it */
	SEEN_SAME,  /* a line before has the same bytes */
	SEEN_OTHER, /* a line before has the number, and other bytes */
	SEEN_LATER, /* a line that comes after */
};

/* Where else the file has a record of number seq: before the line `at` compared with `same`, or after it. */
static enum seen look(const char *path, uint64_t seq, uint64_t at, struct span same, uint64_t *line)
{
	struct lines l;
	struct span text;
	struct why why;
	uint64_t has;
	enum seen seen = SEEN_NOT;

	if (lines_open(path, &l, &why) != OK)
		return SEEN_NOT;
	while (seen == SEEN_NOT && lines_next(&l, &text) == LINES_MORE) {
		if (l.number == at || !line_seq(text, &has) || has != seq)
			continue;
		*line = l.number;
		seen = l.number > at ? SEEN_LATER : span_eq(text, same) ? SEEN_SAME : SEEN_OTHER;
	}
	lines_close(&l);
	return seen;
}

/* A number that was there already. */
static void came_back(const char *path, uint64_t file, uint64_t want, const struct line *got,
		      struct finding *f)
{
	uint64_t line = 0, at = want + 1;
	enum seen seen = look(path, got->seq.v, at, got->raw, &line);

	if (seen == SEEN_SAME)
		finding_set(f, DAMAGE_DUPLICATED, file, at, "this is line %" PRIu64 " once more",
			    line);
	else
		finding_set(f, DAMAGE_FORKED, file, at,
			    "there are two records %" PRIu64 ", in line %" PRIu64
			    " and here: the file was continued from an older state",
			    got->seq.v, line);
}

void why_order(const char *path, uint64_t file, uint64_t want, const struct line *got,
	       struct finding *f)
{
	uint64_t line = 0, at = want + 1;

	if (got->seq.v < want) {
		came_back(path, file, want, got, f);
		return;
	}
	if (look(path, want, at, span(NULL, 0), &line) == SEEN_LATER)
		finding_set(f, DAMAGE_REORDERED, file, at,
			    "here is record %" PRIu64 ", and record %" PRIu64 " in line %" PRIu64,
			    got->seq.v, want, line);
	else if (got->seq.v == want + 1)
		finding_set(f, DAMAGE_REMOVED, file, at, "record %" PRIu64 " is missing before it",
			    want);
	else
		finding_set(f, DAMAGE_REMOVED, file, at,
			    "records %" PRIu64 " to %" PRIu64 " are missing before it", want,
			    got->seq.v - 1);
}
