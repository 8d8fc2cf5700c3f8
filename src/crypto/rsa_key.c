/* SPDX-License-Identifier: Apache-2.0 */
#include "crypto/key_type.h"

#include "crypto/der.h"
#include "crypto/pkcs8.h"
#include "crypto/pkey.h"
#include "crypto/rsa.h"
#include "crypto/spki.h"

#include <openssl/core_names.h>

const struct rsa_number rsa_numbers[RSA_NUMBERS] = {
	{ CKA_MODULUS, OSSL_PKEY_PARAM_RSA_N },
	{ CKA_PUBLIC_EXPONENT, OSSL_PKEY_PARAM_RSA_E },
	{ CKA_PRIVATE_EXPONENT, OSSL_PKEY_PARAM_RSA_D },
	{ CKA_PRIME_1, OSSL_PKEY_PARAM_RSA_FACTOR1 },
	{ CKA_PRIME_2, OSSL_PKEY_PARAM_RSA_FACTOR2 },
	{ CKA_EXPONENT_1, OSSL_PKEY_PARAM_RSA_EXPONENT1 },
	{ CKA_EXPONENT_2, OSSL_PKEY_PARAM_RSA_EXPONENT2 },
	{ CKA_COEFFICIENT, OSSL_PKEY_PARAM_RSA_COEFFICIENT1 },
};

static const uint8_t rsa_oid[] = {
	0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01
};
static const uint8_t null_params[] = { DER_NULL, 0 };

CK_ULONG rsa_bits(struct span number)
{
	CK_ULONG bits = 8 * (CK_ULONG)number.n;

	if (number.n == 0)
		return 0;
	for (uint8_t top = number.p[0]; top < 0x80; top = (uint8_t)(top << 1 | 1))
		bits--;
	return bits;
}

bool rsa_exponent_ok(struct span e, CK_ULONG modulus_bits)
{
	CK_ULONG bits = rsa_bits(e), most = modulus_bits > 3072 ? 64 : 256;

	return bits >= 2 && bits <= most && (e.p[e.n - 1] & 1) != 0;
}

/* Takes leading zeros off, in place. */
static enum err trim(struct attrset *a, CK_ATTRIBUTE_TYPE t)
{
	struct span given = attrset_bytes(a, t), v = der_trim(given);
	struct buf copy = { .secret = true };
	enum err e;

	if (v.n == 0)
		return E_ATTR_VALUE;
	if (v.n == given.n)
		return OK;
	e = buf_put(&copy, v);
	if (e == OK)
		e = attrset_put(a, t, buf_span(&copy));
	buf_free(&copy);
	return e;
}

static enum err modulus_check(const struct attrset *a)
{
	struct span n = attrset_bytes(a, CKA_MODULUS);
	CK_ULONG bits = rsa_bits(n);

	if (bits < RSA_MIN_BITS || bits > RSA_MAX_BITS)
		return E_KEY_SIZE;
	if ((n.p[n.n - 1] & 1) == 0 ||
	    !rsa_exponent_ok(attrset_bytes(a, CKA_PUBLIC_EXPONENT), bits))
		return E_ATTR_VALUE;
	return OK;
}

static enum err normalise(struct attrset *a)
{
	const bool private = key_attrs_private(a);
	const size_t required = private ? RSA_REQUIRED_NUMBERS : RSA_PUBLIC_NUMBERS;
	size_t modulus_n;
	enum err e = OK;

	for (size_t i = 0; i < required; i++)
		if (!attrset_has(a, rsa_numbers[i].attr))
			return E_TEMPLATE_INCOMPLETE;
	for (size_t i = 0; e == OK && i < (private ? RSA_NUMBERS : RSA_PUBLIC_NUMBERS); i++)
		if (attrset_has(a, rsa_numbers[i].attr))
			e = trim(a, rsa_numbers[i].attr);
	if (e != OK || (e = modulus_check(a)) != OK)
		return e;
	modulus_n = attrset_bytes(a, CKA_MODULUS).n;
	for (size_t i = RSA_PUBLIC_NUMBERS; i < RSA_NUMBERS; i++)
		if (attrset_bytes(a, rsa_numbers[i].attr).n > modulus_n)
			return E_ATTR_VALUE;
	return private ? rsa_crt_fill(a) : OK;
}

/* Numbers in the form that libcrypto's builder takes; they must live as long as it. */
static enum err build(const struct attrset *a, size_t n, BIGNUM *v[RSA_NUMBERS], EVP_PKEY **out)
{
	OSSL_PARAM_BLD *b = OSSL_PARAM_BLD_new();
	enum err e = b != NULL ? OK : E_MEMORY;

