/* SPDX-License-Identifier: Apache-2.0 */
/* chancery audit anchor */
#include "cli/auditplace.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/report.h"

static const struct option_row options[] = {
	AUDITPLACE_DIR,
	AUDITPLACE_KEY("sign the anchor with the auditor's private keys"),
	{ "out", "FILE", "the anchor (default: standard output)", NULL },
	AUDITPLACE_END,
};

/* The newest of several auditors signs: it stands last. */
static enum err make(const char *dir, const struct keys_private *keys, struct buf *note,
		     struct why *why)
{
	struct buf text = { 0 };
	enum err e = anchor_text(dir, &text, why);

	if (e == OK)
		e = buf_put(note, buf_span(&text));
	if (e == OK)
		e = buf_put(note, span_str("\n"));
	if (e == OK && keys != NULL)
		e = keys_sign(keys, keys_private_count(keys) - 1, buf_span(&text), note);
	buf_free(&text);
	return e;
}

static enum err tell(struct call *c, struct span note, bool is_signed)
{
	struct output out = { note, true, "note", "The anchor" };

	return output_write(c, &out, json_pack("{s:b}", "signed", is_signed));
}

static enum err audit_anchor(struct call *c)
{
	struct keys_private *keys = NULL;
	struct buf note = { 0 };
	char dir[PATH_MAX];
	enum err e = auditplace_dir(c, dir);

	if (e == OK)
		e = auditplace_keys(c, &keys);
	if (e == OK)
		e = make(dir, keys, &note, &c->why);
	if (e == OK)
		e = tell(c, buf_span(&note), keys != NULL);
	buf_free(&note);
	keys_private_free(keys);
	return e;
}

const struct command cmd_audit_anchor = {
	"audit",
	"anchor",
	NULL,
	0,
	"Print what to publish, so that the roll can be held against it later",
	options,
	audit_anchor,
};
