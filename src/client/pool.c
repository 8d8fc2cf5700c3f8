/* SPDX-License-Identifier: Apache-2.0 */
#include "client/pool.h"
#include "base/mem.h"
#include <pthread.h>

struct pool {
	const struct module *m;
	CK_SLOT_ID slot;
	CK_FLAGS flags;
	CK_SESSION_HANDLE anchor; /* keeps the login */
	size_t max;
	pthread_mutex_t mu;  /* guards all below */
	pthread_cond_t back; /* a session came back */
	CK_SESSION_HANDLE *idle;
	size_t n_idle,
		room_idle; /* room for every session that is out, so that giving back cannot fail */
	size_t n_out;
};

static enum err pool_open(const struct pool *p, CK_SESSION_HANDLE *h, struct why *why)
{
	return module_err(module_fn(p->m)->C_OpenSession(p->slot, p->flags, NULL, NULL, h),
			  "C_OpenSession", why);
}

enum err pool_new(const struct module *m, CK_SLOT_ID slot, bool rw, size_t max, struct pool **out,
		  struct why *why)
{
	struct pool *p = mem_alloc(sizeof(*p));

	if (p == NULL)
		return why_fail(why, E_MEMORY, "%s", err_text(E_MEMORY));
	p->m = m;
	p->slot = slot;
	p->flags = CKF_SERIAL_SESSION | (rw ? CKF_RW_SESSION : 0);
	p->max = max;
	enum err e = pool_open(p, &p->anchor, why);
	if (e != OK) {
		mem_free(p);
		return e;
	}
	pthread_mutex_init(&p->mu, NULL);
	pthread_cond_init(&p->back, NULL);
	*out = p;
	return OK;
}

void pool_free(struct pool *p)
{
	if (p == NULL)
		return;
	for (size_t i = 0; i < p->n_idle; i++)
		module_fn(p->m)->C_CloseSession(p->idle[i]);
	module_fn(p->m)->C_CloseSession(p->anchor);
	pthread_cond_destroy(&p->back);
	pthread_mutex_destroy(&p->mu);
	mem_free(p->idle);
	mem_free(p);
}

enum err pool_login(struct pool *p, CK_USER_TYPE user, struct span pin, struct why *why)
{
	/* The standard's parameter is not const, but C_Login only reads it. */
	CK_UTF8CHAR_PTR text = (CK_UTF8CHAR_PTR)(uintptr_t)pin.p;
	CK_RV rv = module_fn(p->m)->C_Login(p->anchor, user, text, pin.n);

	if (rv == CKR_USER_ALREADY_LOGGED_IN)
		return OK;
	return module_err(rv, "C_Login", why);
}

/* p->mu held */
static bool pool_make_room(struct pool *p)
{
	if (p->n_out + p->n_idle < p->room_idle)
		return true;
	size_t room = p->room_idle + 8;
	CK_SESSION_HANDLE *idle = mem_realloc(p->idle, room * sizeof(*idle));
	if (idle == NULL)
		return false;
	p->idle = idle;
	p->room_idle = room;
	return true;
}

enum err pool_take(struct pool *p, CK_SESSION_HANDLE *h, struct why *why)
{
	enum err e = OK;

	pthread_mutex_lock(&p->mu);
	while (p->n_idle == 0 && p->max != 0 && p->n_out == p->max)
		pthread_cond_wait(&p->back, &p->mu);
	bool idle = p->n_idle > 0;
	if (idle)
		*h = p->idle[--p->n_idle];
	else if (!pool_make_room(p))
		e = why_fail(why, E_MEMORY, "%s", err_text(E_MEMORY));
	if (e == OK)
		p->n_out++;
	pthread_mutex_unlock(&p->mu);
	if (e != OK || idle)
		return e;

	if ((e = pool_open(p, h, why)) != OK) {
		pthread_mutex_lock(&p->mu);
		p->n_out--;
		pthread_cond_signal(&p->back);
		pthread_mutex_unlock(&p->mu);
	}
	return e;
}

void pool_give(struct pool *p, CK_SESSION_HANDLE h, bool broken)
{
	if (broken)
		module_fn(p->m)->C_CloseSession(h);
	pthread_mutex_lock(&p->mu);
	p->n_out--;
	if (!broken)
		p->idle[p->n_idle++] = h;
	pthread_cond_signal(&p->back);
	pthread_mutex_unlock(&p->mu);
}

const struct module *pool_module(const struct pool *p)
{
	return p->m;
}