	for (size_t i = 0; e == OK && i < n; i++) {
		v[i] = pkey_attr_number(a, rsa_numbers[i].attr);
		if (v[i] == NULL)
			e = attrset_bytes(a, rsa_numbers[i].attr).n == 0 ? E_ATTR_VALUE : E_MEMORY;
		else if (!OSSL_PARAM_BLD_push_BN(b, rsa_numbers[i].param, v[i]))
			e = E_MEMORY;
	}
	if (e == OK)
		e = pkey_build("RSA", n > RSA_PUBLIC_NUMBERS, b, out);
	OSSL_PARAM_BLD_free(b);
	return e == OK ? OK : pkey_fail(e);
}

static enum err parse(const struct attrset *a, struct key *k)
{
	const bool private = k->class == CKO_PRIVATE_KEY;
	BIGNUM *v[RSA_NUMBERS] = { NULL };
	enum err e = modulus_check(a);

	if (e == OK)
		e = build(a, private ? RSA_NUMBERS : RSA_PUBLIC_NUMBERS, v, &k->pkey);
	for (size_t i = 0; i < RSA_NUMBERS; i++)
		BN_clear_free(v[i]);
	if (e != OK)
		return e;
	k->size = rsa_bits(attrset_bytes(a, CKA_MODULUS));
	/* the numbers, and the Montgomery forms that libcrypto keeps once the key is used */
	k->footprint = private ? 2048 + k->size : 0;
	return OK;
}

static enum err complete(const struct key *k, struct attrset *a)
{
	if (k->class == CKO_PRIVATE_KEY)
		return rsa_crt_check(a);
	return attrset_put_ulong(a, CKA_MODULUS_BITS, k->size);
}

/* Appends RSAPrivateKey. */
static enum err put_private(const struct attrset *a, struct buf *out)
{
	size_t from = out->n;
	enum err e = der_put_uint(out, span(NULL, 0)); /* version 0: two primes */

	for (size_t i = 0; e == OK && i < RSA_NUMBERS; i++)
		e = der_put_uint(out, attrset_bytes(a, rsa_numbers[i].attr));
	return e == OK ? der_wrap(out, from, DER_SEQUENCE) : e;
}

static enum err wrap_form(const struct key *k, const struct attrset *a, struct buf *out)
{
	struct pkcs8 p = { .oid = { rsa_oid, sizeof(rsa_oid) },
			   .params = { null_params, sizeof(null_params) } };
	struct buf inner = { .secret = true };
	enum err e = put_private(a, &inner);

	(void)k;
	if (e == OK) {
		p.key = buf_span(&inner);
		e = pkcs8_put(out, &p);
	}
	buf_free(&inner);
	return e;
}

static enum err unwrap_form(struct span in, bool len_exact, struct attrset *a)
{
	struct span body, v;
	struct pkcs8 p;
	enum err e = pkcs8_take(in, !len_exact, &p);

	if (e != OK)
		return e;
	if (!span_eq(p.oid, span(rsa_oid, sizeof(rsa_oid))) ||
	    !span_eq(p.params, span(null_params, sizeof(null_params))))
		return E_WRAPPED_INVALID;
	if (!der_take(&p.key, DER_SEQUENCE, &body) || p.key.n != 0 || !der_take_uint(&body, &v) ||
	    v.n != 0)
		return E_WRAPPED_INVALID;
	for (size_t i = 0; e == OK && i < RSA_NUMBERS; i++)
		e = der_take_uint(&body, &v) ? attrset_put(a, rsa_numbers[i].attr, v)
					     : E_WRAPPED_INVALID;
	if (e == OK && body.n != 0)
		e = E_WRAPPED_INVALID;
	return e;
}

/* RSAPublicKey (RFC 8017, A.1.1) in its envelope. */
static enum err public_info(const struct key *k, struct buf *out)
{
	struct buf n = { 0 }, exponent = { 0 }, inner = { 0 };
	enum err e;

	if ((e = pkey_number(k->pkey, OSSL_PKEY_PARAM_RSA_N, &n)) == OK &&
	    (e = pkey_number(k->pkey, OSSL_PKEY_PARAM_RSA_E, &exponent)) == OK &&
	    (e = der_put_uint(&inner, buf_span(&n))) == OK &&
	    (e = der_put_uint(&inner, buf_span(&exponent))) == OK &&
	    (e = der_wrap(&inner, 0, DER_SEQUENCE)) == OK)
		e = spki_put(out, span(rsa_oid, sizeof(rsa_oid)),
			     span(null_params, sizeof(null_params)), buf_span(&inner));
	buf_free(&inner);
	buf_free(&exponent);
	buf_free(&n);
	return e;
}

const struct key_type_row rsa_key_type = {
	.type = CKK_RSA,
	.normalise = normalise,
	.parse = parse,
	.complete = complete,
	.wrap_form = wrap_form,
	.unwrap_form = unwrap_form,
	.public_info = public_info,
};
