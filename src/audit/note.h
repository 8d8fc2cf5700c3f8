/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signed tree heads of a file (C2SP tlog-checkpoint and signed-note; docs/AUDIT.md, "checkpoint"), with keys that are made for one file, in the
 * secret arena, and wiped with it. Functions that append to out leave it as it was on error: E_MEMORY, E_DATA_LEN (beyond out->max);
 * E_FAILED and E_SELFTEST of libcrypto.
 */
#ifndef CHANCERY_AUDIT_NOTE_H
#define CHANCERY_AUDIT_NOTE_H

#include "audit/tree.h"
#include "base/buf.h"
#include "base/err.h"

struct note_keys;

/* id: of the roll. mldsa: an ML-DSA-65 key, too. *out is the caller's. */
enum err note_keys_new(const uint8_t id[16], uint64_t file, bool mldsa, struct note_keys **out);
void note_keys_free(struct note_keys *k); /* NULL accepted */
/* `,"ed25519":"…"[,"mldsa65":"…"]`. */
enum err note_publics(const struct note_keys *k, struct buf *out);
/* The note, with its line feeds. Any number of threads at once. */
enum err note_sign(const struct note_keys *k, uint64_t size, const uint8_t root[TREE_HASH],
		   struct buf *out);

#endif
