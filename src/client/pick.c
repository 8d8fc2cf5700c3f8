/* SPDX-License-Identifier: Apache-2.0 */
#include "client/pick.h"
#include "base/mem.h"
#include <stdio.h>

size_t field_len(const CK_UTF8CHAR *field, size_t n)
{
	while (n > 0 && field[n - 1] == ' ')
		n--;
	return n;
}

static bool wanted(CK_FLAGS flags, enum pick_want want)
{
	if (want == PICK_ANY)
		return true;
	return ((flags & CKF_TOKEN_INITIALIZED) != 0) == (want == PICK_TOKEN);
}

/* Whether slot holds a wanted token that fits u; fills spot. */
static bool spot_read(const struct module *m, CK_SLOT_ID slot, const struct uri *u,
		      enum pick_want want, struct spot *spot)
{
	CK_SLOT_INFO info;

	spot->slot = slot;
	if (module_fn(m)->C_GetTokenInfo(slot, &spot->info) != CKR_OK)
		return false;
	if (!wanted(spot->info.flags, want))
		return false;
	if (u == NULL)
		return true;
	if (module_fn(m)->C_GetSlotInfo(slot, &info) != CKR_OK)
		return false;
	return uri_match_slot(u, slot, &info) && uri_match_token(u, &spot->info);
}

enum err pick_tokens(const struct module *m, const struct uri *u, enum pick_want want,
		     struct spot **spots, size_t *n, struct why *why)
{
	CK_SLOT_ID *ids = NULL;
	size_t count = 0, found = 0;
	CK_INFO library;
	enum err e = module_err(module_fn(m)->C_GetInfo(&library), "C_GetInfo", why);

	if (e == OK)
		e = module_slots(m, true, &ids, &count, why);
	if (e != OK)
		return e;

	struct spot *list = mem_alloc(count * sizeof(*list));
	if (list == NULL) {
		mem_free(ids);
		return why_fail(why, E_MEMORY, "%s", err_text(E_MEMORY));
	}
	for (size_t i = 0; i < count; i++)
		if ((u == NULL || uri_match_library(u, &library)) &&
		    spot_read(m, ids[i], u, want, &list[found]))
			found++;
	mem_free(ids);
	*spots = list;
	*n = found;
	return OK;
}

bool pick_unreadable(const struct module *m, CK_SLOT_ID *slot, CK_RV *rv)
{
	CK_SLOT_ID *ids = NULL, from = *slot;
	CK_TOKEN_INFO info;
	size_t n = 0;
	bool found = false;

	if (module_slots(m, true, &ids, &n, NULL) != OK)
		return false;
	for (size_t i = 0; i < n; i++) {
		CK_RV got = ids[i] >= from && (!found || ids[i] < *slot)
				    ? module_fn(m)->C_GetTokenInfo(ids[i], &info)
				    : CKR_OK;

		/* one that went away meanwhile is no finding */
		if (got == CKR_OK || got == CKR_TOKEN_NOT_PRESENT || got == CKR_SLOT_ID_INVALID)
			continue;
		found = true;
		*slot = ids[i];
		*rv = got;
	}
	mem_free(ids);
	return found;
}

/* Names the tokens among which the URI does not choose. */
static enum err several(const struct spot *spots, size_t n, struct why *why)
{
	char names[256];
	size_t used = 0;

	names[0] = '\0';
	for (size_t i = 0; i < n && used < sizeof(names); i++)
		used += (size_t)snprintf(
			names + used, sizeof(names) - used, "%s%.*s (slot %lu)", i > 0 ? ", " : "",
			(int)field_len(spots[i].info.label, sizeof(spots[i].info.label)),
			(const char *)spots[i].info.label, spots[i].slot);
	return why_fail(why, E_ARGUMENTS,
			"%zu tokens fit: %s; name one with token=, serial= or slot-id= in the URI",
			n, names);
}

enum err pick_token(const struct module *m, const struct uri *u, enum pick_want want,
		    struct spot *spot, struct why *why)
{
	struct spot *spots = NULL;
	size_t n = 0;
	enum err e = pick_tokens(m, u, want, &spots, &n, why);

	if (e != OK)
		return e;
	if (n == 0)
		e = why_fail(why, E_TOKEN_ABSENT,
			     "no token of %s fits; `chancery token list` shows what is there",
			     module_path(m));
	else if (n > 1)
		e = several(spots, n, why);
	else
		*spot = spots[0];
	mem_free(spots);
	return e;
}
