/* SPDX-License-Identifier: Apache-2.0 */
#include "core/session.h"

#include "base/mem.h"
#include "core/enrol.h"
#include "core/find.h"
#include "core/lib_internal.h"
#include "core/token_internal.h"

_Static_assert(sizeof(struct session) <= 256,
	       "an idle session costs at most 320 bytes, allocator included");

#define INDEX_MASK     (((CK_SESSION_HANDLE)1 << SESSION_INDEX_BITS) - 1)
#define GENERATION_MAX ((UINT64_C(1) << (64 - SESSION_INDEX_BITS)) - 1)

static CK_SESSION_HANDLE handle_of(const struct session *s)
{
	return s->generation << SESSION_INDEX_BITS | s->index;
}

void sessions_init(struct sessions *t)
{
	lock_init(&t->mu, RANK_HANDLES);
}

/* ---- the table; its lock is held ---- */

static struct session *make_locked(struct sessions *t)
{
	uint32_t i = t->used;
	struct session *chunk;

	if (i > INDEX_MASK)
		return NULL;
	chunk = atomic_load_explicit(&t->chunk[i / SESSION_CHUNK], memory_order_relaxed);
	if (chunk == NULL) {
		chunk = mem_alloc(SESSION_CHUNK * sizeof(*chunk));
		if (chunk == NULL)
			return NULL;
		for (uint32_t j = 0; j < SESSION_CHUNK; j++) {
			lock_init(&chunk[j].mu, RANK_SESSION);
			chunk[j].index = i + j;
			chunk[j].generation = 1;
		}
		atomic_store_explicit(&t->chunk[i / SESSION_CHUNK], chunk, memory_order_release);
	}
	t->used++;
	return &chunk[i % SESSION_CHUNK];
}

static struct session *take_free_locked(struct sessions *t)
{
	struct session *s = t->free;

	if (s == NULL)
		return make_locked(t);
	t->free = s->next;
	return s;
}

static void list_locked(struct token *t, struct session *s)
{
	s->prev = NULL;
	s->next = t->session_list;
	if (s->next != NULL)
		s->next->prev = s;
	t->session_list = s;
	s->listed = true;
}

static void unlist_locked(struct token *t, struct session *s)
{
	if (!s->listed)
		return;
	if (s->next != NULL)
		s->next->prev = s->prev;
	if (s->prev != NULL)
		s->prev->next = s->next;
	else
		t->session_list = s->next;
	s->listed = false;
}

/* ---- looking up ---- */

static struct session *at_index(struct sessions *t, uint32_t i)
{
	struct session *chunk =
		atomic_load_explicit(&t->chunk[i / SESSION_CHUNK], memory_order_acquire);

	return chunk != NULL ? &chunk[i % SESSION_CHUNK] : NULL;
}

/* As session_get, also when the session's token was taken away. */
static enum err get_any(CK_SESSION_HANDLE h, struct session **out)
{
	struct lib *lib = lib_this();
	struct session *s;
	bool ours;

	if (lib == NULL || !atomic_load_explicit(&lib->ready, memory_order_acquire))
		return E_NOT_INITIALIZED;
	s = at_index(&lib->sessions, (uint32_t)(h & INDEX_MASK));
	if (s == NULL)
		return E_SESSION;
	lock_take(&s->mu);
	ours = s->open && s->generation == h >> SESSION_INDEX_BITS;
	if (!ours) {
		lock_drop(&s->mu);
		/* finalise may have closed it while we waited */
		return lib_ready() ? E_SESSION : E_NOT_INITIALIZED;
	}
	*out = s;
	return OK;
}

enum err session_get(CK_SESSION_HANDLE h, struct session **out)
{
	struct session *s;
	enum err e = get_any(h, &s);

	if (e != OK)
		return e;
	if (s->insertion != atomic_load_explicit(&s->token->insertion, memory_order_relaxed)) {
		lock_drop(&s->mu);
		return E_SESSION;
	}
	*out = s;
	return OK;
}

void session_put(struct session *s)
{
	lock_drop(&s->mu);
}

/* ---- opening and closing ---- */

static enum err check_flags(CK_FLAGS flags)
{
	if ((flags & CKF_SERIAL_SESSION) == 0)
		return E_SESSION_PARALLEL;
	if ((flags & CKF_ASYNC_SESSION) != 0)
		return E_SESSION_ASYNC;
	return (flags & ~(CK_FLAGS)(CKF_SERIAL_SESSION | CKF_RW_SESSION)) == 0 ? OK : E_ARGUMENTS;
}

