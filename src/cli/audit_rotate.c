/* SPDX-License-Identifier: Apache-2.0 */
/* chancery audit rotate-key */
#include "cli/auditkeys.h"
#include "cli/auditplace.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/report.h"

static const struct option_row options[] = {
	AUDITPLACE_KEY("the private keys of the auditor until now"),
	AUDITKEYS_KEY_OUT,
	AUDITKEYS_PUB_OUT,
	{ "out", "FILE", "the statement of the change (default: standard output)", NULL },
	AUDITPLACE_END,
};

/*
 * Old and new auditor sign one text, so that whoever trusts the old one can trust the new one, and the new one cannot be pushed onto
 * somebody who does not have its keys.
 */
static enum err statement(const struct keys_private *old, const struct auditkeys *k,
			  struct buf *note, struct why *why)
{
	const size_t last = keys_private_count(old) - 1;
	struct keys_private *new = NULL;
	struct buf text = { 0 };
	enum err e = keys_private_read(buf_span(&k->private_text), &new, why);

	if (e == OK)
		e = buf_put(&text, span_str("chancery-auditor-rotation 1\n"));
	if (e == OK)
		e = buf_put(&text, span_str(keys_private_public(old, last)->fingerprint));
	if (e == OK)
		e = buf_put(&text, span_str("\n"));
	if (e == OK)
		e = buf_put(&text, buf_span(&k->public_text));
	if (e == OK)
		e = buf_put(note, buf_span(&text));
	if (e == OK)
		e = buf_put(note, span_str("\n"));
	if (e == OK)
		e = keys_sign(old, last, buf_span(&text), note);
	if (e == OK)
		e = keys_sign(new, 0, buf_span(&text), note);
	keys_private_free(new);
	buf_free(&text);
	return e;
}

static enum err tell(struct call *c, struct span note, const struct keys_public *old,
		     const struct keys_public *new)
{
	struct output out = { note, true, "statement", "The statement that both auditors signed" };

	return output_write(
		c, &out, json_pack("{s:s, s:s}", "old", old->fingerprint, "new", new->fingerprint));
}

static enum err audit_rotate(struct call *c)
{
	struct keys_private *old = NULL;
	struct auditkeys k = { .private_text = { .secret = true } };
	struct buf note = { 0 };
	const char *source;
	enum err e = call_required(c, "auditor-key", &source);

	if (e == OK)
		e = auditplace_keys(c, &old);
	if (e == OK)
		e = auditkeys_make(c, &k);
	if (e == OK)
		e = statement(old, &k, &note, &c->why);
	if (e == OK)
		e = auditkeys_hand_over(c, &k);
	if (e == OK)
		e = tell(c, buf_span(&note), keys_private_public(old, keys_private_count(old) - 1),
			 &k.pub);
	buf_free(&note);
	auditkeys_free(&k);
	keys_private_free(old);
	return e;
}

const struct command cmd_audit_rotate_key = {
	"audit", "rotate-key", NULL, 0, "Let another auditor follow, signed by both",
	options, audit_rotate,
};
