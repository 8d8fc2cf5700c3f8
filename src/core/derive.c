/* SPDX-License-Identifier: Apache-2.0 */
/* C_DeriveKey (3.2, 5.18.5). */
#include "core/keyops.h"

#include "core/attr.h"
#include "core/count.h"
#include "core/newobj.h"
#include "core/policy.h"
#include "core/release.h"
#include "core/session.h"
#include "core/token.h"
#include "core/usage.h"
#include "crypto/hash.h"

/*
 * The keys that take part: the base, and the one that the parameter names (HKDF's salt key), if
 * any.
 */
struct sources {
	struct used_key base;
	struct used_key extra;
};

static void sources_done(struct sources *src)
{
	usage_done(&src->base);
	usage_done(&src->extra);
}

static enum err data_key(const struct object *o, struct key **k)
{
	struct attrset *a = attrset_new(true);
	enum err e = a != NULL ? OK : E_MEMORY;

	if (e == OK)
		e = attrset_put_ulong(a, CKA_CLASS, CKO_SECRET_KEY);
	if (e == OK)
		e = attrset_put_ulong(a, CKA_KEY_TYPE, CKK_GENERIC_SECRET);
	if (e == OK)
		e = attrset_put(a, CKA_VALUE, attrset_bytes(o->attrs, CKA_VALUE));
	if (e == OK)
		e = key_parse(a, k);
	attrset_free(a);
	return e;
}

/*
 * A data object as the base of HKDF: where there is no secret, TLS 1.3 takes as many zeros as the digest has bytes, and the
 * standard lets them be one of that length.
 */
static enum err data_take(struct session *s, const struct param *par, CK_OBJECT_HANDLE h,
			  struct used_key *k)
{
	enum err e = token_object(s->token, h, &k->object);

	if (e != OK)
		return e == E_OBJECT_HANDLE ? E_KEY_HANDLE : e;
	if (k->object->cls != CKO_DATA)
		e = E_KEY_HANDLE;
	else if (attrset_bytes(k->object->attrs, CKA_VALUE).n != hash_of(par->hash)->size)
		e = E_KEY_SIZE;
	else
		e = data_key(k->object, &k->key);
	return e;
}

/* A second key goes into the result as the first does, so it needs the same leave: CKA_DERIVE. */
static enum err sources_take(struct session *s, const struct mech *m, const struct param *par,
			     CK_OBJECT_HANDLE base, struct sources *src)
{
	enum err e = usage_key(s->token, base, USAGE_DERIVE, m, &src->base);

	if (e == E_KEY_HANDLE && (m->traits & MECH_DERIVE_FROM_DATA) != 0)
		e = data_take(s, par, base, &src->base);
	if (e == OK && par->key != CK_INVALID_HANDLE)
		e = usage_key(s->token, par->key, USAGE_DERIVE, m, &src->extra);
	/* There is no Init after which the context login could be given. */
	if (e == OK && src->base.object->always_auth)
		e = E_NOT_LOGGED_IN;
	return e;
}

/* *used: the keys have worked. */
static enum err derive(const struct attr_who *who, const struct mech *m, const struct param *par,
		       const struct sources *src, struct attrset *obj, bool *used)
{
	const struct attrset *base = src->base.object->attrs;
	const struct attrset *extra = src->extra.object != NULL ? src->extra.object->attrs : NULL;
	CK_OBJECT_CLASS cls = (m->traits & MECH_DERIVE_DATA) != 0 ? CKO_DATA : CKO_SECRET_KEY;
	struct attrset *made = attrset_new(true);
	enum err e = made != NULL ? OK : E_MEMORY;

	if (e == OK)
		e = attr_impose(base, CKA_DERIVE_TEMPLATE, obj);
	if (e == OK && extra != NULL)
		e = attr_impose(extra, CKA_DERIVE_TEMPLATE, obj);
	if (e == OK)
		e = attr_begin(HOW_DERIVE, who, cls, CK_UNAVAILABLE_INFORMATION, obj);
	if (e == OK)
		e = policy_derive(who, m, base, obj);
	if (e == OK)
		e = policy_derive(who, m, extra, obj);
	*used = e == OK;
	if (e == OK)
		e = mech_derive(m, par, src->base.key, src->extra.key, obj, made);
	if (e == OK)
		e = attrset_merge(obj, made);
	if (e == OK)
		e = policy_derived(who, base, obj);
	if (e == OK)
		e = policy_derived(who, extra, obj);
	if (e == OK)
		e = attr_finish(HOW_DERIVE, who, m, base, obj);
	attrset_free(made);
	return e;
}

/*
 * The use of the keys is recorded beside the new key: what is derived may be neither token
 * object nor watched, and there is none when the use failed, which tells something, too.
 */
static enum err record_use(struct session *s, const struct mech *m, const struct sources *src,
			   enum err result)
{
	struct enrol use[] = { release_use(s, EV_DERIVE, src->base.object, m),
			       release_use(s, EV_DERIVE, src->extra.object, m) };
	enum err e = enrol_commit_all(use, 2, result);

	return e != OK ? e : result;
}

static enum err publish(struct session *s, struct origin *from, const struct mech *m,
			const struct sources *src, struct attrset **obj, CK_OBJECT_HANDLE *h)
{
	origin_add(from, src->base.object);
	if (src->extra.object != NULL)
		origin_add(from, src->extra.object);
	return newobj_publish(s, EV_DERIVE, m, from, obj, h, 1);
}

enum err key_derive(struct session *s, const CK_MECHANISM *mechanism, CK_OBJECT_HANDLE base,
		    struct templ t, CK_OBJECT_HANDLE *h)
{
	const struct mech *m = mech_find(mechanism->mechanism);
	struct origin from = { .epoch = token_epoch(s->token) };
	struct attr_who who = token_who(s->token);
	struct sources src = { 0 };
	struct attrset *obj = NULL;
	struct param par = { 0 };
	struct count count = count_begin();
	bool used = false;
	enum err e;

	if (m == NULL || (m->flags & CKF_DERIVE) == 0)
		return E_MECHANISM;
	e = param_take(m, mechanism, &par);
	if (e == OK)
		e = sources_take(s, m, &par, base, &src);
	if (e == OK)
		e = attr_take(t.a, t.n, &obj);
	if (e == OK)
		e = derive(&who, m, &par, &src, obj, &used);
	if (used)
		e = record_use(s, m, &src, e);
	if (e == OK)
		e = publish(s, &from, m, &src, &obj, h);
	sources_done(&src);
	attrset_free(obj);
	param_clear(&par);
	count_end(s->token, &count, TALLY_DERIVE, m->type, 0, e);
	return e;
}
