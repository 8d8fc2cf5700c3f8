/* SPDX-License-Identifier: Apache-2.0 */
#include "core/token_internal.h"

#include "base/mem.h"

static void medium_unref(struct medium *m)
{
	if (m == NULL || atomic_fetch_sub_explicit(&m->refs, 1, memory_order_acq_rel) != 1)
		return;
	store_close(m->store);
	mem_free(m);
}

void access_unref(struct access *a)
{
	if (a == NULL || atomic_fetch_sub_explicit(&a->refs, 1, memory_order_acq_rel) != 1)
		return;
	seal_free(a->seal);
	medium_unref(a->medium);
	mem_free(a);
}

static struct access *access_new(struct medium *m, struct seal *seal, enum who who)
{
	struct access *a = mem_alloc(sizeof(*a));

	if (a == NULL)
		return NULL;
	atomic_init(&a->refs, 1);
	atomic_fetch_add_explicit(&m->refs, 1, memory_order_relaxed);
	a->medium = m;
	a->seal = seal; /* moved */
	a->who = who;
	return a;
}

enum err access_open(struct store *store, bool read_only, struct access **out)
{
	struct medium *m = mem_alloc(sizeof(*m));
	struct access *a = NULL;

	if (m == NULL) {
		store_close(store);
		return E_MEMORY;
	}
	atomic_init(&m->refs, 1);
	m->store = store; /* moved */
	m->read_only = read_only;
	a = access_new(m, NULL, WHO_NOBODY);
	medium_unref(m);
	*out = a;
	return a != NULL ? OK : E_MEMORY;
}

enum err access_as(const struct access *a, struct seal *seal, enum who who, struct access **out)
{
	*out = access_new(a->medium, seal, who);
	if (*out != NULL)
		return OK;
	seal_free(seal);
	return E_MEMORY;
}

enum err access_get(struct token *t, struct access **out)
{
	struct access *a;

	rwlock_read(&t->rw);
	a = t->access;
	if (a != NULL)
		atomic_fetch_add_explicit(&a->refs, 1, memory_order_relaxed);
	rwlock_drop(&t->rw);
	*out = a;
	return a != NULL ? OK : E_DEVICE_REMOVED;
}

void access_swap_locked(struct token *t, struct access *next, struct access **old)
{
	*old = t->access;
	t->access = next; /* moved */
	atomic_store(&t->who, next != NULL ? next->who : WHO_NOBODY);
	asked_clear(&t->asked); /* another login sees other objects */
}

enum err access_lost(struct token *t, const struct access *a)
{
	struct access *old = NULL;
	struct entry *gone = NULL;

	rwlock_write(&t->rw);
	if (t->access != NULL && (a == NULL || t->access->medium == a->medium)) {
		gone = map_sweep(t, map_every);
		access_swap_locked(t, NULL, &old);
		atomic_fetch_add(&t->epoch, 1);
		atomic_fetch_add(&t->insertion, 1);
		atomic_store(&t->stale, true);
	}
	rwlock_drop(&t->rw);
	map_bury(gone);
	access_unref(old);
	return E_DEVICE_REMOVED;
}
