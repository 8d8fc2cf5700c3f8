/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/keyfile.h"
#include "base/buf.h"
#include "base/mem.h"
#include <openssl/asn1.h>
#include <openssl/core_names.h>
#include <openssl/decoder.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/objects.h>

/* How one kind of key becomes attributes. */
struct kind {
	const char *name; /* libcrypto's */
	CK_KEY_TYPE type;
	CK_ULONG set; /* CKA_PARAMETER_SET of ML-DSA */
	enum err (*fill)(const struct kind *k, const EVP_PKEY *key, struct keyfile *out);
};

/* ---- values ---- */

/* A big integer parameter, without leading zeros (as PKCS#11 has them). */
static enum err put_number(const EVP_PKEY *key, const char *param, CK_ATTRIBUTE_TYPE t,
			   struct attrset *to)
{
	BIGNUM *v = NULL;
	struct buf bytes = { .secret = true };
	enum err e = E_DATA;

	if (EVP_PKEY_get_bn_param(key, param, &v) != 1)
		return E_DATA;
	size_t n = (size_t)BN_num_bytes(v);
	if ((e = buf_reserve(&bytes, n)) == OK) {
		BN_bn2bin(v, bytes.p);
		bytes.n = n;
		e = attrset_put(to, t, buf_span(&bytes));
	}
	buf_free(&bytes);
	BN_clear_free(v);
	return e;
}

/* An octet string parameter as it is. */
static enum err put_octets(const EVP_PKEY *key, const char *param, CK_ATTRIBUTE_TYPE t,
			   struct attrset *to)
{
	struct buf bytes = { .secret = true };
	size_t n = 0;
	enum err e = E_DATA;

	if (EVP_PKEY_get_octet_string_param(key, param, NULL, 0, &n) == 1 &&
	    (e = buf_reserve(&bytes, n)) == OK) {
		e = EVP_PKEY_get_octet_string_param(key, param, bytes.p, n, &bytes.n) == 1 ? OK
											   : E_DATA;
		if (e == OK)
			e = attrset_put(to, t, buf_span(&bytes));
	}
	buf_free(&bytes);
	return e;
}

/* CKA_EC_PARAMS: the DER of the curve's OID. */
static enum err put_curve(const char *name, struct attrset *to)
{
	ASN1_OBJECT *oid = OBJ_txt2obj(name, 0);
	unsigned char *der = NULL;
	int n = oid != NULL ? i2d_ASN1_OBJECT(oid, &der) : 0;
	enum err e = n > 0 ? attrset_put(to, CKA_EC_PARAMS, span(der, (size_t)n)) : E_CURVE;

	OPENSSL_free(der);
	ASN1_OBJECT_free(oid);
	return e;
}

/* ---- kinds ---- */

struct number_row {
	const char *param;
	CK_ATTRIBUTE_TYPE type;
};

static const struct number_row rsa_public[] = {
	{ OSSL_PKEY_PARAM_RSA_N, CKA_MODULUS },
	{ OSSL_PKEY_PARAM_RSA_E, CKA_PUBLIC_EXPONENT },
};

static const struct number_row rsa_private[] = {
	{ OSSL_PKEY_PARAM_RSA_N, CKA_MODULUS },
	{ OSSL_PKEY_PARAM_RSA_E, CKA_PUBLIC_EXPONENT },
	{ OSSL_PKEY_PARAM_RSA_D, CKA_PRIVATE_EXPONENT },
	{ OSSL_PKEY_PARAM_RSA_FACTOR1, CKA_PRIME_1 },
	{ OSSL_PKEY_PARAM_RSA_FACTOR2, CKA_PRIME_2 },
	{ OSSL_PKEY_PARAM_RSA_EXPONENT1, CKA_EXPONENT_1 },
	{ OSSL_PKEY_PARAM_RSA_EXPONENT2, CKA_EXPONENT_2 },
	{ OSSL_PKEY_PARAM_RSA_COEFFICIENT1, CKA_COEFFICIENT },
};

static enum err put_numbers(const EVP_PKEY *key, const struct number_row *rows, size_t n,
			    struct attrset *to)
{
	enum err e = OK;

