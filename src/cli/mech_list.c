/* SPDX-License-Identifier: Apache-2.0 */
/* chancery mech list */
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/office.h"
#include "cli/report.h"
#include "base/mem.h"
#include <stdlib.h>

static const struct option_row options[] = {
	{ NULL, NULL, NULL, NULL },
};

static const struct column columns[] = {
	{ "MECHANISM", "mechanism" }, { "KEYS", "keys" }, { "WHERE", "where" },
	{ "USES", "uses" },           { NULL, NULL },
};

/* Flags that say where and how, not what for. */
#define NOT_A_USE                                                               \
	(CKF_HW | CKF_EC_F_P | CKF_EC_F_2M | CKF_EC_ECPARAMETERS | CKF_EC_OID | \
	 CKF_EC_UNCOMPRESS | CKF_EC_COMPRESS | CKF_EC_CURVENAME | CKF_EXTENSION)

static int by_number(const void *a, const void *b)
{
	CK_MECHANISM_TYPE x = *(const CK_MECHANISM_TYPE *)a, y = *(const CK_MECHANISM_TYPE *)b;

	return (x > y) - (x < y);
}

static enum err mechanisms(struct call *c, const struct office *o, CK_MECHANISM_TYPE **list,
			   CK_ULONG *n)
{
	const CK_FUNCTION_LIST *fn = module_fn(o->m);
	enum err e = module_err(fn->C_GetMechanismList(o->spot.slot, NULL, n), "C_GetMechanismList",
				&c->why);

	if (e != OK)
		return e;
	if ((*list = mem_alloc(*n * sizeof(**list))) == NULL)
		return why_fail(&c->why, E_MEMORY, "%s", err_text(E_MEMORY));
	e = module_err(fn->C_GetMechanismList(o->spot.slot, *list, n), "C_GetMechanismList",
		       &c->why);
	if (e == OK)
		qsort(*list, *n, sizeof(**list), by_number);
	return e;
}

static json_t *key_sizes(const CK_MECHANISM_INFO *info)
{
	if (info->ulMinKeySize == 0 && info->ulMaxKeySize == 0)
		return json_string("-");
	if (info->ulMinKeySize == info->ulMaxKeySize)
		return json_sprintf("%lu", info->ulMinKeySize);
	return json_sprintf("%lu-%lu", info->ulMinKeySize, info->ulMaxKeySize);
}

static json_t *mechanism_row(const struct office *o, CK_MECHANISM_TYPE type)
{
	CK_MECHANISM_INFO info;

	/* Listed but not described: the row says so, since that is a finding about the module. */
	if (module_fn(o->m)->C_GetMechanismInfo(o->spot.slot, type, &info) != CKR_OK)
		return json_pack("{s:o, s:s}", "mechanism", describe_name(NAME_CKM, type), "where",
				 "listed, but C_GetMechanismInfo refuses it");
	return json_pack("{s:o, s:I, s:o, s:s, s:o}", "mechanism", describe_name(NAME_CKM, type),
			 "number", (json_int_t)type, "keys", key_sizes(&info), "where",
			 (info.flags & CKF_HW) != 0 ? "hardware" : "software", "uses",
			 describe_flags(NAME_CKF_MECHANISM, info.flags & ~(CK_FLAGS)NOT_A_USE));
}

static enum err mech_list(struct call *c)
{
	struct office o;
	CK_MECHANISM_TYPE *list = NULL;
	CK_ULONG n = 0;
	json_t *rows = json_array();
	enum err e = office_token(c, c->n_operands > 0 ? c->operands[0] : NULL, PICK_ANY, &o);

	if (e == OK)
		e = mechanisms(c, &o, &list, &n);
	for (CK_ULONG i = 0; i < n && e == OK; i++)
		if (json_array_append_new(rows, mechanism_row(&o, list[i])) != 0)
			e = why_fail(&c->why, E_MEMORY, "%s", err_text(E_MEMORY));
	if (e == OK) {
		e = report_table(c, rows, columns, "The slot offers no mechanism.");
		rows = NULL; /* moved */
	}
	json_decref(rows);
	mem_free(list);
	office_close(&o);
	return e;
}

const struct command cmd_mech_list = {
	"mech",  "list",    "[URI]", 1, "List the mechanisms of a slot with flags and key sizes",
	options, mech_list,
};
