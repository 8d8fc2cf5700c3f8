/* SPDX-License-Identifier: Apache-2.0 */
/* Operations: how they begin, who may go on with them, and how they end. */
#include "core/op_private.h"

#include "base/conf.h"
#include "base/mem.h"
#include "core/find.h"
#include "core/lib.h"
#include "core/policy.h"
#include "core/release.h"
#include "core/token.h"

#define KEEP_MAX ((size_t)64 << 10) /* a larger buffer is given back when its operation ends */

const struct op_row op_rows[OP_COUNT] = {
	[OP_ENCRYPT] = {
		.slot = OP_ENCRYPT, .use = USE_ENCRYPT, .usage = USAGE_ENCRYPT, .flag = CKF_ENCRYPT,
		.event = EV_ENCRYPT, .exact = true, .streams = true,
		.too_long = E_DATA_LEN,
		.logged_out = E_NO_OPERATION,
	},
	[OP_DECRYPT] = {
		.slot = OP_DECRYPT, .use = USE_DECRYPT, .usage = USAGE_DECRYPT, .flag = CKF_DECRYPT,
		.event = EV_DECRYPT, .exact = false, .streams = true,
		.too_long = E_CIPHERTEXT_LEN,
		.logged_out = E_NOT_LOGGED_IN,
	},
	[OP_DIGEST] = {
		.slot = OP_DIGEST, .use = USE_DIGEST, .flag = CKF_DIGEST,
		.event = EV_DIGEST_KEY, .exact = true,
		.too_long = E_ARGUMENTS,
		.logged_out = E_NO_OPERATION,
	},
	[OP_SIGN] = {
		.slot = OP_SIGN, .use = USE_SIGN, .usage = USAGE_SIGN, .flag = CKF_SIGN,
		.event = EV_SIGN, .exact = true,
		.too_long = E_DATA_LEN,
		.logged_out = E_NOT_LOGGED_IN,
	},
	[OP_SIGN_RECOVER] = {
		.slot = OP_SIGN_RECOVER, .use = USE_SIGN_RECOVER, .usage = USAGE_SIGN_RECOVER,
		.flag = CKF_SIGN_RECOVER, .event = EV_SIGN_RECOVER, .exact = true,
		.too_long = E_DATA_LEN,
		.logged_out = E_NOT_LOGGED_IN,
	},
	[OP_VERIFY] = {
		.slot = OP_VERIFY, .use = USE_VERIFY, .usage = USAGE_VERIFY, .flag = CKF_VERIFY,
		.event = EV_MAC_VERIFY,
		.too_long = E_DATA_LEN,
		.logged_out = E_NO_OPERATION,
	},
	[OP_VERIFY_RECOVER] = {
		.slot = OP_VERIFY_RECOVER, .use = USE_VERIFY_RECOVER, .usage = USAGE_VERIFY_RECOVER,
		.flag = CKF_VERIFY_RECOVER, .event = EV_MAC_VERIFY, .exact = false,
		.too_long = E_SIGNATURE_LEN,
		.logged_out = E_NO_OPERATION,
	},
	[OP_VERIFY_SIGNATURE] = {
		.slot = OP_VERIFY, .use = USE_VERIFY, .usage = USAGE_VERIFY, .flag = CKF_VERIFY,
		.event = EV_MAC_VERIFY,
		.too_long = E_DATA_LEN, .unlisted = true,
		.logged_out = E_NO_OPERATION,
	},
};

static const enum tally_use counted_as[OP_COUNT] = {
	[OP_ENCRYPT] = TALLY_ENCRYPT,
	[OP_DECRYPT] = TALLY_DECRYPT,
	[OP_DIGEST] = TALLY_DIGEST,
	[OP_SIGN] = TALLY_SIGN,
	[OP_SIGN_RECOVER] = TALLY_SIGN_RECOVER,
	[OP_VERIFY] = TALLY_VERIFY,
	[OP_VERIFY_RECOVER] = TALLY_VERIFY_RECOVER,
	[OP_VERIFY_SIGNATURE] = TALLY_VERIFY,
};

struct op *op_active(const struct session *s, enum op_kind k)
{
	struct op *op = s->ops[op_rows[k].slot];

	return op != NULL && op->phase != OP_IDLE && op->kind == k ? op : NULL;
}

enum err op_place(struct session *s, enum op_kind k, struct op **op)
{
	struct op **slot = &s->ops[op_rows[k].slot];

