/* SPDX-License-Identifier: Apache-2.0 */
/* SubjectPublicKeyInfo of every key type as OpenSSL writes it, and the DER beneath. */
#include "pair.h"

#include "crypto/curve.h"
#include "crypto/der.h"

#include <openssl/x509.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Byte for byte what OpenSSL makes of the same key, from either half. */
static void same_as_openssl(const struct pair *p)
{
	EVP_PKEY *pk = evp_public(p->pub);
	struct buf info = { 0 };
	uint8_t *der = NULL;
	int n = i2d_PUBKEY(pk, &der);

	assert_true(n > 0);
	assert_true(span_eq(attrset_bytes(p->pub, CKA_PUBLIC_KEY_INFO), span(der, (size_t)n)));
	assert_int_equal(key_public_info(p->priv, &info), OK);
	assert_true(span_eq(buf_span(&info), span(der, (size_t)n)));
	buf_free(&info);
	OPENSSL_free(der);
	EVP_PKEY_free(pk);
}

static void every_type(void **state)
{
	static const CK_MECHANISM_TYPE gens[] = { CKM_EC_KEY_PAIR_GEN, CKM_EC_EDWARDS_KEY_PAIR_GEN,
						  CKM_EC_MONTGOMERY_KEY_PAIR_GEN };
	struct pair p = pair_rsa(1024);

	(void)state;
	same_as_openssl(&p);
	pair_free(&p);
	for (size_t i = 0; i < curves_n; i++) {
		CK_KEY_TYPE t = curves[i].type;

		p = pair_curve(gens[t == CKK_EC ? 0 : t - CKK_EC_EDWARDS + 1], curves[i].oid);
		same_as_openssl(&p);
		pair_free(&p);
	}
	for (CK_ULONG set = CKP_ML_DSA_44; set <= CKP_ML_DSA_87; set++) {
		p = pair_mldsa(set);
		same_as_openssl(&p);
		pair_free(&p);
	}
}

/* A key whose curve was given by name has the OID in its SPKI all the same. */
static void names_become_oids(void **state)
{
	struct pair p = pair_curve(CKM_EC_KEY_PAIR_GEN, BYTES("\x13\x09secp384r1"));

	(void)state;
	same_as_openssl(&p);
	pair_free(&p);
}

static void lengths_are_definite_and_minimal(void **state)
{
	const struct {
		struct span in;
		bool ok;
	} rows[] = {
		{ BYTES("\x04\x00"), true },
		{ BYTES("\x04\x01x"), true },
		{ BYTES("\x04\x01"), false },
		{ BYTES("\x04"), false },
		{ BYTES(""), false },
		{ BYTES("\x05\x00"), false },
		{ BYTES("\x04\x80x\0\0"), false },
		{ BYTES("\x04\x81\x01x"), false },
		{ BYTES("\x04\x82\x00\x01x"), false },
		{ BYTES("\x04\x81"), false },
		{ BYTES("\x04\x84\xff\xff\xff\xff"), false },
		{ BYTES("\x04\x85\x01\x00\x00\x00\x00"), false },
		{ BYTES("\x04\xff"), false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct span in = rows[i].in, v;

		assert_int_equal(der_take(&in, DER_OCTET_STRING, &v), rows[i].ok);
		if (!rows[i].ok)
			assert_true(in.p == rows[i].in.p && in.n == rows[i].in.n);
	}
}

static void integers_are_not_negative_and_minimal(void **state)
{
	const struct {
		struct span in;
		size_t n; /* of the magnitude */
		bool ok;
	} rows[] = {
		{ BYTES("\x02\x01\x00"), 0, true },      { BYTES("\x02\x01\x7f"), 1, true },
		{ BYTES("\x02\x02\x00\x80"), 1, true },  { BYTES("\x02\x00"), 0, false },
		{ BYTES("\x02\x01\x80"), 0, false },     { BYTES("\x02\x02\x00\x7f"), 0, false },
		{ BYTES("\x02\x02\x00\x00"), 0, false }, { BYTES("\x03\x01\x00"), 0, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct span in = rows[i].in, v = BYTES("?");

		assert_int_equal(der_take_uint(&in, &v), rows[i].ok);
		if (rows[i].ok)
			assert_int_equal(v.n, rows[i].n);
	}
}

static void what_is_written_is_read(void **state)
{
	static const size_t lengths[] = { 0, 1, 0x7f, 0x80, 0xff, 0x100, 0xffff, 0x10000, 70000 };
	uint8_t *bytes = test_malloc(70000);

	(void)state;
	memset(bytes, 0x80, 70000);
	for (size_t i = 0; i < COUNT(lengths); i++) {
		struct span v = span(bytes, lengths[i]), in, got;
		struct buf b = { 0 };

		assert_int_equal(der_put(&b, DER_OCTET_STRING, v), OK);
		assert_int_equal(der_put_uint(&b, v), OK);
		assert_int_equal(der_put_bits(&b, DER_BIT_STRING, v), OK);
		assert_int_equal(der_wrap(&b, 0, DER_SEQUENCE), OK);
		in = buf_span(&b);
		assert_true(der_take(&in, DER_SEQUENCE, &got) && in.n == 0);
		in = got;
		assert_true(der_take(&in, DER_OCTET_STRING, &got) && span_eq(got, v));
		assert_true(der_take_uint(&in, &got) && span_eq(got, v));
		assert_true(der_take_bits(&in, DER_BIT_STRING, &got) && span_eq(got, v));
		assert_int_equal(in.n, 0);
		buf_free(&b);
	}
	test_free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type),
		cmocka_unit_test(names_become_oids),
		cmocka_unit_test(lengths_are_definite_and_minimal),
		cmocka_unit_test(integers_are_not_negative_and_minimal),
		cmocka_unit_test(what_is_written_is_read),
	};

	return cmocka_run_group_tests(tests, crypto_up, crypto_down);
}
