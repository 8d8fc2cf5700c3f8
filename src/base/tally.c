/* SPDX-License-Identifier: Apache-2.0 */
#include "base/tally.h"

#include <string.h>

static const char *const names[TALLY_USES] = {
	[TALLY_ENCRYPT] = "encrypt",
	[TALLY_DECRYPT] = "decrypt",
	[TALLY_DIGEST] = "digest",
	[TALLY_SIGN] = "sign",
	[TALLY_VERIFY] = "verify",
	[TALLY_SIGN_RECOVER] = "sign_recover",
	[TALLY_VERIFY_RECOVER] = "verify_recover",
	[TALLY_GENERATE] = "generate",
	[TALLY_DERIVE] = "derive",
	[TALLY_WRAP] = "wrap",
	[TALLY_UNWRAP] = "unwrap",
	[TALLY_RANDOM] = "random",
};

const char *tally_use_name(unsigned use)
{
	return use < TALLY_USES ? names[use] : NULL;
}

struct tally_head tally_head_new(void)
{
	struct tally_head h = {
		.version = TALLY_VERSION,
		.rows = TALLY_ROWS,
		.lanes = TALLY_LANES,
		.cell = sizeof(struct tally_cell),
	};

	memcpy(h.magic, TALLY_MAGIC, sizeof(h.magic));
	return h;
}

bool tally_head_known(const struct tally_head *h)
{
	return memcmp(h->magic, TALLY_MAGIC, sizeof(h->magic)) == 0 &&
	       h->version == TALLY_VERSION && h->rows == TALLY_ROWS && h->lanes == TALLY_LANES &&
	       h->cell == sizeof(struct tally_cell);
}
