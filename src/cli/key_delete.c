/* SPDX-License-Identifier: Apache-2.0 */
/* chancery key delete */
#include "cli/commands.h"
#include "cli/office.h"
#include "cli/report.h"

static const struct option_row options[] = {
	{ "pair", NULL,
	  "delete every object that fits (a key pair and its certificates), not just one", NULL },
	{ "pin-source", "SOURCE", "the user's PIN", PIN_SOURCES },
	{ NULL, NULL, NULL, NULL },
};

/* Naming no object would fit everything on the token. */
static enum err names_objects(struct call *c, const struct uri *u)
{
	if (u->has[URI_OBJECT] || u->has[URI_ID])
		return OK;
	return why_fail(&c->why, E_ARGUMENTS, "the URI names no key: give it object= or id=");
}

static enum err key_delete(struct call *c)
{
	struct office o = { 0 };
	struct object_info *list = NULL;
	size_t n = 0;
	const char *uri;
	enum err e = call_operand(c, 0, "the key's URI", &uri);

	if (e == OK)
		e = office_session(c, uri, true, CKU_USER, &o);
	if (e == OK)
		e = names_objects(c, &o.uri);
	if (e == OK)
		e = object_list(o.desk, &o.uri, CK_UNAVAILABLE_INFORMATION, &list, &n, &c->why);
	if (e == OK && n == 0)
		e = why_fail(&c->why, E_OBJECT_HANDLE, "no such key on the token");
	if (e == OK && n > 1 && !call_flag(c, "pair"))
		e = why_fail(&c->why, E_ARGUMENTS,
			     "%zu objects fit; add type= to the URI, or --pair to delete them all",
			     n);
	for (size_t i = 0; i < n && e == OK; i++)
		e = module_err(module_fn(o.m)->C_DestroyObject(o.desk.h, list[i].h),
			       "C_DestroyObject", &c->why);
	if (e == OK)
		e = report_done(c, json_pack("{s:I}", "deleted", (json_int_t)n),
				"Deleted %zu object%s.", n, n == 1 ? "" : "s");
	object_list_free(list, n);
	office_close(&o);
	return e;
}

const struct command cmd_key_delete = {
	"key", "delete", "URI", 1, "Delete a key", options, key_delete,
};
