/* SPDX-License-Identifier: Apache-2.0 */
/* PKCS#8 of every key type, written and read by us and by OpenSSL, and malformed in every way. */
#include "pair.h"

#include "crypto/curve.h"
#include "crypto/der.h"
#include "crypto/pkcs8.h"

#include <openssl/core_names.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define P256     BYTES("\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07")
#define ED25519  BYTES("\x06\x03\x2b\x65\x70")

/* Wraps, unwraps, and compares: all of the key's own attributes survive. */
static void round_trip(const struct pair *p)
{
	struct attrset *a = set_new(CKO_PRIVATE_KEY, attrset_ulong(p->priv, CKA_KEY_TYPE, 0));
	struct buf der = { .secret = true };

	assert_int_equal(key_wrap_form(p->priv, &der), OK);
	assert_int_equal(key_unwrap_form(buf_span(&der), true, a), OK);
	for (size_t i = 0; i < attrset_count(a); i++) {
		struct attr t = attrset_at(a, i);

		/* a curve's name becomes its OID */
		if (t.type != CKA_EC_PARAMS)
			assert_true(span_eq(t.v, attrset_bytes(p->priv, t.type)));
	}
	assert_int_equal(attrset_count(a), attrset_count(p->priv));
	buf_free(&der);
	attrset_free(a);
}

/* OpenSSL reads what we write, and we read what OpenSSL writes. */
static void exchange(const struct pair *p)
{
	EVP_PKEY *ours = evp_private(p->priv), *pub = evp_public(p->pub);
	struct attrset *back = NULL;

	assert_int_equal(EVP_PKEY_eq(ours, pub), 1);
	assert_int_equal(import_private(ours, attrset_ulong(p->priv, CKA_KEY_TYPE, 0), &back), OK);
	assert_true(span_eq(attrset_bytes(back, CKA_PUBLIC_KEY_INFO),
			    attrset_bytes(p->pub, CKA_PUBLIC_KEY_INFO)));
	attrset_free(back);
	EVP_PKEY_free(ours);
	EVP_PKEY_free(pub);
}

static void every_type_goes_there_and_back(void **state)
{
	static const CK_ULONG sets[] = { CKP_ML_DSA_44, CKP_ML_DSA_65, CKP_ML_DSA_87 };
	struct pair p = pair_rsa(2048);

	(void)state;
	round_trip(&p);
	exchange(&p);
	pair_free(&p);
	for (size_t i = 0; i < curves_n; i++) {
		static const CK_MECHANISM_TYPE gens[] = { CKM_EC_KEY_PAIR_GEN,
							  CKM_EC_EDWARDS_KEY_PAIR_GEN,
							  CKM_EC_MONTGOMERY_KEY_PAIR_GEN };
		CK_KEY_TYPE t = curves[i].type;

		p = pair_curve(gens[t == CKK_EC ? 0 : t - CKK_EC_EDWARDS + 1], curves[i].oid);
		round_trip(&p);
		exchange(&p);
		pair_free(&p);
	}
	for (size_t i = 0; i < COUNT(sets); i++) {
		p = pair_mldsa(sets[i]);
		round_trip(&p);
		exchange(&p);
		attrset_drop(p.priv, CKA_SEED);
		round_trip(&p);
		exchange(&p);
		pair_free(&p);
	}
	p = pair_curve(CKM_EC_KEY_PAIR_GEN, BYTES("\x13\x09secp256r1"));
	round_trip(&p);
	pair_free(&p);
}

static enum err unwrap(CK_KEY_TYPE type, struct span der, bool exact)
{
	struct attrset *a = set_new(CKO_PRIVATE_KEY, type);
	enum err e = key_unwrap_form(der, exact, a);

	attrset_free(a);
	return e;
}

/* The bytes of block ciphers without padding end in zeros. */
static void zeros_may_follow_when_the_length_is_not_exact(void **state)
{
	struct pair p = pair_curve(CKM_EC_EDWARDS_KEY_PAIR_GEN, ED25519);
	struct buf der = { .secret = true };

	(void)state;
	assert_int_equal(key_wrap_form(p.priv, &der), OK);
	assert_int_equal(buf_put(&der, BYTES("\0\0\0")), OK);
	assert_int_equal(unwrap(CKK_EC_EDWARDS, buf_span(&der), false), OK);
	assert_int_equal(unwrap(CKK_EC_EDWARDS, buf_span(&der), true), E_WRAPPED_INVALID);
	der.p[der.n - 1] = 1;
	assert_int_equal(unwrap(CKK_EC_EDWARDS, buf_span(&der), false), E_WRAPPED_INVALID);
	buf_free(&der);
	pair_free(&p);
}

