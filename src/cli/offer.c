/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/offer.h"
#include "base/mem.h"
#include "cli/describe.h"
#include "client/pick.h"
#include <stdlib.h>

/* No module has as many; a count beyond it is not believed. */
enum { MECHANISMS_MAX = 65536 };

const struct column offer_columns[] = {
	{ "MECHANISM", "mechanism" }, { "KEYS", "keys" }, { "WHERE", "where" },
	{ "FLAGS", "flags" },         { NULL, NULL },
};

static int by_number(const void *a, const void *b)
{
	CK_MECHANISM_TYPE x = *(const CK_MECHANISM_TYPE *)a, y = *(const CK_MECHANISM_TYPE *)b;

	return (x > y) - (x < y);
}

static enum err types_read(const struct module *m, CK_SLOT_ID slot, CK_MECHANISM_TYPE **list,
			   CK_ULONG *n, struct why *why)
{
	CK_C_GetMechanismList get = module_fn(m)->C_GetMechanismList;
	enum err e = module_err(get(slot, NULL, n), "C_GetMechanismList", why);

	if (e != OK)
		return e;
	if (*n > MECHANISMS_MAX)
		return why_fail(why, E_FAILED, "C_GetMechanismList: %lu mechanisms", *n);
	if ((*list = mem_alloc(*n * sizeof(**list))) == NULL)
		return why_fail(why, E_MEMORY, "%s", err_text(E_MEMORY));
	CK_ULONG room = *n;
	e = module_err(get(slot, *list, n), "C_GetMechanismList", why);
	if (e == OK)
		e = module_wrote(*n, room, "C_GetMechanismList", why);
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

static json_t *mechanism_row(const struct module *m, CK_SLOT_ID slot, CK_MECHANISM_TYPE type)
{
	CK_MECHANISM_INFO info;

	/* Listed but not described: the row says so, since that is a finding about the module. */
	if (module_fn(m)->C_GetMechanismInfo(slot, type, &info) != CKR_OK)
		return json_pack("{s:o, s:I, s:s}", "mechanism", describe_name(NAME_CKM, type),
				 "number", (json_int_t)type, "where",
				 "listed, but C_GetMechanismInfo refuses it");
	return json_pack("{s:o, s:I, s:o, s:I, s:I, s:s, s:o, s:I}", "mechanism",
			 describe_name(NAME_CKM, type), "number", (json_int_t)type, "keys",
			 key_sizes(&info), "key_min", (json_int_t)info.ulMinKeySize, "key_max",
			 (json_int_t)info.ulMaxKeySize, "where",
			 (info.flags & CKF_HW) != 0 ? "hardware" : "software", "flags",
			 describe_flags(NAME_CKF_MECHANISM, info.flags & ~(CK_FLAGS)CKF_HW),
			 "flag_bits", (json_int_t)info.flags);
}

static enum err mechanisms_read(const struct module *m, CK_SLOT_ID slot, json_t *rows,
				struct why *why)
{
	CK_MECHANISM_TYPE *list = NULL;
	CK_ULONG n = 0;
	enum err e = types_read(m, slot, &list, &n, why);

	for (CK_ULONG i = 0; i < n && e == OK; i++)
		if (json_array_append_new(rows, mechanism_row(m, slot, list[i])) != 0)
			e = why_fail(why, E_MEMORY, "%s", err_text(E_MEMORY));
	mem_free(list);
	return e;
}

/* What the slot and its token say of themselves. */
struct place {
	CK_SLOT_INFO slot;
	CK_TOKEN_INFO token;
};

static enum err place_read(const struct module *m, CK_SLOT_ID id, struct place *p, struct why *why)
{
	enum err e = module_err(module_fn(m)->C_GetSlotInfo(id, &p->slot), "C_GetSlotInfo", why);

	return e != OK ? e
		       : module_err(module_fn(m)->C_GetTokenInfo(id, &p->token), "C_GetTokenInfo",
				    why);
}

static json_t *field(const CK_UTF8CHAR *p, size_t n)
{
	return report_label(span(p, field_len(p, n)));
}

/* A slot that fits is added to slots; only for want of memory it is not. */
static bool slot_read(const struct module *m, CK_SLOT_ID id, const struct uri *u, json_t *slots)
{
	struct place p = { 0 };
	struct why why = { "" };
	enum err e = place_read(m, id, &p, &why);

	if (!uri_match_slot(u, id, &p.slot) || !uri_match_token(u, &p.token))
		return true;
	json_t *mechanisms = json_array();
	json_t *row = json_pack("{s:I, s:o, s:o}", "slot", (json_int_t)id, "description",
				field(p.slot.slotDescription, sizeof(p.slot.slotDescription)),
				"token", field(p.token.label, sizeof(p.token.label)));
	if (e == OK)
		e = mechanisms_read(m, id, mechanisms, &why);
	if (e == OK)
		json_object_set(row, "mechanisms", mechanisms);
	else
		json_object_set_new(row, "error", report_label(span_str(why.text)));
	json_decref(mechanisms);
	return json_array_append_new(slots, row) == 0;
}

enum err offer_read(const struct module *m, const struct uri *u, json_t **slots, struct why *why)
{
	CK_INFO library;
	CK_SLOT_ID *ids = NULL;
	size_t n = 0;
	enum err e = module_err(module_fn(m)->C_GetInfo(&library), "C_GetInfo", why);

	*slots = json_array();
	if (e == OK && uri_match_library(u, &library))
		e = module_slots(m, true, &ids, &n, why);
	for (size_t i = 0; i < n && e == OK; i++)
		if (!slot_read(m, ids[i], u, *slots))
			e = why_fail(why, E_MEMORY, "%s", err_text(E_MEMORY));
	mem_free(ids);
	return e;
}
