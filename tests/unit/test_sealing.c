/* SPDX-License-Identifier: Apache-2.0 */
/* What the store seals with: it opens what it sealed and nothing else. */
#include "crypto/sealing.h"
#include "pair.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const uint8_t key[SEALING_KEY] = { 1, 2, 3 }, other_key[SEALING_KEY] = { 1, 2, 4 };
static const uint8_t text[100] = "The great seal";

static struct span aad(void)
{
	return span_str("token 1, object 7, version 3");
}

static void test_round_trips(void **state)
{
	(void)state;
	for (size_t n = 0; n <= sizeof(text); n++) {
		struct buf sealed = { 0 }, plain = { .secret = true };

		assert_int_equal(buf_put_u8(&sealed, 0x77), OK); /* appends */
		assert_int_equal(buf_put_u8(&plain, 0x88), OK);
		assert_int_equal(sealing_seal(key, aad(), span(text, n), &sealed), OK);
		assert_int_equal(sealed.n, 1 + n + SEALING_EXTRA);
		assert_int_equal(sealing_open(key, aad(), span(sealed.p + 1, sealed.n - 1), &plain),
				 OK);
		assert_int_equal(plain.n, 1 + n);
		assert_int_equal(plain.p[0], 0x88);
		if (n != 0)
			assert_memory_equal(plain.p + 1, text, n);
		buf_free(&sealed);
		buf_free(&plain);
	}
}

static void test_no_aad(void **state)
{
	struct buf sealed = { 0 }, plain = { 0 };

	(void)state;
	assert_int_equal(sealing_seal(key, span(NULL, 0), span(text, 5), &sealed), OK);
	assert_int_equal(sealing_open(key, span(NULL, 0), buf_span(&sealed), &plain), OK);
	assert_int_equal(plain.n, 5);
	assert_int_equal(sealing_open(key, aad(), buf_span(&sealed), &plain), E_CORRUPT);
	assert_int_equal(plain.n, 5);
	buf_free(&sealed);
	buf_free(&plain);
}

