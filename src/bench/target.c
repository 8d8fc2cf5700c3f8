/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/target.h"
#include "base/mem.h"
#include <stdio.h>
#include <string.h>

static CK_BBOOL yes = CK_TRUE;

static CK_UTF8CHAR_PTR pin(void)
{
	return (CK_UTF8CHAR_PTR)(uintptr_t)TARGET_PIN;
}

/* The slot that a new token goes to: the first one that is not initialised. */
static enum err blank_slot(struct target *t, struct why *why)
{
	CK_SLOT_ID *ids = NULL;
	size_t n = 0;
	CK_TOKEN_INFO info;
	enum err e = module_slots(t->m, true, &ids, &n, why);

	for (size_t i = 0; i < n; i++) {
		if (module_fn(t->m)->C_GetTokenInfo(ids[i], &info) != CKR_OK ||
		    (info.flags & CKF_TOKEN_INITIALIZED) != 0)
			continue;
		t->slot = ids[i];
		mem_free(ids);
		return OK;
	}
	mem_free(ids);
	return e != OK ? e
		       : why_fail(why, E_TOKEN_ABSENT, "%s offers no slot for a new token",
				  t->name);
}

/* Some modules move a new token to another slot: it is found by its label. */
static enum err find_token(struct target *t, const CK_UTF8CHAR label[32], struct why *why)
{
	CK_SLOT_ID *ids = NULL;
	size_t n = 0;
	CK_TOKEN_INFO info;
	enum err e = module_slots(t->m, true, &ids, &n, why);
	bool found = false;

	for (size_t i = 0; i < n && !found; i++)
		if (module_fn(t->m)->C_GetTokenInfo(ids[i], &info) == CKR_OK &&
		    memcmp(info.label, label, 32) == 0) {
			t->slot = ids[i];
			found = true;
		}
	mem_free(ids);
	if (e == OK && !found)
		e = why_fail(why, E_TOKEN_ABSENT, "%s lost the new token", t->name);
	return e;
}

static enum err make_token(struct target *t, struct why *why)
{
	const CK_FUNCTION_LIST *fn = module_fn(t->m);
	CK_UTF8CHAR label[32];
	CK_SESSION_HANDLE h;
	enum err e = blank_slot(t, why);

	memset(label, ' ', sizeof(label));
	memcpy(label, "bench", 5);
	if (e == OK)
		e = module_err(fn->C_InitToken(t->slot, pin(), strlen(TARGET_PIN), label),
			       "C_InitToken", why);
	if (e == OK)
		e = find_token(t, label, why);
	if (e == OK)
		e = module_err(fn->C_OpenSession(t->slot, CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL,
						 NULL, &h),
			       "C_OpenSession", why);
	if (e == OK)
		e = module_err(fn->C_Login(h, CKU_SO, pin(), strlen(TARGET_PIN)), "C_Login", why);
	if (e == OK)
		e = module_err(fn->C_InitPIN(h, pin(), strlen(TARGET_PIN)), "C_InitPIN", why);
	if (e == OK)
		e = module_err(fn->C_CloseSession(h), "C_CloseSession", why);
	return e;
}

/* ---- keys ---- */

struct pair_row {
	enum target_key key;
	CK_MECHANISM_TYPE mech;
	CK_ATTRIBUTE_TYPE attr;
	const void *value;
	CK_ULONG n;
};

static const CK_ULONG rsa_bits = 2048, mldsa_set = CKP_ML_DSA_65;

static const struct pair_row pairs[] = {
	{ KEY_P256, CKM_EC_KEY_PAIR_GEN, CKA_EC_PARAMS, "\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07",
	  10 },
	{ KEY_ED25519, CKM_EC_EDWARDS_KEY_PAIR_GEN, CKA_EC_PARAMS,
	  "\x13\x0c"
	  "edwards25519",
	  14 },
	{ KEY_RSA2048, CKM_RSA_PKCS_KEY_PAIR_GEN, CKA_MODULUS_BITS, &rsa_bits, sizeof(rsa_bits) },
	{ KEY_MLDSA65, CKM_ML_DSA_KEY_PAIR_GEN, CKA_PARAMETER_SET, &mldsa_set, sizeof(mldsa_set) },
};

/* A key that a module cannot make stays 0: its rows are shown as absent. */
static void make_pair(struct target *t, CK_SESSION_HANDLE h, const struct pair_row *r)
{
	CK_MECHANISM m = { r->mech, NULL, 0 };
	CK_ATTRIBUTE pub[] = { { CKA_TOKEN, &yes, 1 },
			       { CKA_VERIFY, &yes, 1 },
			       { r->attr, (void *)(uintptr_t)r->value, r->n } };
	CK_ATTRIBUTE priv[] = { { CKA_TOKEN, &yes, 1 },
				{ CKA_PRIVATE, &yes, 1 },
				{ CKA_SENSITIVE, &yes, 1 },
				{ CKA_SIGN, &yes, 1 } };
	CK_OBJECT_HANDLE public_key = 0;

	if (module_fn(t->m)->C_GenerateKeyPair(h, &m, pub, 3, priv, 4, &public_key,
					       &t->key[r->key]) != CKR_OK)
		t->key[r->key] = 0;
}

static void make_secret(struct target *t, CK_SESSION_HANDLE h, enum target_key key,
			CK_MECHANISM_TYPE mech, CK_ATTRIBUTE_TYPE use)
{
	CK_MECHANISM m = { mech, NULL, 0 };
	CK_ULONG n = 32;
	CK_ATTRIBUTE a[] = { { CKA_TOKEN, &yes, 1 },
			     { CKA_PRIVATE, &yes, 1 },
			     { use, &yes, 1 },
			     { CKA_VALUE_LEN, &n, sizeof(n) } };

	if (module_fn(t->m)->C_GenerateKey(h, &m, a, 4, &t->key[key]) != CKR_OK)
		t->key[key] = 0;
}

static enum err make_keys(struct target *t, struct why *why)
{
	CK_SESSION_HANDLE h;
	enum err e = pool_take(t->pool, &h, why);

	if (e != OK)
		return e;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		make_pair(t, h, &pairs[i]);
	make_secret(t, h, KEY_AES256, CKM_AES_KEY_GEN, CKA_ENCRYPT);
	make_secret(t, h, KEY_HMAC, CKM_GENERIC_SECRET_KEY_GEN, CKA_SIGN);
	pool_give(t->pool, h, false);
	return OK;
}

bool target_open(struct target *t, const char *name, const char *path, struct why *why)
{
	*t = (struct target){ .name = name };
	snprintf(t->path, sizeof(t->path), "%s", path);
	enum err e = module_open(path, &t->m, why);

	if (e == OK)
		e = make_token(t, why);
	if (e == OK)
		e = pool_new(t->m, t->slot, true, 0, &t->pool, why);
	if (e == OK)
		e = pool_login(t->pool, CKU_USER, span_str(TARGET_PIN), why);
	if (e == OK)
		e = make_keys(t, why);
	if (e != OK)
		target_close(t);
	return e == OK;
}

void target_close(struct target *t)
{
	pool_free(t->pool);
	module_close(t->m);
	t->pool = NULL;
	t->m = NULL;
}
