/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of keys that `chancery key` makes, by the names that people write. */
#ifndef CHANCERY_CLI_KEYKIND_H
#define CHANCERY_CLI_KEYKIND_H

#include "base/span.h"
#include <chancery/pkcs11.h>

struct keykind {
	const char *name;
	CK_KEY_TYPE type;
	CK_MECHANISM_TYPE generate;
	bool pair;
	/* what says which: CKA_MODULUS_BITS, CKA_EC_PARAMS, CKA_PARAMETER_SET, CKA_VALUE_LEN */
	CK_ATTRIBUTE_TYPE size_attr;
	CK_ULONG size;      /* its value, when it is a number */
	const char *params; /* its bytes, when it is DER */
	size_t params_n;
	const char *use; /* what it is for when nothing else is said */
};

/* All rows; ends with a row without a name. */
extern const struct keykind keykinds[];
const struct keykind *keykind_find(const char *name);

/* What a key may be used for: one word of --use, and the attributes it sets on either half. */
struct keyuse {
	const char *name;
	CK_ATTRIBUTE_TYPE private_attr; /* on the private or secret key */
	CK_ATTRIBUTE_TYPE public_attr;  /* on the public key, or the second one of a secret key */
};

extern const struct keyuse keyuses[];
const struct keyuse *keyuse_find(const char *name);

#endif
