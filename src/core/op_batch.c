/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many signatures with one record (docs/AUDIT.md, "Batches"): made one after the other into memory of ours, recorded by the root
 * of a tree over them, and only then given to the caller, all or none.
 */
#include "core/op_private.h"

#include "audit/tree.h"
#include "base/conf.h"
#include "base/mem.h"
#include "core/lib.h"
#include "core/policy.h"
#include "core/release.h"
#include "core/token.h"
#include "crypto/sealing.h"

struct batch {
	struct session *session;
	const struct mech *mech;
	struct used_key key;
	struct run run;
	CK_CHANCERY_ANSWER *answers; /* the caller's */
	size_t n;
	unsigned epoch; /* the token's login epoch before the key was looked up */
	size_t room;    /* bytes of a signature */
	size_t worked;  /* answers that the key has worked on, also in vain */
	size_t done;    /* signatures there are */
	uint64_t bytes; /* of data, of those that were worked on */
	struct buf in;  /* one answer's data: what is signed is what is hashed */
	struct buf out; /* the signatures */
	struct tree tree;
	uint8_t root[TREE_HASH];
};

/* ---- before anything is signed ---- */

static enum err check_answers(const CK_CHANCERY_ANSWER *answers, size_t n)
{
	enum err e = answers != NULL && n != 0 && n <= CHANCERY_BATCH_MAX ? OK : E_ARGUMENTS;

	for (size_t i = 0; e == OK && i < n; i++)
		e = op_check_input(span(answers[i].data, answers[i].dataLen), E_DATA_LEN);
	return e;
}

/*
 * Another key's uses are recorded one by one, so it is refused and not given a record for each answer: whoever
 * calls this for it has taken the wrong key, and would learn it from the size of the roll.
 */
static bool is_batch_key(const struct object *o)
{
	return attrset_ulong(o->attrs, CKA_CHANCERY_AUDIT, CHANCERY_AUDIT_EACH) ==
	       CHANCERY_AUDIT_BATCH;
}

static enum err take_key(struct batch *b, CK_OBJECT_HANDLE key)
{
	struct attr_who who = token_who(b->session->token);
	enum err e = usage_key(b->session->token, key, USAGE_SIGN, b->mech, &b->key);

	if (e == OK && !is_batch_key(b->key.object))
		e = E_KEY_USAGE;
	return e == OK ? policy_sign(&who, b->mech->type, b->key.object->attrs) : e;
}

static enum err begin(struct batch *b, const CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key)
{
	enum err e;

	b->mech = op_mech(OP_SIGN, mechanism->mechanism);
	if (b->mech == NULL)
		return E_MECHANISM;
	b->epoch = token_epoch(b->session->token);
	e = take_key(b, key);
	if (e == OK)
		e = param_take(b->mech, mechanism, &b->run.param);
	if (e == OK)
		e = run_begin(&b->run, b->mech, USE_SIGN, b->key.key, &b->run.param);
	if (e == OK)
		b->room = run_bound(&b->run, 0, true);
	return e;
}

/* 3.2, 5.2, of all at once: the lengths are told when they are all asked for, or when one does not suffice. */
static enum err measure(const struct batch *b, bool *asked)
{
	bool fit = true;

	*asked = true;
	for (size_t i = 0; i < b->n; i++) {
		const CK_CHANCERY_ANSWER *a = &b->answers[i];

		*asked = *asked && a->signature == NULL;
		fit = fit && a->signature != NULL && a->signatureLen >= b->room;
	}
	if (fit)
		return OK;
	for (size_t i = 0; i < b->n; i++)
		b->answers[i].signatureLen = b->room;
	return *asked ? OK : E_TOO_SMALL;
}

/* ---- signing ---- */

/* The login that the key needs lasts, and there is a roll to record it. */
static enum err may_go_on(const struct batch *b)
{
	enum err e = release_login(b->session->token, b->epoch, b->key.object);

	return e == OK ? release_ready(b->session->token) : e;
}

static enum err add_leaf(struct batch *b, struct span sig)
{
	uint8_t leaf[2][SEALING_MAC];
	struct span data = buf_span(&b->in);
	enum err e = sealing_digest(&data, 1, leaf[0]);

