/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation and every call of libcrypto that the text and the keys of the roll need fails once: the error is reported, nothing
 * moved, and afterwards the same works and gives the same.
 */
#include "audit/chain.h"
#include "audit/encode.h"
#include "audit/note.h"
#include "audit/tree.h"
#include "base/mem.h"
#include "crypto/boxing.h"
#include "fault.h"
#include "pair.h"

#include <setjmp.h>
#include <stdarg.h>

#include <openssl/core_names.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#include <cmocka.h>

static struct fault fault;
static unsigned allocations;

/* A wrapped function: its failure value instead of the call. */
#define WRAP_COUNTED(type, failure, name, params, args, count) \
	type __real_##name params;                             \
	type __wrap_##name params;                             \
	type __wrap_##name params                              \
	{                                                      \
		count;                                         \
		if (fault_strikes(&fault))                     \
			return failure;                        \
		return __real_##name args;                     \
	}
#define WRAP(type, failure, name, params, args) \
	WRAP_COUNTED(type, failure, name, params, args, (void)0)
#define WRAP_MEMORY(name, params, args) \
	WRAP_COUNTED(void *, NULL, name, params, args, allocations++)

/* clang-format off */
WRAP_MEMORY(mem_alloc, (size_t n), (n))
WRAP_MEMORY(mem_alloc_secret, (size_t n), (n))
WRAP_MEMORY(mem_crypto_malloc, (size_t n, const char *file, int line), (n, file, line))
WRAP_MEMORY(mem_crypto_realloc, (void *p, size_t n, const char *file, int line), (p, n, file, line))
WRAP(int, 0, SHA256_Init, (SHA256_CTX *c), (c))
WRAP(int, 0, SHA256_Update, (SHA256_CTX *c, const void *d, size_t n), (c, d, n))
WRAP(int, 0, SHA256_Final, (unsigned char *o, SHA256_CTX *c), (o, c))
WRAP(int, 0, EVP_PKEY_keygen_init, (EVP_PKEY_CTX *c), (c))
WRAP(int, 0, EVP_PKEY_generate, (EVP_PKEY_CTX *c, EVP_PKEY **k), (c, k))
WRAP(int, 0, EVP_PKEY_get_octet_string_param, (const EVP_PKEY *k, const char *name, unsigned char *o, size_t max, size_t *n),
	(k, name, o, max, n))
WRAP(int, 0, EVP_PKEY_sign_message_init, (EVP_PKEY_CTX *c, EVP_SIGNATURE *s, const OSSL_PARAM p[]), (c, s, p))
WRAP(int, 0, EVP_PKEY_sign, (EVP_PKEY_CTX *c, unsigned char *o, size_t *on, const unsigned char *i, size_t n), (c, o, on, i, n))
WRAP(int, 0, EVP_PKEY_encapsulate_init, (EVP_PKEY_CTX *c, const OSSL_PARAM p[]), (c, p))
WRAP(int, 0, EVP_PKEY_encapsulate, (EVP_PKEY_CTX *c, unsigned char *o, size_t *on, unsigned char *s, size_t *sn), (c, o, on, s, sn))
WRAP(int, 0, EVP_KDF_derive, (EVP_KDF_CTX *c, unsigned char *k, size_t n, const OSSL_PARAM p[]), (c, k, n, p))
WRAP(int, 0, EVP_CipherInit_ex2, (EVP_CIPHER_CTX *c, const EVP_CIPHER *t, const unsigned char *k,
	const unsigned char *iv, int enc, const OSSL_PARAM p[]), (c, t, k, iv, enc, p))
WRAP(int, 0, EVP_CipherUpdate, (EVP_CIPHER_CTX *c, unsigned char *o, int *on, const unsigned char *i, int n),
	(c, o, on, i, n))
WRAP(int, 0, EVP_CipherFinal_ex, (EVP_CIPHER_CTX *c, unsigned char *o, int *on), (c, o, on))
WRAP(int, 0, EVP_CIPHER_CTX_ctrl, (EVP_CIPHER_CTX *c, int type, int arg, void *p), (c, type, arg, p))
WRAP(int, 0, RAND_bytes_ex, (OSSL_LIB_CTX *c, unsigned char *o, size_t n, unsigned s), (c, o, n, s))
/* clang-format on */

static const uint8_t id[CHAIN_ID], key[CHAIN_HASH] = { 1, 2, 3 };
static uint8_t public_key[BOXING_PUBLIC];
static struct note_keys *keys;

static int up(void **state)
{
	EVP_PKEY *auditor;
	size_t n = 0;

	if (crypto_up(state) != 0)
		return -1;
	auditor = EVP_PKEY_Q_keygen(NULL, NULL, "X25519MLKEM768");
	assert_int_equal(EVP_PKEY_get_octet_string_param(auditor,
							 OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY,
							 public_key, sizeof(public_key), &n),
			 1);
	EVP_PKEY_free(auditor);
	return note_keys_new(id, 1, true, &keys) == OK ? 0 : -1;
}

static int down(void **state)
{
	note_keys_free(keys);
	return crypto_down(state);
}

static struct chain *chain_with(size_t records, struct buf *out)
{
	static const struct span member = { (const uint8_t *)"\"a\":1", 5 };
	struct chain *c = NULL;

	assert_int_equal(chain_new(id, 1, key, &c), OK);
	for (size_t i = 0; i < records; i++)
		assert_int_equal(chain_append(c, &member, 1, out), OK);
	return c;
}

/* The fault that is next; false: the last one was not met any more. */
static bool next_fault(unsigned *at)
{
	if (*at != 0 && !fault.met)
		return false;
	fault = (struct fault){ .left = ++*at };
	return true;
}

static bool over(void)
{
	fault.left = 0;
	return !fault.met;
}

