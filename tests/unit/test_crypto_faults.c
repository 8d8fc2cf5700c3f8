/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation and every call of libcrypto that can fail fails once, in every operation with
 * secret keys: the error is reported, nothing is lost or left behind, and afterwards the same
 * operation works and gives the same. The linker wraps what test_crypto_faults.link lists.
 */
#include "base/mem.h"
#include "crypto/lib.h"
#include "crypto/sealing.h"
#include "pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <openssl/kdf.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#include <cmocka.h>

#define NEVER (-1L)

static long countdown = NEVER; /* calls until one fails; NEVER: none does */

/* Whether this call is the one. */
static bool fails(void)
{
	return countdown != NEVER && countdown-- == 0;
}

/* A wrapped function: its failure value instead of the call. */
#define WRAP(type, failure, name, params, args)                  \
	type __real_##name params;                               \
	type __wrap_##name params;                               \
	type __wrap_##name params                                \
	{                                                        \
		return fails() ? (failure) : __real_##name args; \
	}

/* clang-format off */
WRAP(void *, NULL, mem_alloc, (size_t n), (n))
WRAP(void *, NULL, mem_alloc_secret, (size_t n), (n))
WRAP(void *, NULL, mem_crypto_malloc, (size_t n, const char *file, int line), (n, file, line))
WRAP(void *, NULL, mem_crypto_realloc, (void *p, size_t n, const char *file, int line), (p, n, file, line))
WRAP(int, 0, EVP_CipherInit_ex2, (EVP_CIPHER_CTX *c, const EVP_CIPHER *t, const unsigned char *k,
	const unsigned char *iv, int enc, const OSSL_PARAM p[]), (c, t, k, iv, enc, p))
WRAP(int, 0, EVP_CipherUpdate, (EVP_CIPHER_CTX *c, unsigned char *o, int *on, const unsigned char *i, int n),
	(c, o, on, i, n))
WRAP(int, 0, EVP_CipherFinal_ex, (EVP_CIPHER_CTX *c, unsigned char *o, int *on), (c, o, on))
WRAP(int, 0, EVP_CIPHER_CTX_ctrl, (EVP_CIPHER_CTX *c, int type, int arg, void *p), (c, type, arg, p))
WRAP(int, 0, EVP_CIPHER_CTX_set_padding, (EVP_CIPHER_CTX *c, int pad), (c, pad))
WRAP(int, 0, EVP_DigestInit_ex2, (EVP_MD_CTX *c, const EVP_MD *t, const OSSL_PARAM p[]), (c, t, p))
WRAP(int, 0, EVP_DigestUpdate, (EVP_MD_CTX *c, const void *d, size_t n), (c, d, n))
WRAP(int, 0, EVP_DigestFinal_ex, (EVP_MD_CTX *c, unsigned char *o, unsigned *n), (c, o, n))
WRAP(int, 0, EVP_MAC_init, (EVP_MAC_CTX *c, const unsigned char *k, size_t n, const OSSL_PARAM p[]), (c, k, n, p))
WRAP(int, 0, EVP_MAC_update, (EVP_MAC_CTX *c, const unsigned char *d, size_t n), (c, d, n))
WRAP(int, 0, EVP_MAC_final, (EVP_MAC_CTX *c, unsigned char *o, size_t *on, size_t n), (c, o, on, n))
WRAP(int, 0, EVP_MAC_CTX_set_params, (EVP_MAC_CTX *c, const OSSL_PARAM p[]), (c, p))
WRAP(int, 0, EVP_KDF_derive, (EVP_KDF_CTX *c, unsigned char *k, size_t n, const OSSL_PARAM p[]), (c, k, n, p))
WRAP(int, 0, RAND_bytes_ex, (OSSL_LIB_CTX *c, unsigned char *o, size_t n, unsigned s), (c, o, n, s))
WRAP(int, 0, RAND_priv_bytes_ex, (OSSL_LIB_CTX *c, unsigned char *o, size_t n, unsigned s), (c, o, n, s))
WRAP(int, 0, SHA1_Update, (SHA_CTX *c, const void *d, size_t n), (c, d, n))
WRAP(int, 0, SHA256_Update, (SHA256_CTX *c, const void *d, size_t n), (c, d, n))
WRAP(int, 0, SHA512_Update, (SHA512_CTX *c, const void *d, size_t n), (c, d, n))
/* clang-format on */

