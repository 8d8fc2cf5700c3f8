/* SPDX-License-Identifier: Apache-2.0 */
#include "crypto/secret.h"

#include "base/mem.h"
#include "crypto/families.h"
#include "crypto/hash.h"
#include "crypto/key_type.h"

#define CHECK_VALUE_SIZE 3
#define AES_BLOCK        16

/*
 * Lengths that keys of a type have: everything from 1 to SECRET_MAX, unless a row says otherwise.
 */
static const struct sizes {
	CK_KEY_TYPE type;
	size_t min, max, step;
} sized[] = {
	{ CKK_AES, 16, 32, 8 },
	{ CKK_AES_XTS, 32, 64, 32 },
};
static const struct sizes any_size = { CK_UNAVAILABLE_INFORMATION, 1, SECRET_MAX, 1 };

static const struct sizes *sizes_of(CK_KEY_TYPE type)
{
	for (size_t i = 0; i < sizeof(sized) / sizeof(sized[0]); i++)
		if (sized[i].type == type)
			return &sized[i];
	return &any_size;
}

static bool size_fits(CK_KEY_TYPE type, CK_ULONG n)
{
	const struct sizes *s = sizes_of(type);

	return n >= s->min && n <= s->max && (n - s->min) % s->step == 0;
}

enum err secret_length(const struct attrset *templ, CK_KEY_TYPE type, size_t *n)
{
	CK_ULONG len = attrset_ulong(templ, CKA_VALUE_LEN, 0);

	if (!attrset_has(templ, CKA_VALUE_LEN))
		return E_TEMPLATE_INCOMPLETE;
	if (!size_fits(type, len))
		return E_ATTR_VALUE;
	*n = len;
	return OK;
}

static enum err secret_normalise(struct attrset *a)
{
	return attrset_has(a, CKA_VALUE) ? OK : E_TEMPLATE_INCOMPLETE;
}

/* IEEE 1619 and SP 800-38E: two equal halves make XTS weaker than its key. */
static bool halves_differ(struct span value)
{
	return !mem_equal(value.p, value.p + value.n / 2, value.n / 2);
}

static enum err secret_parse(const struct attrset *a, struct key *k)
{
	struct span value = attrset_bytes(a, CKA_VALUE);

	if (!size_fits(k->row->type, value.n))
		return E_ATTR_VALUE;
	if (k->row->type == CKK_AES_XTS && !halves_differ(value))
		return E_ATTR_VALUE;
	k->value = mem_alloc_secret(value.n);
	if (k->value == NULL)
		return E_MEMORY;
	memcpy(k->value, value.p, value.n);
	k->value_n = value.n;
	k->size = value.n;
	k->footprint = value.n;
	return OK;
}

/* One block of zeros under the key, in ECB mode. */
static enum err aes_check_value(const struct key *k, uint8_t check[AES_BLOCK])
{
	static const uint8_t zeros[AES_BLOCK];
	EVP_CIPHER *cipher = fetch_cipher((enum alg)(ALG_AES_128_ECB + (k->value_n - 16) / 8));
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	int n = 0;
	enum err e = E_FAILED;

	if (cipher != NULL && ctx != NULL &&
	    EVP_EncryptInit_ex2(ctx, cipher, k->value, NULL, NULL) == 1 &&
	    EVP_EncryptUpdate(ctx, check, &n, zeros, sizeof(zeros)) == 1)
		e = OK;
	EVP_CIPHER_CTX_free(ctx);
	return e;
}

/*
 * PKCS#11 3.2, 4.10.2: the first bytes of an encrypted zero block for a block cipher's key, and of
 * a SHA-1 digest of the value for the others.
 */
static enum err check_value(const struct key *k, uint8_t check[EVP_MAX_MD_SIZE])
{
	if (k->row->type == CKK_AES)
		return aes_check_value(k, check);
	return hash_once(hash_of(CKM_SHA_1), span(k->value, k->value_n), check);
}

