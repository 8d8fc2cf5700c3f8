/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dual-function calls (3.2, 5.17): two operations that were initialised separately take the same
 * plain data. `side` digests, signs or verifies it, `main` encrypts it or gives it by decryption.
 */
#include "core/op_private.h"

static enum err fail(struct session *s, struct op *side, struct op *main, enum err e)
{
	(void)op_end(s, side, e);
	(void)op_end(s, main, e);
	return e;
}

/* Whether main would only tell a length, before either operation takes anything. */
static bool only_length(const struct op *main, struct span in, struct out o)
{
	return o.n != NULL && (o.p == NULL || *o.n < op_part_bound(main, in.n));
}

/* What a private key gave goes into the digest, so that ends with the login, too. */
static void bind_login(struct op *side, const struct op *main)
{
	if (!main->private || side->private)
		return;
	side->private = true;
	side->epoch = main->epoch;
}

enum err op_dual(struct session *s, enum op_kind first, enum op_kind second, struct span in,
		 struct out o)
{
	struct op *side = op_active(s, first), *main = op_active(s, second);
	struct out none = out(NULL, NULL);
	bool asked;
	enum err e;

	if (side == NULL || main == NULL)
		return E_NO_OPERATION;
	asked = only_length(main, in, o);
	e = op_multipart(side);
	/* the side first when encrypting: the ciphertext may replace the plaintext */
	if (e == OK && !asked && second == OP_ENCRYPT)
		e = op_update(s, first, in, none);
	if (e == OK)
		e = op_update(s, second, in, o);
	if (e == OK && !asked && second == OP_DECRYPT) {
		bind_login(side, main);
		e = op_update(s, first, span(o.p, *o.n), none);
	}
	return e == OK || e == E_TOO_SMALL ? e : fail(s, side, main, e);
}