	if (*slot == NULL) {
		*slot = mem_alloc(sizeof(**slot));
		if (*slot == NULL)
			return E_MEMORY;
		(*slot)->in.secret = true;
		(*slot)->out.secret = true;
		(*slot)->out.max =
			SIZE_MAX; /* bounded by the input, which the caller has in memory */
	}
	*op = *slot;
	return OK;
}

/* ---- who may use the key ---- */

enum err op_check(const struct session *s, const struct op *op)
{
	if (op->waits)
		return E_NOT_LOGGED_IN;
	if (op->private && token_epoch(s->token) != op->epoch)
		return op_rows[op->kind].logged_out;
	return op->watched ? release_ready(s->token) : OK;
}

static enum err record(struct session *s, const struct op *op, enum roll_event_kind event,
		       enum err result)
{
	struct enrol n = release_use(s, event, op->key.object, op->run.mech);

	n.ev.measured = true;
	n.ev.bytes = op->bytes;
	return enrol_commit(&n, result);
}

enum err op_record(struct session *s, struct op *op, enum roll_event_kind event)
{
	enum err e = op->watched ? record(s, op, event, OK) : OK;

	if (e == OK) {
		op->used = false;
		op->begun = event == EV_STREAM_BEGIN;
	}
	return e;
}

/*
 * Waited for: when a session is closed, what it did is on the roll. That a use failed tells something, too (a MAC is wrong, a padding is), so
 * without its record the caller learns no more than that.
 */
static enum err record_end(struct session *s, const struct op *op, enum err result)
{
	enum err e = OK;

	if (!op->watched)
		return result;
	if (op->begun)
		e = record(s, op, EV_STREAM_END, result);
	else if (op->used && result != OK)
		e = record(s, op, op_rows[op->kind].event, result);
	return e != OK && result != OK ? e : result;
}

/* ---- init ---- */

/*
 * An operation that waits for its context login is the one that C_Login(CKU_CONTEXT_SPECIFIC)
 * means: a second one would be let through by the same PIN.
 */
static enum err take_key(struct session *s, struct op *op, enum op_kind k, const struct mech *m,
			 CK_OBJECT_HANDLE key)
{
	enum err e = usage_key(s->token, key, op_rows[k].usage, m, &op->key);

	if (e == OK && (k == OP_SIGN || k == OP_SIGN_RECOVER)) {
		struct attr_who who = token_who(s->token);

		e = policy_sign(&who, m->type, op->key.object->attrs);
	}
	if (e != OK)
		return e;
	if (op->key.object->always_auth && op_waiting(s))
		return E_OPERATION_ACTIVE;
	op->private = op->key.object->sight != SIGHT_ALL;
	op->waits = op->key.object->always_auth;
	op->watched = release_watched(op->key.object);
	return OK;
}

enum err op_start(struct op *op, enum op_kind k, const struct mech *m, struct param *par)
{
	enum err e = run_begin(&op->run, m, op_rows[k].use, op->key.key, par);

	if (e != OK)
		return e;
	if (run_buffered(&op->run))
		op->in.max = (size_t)lib_conf()->module.max_input_kb << 10;
	op->kind = k;
	op->phase = OP_READY;
	op->count = count_new();
	return OK;
}

const struct mech *op_mech(enum op_kind k, CK_MECHANISM_TYPE type)
{
	const struct mech *m = mech_find(type);

	if (m == NULL || m->ops == NULL || (m->flags & op_rows[k].flag) == 0)
		return NULL;
	if (k == OP_VERIFY_SIGNATURE && (m->traits & MECH_VERIFY_SIG_FIRST) == 0)
		return NULL;
	return m;
}

/*
 * The parameter is copied and checked now: what the caller does to its memory later changes
 * nothing. The copy is made where it is to be.
 */
static enum err start_with(const struct session *s, struct op *op, enum op_kind k,
			   const struct mech *m, const CK_MECHANISM *mechanism)
{
	struct param *par = &op->run.param;
	enum err e = param_take(m, mechanism, par);

	if (e == OK && k == OP_VERIFY) {
		struct attr_who who = token_who(s->token);

		e = policy_verify(&who, par->tag_len, op->key.object->attrs);
	}
	if (e == OK)
		return op_start(op, k, m, par);
	param_clear(par);
	return e;
}

