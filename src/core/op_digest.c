/* SPDX-License-Identifier: Apache-2.0 */
/* C_DigestKey: a secret key's value goes into a digest (3.2, 5.12.4). */
#include "core/op_private.h"

#include "core/policy.h"
#include "core/release.h"
#include "core/token.h"

static enum err record_key(struct session *s, const struct op *op, const struct object *o, size_t n)
{
	struct enrol use = release_use(s, EV_DIGEST_KEY, o, op->run.mech);

	use.ev.measured = true;
	use.ev.bytes = n;
	return enrol_commit_all(&use, 1, OK);
}

/*
 * What goes in is the value of a secret key; other keys have none that would be defined as one
 * string of bytes.
 */
static enum err absorb_key(struct session *s, struct op *op, const struct object *o)
{
	struct span value = attrset_bytes(o->attrs, CKA_VALUE);
	struct attr_who who = token_who(s->token);
	enum err e;

	if (!usage_is_key(o))
		return E_KEY_HANDLE;
	if (o->cls != CKO_SECRET_KEY)
		return E_KEY_INDIGESTIBLE;
	e = policy_digest(&who, o->attrs);
	if (e == OK)
		e = release_ready(s->token);
	if (e == OK)
		e = record_key(s, op, o, value.n);
	if (e == OK)
		e = op_absorb(op, value);
	op->keyed = true;
	op->private = op->private || o->sight != SIGHT_ALL;
	return e;
}

enum err op_digest_key(struct session *s, CK_OBJECT_HANDLE key)
{
	struct op *op = op_active(s, OP_DIGEST);
	struct object *o = NULL;
	enum err e;

	if (op == NULL)
		return E_NO_OPERATION;
	e = op_multipart(op);
	if (e == OK)
		e = op_may_use(s, op);
	if (e == OK && !op->private) /* from here on the digest may depend on the login */
		op->epoch = token_epoch(s->token);
	if (e == OK)
		e = token_object(s->token, key, &o);
	if (e == OK)
		e = absorb_key(s, op, o);
	object_unref(o);
	if (e == E_OBJECT_HANDLE)
		e = E_KEY_HANDLE;
	if (e != OK)
		(void)op_end(s, op, e);
	return e;
}
