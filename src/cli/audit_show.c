/* SPDX-License-Identifier: Apache-2.0 */
/* chancery audit show */
#include "cli/auditplace.h"
#include "cli/commands.h"
#include "cli/rollprint.h"
#include "cli/rollread.h"
#include <stdio.h>

static const struct option_row options[] = {
	AUDITPLACE_DIR,   ROLLFILTER_ACTOR, ROLLFILTER_KEY,  ROLLFILTER_EVENT,
	ROLLFILTER_SINCE, ROLLFILTER_UNTIL, ROLLFILTER_FILE, AUDITPLACE_END,
};

static void print_all(struct call *c, struct rollread *r)
{
	const struct line *l;
	uint64_t file;
	bool first = true;

	c->told = c->json;
	while ((l = rollread_next(r, &file)) != NULL) {
		if (c->json) {
			fputs(first ? "[\n" : ",\n", stdout);
			rollprint_json(file, l);
		} else {
			rollprint_text(file, l);
		}
		first = false;
	}
	if (c->json)
		fputs(first ? "[]\n" : "\n]\n", stdout);
	c->status = rollread_damaged(r);
}

static enum err audit_show(struct call *c)
{
	struct rollread *r = NULL;
	struct rollfilter f;
	char dir[PATH_MAX];
	enum err e = auditplace_dir(c, dir);

	if (e == OK)
		e = rollfilter_take(c, &f);
	if (e == OK)
		e = rollread_open(c, dir, &f, false, &r);
	if (e == OK)
		print_all(c, r);
	rollread_close(r);
	return e;
}

const struct command cmd_audit_show = {
	"audit", "show", NULL, 0, "Print records", options, audit_show,
};
