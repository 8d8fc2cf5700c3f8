/* SPDX-License-Identifier: Apache-2.0 */
/* chancery token require-audit */
#include "cli/commands.h"
#include "cli/report.h"
#include "cli/vendor.h"

static const struct option_row options[] = {
	{ "so-pin-source", "SOURCE", "the security officer's PIN", PIN_SOURCES },
	{ "off", NULL, "let the keys work without the audit log again", NULL },
	{ NULL, NULL, NULL, NULL },
};

static enum err token_require_audit(struct call *c)
{
	struct office o = { 0 };
	const CK_CHANCERY_FUNCTIONS *fn = NULL;
	CK_CHANCERY_WHY why = { "" };
	struct buf pin = { .secret = true };
	bool on = !call_flag(c, "off");
	const char *uri;
	enum err e = call_operand(c, 0, "the token's URI", &uri);

	if (e == OK)
		e = office_token(c, uri, PICK_TOKEN, &o);
	if (e == OK)
		e = vendor_functions(c, &o, &fn);
	if (e == OK && !vendor_has_audit(fn))
		e = why_fail(&c->why, E_NOT_SUPPORTED, "this module has no audit log");
	if (e == OK)
		e = office_pin(c, &o, "so-pin-source", false, &pin);
	if (e == OK)
		e = vendor_err(c,
			       fn->TokenRequireAudit(o.spot.slot, pin.p, pin.n,
						     on ? CK_TRUE : CK_FALSE, &why),
			       "TokenRequireAudit", &why);
	if (e == OK)
		e = report_done(c, json_pack("{s:b}", "audit_required", on),
				on ? "The token's keys work only with the audit log now."
				   : "The token's keys work without the audit log, too.");
	buf_free(&pin);
	office_close(&o);
	return e;
}

const struct command cmd_token_require_audit = {
	"token", "require-audit",     "URI", 1, "Let a token's keys work only with the audit log",
	options, token_require_audit,
};
