/* SPDX-License-Identifier: Apache-2.0 */
/* chancery key list, show */
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/keyaudit.h"
#include "cli/office.h"
#include "cli/report.h"
#include <chancery/chancery.h>

static const struct option_row options[] = {
	{ "pin-source", "SOURCE", "the user's PIN: without it, private keys stay unseen",
	  PIN_SOURCES },
	{ NULL, NULL, NULL, NULL },
};

static const struct column list_columns[] = {
	{ "LABEL", "label" }, { "CLASS", "class" }, { "TYPE", "type" },
	{ "ID", "id" },       { NULL, NULL },
};

static enum err key_list(struct call *c)
{
	struct office o = { 0 };
	struct object_info *list = NULL;
	size_t n = 0;
	json_t *rows = json_array();
	enum err e =
		office_session(c, c->n_operands > 0 ? c->operands[0] : NULL, false, CKU_USER, &o);

	if (e == OK)
		e = object_list(o.desk, &o.uri, CK_UNAVAILABLE_INFORMATION, &list, &n, &c->why);
	for (size_t i = 0; i < n && e == OK; i++)
		if (json_array_append_new(rows, describe_object(&o.spot, &list[i])) != 0)
			e = why_fail(&c->why, E_MEMORY, "%s", err_text(E_MEMORY));
	if (e == OK) {
		e = report_table(c, rows, list_columns,
				 "Nothing to see; private keys need --pin-source.");
		rows = NULL; /* moved */
	}
	json_decref(rows);
	object_list_free(list, n);
	office_close(&o);
	return e;
}

const struct command cmd_key_list = {
	"key", "list", "[URI]", 1, "List keys and other objects of a token", options, key_list,
};

static const struct column show_columns[] = {
	{ "Label", "label" },     { "Id", "id" },
	{ "Class", "class" },     { "Type", "type" },
	{ "May", "uses" },        { "Stored", "stored" },
	{ "Guarded", "guarded" }, { "Recorded", "audit" },
	{ "Made", "made" },       { "Made by", "generated_by" },
	{ "URI", "uri" },         { NULL, NULL },
};

struct flag_row {
	CK_ATTRIBUTE_TYPE type;
	const char *text;
};

static const struct flag_row use_flags[] = {
	{ CKA_SIGN, "sign" },
	{ CKA_VERIFY, "verify" },
	{ CKA_SIGN_RECOVER, "sign-recover" },
	{ CKA_VERIFY_RECOVER, "verify-recover" },
	{ CKA_ENCRYPT, "encrypt" },
	{ CKA_DECRYPT, "decrypt" },
	{ CKA_WRAP, "wrap" },
	{ CKA_UNWRAP, "unwrap" },
	{ CKA_DERIVE, "derive" },
	{ CKA_ENCAPSULATE, "encapsulate" },
	{ CKA_DECAPSULATE, "decapsulate" },
};

static const struct flag_row guard_flags[] = {
	{ CKA_PRIVATE, "private" },
	{ CKA_SENSITIVE, "sensitive" },
	{ CKA_EXTRACTABLE, "extractable" },
	{ CKA_ALWAYS_SENSITIVE, "always-sensitive" },
	{ CKA_NEVER_EXTRACTABLE, "never-extractable" },
	{ CKA_ALWAYS_AUTHENTICATE, "always-authenticate" },
	{ CKA_WRAP_WITH_TRUSTED, "wrap-with-trusted" },
	{ CKA_TRUSTED, "trusted" },
};

static json_t *flags_set(struct desk d, CK_OBJECT_HANDLE h, const struct flag_row *rows, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		if (object_bool(d, h, rows[i].type, false))
			json_array_append_new(list, json_string(rows[i].text));
	return list;
}

#define FLAGS_SET(d, h, rows) flags_set((d), (h), (rows), sizeof(rows) / sizeof((rows)[0]))

static json_t *show(const struct office *o, const struct object_info *info)
{
	CK_ULONG mech =
		object_ulong(o->desk, info->h, CKA_KEY_GEN_MECHANISM, CK_UNAVAILABLE_INFORMATION);
	const char *audit = keyaudit_name(
		object_ulong(o->desk, info->h, CKA_CHANCERY_AUDIT, CK_UNAVAILABLE_INFORMATION));
	json_t *v = describe_object(&o->spot, info);

	if (v == NULL)
		return NULL;
	if (audit != NULL)
		json_object_set_new(v, "audit", json_string(audit));
	json_object_set_new(v, "uses", FLAGS_SET(o->desk, info->h, use_flags));
	json_object_set_new(v, "guarded", FLAGS_SET(o->desk, info->h, guard_flags));
	json_object_set_new(v, "stored",
			    json_string(object_bool(o->desk, info->h, CKA_TOKEN, false)
						? "on the token"
						: "in memory"));
	json_object_set_new(v, "made",
			    json_string(object_bool(o->desk, info->h, CKA_LOCAL, false)
						? "on the token"
						: "elsewhere"));
	if (mech != CK_UNAVAILABLE_INFORMATION)
		json_object_set_new(v, "generated_by", describe_name(NAME_CKM, mech));
	return v;
}

static enum err key_show(struct call *c)
{
	struct office o = { 0 };
	struct object_info info = { 0 };
	const char *uri;
	enum err e = call_operand(c, 0, "the key's URI", &uri);

	if (e == OK)
		e = office_session(c, uri, false, CKU_USER, &o);
	if (e == OK)
		e = object_one(o.desk, &o.uri, CK_UNAVAILABLE_INFORMATION, &info, &c->why);
	if (e == OK)
		e = report_fields(c, show(&o, &info), show_columns);
	object_info_free(&info);
	office_close(&o);
	return e;
}

const struct command cmd_key_show = {
	"key", "show", "URI", 1, "Show one key", options, key_show,
};