enum err session_open(struct token *t, CK_FLAGS flags, CK_VOID_PTR app, CK_NOTIFY notify,
		      CK_SESSION_HANDLE *h)
{
	struct sessions *table = &lib_this()->sessions;
	bool rw = (flags & CKF_RW_SESSION) != 0;
	struct session *s;
	uint32_t insertion;
	enum err e = check_flags(flags);

	if (e != OK)
		return e;
	session_reap(t);
	e = token_attach(t, rw, &insertion);
	if (e != OK)
		return e;
	lock_take(&table->mu);
	s = take_free_locked(table);
	if (s != NULL) {
		lock_take(&s->mu); /* nobody keeps it for long: it is not open */
		s->token = t;
		s->app = app;
		s->notify = notify;
		s->rw = rw;
		s->insertion = insertion;
		s->open = true;
		s->handle = handle_of(s);
		lock_drop(&s->mu);
		*h = s->handle;
		list_locked(t, s);
	}
	lock_drop(&table->mu);
	if (s == NULL) {
		token_detach(t, rw);
		return E_MEMORY;
	}
	return OK;
}

/* s->mu is held, s is open. From here on its handle is dead. */
static void shut_locked(struct session *s)
{
	op_end_all(s);
	find_end(s);
	enrol_forget(s);
	if (s->made_objects)
		token_drop_session_objects(s->token, s);
	s->made_objects = false;
	s->open = false;
	s->app = NULL;
	s->notify = NULL;
	s->generation = s->generation < GENERATION_MAX ? s->generation + 1 : 1;
}

/* After shut_locked and the unlock: ready to be opened again. */
static void release(struct sessions *table, struct token *t, struct session *s)
{
	lock_take(&table->mu);
	unlist_locked(t, s);
	s->next = table->free;
	table->free = s;
	lock_drop(&table->mu);
}

enum err session_close(CK_SESSION_HANDLE h)
{
	struct session *s;
	struct token *t;
	bool rw;
	enum err e = get_any(h, &s);

	if (e != OK)
		return e;
	t = s->token;
	rw = s->rw;
	if (s->insertion != atomic_load_explicit(&t->insertion, memory_order_relaxed))
		e = E_SESSION; /* it was over; what is left of it goes now */
	shut_locked(s);
	lock_drop(&s->mu);
	release(&lib_this()->sessions, t, s);
	token_detach(t, rw);
	return e;
}

/* The first session of the token, or of those of an earlier insertion; NULL: there is none. */
static struct session *first_locked(const struct token *t, bool stale)
{
	uint32_t now = atomic_load_explicit(&t->insertion, memory_order_relaxed);
	struct session *s = t->session_list;

	while (stale && s != NULL && s->insertion == now)
		s = s->next;
	return s;
}

/*
 * One after the other, and the table is free in between: closing waits for the call that is inside a
 * session. One that another thread is closing just now has another generation, and is left to it.
 */
static void close_listed(struct token *t, bool stale)
{
	struct sessions *table = &lib_this()->sessions;
	CK_SESSION_HANDLE h = CK_INVALID_HANDLE;
	struct session *s;

	do {
		lock_take(&table->mu);
		s = first_locked(t, stale);
		if (s != NULL) {
			h = s->handle;
			unlist_locked(t, s);
		}
		lock_drop(&table->mu);
		if (s != NULL)
			session_close(h);
	} while (s != NULL);
}

enum err session_close_all(struct token *t)
{
	close_listed(t, false);
	return OK;
}

/* Closes those that were opened before the token was taken away: their handles are dead already. */
void session_reap(struct token *t)
{
	if (atomic_load_explicit(&t->stale, memory_order_relaxed) &&
	    atomic_exchange(&t->stale, false))
		close_listed(t, true);
}

void sessions_close(struct sessions *table)
{
	uint32_t used;

	lock_take(&table->mu);
	used = table->used;
	lock_drop(&table->mu);
	for (uint32_t i = 0; i < used; i++) {
		struct session *s = at_index(table, i);
		bool open;

		lock_take(&s->mu);
		open = s->open;
		if (open)
			shut_locked(s);
		op_free_all(s);
		mem_free(s->enrolled);
		s->enrolled = NULL;
		lock_drop(&s->mu);
		if (open)
			release(table, s->token, s);
	}
}

enum err session_info(struct session *s, CK_SESSION_INFO *info)
{
	*info = (CK_SESSION_INFO){
		.slotID = s->token->slot,
		.state = token_state(s->token, s->rw),
		.flags = CKF_SERIAL_SESSION | (s->rw ? CKF_RW_SESSION : 0),
	};
	return OK;
}
