/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"
#include "crypto/fetch.h"
#include "crypto/registry.h"

#include <openssl/err.h>

/* Work under a key runs inside the secret-arena tag; digests see to their own state (digest.c). */
static void enter(const struct run *r)
{
	if (r->key != NULL)
		crypto_secret_enter();
}

/* A failure leaves nothing in libcrypto's error queue, where it would stay with the thread. */
static enum err leave(const struct run *r, enum err e)
{
	if (r->key != NULL)
		crypto_secret_leave();
	if (e != OK)
		ERR_clear_error();
	return e;
}

static enum err key_fits(const struct mech *m, const struct key *key)
{
	CK_ULONG size;

	if (m->key_type == CK_UNAVAILABLE_INFORMATION)
		return key == NULL ? OK : E_KEY_TYPE;
	if (key == NULL || !mech_takes(m, key_type(key)))
		return E_KEY_TYPE;
	size = key_size(key);
	if (m->max_key != 0 && (size < m->min_key || size > m->max_key))
		return E_KEY_SIZE;
	return OK;
}

static enum err allowed(const struct mech *m, enum mech_use use, const struct key *key)
{
	enum err e;

	if (m->ops == NULL || (m->flags & mech_use_flag(use)) == 0)
		return E_MECHANISM;
	if ((e = key_fits(m, key)) != OK)
		return e;
	return selftest_once(m);
}

static void state_drop(struct run *r)
{
	if (r->state != NULL)
		r->state_ops->drop(r->state);
	r->state = NULL;
	r->state_ops = NULL;
}

enum err run_start(struct run *r, const struct mech *m, enum mech_use use, struct key *key,
		   struct param *par)
{
	enum err e;

	r->mech = m;
	r->use = use;
	r->key = key;
	/*
	 * r->param of an idle run is zero: only mechanisms with a parameter pay for the copy, if it
	 * is not there already.
	 */
	if (par != NULL && par != &r->param && m->param != NULL) {
		r->param = *par;
		mem_wipe(par, sizeof(*par)); /* moved */
	}
	if (r->state_ops != m->ops)
		state_drop(r);
	r->state_ops = m->ops;
	enter(r);
	e = leave(r, m->ops->begin(r));
	if (e != OK)
		run_end(r);
	return e;
}

enum err run_begin(struct run *r, const struct mech *m, enum mech_use use, struct key *key,
		   struct param *par)
{
	enum err e = allowed(m, use, key);

	if (e == OK)
		return run_start(r, m, use, key, par);
	if (par != NULL)
		param_clear(par);
	return e;
}

void run_end(struct run *r)
{
	if (r->mech != NULL && r->mech->param != NULL)
		param_clear(&r->param);
	r->mech = NULL;
	r->key = NULL;
}

enum err run_again(struct run *r)
{
	const struct mech *m = r->mech;
	enum mech_use use = r->use;
	struct key *key = r->key;
	struct param par = r->param;

	memset(&r->param, 0, sizeof(r->param)); /* moved */
	run_end(r);
	return run_begin(r, m, use, key, &par);
}

void run_free(struct run *r)
{
	run_end(r);
	state_drop(r);
}

bool run_buffered(const struct run *r)
{
	unsigned traits = r->mech->traits;

	return (traits & MECH_BUFFER) != 0 ||
	       ((traits & MECH_BUFFER_DECRYPT) != 0 && r->use == USE_DECRYPT);
}

size_t run_bound(const struct run *r, size_t n, bool last)
{
	return r->mech->ops->bound(r, n, last);
}

enum err run_update(struct run *r, struct span in, struct sink *o)
{
	if (r->mech->ops->update == NULL)
		return E_MECHANISM;
	enter(r);
	return leave(r, r->mech->ops->update(r, in, o));
}

enum err run_final(struct run *r, struct sink *o)
{
	if (r->mech->ops->final == NULL)
		return E_MECHANISM;
	enter(r);
	return leave(r, r->mech->ops->final(r, o));
}

enum err run_once(struct run *r, struct span in, struct sink *o)
{
	const struct mech_ops *ops = r->mech->ops;
	enum err e;

	if (ops->once == NULL) {
		e = run_update(r, in, o);
		return e == OK ? run_final(r, o) : e;
	}
	enter(r);
	return leave(r, ops->once(r, in, o));
}

enum err run_verify_final(struct run *r, struct span sig)
{
	if (r->mech->ops->verify_final == NULL)
		return E_MECHANISM;
	enter(r);
	return leave(r, r->mech->ops->verify_final(r, sig));
}

enum err run_verify_once(struct run *r, struct span in, struct span sig)
{
	const struct mech_ops *ops = r->mech->ops;
	enum err e;

	if (ops->verify_once == NULL) {
		e = run_update(r, in, NULL);
		return e == OK ? run_verify_final(r, sig) : e;
	}
	enter(r);
	return leave(r, ops->verify_once(r, in, sig));
}