static void keys_of_another_type_are_refused(void **state)
{
	struct pair rsa = pair_rsa(1024), ec = pair_curve(CKM_EC_KEY_PAIR_GEN, P256);
	struct buf a = { .secret = true }, b = { .secret = true };

	(void)state;
	assert_int_equal(key_wrap_form(rsa.priv, &a), OK);
	assert_int_equal(key_wrap_form(ec.priv, &b), OK);
	assert_int_equal(unwrap(CKK_EC, buf_span(&a), true), E_WRAPPED_INVALID);
	assert_int_equal(unwrap(CKK_RSA, buf_span(&b), true), E_WRAPPED_INVALID);
	assert_int_equal(unwrap(CKK_EC_EDWARDS, buf_span(&b), true), E_WRAPPED_INVALID);
	assert_int_equal(unwrap(CKK_EC_MONTGOMERY, buf_span(&b), true), E_WRAPPED_INVALID);
	assert_int_equal(unwrap(CKK_ML_DSA, buf_span(&b), true), E_WRAPPED_INVALID);
	assert_int_equal(unwrap(CKK_AES, buf_span(&b), true), E_TEMPLATE_INCONSISTENT);
	buf_free(&a);
	buf_free(&b);
	pair_free(&rsa);
	pair_free(&ec);
}

/*
 * Cut short at every length, and one byte changed at every place: an error, or a whole key of its
 * own. Nothing is read that is not there (under the sanitizers).
 */
static void mangle(const struct pair *p, size_t step)
{
	CK_KEY_TYPE type = attrset_ulong(p->priv, CKA_KEY_TYPE, 0);
	struct buf der = { .secret = true };

	assert_int_equal(key_wrap_form(p->priv, &der), OK);
	for (size_t n = 0; n < der.n; n += step) {
		/* memory of exactly this length, so that one byte beyond it is noticed */
		uint8_t *cut = test_malloc(n + 1);

		memcpy(cut, der.p, n);
		assert_int_equal(unwrap(type, span(cut, n), true), E_WRAPPED_INVALID);
		test_free(cut);
	}
	for (size_t at = 0; at < der.n; at += step) {
		static const uint8_t masks[] = { 0x01, 0x80, 0xff, 0x20 };

		for (size_t i = 0; i < COUNT(masks); i++) {
			der.p[at] ^= masks[i];
			(void)unwrap(type, buf_span(&der), true);
			der.p[at] ^= masks[i];
		}
	}
	assert_int_equal(unwrap(type, buf_span(&der), true), OK);
	buf_free(&der);
}

static void mangled_keys(void **state)
{
	struct pair p = pair_rsa(1024);

	(void)state;
	mangle(&p, 1);
	pair_free(&p);
	p = pair_curve(CKM_EC_KEY_PAIR_GEN, P256);
	mangle(&p, 1);
	pair_free(&p);
	p = pair_curve(CKM_EC_EDWARDS_KEY_PAIR_GEN, ED25519);
	mangle(&p, 1);
	pair_free(&p);
	p = pair_mldsa(CKP_ML_DSA_44);
	mangle(&p, 1);
	attrset_drop(p.priv, CKA_SEED);
	mangle(&p, 37);
	pair_free(&p);
}

/* What the builder below can be told to do wrong, or only otherwise. */
struct shape {
	struct span version, oid, params, key, attributes, pub, tail;
};

static void build(const struct shape *s, struct buf *out)
{
	size_t at;

	buf_clear(out);
	assert_int_equal(buf_put(out, s->version), OK);
	at = out->n;
	assert_int_equal(buf_put(out, s->oid), OK);
	assert_int_equal(buf_put(out, s->params), OK);
	assert_int_equal(der_wrap(out, at, DER_SEQUENCE), OK);
	assert_int_equal(buf_put(out, s->key), OK);
	assert_int_equal(buf_put(out, s->attributes), OK);
	assert_int_equal(buf_put(out, s->pub), OK);
	assert_int_equal(der_wrap(out, 0, DER_SEQUENCE), OK);
	assert_int_equal(buf_put(out, s->tail), OK);
}

#define KEY                \
	"\x04\x22\x04\x20" \
	"0123456789abcdef0123456789abcdef"
