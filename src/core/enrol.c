/* SPDX-License-Identifier: Apache-2.0 */
#include "core/enrol.h"

#include "base/log.h"
#include "base/mem.h"
#include "core/lib.h"
#include "core/session.h"
#include "core/token.h"

/* ---- sessions ---- */

static enum err need(struct session *s)
{
	if (s != NULL && s->enrolled == NULL)
		s->enrolled = mem_alloc(sizeof(*s->enrolled));
	return s == NULL || s->enrolled != NULL ? OK : E_MEMORY;
}

enum err enrol_behalf(struct session *s, struct span text)
{
	enum err e = text.n <= ENROL_BEHALF_MAX ? need(s) : E_DATA_LEN;

	if (e != OK)
		return e;
	if (text.n != 0)
		memcpy(s->enrolled->behalf, text.p, text.n);
	s->enrolled->n = text.n;
	return OK;
}

enum err enrol_reference(const struct session *s, struct roll_ref *ref)
{
	if (s->enrolled == NULL || !s->enrolled->made)
		return E_NO_OPERATION;
	*ref = s->enrolled->last;
	return OK;
}

void enrol_forget(struct session *s)
{
	if (s->enrolled == NULL)
		return;
	s->enrolled->n = 0;
	s->enrolled->made = false;
}

/* ---- what is recorded ---- */

struct enrol enrol_of(struct session *s, const struct token *t, enum roll_event_kind kind)
{
	struct enrol n = {
		.session = s,
		.token = t,
		.ev = {
			.kind = kind,
			.cls = CK_UNAVAILABLE_INFORMATION,
			.mech = CK_UNAVAILABLE_INFORMATION,
		},
	};

	if (t != NULL) {
		n.ev.token = token_label(t);
		n.ev.serial = token_serial(t);
	}
	if (s != NULL && s->enrolled != NULL)
		n.ev.on_behalf = span(s->enrolled->behalf, s->enrolled->n);
	return n;
}

void enrol_about(struct enrol *n, const struct object *o)
{
	n->ev.cls = o->cls;
	n->ev.label = o->label;
	n->ev.id = o->key_id;
	n->ev.unique = attrset_bytes(o->attrs, CKA_UNIQUE_ID);
	n->ev.session = !o->token;
}

static enum err refuse(const struct token *t, enum err e)
{
	log_fault(FAULT_CONFIG, "token \"%.32s\": %s", token_label(t), err_text(e));
	return e;
}

enum err enrol_allowed(const struct token *t)
{
	const struct roll *r = lib_roll();

	if (t == NULL || !token_requires_audit(t))
		return OK;
	if (r == NULL)
		return refuse(t, E_AUDIT_OFF);
	return roll_keeps(r) ? OK : refuse(t, E_AUDIT_STREAM);
}

/* The roll to write to, or NULL. */
static enum err roll_for(const struct enrol *n, struct roll **r)
{
	*r = lib_roll();
	return enrol_allowed(n->token);
}

static enum err commit(struct enrol *n, enum err result)
{
	struct roll_ref ref = { .file = 0 };
	struct roll *r;
	enum err e = roll_for(n, &r);

	if (e != OK || r == NULL)
		return e;
	e = need(n->session);
	if (e != OK)
		return e;
	n->ev.result = result;
	e = roll_commit(r, &n->ev, &ref);
	n->file = ref.file;
	if (e == OK) /* now it is open, and what it is has been settled */
		e = enrol_allowed(n->token);
	if (n->session != NULL) {
		n->session->enrolled->made = e == OK;
		if (e == OK)
			n->session->enrolled->last = ref;
	}
	return e;
}

/* In front of one that is committed, and durable with that. */
static enum err note(struct enrol *n, enum err result)
{
	struct roll_ref ref = { .file = 0 };
	struct roll *r;
	enum err e = roll_for(n, &r);

	n->ev.result = result;
	if (e == OK && r != NULL)
		e = roll_note(r, &n->ev, &ref);
	n->file = ref.file;
	return e;
}

static bool is_event(const struct enrol *n)
{
	return n->ev.kind != ROLL_EVENT_COUNT;
}

/*
 * Each use of a key is counted once its record is durable and before it is released. By what was to be recorded, whatever the roll did with it:
 * the count is what the roll is held against. A change of the token is none, and is recorded by whoever can.
 */
static enum err count(const struct enrol *list, size_t n)
{
	enum err e = OK;

	for (size_t i = 0; e == OK && i < n; i++)
		if (is_event(&list[i]) && list[i].kept.number == 0 && list[i].session != NULL)
			e = token_count_use(list[i].session->token, &list[i].ev, list[i].file);
	return e;
}

enum err enrol_commit(struct enrol *n, enum err result)
{
	enum err e = commit(n, result);

	return e == OK ? count(n, 1) : e;
}

enum err enrol_commit_all(struct enrol *list, size_t n, enum err result)
{
	enum err e = OK;

	while (n != 0 && !is_event(&list[n - 1]))
		n--;
	for (size_t i = 0; e == OK && i + 1 < n; i++)
		if (is_event(&list[i]))
			e = note(&list[i], result);
	if (e == OK && n != 0)
		e = commit(&list[n - 1], result);
	return e == OK ? count(list, n) : e;
}

/* ---- changes ---- */

enum err enrol_pend(struct enrol *n)
{
	struct roll *r;
	enum err e = roll_for(n, &r);

	if (e == OK && r != NULL)
		e = roll_pend(r, &n->ev, &n->body);
	n->kept.body = buf_span(&n->body);
	return e;
}

enum err enrol_changes(struct enrol *list, size_t n, struct store *store)
{
	enum err e;

	for (size_t i = 0; i < n; i++)
		list[i].ev.change = list[i].kept.number;
	e = enrol_commit_all(list, n, OK);
	if (e == OK)
		enrol_done(list, n, store);
	return e;
}

void enrol_done(struct enrol *list, size_t n, struct store *store)
{
	for (size_t i = 0; store != NULL && i < n; i++)
		store_event_done(store, list[i].kept.number);
}

enum err enrol_change(struct enrol *n, struct store *store, enum err result)
{
	enum err e;

	n->ev.change = n->kept.number;
	e = enrol_commit(n, result);
	if (e == OK)
		enrol_done(n, 1, store);
	return e == OK ? result : e;
}

void enrol_free(struct enrol *n)
{
	buf_free(&n->body);
}