	for (size_t i = 0; i < n && e == OK; i++)
		e = put_number(key, rows[i].param, rows[i].type, to);
	return e;
}

static enum err fill_rsa(const struct kind *k, const EVP_PKEY *key, struct keyfile *out)
{
	enum err e =
		put_numbers(key, rsa_public, sizeof(rsa_public) / sizeof(rsa_public[0]), out->pub);

	(void)k;
	if (e == OK && out->priv != NULL)
		e = put_numbers(key, rsa_private, sizeof(rsa_private) / sizeof(rsa_private[0]),
				out->priv);
	return e;
}

/* The point as PKCS#11 wants it: in a DER OCTET STRING (6.3.3). */
static enum err put_point(const EVP_PKEY *key, struct attrset *to)
{
	unsigned char *point = NULL, *der = NULL;
	size_t n = EVP_PKEY_get1_encoded_public_key((EVP_PKEY *)(uintptr_t)key, &point);
	ASN1_OCTET_STRING *s = ASN1_OCTET_STRING_new();
	enum err e = E_DATA;

	if (n > 0 && s != NULL && ASN1_OCTET_STRING_set(s, point, (int)n) == 1) {
		int len = i2d_ASN1_OCTET_STRING(s, &der);
		e = len > 0 ? attrset_put(to, CKA_EC_POINT, span(der, (size_t)len)) : E_MEMORY;
	}
	OPENSSL_free(der);
	OPENSSL_free(point);
	ASN1_OCTET_STRING_free(s);
	return e;
}

static enum err fill_ec(const struct kind *k, const EVP_PKEY *key, struct keyfile *out)
{
	char name[80];
	size_t n = 0;
	enum err e;

	(void)k;
	if (EVP_PKEY_get_group_name(key, name, sizeof(name), &n) != 1)
		return E_CURVE; /* explicit parameters */
	e = put_curve(name, out->pub);
	if (e == OK)
		e = put_point(key, out->pub);
	if (e == OK && out->priv != NULL)
		e = put_curve(name, out->priv);
	if (e == OK && out->priv != NULL)
		e = put_number(key, OSSL_PKEY_PARAM_PRIV_KEY, CKA_VALUE, out->priv);
	return e;
}

static enum err fill_edwards(const struct kind *k, const EVP_PKEY *key, struct keyfile *out)
{
	enum err e = put_curve(k->name, out->pub);

	if (e == OK)
		e = put_octets(key, OSSL_PKEY_PARAM_PUB_KEY, CKA_EC_POINT, out->pub);
	if (e == OK && out->priv != NULL)
		e = put_curve(k->name, out->priv);
	if (e == OK && out->priv != NULL)
		e = put_octets(key, OSSL_PKEY_PARAM_PRIV_KEY, CKA_VALUE, out->priv);
	return e;
}

/* The seed, from which the key follows, where the file has it. */
static enum err fill_mldsa(const struct kind *k, const EVP_PKEY *key, struct keyfile *out)
{
	enum err e = attrset_put_ulong(out->pub, CKA_PARAMETER_SET, k->set);

	if (e == OK)
		e = put_octets(key, OSSL_PKEY_PARAM_PUB_KEY, CKA_VALUE, out->pub);
	if (e != OK || out->priv == NULL)
		return e;
	e = attrset_put_ulong(out->priv, CKA_PARAMETER_SET, k->set);
	if (e == OK)
		e = put_octets(key, OSSL_PKEY_PARAM_PRIV_KEY, CKA_VALUE, out->priv);
	if (e == OK &&
	    put_octets(key, OSSL_PKEY_PARAM_ML_DSA_SEED, CKA_SEED, out->priv) == E_MEMORY)
		e = E_MEMORY;
	return e;
}

static const struct kind kinds[] = {
	{ "RSA", CKK_RSA, 0, fill_rsa },
	{ "EC", CKK_EC, 0, fill_ec },
	{ "ED25519", CKK_EC_EDWARDS, 0, fill_edwards },
	{ "ED448", CKK_EC_EDWARDS, 0, fill_edwards },
	{ "X25519", CKK_EC_MONTGOMERY, 0, fill_edwards },
	{ "X448", CKK_EC_MONTGOMERY, 0, fill_edwards },
	{ "ML-DSA-44", CKK_ML_DSA, CKP_ML_DSA_44, fill_mldsa },
	{ "ML-DSA-65", CKK_ML_DSA, CKP_ML_DSA_65, fill_mldsa },
	{ "ML-DSA-87", CKK_ML_DSA, CKP_ML_DSA_87, fill_mldsa },
};