/* Mutation: roll-chain-whole. */
static void test_append(void **state)
{
	static const struct span members = { (const uint8_t *)"\"b\":2", 5 };
	struct buf right = { 0 }, all = { 0 };
	struct chain *c = chain_with(3, &right), *whole = chain_with(3, &all);
	uint8_t head[CHAIN_HASH], root[CHAIN_HASH], found[CHAIN_HASH];

	(void)state;
	right.n = 0;
	memcpy(head, chain_head(c), sizeof(head));
	assert_int_equal(chain_root(c, root), OK);
	for (unsigned at = 0; next_fault(&at);) {
		struct buf out = { 0 };
		enum err e = chain_append(c, &members, 1, &out);

		if (over()) {
			assert_int_equal(e, OK);
			assert_int_equal(buf_put(&right, buf_span(&out)), OK);
		} else {
			assert_true(e == E_MEMORY || e == E_FAILED);
			assert_int_equal(out.n, 0);
			assert_int_equal(chain_seq(c), 3);
			assert_memory_equal(chain_head(c), head, sizeof(head));
			assert_int_equal(chain_root(c, found), OK);
			assert_memory_equal(found, root, sizeof(root));
		}
		buf_free(&out);
	}
	all.n = 0;
	assert_int_equal(chain_append(whole, &members, 1, &all), OK); /* which never met a fault */
	assert_true(span_eq(buf_span(&all), buf_span(&right)));
	buf_free(&all);
	buf_free(&right);
	chain_free(c);
	chain_free(whole);
}

/* In the steady state a record allocates nothing. */
static void test_append_allocates_nothing(void **state)
{
	static const struct span members = { (const uint8_t *)"\"b\":2", 5 };
	struct buf out = { 0 };
	struct chain *c = chain_with(1, &out);

	(void)state;
	for (size_t i = 0; i < 100; i++) {
		out.n = 0;
		allocations = 0;
		assert_int_equal(chain_append(c, &members, 1, &out), OK);
		assert_int_equal(allocations, 0);
	}
	buf_free(&out);
	chain_free(c);
}

static enum err make_chain(void)
{
	struct chain *c = NULL;
	enum err e = chain_new(id, 1, key, &c);

	assert_true((e == OK) == (c != NULL));
	chain_free(c);
	return e;
}

static enum err make_keys(void)
{
	struct note_keys *k = NULL;
	enum err e = note_keys_new(id, 1, true, &k);

	assert_true((e == OK) == (k != NULL));
	note_keys_free(k);
	return e;
}

/* Appends to what is there, which stays. */
static enum err appended(enum err (*put)(struct buf *b))
{
	struct buf b = { 0 };
	unsigned left = fault.left;
	enum err e;

	fault.left = 0;
	assert_int_equal(buf_put(&b, span_str("old")), OK);
	fault.left = left;
	e = put(&b);
	assert_true((e == OK) == (b.n > 3));
	assert_true(e == OK || b.n == 3);
	assert_memory_equal(b.p, "old", 3);
	buf_free(&b);
	return e;
}

static enum err put_note(struct buf *b)
{
	return note_sign(keys, 1, key, b);
}

static enum err put_publics(struct buf *b)
{
	return note_publics(keys, b);
}

static enum err put_box(struct buf *b)
{
	return boxing_seal(span(public_key, sizeof(public_key)), span_str("seed"), span(key, 32),
			   b);
}

static enum err put_long_text(struct buf *b)
{
	static const uint8_t text[300];

	return encode_text(b, "label", span(text, sizeof(text)));
}

static enum err sign_note(void)
{
	return appended(put_note);
}

static enum err show_publics(void)
{
	return appended(put_publics);
}

static enum err seal_box(void)
{
	return appended(put_box);
}

static enum err encode_long(void)
{
	return appended(put_long_text);
}

/* What libcrypto keeps for good it has after the first time. */
static void sweep(enum err (*step)(void))
{
	struct mem_stats before, after;

	for (int round = 0; round < 2; round++) {
		unsigned at = 0;

		mem_stats(&before);
		while (next_fault(&at)) {
			enum err e = step();

			/* libcrypto does without some things, such as text for its error queue */
			if (e != OK && (over() || (e != E_MEMORY && e != E_FAILED)))
				fail_msg("fault %u: %s", at, err_text(e));
			fault.left = 0;
		}
		assert_true(at > 1);
		assert_int_equal(step(), OK);
		mem_stats(&after);
	}
	assert_true(after.secret_used <= before.secret_used + 2048);
}

static void test_steps(void **state)
{
	(void)state;
	sweep(make_chain);
	sweep(make_keys);
	sweep(sign_note);
	sweep(show_publics);
	sweep(seal_box);
	sweep(encode_long);
}

static void test_tree(void **state)
{
	struct tree t = { 0 }, before;
	uint8_t root[TREE_HASH];

	(void)state;
	for (unsigned i = 0; i < 7; i++)
		assert_int_equal(tree_add(&t, span(&i, sizeof(i))), OK);
	before = t;
	for (unsigned at = 0; next_fault(&at);) {
		enum err e = tree_add(&t, span("8th", 3));

		if (over()) {
			assert_int_equal(e, OK);
			continue;
		}
		assert_int_equal(e, E_FAILED);
		assert_memory_equal(&t, &before, sizeof(t));
	}
	assert_int_equal(t.size, 8);
	t.size = 7;
	for (unsigned at = 0; next_fault(&at);) {
		enum err e = tree_root(&t, root);

		assert_int_equal(e, over() ? OK : E_FAILED);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_append),
		cmocka_unit_test(test_append_allocates_nothing),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_tree),
	};

	return cmocka_run_group_tests(tests, up, down);
}
