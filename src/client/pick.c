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

static bool slot_fits(const struct module *m, CK_SLOT_ID slot, const struct uri *u)
{
	CK_SLOT_INFO info;

	return u == NULL || (module_fn(m)->C_GetSlotInfo(slot, &info) == CKR_OK &&
			     uri_match_slot(u, slot, &info));
}

/* Takes the slot into p, which has room for it, if it belongs there. */
static void slot_take(const struct module *m, CK_SLOT_ID slot, const struct uri *u,
		      enum pick_want want, struct picks *p)
{
	struct spot *spot = &p->spots[p->n];
	CK_RV rv;

	if (!slot_fits(m, slot, u))
		return;
	spot->slot = slot;
	rv = module_fn(m)->C_GetTokenInfo(slot, &spot->info);
	if (rv == CKR_OK)
		p->n += wanted(spot->info.flags, want) &&
			(u == NULL || uri_match_token(u, &spot->info));
	else if (rv != CKR_TOKEN_NOT_PRESENT && rv != CKR_SLOT_ID_INVALID) /* gone meanwhile */
		p->unread[p->n_unread++] = (struct unread){ slot, rv };
}

enum err pick_tokens(const struct module *m, const struct uri *u, enum pick_want want,
		     struct picks *out, struct why *why)
{
	CK_SLOT_ID *ids = NULL;
	size_t count = 0;
	CK_INFO library;
	enum err e = module_err(module_fn(m)->C_GetInfo(&library), "C_GetInfo", why);

	*out = (struct picks){ 0 };
	if (e == OK)
		e = module_slots(m, true, &ids, &count, why);
	if (e != OK)
		return e;

	out->spots = mem_alloc(count * sizeof(*out->spots));
	out->unread = mem_alloc(count * sizeof(*out->unread));
	if (out->spots == NULL || out->unread == NULL)
		e = why_fail(why, E_MEMORY, "%s", err_text(E_MEMORY));
	else if (u == NULL || uri_match_library(u, &library))
		for (size_t i = 0; i < count; i++)
			slot_take(m, ids[i], u, want, out);
	mem_free(ids);
	return e;
}

void picks_free(struct picks *p)
{
	mem_free(p->spots);
	mem_free(p->unread);
	*p = (struct picks){ 0 };
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

static enum err none(const struct module *m, const struct picks *p, struct why *why)
{
	if (p->n_unread > 0)
		return why_fail(
			why, E_TOKEN_ABSENT,
			"no token of %s fits, but that in slot %lu cannot be read: `chancery "
			"doctor` says why",
			module_path(m), p->unread[0].slot);
	return why_fail(why, E_TOKEN_ABSENT,
			"no token of %s fits; `chancery token list` shows what is there",
			module_path(m));
}

enum err pick_token(const struct module *m, const struct uri *u, enum pick_want want,
		    struct spot *spot, struct why *why)
{
	struct picks p;
	enum err e = pick_tokens(m, u, want, &p, why);

	if (e == OK && p.n == 1)
		*spot = p.spots[0];
	else if (e == OK)
		e = p.n == 0 ? none(m, &p, why) : several(p.spots, p.n, why);
	picks_free(&p);
	return e;
}
