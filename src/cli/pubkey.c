/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/pubkey.h"
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

/* libcrypto's form of a public key. */
static EVP_PKEY *from_params(const char *type, OSSL_PARAM_BLD *b)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
	OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(b);
	EVP_PKEY *k = NULL;

	if (ctx == NULL || params == NULL || EVP_PKEY_fromdata_init(ctx) != 1 ||
	    EVP_PKEY_fromdata(ctx, &k, EVP_PKEY_PUBLIC_KEY, params) != 1)
		k = NULL;
	OSSL_PARAM_free(params);
	EVP_PKEY_CTX_free(ctx);
	return k;
}

static EVP_PKEY *from_rsa(struct span modulus, struct span exponent)
{
	OSSL_PARAM_BLD *b = OSSL_PARAM_BLD_new();
	BIGNUM *n = BN_bin2bn(modulus.p, (int)modulus.n, NULL),
	       *e = BN_bin2bn(exponent.p, (int)exponent.n, NULL);
	EVP_PKEY *k = NULL;

	if (b != NULL && n != NULL && e != NULL &&
	    OSSL_PARAM_BLD_push_BN(b, OSSL_PKEY_PARAM_RSA_N, n) == 1 &&
	    OSSL_PARAM_BLD_push_BN(b, OSSL_PKEY_PARAM_RSA_E, e) == 1)
		k = from_params("RSA", b);
	OSSL_PARAM_BLD_free(b);
	BN_free(n);
	BN_free(e);
	return k;
}

/* CKA_EC_POINT is the point in a DER OCTET STRING (6.3.3); some modules give it bare. */
static EVP_PKEY *from_ec(struct span params, struct span point)
{
	const unsigned char *p = params.p, *q = point.p;
	ASN1_OCTET_STRING *inner = d2i_ASN1_OCTET_STRING(NULL, &q, (long)point.n);
	EVP_PKEY *k = d2i_KeyParams(EVP_PKEY_EC, NULL, &p, (long)params.n);
	const unsigned char *bare = inner != NULL ? ASN1_STRING_get0_data(inner) : point.p;
	size_t n = inner != NULL ? (size_t)ASN1_STRING_length(inner) : point.n;

	if (k != NULL && EVP_PKEY_set1_encoded_public_key(k, bare, n) != 1) {
		EVP_PKEY_free(k);
		k = NULL;
	}
	ASN1_OCTET_STRING_free(inner);
	return k;
}

static EVP_PKEY *key_make(struct desk d, const struct object_info *key)
{
	bool rsa = key->key_type == CKK_RSA;
	struct buf a = { 0 }, b = { 0 };
	EVP_PKEY *k = NULL;

	if (key->key_type != CKK_RSA && key->key_type != CKK_EC)
		return NULL;
	if (object_attr(d, key->h, rsa ? CKA_MODULUS : CKA_EC_PARAMS, &a, NULL) == OK &&
	    object_attr(d, key->h, rsa ? CKA_PUBLIC_EXPONENT : CKA_EC_POINT, &b, NULL) == OK)
		k = rsa ? from_rsa(buf_span(&a), buf_span(&b))
			: from_ec(buf_span(&a), buf_span(&b));
	buf_free(&a);
	buf_free(&b);
	return k;
}

enum err pubkey_info(struct desk d, const struct object_info *key, struct buf *der, struct why *why)
{
	unsigned char *out = NULL;

	if (object_attr(d, key->h, CKA_PUBLIC_KEY_INFO, der, NULL) == OK && der->n > 0)
		return OK;
	EVP_PKEY *k = key_make(d, key);
	int n = k != NULL ? i2d_PUBKEY(k, &out) : 0;
	enum err e = n > 0 ? OK : E_KEY_TYPE;
	buf_clear(der);
	if (e == OK)
		e = buf_put(der, span(out, (size_t)n));
	OPENSSL_free(out);
	EVP_PKEY_free(k);
	return e == OK ? OK
		       : why_fail(why, e, "the module does not give the public half of this key");
}

enum err pubkey_pem(struct span der, struct buf *pem, struct why *why)
{
	BIO *bio = BIO_new(BIO_s_mem());
	char *text = NULL;
	enum err e = E_MEMORY;

	if (bio != NULL && PEM_write_bio(bio, "PUBLIC KEY", "", der.p, (long)der.n) > 0) {
		long n = BIO_get_mem_data(bio, &text);
		e = buf_put(pem, span(text, (size_t)n));
	}
	BIO_free(bio);
	return e == OK ? OK : why_fail(why, e, "%s", err_text(e));
}
