/* SPDX-License-Identifier: Apache-2.0 */
/* The auditor's keys (docs/AUDIT.md, "Keys"): two texts, one public and one private, and what is done with them. */
#ifndef CHANCERY_AUDITOR_KEYS_H
#define CHANCERY_AUDITOR_KEYS_H

#include "auditor/signed.h"
#include "base/why.h"

enum {
	KEYS_KEM = 1216,
	KEYS_TEXT_MAX = 8192, /* bytes of one text */
	KEYS_MAX = 8, /* private texts one behind the other: of auditors that followed each other */
};

#define KEYS_NAME "chancery-auditor/" /* and the fingerprint: the name in signatures */

struct keys_public {
	uint8_t kem[KEYS_KEM];
	uint8_t ed25519[LINE_ED25519];
	uint8_t mldsa65[LINE_MLDSA65];
	char fingerprint[LINE_FINGERPRINT + 1];
	char name[sizeof(KEYS_NAME) + LINE_FINGERPRINT];
};

/* E_DATA with a why: it is no such text, in any byte. */
enum err keys_public_read(struct span text, struct keys_public *out, struct why *why);
enum err keys_public_text(const struct keys_public *k, struct buf *out);

/* New keys as texts. private_text: a secret buffer. */
enum err keys_make(struct buf *public_text, struct buf *private_text, struct why *why);

/* The private keys of one to KEYS_MAX auditors. */
struct keys_private;
enum err keys_private_read(struct span texts, struct keys_private **out, struct why *why);
void keys_private_free(struct keys_private *k); /* NULL accepted */
size_t keys_private_count(const struct keys_private *k);
const struct keys_public *keys_private_public(const struct keys_private *k, size_t i);
/* Which of them has this fingerprint; false: none. */
bool keys_private_find(const struct keys_private *k, struct span fingerprint, size_t *i);

/* Opens what was sealed to the i-th, 32 bytes. False: it was not, or not with this associated data. */
bool keys_open(const struct keys_private *k, size_t i, struct span b64, struct span aad,
	       uint8_t out[SUM]);
/* Appends the signature lines of the i-th over text. */
enum err keys_sign(const struct keys_private *k, size_t i, struct span text, struct buf *out);
/* Whether a note has good signatures of both keys of k. */
enum signed_answer keys_check(const struct keys_public *k, const struct signed_note *note);

#endif
