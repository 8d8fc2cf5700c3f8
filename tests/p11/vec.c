/* SPDX-License-Identifier: Apache-2.0 */
#include "vec.h"
#include <stdio.h>
#include <stdlib.h>

#define NONE CK_UNAVAILABLE_INFORMATION

static const struct vec_hash hashes[] = {
	{ "SHA-1", CKM_SHA_1, CKM_SHA1_RSA_PKCS, CKM_SHA1_RSA_PKCS_PSS, CKM_ECDSA_SHA1,
	  CKM_SHA_1_HMAC, CKM_SHA_1_HMAC_GENERAL, CKG_MGF1_SHA1, CKP_PKCS5_PBKD2_HMAC_SHA1, 20 },
	{ "SHA-224", CKM_SHA224, CKM_SHA224_RSA_PKCS, CKM_SHA224_RSA_PKCS_PSS, CKM_ECDSA_SHA224,
	  CKM_SHA224_HMAC, CKM_SHA224_HMAC_GENERAL, CKG_MGF1_SHA224, CKP_PKCS5_PBKD2_HMAC_SHA224,
	  28 },
	{ "SHA-256", CKM_SHA256, CKM_SHA256_RSA_PKCS, CKM_SHA256_RSA_PKCS_PSS, CKM_ECDSA_SHA256,
	  CKM_SHA256_HMAC, CKM_SHA256_HMAC_GENERAL, CKG_MGF1_SHA256, CKP_PKCS5_PBKD2_HMAC_SHA256,
	  32 },
	{ "SHA-384", CKM_SHA384, CKM_SHA384_RSA_PKCS, CKM_SHA384_RSA_PKCS_PSS, CKM_ECDSA_SHA384,
	  CKM_SHA384_HMAC, CKM_SHA384_HMAC_GENERAL, CKG_MGF1_SHA384, CKP_PKCS5_PBKD2_HMAC_SHA384,
	  48 },
	{ "SHA-512", CKM_SHA512, CKM_SHA512_RSA_PKCS, CKM_SHA512_RSA_PKCS_PSS, CKM_ECDSA_SHA512,
	  CKM_SHA512_HMAC, CKM_SHA512_HMAC_GENERAL, CKG_MGF1_SHA512, CKP_PKCS5_PBKD2_HMAC_SHA512,
	  64 },
	{ "SHA-512/224", CKM_SHA512_224, NONE, NONE, NONE, CKM_SHA512_224_HMAC,
	  CKM_SHA512_224_HMAC_GENERAL, 0, CKP_PKCS5_PBKD2_HMAC_SHA512_224, 28 },
	{ "SHA-512/256", CKM_SHA512_256, NONE, NONE, NONE, CKM_SHA512_256_HMAC,
	  CKM_SHA512_256_HMAC_GENERAL, 0, CKP_PKCS5_PBKD2_HMAC_SHA512_256, 32 },
	{ "SHA3-224", CKM_SHA3_224, CKM_SHA3_224_RSA_PKCS, CKM_SHA3_224_RSA_PKCS_PSS,
	  CKM_ECDSA_SHA3_224, CKM_SHA3_224_HMAC, CKM_SHA3_224_HMAC_GENERAL, CKG_MGF1_SHA3_224, NONE,
	  28 },
	{ "SHA3-256", CKM_SHA3_256, CKM_SHA3_256_RSA_PKCS, CKM_SHA3_256_RSA_PKCS_PSS,
	  CKM_ECDSA_SHA3_256, CKM_SHA3_256_HMAC, CKM_SHA3_256_HMAC_GENERAL, CKG_MGF1_SHA3_256, NONE,
	  32 },
	{ "SHA3-384", CKM_SHA3_384, CKM_SHA3_384_RSA_PKCS, CKM_SHA3_384_RSA_PKCS_PSS,
	  CKM_ECDSA_SHA3_384, CKM_SHA3_384_HMAC, CKM_SHA3_384_HMAC_GENERAL, CKG_MGF1_SHA3_384, NONE,
	  48 },
	{ "SHA3-512", CKM_SHA3_512, CKM_SHA3_512_RSA_PKCS, CKM_SHA3_512_RSA_PKCS_PSS,
	  CKM_ECDSA_SHA3_512, CKM_SHA3_512_HMAC, CKM_SHA3_512_HMAC_GENERAL, CKG_MGF1_SHA3_512, NONE,
	  64 },
};

const struct vec_hash *vec_hash(const char *name)
{
	for (size_t i = 0; i < sizeof(hashes) / sizeof(hashes[0]); i++)
		if (strcmp(hashes[i].name, name) == 0)
			return &hashes[i];
	return NULL;
}

