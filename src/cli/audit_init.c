/* SPDX-License-Identifier: Apache-2.0 */
/* chancery audit init */
#include "base/file.h"
#include "cli/auditkeys.h"
#include "cli/auditplace.h"
#include "cli/commands.h"
#include "cli/report.h"

static const struct option_row options[] = {
	AUDITKEYS_KEY_OUT,
	AUDITKEYS_PUB_OUT,
	{ "auditor-pub", "FILE", "make no keys: these public ones were made elsewhere", NULL },
	AUDITPLACE_END,
};

static enum err tell(struct call *c, const struct keys_public *pub)
{
	const char *pub_out = call_option(c, "pub-out");

	return report_done(
		c,
		json_pack("{s:s, s:s?, s:s?}", "auditor", pub->fingerprint, "private",
			  call_option(c, "key-out"), "public", pub_out),
		pub_out != NULL
			? "The auditor is %s. `audit init --auditor-pub` makes the public "
			  "keys known to a roll."
			: "The auditor is %s. What is recorded by processes that start from "
			  "now on can be checked with the private keys; keep these off "
			  "this machine.",
		pub->fingerprint);
}

static enum err with_public(struct call *c)
{
	struct keys_public pub;
	struct buf text = { 0 };
	bool given;
	enum err e = OK;

	if (call_flag(c, "key-out") || call_flag(c, "pub-out"))
		e = why_fail(&c->why, E_ARGUMENTS,
			     "with --auditor-pub no keys are made: leave --key-out and --pub-out "
			     "out");
	if (e == OK)
		e = auditplace_public(c, &pub, &given);
	if (e == OK)
		e = keys_public_text(&pub, &text);
	if (e == OK)
		e = auditkeys_to_roll(c, buf_span(&text));
	if (e == OK)
		e = tell(c, &pub);
	buf_free(&text);
	return e;
}

static enum err audit_init(struct call *c)
{
	struct auditkeys k;
	enum err e;

	if (call_flag(c, "auditor-pub"))
		return with_public(c);
	e = auditkeys_make(c, &k);
	if (e == OK)
		e = auditkeys_hand_over(c, &k);
	if (e == OK)
		e = tell(c, &k.pub);
	auditkeys_free(&k);
	return e;
}

const struct command cmd_audit_init = {
	"audit", "init", NULL, 0, "Make the keys that the roll is sealed to", options, audit_init,
};
