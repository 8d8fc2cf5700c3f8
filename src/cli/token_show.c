/* SPDX-License-Identifier: Apache-2.0 */
/* chancery token list, info */
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/office.h"
#include "cli/report.h"
#include "cli/tokens.h"
#include "cli/vendor.h"

static const struct option_row list_options[] = {
	{ "all", NULL, "also slots whose token is not initialised", NULL },
	{ NULL, NULL, NULL, NULL },
};

static const struct column list_columns[] = {
	{ "SLOT", "slot" },   { "LABEL", "label" }, { "SERIAL", "serial" }, { "MODEL", "model" },
	{ "STATE", "state" }, { "URI", "uri" },     { NULL, NULL },
};

static enum err unread_tell(struct call *c, const struct unread *u)
{
	struct why why;

	module_err(u->rv, "C_GetTokenInfo", &why);
	return why_fail(
		&c->why, E_DEVICE,
		"the token in slot %lu cannot be read: %s; `chancery doctor` lists all such",
		u->slot, why.text);
}

static enum err token_list(struct call *c)
{
	struct office o;
	struct picks p = { 0 };
	json_t *rows = json_array();
	struct why none = { "" };
	enum err e = office_module(c, c->n_operands > 0 ? c->operands[0] : NULL, &o);

	if (e == OK)
		e = pick_tokens(o.m, &o.uri, call_flag(c, "all") ? PICK_ANY : PICK_TOKEN, &p,
				&c->why);
	for (size_t i = 0; i < p.n && e == OK; i++)
		if (json_array_append_new(rows, describe_token(&p.spots[i])) != 0)
			e = why_fail(&c->why, E_MEMORY, "%s", err_text(E_MEMORY));
	if (e == OK && p.n == 0)
		e = tokens_none(c, &o, &p, &none);
	if (e == OK) {
		e = report_table(c, rows, list_columns, none.text);
		rows = NULL; /* moved */
	}
	if (e == OK && p.n_unread > 0)
		e = unread_tell(c, &p.unread[0]);
	json_decref(rows);
	picks_free(&p);
	office_close(&o);
	return e;
}

const struct command cmd_token_list = {
	"token", "list", "[URI]", 1, "List tokens", list_options, token_list,
};

static const struct option_row no_options[] = { { NULL, NULL, NULL, NULL } };

static const struct column info_columns[] = {
	{ "Label", "label" },
	{ "Slot", "slot" },
	{ "Serial", "serial" },
	{ "Manufacturer", "manufacturer" },
	{ "Model", "model" },
	{ "Version", "version" },
	{ "State", "state" },
	{ "User PIN", "user_pin" },
	{ "SO PIN", "so_pin" },
	{ "PIN length", "pin_length" },
	{ "Sessions", "sessions" },
	{ "Audit log", "audit_log" },
	{ "Flags", "flags" },
	{ "URI", "uri" },
	{ NULL, NULL },
};

/* Adds whether the token's keys need the audit log, which only Chancery's own module knows. */
static enum err add_audit(struct call *c, const struct office *o, json_t *v)
{
	const CK_CHANCERY_FUNCTIONS *fn = module_chancery(o->m);
	CK_BBOOL on = CK_FALSE;

	if (fn == NULL || !vendor_has_audit(fn) ||
	    fn->TokenRequiresAudit(o->spot.slot, &on) != CKR_OK)
		return OK;
	if (json_object_set_new(v, "audit_log", json_string(on ? "required" : "not required")) != 0)
		return why_fail(&c->why, E_MEMORY, "%s", err_text(E_MEMORY));
	return OK;
}

static enum err token_info(struct call *c)
{
	struct office o;
	json_t *v = NULL;
	enum err e = office_token(c, c->n_operands > 0 ? c->operands[0] : NULL, PICK_TOKEN, &o);

	if (e == OK) {
		v = describe_token(&o.spot);
		e = add_audit(c, &o, v);
	}
	if (e == OK) {
		e = report_fields(c, v, info_columns);
		v = NULL; /* moved */
	}
	json_decref(v);
	office_close(&o);
	return e;
}

const struct command cmd_token_info = {
	"token", "info", "[URI]", 1, "Show what a token says of itself", no_options, token_info,
};