#define V1     BYTES("\x02\x01\x00")
#define V2     BYTES("\x02\x01\x01")
#define NONE   BYTES("")
#define PUBLIC "\x81\x21\x00"

static void envelopes(void **state)
{
	struct attrset *a = set_new(CKO_PRIVATE_KEY, CKK_EC_EDWARDS);
	uint8_t pub[35] = PUBLIC, foreign[35] = PUBLIC;
	struct buf b = { 0 };

	(void)state;
	set_put(a, CKA_EC_PARAMS, ED25519);
	set_put(a, CKA_VALUE, BYTES("0123456789abcdef0123456789abcdef"));
	assert_int_equal(key_complete(a), OK);
	memcpy(pub + 3, attrset_bytes(a, CKA_PUBLIC_KEY_INFO).p + 12, 32);
	memcpy(foreign + 3, pub + 2, 32);
	const struct {
		struct shape s;
		enum err want;
	} rows[] = {
		{ { V1, ED25519, NONE, BYTES(KEY), NONE, NONE, NONE }, OK },
		{ { V2, ED25519, NONE, BYTES(KEY), NONE, NONE, NONE }, OK },
		{ { V2, ED25519, NONE, BYTES(KEY), NONE, span(pub, 35), NONE }, OK },
		{ { V1, ED25519, NONE, BYTES(KEY), BYTES("\xa0\x00"), NONE, NONE }, OK },
		{ { V2, ED25519, NONE, BYTES(KEY), BYTES("\xa0\x02\x05\x00"), span(pub, 35), NONE },
		  OK },
		{ { V2, ED25519, NONE, BYTES(KEY), NONE, span(foreign, 35), NONE },
		  E_WRAPPED_INVALID },
		{ { V1, ED25519, NONE, BYTES(KEY), NONE, span(pub, 35), NONE }, E_WRAPPED_INVALID },
		{ { V2, ED25519, NONE, BYTES(KEY), span(pub, 35), BYTES("\xa0\x00"), NONE },
		  E_WRAPPED_INVALID },
		{ { BYTES("\x02\x01\x02"), ED25519, NONE, BYTES(KEY), NONE, NONE, NONE },
		  E_WRAPPED_INVALID },
		{ { BYTES("\x02\x01\xff"), ED25519, NONE, BYTES(KEY), NONE, NONE, NONE },
		  E_WRAPPED_INVALID },
		{ { BYTES("\x02\x02\x00\x00"), ED25519, NONE, BYTES(KEY), NONE, NONE, NONE },
		  E_WRAPPED_INVALID },
		{ { BYTES("\x02\x00"), ED25519, NONE, BYTES(KEY), NONE, NONE, NONE },
		  E_WRAPPED_INVALID },
		{ { NONE, ED25519, NONE, BYTES(KEY), NONE, NONE, NONE }, E_WRAPPED_INVALID },
		{ { V1, NONE, NONE, BYTES(KEY), NONE, NONE, NONE }, E_WRAPPED_INVALID },
		{ { V1, ED25519, BYTES("\x05\x00"), BYTES(KEY), NONE, NONE, NONE },
		  E_WRAPPED_INVALID },
		{ { V1, ED25519, BYTES("\x05"), BYTES(KEY), NONE, NONE, NONE }, E_WRAPPED_INVALID },
		{ { V1, ED25519, NONE, NONE, NONE, NONE, NONE }, E_WRAPPED_INVALID },
		{ { V1, ED25519, NONE, BYTES("\x04\x00"), NONE, NONE, NONE }, E_WRAPPED_INVALID },
		{ { V1, ED25519, NONE, BYTES("\x04\x03\x04\x01\x07"), NONE, NONE, NONE },
		  E_WRAPPED_INVALID },
		{ { V1, ED25519, NONE, BYTES(KEY), BYTES("\x05\x00"), NONE, NONE },
		  E_WRAPPED_INVALID },
		{ { V1, ED25519, NONE, BYTES(KEY), NONE, NONE, BYTES("\0") }, E_WRAPPED_INVALID },
		{ { V2, ED25519, NONE, BYTES(KEY), NONE, BYTES("\x81\x01\x00"), NONE }, OK },
		{ { V2, ED25519, NONE, BYTES(KEY), NONE, BYTES("\x81\x00"), NONE },
		  E_WRAPPED_INVALID },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		build(&rows[i].s, &b);
		assert_int_equal(unwrap(CKK_EC_EDWARDS, buf_span(&b), true), rows[i].want);
	}
	buf_free(&b);
	attrset_free(a);
}

