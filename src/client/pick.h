/* SPDX-License-Identifier: Apache-2.0 */
/* Which token a PKCS#11 URI means. */
#ifndef CHANCERY_CLIENT_PICK_H
#define CHANCERY_CLIENT_PICK_H

#include "base/uri.h"
#include "client/module.h"

struct spot {
	CK_SLOT_ID slot;
	CK_TOKEN_INFO info;
};

enum pick_want { PICK_TOKEN, PICK_BLANK, PICK_ANY };

/*
 * Every token of m that fits u (NULL: all) and is initialised (PICK_TOKEN), is not (PICK_BLANK), or either. *spots by mem_alloc;
 * none is not an error. Slots whose token cannot be read are left out.
 */
enum err pick_tokens(const struct module *m, const struct uri *u, enum pick_want want,
		     struct spot **spots, size_t *n, struct why *why);
/*
 * The first slot, from *slot on, whose token cannot be read, and what C_GetTokenInfo says of it: pick_tokens left it out. False: there
 * is none.
 */
bool pick_unreadable(const struct module *m, CK_SLOT_ID *slot, CK_RV *rv);
/* Exactly one: none is E_TOKEN_ABSENT, several are E_ARGUMENTS with their names in why. */
enum err pick_token(const struct module *m, const struct uri *u, enum pick_want want,
		    struct spot *spot, struct why *why);

/* The length of a blank-padded field of a CK_..._INFO without its padding. */
size_t field_len(const CK_UTF8CHAR *field, size_t n);

#endif
