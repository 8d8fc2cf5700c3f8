/* SPDX-License-Identifier: Apache-2.0 */
/* C_GenerateKey and C_GenerateKeyPair (3.2, 5.18.1 and 5.18.2). */
#include "core/keyops.h"

#include "core/attr.h"
#include "core/count.h"
#include "core/newobj.h"
#include "core/release.h"
#include "core/session.h"
#include "core/token.h"

/* The mechanism if it makes keys this way, or NULL. */
static const struct mech *generator(CK_MECHANISM_TYPE type, CK_FLAGS flag)
{
	const struct mech *m = mech_find(type);

	return m != NULL && (m->flags & flag) != 0 ? m : NULL;
}

/* Adds what the mechanism made and settles what follows from it. */
static enum err complete(const struct attr_who *who, const struct mech *m,
			 const struct attrset *made, struct attrset *obj)
{
	enum err e = attrset_merge(obj, made);

	return e == OK ? attr_finish(HOW_GENERATE, who, m, NULL, obj) : e;
}

static enum err generate(struct session *s, const struct attr_who *who, const struct mech *m,
			 const struct param *par, struct attrset *obj)
{
	struct attrset *made = attrset_new(true);
	enum err e = made != NULL ? OK : E_MEMORY;

	if (e == OK)
		e = release_ready(s->token);
	if (e == OK)
		e = attr_begin(HOW_GENERATE, who, CKO_SECRET_KEY, m->key_type, obj);
	if (e == OK)
		e = token_may_add(s->token, s, obj);
	if (e == OK)
		e = mech_generate(m, par, obj, made);
	if (e == OK)
		e = complete(who, m, made, obj);
	attrset_free(made);
	return e;
}

enum err key_generate(struct session *s, const CK_MECHANISM *mechanism, struct templ t,
		      CK_OBJECT_HANDLE *h)
{
	const struct mech *m = generator(mechanism->mechanism, CKF_GENERATE);
	struct attr_who who = token_who(s->token);
	struct attrset *obj = NULL;
	struct param par = { 0 };
	struct count count = count_begin();
	enum err e;

	if (m == NULL)
		return E_MECHANISM;
	e = param_take(m, mechanism, &par);
	if (e == OK)
		e = attr_take(t.a, t.n, &obj);
	if (e == OK)
		e = generate(s, &who, m, &par, obj);
	if (e == OK)
		e = newobj_publish(s, EV_GENERATE, m, NULL, &obj, h, 1);
	attrset_free(obj);
	param_clear(&par);
	count_end(s->token, &count, TALLY_GENERATE, m->type, 0, e);
	return e;
}

enum { PUB, PRIV, HALVES };

/* Before the work, which takes seconds for long RSA keys: whether both halves may come to be. */
static enum err begin_pair(struct session *s, const struct attr_who *who, const struct mech *m,
			   struct attrset *const *obj)
{
	static const CK_OBJECT_CLASS
		cls[HALVES] = { [PUB] = CKO_PUBLIC_KEY, [PRIV] = CKO_PRIVATE_KEY };
	enum err e = OK;

	for (int i = 0; e == OK && i < HALVES; i++) {
		e = attr_begin(HOW_GENERATE, who, cls[i], m->key_type, obj[i]);
		if (e == OK)
			e = token_may_add(s->token, s, obj[i]);
	}
	return e;
}

static enum err generate_pair(struct session *s, const struct attr_who *who, const struct mech *m,
			      const struct param *par, struct attrset *const *obj)
{
	struct attrset *pub = attrset_new(false), *priv = attrset_new(true);
	enum err e = pub != NULL && priv != NULL ? release_ready(s->token) : E_MEMORY;

	if (e == OK)
		e = begin_pair(s, who, m, obj);
	if (e == OK)
		e = mech_generate_pair(m, par, obj[PUB], obj[PRIV], pub, priv);
	if (e == OK)
		e = complete(who, m, pub, obj[PUB]);
	if (e == OK)
		e = complete(who, m, priv, obj[PRIV]);
	attrset_free(pub);
	attrset_free(priv);
	return e;
}

enum err key_generate_pair(struct session *s, const CK_MECHANISM *mechanism, struct templ pub,
			   struct templ priv, CK_OBJECT_HANDLE *hpub, CK_OBJECT_HANDLE *hpriv)
{
	const struct mech *m = generator(mechanism->mechanism, CKF_GENERATE_KEY_PAIR);
	struct attr_who who = token_who(s->token);
	struct attrset *obj[HALVES] = { NULL, NULL };
	CK_OBJECT_HANDLE h[HALVES];
	struct param par = { 0 };
	struct count count = count_begin();
	enum err e;

	if (m == NULL)
		return E_MECHANISM;
	e = param_take(m, mechanism, &par);
	if (e == OK)
		e = attr_take(pub.a, pub.n, &obj[PUB]);
	if (e == OK)
		e = attr_take(priv.a, priv.n, &obj[PRIV]);
	if (e == OK)
		e = generate_pair(s, &who, m, &par, obj);
	if (e == OK)
		e = newobj_publish(s, EV_GENERATE, m, NULL, obj, h, HALVES);
	if (e == OK) {
		*hpub = h[PUB];
		*hpriv = h[PRIV];
	}
	attrset_free(obj[PUB]);
	attrset_free(obj[PRIV]);
	param_clear(&par);
	count_end(s->token, &count, TALLY_GENERATE, m->type, 0, e);
	return e;
}
