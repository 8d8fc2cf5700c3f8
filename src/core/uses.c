/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/standing.h"
#include "base/dir.h"
#include "base/log.h"
#include "base/mem.h"
#include "core/uses_inside.h"
#include <stdio.h>

enum { TABS_KEPT = 2 }; /* the newest file, and the one before, which late uses may be of */

enum err uses_new(struct roll *r, bool group, struct uses **out)
{
	struct uses *u;

	*out = NULL;
	if (r == NULL)
		return OK;
	u = mem_alloc(sizeof(*u));
	if (u == NULL)
		return E_MEMORY;
	u->roll = r;
	u->group = group;
	lock_init(&u->sealing, RANK_SEALING);
	lock_init(&u->mu, RANK_USES);
	*out = u;
	return OK;
}

void uses_free(struct uses *u)
{
	if (u == NULL)
		return;
	for (struct usetab *t = u->tab, *next; t != NULL; t = next) {
		next = t->next;
		usetab_free(t, usetab_sealed(t, NULL));
	}
	lock_destroy(&u->mu);
	lock_destroy(&u->sealing);
	mem_free(u);
}

bool uses_folder(const struct uses *u, char path[PATH_MAX])
{
	struct standing s;

	return standing_of(u->roll, &s) && s.file != 0 &&
	       snprintf(path, PATH_MAX, "%s/uses", s.dir) < PATH_MAX;
}

/* ---- counting ---- */

/* 0: the newest. */
static struct usetab *find_locked(struct uses *u, uint64_t file)
{
	struct usetab *t = u->tab;

	while (t != NULL && file != 0 && t->file != file)
		t = t->next;
	return t;
}

static void add_locked(struct uses *u, struct usetab *t)
{
	struct usetab **at = &u->tab;

	while (*at != NULL && (*at)->file > t->file)
		at = &(*at)->next;
	t->next = *at;
	*at = t;
}

/* Nobody else makes one for the same file meanwhile: mu is held. The roll's lock is not taken under it. */
static enum err make_locked(struct uses *u, const char *folder, const struct standing *s,
			    uint64_t file, struct usetab **out)
{
	struct why why = { "" };
	enum err e = dir_make(folder, u->group, &why);

	if (e == OK)
		e = usetab_make(folder, dir_file_mode(false), s->id, file, out);
	if (e == OK)
		add_locked(u, *out);
	return e;
}

/* The first use that is counted of a file of records. */
static enum err count_first(struct uses *u, const struct use_of *of, uint64_t file)
{
	char folder[PATH_MAX];
	struct usetab *t;
	struct standing s;
	enum err e = OK;

	if (!standing_of(u->roll, &s))
		return OK; /* nothing is recorded, and so there is nothing to hold against */
	if (s.file == 0) {
		atomic_store(&u->none, true);
		return OK;
	}
	if (snprintf(folder, sizeof(folder), "%s/uses", s.dir) >= (int)sizeof(folder))
		return E_DEVICE;
	lock_take(&u->mu);
	t = find_locked(u, file != 0 ? file : s.file);
	if (t == NULL)
		e = make_locked(u, folder, &s, file != 0 ? file : s.file, &t);
	if (e == OK)
		e = usetab_count(t, of);
	lock_drop(&u->mu);
	return e;
}

enum err uses_count(struct uses *u, const struct use_of *of, uint64_t file)
{
	struct usetab *t;
	enum err e = OK;

	if (u == NULL || atomic_load_explicit(&u->none, memory_order_relaxed))
		return OK;
	lock_take(&u->mu);
	t = find_locked(u, file);
	if (t != NULL)
		e = usetab_count(t, of);
	lock_drop(&u->mu);
	if (t == NULL)
		e = count_first(u, of, file);
	if (e != OK)
		log_fault(FAULT_ROLL, "a use of a key cannot be counted, and is refused: %s",
			  err_text(e));
	return e;
}

/* ---- sealing ---- */

static size_t pages_locked(const struct uses *u)
{
	size_t n = 0;

	for (const struct usetab *t = u->tab; t != NULL; t = t->next)
		n += t->pages;
	return n;
}

/* Unsealed pages of the token, room for n. */
static size_t take_locked(struct uses *u, const uint8_t *serial, struct store_uses *page, size_t n)
{
	size_t got = 0;

	for (struct usetab *t = u->tab; t != NULL; t = t->next) {
		for (size_t i = 0; i < t->pages && got < n; i++) {
			usetab_take(t, i, serial, &page[got]);
			got += page[got].n != 0;
		}
	}
	return got;
}

static void took_locked(struct uses *u, const uint8_t *serial, bool sealed)
{
	for (struct usetab *t = u->tab; t != NULL; t = t->next)
		usetab_took(t, serial, sealed);
}

/* Files of records that are long over need no counts any more, once they are sealed. */
static void retire_locked(struct uses *u)
{
	struct usetab **at = &u->tab, *t;

	for (size_t i = 0; (t = *at) != NULL; i++) {
		if (i < TABS_KEPT || !usetab_sealed(t, NULL)) {
			at = &t->next;
			continue;
		}
		*at = t->next;
		usetab_free(t, true);
	}
}

/* sealing is held */
static enum err seal_locked(struct uses *u, struct store *s, const struct seal *k,
			    const uint8_t *serial, bool patient)
{
	struct store_uses *page;
	size_t n, got = 0;
	enum err e = OK;

	lock_take(&u->mu);
	n = pages_locked(u);
	lock_drop(&u->mu);
	page = mem_alloc((n + 1) * sizeof(*page));
	if (page == NULL)
		return E_MEMORY;
	lock_take(&u->mu);
	got = take_locked(u, serial, page, n);
	lock_drop(&u->mu);
	if (got != 0)
		e = store_uses_put(s, k, page, got, patient);
	lock_take(&u->mu);
	took_locked(u, serial, e == OK);
	retire_locked(u);
	lock_drop(&u->mu);
	mem_free(page);
	return e;
}

enum err uses_seal(struct uses *u, struct store *s, const struct seal *k, const uint8_t *serial,
		   bool patient)
{
	enum err e;

	if (u == NULL || k == NULL || atomic_load(&u->none))
		return OK;
	if (!patient && !lock_try(&u->sealing))
		return OK;
	if (patient)
		lock_take(&u->sealing);
	e = seal_locked(u, s, k, serial, patient);
	lock_drop(&u->sealing);
	return e;
}
