/* SPDX-License-Identifier: Apache-2.0 */
#include "core/slot.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/pad.h"
#include "base/version.h"
#include "core/lib_internal.h"
#include "core/token_internal.h"
#include <stdio.h>

void slots_init(struct slots *t)
{
	lock_init(&t->mu, RANK_SLOTS);
	pthread_cond_init(&t->changed, NULL);
}

void slots_clear(struct slots *t)
{
	struct slot *slot;
	size_t n;

	lock_take(&t->mu);
	slot = t->slot;
	n = t->n;
	t->slot = NULL;
	t->n = t->room = 0;
	t->scanned = t->blank = false;
	t->life++;
	pthread_cond_broadcast(&t->changed);
	lock_drop(&t->mu);
	for (size_t i = 0; i < n; i++)
		token_free(slot[i].token);
	mem_free(slot);
}

/* ---- the table; its lock is held ---- */

/* The place of id, or where it belongs. */
static size_t place_locked(const struct slots *t, CK_SLOT_ID id)
{
	size_t lo = 0, hi = t->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->slot[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct slot *get_locked(const struct slots *t, CK_SLOT_ID id)
{
	size_t i = place_locked(t, id);

	return i < t->n && t->slot[i].id == id ? &t->slot[i] : NULL;
}

static enum err make_room_locked(struct slots *t)
{
	size_t room = t->room == 0 ? 8 : t->room * 2;
	struct slot *slot;

	if (t->n < t->room)
		return OK;
	slot = mem_realloc(t->slot, room * sizeof(*slot));
	if (slot == NULL)
		return E_MEMORY;
	t->slot = slot;
	t->room = room;
	return OK;
}

static enum err add_locked(struct slots *t, CK_SLOT_ID id)
{
	size_t i = place_locked(t, id);
	struct token *token = NULL;
	enum err e = make_room_locked(t);

	if (e == OK)
		e = token_new(id, &token);
	if (e != OK)
		return e;
	memmove(&t->slot[i + 1], &t->slot[i], (t->n - i) * sizeof(*t->slot));
	t->slot[i] = (struct slot){ .id = id, .token = token };
	t->n++;
	return OK;
}

static void mark_locked(struct slots *t, struct slot *s, bool present)
{
	if (s->present == present)
		return;
	s->present = present;
	if (!t->scanned)
		return; /* what is there from the beginning is no event */
	s->event = true;
	pthread_cond_broadcast(&t->changed);
}

/* ids: those that hold a token, ascending. */
static enum err merge_locked(struct slots *t, const CK_SLOT_ID *ids, size_t n)
{
	enum err e = OK;
	size_t at = 0;

	for (size_t i = 0; e == OK && i < n; i++) {
		if (get_locked(t, ids[i]) == NULL)
			e = add_locked(t, ids[i]);
		if (e == OK)
			mark_locked(t, get_locked(t, ids[i]), true);
	}
	for (size_t i = 0; e == OK && i < t->n; i++) {
		while (at < n && ids[at] < t->slot[i].id)
			at++;
		if (at == n || ids[at] != t->slot[i].id)
			mark_locked(t, &t->slot[i], false);
	}
	return e;
}

/* A directory that cannot be read offers nothing, and says why once. */
static enum err scan_locked(struct slots *t)
{
	const struct lib *lib = lib_this();
	struct why why = { .text = "" };
	CK_SLOT_ID *ids = NULL;
	size_t n = 0;
	enum err e = OK;

	t->blank = false;
	if (lib->home[0] == '\0')
		return OK;
	e = store_list(lib->home, &ids, &n, &t->next, &why);
	if (e == OK) {
		e = merge_locked(t, ids, n);
		t->blank = lib->conf->module.empty_slot;
		t->scanned = true;
	} else if (e != E_MEMORY) {
		log_fault(FAULT_STORE, "%s", why.text);
		e = merge_locked(t, NULL, 0);
	}
	mem_free(ids);
	return e;
}

enum err slot_scan(CK_SLOT_ID *next)
{
	struct slots *t = &lib_this()->slots;
	enum err e;

	lock_take(&t->mu);
	e = scan_locked(t);
	if (next != NULL)
		*next = t->next;
	lock_drop(&t->mu);
	return e;
}

/* ---- C_GetSlotList ---- */

static size_t list_locked(const struct slots *t, CK_SLOT_ID *ids, size_t room)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		if (!t->slot[i].present)
			continue;
		if (n < room)
			ids[n] = t->slot[i].id;
		n++;
	}
	if (t->blank) {
		if (n < room)
			ids[n] = t->next;
		n++;
	}
	return n;
}

/* Every slot has a token in it, if only one that is not initialised: present or not makes no difference. */
enum err slot_list(bool present, CK_SLOT_ID *ids, CK_ULONG *n)
{
	struct slots *t = &lib_this()->slots;
	size_t room = ids != NULL ? *n : 0;
	enum err e = OK;

