/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/roll.h"

#include "audit/pend.h"
#include "audit/queue.h"
#include "base/mem.h"
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

static const char *const names[] = {
#define EVENT(name, text) [name] = text,
#include "audit/events.def"
#undef EVENT
};

const char *roll_event_name(enum roll_event_kind k)
{
	return names[k];
}

/* ---- making and ending ---- */

enum err roll_new(const struct roll_policy *p, struct roll **out)
{
	struct roll *r = NULL;
	char *target;

	if (p->target == NULL) {
		*out = NULL;
		return OK;
	}
	target = mem_strdup(p->target);
	if (target != NULL)
		r = mem_alloc(sizeof(*r));
	if (r == NULL) {
		mem_free(target);
		return E_MEMORY;
	}
	r->policy = *p;
	r->policy.target = r->target = target;
	author_id_now(&r->who);
	lock_init(&r->mu, RANK_ROLL);
	(void)pthread_cond_init(&r->done, NULL);
	(void)pthread_cond_init(&r->gathered, NULL);
	*out = r;
	return OK;
}

void roll_free(struct roll *r)
{
	if (r == NULL)
		return;
	queue_finish(r);
	buf_free(&r->spare);
	(void)pthread_cond_destroy(&r->done);
	(void)pthread_cond_destroy(&r->gathered);
	lock_destroy(&r->mu);
	mem_free(r->target);
	mem_free(r);
}

enum err roll_ready(const struct roll *r)
{
	return r != NULL && atomic_load_explicit(&r->failed, memory_order_acquire) ? E_DEVICE : OK;
}

/* A directory that is not there yet will be one. */
static bool is_stream(const char *target)
{
	int saved = errno;
	struct stat st;
	bool stream = lstat(target, &st) == 0 && !S_ISDIR(st.st_mode);

	errno = saved;
	return stream;
}

bool roll_keeps(const struct roll *r)
{
	const enum roll_kind k = atomic_load_explicit(&r->kind, memory_order_acquire);

	return k == ROLL_UNKNOWN ? !is_stream(r->target) : k == ROLL_FILES;
}

/* ---- records ---- */

/* After e, which is what became of appending. */
static enum err settle_drop(struct roll *r, enum err e, uint64_t ticket)
{
	if (e == OK)
		return queue_wait_drop(r, ticket);
	queue_drop(r);
	return e;
}

enum err roll_commit(struct roll *r, const struct roll_event *ev, struct roll_ref *ref)
{
	struct draft d;
	uint64_t ticket;
	enum err e;

	if (r == NULL)
		return OK;
	e = draft_make(&d, &r->who, ev);
	if (e != OK)
		return e;
	lock_take(&r->mu);
	e = queue_append_locked(r, &d, span(NULL, 0), &ticket, ref);
	return settle_drop(r, e, ticket);
}

enum err roll_note(struct roll *r, const struct roll_event *ev, struct roll_ref *ref)
{
	struct draft d;
	uint64_t ticket;
	enum err e;

	if (r == NULL)
		return OK;
	e = draft_make(&d, &r->who, ev);
	if (e != OK)
		return e;
	lock_take(&r->mu);
	e = queue_append_locked(r, &d, span(NULL, 0), &ticket, ref);
	queue_relieve_locked(r);
	queue_drop(r);
	return e;
}

enum err roll_checkpoint(struct roll *r)
{
	uint64_t ticket;
	enum err e;

	if (r == NULL)
		return OK;
	lock_take(&r->mu);
	e = queue_sign_locked(r, &ticket);
	return settle_drop(r, e, ticket);
}

/* ---- changes that are durable elsewhere first ---- */

enum err roll_pend(struct roll *r, const struct roll_event *ev, struct buf *out)
{
	struct draft d;
	enum err e;

	if (r == NULL)
		return OK;
	e = draft_make(&d, &r->who, ev);
	if (e != OK)
		return e;
	lock_take(&r->mu);
	e = queue_open_locked(r);
	if (e == OK)
		e = pend_put(out, r->first, &d);
	queue_drop(r);
	return e;
}

/* Our moment and process, the members of the other's event, and then the other's. */
static enum err recover(struct roll *r, const struct pend *p, struct span more)
{
	struct draft d;
	uint64_t ticket;
	enum err e = draft_of(&d, &r->who, p->what);

	if (e != OK)
		return e;
	lock_take(&r->mu);
	e = queue_append_locked(r, &d, more, &ticket, NULL);
	return settle_drop(r, e, ticket);
}

enum err roll_recover(struct roll *r, struct span pended, const char *serial, uint64_t change,
		      bool *owed)
{
	struct buf more = { 0 };
	struct pend p;
	enum err e;

	*owed = false;
	if (r == NULL)
		return OK;
	e = pend_take(pended, &p);
	if (e != OK)
		return e;
	lock_take(&r->mu);
	*owed = !pend_alive(&p, &r->who, r->first);
	lock_drop(&r->mu);
	if (!*owed)
		return OK;
	e = pend_more(&more, &p, serial, change);
	if (e == OK)
		e = recover(r, &p, buf_span(&more));
	buf_free(&more);
	return e;
}

/* ---- what is known ---- */

void roll_state(struct roll *r, struct roll_state *s)
{
	memset(s, 0, sizeof(*s));
	if (r == NULL)
		return;
	lock_take(&r->mu);
	s->failed = atomic_load(&r->failed);
	snprintf(s->why, sizeof(s->why), "%.*s", (int)sizeof(s->why) - 1, r->why.text);
	s->records = r->appended;
	s->barriers = r->barriers;
	s->bytes = r->bytes;
	s->open = r->author != NULL;
	if (s->open) {
		s->durable = r->author->sheet.durable;
		s->low = r->author->sheet.low;
		s->file = r->author->file;
	}
	lock_drop(&r->mu);
}
