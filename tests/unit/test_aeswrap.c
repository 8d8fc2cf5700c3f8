/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AES key wrapping: lengths, IVs, damage; and the two numbers of PKCS#7 padding that mean the same.
 */
#include "pair.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define LONGEST 100

static uint8_t text[LONGEST], secret[32], iv8[8] = "chancery", iv4[4] = "seal";

static const struct row {
	CK_MECHANISM_TYPE mech;
	size_t iv_n;
	size_t min, step;
} rows[] = {
	{ CKM_AES_KEY_WRAP, 8, 16, 8 },
	{ CKM_AES_KEY_WRAP_KWP, 4, 1, 1 },
	{ CKM_AES_KEY_WRAP_PAD, 8, 8, 1 },
	{ CKM_AES_KEY_WRAP_PKCS7, 8, 8, 1 },
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static int up(void **state)
{
	for (size_t i = 0; i < LONGEST; i++)
		text[i] = (uint8_t)(i * 3 + 2);
	for (size_t i = 0; i < sizeof(secret); i++)
		secret[i] = (uint8_t)(i * 17 + 1);
	return crypto_up(state);
}

static struct attrset *aes_of(size_t n)
{
	struct attrset *a = set_new(CKO_SECRET_KEY, CKK_AES);

	set_put(a, CKA_VALUE, span(secret, n));
	return a;
}

static size_t wrapped_size(const struct row *row, size_t n)
{
	if (row->mech == CKM_AES_KEY_WRAP_KWP)
		return (n + 7) / 8 * 8 + 8;
	return row->mech == CKM_AES_KEY_WRAP ? n + 8 : n / 8 * 8 + 16;
}

static void round_trip(const struct row *row, struct call c, const struct attrset *key, size_t n)
{
	struct buf wrapped = { 0 }, plain = { 0 };

	assert_int_equal(work(c, USE_ENCRYPT, key, span(text, n), 0, &wrapped), OK);
	assert_int_equal(wrapped.n, wrapped_size(row, n));
	assert_int_equal(work(c, USE_DECRYPT, key, buf_span(&wrapped), 0, &plain), OK);
	assert_int_equal(plain.n, n);
	assert_memory_equal(plain.p, text, n);
	buf_free(&wrapped);
	buf_free(&plain);
}

static void test_round_trips(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS; i++) {
		struct call standard = { rows[i].mech, NULL, 0 };
		struct call own = { rows[i].mech, rows[i].iv_n == 4 ? iv4 : iv8, rows[i].iv_n };

		for (size_t k = 16; k <= 32; k += 8) {
			struct attrset *key = aes_of(k);

			for (size_t n = rows[i].min; n <= LONGEST; n += rows[i].step) {
				round_trip(&rows[i], standard, key, n);
				round_trip(&rows[i], own, key, n);
			}
			attrset_free(key);
		}
	}
}

