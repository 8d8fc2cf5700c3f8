/* SPDX-License-Identifier: Apache-2.0 */
/* The auditor, to whom the secrets of the roll are sealed: auditor.pub (docs/AUDIT.md, "Keys"). */
#ifndef CHANCERY_AUDIT_RECIPIENT_H
#define CHANCERY_AUDIT_RECIPIENT_H

#include "audit/ledger.h"
#include "audit/site.h"
#include "base/buf.h"
#include "crypto/boxing.h"

struct recipient {
	bool there; /* false: nobody, and nothing is sealed */
	uint8_t print[LEDGER_PRINT];
	uint8_t kem[BOXING_PUBLIC];
};

enum { RECIPIENT_TEXT_MAX = 16384 };

/* E_ARGUMENTS: the text is none. */
enum err recipient_of(struct span text, struct recipient *r, struct why *why);
/* auditor.pub of the directory; r->there false when there is none. E_CORRUPT: it is none. */
enum err recipient_read(const struct site *s, struct recipient *r, struct why *why);

/* `"…"`, base64, of a secret, or `null` for nobody: the secret S of a roll; the seed of one of its files. */
enum err recipient_seal_init(const struct recipient *r, const struct ledger *l, struct buf *out);
enum err recipient_seal_seed(const struct recipient *r, const struct ledger *l, uint64_t file,
			     const uint8_t seed[LEDGER_SECRET], struct buf *out);

#endif