/* ECPrivateKey of d = 1 with its curve inside. */
#define WITH_CURVE \
	"\x04\x14\x30\x12\x02\x01\x01\x04\x01\x01\xa0\x0a\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07"
/* The x of P-256's generator. */
#define GENERATOR_X                                                        \
	"\x6b\x17\xd1\xf2\xe1\x2c\x42\x47\xf8\xbc\xe6\xe5\x63\xa4\x40\xf2" \
	"\x77\x03\x7d\x81\x2d\xeb\x33\xa0\xf4\xa1\x39\x45\xd8\x98\xc2\x96"

/*
 * The forms of an EC key that are not ours: parameters inside, none outside, a short value, a
 * compressed point.
 */
static void ec_forms(void **state)
{
	static const uint8_t ec_oid[] = { 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01 };
	const struct span id = span(ec_oid, sizeof(ec_oid)),
			  p384 = BYTES("\x06\x05\x2b\x81\x04\x00\x22");
	/* d = 1: the point is the generator, x then the parity of y */
	const struct {
		struct span params, key;
		enum err want;
	} rows[] = {
		{ P256, BYTES("\x04\x08\x30\x06\x02\x01\x01\x04\x01\x01"), OK },
		{ P256, BYTES(WITH_CURVE), OK },
		{ NONE, BYTES(WITH_CURVE), OK },
		{ p384, BYTES(WITH_CURVE), E_WRAPPED_INVALID },
		{ NONE, BYTES("\x04\x08\x30\x06\x02\x01\x01\x04\x01\x01"), E_WRAPPED_INVALID },
		{ BYTES("\x05\x00"), BYTES("\x04\x08\x30\x06\x02\x01\x01\x04\x01\x01"),
		  E_DOMAIN_PARAMS },
		{ BYTES("\x06\x01\x2a"), BYTES("\x04\x08\x30\x06\x02\x01\x01\x04\x01\x01"),
		  E_CURVE },
		{ P256, BYTES("\x04\x08\x30\x06\x02\x01\x00\x04\x01\x01"), E_WRAPPED_INVALID },
		{ P256, BYTES("\x04\x08\x30\x06\x02\x01\x01\x04\x01\x00"), E_WRAPPED_INVALID },
		{ P256, BYTES("\x04\x07\x30\x05\x02\x01\x01\x04\x00"), E_WRAPPED_INVALID },
		{ P256, BYTES("\x04\x0a\x30\x08\x02\x01\x01\x04\x01\x01\x05\x00"),
		  E_WRAPPED_INVALID },
		{ P256, BYTES("\x04\x0d\x30\x0b\x02\x01\x01\x04\x01\x01\xa1\x03\x03\x01\x00"), OK },
		{ P256, BYTES("\x04\x0e\x30\x0c\x02\x01\x01\x04\x01\x01\xa1\x04\x03\x02\x00\x04"),
		  E_WRAPPED_INVALID },
		{ P256, BYTES("\x04\x0c\x30\x0a\x02\x01\x01\x04\x01\x01\xa1\x02\x04\x00"),
		  E_WRAPPED_INVALID },
		{ P256,
		  BYTES("\x04\x2e\x30\x2c\x02\x01\x01\x04\x01\x01\xa1\x24\x03\x22\x00"
			"\x03" GENERATOR_X),
		  OK },
		{ P256,
		  BYTES("\x04\x2e\x30\x2c\x02\x01\x01\x04\x01\x01\xa1\x24\x03\x22\x00"
			"\x02" GENERATOR_X),
		  E_WRAPPED_INVALID },
	};
	struct buf b = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct shape s = { V1, id, rows[i].params, rows[i].key, NONE, NONE, NONE };

		build(&s, &b);
		assert_int_equal(unwrap(CKK_EC, buf_span(&b), true), rows[i].want);
	}
	buf_free(&b);
}

/* ML-DSA-PrivateKey in its three forms, and in others. */
static void put_both(struct buf *key, struct span seed, struct span expanded)
{
	buf_clear(key);
	assert_int_equal(der_put(key, DER_OCTET_STRING, seed), OK);
	assert_int_equal(der_put(key, DER_OCTET_STRING, expanded), OK);
	assert_int_equal(der_wrap(key, 0, DER_SEQUENCE), OK);
	assert_int_equal(der_wrap(key, 0, DER_OCTET_STRING), OK);
}

