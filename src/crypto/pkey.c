/* SPDX-License-Identifier: Apache-2.0 */
#include "crypto/pkey.h"

#include "crypto/fetch.h"
#include "crypto/spki.h"

#include <openssl/core_names.h>
#include <openssl/err.h>

enum err pkey_fail(enum err e)
{
	unsigned long code;

	while ((code = ERR_get_error()) != 0)
		if (ERR_GET_REASON(code) == ERR_R_MALLOC_FAILURE)
			e = E_MEMORY;
	return e;
}

/*
 * The key type is fetched before, outside the secret tag: what libcrypto keeps of it for good does
 * not belong into the secret arena.
 */
static EVP_PKEY_CTX *context(const char *type)
{
	return fetch_has(type) ? EVP_PKEY_CTX_new_from_name(crypto_ctx(), type, NULL) : NULL;
}

OSSL_PARAM pkey_param_name(const char *key, const char *name)
{
	union {
		const char *name;
		char *p;
	} u = { name };

	return OSSL_PARAM_construct_utf8_string(key, u.p, 0);
}

OSSL_PARAM pkey_param_bytes(const char *key, struct span bytes)
{
	union {
		const uint8_t *bytes;
		uint8_t *p;
	} u = { bytes.p };

	return OSSL_PARAM_construct_octet_string(key, u.p, bytes.n);
}

enum err pkey_build(const char *type, bool private, OSSL_PARAM_BLD *b, EVP_PKEY **out)
{
	OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(b);
	EVP_PKEY_CTX *ctx = context(type);
	enum err e = OK;

	if (params == NULL || ctx == NULL)
		e = E_MEMORY;
	else if (EVP_PKEY_fromdata_init(ctx) <= 0)
		e = E_FAILED;
	else if (EVP_PKEY_fromdata(ctx, out, private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY,
				   params) <= 0)
		e = E_ATTR_VALUE;
	EVP_PKEY_CTX_free(ctx);
	OSSL_PARAM_free(params);
	return e == OK ? OK : pkey_fail(e);
}

enum err pkey_of_bytes(const char *type, bool private, const char *param, struct span bytes,
		       EVP_PKEY **out)
{
	OSSL_PARAM_BLD *b = OSSL_PARAM_BLD_new();
	enum err e = E_MEMORY;

	if (b != NULL && OSSL_PARAM_BLD_push_octet_string(b, param, bytes.p, bytes.n))
		e = pkey_build(type, private, b, out);
	OSSL_PARAM_BLD_free(b);
	return e == OK ? OK : pkey_fail(e);
}

enum err pkey_generate(const char *type, const OSSL_PARAM *params, EVP_PKEY **out)
{
	EVP_PKEY_CTX *ctx = context(type);
	enum err e = OK;

	if (ctx == NULL)
		e = E_MEMORY;
	else if (EVP_PKEY_keygen_init(ctx) <= 0 || EVP_PKEY_CTX_set_params(ctx, params) <= 0 ||
		 EVP_PKEY_generate(ctx, out) <= 0)
		e = E_FAILED;
	EVP_PKEY_CTX_free(ctx);
	return e == OK ? OK : pkey_fail(e);
}

enum err pkey_bytes(const EVP_PKEY *pk, const char *param, struct buf *out)
{
	size_t n = 0;
	enum err e;

	if (EVP_PKEY_get_octet_string_param(pk, param, NULL, 0, &n) <= 0)
		return pkey_fail(E_FAILED);
	if ((e = buf_reserve(out, n)) != OK)
		return e;
	if (EVP_PKEY_get_octet_string_param(pk, param, out->p + out->n, n, &n) <= 0)
		return pkey_fail(E_FAILED);
	out->n += n;
	return OK;
}

enum err pkey_number(const EVP_PKEY *pk, const char *param, struct buf *out)
{
	BIGNUM *v = NULL;
	enum err e;
	size_t n;

	if (EVP_PKEY_get_bn_param(pk, param, &v) <= 0)
		return pkey_fail(E_FAILED);
	n = (size_t)BN_num_bytes(v);
	if ((e = buf_reserve(out, n)) == OK)
		out->n += (size_t)BN_bn2bin(v, out->p + out->n);
	BN_clear_free(v);
	return e;
}

static enum err put(enum err (*get)(const EVP_PKEY *, const char *, struct buf *),
		    const EVP_PKEY *pk, const char *param, struct attrset *a, CK_ATTRIBUTE_TYPE t)
{
	struct buf b = { .secret = true };
	enum err e = get(pk, param, &b);

	if (e == OK)
		e = attrset_put(a, t, buf_span(&b));
	buf_free(&b);
	return e;
}

enum err pkey_put_bytes(const EVP_PKEY *pk, const char *param, struct attrset *a,
			CK_ATTRIBUTE_TYPE t)
{
	return put(pkey_bytes, pk, param, a, t);
}

enum err pkey_put_number(const EVP_PKEY *pk, const char *param, struct attrset *a,
			 CK_ATTRIBUTE_TYPE t)
{
	return put(pkey_number, pk, param, a, t);
}

BIGNUM *pkey_attr_number(const struct attrset *a, CK_ATTRIBUTE_TYPE t)
{
	struct span v = attrset_bytes(a, t);

	return v.n != 0 && v.n <= INT_MAX ? BN_bin2bn(v.p, (int)v.n, NULL) : NULL;
}

enum err pkey_put_bn(struct attrset *a, CK_ATTRIBUTE_TYPE t, const BIGNUM *v)
{
	struct buf b = { .secret = true };
	enum err e = buf_reserve(&b, (size_t)BN_num_bytes(v));

	if (e == OK) {
		b.n = (size_t)BN_bn2bin(v, b.p);
		e = attrset_put(a, t, buf_span(&b));
	}
	buf_free(&b);
	return e;
}

enum err pkey_public_info(const EVP_PKEY *pk, struct span oid, struct buf *out)
{
	struct buf pub = { 0 };
	enum err e = pkey_bytes(pk, OSSL_PKEY_PARAM_PUB_KEY, &pub);

	if (e == OK)
		e = spki_put(out, oid, span(NULL, 0), buf_span(&pub));
	buf_free(&pub);
	return e;
}
