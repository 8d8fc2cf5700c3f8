/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Test vectors read from files: what is common to all kinds. A kind is a function that does with the module
 * what one test of its kind describes and says what came of it; whether that is right the runner decides.
 */
#ifndef CHANCERY_TESTS_VEC_H
#define CHANCERY_TESTS_VEC_H

#include "p11.h"
#include <jansson.h>

enum vec_outcome {
	VEC_TAKEN,   /* the module took it and its output is the vector's */
	VEC_REFUSED, /* it answered with an error */
	VEC_DIFFERS, /* it took it, and its output is another one */
	VEC_SKIPPED  /* nothing of the module's present mechanisms does this */
};

struct vec {
	CK_SESSION_HANDLE s;
	const json_t *file, *group, *test;
	const json_t *key_of; /* the group that key was made for */
	CK_OBJECT_HANDLE key;
};

typedef enum vec_outcome vec_fn(struct vec *v);

struct vec_kind {
	const char *type; /* the group's "type" */
	vec_fn *run;
};

/* Each ends with a row without a type. */
extern const struct vec_kind vec_symmetric[], vec_signature[], vec_agreement[], vec_derivation[],
	vec_rsa[];

/* ---- values ---- */

#define VEC_MAX 16384

struct bytes {
	CK_BYTE p[VEC_MAX];
	CK_ULONG n;
};

/* Of the member's hexadecimal text; empty when there is none. */
void vec_bytes(const json_t *object, const char *member, struct bytes *b);
const char *vec_text(const json_t *object, const char *member);
CK_ULONG vec_number(const json_t *object, const char *member);

/* What a digest's name ("SHA-256") means to each family of mechanisms; NULL: no digest of ours. */
struct vec_hash {
	const char *name;
	CK_MECHANISM_TYPE digest, rsa, pss, ecdsa, hmac, hmac_general;
	CK_RSA_PKCS_MGF_TYPE mgf;
	CK_PKCS5_PBKD2_PSEUDO_RANDOM_FUNCTION_TYPE prf;
	CK_ULONG n;
};

const struct vec_hash *vec_hash(const char *name);

/* ---- objects: session objects ---- */

/* The object of a template, or 0 when the module refuses it. */
CK_OBJECT_HANDLE vec_create(struct vec *v, struct templ *t);
CK_OBJECT_HANDLE vec_secret(struct vec *v, CK_KEY_TYPE type, const struct bytes *value,
			    CK_ATTRIBUTE_TYPE use1, CK_ATTRIBUTE_TYPE use2);
/* A private key from PKCS#8, by unwrapping: 0 when it is refused. */
CK_OBJECT_HANDLE vec_pkcs8(struct vec *v, CK_KEY_TYPE type, const struct bytes *der,
			   CK_ATTRIBUTE_TYPE use);
/* The key of the group, made by make at its first test and kept for the others. */
CK_OBJECT_HANDLE vec_group_key(struct vec *v, CK_OBJECT_HANDLE (*make)(struct vec *v));

/* OK and equal, OK and different, or an error. */
enum vec_outcome vec_compare(CK_RV rv, const CK_BYTE *got, CK_ULONG n, const struct bytes *want);

#endif
