/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How to use a mechanism, told by its name: what key it needs and what parameter. Enough for one complete
 * operation of every mechanism that the module lists.
 */
#ifndef CHANCERY_TESTS_RECIPE_H
#define CHANCERY_TESTS_RECIPE_H

#include "case.h"

struct recipe;

/* A recipe with keys; not to be copied, for the mechanism points into it. */
struct dish {
	CK_MECHANISM m;
	CK_FLAGS flags;          /* of CK_MECHANISM_INFO */
	CK_MECHANISM_TYPE maker; /* makes such keys */
	struct pair k;           /* of a secret key both are the same */
	CK_ULONG in;             /* bytes of input that fit */
	union {
		CK_BYTE iv[16];
		CK_ULONG number;
		CK_GCM_PARAMS gcm;
		CK_CCM_PARAMS ccm;
		CK_AES_CTR_PARAMS ctr;
		CK_RSA_PKCS_OAEP_PARAMS oaep;
		CK_RSA_PKCS_PSS_PARAMS pss;
		CK_HKDF_PARAMS hkdf;
		CK_ECDH1_DERIVE_PARAMS ecdh;
		CK_PKCS5_PBKD2_PARAMS2 pbkdf2;
	} param;
	CK_BYTE point[160]; /* of ecdh */
};

/* Parameter and keys for type, allowed to do what flags say. Fails the test when there is no recipe. */
void recipe_cook(struct dish *d, CK_MECHANISM_TYPE type, CK_FLAGS flags);
/* A key or pair by this mechanism, allowed to do what flags say, with a plain template. */
CK_RV recipe_generate(CK_MECHANISM *m, CK_FLAGS flags, struct pair *k);

#endif