/* RFC 3394, 4.6 and RFC 5649, 6 give these. */
static void test_standard_examples(void **state)
{
	static const struct {
		CK_MECHANISM_TYPE mech;
		const char *key, *plain, *wrapped;
	} examples[] = {
		{ CKM_AES_KEY_WRAP,
		  "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
		  "00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f",
		  "28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43b"
		  "fb988b9b7a02dd21" },
		{ CKM_AES_KEY_WRAP_KWP, "5840df6e29b02af1ab493b705bf16ea1ae8338f4dcc176a8",
		  "c37b7e6492584340bed12207808941155068f738",
		  "138bdeaa9b8fa7fc61f97742e72248ee5ae6ae5360d1ae6a5f54f373fa543b6a" },
		{ CKM_AES_KEY_WRAP_KWP, "5840df6e29b02af1ab493b705bf16ea1ae8338f4dcc176a8",
		  "466f7250617369", "afbeb0f07dfbf5419200f2ccb50bb24f" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		struct buf key = unhex(examples[i].key), in = unhex(examples[i].plain);
		struct buf right = unhex(examples[i].wrapped), got = { 0 };
		struct attrset *a = set_new(CKO_SECRET_KEY, CKK_AES);

		set_put(a, CKA_VALUE, buf_span(&key));
		assert_int_equal(work((struct call){ examples[i].mech, NULL, 0 }, USE_ENCRYPT, a,
				      buf_span(&in), 0, &got),
				 OK);
		assert_true(span_eq(buf_span(&got), buf_span(&right)));
		attrset_free(a);
		buf_free(&key);
		buf_free(&in);
		buf_free(&right);
		buf_free(&got);
	}
}

/* PKCS#7 padding, then RFC 3394: so a KW unwrap shows the padding. */
static void test_pkcs7_is_kw_of_padded(void **state)
{
	struct call kw = { CKM_AES_KEY_WRAP, NULL, 0 };
	struct attrset *key = aes_of(32);

	(void)state;
	for (size_t i = 2; i < ROWS; i++) {
		for (size_t n = 8; n < 33; n++) {
			struct buf wrapped = { 0 }, padded = { 0 };
			size_t pad = 8 - n % 8;

			assert_int_equal(work((struct call){ rows[i].mech, NULL, 0 }, USE_ENCRYPT,
					      key, span(text, n), 0, &wrapped),
					 OK);
			assert_int_equal(work(kw, USE_DECRYPT, key, buf_span(&wrapped), 0, &padded),
					 OK);
			assert_int_equal(padded.n, n + pad);
			for (size_t j = n; j < padded.n; j++)
				assert_int_equal(padded.p[j], pad);
			buf_free(&wrapped);
			buf_free(&padded);
		}
	}
	attrset_free(key);
}

/* Intact by RFC 3394, but the padding is none: the same error as for damage. */
static void test_pkcs7_bad_padding(void **state)
{
	struct attrset *key = aes_of(32);
	uint8_t block[16] = { 0 };

	(void)state;
	for (unsigned last = 0; last < 256; last++) {
		struct buf wrapped = { 0 }, out = { 0 };
		enum err right = last == 1 ? OK : E_CIPHERTEXT;

		block[15] = (uint8_t)last;
		assert_int_equal(work((struct call){ CKM_AES_KEY_WRAP, NULL, 0 }, USE_ENCRYPT, key,
				      span(block, 16), 0, &wrapped),
				 OK);
		assert_int_equal(work((struct call){ CKM_AES_KEY_WRAP_PKCS7, NULL, 0 }, USE_DECRYPT,
				      key, buf_span(&wrapped), 0, &out),
				 right);
		buf_free(&wrapped);
		buf_free(&out);
	}
	attrset_free(key);
}

static void test_damage(void **state)
{
	struct attrset *key = aes_of(24);

	(void)state;
	for (size_t i = 0; i < ROWS; i++) {
		struct call c = { rows[i].mech, NULL, 0 };
		struct call other = { rows[i].mech, rows[i].iv_n == 4 ? iv4 : iv8, rows[i].iv_n };
		struct buf wrapped = { 0 }, out = { 0 };

		assert_int_equal(work(c, USE_ENCRYPT, key, span(text, 24), 0, &wrapped), OK);
		for (size_t bit = 0; bit < wrapped.n * 8; bit++) {
			wrapped.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
			assert_int_equal(work(c, USE_DECRYPT, key, buf_span(&wrapped), 0, &out),
					 E_CIPHERTEXT);
			wrapped.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
		assert_int_equal(work(other, USE_DECRYPT, key, buf_span(&wrapped), 0, &out),
				 E_CIPHERTEXT);
		assert_int_equal(out.n, 0);
		buf_free(&wrapped);
		buf_free(&out);
	}
	attrset_free(key);
}

static void test_lengths(void **state)
{
	static const struct {
		size_t row, n;
		enum err encrypt, decrypt;
	} wrong[] = {
		{ 0, 0, E_DATA_LEN, E_CIPHERTEXT_LEN },  { 0, 8, E_DATA_LEN, E_CIPHERTEXT_LEN },
		{ 0, 17, E_DATA_LEN, E_CIPHERTEXT_LEN }, { 0, 16, OK, E_CIPHERTEXT_LEN },
		{ 1, 0, E_DATA_LEN, E_CIPHERTEXT_LEN },  { 1, 8, OK, E_CIPHERTEXT_LEN },
		{ 1, 17, OK, E_CIPHERTEXT_LEN },         { 2, 7, E_DATA_LEN, E_CIPHERTEXT_LEN },
		{ 3, 7, E_DATA_LEN, E_CIPHERTEXT_LEN },  { 3, 23, OK, E_CIPHERTEXT_LEN },
	};
	struct attrset *key = aes_of(16);

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct call c = { rows[wrong[i].row].mech, NULL, 0 };
		struct buf out = { 0 };

		assert_int_equal(work(c, USE_ENCRYPT, key, span(text, wrong[i].n), 0, &out),
				 wrong[i].encrypt);
		buf_clear(&out);
		assert_int_equal(work(c, USE_DECRYPT, key, span(text, wrong[i].n), 0, &out),
				 wrong[i].decrypt);
		buf_free(&out);
	}
	attrset_free(key);
}

static void test_iv_lengths(void **state)
{
	struct attrset *key = aes_of(16);
	struct buf out = { 0 };

	(void)state;
	for (size_t i = 0; i < ROWS; i++)
		for (size_t n = 1; n <= 12; n++)
			assert_int_equal(work((struct call){ rows[i].mech, text, n }, USE_ENCRYPT,
					      key, span(text, 16), 0, &out),
					 n == rows[i].iv_n ? OK : E_MECHANISM_PARAM);
	buf_free(&out);
	attrset_free(key);
}

/* A context that had an IV of its own must not keep it for the next that has none. */
static void test_iv_does_not_stay(void **state)
{
	const struct mech *m = mech_find(CKM_AES_KEY_WRAP);
	struct attrset *a = aes_of(16);
	struct key *k = key_of(a);
	struct run r = { 0 };
	struct buf right = { 0 };

	(void)state;
	assert_int_equal(work((struct call){ CKM_AES_KEY_WRAP, NULL, 0 }, USE_ENCRYPT, a,
			      span(text, 16), 0, &right),
			 OK);
	for (size_t i = 0; i < 4; i++) {
		CK_MECHANISM mech = { CKM_AES_KEY_WRAP, i % 2 == 0 ? iv8 : NULL,
				      i % 2 == 0 ? 8 : 0 };
		struct param par = { 0 };
		uint8_t made[24];
		struct sink o = sink(made, sizeof(made));

		assert_int_equal(param_take(m, &mech, &par), OK);
		assert_int_equal(run_begin(&r, m, USE_ENCRYPT, k, &par), OK);
		assert_int_equal(run_once(&r, span(text, 16), &o), OK);
		assert_int_equal(memcmp(made, right.p, 24) == 0, i % 2 == 1);
		run_end(&r);
	}
	run_free(&r);
	buf_free(&right);
	key_unref(k);
	attrset_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trips),
		cmocka_unit_test(test_standard_examples),
		cmocka_unit_test(test_pkcs7_is_kw_of_padded),
		cmocka_unit_test(test_pkcs7_bad_padding),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_iv_lengths),
		cmocka_unit_test(test_iv_does_not_stay),
	};

	return cmocka_run_group_tests(tests, up, crypto_down);
}