static enum err begin(struct session *s, struct op *op, enum op_kind k,
		      const CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key)
{
	const struct mech *m = op_mech(k, mechanism->mechanism);
	enum err e = OK;

	if (m == NULL)
		return E_MECHANISM;
	/* Before the key is looked up, so that a logout in between is noticed. */
	op->epoch = token_epoch(s->token);
	if (k != OP_DIGEST)
		e = take_key(s, op, k, m, key);
	if (e != OK)
		return e;
	if (m->param != NULL)
		return start_with(s, op, k, m, mechanism);
	e = param_take(m, mechanism, NULL);
	return e == OK ? op_start(op, k, m, NULL) : e;
}

/* Without an end that would count. */
static void cancel(struct session *s, struct op *op)
{
	op->phase = OP_IDLE;
	(void)op_end(s, op, OK);
}

enum err op_init(struct session *s, enum op_kind k, const CK_MECHANISM *mechanism,
		 CK_OBJECT_HANDLE key, struct span sig)
{
	struct op *op = NULL;
	enum err e = op_place(s, k, &op);

	if (e != OK)
		return e;
	if (mechanism == NULL) { /* 3.2, 5.8.1 and its kin: cancels */
		cancel(s, op);
		return OK;
	}
	if (op->phase != OP_IDLE)
		return E_OPERATION_ACTIVE;
	e = op_check_input(sig, E_ARGUMENTS); /* the list of C_VerifySignatureInit has no better */
	if (e == OK)
		e = begin(s, op, k, mechanism, key);
	if (e == OK && sig.n != 0)
		e = buf_put(&op->sig, sig);
	if (e != OK)
		(void)op_end(s, op, e);
	return e;
}

/* ---- context login ---- */

bool op_waiting(const struct session *s)
{
	for (size_t i = 0; i < OP_COUNT; i++) {
		const struct op *op = s->ops[i];

		if (op != NULL && op->phase != OP_IDLE && op->waits)
			return true;
	}
	return false;
}

enum err op_authenticated(struct session *s)
{
	bool any = op_waiting(s);

	for (size_t i = 0; i < OP_COUNT; i++) {
		if (s->ops[i] != NULL)
			s->ops[i]->waits = false;
	}
	return any ? OK : E_NO_OPERATION;
}

/* ---- end ---- */

static void clear(struct buf *b)
{
	if (b->cap > KEEP_MAX)
		buf_free(b);
	else if (b->n != 0)
		buf_clear(b);
}

enum err op_end(struct session *s, struct op *op, enum err result)
{
	result = record_end(s, op, result);
	if (op->phase != OP_IDLE)
		count_end(s->token, &op->count, counted_as[op->kind], op->run.mech->type, op->bytes,
			  result);
	/* what C_DigestKey left in a digest is not kept for reuse, as what a key's own run has is */
	if (op->keyed)
		run_free(&op->run);
	else
		run_end(&op->run);
	if (op->key.object != NULL)
		usage_done(&op->key);
	clear(&op->in);
	clear(&op->out);
	clear(&op->sig);
	op->phase = OP_IDLE;
	op->private = false;
	op->waits = false;
	op->watched = false;
	op->used = false;
	op->begun = false;
	op->keyed = false;
	op->bytes = 0;
	return result;
}

/* 3.2, 5.6.5: what the flags name is cancelled; what is not active is no error. */
enum err op_cancel(struct session *s, CK_FLAGS flags)
{
	for (size_t i = 0; i < OP_COUNT; i++) {
		if (s->ops[i] != NULL && (op_rows[i].flag & flags) != 0)
			cancel(s, s->ops[i]);
	}
	if ((flags & CKF_FIND_OBJECTS) != 0)
		find_end(s);
	return OK;
}

/*
 * What libcrypto holds for reuse goes too: it has keys in it, and nobody knows when this session
 * is opened again.
 */
void op_end_all(struct session *s)
{
	for (size_t i = 0; i < OP_COUNT; i++) {
		if (s->ops[i] == NULL)
			continue;
		cancel(s, s->ops[i]);
		run_free(&s->ops[i]->run);
	}
}

void op_free_all(struct session *s)
{
	op_end_all(s);
	for (size_t i = 0; i < OP_COUNT; i++) {
		struct op *op = s->ops[i];

		if (op == NULL)
			continue;
		buf_free(&op->in);
		buf_free(&op->out);
		buf_free(&op->sig);
		mem_free(op);
		s->ops[i] = NULL;
	}
}