static enum err unwrap_mldsa(struct span oid, struct span key)
{
	struct shape s = { V1, oid, NONE, key, NONE, NONE, NONE };
	struct buf b = { 0 };
	enum err e;

	build(&s, &b);
	e = unwrap(CKK_ML_DSA, buf_span(&b), true);
	buf_free(&b);
	return e;
}

static void mldsa_forms(void **state)
{
	const struct span oid = BYTES("\x06\x09\x60\x86\x48\x01\x65\x03\x04\x03\x11");
	const struct span oid65 = BYTES("\x06\x09\x60\x86\x48\x01\x65\x03\x04\x03\x12");
	struct pair p = pair_mldsa(CKP_ML_DSA_44), q = pair_mldsa(CKP_ML_DSA_44);
	struct span seed = attrset_bytes(p.priv, CKA_SEED),
		    value = attrset_bytes(p.priv, CKA_VALUE);
	struct buf key = { 0 };

	(void)state;
	put_both(&key, seed, value);
	assert_int_equal(unwrap_mldsa(oid, buf_span(&key)), OK);
	assert_int_equal(unwrap_mldsa(oid65, buf_span(&key)), E_WRAPPED_INVALID);
	put_both(&key, attrset_bytes(q.priv, CKA_SEED), value);
	assert_int_equal(unwrap_mldsa(oid, buf_span(&key)), E_WRAPPED_INVALID);
	put_both(&key, span(seed.p, 31), value);
	assert_int_equal(unwrap_mldsa(oid, buf_span(&key)), E_WRAPPED_INVALID);
	put_both(&key, seed, span(NULL, 0));
	assert_int_equal(unwrap_mldsa(oid, buf_span(&key)), E_WRAPPED_INVALID);
	put_both(&key, span(NULL, 0), value);
	assert_int_equal(unwrap_mldsa(oid, buf_span(&key)), E_WRAPPED_INVALID);
	/* the seed without its tag, or under one that is constructed */
	buf_clear(&key);
	assert_int_equal(der_put(&key, DER_OCTET_STRING, seed), OK);
	assert_int_equal(unwrap_mldsa(oid, buf_span(&key)), E_WRAPPED_INVALID);
	buf_clear(&key);
	assert_int_equal(der_put(&key, 0xa0, seed), OK);
	assert_int_equal(der_wrap(&key, 0, DER_OCTET_STRING), OK);
	assert_int_equal(unwrap_mldsa(oid, buf_span(&key)), E_WRAPPED_INVALID);
	/* the seed as its tag says: it serves every parameter set */
	key.p[2] = 0x80;
	assert_int_equal(unwrap_mldsa(oid, buf_span(&key)), OK);
	assert_int_equal(unwrap_mldsa(oid65, buf_span(&key)), OK);
	buf_free(&key);
	pair_free(&p);
	pair_free(&q);
}

/* An RSA key that is too short for us is no key of the right length. */
static void short_keys(void **state)
{
	EVP_PKEY *pk = EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)512);
	struct attrset *a = NULL;

	(void)state;
	assert_non_null(pk);
	assert_int_equal(import_private(pk, CKK_RSA, &a), E_WRAPPED_LEN);
	EVP_PKEY_free(pk);
}

static void secret_keys_are_completed_too(void **state)
{
	struct attrset *a = set_new(CKO_SECRET_KEY, CKK_AES);

	(void)state;
	assert_int_equal(key_unwrap_form(BYTES("0123456789abcdef"), true, a), OK);
	assert_int_equal(attrset_ulong(a, CKA_VALUE_LEN, 0), 16);
	assert_int_equal(attrset_bytes(a, CKA_CHECK_VALUE).n, 3);
	set_put(a, CKA_CHECK_VALUE, BYTES("bad"));
	assert_int_equal(key_unwrap_form(BYTES("0123456789abcdef"), true, a), E_ATTR_VALUE);
	attrset_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_goes_there_and_back),
		cmocka_unit_test(zeros_may_follow_when_the_length_is_not_exact),
		cmocka_unit_test(keys_of_another_type_are_refused),
		cmocka_unit_test(mangled_keys),
		cmocka_unit_test(envelopes),
		cmocka_unit_test(ec_forms),
		cmocka_unit_test(mldsa_forms),
		cmocka_unit_test(short_keys),
		cmocka_unit_test(secret_keys_are_completed_too),
	};

	return cmocka_run_group_tests(tests, crypto_up, crypto_down);
}