static enum err complete_check_value(const struct key *k, struct attrset *a)
{
	struct span given = attrset_bytes(a, CKA_CHECK_VALUE);
	uint8_t check[EVP_MAX_MD_SIZE];
	struct span right = span(check, CHECK_VALUE_SIZE);
	enum err e;

	if (attrset_has(a, CKA_CHECK_VALUE) && given.n == 0)
		return OK; /* not wanted */
	if ((e = check_value(k, check)) != OK)
		return e;
	if (given.n != 0 && !span_eq(given, right))
		return E_ATTR_VALUE;
	return attrset_put(a, CKA_CHECK_VALUE, right);
}

static enum err secret_complete(const struct key *k, struct attrset *a)
{
	if (attrset_ulong(a, CKA_VALUE_LEN, k->value_n) != k->value_n)
		return E_TEMPLATE_INCONSISTENT;
	if (attrset_put_ulong(a, CKA_VALUE_LEN, k->value_n) != OK)
		return E_MEMORY;
	return complete_check_value(k, a);
}

static enum err secret_wrap_form(const struct key *k, const struct attrset *a, struct buf *out)
{
	(void)a;
	return buf_put(out, span(k->value, k->value_n));
}

static bool all_zero(struct span v)
{
	uint8_t any = 0;

	for (size_t i = 0; i < v.n; i++)
		any |= v.p[i];
	return any == 0;
}

/*
 * PKCS#11 3.2, 5.18.4: what is longer than CKA_VALUE_LEN was padded when it was wrapped, unless the
 * mechanism keeps lengths. Padding is zeros; anything else is a key that would be cut short, to be
 * guessed a byte at a time.
 */
static enum err secret_unwrap_form(struct span in, bool len_exact, struct attrset *a)
{
	CK_KEY_TYPE type = attrset_ulong(a, CKA_KEY_TYPE, CK_UNAVAILABLE_INFORMATION);
	CK_ULONG n = attrset_ulong(a, CKA_VALUE_LEN, in.n);

	if (len_exact ? n != in.n : n > in.n)
		return E_WRAPPED_LEN;
	if (!size_fits(type, n) || !all_zero(span(in.p + n, in.n - n)))
		return E_WRAPPED_LEN;
	return attrset_put(a, CKA_VALUE, span(in.p, n));
}

enum err secret_put(const struct attrset *templ, CK_KEY_TYPE type, struct span value,
		    struct attrset *made)
{
	enum err e = attrset_put_ulong(made, CKA_CLASS, CKO_SECRET_KEY);

	if (e == OK)
		e = attrset_put_ulong(made, CKA_KEY_TYPE, type);
	if (e == OK)
		e = attrset_put(made, CKA_VALUE, value);
	if (e == OK && attrset_has(templ, CKA_CHECK_VALUE))
		e = attrset_put(made, CKA_CHECK_VALUE, attrset_bytes(templ, CKA_CHECK_VALUE));
	return e == OK ? key_complete(made) : e;
}

static enum err generate(const struct attrset *templ, CK_KEY_TYPE type, size_t n,
			 struct attrset *made)
{
	uint8_t *value = mem_alloc_secret(n);
	enum err e;

	if (value == NULL)
		return E_MEMORY;
	e = crypto_random_secret(value, n);
	if (e == OK)
		e = secret_put(templ, type, span(value, n), made);
	mem_free(value);
	return e;
}

static enum err secret_generate(const struct mech *m, const struct param *par,
				const struct attrset *templ, struct attrset *made)
{
	size_t n = 0;
	enum err e;

	(void)par;
	if (attrset_ulong(templ, CKA_KEY_TYPE, m->key_type) != m->key_type)
		return E_TEMPLATE_INCONSISTENT;
	e = secret_length(templ, m->key_type, &n);
	return e == OK ? generate(templ, m->key_type, n, made) : e;
}

static const struct mech_make secret_make = { .generate = secret_generate };

