/* SPDX-License-Identifier: Apache-2.0 */
/*
 * May this key do this? Everything that decides it is here and nowhere else: class, key type,
 * usage attribute, CKA_ALLOWED_MECHANISMS, the mechanism's flag, the key's size, the login that a
 * private object needs. CKA_START_DATE and CKA_END_DATE only inform (3.2, 4.8).
 */
#ifndef CHANCERY_CORE_USAGE_H
#define CHANCERY_CORE_USAGE_H

#include "core/object.h"
#include "crypto/key.h"
#include "crypto/mech.h"

struct token;

enum usage {
	USAGE_ENCRYPT,
	USAGE_DECRYPT,
	USAGE_SIGN,
	USAGE_SIGN_RECOVER,
	USAGE_VERIFY,
	USAGE_VERIFY_RECOVER,
	USAGE_WRAP,
	USAGE_UNWRAP,
	USAGE_DERIVE,
	USAGE_COUNT
};

/* A key in use: the object as it was found, and its parsed form. Both are references. */
struct used_key {
	struct object *object;
	struct key *key;
};

/*
 * The key behind h for this use under mechanism m. On success *k holds references, to be given
 * back with usage_done; on error it is empty. Errors as C_XInit, C_WrapKey, C_UnwrapKey and
 * C_DeriveKey name them for the use (CKR_WRAPPING_KEY_…, CKR_UNWRAPPING_KEY_…). Takes token.rw
 * for read during the lookup only.
 */
enum err usage_key(struct token *t, CK_OBJECT_HANDLE h, enum usage u, const struct mech *m,
		   struct used_key *k);
void usage_done(struct used_key *k); /* an empty one accepted */

/* The uses that the usage attributes allow, as bits: for objects, which keep them. */
unsigned usage_bits(const struct attrset *a);
/* Whether the object is a key at all: public, private or secret. */
bool usage_is_key(const struct object *o);

#endif