/* Every bit counts: of nonce, ciphertext, tag; and key and additional data, and every length. */
static void test_refuses(void **state)
{
	struct buf sealed = { 0 }, plain = { 0 };

	(void)state;
	assert_int_equal(sealing_seal(key, aad(), span(text, 20), &sealed), OK);
	for (size_t bit = 0; bit < sealed.n * 8; bit++) {
		sealed.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_int_equal(sealing_open(key, aad(), buf_span(&sealed), &plain), E_CORRUPT);
		sealed.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	for (size_t n = 0; n < sealed.n; n++)
		assert_int_equal(sealing_open(key, aad(), span(sealed.p, n), &plain), E_CORRUPT);
	assert_int_equal(sealing_open(other_key, aad(), buf_span(&sealed), &plain), E_CORRUPT);
	assert_int_equal(sealing_open(key, span_str("token 1, object 7, version 4"),
				      buf_span(&sealed), &plain),
			 E_CORRUPT);
	assert_int_equal(plain.n, 0);
	for (size_t i = 0; i < plain.cap; i++)
		assert_int_equal(plain.p[i], 0); /* what was decrypted before the tag was known */
	assert_int_equal(sealing_open(key, aad(), buf_span(&sealed), &plain), OK);
	buf_free(&sealed);
	buf_free(&plain);
}

static void test_nonces_differ(void **state)
{
	struct buf a = { 0 }, b = { 0 };

	(void)state;
	assert_int_equal(sealing_seal(key, aad(), span(text, 20), &a), OK);
	assert_int_equal(sealing_seal(key, aad(), span(text, 20), &b), OK);
	assert_memory_not_equal(a.p, b.p, SEALING_NONCE);
	assert_memory_not_equal(a.p + SEALING_NONCE, b.p + SEALING_NONCE, 20);
	buf_free(&a);
	buf_free(&b);
}

static void test_full_buffer(void **state)
{
	struct buf small = { .max = 20 };

	(void)state;
	assert_int_equal(sealing_seal(key, aad(), span(text, 20), &small), E_DATA_LEN);
	assert_int_equal(small.n, 0);
	buf_free(&small);
}

static void expect(const uint8_t *got, const char *hex)
{
	struct buf right = unhex(hex);

	assert_memory_equal(got, right.p, right.n);
	buf_free(&right);
}

/*
 * These and the following were computed with Python's hashlib and hmac; Argon2id by a program after
 * RFC 9106.
 */
static void test_digest_and_mac(void **state)
{
	struct span parts[3] = { span_str("abc"), span(NULL, 0), span_str("def") };
	uint8_t got[SEALING_MAC];

	(void)state;
	assert_int_equal(sealing_digest(parts, 3, got), OK);
	expect(got, "bef57ec7f53a6d40beb640a780a639c83bc29ac8a9816f1fc6c5c6dcd93c4721");
	assert_int_equal(sealing_digest(parts, 0, got), OK);
	expect(got, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	assert_int_equal(sealing_mac(key, parts, 3, got), OK);
	expect(got, "ef3b0313974ba37760d02008a73c28aa106867b1a8075a6c616555da7efd9d87");
	assert_int_equal(sealing_mac(key, parts, 0, got), OK);
	expect(got, "368ac05cd81d972174a46fd54daa74ed0e808c09b0cc86f0c3fc342bef66f405");
}

static void test_hkdf(void **state)
{
	uint8_t got[40], most[255 * SEALING_MAC + 1];

	(void)state;
	assert_int_equal(sealing_hkdf(span(key, 32), span_str("salt"), span_str("info"), got, 40),
			 OK);
	expect(got,
	       "bc1c951d0852ee0fe77fa7d1f60e4e85c4f5a9af387ce5f6552634d537ff79766603ad9914ea22a0");
	assert_int_equal(sealing_hkdf(span(key, 32), span(NULL, 0), span(NULL, 0), got, 40), OK);
	expect(got,
	       "dd6021fbae49e5aaaa394d6a23484e1c7209a82f5e5b6d2e4f427ae01b99897468eec23c92e76b6d");
	assert_int_equal(
		sealing_hkdf(span(key, 32), span(NULL, 0), span(NULL, 0), most, sizeof(most) - 1),
		OK);
	assert_int_equal(
		sealing_hkdf(span(key, 32), span(NULL, 0), span(NULL, 0), most, sizeof(most)),
		E_ARGUMENTS);
	assert_int_equal(sealing_hkdf(span(key, 32), span(NULL, 0), span(NULL, 0), most, 0),
			 E_ARGUMENTS);
	assert_int_equal(sealing_hkdf(span(NULL, 0), span(NULL, 0), span(NULL, 0), got, 40),
			 E_ARGUMENTS);
}

static void test_pin_kdfs(void **state)
{
	struct span pin = span("12\0\xff"
			       "34",
			       6),
		    salt = span_str("sixteen byte sal");
	uint8_t got[SEALING_KEY];

	(void)state;
	assert_int_equal(sealing_pbkdf2(pin, salt, 10, got), OK);
	expect(got, "8473dd2f1afb4b91d72c6037f6be74f9a25c7a053c6ca49f28fc3d53a9b7a425");
	assert_int_equal(sealing_pbkdf2(pin, salt, 0, got), E_ARGUMENTS);
	assert_int_equal(sealing_argon2id(pin, salt, 64, 3, 2, got), OK);
	expect(got, "fb6710e62309189474950bd7b39d9f85b85b80e58d8eb246de0913dbb69e4d54");
	assert_int_equal(sealing_argon2id(span(NULL, 0), salt, 8, 1, 1, got), OK);
	expect(got, "8f4f62b5c2022a5ca160dc2a3a86888b3cb28791b2daa642a1103a0685c05b29");
	assert_int_equal(sealing_argon2id(pin, salt, 15, 1, 2, got), E_ARGUMENTS);
	assert_int_equal(sealing_argon2id(pin, salt, 64, 0, 1, got), E_ARGUMENTS);
	assert_int_equal(sealing_argon2id(pin, salt, 64, 1, 0, got), E_ARGUMENTS);
	assert_int_equal(sealing_argon2id(pin, span(salt.p, 7), 64, 1, 1, got), E_ARGUMENTS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trips), cmocka_unit_test(test_no_aad),
		cmocka_unit_test(test_refuses),     cmocka_unit_test(test_nonces_differ),
		cmocka_unit_test(test_full_buffer), cmocka_unit_test(test_digest_and_mac),
		cmocka_unit_test(test_hkdf),        cmocka_unit_test(test_pin_kdfs),
	};

	return cmocka_run_group_tests(tests, crypto_up, crypto_down);
}