	(void)present;
	lock_take(&t->mu);
	/* 3.2, 5.5.1: only the call that asks for the number looks for what is new */
	if (ids == NULL || !t->scanned)
		e = scan_locked(t);
	if (e == OK)
		*n = list_locked(t, ids, room);
	lock_drop(&t->mu);
	return e == OK && ids != NULL && *n > room ? E_TOO_SMALL : e;
}

/* ---- one slot ---- */

static enum err find_locked(const struct slots *t, CK_SLOT_ID id, struct token **token)
{
	const struct slot *s = get_locked(t, id);

	if (s == NULL)
		return t->blank && id == t->next ? E_TOKEN_BLANK : E_SLOT;
	*token = s->token;
	return s->present ? OK : E_TOKEN_ABSENT;
}

/* One that was not there is looked for again: another process may have made it, or brought it back. */
enum err slot_find(CK_SLOT_ID id, struct token **token)
{
	struct slots *t = &lib_this()->slots;
	enum err e, e2;

	lock_take(&t->mu);
	e = t->scanned ? find_locked(t, id, token) : E_SLOT;
	if (e != OK) {
		e2 = scan_locked(t);
		e = e2 == OK ? find_locked(t, id, token) : e2;
	}
	lock_drop(&t->mu);
	return e;
}

bool slot_is_blank(CK_SLOT_ID id)
{
	struct slots *t = &lib_this()->slots;
	bool yes;

	lock_take(&t->mu);
	yes = t->blank && id == t->next;
	lock_drop(&t->mu);
	return yes;
}

enum err slot_token(CK_SLOT_ID id, struct token **t)
{
	enum err e = slot_find(id, t);

	return e == OK ? token_open(*t) : e;
}

enum err slot_check(CK_SLOT_ID id)
{
	struct token *t;
	enum err e = slot_find(id, &t);

	return e == E_TOKEN_BLANK ? OK : e;
}

enum err slot_token_info(CK_SLOT_ID id, CK_TOKEN_INFO *info)
{
	struct token *t = NULL;
	enum err e = slot_token(id, &t);

	if (e == OK)
		e = token_info(t, info);
	if (e == E_TOKEN_BLANK) {
		token_info_blank(info);
		e = OK;
	}
	return e;
}

enum err slot_info(CK_SLOT_ID id, CK_SLOT_INFO *info)
{
	struct token *t;
	char text[sizeof(info->slotDescription)];
	enum err e = slot_find(id, &t);

	if (e != OK && e != E_TOKEN_BLANK && e != E_TOKEN_ABSENT)
		return e;
	*info = (CK_SLOT_INFO){
		.flags = e == E_TOKEN_ABSENT ? 0 : CKF_TOKEN_PRESENT,
		.hardwareVersion = { CHANCERY_VERSION_MAJOR, CHANCERY_VERSION_MINOR },
		.firmwareVersion = { CHANCERY_VERSION_MAJOR, CHANCERY_VERSION_MINOR },
	};
	snprintf(text, sizeof(text), "Chancery slot %lu", id);
	pad_put(info->slotDescription, sizeof(info->slotDescription), text);
	pad_put(info->manufacturerID, sizeof(info->manufacturerID), CHANCERY_MANUFACTURER);
	return OK;
}

/* ---- C_WaitForSlotEvent ---- */

static bool event_locked(struct slots *t, CK_SLOT_ID *id)
{
	for (size_t i = 0; i < t->n; i++) {
		if (!t->slot[i].event)
			continue;
		t->slot[i].event = false;
		*id = t->slot[i].id;
		return true;
	}
	return false;
}

/*
 * The library is not entered meanwhile, so that it can be finalised; its memory stays. The caller enters it again
 * after the unlock.
 */
static enum err wait_locked(struct slots *t, CK_SLOT_ID *id)
{
	unsigned life = t->life;
	bool got = event_locked(t, id);

	lib_leave();
	while (!got && t->life == life) {
		lock_wait(&t->mu, &t->changed);
		got = event_locked(t, id);
	}
	return got ? OK : E_NOT_INITIALIZED;
}

/*
 * Blocking, it sees what happens in this process; what other processes do is seen when somebody looks (the module has
 * no thread that could watch).
 */
enum err slot_wait(CK_FLAGS flags, CK_SLOT_ID *id)
{
	struct lib *lib = lib_this();
	struct slots *t = &lib->slots;
	bool block = (flags & CKF_DONT_BLOCK) == 0;
	enum err e;

	lock_take(&t->mu);
	e = scan_locked(t);
	if (e == OK && block)
		e = wait_locked(t, id);
	else if (e == OK)
		e = event_locked(t, id) ? OK : E_NO_EVENT;
	else
		block = false;
	lock_drop(&t->mu);
	if (block)
		rwlock_read(&lib->enter); /* left by wait_locked, and by the caller once more */
	return e;
}