#define TEXT_N 32

static uint8_t text[TEXT_N], secret[64], iv[300];
static CK_AES_CTR_PARAMS ctr = { .ulCounterBits = 64 };
static CK_GCM_PARAMS gcm = { iv, 12, 96, iv, 100, 128 };
static CK_GCM_PARAMS gcm_long = { iv, 257, 0, iv, 100, 128 };
static CK_GCM_PARAMS gmac = { iv, 12, 96, NULL, 0, 128 };
static CK_CCM_PARAMS ccm = { TEXT_N, iv, 12, iv, 100, 16 };
static CK_MAC_GENERAL_PARAMS mac_n = 10;
static CK_HKDF_PARAMS hkdf = {
	CK_TRUE, CK_TRUE, CKM_SHA256, CKF_HKDF_SALT_DATA, iv, 100, 0, iv, 100
};
static CK_PKCS5_PBKD2_PARAMS2 pbkdf2 = {
	CKZ_SALT_SPECIFIED, iv, 100, 2, CKP_PKCS5_PBKD2_HMAC_SHA256, NULL, 0, iv, 8
};

static const struct scenario {
	struct call c;
	CK_KEY_TYPE type;
	enum mech_use use; /* USE_COUNT: it makes a key */
} scenarios[] = {
	{ { CKM_SHA_1, NULL, 0 }, 0, USE_DIGEST },
	{ { CKM_SHA256, NULL, 0 }, 0, USE_DIGEST },
	{ { CKM_SHA512_256, NULL, 0 }, 0, USE_DIGEST },
	{ { CKM_SHA3_256, NULL, 0 }, 0, USE_DIGEST },
	{ { CKM_SHA256_HMAC, NULL, 0 }, CKK_GENERIC_SECRET, USE_SIGN },
	{ { CKM_SHA3_512_HMAC_GENERAL, &mac_n, sizeof(mac_n) }, CKK_GENERIC_SECRET, USE_SIGN },
	{ { CKM_AES_CMAC, NULL, 0 }, CKK_AES, USE_SIGN },
	{ { CKM_AES_GMAC, &gmac, sizeof(gmac) }, CKK_AES, USE_SIGN },
	{ { CKM_AES_ECB, NULL, 0 }, CKK_AES, USE_ENCRYPT },
	{ { CKM_AES_CBC_PAD, iv, 16 }, CKK_AES, USE_ENCRYPT },
	{ { CKM_AES_CTR, &ctr, sizeof(ctr) }, CKK_AES, USE_ENCRYPT },
	{ { CKM_AES_CTS, iv, 16 }, CKK_AES, USE_ENCRYPT },
	{ { CKM_AES_XTS, iv, 16 }, CKK_AES_XTS, USE_ENCRYPT },
	{ { CKM_AES_GCM, &gcm, sizeof(gcm) }, CKK_AES, USE_ENCRYPT },
	{ { CKM_AES_GCM, &gcm_long, sizeof(gcm_long) }, CKK_AES, USE_ENCRYPT },
	{ { CKM_AES_CCM, &ccm, sizeof(ccm) }, CKK_AES, USE_ENCRYPT },
	{ { CKM_AES_KEY_WRAP, NULL, 0 }, CKK_AES, USE_ENCRYPT },
	{ { CKM_AES_KEY_WRAP_KWP, NULL, 0 }, CKK_AES, USE_ENCRYPT },
	{ { CKM_AES_KEY_WRAP_PKCS7, NULL, 0 }, CKK_AES, USE_ENCRYPT },
	{ { CKM_HKDF_DERIVE, &hkdf, sizeof(hkdf) }, CKK_HKDF, USE_COUNT },
	{ { CKM_PKCS5_PBKD2, &pbkdf2, sizeof(pbkdf2) }, 0, USE_COUNT },
	{ { CKM_AES_KEY_GEN, NULL, 0 }, 0, USE_COUNT },
};

