/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set of attributes: the values of an object, or a checked template. At most one value per type,
 * kept sorted by type. Values are bytes: a CK_ULONG is 8 bytes little-endian (the host's own form
 * on every platform we support), a CK_BBOOL one byte, an array attribute (CKF_ARRAY_ATTRIBUTE) is a
 * nested set in the form of attrset_encode, CKA_ALLOWED_MECHANISMS an array of CK_ULONG. Not
 * thread-safe while being built; afterwards read by any number of threads.
 */
#ifndef CHANCERY_BASE_ATTRSET_H
#define CHANCERY_BASE_ATTRSET_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include <chancery/pkcs11.h>

struct attr {
	CK_ATTRIBUTE_TYPE type;
	struct span v;
};

/* Owns copies of its values, in memory of the secret arena when asked; wiped when freed. */
struct attrset;

/* A new empty set; secret: its memory comes from the secret arena (mem.h). NULL: out of memory. */
struct attrset *attrset_new(bool secret);
void attrset_free(struct attrset *s); /* NULL accepted */

size_t attrset_count(const struct attrset *s);
/* The i-th attribute in order of type; valid until the set is changed or freed. */
struct attr attrset_at(const struct attrset *s, size_t i);
/* NULL when absent, else the attribute; valid until the set is changed or freed. */
const struct attr *attrset_get(const struct attrset *s, CK_ATTRIBUTE_TYPE t);
bool attrset_has(const struct attrset *s, CK_ATTRIBUTE_TYPE t);
/* Typed reads: dflt when absent or of the wrong size. */
bool attrset_bool(const struct attrset *s, CK_ATTRIBUTE_TYPE t, bool dflt);
CK_ULONG attrset_ulong(const struct attrset *s, CK_ATTRIBUTE_TYPE t, CK_ULONG dflt);
/* Empty span when absent. */
struct span attrset_bytes(const struct attrset *s, CK_ATTRIBUTE_TYPE t);

/* Puts a copy of v, replacing an earlier value. E_MEMORY leaves the set as it was. */
enum err attrset_put(struct attrset *s, CK_ATTRIBUTE_TYPE t, struct span v);
enum err attrset_put_bool(struct attrset *s, CK_ATTRIBUTE_TYPE t, bool v);
enum err attrset_put_ulong(struct attrset *s, CK_ATTRIBUTE_TYPE t, CK_ULONG v);
/* Puts only when the type is absent. */
enum err attrset_default(struct attrset *s, CK_ATTRIBUTE_TYPE t, struct span v);
void attrset_drop(struct attrset *s, CK_ATTRIBUTE_TYPE t);
/* Copies every attribute of src into dst, replacing. */
enum err attrset_merge(struct attrset *dst, const struct attrset *src);
/* A deep copy; NULL: out of memory. */
struct attrset *attrset_copy(const struct attrset *s, bool secret);

/* Serial form: u32 count, then per attribute u64 type, u32 length, bytes; little-endian, sorted. */
enum err attrset_encode(const struct attrset *s, struct buf *out);
/* Strict: unsorted, duplicate, overlong or trailing bytes are E_CORRUPT. *out is the caller's. */
enum err attrset_decode(struct span in, bool secret, struct attrset **out);

#endif