const char *vec_text(const json_t *object, const char *member)
{
	const char *s = json_string_value(json_object_get(object, member));

	return s != NULL ? s : "";
}

CK_ULONG vec_number(const json_t *object, const char *member)
{
	return (CK_ULONG)json_integer_value(json_object_get(object, member));
}

void vec_bytes(const json_t *object, const char *member, struct bytes *b)
{
	const char *s = vec_text(object, member);
	char pair[3] = "";

	assert_true(strlen(s) / 2 <= VEC_MAX);
	for (b->n = 0; s[2 * b->n] != '\0'; b->n++) {
		memcpy(pair, s + 2 * b->n, 2);
		b->p[b->n] = (CK_BYTE)strtoul(pair, NULL, 16);
	}
}

/* ---- objects ---- */

CK_OBJECT_HANDLE vec_create(struct vec *v, struct templ *t)
{
	CK_OBJECT_HANDLE h = 0;

	return p11->C_CreateObject(v->s, t->a, t->n, &h) == CKR_OK ? h : 0;
}

CK_OBJECT_HANDLE vec_secret(struct vec *v, CK_KEY_TYPE type, const struct bytes *value,
			    CK_ATTRIBUTE_TYPE use1, CK_ATTRIBUTE_TYPE use2)
{
	struct templ t = { 0 };

	templ_ulong(&t, CKA_CLASS, CKO_SECRET_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, type);
	templ_bytes(&t, CKA_VALUE, value->p, value->n);
	templ_bool(&t, CKA_SENSITIVE,
		   false); /* it is in the file, and what is derived of it is compared */
	templ_flags(&t, CKA_EXTRACTABLE, use1, use2);
	return vec_create(v, &t);
}

/*
 * PKCS#8 goes in through C_UnwrapKey, so it is encrypted first, under a key that may do just that. Its twin unwraps:
 * a mode without authentication wants one that may be read.
 */
CK_OBJECT_HANDLE vec_pkcs8(struct vec *v, CK_KEY_TYPE type, const struct bytes *der,
			   CK_ATTRIBUTE_TYPE use)
{
	static CK_BYTE iv[16], wrapped[VEC_MAX + 32];
	CK_BYTE kek[32] = { 7 };
	CK_MECHANISM m = mechanism(CKM_AES_CBC_PAD, iv, sizeof(iv));
	CK_ULONG n = sizeof(wrapped);
	CK_OBJECT_HANDLE h = 0, one, other;
	struct templ enc = { 0 }, unw = { 0 }, t = { 0 };

	templ_ulong(&enc, CKA_CLASS, CKO_SECRET_KEY);
	templ_ulong(&enc, CKA_KEY_TYPE, CKK_AES);
	templ_bytes(&enc, CKA_VALUE, kek, sizeof(kek));
	templ_ulong(&unw, CKA_CLASS, CKO_SECRET_KEY);
	templ_ulong(&unw, CKA_KEY_TYPE, CKK_AES);
	templ_bytes(&unw, CKA_VALUE, kek, sizeof(kek));
	templ_flags(&enc, CKA_ENCRYPT);
	templ_bool(&unw, CKA_SENSITIVE, false);
	templ_flags(&unw, CKA_EXTRACTABLE, CKA_UNWRAP);
	one = vec_create(v, &enc);
	other = vec_create(v, &unw);
	assert_true(one != 0 && other != 0);
	assert_ok(p11->C_EncryptInit(v->s, &m, one));
	assert_ok(p11->C_Encrypt(v->s, (CK_BYTE_PTR)(uintptr_t)der->p, der->n, wrapped, &n));
	templ_ulong(&t, CKA_CLASS, CKO_PRIVATE_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, type);
	templ_flags(&t, use);
	if (p11->C_UnwrapKey(v->s, &m, other, wrapped, n, t.a, t.n, &h) != CKR_OK)
		h = 0;
	assert_ok(p11->C_DestroyObject(v->s, one));
	assert_ok(p11->C_DestroyObject(v->s, other));
	return h;
}

CK_OBJECT_HANDLE vec_group_key(struct vec *v, CK_OBJECT_HANDLE (*make)(struct vec *v))
{
	if (v->key_of == v->group)
		return v->key;
	if (v->key != 0)
		assert_ok(p11->C_DestroyObject(v->s, v->key));
	v->key = make(v);
	v->key_of = v->group;
	return v->key;
}

enum vec_outcome vec_compare(CK_RV rv, const CK_BYTE *got, CK_ULONG n, const struct bytes *want)
{
	if (rv != CKR_OK)
		return VEC_REFUSED;
	return n == want->n && memcmp(got, want->p, n) == 0 ? VEC_TAKEN : VEC_DIFFERS;
}