static int up(void **state)
{
	for (size_t i = 0; i < sizeof(iv); i++)
		iv[i] = (uint8_t)(i * 3);
	for (size_t i = 0; i < sizeof(secret); i++)
		secret[i] = (uint8_t)(i * 7 + 1);
	return crypto_up(state);
}

/* All that a scenario needs and makes; made without faults. */
struct work {
	const struct scenario *s;
	const struct mech *m;
	struct key *key;
	struct attrset *templ;
	struct span in;
};

static struct work work_of(const struct scenario *s)
{
	struct work w = { s, mech_find(s->c.type), NULL, set_new(CKO_SECRET_KEY, CKK_AES),
			  span(text, sizeof(text)) };
	struct attrset *a;

	set_put_ulong(w.templ, CKA_VALUE_LEN, 32);
	assert_int_equal(selftest_once(w.m), OK);
	if (s->type == 0)
		return w;
	a = set_new(CKO_SECRET_KEY, s->type);
	set_put(a, CKA_VALUE, span(secret, s->type == CKK_AES_XTS ? 64 : 32));
	w.key = key_of(a);
	attrset_free(a);
	return w;
}

static void work_free(struct work *w)
{
	key_unref(w->key);
	attrset_free(w->templ);
}

static enum err take(const struct work *w, struct param *par)
{
	CK_MECHANISM m = { w->s->c.type, NULL, w->s->c.param_n };

	memcpy(&m.pParameter, &w->s->c.param, sizeof(m.pParameter));
	return param_take(w->m, &m, par);
}

/* A key made, its value in out. */
static enum err make(const struct work *w, struct sink *o)
{
	struct attrset *made = attrset_new(true);
	struct param par = { 0 };
	enum err e = made != NULL ? take(w, &par) : E_MEMORY;

	if (e == OK && w->key != NULL)
		e = mech_derive(w->m, &par, w->key, NULL, w->templ, made);
	else if (e == OK)
		e = mech_generate(w->m, &par, w->templ, made);
	if (e == OK)
		assert_true(sink_put(o, attrset_bytes(made, CKA_VALUE)));
	param_clear(&par);
	attrset_free(made);
	return e;
}

/* One operation in a run that begins new. */
static enum err operate(const struct work *w, enum mech_use use, struct span in, struct sink *o)
{
	struct param par = { 0 };
	struct run r = { 0 };
	enum err e;

	if (use == USE_COUNT)
		return make(w, o);
	e = take(w, &par);
	if (e == OK)
		e = run_begin(&r, w->m, use, w->key, &par);
	if (e == OK)
		e = run_once(&r, in, o);
	param_clear(&par);
	run_free(&r);
	return e;
}

/* What an operation that could not be done may be called. */
static bool honest(enum err e, enum mech_use use)
{
	return e == E_MEMORY || e == E_FAILED ||
	       (use == USE_DECRYPT && (e == E_AEAD || e == E_CIPHERTEXT));
}

static void each_fault(const struct work *w, enum mech_use use, struct span in, struct span right)
{
	uint8_t out[100];
	long at;

	for (at = 0;; at++) {
		struct sink o = sink(out, sizeof(out));
		enum err e;

		countdown = at;
		e = operate(w, use, in, &o);
		if (countdown >= 0) { /* nothing was left to fail */
			assert_int_equal(e, OK);
			countdown = NEVER;
			break;
		}
		countdown = NEVER;
		/* libcrypto does without some things, such as text for its error queue */
		if (e != OK && !honest(e, use))
			fail_msg("0x%lx, fault %ld: %s", w->s->c.type, at, err_text(e));
		if (e == OK && right.n != 0)
			assert_true(span_eq(span(out, o.n), right));
		o = sink(out, sizeof(out));
		assert_int_equal(operate(w, use, in, &o), OK);
		if (right.n != 0)
			assert_true(span_eq(span(out, o.n), right));
	}
	assert_true(at > 0);
}

