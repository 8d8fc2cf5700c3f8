/* SPDX-License-Identifier: Apache-2.0 */
/* C_UnwrapKey (3.2, 5.18.4). */
#include "core/keyops.h"

#include "core/attr.h"
#include "core/count.h"
#include "core/newobj.h"
#include "core/policy.h"
#include "core/release.h"
#include "core/session.h"
#include "core/token.h"
#include "core/usage.h"

/* What is bad data for decryption is a bad wrapped key here. */
static enum err wrapped_error(enum err e)
{
	switch (e) {
	case E_CIPHERTEXT:
	case E_AEAD:
	case E_DATA: return E_WRAPPED_INVALID;
	case E_CIPHERTEXT_LEN:
	case E_DATA_LEN: return E_WRAPPED_LEN;
	default: return e;
	}
}

static enum err decrypt(const struct mech *m, struct key *key, struct param *par, struct span in,
			struct buf *plain)
{
	struct run run = { 0 };
	struct sink to;
	size_t bound;
	enum err e = run_begin(&run, m, USE_DECRYPT, key, par);

	if (e != OK) {
		run_free(&run); /* what a failed begin allocated is kept for a next one */
		return e;
	}
	bound = run_bound(&run, in.n, true);
	e = buf_reserve(plain, bound);
	if (e == OK) {
		to = sink(plain->p, bound);
		e = run_once(&run, in, &to);
		plain->n = e == OK ? to.n : bound; /* for the wiping */
	}
	run_free(&run);
	return wrapped_error(e);
}

/* *used: the key has worked on the input. */
static enum err unwrap(const struct attr_who *who, const struct mech *m, struct param *par,
		       const struct used_key *unwrapper, struct span in, struct attrset *obj,
		       bool *used)
{
	const struct attrset *base = unwrapper->object->attrs;
	struct buf plain = { .secret = true };
	enum err e = attr_impose(base, CKA_UNWRAP_TEMPLATE, obj);

	if (e == OK)
		e = attr_begin(HOW_UNWRAP, who, CK_UNAVAILABLE_INFORMATION,
			       CK_UNAVAILABLE_INFORMATION, obj);
	*used = e == OK;
	if (e == OK)
		e = decrypt(m, unwrapper->key, par, in, &plain);
	if (e == OK)
		e = key_unwrap_form(buf_span(&plain), (m->traits & MECH_WRAP_EXACT) != 0, obj);
	if (e == OK)
		e = attr_finish(HOW_UNWRAP, who, NULL, base, obj);
	buf_free(&plain);
	return e;
}

/*
 * Also of a use that failed, before that is told: whether a padding is right, or a check value, is an answer that can be asked for again
 * and again.
 */
static enum err record_use(struct session *s, const struct mech *m, const struct object *o,
			   enum err result)
{
	struct enrol use = release_use(s, EV_UNWRAP, o, m);
	enum err e = enrol_commit_all(&use, 1, result);

	return e != OK ? e : result;
}

enum err key_unwrap(struct session *s, const CK_MECHANISM *mechanism, CK_OBJECT_HANDLE unwrapper,
		    struct span in, struct templ t, CK_OBJECT_HANDLE *h)
{
	const struct mech *m = mech_find(mechanism->mechanism);
	struct origin from = { .epoch = token_epoch(s->token) };
	struct attr_who who = token_who(s->token);
	struct used_key u = { NULL, NULL };
	struct attrset *obj = NULL;
	struct param par = { 0 };
	struct count count = count_begin();
	bool used = false;
	enum err e;

	if (m == NULL || (m->flags & CKF_UNWRAP) == 0)
		return E_MECHANISM;
	e = param_take(m, mechanism, &par);
	if (e == OK)
		e = usage_key(s->token, unwrapper, USAGE_UNWRAP, m, &u);
	if (e == OK && u.object->always_auth)
		e = E_NOT_LOGGED_IN; /* no Init after which the context login could be given */
	if (e == OK)
		e = policy_unwrapper(&who, m, par.tag_len, u.object->attrs);
	if (e == OK)
		e = attr_take(t.a, t.n, &obj);
	if (e == OK)
		e = unwrap(&who, m, &par, &u, in, obj, &used);
	if (used)
		e = record_use(s, m, u.object, e);
	if (e == OK) {
		origin_add(&from, u.object);
		e = newobj_publish(s, EV_UNWRAP, m, &from, &obj, h, 1);
	}
	usage_done(&u);
	attrset_free(obj);
	param_clear(&par);
	count_end(s->token, &count, TALLY_UNWRAP, m->type, in.n, e);
	return e;
}
