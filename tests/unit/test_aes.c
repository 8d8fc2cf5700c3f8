/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AES modes: whole and in pieces they give the same, the bounds are exact, in place works, lengths
 * and tags that are wrong are refused. That the answers themselves are right is test_selftest's.
 */
#include "pair.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define LONGEST 100

static uint8_t text[LONGEST], secret[64], iv[300], aad[20] = "additional";
static CK_AES_CTR_PARAMS ctr = { .ulCounterBits = 128 };
static CK_GCM_PARAMS gcm = { .pIv = iv,
			     .ulIvLen = 12,
			     .pAAD = aad,
			     .ulAADLen = 20,
			     .ulTagBits = 128 };
static CK_CCM_PARAMS ccm = { .pNonce = iv,
			     .ulNonceLen = 12,
			     .pAAD = aad,
			     .ulAADLen = 20,
			     .ulMACLen = 8 };

static const struct row {
	struct call c;
	CK_KEY_TYPE type;
	size_t min, step; /* lengths that it takes */
	size_t extra;     /* bytes that the ciphertext is longer, where that is constant */
	bool streams, aead;
} rows[] = {
	{ { CKM_AES_ECB, NULL, 0 }, CKK_AES, 0, 16, 0, true, false },
	{ { CKM_AES_CBC, iv, 16 }, CKK_AES, 0, 16, 0, true, false },
	{ { CKM_AES_CBC_PAD, iv, 16 }, CKK_AES, 0, 1, 0, true, false },
	{ { CKM_AES_CTR, &ctr, sizeof(ctr) }, CKK_AES, 0, 1, 0, true, false },
	{ { CKM_AES_CTS, iv, 16 }, CKK_AES, 16, 1, 0, false, false },
	{ { CKM_AES_XTS, iv, 16 }, CKK_AES_XTS, 16, 1, 0, false, false },
	{ { CKM_AES_GCM, &gcm, sizeof(gcm) }, CKK_AES, 0, 1, 16, true, true },
	{ { CKM_AES_CCM, &ccm, sizeof(ccm) }, CKK_AES, 0, 1, 8, false, true },
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static int up(void **state)
{
	for (size_t i = 0; i < LONGEST; i++)
		text[i] = (uint8_t)(i * 3 + 2);
	for (size_t i = 0; i < sizeof(secret); i++)
		secret[i] = (uint8_t)(i * 13 + 1);
	for (size_t i = 0; i < sizeof(iv); i++)
		iv[i] = (uint8_t)(i + 100);
	memcpy(ctr.cb, iv, 16);
	return crypto_up(state);
}

static struct attrset *aes_of(CK_KEY_TYPE type, size_t n)
{
	struct attrset *a = set_new(CKO_SECRET_KEY, type);

	set_put(a, CKA_VALUE, span(secret, n));
	return a;
}

static struct attrset *key_for(const struct row *row)
{
	return aes_of(row->type, row->type == CKK_AES_XTS ? 64 : 32);
}

static void round_trip(const struct row *row, const struct attrset *key, size_t n)
{
	struct buf sealed = { 0 }, plain = { 0 };

	ccm.ulDataLen = n;
	assert_int_equal(work(row->c, USE_ENCRYPT, key, span(text, n), 0, &sealed), OK);
	if (row->c.type == CKM_AES_CBC_PAD)
		assert_int_equal(sealed.n, n / 16 * 16 + 16);
	else
		assert_int_equal(sealed.n, n + row->extra);
	assert_int_equal(work(row->c, USE_DECRYPT, key, buf_span(&sealed), 0, &plain), OK);
	assert_int_equal(plain.n, n);
	if (n != 0)
		assert_memory_equal(plain.p, text, n);
	buf_free(&sealed);
	buf_free(&plain);
}

static void test_round_trips(void **state)
{
	static const size_t sizes[] = { 16, 24, 32, 32, 64 };

	(void)state;
	for (size_t i = 0; i < ROWS; i++) {
		bool xts = rows[i].type == CKK_AES_XTS;

		for (size_t k = xts ? 3 : 0; k < (xts ? 5u : 3u); k++) {
			struct attrset *key = aes_of(rows[i].type, sizes[k]);

			for (size_t n = rows[i].min; n <= LONGEST; n += rows[i].step)
				round_trip(&rows[i], key, n);
			attrset_free(key);
		}
	}
}

static void begin(struct run *r, struct call c, enum mech_use use, struct key *k)
{
	CK_MECHANISM m = { c.type, NULL, c.param_n };
	struct param par;

	memset(&par, 0, sizeof(par));
	memcpy(&m.pParameter, &c.param, sizeof(m.pParameter));
	assert_int_equal(param_take(mech_find(c.type), &m, &par), OK);
	assert_int_equal(run_begin(r, mech_find(c.type), use, k, &par), OK);
}

/* In pieces, each into exactly as much room as the bound says, which it fills when `exact`. */
static size_t in_pieces(struct run *r, struct span in, size_t part, uint8_t *to, bool exact)
{
	size_t made = 0;

	for (size_t at = 0; at < in.n; at += part) {
		size_t n = in.n - at < part ? in.n - at : part;
		struct sink o = sink(to + made, run_bound(r, n, false));

		assert_int_equal(run_update(r, span(in.p + at, n), &o), OK);
		assert_int_equal(o.n, o.cap);
		made += o.n;
	}
	struct sink o = sink(to + made, run_bound(r, 0, true));

	assert_int_equal(run_final(r, &o), OK);
	if (exact)
		assert_int_equal(o.n, o.cap);
	return made + o.n;
}

static void test_pieces(void **state)
{
	static const size_t parts[] = { 1, 5, 15, 16, 17, 32, 33, 100 };
	uint8_t made[LONGEST + 32];

	(void)state;
	for (size_t i = 0; i < ROWS; i++) {
		struct attrset *a = key_for(&rows[i]);
		struct key *k = key_of(a);
		struct run r = { 0 };
		bool both = !rows[i].aead;

		for (size_t n = rows[i].step; rows[i].streams && n <= 96; n += rows[i].step) {
			struct buf whole = { 0 };
			size_t part = parts[n / rows[i].step % 8];

			assert_int_equal(work(rows[i].c, USE_ENCRYPT, a, span(text, n), 0, &whole),
					 OK);
			begin(&r, rows[i].c, USE_ENCRYPT, k);
			assert_int_equal(in_pieces(&r, span(text, n), part, made, true), whole.n);
			assert_memory_equal(made, whole.p, whole.n);
			run_end(&r);
			if (both) {
				begin(&r, rows[i].c, USE_DECRYPT, k);
				assert_int_equal(in_pieces(&r, buf_span(&whole), part, made,
							   rows[i].c.type != CKM_AES_CBC_PAD),
						 n);
				assert_memory_equal(made, text, n);
				run_end(&r);
			}
			buf_free(&whole);
		}
		run_free(&r);
		key_unref(k);
		attrset_free(a);
	}
}

/* The input's own place as output, in one call. */
static void test_in_place(void **state)
{
	uint8_t place[LONGEST + 16];

	(void)state;
	for (size_t i = 0; i < ROWS; i++) {
		struct attrset *a = key_for(&rows[i]);
		struct key *k = key_of(a);
		struct run r = { 0 };
		struct sink o = sink(place, sizeof(place));

		ccm.ulDataLen = 48;
		memcpy(place, text, 48);
		begin(&r, rows[i].c, USE_ENCRYPT, k);
		assert_int_equal(run_once(&r, span(place, 48), &o), OK);
		run_end(&r);
		begin(&r, rows[i].c, USE_DECRYPT, k);
		o = sink(place, o.n);
		assert_int_equal(run_once(&r, span(place, o.cap), &o), OK);
		assert_int_equal(o.n, 48);
		assert_memory_equal(place, text, 48);
		run_free(&r);
		key_unref(k);
		attrset_free(a);
	}
}

static enum err try_work(const struct row *row, enum mech_use use, size_t n)
{
	struct attrset *key = key_for(row);
	struct buf out = { 0 };
	enum err e;

	ccm.ulDataLen = n;
	e = work(row->c, use, key, span(text, n), 0, &out);
	assert_true(e == OK || out.n == 0);
	buf_free(&out);
	attrset_free(key);
	return e;
}

static void test_lengths(void **state)
{
	static const struct {
		size_t row, n;
		enum err encrypt, decrypt;
	} wrong[] = {
		{ 0, 17, E_DATA_LEN, E_CIPHERTEXT_LEN },
		{ 0, 15, E_DATA_LEN, E_CIPHERTEXT_LEN },
		{ 1, 33, E_DATA_LEN, E_CIPHERTEXT_LEN },
		{ 2, 0, OK, E_CIPHERTEXT_LEN },
		{ 2, 17, OK, E_CIPHERTEXT_LEN },
		{ 4, 15, E_DATA_LEN, E_CIPHERTEXT_LEN },
		{ 4, 0, E_DATA_LEN, E_CIPHERTEXT_LEN },
		{ 5, 15, E_DATA_LEN, E_CIPHERTEXT_LEN },
		{ 6, 15, OK, E_CIPHERTEXT_LEN },
		{ 7, 7, OK, E_CIPHERTEXT_LEN },
		{ 6, 16, OK, E_AEAD },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(try_work(&rows[wrong[i].row], USE_ENCRYPT, wrong[i].n),
				 wrong[i].encrypt);
		assert_int_equal(try_work(&rows[wrong[i].row], USE_DECRYPT, wrong[i].n),
				 wrong[i].decrypt);
	}
}

/* A multi-part operation that stops within a block. */
static void test_incomplete(void **state)
{
	struct attrset *a = aes_of(CKK_AES, 16);
	struct key *k = key_of(a);
	struct run r = { 0 };
	uint8_t made[32];
	struct sink o = sink(made, sizeof(made));

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		begin(&r, rows[i].c, USE_ENCRYPT, k);
		assert_int_equal(run_update(&r, span(text, 15), &o), OK);
		assert_int_equal(run_final(&r, &o), E_DATA_LEN);
		run_end(&r);
		begin(&r, rows[i].c, USE_DECRYPT, k);
		assert_int_equal(run_update(&r, span(text, 15), &o), OK);
		assert_int_equal(run_final(&r, &o), E_CIPHERTEXT_LEN);
		run_end(&r);
	}
	run_free(&r);
	key_unref(k);
	attrset_free(a);
}

