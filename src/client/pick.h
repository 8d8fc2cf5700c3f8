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

/* What a look at every slot gave. */
struct picks {
	struct spot *spots; /* tokens that fit */
	size_t n;
	struct unread {
		CK_SLOT_ID slot;
		CK_RV rv; /* of C_GetTokenInfo */
	} * unread; /* left out, since nobody knows whether they fit: the token cannot be read */
	size_t n_unread;
};

/*
 * Every token of m that fits u (NULL: all) and is initialised (PICK_TOKEN), is not (PICK_BLANK), or either. Each slot is asked
 * once. None is not an error, nor is one that cannot be read. Freed with picks_free, also after an error.
 */
enum err pick_tokens(const struct module *m, const struct uri *u, enum pick_want want,
		     struct picks *out, struct why *why);
void picks_free(struct picks *p);
/* Exactly one: none is E_TOKEN_ABSENT, several are E_ARGUMENTS with their names in why. */
enum err pick_token(const struct module *m, const struct uri *u, enum pick_want want,
		    struct spot *spot, struct why *why);

/* The length of a blank-padded field of a CK_..._INFO without its padding. */
size_t field_len(const CK_UTF8CHAR *field, size_t n);

#endif