static void test_operations(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		struct work w = work_of(&scenarios[i]);
		uint8_t out[100];
		struct sink o = sink(out, sizeof(out));

		assert_int_equal(operate(&w, w.s->use, w.in, &o), OK);
		each_fault(&w, w.s->use, w.in,
			   w.m->flags & CKF_GENERATE && w.m->param == NULL ? span(NULL, 0)
									   : span(out, o.n));
		if (w.s->use == USE_ENCRYPT)
			each_fault(&w, USE_DECRYPT, span(out, o.n), w.in);
		work_free(&w);
	}
}

/* A run that is used again and again stays usable, whatever failed in between. */
static void test_kept_state(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		struct work w = work_of(&scenarios[i]);
		struct run r = { 0 };
		uint8_t right[100], out[100];
		struct sink first = sink(right, sizeof(right));

		if (w.s->use == USE_COUNT) {
			work_free(&w);
			continue;
		}
		assert_int_equal(operate(&w, w.s->use, w.in, &first), OK);
		for (long at = 0; at < 60; at++) {
			struct sink o = sink(out, sizeof(out));
			struct param par = { 0 };
			enum err e;

			assert_int_equal(take(&w, &par), OK);
			countdown = at % 2 == 0 ? at / 2 : NEVER;
			e = run_begin(&r, w.m, w.s->use, w.key, &par);
			if (e == OK)
				e = run_once(&r, w.in, &o);
			if (at % 2 != 0)
				assert_int_equal(e, OK);
			countdown = NEVER;
			if (e == OK)
				assert_true(span_eq(span(out, o.n), span(right, first.n)));
			run_end(&r);
		}
		run_free(&r);
		work_free(&w);
	}
}

struct sealed {
	struct buf seal, open;
	uint8_t key[SEALING_KEY], mac[SEALING_MAC];
};

/* libcrypto 3.5 goes on with Argon2 after a failed allocation, on memory that nobody filled; kdf_argon2id refuses what comes of it. */
static bool under_valgrind(void)
{
	return getenv("CHANCERY_UNDER_VALGRIND") != NULL;
}

static enum err seal_all(struct sealed *s)
{
	struct span t = span(text, sizeof(text)), pin = span(secret, 9);
	enum err e = sealing_seal(secret, pin, t, &s->seal);

	if (e == OK)
		e = sealing_open(secret, pin, buf_span(&s->seal), &s->open);
	if (e == OK)
		e = sealing_hkdf(t, pin, pin, s->key, sizeof(s->key));
	if (e == OK)
		e = sealing_mac(secret, &t, 1, s->mac);
	if (e == OK)
		e = sealing_digest(&t, 1, s->mac);
	if (e == OK)
		e = sealing_pbkdf2(pin, pin, 2, s->key);
	if (e == OK && !under_valgrind())
		e = sealing_argon2id(pin, pin, 8, 1, 1, s->key);
	return e;
}

static void test_sealing(void **state)
{
	(void)state;
	for (long at = -1;; at++) {
		struct sealed s = { .open = { .secret = true } };
		enum err e;
		bool over;

		countdown = at;
		e = seal_all(&s);
		over = at != NEVER && countdown >= 0;
		countdown = NEVER;
		if (e != OK && e != E_CORRUPT && !honest(e, USE_ENCRYPT))
			fail_msg("fault %ld: %s", at, err_text(e));
		if (at == NEVER || over)
			assert_int_equal(e, OK);
		buf_free(&s.seal);
		buf_free(&s.open);
		if (over)
			break;
	}
}

/* Nothing of the key material is left where random bytes failed. */
static void test_random(void **state)
{
	uint8_t bytes[16], zeros[16] = { 0 };

	(void)state;
	memset(bytes, 1, sizeof(bytes));
	countdown = 0;
	assert_int_equal(crypto_random(bytes, sizeof(bytes)), E_FAILED);
	countdown = NEVER;
	assert_memory_equal(bytes, zeros, sizeof(bytes));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operations),
		cmocka_unit_test(test_kept_state),
		cmocka_unit_test(test_sealing),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, up, crypto_down);
}
