/* SPDX-License-Identifier: Apache-2.0 */
/* chancery audit export */
#include "cli/auditplace.h"
#include "cli/commands.h"
#include "cli/rollprint.h"
#include "cli/rollread.h"
#include <stdio.h>
#include <string.h>

static const struct option_row options[] = {
	AUDITPLACE_DIR,
	{ "format", "FORMAT", "csv, or ndjson (default): the records as they are, with their file",
	  "csv ndjson" },
	ROLLFILTER_ACTOR,
	ROLLFILTER_KEY,
	ROLLFILTER_EVENT,
	ROLLFILTER_SINCE,
	ROLLFILTER_UNTIL,
	ROLLFILTER_FILE,
	AUDITPLACE_END,
};

static enum err take_format(struct call *c, bool *csv)
{
	const char *format = call_option(c, "format");

	*csv = format != NULL && strcmp(format, "csv") == 0;
	if (format != NULL && !*csv && strcmp(format, "ndjson") != 0)
		return why_fail(&c->why, E_ARGUMENTS, "--format is csv or ndjson");
	if (*csv && c->json)
		return why_fail(&c->why, E_ARGUMENTS, "--json and --format csv contradict");
	return OK;
}

static void print_all(struct call *c, struct rollread *r, bool csv)
{
	const struct line *l;
	uint64_t file;

	c->told = true;
	if (csv)
		rollprint_csv_head();
	while ((l = rollread_next(r, &file)) != NULL) {
		if (csv) {
			rollprint_csv(file, l);
			continue;
		}
		rollprint_json(file, l);
		putchar('\n');
	}
	c->status = rollread_damaged(r);
}

static enum err audit_export(struct call *c)
{
	struct rollread *r = NULL;
	struct rollfilter f;
	char dir[PATH_MAX];
	bool csv;
	enum err e = take_format(c, &csv);

	if (e == OK)
		e = auditplace_dir(c, dir);
	if (e == OK)
		e = rollfilter_take(c, &f);
	if (e == OK)
		e = rollread_open(c, dir, &f, false, &r);
	if (e == OK)
		print_all(c, r, csv);
	rollread_close(r);
	return e;
}

const struct command cmd_audit_export = {
	"audit", "export",     NULL, 0, "Write all files as one, in the order of time",
	options, audit_export,
};