#define KEY_TYPE(kt)                                                                               \
	{                                                                                          \
		.type = (kt), .secret = true, .normalise = secret_normalise,                       \
		.parse = secret_parse, .complete = secret_complete, .wrap_form = secret_wrap_form, \
		.unwrap_form = secret_unwrap_form                                                  \
	}

const struct key_type_row secret_key_types[] = {
	KEY_TYPE(CKK_GENERIC_SECRET),  KEY_TYPE(CKK_AES),
	KEY_TYPE(CKK_AES_XTS),         KEY_TYPE(CKK_HKDF),
	KEY_TYPE(CKK_SHA_1_HMAC),      KEY_TYPE(CKK_SHA224_HMAC),
	KEY_TYPE(CKK_SHA256_HMAC),     KEY_TYPE(CKK_SHA384_HMAC),
	KEY_TYPE(CKK_SHA512_HMAC),     KEY_TYPE(CKK_SHA512_224_HMAC),
	KEY_TYPE(CKK_SHA512_256_HMAC), KEY_TYPE(CKK_SHA3_224_HMAC),
	KEY_TYPE(CKK_SHA3_256_HMAC),   KEY_TYPE(CKK_SHA3_384_HMAC),
	KEY_TYPE(CKK_SHA3_512_HMAC),
};
const size_t secret_key_types_n = sizeof(secret_key_types) / sizeof(secret_key_types[0]);

#define KEY_GEN(mech, kt, min, max)                                                         \
	{                                                                                   \
		.type = (mech), .key_type = (kt), .key_type2 = (kt), .flags = CKF_GENERATE, \
		.min_key = (min), .max_key = (max), .traits = MECH_APPROVED,                \
		.hash = CK_UNAVAILABLE_INFORMATION, .make = &secret_make                    \
	}

const struct mech secret_mechs[] = {
	/* the standard counts this one in bits, although CKA_VALUE_LEN is bytes */
	KEY_GEN(CKM_GENERIC_SECRET_KEY_GEN, CKK_GENERIC_SECRET, 8, SECRET_MAX * 8),
	KEY_GEN(CKM_AES_KEY_GEN, CKK_AES, 16, 32),
	KEY_GEN(CKM_AES_XTS_KEY_GEN, CKK_AES_XTS, 32, 64),
	KEY_GEN(CKM_HKDF_KEY_GEN, CKK_HKDF, 1, SECRET_MAX),
	KEY_GEN(CKM_SHA_1_KEY_GEN, CKK_SHA_1_HMAC, 1, SECRET_MAX),
	KEY_GEN(CKM_SHA224_KEY_GEN, CKK_SHA224_HMAC, 1, SECRET_MAX),
	KEY_GEN(CKM_SHA256_KEY_GEN, CKK_SHA256_HMAC, 1, SECRET_MAX),
	KEY_GEN(CKM_SHA384_KEY_GEN, CKK_SHA384_HMAC, 1, SECRET_MAX),
	KEY_GEN(CKM_SHA512_KEY_GEN, CKK_SHA512_HMAC, 1, SECRET_MAX),
	KEY_GEN(CKM_SHA512_224_KEY_GEN, CKK_SHA512_224_HMAC, 1, SECRET_MAX),
	KEY_GEN(CKM_SHA512_256_KEY_GEN, CKK_SHA512_256_HMAC, 1, SECRET_MAX),
	KEY_GEN(CKM_SHA3_224_KEY_GEN, CKK_SHA3_224_HMAC, 1, SECRET_MAX),
	KEY_GEN(CKM_SHA3_256_KEY_GEN, CKK_SHA3_256_HMAC, 1, SECRET_MAX),
	KEY_GEN(CKM_SHA3_384_KEY_GEN, CKK_SHA3_384_HMAC, 1, SECRET_MAX),
	KEY_GEN(CKM_SHA3_512_KEY_GEN, CKK_SHA3_512_HMAC, 1, SECRET_MAX),
};
const size_t secret_mechs_n = sizeof(secret_mechs) / sizeof(secret_mechs[0]);
