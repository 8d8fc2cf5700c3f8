/* SPDX-License-Identifier: Apache-2.0 */
/* What is sealed to an auditor opens with the private key, by libcrypto alone and by the steps of docs/AUDIT.md, and with nothing else. */
#include "crypto/boxing.h"
#include "crypto/sealing.h"
#include "pair.h"
#include "unbox.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static EVP_PKEY *auditor;
static uint8_t public_key[BOXING_PUBLIC];

static int up(void **state)
{
	if (crypto_up(state) != 0)
		return -1;
	auditor = unbox_key(public_key);
	return 0;
}

static int down(void **state)
{
	EVP_PKEY_free(auditor);
	return crypto_down(state);
}

static struct span key(void)
{
	return span(public_key, sizeof(public_key));
}

static struct span aad(void)
{
	return span_str("seed, of roll and file");
}

static struct span seed(void)
{
	return span_str("thirty-two bytes that nobody has");
}

/* Mutation: boxing-salt-binds. */
static void test_opens(void **state)
{
	struct buf sealed = { 0 };
	uint8_t plain[64];

	(void)state;
	assert_int_equal(buf_put_u8(&sealed, 0x77), OK); /* appends */
	assert_int_equal(boxing_seal(key(), aad(), seed(), &sealed), OK);
	assert_int_equal(sealed.n, 1 + BOXING_CT + SEALING_NONCE + 32 + SEALING_TAG);
	assert_int_equal(unbox(auditor, span(sealed.p + 1, sealed.n - 1), aad(), plain), 32);
	assert_memory_equal(plain, seed().p, 32);
	buf_free(&sealed);
}

/* Every byte of it counts, and so does what it is bound to. Mutation: boxing-aad. */
static void test_refuses(void **state)
{
	struct buf sealed = { 0 };
	uint8_t plain[64];

	(void)state;
	assert_int_equal(boxing_seal(key(), aad(), seed(), &sealed), OK);
	for (size_t i = 0; i < sealed.n; i += i < BOXING_CT - 7 ? 7 : 1) {
		sealed.p[i] ^= 1;
		assert_int_equal(unbox(auditor, buf_span(&sealed), aad(), plain), -1);
		sealed.p[i] ^= 1;
	}
	assert_int_equal(unbox(auditor, buf_span(&sealed), span_str("of another file"), plain), -1);
	assert_int_equal(unbox(auditor, buf_span(&sealed), aad(), plain), 32);
	buf_free(&sealed);
}

static void test_never_the_same(void **state)
{
	struct buf a = { 0 }, b = { 0 };

	(void)state;
	assert_int_equal(boxing_seal(key(), aad(), seed(), &a), OK);
	assert_int_equal(boxing_seal(key(), aad(), seed(), &b), OK);
	assert_memory_not_equal(a.p, b.p, 32);
	assert_memory_not_equal(a.p + BOXING_CT, b.p + BOXING_CT, SEALING_NONCE);
	buf_free(&a);
	buf_free(&b);
}

/* Mutation: boxing-key-refused. */
static void test_no_key(void **state)
{
	static const size_t lengths[] = {
		0, 1, 32, 1184, BOXING_PUBLIC - 1, BOXING_PUBLIC + 1, 2432
	};
	uint8_t bytes[2432];
	struct buf out = { 0 };

	(void)state;
	memcpy(bytes, public_key, sizeof(public_key));
	assert_int_equal(buf_put_u8(&out, 0x77), OK);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		assert_int_equal(boxing_seal(span(bytes, lengths[i]), aad(), seed(), &out), E_DATA);
	memset(bytes, 0xff, 3); /* no coefficient is so large (FIPS 203, 7.2) */
	assert_int_equal(boxing_seal(span(bytes, BOXING_PUBLIC), aad(), seed(), &out), E_DATA);
	/* a point of small order gives a secret that everybody knows (RFC 7748, 6.1) */
	memcpy(bytes, public_key, sizeof(public_key));
	memset(bytes + BOXING_PUBLIC - 32, 0, 32);
	assert_int_not_equal(boxing_seal(span(bytes, BOXING_PUBLIC), aad(), seed(), &out), OK);
	assert_int_equal(out.n, 1);
	buf_free(&out);
}

static void test_full_buffer(void **state)
{
	(void)state;
	for (size_t max = 1; max < BOXING_CT + SEALING_EXTRA + 32; max += 97) {
		struct buf small = { .max = max };

		assert_int_equal(boxing_seal(key(), aad(), seed(), &small), E_DATA_LEN);
		assert_int_equal(small.n, 0);
		buf_free(&small);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_opens),          cmocka_unit_test(test_refuses),
		cmocka_unit_test(test_never_the_same), cmocka_unit_test(test_no_key),
		cmocka_unit_test(test_full_buffer),
	};

	return cmocka_run_group_tests(tests, up, down);
}
