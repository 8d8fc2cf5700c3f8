/* SPDX-License-Identifier: Apache-2.0 */
/* C_WrapKey (3.2, 5.18.3). */
#include "core/keyops.h"

#include "base/mem.h"
#include "core/attr.h"
#include "core/count.h"
#include "core/policy.h"
#include "core/release.h"
#include "core/session.h"
#include "core/token.h"
#include "core/usage.h"

/* CKA_TRUSTED counts only where it is known to be what the SO set. */
static bool trusted(const struct object *o)
{
	return o->verified && attrset_bool(o->attrs, CKA_TRUSTED, false);
}

/* What the key to be wrapped and the wrapping key say. */
static enum err may_leave(const struct attr_who *who, const struct mech *m,
			  const struct object *wrapper, const struct object *o)
{
	if (!usage_is_key(o))
		return E_KEY_HANDLE;
	if (o->cls == CKO_PUBLIC_KEY)
		return E_KEY_NOT_WRAPPABLE;
	if (!attrset_bool(o->attrs, CKA_EXTRACTABLE, false))
		return E_KEY_UNEXTRACTABLE;
	if (attrset_bool(o->attrs, CKA_WRAP_WITH_TRUSTED, false) && !trusted(wrapper))
		return E_KEY_NOT_WRAPPABLE;
	if (!attr_agrees(wrapper->attrs, CKA_WRAP_TEMPLATE, o->attrs))
		return E_KEY_HANDLE;
	return policy_wrapper(who, m, wrapper->attrs);
}

static enum err pad(struct buf *b, unsigned unit)
{
	enum err e = OK;

	while (e == OK && unit != 0 && b->n % unit != 0)
		e = buf_put_u8(b, 0);
	return e;
}

/* The wrapped form into *wrapped, or only its length into *need. */
static enum err encrypt(const struct mech *m, struct key *key, struct param *par, struct span plain,
			size_t room, size_t *need, struct buf *wrapped)
{
	struct run run = { 0 };
	struct sink to;
	enum err e = run_begin(&run, m, USE_ENCRYPT, key, par);

	if (e != OK) {
		run_free(&run); /* what a failed begin allocated is kept for a next one */
		return e;
	}
	*need = run_bound(&run, plain.n, true);
	if (*need <= room && (e = buf_reserve(wrapped, *need)) == OK) {
		to = sink(wrapped->p, *need);
		e = run_once(&run, plain, &to);
		wrapped->n = to.n;
	}
	run_free(&run);
	return e == E_DATA_LEN ? E_KEY_SIZE : e;
}

/*
 * The login lasts and the use is on the roll: what was wrapped may be seen, or that it is the wrapping key itself. That is looked at here,
 * and not when the length is asked for: whoever makes wrapping keys of known values could guess at keys with it.
 */
static enum err release(struct session *s, unsigned epoch, const struct mech *m,
			const struct object *wrapper, const struct object *o)
{
	struct enrol use[] = { release_use(s, EV_WRAP, wrapper, m), release_use(s, EV_WRAP, o, m) };
	struct attr_who who = token_who(s->token);
	enum err result, e = release_login(s->token, epoch, wrapper);

	if (e == OK)
		e = release_login(s->token, epoch, o);
	if (e != OK)
		return e;
	result = policy_wrap(&who, wrapper->attrs, o->attrs);
	e = enrol_commit_all(use, 2, result);
	return e == OK ? result : e;
}

/* Without its record, zeros: nothing that could be taken for a result. */
static void give(struct out out, struct span wrapped, enum err recorded)
{
	if (recorded != OK) {
		mem_wipe(out.p, wrapped.n);
		return;
	}
	memcpy(out.p, wrapped.p, wrapped.n);
	*out.n = wrapped.n;
}

static enum err wrap(struct session *s, unsigned epoch, const struct mech *m, struct param *par,
		     const struct used_key *wrapper, const struct object *o, struct out out)
{
	struct buf plain = { .secret = true }, wrapped = { 0 };
	size_t room = out.p != NULL ? *out.n : 0, need = 0;
	enum err e = key_wrap_form(o->attrs, &plain);

	if (e == OK)
		e = pad(&plain, m->wrap_unit);
	if (e == OK)
		e = encrypt(m, wrapper->key, par, buf_span(&plain), room, &need, &wrapped);
	if (e == OK && need > room) {
		*out.n = need;
		e = out.p == NULL ? OK : E_TOO_SMALL;
	} else if (e == OK) {
		e = release(s, epoch, m, wrapper->object, o);
		give(out, buf_span(&wrapped), e);
	}
	buf_free(&plain);
	buf_free(&wrapped);
	return e;
}

enum err key_wrap(struct session *s, const CK_MECHANISM *mechanism, CK_OBJECT_HANDLE wrapper,
		  CK_OBJECT_HANDLE key, struct out o)
{
	const struct mech *m = mech_find(mechanism->mechanism);
	const unsigned epoch = token_epoch(s->token); /* before the keys are looked up */
	struct attr_who who = token_who(s->token);
	struct used_key w = { NULL, NULL };
	struct object *obj = NULL;
	struct param par = { 0 };
	struct count count = count_begin();
	enum err e;

	if (m == NULL || (m->flags & CKF_WRAP) == 0)
		return E_MECHANISM;
	e = param_take(m, mechanism, &par);
	if (e == OK)
		e = release_ready(s->token);
	if (e == OK)
		e = usage_key(s->token, wrapper, USAGE_WRAP, m, &w);
	if (e == OK && (e = token_object(s->token, key, &obj)) == E_OBJECT_HANDLE)
		e = E_KEY_HANDLE;
	if (e == OK)
		e = may_leave(&who, m, w.object, obj);
	if (e == OK)
		e = wrap(s, epoch, m, &par, &w, obj, o);
	object_unref(obj);
	usage_done(&w);
	param_clear(&par);
	if (o.p != NULL)
		count_end(s->token, &count, TALLY_WRAP, m->type, *o.n, e);
	return e;
}
