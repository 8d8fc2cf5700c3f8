/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every kind of operation that gives output, in one form, so that a rule is tested on all of them
 * by one loop: the functions, mechanisms with their parameters, keys made for them and an input
 * that is good.
 */
#ifndef CHANCERY_TESTS_FLOW_H
#define CHANCERY_TESTS_FLOW_H

#include "p11.h"
#include "recipe.h"

#define FLOW_MAX 8192 /* more than any output here */

enum flow_kind {
	FLOW_ENCRYPT,
	FLOW_DECRYPT,
	FLOW_DIGEST,
	FLOW_SIGN,
	FLOW_SIGN_RECOVER,
	FLOW_VERIFY_RECOVER
};

#define FLOW_KINDS (FLOW_VERIFY_RECOVER + 1)

enum flow_key { KEY_NONE, KEY_RSA, KEY_P256, KEY_ED25519, KEY_MLDSA, KEY_AES, KEY_HMAC };

struct flow_row {
	const char *name;
	enum flow_kind kind;
	enum flow_key key;
	CK_MECHANISM_TYPE mech;
	CK_ULONG in;  /* bytes of plain input */
	bool multi;   /* there is a multi-part form */
	bool streams; /* Update gives output before Final */
};

extern const struct flow_row flow_rows[];
extern const size_t flow_rows_n;

/* A row made ready: key, parameter and input. */
struct flow {
	const struct flow_row *row;
	CK_SESSION_HANDLE s;
	CK_OBJECT_HANDLE key;
	CK_MECHANISM m;
	CK_BYTE in[FLOW_MAX];
	CK_ULONG n;
	CK_BYTE want[FLOW_MAX]; /* the output, where it is always the same */
	CK_ULONG want_n;
	bool random; /* it is not */
};

/* Keys are session objects of s. A flow is not copied. */
void flow_make(struct flow *f, const struct flow_row *row, CK_SESSION_HANDLE s);

/*
 * Makes row, too: an operation of this kind by any mechanism that the module lists, by its recipe. What the output is to be
 * the operation itself says the first time.
 */
void flow_cook(struct flow *f, struct flow_row *row, enum flow_kind kind, CK_MECHANISM_TYPE type);

CK_RV flow_init(struct flow *f);
/* Cancels by a NULL mechanism. */
CK_RV flow_cancel(struct flow *f);
CK_RV flow_once(struct flow *f, CK_BYTE *in, CK_ULONG n, CK_BYTE *out, CK_ULONG *out_n);
CK_RV flow_update(struct flow *f, CK_BYTE *in, CK_ULONG n, CK_BYTE *out, CK_ULONG *out_n);
CK_RV flow_final(struct flow *f, CK_BYTE *out, CK_ULONG *out_n);
/* The flag of C_SessionCancel, and of mechanisms that can do it. */
CK_FLAGS flow_flag(const struct flow *f);
CK_FLAGS flow_flag_of(enum flow_kind kind);
/* Fails unless out is the result for f->in. */
void flow_check(struct flow *f, const CK_BYTE *out, CK_ULONG n);

#endif
