/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verification: there is no output to ask the length of, so every return ends the operation (3.2,
 * 5.15).
 */
#include "core/op_private.h"

/*
 * The answer is released like any result: whether a MAC is right may not be told without its
 * record.
 */
static enum err answer(struct session *s, struct op *op, enum err e)
{
	enum err e2 = op_may_use(s, op);

	if (e2 == OK && e == OK)
		e2 = op_record(s, op, op_rows[op->kind].event);
	if (e2 != OK)
		e = e2;
	return op_end(s, op, e);
}

/* The signature of this call, or the one that C_VerifySignatureInit took. */
static struct span signature(const struct op *op, struct span sig)
{
	return op->kind == OP_VERIFY_SIGNATURE ? buf_span(&op->sig) : sig;
}

enum err op_verify(struct session *s, enum op_kind k, struct span in, struct span sig)
{
	struct op *op = op_active(s, k);
	enum err e;

	if (op == NULL)
		return E_NO_OPERATION;
	count_go(&op->count);
	e = op_check_input(in, op_rows[k].too_long);
	if (e == OK)
		e = op_check_input(sig, E_SIGNATURE_LEN);
	if (e == OK && op->phase != OP_READY)
		e = op_in_parts(k);
	if (e == OK)
		e = op_may_use(s, op);
	if (e == OK) {
		op->used = true;
		op->bytes = in.n;
		e = run_verify_once(&op->run, in, signature(op, sig));
	}
	return answer(s, op, e);
}

enum err op_verify_final(struct session *s, enum op_kind k, struct span sig)
{
	struct op *op = op_active(s, k);
	enum err e;

	if (op == NULL)
		return E_NO_OPERATION;
	count_go(&op->count);
	e = op_check_input(sig, E_SIGNATURE_LEN);
	if (e == OK)
		e = op_multipart(op);
	if (e == OK)
		e = op_may_use(s, op);
	if (e == OK) {
		op->used = true;
		sig = signature(op, sig);
		if (run_buffered(&op->run))
			e = run_verify_once(&op->run, buf_span(&op->in), sig);
		else
			e = run_verify_final(&op->run, sig);
	}
	return answer(s, op, e);
}