/* Any wrong padding is the one error. */
static void test_padding(void **state)
{
	struct attrset *key = aes_of(CKK_AES, 16);
	struct buf sealed = { 0 }, out = { 0 };
	uint8_t block[16];

	(void)state;
	for (unsigned pad = 0; pad < 256; pad++) {
		enum err right = pad == 1 ? OK : E_CIPHERTEXT;

		memset(block, 0x55, sizeof(block));
		block[15] = (uint8_t)pad;
		buf_clear(&sealed);
		assert_int_equal(work(rows[1].c, USE_ENCRYPT, key, span(block, 16), 0, &sealed),
				 OK);
		buf_clear(&out);
		assert_int_equal(work(rows[2].c, USE_DECRYPT, key, buf_span(&sealed), 0, &out),
				 right);
	}
	buf_free(&sealed);
	buf_free(&out);
	attrset_free(key);
}

/* Every bit of ciphertext and tag counts, and so do AAD and IV; nothing unauthenticated is left. */
static void test_tampering(void **state)
{
	(void)state;
	for (size_t i = 6; i < ROWS; i++) {
		struct attrset *a = key_for(&rows[i]);
		struct key *k = key_of(a);
		struct buf sealed = { 0 };
		struct run r = { 0 };

		ccm.ulDataLen = 20;
		assert_int_equal(work(rows[i].c, USE_ENCRYPT, a, span(text, 20), 0, &sealed), OK);
		for (size_t bit = 0; bit < sealed.n * 8; bit++) {
			uint8_t made[20] = { 0 }, zeros[20] = { 0 };
			struct sink o = sink(made, sizeof(made));

			sealed.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
			begin(&r, rows[i].c, USE_DECRYPT, k);
			assert_int_equal(run_once(&r, buf_span(&sealed), &o), E_AEAD);
			assert_int_equal(o.n, 0);
			assert_memory_equal(made, zeros, sizeof(made));
			run_end(&r);
			sealed.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
		aad[0] ^= 1;
		assert_int_equal(work(rows[i].c, USE_DECRYPT, a, buf_span(&sealed), 0, &sealed),
				 E_AEAD);
		aad[0] ^= 1;
		iv[11] ^= 1;
		assert_int_equal(work(rows[i].c, USE_DECRYPT, a, buf_span(&sealed), 0, &sealed),
				 E_AEAD);
		iv[11] ^= 1;
		run_free(&r);
		buf_free(&sealed);
		key_unref(k);
		attrset_free(a);
	}
}

/* Case B017: IV lengths and tag sizes. One context through all of them. */
static void test_gcm_sizes(void **state)
{
	static const CK_ULONG ivs[] = { 1, 12, 16, 64, 12, 128, 129, 12, 256, 300 };
	static const CK_ULONG tags[] = { 32, 64, 96, 104, 112, 120, 128 };
	struct attrset *key = aes_of(CKK_AES, 32);

	(void)state;
	for (size_t i = 0; i < 10; i++) {
		for (size_t t = 0; t < 7; t++) {
			CK_GCM_PARAMS p = gcm;
			struct row row = { { CKM_AES_GCM, &p, sizeof(p) },
					   CKK_AES,
					   0,
					   1,
					   tags[t] / 8,
					   true,
					   true };

			p.ulIvLen = ivs[i];
			p.ulTagBits = tags[t];
			round_trip(&row, key, 50);
		}
	}
	attrset_free(key);
}

/* IVs that EVP does not take go another way: in pieces, and refused when tampered with. */
static void test_gcm_long_iv(void **state)
{
	CK_GCM_PARAMS p = gcm;
	struct call c = { CKM_AES_GCM, &p, sizeof(p) };
	struct attrset *a = aes_of(CKK_AES, 24);
	struct key *k = key_of(a);
	struct buf whole = { 0 }, out = { 0 };
	struct run r = { 0 };
	uint8_t made[LONGEST + 16];

	(void)state;
	p.ulIvLen = 257;
	assert_int_equal(work(c, USE_ENCRYPT, a, span(text, LONGEST), 0, &whole), OK);
	begin(&r, c, USE_ENCRYPT, k);
	assert_int_equal(in_pieces(&r, span(text, LONGEST), 7, made, true), whole.n);
	assert_memory_equal(made, whole.p, whole.n);
	run_free(&r);
	for (size_t i = 0; i < whole.n; i++) {
		whole.p[i] ^= 4;
		assert_int_equal(work(c, USE_DECRYPT, a, buf_span(&whole), 0, &out), E_AEAD);
		whole.p[i] ^= 4;
	}
	iv[256] ^= 1;
	assert_int_equal(work(c, USE_DECRYPT, a, buf_span(&whole), 0, &out), E_AEAD);
	iv[256] ^= 1;
	assert_int_equal(work(c, USE_DECRYPT, a, buf_span(&whole), 0, &out), OK);
	buf_free(&whole);
	buf_free(&out);
	key_unref(k);
	attrset_free(a);
}

/* Decryption waits for the tag; encryption need not. */
static void test_buffered(void **state)
{
	struct attrset *a = aes_of(CKK_AES, 32);
	struct key *k = key_of(a);
	struct run r = { 0 };

	(void)state;
	begin(&r, rows[6].c, USE_DECRYPT, k);
	assert_true(run_buffered(&r));
	run_end(&r);
	begin(&r, rows[6].c, USE_ENCRYPT, k);
	assert_false(run_buffered(&r));
	run_end(&r);
	begin(&r, rows[7].c, USE_ENCRYPT, k);
	assert_true(run_buffered(&r));
	run_free(&r);
	key_unref(k);
	attrset_free(a);
}

static enum err ctr_try(CK_ULONG bits, const uint8_t block[16], size_t n)
{
	CK_AES_CTR_PARAMS p = { .ulCounterBits = bits };
	struct attrset *key = aes_of(CKK_AES, 16);
	struct buf out = { 0 };
	enum err e;

	memcpy(p.cb, block, 16);
	e = work((struct call){ CKM_AES_CTR, &p, sizeof(p) }, USE_ENCRYPT, key, span(text, n), 0,
		 &out);
	buf_free(&out);
	attrset_free(key);
	return e;
}

/* The counter may reach its last value and not one more. */
static void test_counter_overflow(void **state)
{
	static const CK_ULONG bits[] = { 1, 8, 32, 63, 64, 65, 127, 128 };
	uint8_t block[16];

	(void)state;
	for (size_t i = 0; i < 8; i++) {
		memset(block, 0xff, sizeof(block));
		assert_int_equal(ctr_try(bits[i], block, 16), OK);
		assert_int_equal(ctr_try(bits[i], block, 17), E_DATA_LEN);
		block[15] = 0xfe;
		assert_int_equal(ctr_try(bits[i], block, 32), OK);
		assert_int_equal(ctr_try(bits[i], block, 33), E_DATA_LEN);
	}
	memset(block, 0xff, sizeof(block));
	block[0] = 0x7f; /* bits above the counter do not matter, one in it that is 0 does */
	assert_int_equal(ctr_try(127, block, 17), E_DATA_LEN);
	assert_int_equal(ctr_try(128, block, 17), OK);
}

static void test_ccm_length(void **state)
{
	struct attrset *key = aes_of(CKK_AES, 16);
	struct buf out = { 0 };

	(void)state;
	ccm.ulDataLen = 20;
	assert_int_equal(work(rows[7].c, USE_ENCRYPT, key, span(text, 19), 0, &out), E_DATA_LEN);
	assert_int_equal(work(rows[7].c, USE_ENCRYPT, key, span(text, 21), 0, &out), E_DATA_LEN);
	assert_int_equal(work(rows[7].c, USE_DECRYPT, key, span(text, 27), 0, &out),
			 E_CIPHERTEXT_LEN);
	buf_free(&out);
	attrset_free(key);
}

/* A context that stays keyed, through changes of key, direction and mechanism. */
static void test_kept_context(void **state)
{
	struct attrset *a = aes_of(CKK_AES, 16), *b = aes_of(CKK_AES, 32);
	struct key *keys[2] = { key_of(a), key_of(b) };
	const struct attrset *sets[2] = { a, b };
	struct run r = { 0 };

	(void)state;
	for (size_t i = 0; i < 60; i++) {
		const struct row *row = &rows[(i / 5 + i % 2) % 3];
		enum mech_use use = i % 3 == 0 ? USE_DECRYPT : USE_ENCRYPT;
		struct buf fresh = { 0 };
		uint8_t made[64];
		struct sink o = sink(made, sizeof(made));
		enum err e = work(row->c, use, sets[i / 4 % 2], span(text, 32), 0, &fresh);

		begin(&r, row->c, use, keys[i / 4 % 2]);
		assert_int_equal(run_once(&r, span(text, 32), &o), e);
		assert_int_equal(o.n, fresh.n + (e == OK ? 0 : o.n));
		if (e == OK)
			assert_memory_equal(made, fresh.p, fresh.n);
		run_end(&r);
		buf_free(&fresh);
	}
	run_free(&r);
	for (size_t i = 0; i < 2; i++)
		key_unref(keys[i]);
	attrset_free(a);
	attrset_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trips),      cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_in_place),         cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_incomplete),       cmocka_unit_test(test_padding),
		cmocka_unit_test(test_tampering),        cmocka_unit_test(test_gcm_sizes),
		cmocka_unit_test(test_gcm_long_iv),      cmocka_unit_test(test_buffered),
		cmocka_unit_test(test_counter_overflow), cmocka_unit_test(test_ccm_length),
		cmocka_unit_test(test_kept_context),
	};

	return cmocka_run_group_tests(tests, up, crypto_down);
}