	if (e == OK)
		e = sealing_digest(&sig, 1, leaf[1]);
	return e == OK ? tree_add(&b->tree, span(leaf, sizeof(leaf))) : e;
}

static enum err sign_one(struct batch *b, size_t i)
{
	struct sink to = sink(b->out.p + i * b->room, b->room);
	enum err e = may_go_on(b);

	buf_clear(&b->in);
	if (e == OK)
		e = buf_put(&b->in, span(b->answers[i].data, b->answers[i].dataLen));
	if (e == OK && i != 0)
		e = run_again(&b->run);
	if (e != OK)
		return e;
	b->worked++;
	b->bytes += b->in.n;
	e = run_once(&b->run, buf_span(&b->in), &to);
	if (e == OK && to.n != b->room)
		e = E_INTERNAL; /* of signatures, run_bound is the very length */
	if (e == OK)
		e = add_leaf(b, span(to.p, to.n));
	if (e == OK)
		b->done++;
	return e;
}

static enum err sign_all(struct batch *b)
{
	enum err e;

	b->in.max = (size_t)lib_conf()->module.max_input_kb << 10;
	b->out.max = b->n * b->room;
	e = buf_reserve(&b->out, b->n * b->room);
	for (size_t i = 0; e == OK && i < b->n; i++)
		e = sign_one(b, i);
	return e == OK ? tree_root(&b->tree, b->root) : e;
}

/* ---- release ---- */

/* Of one that failed, how many signatures there were; they went nowhere, so there is no root. */
static enum err record(struct batch *b, enum err result)
{
	struct enrol n = release_use(b->session, EV_SIGN_BATCH, b->key.object, b->mech);
	enum err e;

	n.ev.measured = true;
	n.ev.bytes = b->bytes;
	n.ev.counted = true;
	n.ev.count = b->done;
	if (result == OK)
		n.ev.root = span(b->root, sizeof(b->root));
	e = enrol_commit(&n, result);
	return e != OK ? e : result;
}

static void hand_out(struct batch *b)
{
	for (size_t i = 0; i < b->n; i++) {
		memcpy(b->answers[i].signature, b->out.p + i * b->room, b->room);
		b->answers[i].signatureLen = b->room;
	}
}

static bool is_input(const struct batch *b, struct span room)
{
	for (size_t i = 0; i < b->n; i++)
		if (span_overlap(room, span(b->answers[i].data, b->answers[i].dataLen)))
			return true;
	return false;
}

/* Nothing was put there yet, so data that lies where its signature goes can be kept. */
static void wipe_all(struct batch *b)
{
	for (size_t i = 0; i < b->n; i++)
		if (!is_input(b, span(b->answers[i].signature, b->room)))
			mem_wipe(b->answers[i].signature, b->room);
}

/* Each is one use of the mechanism, as if it had been asked for alone, and ended as the batch did. */
static void count_all(const struct batch *b, enum err e)
{
	for (size_t i = 0; i < b->worked; i++) {
		struct count c = { .timed = false };

		count_end(b->session->token, &c, TALLY_SIGN, b->mech->type, b->answers[i].dataLen,
			  e);
	}
}

static enum err conclude(struct batch *b, enum err e)
{
	if (e == OK)
		e = may_go_on(b);
	if (b->worked != 0)
		e = record(b, e);
	if (e == OK)
		hand_out(b);
	else
		wipe_all(b);
	count_all(b, e);
	return e;
}

static void end(struct batch *b)
{
	run_free(&b->run);
	param_clear(&b->run.param);
	usage_done(&b->key);
	buf_free(&b->in);
	buf_free(&b->out);
}

enum err op_sign_batch(struct session *s, const CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key,
		       CK_CHANCERY_ANSWER *answers, size_t n)
{
	struct batch b = { .session = s, .answers = answers, .n = n };
	bool asked = false;
	enum err e = mechanism != NULL ? check_answers(answers, n) : E_ARGUMENTS;

	if (e != OK)
		return e;
	e = begin(&b, mechanism, key);
	if (e == OK)
		e = measure(&b, &asked);
	if (e == OK && !asked)
		e = conclude(&b, sign_all(&b));
	end(&b);
	return e;
}
