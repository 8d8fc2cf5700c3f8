/* SPDX-License-Identifier: Apache-2.0 */
/* chancery token pin, unlock */
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/office.h"
#include "cli/report.h"

static const struct option_row pin_options[] = {
	{ "pin-source", "SOURCE", "the user's PIN as it is now", PIN_SOURCES },
	{ "new-pin-source", "SOURCE", "the user's new PIN", PIN_SOURCES },
	{ "so-pin-source", "SOURCE",
	  "change the security officer's PIN instead: the one as it is now", PIN_SOURCES },
	{ "new-so-pin-source", "SOURCE", "the security officer's new PIN", PIN_SOURCES },
	{ NULL, NULL, NULL, NULL },
};

static CK_UTF8CHAR_PTR pin_text(const struct buf *pin)
{
	return pin->p;
}

/* Each PIN is taken once: a descriptor gives it once, and nobody likes to type it twice. */
static enum err change(struct call *c, struct office *o, bool so)
{
	struct buf old = { .secret = true }, new_pin = { .secret = true };
	enum err e = office_pin(c, o, so ? "so-pin-source" : "pin-source", false, &old);

	/* C_SetPIN changes the PIN of whoever is logged in (5.5.9). */
	if (e == OK)
		e = office_login_with(c, so ? CKU_SO : CKU_USER, buf_span(&old), o);
	if (e == OK)
		e = office_pin(c, o, so ? "new-so-pin-source" : "new-pin-source", true, &new_pin);
	if (e == OK)
		e = module_err(module_fn(o->m)->C_SetPIN(o->desk.h, pin_text(&old), old.n,
							 pin_text(&new_pin), new_pin.n),
			       "C_SetPIN", &c->why);
	buf_free(&old);
	buf_free(&new_pin);
	return e;
}

static enum err token_pin(struct call *c)
{
	struct office o;
	bool so = call_flag(c, "so-pin-source");
	enum err e = office_token(c, c->n_operands > 0 ? c->operands[0] : NULL, PICK_TOKEN, &o);

	if (e == OK && so && (call_flag(c, "pin-source") || call_flag(c, "new-pin-source")))
		e = why_fail(&c->why, E_ARGUMENTS,
			     "one PIN at a time: the user's or the security officer's");
	if (e == OK)
		e = change(c, &o, so);
	if (e == OK)
		e = report_done(c, json_pack("{s:s}", "changed", so ? "so" : "user"),
				"The %s PIN is changed.", so ? "security officer's" : "user's");
	office_close(&o);
	return e;
}

const struct command cmd_token_pin = {
	"token", "pin", "[URI]", 1, "Change a PIN", pin_options, token_pin,
};

static const struct option_row unlock_options[] = {
	{ "so-pin-source", "SOURCE", "the security officer's PIN", PIN_SOURCES },
	{ "new-pin-source", "SOURCE", "the user's new PIN", PIN_SOURCES },
	{ NULL, NULL, NULL, NULL },
};

static enum err token_unlock(struct call *c)
{
	struct office o;
	struct buf pin = { .secret = true };
	enum err e = office_session(c, c->n_operands > 0 ? c->operands[0] : NULL, true, CKU_SO, &o);

	if (e == OK)
		e = office_pin(c, &o, "new-pin-source", true, &pin);
	if (e == OK)
		e = module_err(module_fn(o.m)->C_InitPIN(o.desk.h, pin_text(&pin), pin.n),
			       "C_InitPIN", &c->why);
	if (e == OK)
		e = report_done(c, json_pack("{s:b}", "unlocked", 1),
				"The user's PIN is set and unlocked.");
	buf_free(&pin);
	office_close(&o);
	return e;
}

const struct command cmd_token_unlock = {
	"token",
	"unlock",
	"[URI]",
	1,
	"Set the user's PIN as the security officer, and unlock it",
	unlock_options,
	token_unlock,
};
