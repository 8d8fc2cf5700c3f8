/* SPDX-License-Identifier: Apache-2.0 */
/* chancery token init */
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/label.h"
#include "cli/newpin.h"
#include "cli/office.h"
#include "cli/report.h"

static const struct option_row options[] = {
	{ "label", "TEXT", "the token's name, at most 32 bytes", NULL },
	{ "so-pin-source", "SOURCE",
	  "the security officer's PIN: file:PATH, credential:NAME, fd:N, env:NAME, prompt",
	  PIN_SOURCES },
	{ "pin-source", "SOURCE", "the user's PIN, likewise", PIN_SOURCES },
	{ "make-pins", "DIR",
	  "make both PINs at random and write them to DIR/so.pin and DIR/user.pin", NULL },
	{ "reinitialize", NULL,
	  "destroy everything in the token that the URI names, and begin anew", NULL },
	{ NULL, NULL, NULL, NULL },
};

static enum err set_user_pin(const struct office *o, struct span so_pin, struct span pin,
			     struct why *why)
{
	const CK_FUNCTION_LIST *fn = module_fn(o->m);
	struct pool *pool = NULL;
	CK_SESSION_HANDLE h;
	enum err e = pool_new(o->m, o->spot.slot, true, 0, &pool, why);

	if (e == OK)
		e = pool_login(pool, CKU_SO, so_pin, why);
	if (e == OK && (e = pool_take(pool, &h, why)) == OK) {
		e = module_err(fn->C_InitPIN(h, (CK_UTF8CHAR_PTR)(uintptr_t)pin.p, pin.n),
			       "C_InitPIN", why);
		pool_give(pool, h, false);
	}
	pool_free(pool);
	return e;
}

/* The token has been made by now, and stays when this fails. */
static enum err first_user_pin(struct call *c, const struct office *o, const struct newpins *pins)
{
	struct why why = { "" };
	enum err e = set_user_pin(o, buf_span(&pins->so), buf_span(&pins->user), &why);

	return e == OK ? OK
		       : why_fail(&c->why, e,
				  "the token is there and has its SO PIN, but no user PIN: %s; "
				  "`chancery token unlock` sets one",
				  why.text);
}

/* Whether the slot has no token for certain, also when the module failed halfway. */
static bool still_blank(const struct office *o)
{
	CK_TOKEN_INFO info;
	CK_RV rv = module_fn(o->m)->C_GetTokenInfo(o->spot.slot, &info);

	if (rv == CKR_OK)
		return (info.flags & CKF_TOKEN_INITIALIZED) == 0;
	return rv == CKR_TOKEN_NOT_PRESENT || rv == CKR_SLOT_ID_INVALID;
}

/* *begun: the token may have the SO PIN. */
static enum err initialise(struct call *c, struct office *o, CK_UTF8CHAR label[LABEL_BYTES],
			   const struct newpins *pins, bool *begun)
{
	const CK_FUNCTION_LIST *fn = module_fn(o->m);
	CK_RV rv = fn->C_InitToken(o->spot.slot, pins->so.p, pins->so.n, label);
	enum err e = module_err(rv, "C_InitToken", &c->why);

	*begun = e == OK || !still_blank(o);
	if (e == OK && pins->user.n > 0)
		e = first_user_pin(c, o, pins);
	if (e == OK)
		e = module_err(fn->C_GetTokenInfo(o->spot.slot, &o->spot.info), "C_GetTokenInfo",
			       &c->why);
	return e;
}

static enum err token_init(struct call *c)
{
	struct office o;
	struct newpins pins = { .so.secret = true, .user.secret = true };
	CK_UTF8CHAR label[LABEL_BYTES];
	bool again = call_flag(c, "reinitialize"), begun = false;
	enum err e = office_token(c, c->n_operands > 0 ? c->operands[0] : NULL,
				  again ? PICK_TOKEN : PICK_BLANK, &o);

	if (e == OK && again && c->n_operands == 0)
		e = why_fail(&c->why, E_ARGUMENTS,
			     "--reinitialize destroys a token: name it with a URI");
	if (e == OK)
		e = label_take(c, label);
	if (e == OK)
		e = label_unused(c, &o, label);
	o.new_label = call_option(c, "label");
	if (e == OK)
		e = newpins_take(c, &o, !again, &pins);
	if (e == OK)
		e = initialise(c, &o, label, &pins, &begun);
	if (!begun)
		newpins_withdraw(c, &pins);
	if (e == OK)
		e = report_done(c, describe_token(&o.spot), "Token \"%s\" is ready in slot %lu.",
				call_option(c, "label"), o.spot.slot);
	newpins_free(&pins);
	office_close(&o);
	return e;
}

const struct command cmd_token_init = {
	"token", "init", "[URI]", 1, "Make a token", options, token_init,
};