static const struct kind *kind_of(const EVP_PKEY *key)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (EVP_PKEY_is_a(key, kinds[i].name))
			return &kinds[i];
	return NULL;
}

/* ---- files ---- */

/* Whether the decoder asked for a passphrase: tells a missing or wrong one from a damaged file. */
struct asked {
	struct span passphrase;
	bool asked;
};

static int give_passphrase(char *to, size_t room, size_t *n, const OSSL_PARAM params[], void *arg)
{
	struct asked *a = arg;

	(void)params;
	a->asked = true;
	if (a->passphrase.n == 0 || a->passphrase.n > room)
		return 0;
	memcpy(to, a->passphrase.p, a->passphrase.n);
	*n = a->passphrase.n;
	return 1;
}

static EVP_PKEY *decode(struct span bytes, int selection, struct asked *a)
{
	EVP_PKEY *key = NULL;
	const unsigned char *p = bytes.p;
	size_t n = bytes.n;
	OSSL_DECODER_CTX *d =
		OSSL_DECODER_CTX_new_for_pkey(&key, NULL, NULL, NULL, selection, NULL, NULL);

	if (d != NULL && OSSL_DECODER_CTX_set_passphrase_cb(d, give_passphrase, a) == 1)
		OSSL_DECODER_from_data(d, &p, &n);
	OSSL_DECODER_CTX_free(d);
	ERR_clear_error();
	return key;
}

static enum err key_type_put(struct attrset *a, CK_OBJECT_CLASS cls, CK_KEY_TYPE type)
{
	enum err e = attrset_put_ulong(a, CKA_CLASS, cls);

	return e != OK ? e : attrset_put_ulong(a, CKA_KEY_TYPE, type);
}

static enum err fill(const EVP_PKEY *key, bool has_private, struct keyfile *k, struct why *why)
{
	const struct kind *kind = kind_of(key);
	enum err e = E_MEMORY;

	if (kind == NULL)
		return why_fail(why, E_KEY_TYPE, "keys of the kind %s cannot be imported",
				EVP_PKEY_get0_type_name(key));
	k->type = kind->type;
	k->pub = attrset_new(false);
	k->priv = has_private ? attrset_new(true) : NULL;
	if (k->pub != NULL && (k->priv != NULL || !has_private))
		e = key_type_put(k->pub, CKO_PUBLIC_KEY, kind->type);
	if (e == OK && has_private)
		e = key_type_put(k->priv, CKO_PRIVATE_KEY, kind->type);
	if (e == OK)
		e = kind->fill(kind, key, k);
	return e == OK ? OK : why_fail(why, e, "the key cannot be taken apart: %s", err_text(e));
}

enum err keyfile_parse(struct span bytes, struct span passphrase, struct keyfile *k,
		       struct why *why)
{
	struct asked a = { passphrase, false };
	EVP_PKEY *key = decode(bytes, EVP_PKEY_KEYPAIR, &a);
	bool has_private = key != NULL;

	*k = (struct keyfile){ 0 };
	if (key == NULL && a.asked)
		return why_fail(
			why, E_PIN_WRONG,
			passphrase.n == 0
				? "the key is encrypted: give its passphrase with --passphrase-source"
				: "the passphrase does not open the key");
	if (key == NULL)
		key = decode(bytes, EVP_PKEY_PUBLIC_KEY, &a);
	if (key == NULL)
		return why_fail(why, E_DATA, "this is no key in PEM or DER");
	enum err e = fill(key, has_private, k, why);
	EVP_PKEY_free(key);
	if (e != OK)
		keyfile_free(k);
	return e;
}

void keyfile_free(struct keyfile *k)
{
	attrset_free(k->priv);
	attrset_free(k->pub);
	*k = (struct keyfile){ 0 };
}
