/* SPDX-License-Identifier: Apache-2.0 */
#include "core/count.h"

#include "core/token.h"

/* What was given is not what it should be. Whatever else goes wrong is a failure. */
static const bool rejects[E_COUNT] = {
	[E_DATA] = true,      [E_DATA_LEN] = true,       [E_CIPHERTEXT] = true,
	[E_AEAD] = true,      [E_CIPHERTEXT_LEN] = true, [E_WRAPPED_INVALID] = true,
	[E_SIGNATURE] = true, [E_SIGNATURE_LEN] = true,  [E_WRAPPED_LEN] = true,
};

static enum meter_end end_of(enum err e)
{
	if (e == OK)
		return METER_DONE;
	return rejects[e] ? METER_REJECTED : METER_FAILED;
}

void count_end(const struct token *t, struct count *c, enum tally_use use, CK_MECHANISM_TYPE m,
	       uint64_t bytes, enum err result)
{
	struct meter *to = token_meter(t);

	if (to == NULL || result == E_TOO_SMALL)
		return;
	meter_add(to, use, m, end_of(result), bytes);
	if (c->timed) {
		count_rest(c);
		meter_time(to, use, m, c->ns);
	}
}
