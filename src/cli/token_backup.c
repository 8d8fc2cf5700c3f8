/* SPDX-License-Identifier: Apache-2.0 */
/* chancery token backup, restore */
#include "base/pin.h"
#include "cli/commands.h"
#include "cli/report.h"
#include "cli/vendor.h"

static const struct option_row backup_options[] = {
	{ "out", "FILE", "the backup; an existing file is never overwritten", NULL },
	{ "passphrase-source", "SOURCE",
	  "what the backup is sealed with: file:PATH, credential:NAME, fd:N, env:NAME, prompt",
	  PIN_SOURCES },
	{ NULL, NULL, NULL, NULL },
};

static enum err passphrase_take(struct call *c, bool fresh, struct buf *passphrase)
{
	struct pin_ask ask = { "passphrase of the backup", fresh };
	const char *source;
	enum err e = call_required(c, "passphrase-source", &source);

	return e != OK ? e : pin_read(source, PIN_FOR_TOOL, &ask, passphrase, &c->why);
}

static enum err token_backup(struct call *c)
{
	struct office o = { 0 };
	const CK_CHANCERY_FUNCTIONS *fn;
	CK_CHANCERY_WHY why = { "" };
	struct buf passphrase = { .secret = true };
	const char *uri, *path;
	enum err e = call_operand(c, 0, "the token's URI", &uri);

	if (e == OK)
		e = call_required(c, "out", &path);
	if (e == OK)
		e = office_token(c, uri, PICK_TOKEN, &o);
	if (e == OK)
		e = vendor_functions(c, &o, &fn);
	if (e == OK)
		e = passphrase_take(c, true, &passphrase);
	if (e == OK)
		e = vendor_err(c,
			       fn->TokenBackup(o.spot.slot, passphrase.p, passphrase.n, path, &why),
			       "TokenBackup", &why);
	if (e == OK)
		e = report_done(
			c, json_pack("{s:o}", "backup", report_label(span_str(path))),
			"The backup is in %s. Without its passphrase it is of no use to anybody: keep both, apart.",
			path);
	buf_free(&passphrase);
	office_close(&o);
	return e;
}

const struct command cmd_token_backup = {
	"token",        "backup",     "URI", 1, "Write a sealed copy of a token to a file",
	backup_options, token_backup,
};

static const struct option_row restore_options[] = {
	{ "passphrase-source", "SOURCE", "what the backup is sealed with", PIN_SOURCES },
	{ NULL, NULL, NULL, NULL },
};

static enum err token_restore(struct call *c)
{
	struct office o = { 0 };
	const CK_CHANCERY_FUNCTIONS *fn;
	CK_CHANCERY_WHY why = { "" };
	struct buf passphrase = { .secret = true };
	CK_SLOT_ID slot = 0;
	const char *path;
	enum err e = call_operand(c, 0, "the backup's file name", &path);

	if (e == OK)
		e = office_module(c, NULL, &o);
	if (e == OK)
		e = vendor_functions(c, &o, &fn);
	if (e == OK)
		e = passphrase_take(c, false, &passphrase);
	if (e == OK)
		e = vendor_err(c, fn->TokenRestore(passphrase.p, passphrase.n, path, &slot, &why),
			       "TokenRestore", &why);
	if (e == OK)
		e = report_done(c, json_pack("{s:I}", "slot", (json_int_t)slot),
				"The token is back, in slot %lu, with the PINs it had.", slot);
	buf_free(&passphrase);
	office_close(&o);
	return e;
}

const struct command cmd_token_restore = {
	"token", "restore", "FILE", 1, "Make a token from a backup", restore_options, token_restore,
};
