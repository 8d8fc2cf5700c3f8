/* SPDX-License-Identifier: Apache-2.0 */
/* Secret keys: bytes of a length. For src/crypto only. */
#ifndef CHANCERY_CRYPTO_SECRET_H
#define CHANCERY_CRYPTO_SECRET_H

#include "base/attrset.h"

/* Bytes of the longest secret key: more than HKDF can make with any digest (255 * 64). */
#define SECRET_MAX 16384

/*
 * The length of a new key that a template asks for: E_TEMPLATE_INCOMPLETE without CKA_VALUE_LEN,
 * E_ATTR_VALUE for a length that keys of the type do not have.
 */
enum err secret_length(const struct attrset *templ, CK_KEY_TYPE type, size_t *n);
/*
 * Puts a secret key of this type and value into *made, completed as by key_complete. A
 * CKA_CHECK_VALUE of the template is honoured: empty for none, else it must be right.
 */
enum err secret_put(const struct attrset *templ, CK_KEY_TYPE type, struct span value,
		    struct attrset *made);

#endif
