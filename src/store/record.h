/* SPDX-License-Identifier: Apache-2.0 */
/* Records as rows of the database: one that not everybody sees is sealed, a public one carries a MAC. */
#ifndef CHANCERY_STORE_RECORD_H
#define CHANCERY_STORE_RECORD_H

#include "base/buf.h"
#include "store/seal.h"

/* Key of the index of public records: stored in the clear, so that their labels are found without a login. */
enum { RECORD_SALT = 32 };

/* A row of the table objects; tag and blob are borrowed. */
struct row {
	uint64_t id, version;
	uint64_t changed; /* change counter at the last change */
	enum sight sight;
	uint64_t cls, label_ix, id_ix;
	/* sealed: of GCM; public: the MAC, or empty when it was written without a login */
	struct span tag;
	struct span blob; /* sealed: nonce and ciphertext; public: plain */
};

/* What a label or an id is found by. kind is CKA_LABEL or CKA_ID. key: the seal's index key, or the salt. */
enum err record_index(const uint8_t *key, CK_ATTRIBUTE_TYPE kind, struct span value, uint64_t *ix);

/*
 * Everything that the row says beside the content, with the token it belongs to. It is bound into the row's tag, and into the
 * root (state.h): none of it can be altered, or taken from another row. In frame.
 */
enum { RECORD_FRAME = 16 + sizeof(struct ident) + 3 * 8 + 1 + 3 * 8 };
struct span record_frame(const struct seal *k, const struct row *row, uint8_t frame[RECORD_FRAME]);

/*
 * Fills row's cls, indexes, tag and blob from r; the rest of row is given. Tag and blob point into out. k NULL: a
 * public record without a MAC, E_NOT_LOGGED_IN for one to be sealed. salt: RECORD_SALT bytes.
 */
enum err record_seal(const struct seal *k, const uint8_t *salt, const struct record *r,
		     struct row *row, struct buf *out);

/*
 * The reverse. k NULL opens public records without verifying them. r->attrs is the caller's, with record_clear. E_CORRUPT: altered,
 * moved from another row or token, or not a record at all.
 */
enum err record_open(const struct seal *k, const struct row *row, struct record *r);

/* Sets traits and attrs of r from the plain form (docs/STORE.md, "Record"). E_CORRUPT. For record_open and the fuzzer. */
enum err record_parse(struct span plain, bool secret, struct record *r);

#endif
