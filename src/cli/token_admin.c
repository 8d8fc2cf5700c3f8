/* SPDX-License-Identifier: Apache-2.0 */
/* chancery token rename, delete */
#include "cli/commands.h"
#include "cli/label.h"
#include "cli/report.h"
#include "cli/vendor.h"

static const struct option_row rename_options[] = {
	{ "label", "TEXT", "the new name, at most 32 bytes", NULL },
	{ "so-pin-source", "SOURCE", "the security officer's PIN", PIN_SOURCES },
	{ NULL, NULL, NULL, NULL },
};

/* What both commands need: the token that is named, the interface, and the SO PIN. */
struct admin {
	struct office o;
	const CK_CHANCERY_FUNCTIONS *fn;
	struct buf pin;
};

static enum err admin_open(struct call *c, struct admin *a)
{
	const char *uri;
	enum err e = call_operand(c, 0, "the token's URI", &uri);

	if (e == OK)
		e = office_token(c, uri, PICK_TOKEN, &a->o);
	if (e == OK)
		e = vendor_functions(c, &a->o, &a->fn);
	if (e == OK)
		e = office_pin(c, &a->o, "so-pin-source", false, &a->pin);
	return e;
}

static void admin_close(struct admin *a)
{
	buf_free(&a->pin);
	office_close(&a->o);
}

static enum err token_rename(struct call *c)
{
	struct admin a = { .pin.secret = true };
	CK_CHANCERY_WHY why = { "" };
	CK_UTF8CHAR label[LABEL_BYTES];
	enum err e = label_take(c, label);

	if (e == OK)
		e = admin_open(c, &a);
	if (e == OK)
		e = label_unused(c, &a.o, label);
	if (e == OK)
		e = vendor_err(c, a.fn->TokenRename(a.o.spot.slot, a.pin.p, a.pin.n, label, &why),
			       "TokenRename", &why);
	if (e == OK)
		e = report_done(c, json_pack("{s:s}", "label", call_option(c, "label")),
				"The token is now \"%s\".", call_option(c, "label"));
	admin_close(&a);
	return e;
}

const struct command cmd_token_rename = {
	"token", "rename", "URI", 1, "Give a token another name", rename_options, token_rename,
};

static const struct option_row delete_options[] = {
	{ "so-pin-source", "SOURCE", "the security officer's PIN", PIN_SOURCES },
	{ NULL, NULL, NULL, NULL },
};

static enum err token_delete(struct call *c)
{
	struct admin a = { .pin.secret = true };
	CK_CHANCERY_WHY why = { "" };
	enum err e = admin_open(c, &a);

	if (e == OK)
		e = vendor_err(c, a.fn->TokenDelete(a.o.spot.slot, a.pin.p, a.pin.n, &why),
			       "TokenDelete", &why);
	if (e == OK)
		e = report_done(c, json_pack("{s:I}", "slot", (json_int_t)a.o.spot.slot),
				"The token in slot %lu and everything in it are gone.",
				a.o.spot.slot);
	admin_close(&a);
	return e;
}

const struct command cmd_token_delete = {
	"token",        "delete",     "URI", 1, "Delete a token and everything in it",
	delete_options, token_delete,
};
