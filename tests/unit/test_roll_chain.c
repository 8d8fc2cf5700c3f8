/* SPDX-License-Identifier: Apache-2.0 */
/* The chain of a file, against lines that a program in Python made with hashlib and hmac. */
#include "audit/chain.h"
#include "audit/encode.h"
#include "base/mem.h"
#include "crypto/sealing.h"
#include "pair.h"
#include "skips.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define FILE_NO  UINT64_C(0x0102030405)

static const uint8_t id[CHAIN_ID] = { 0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7,
				      0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff };
static uint8_t key[CHAIN_HASH]; /* 1, 2, 3, … */

/* What is appended, in two pieces; the line; the key and the root that the chain has after it. */
static const struct row {
	const char *members[2];
	const char *line, *key, *root;
} rows[] = {
	/* clang-format off */
	{ { "\"ts\":\"now\",", "\"event\":\"module.start\"" },
	  "{\"seq\":0,\"ts\":\"now\",\"event\":\"module.start\""
	  ",\"prev\":\"9ba39646dde3b36bae82b2c2114d46f3d8f4e0f8047045d06ca0fc86a5790df5\""
	  ",\"mac\":\"de125f1d826e7671b59b9edb3af6868919da527a8262b5c7b66a8c0f01d569cd\"}\n",
	  "92da950236e743139dcae13b9a833ad41bb0c235e7a7894d24eae65069222e4e",
	  "afbd2963a8214f015b04ebdbeaccfd7561b860c74458c16e93463a747e1c0618" },
	{ { "\"a\":1,\"b\":2", "" },
	  "{\"seq\":1,\"a\":1,\"b\":2"
	  ",\"prev\":\"5160b16faed9201fb796420a401b6f4bc1bee279bf9709141f573fddcf50174b\""
	  ",\"mac\":\"e0f698cf5c418ff60555dd2c55f95689691a5f4e4bdb82f4620940b546f57111\"}\n",
	  "95e2dba36205ccf23ca3b614f8c73750dea356baa59d6fe43e4c28bcc54c8b56",
	  "dac83b2f0580e5a94087c72c3e7e940bd2977e80bf967d9fe1c4d15ba2ab681b" },
	{ { "\"x\"", ":0" },
	  "{\"seq\":2,\"x\":0"
	  ",\"prev\":\"e96a92bad004742d3b751986f6741abe9a98e88687848cd027f8b6d17e434778\""
	  ",\"mac\":\"c301bf78337711ea832f468c4e98a093d4ed8730c38d6c70d7f41c96427a2638\"}\n",
	  "b937bf41dcf569d039e48607bf28c4bb4e99fcbafd41cf46542131c483dc9409",
	  "0516cb1ddc051f64515cb0ae6eef50dd0ad29a6656183d70de3617f3736869ce" },
	{ { "", "\"c\":\"\\u0000\"" },
	  "{\"seq\":3,\"c\":\"\\u0000\""
	  ",\"prev\":\"263bdaed80c4c7ecedcd408772cb1856b3168e0d10aa37904032092534ce91a6\""
	  ",\"mac\":\"30d6e28d5ffdc6f9e83eb8a8fe39a0ba64659d86888beb4801971edeaa358d82\"}\n",
	  "ffb5c45d5f2a46e9a43da81f6b58ef9ef835ca0bf5813dd8ae16bc893a5bbf9a",
	  "967986a66eae780ddf7dc8854ffe062c8818ca70c4b33103100ef1241cc02115" },
	{ { "\"last\":true", NULL },
	  "{\"seq\":4,\"last\":true"
	  ",\"prev\":\"2bddd4f1d40c2cb90f2f17512f5efc41a8d125095141cb1bc25d4620cd56c1f2\""
	  ",\"mac\":\"8dc1b4d75beb7dfc6b76d899381078392f990488acbbc126067281b222f47e37\"}\n",
	  "08782bf1aad90000fe870f755f44e8ef300c5e6f86915787a1daf273d6d3bf07",
	  "406e6736c928e99a512c52a8b9adc46704c960b609635c42e62d661ae45c8865" },
	/* clang-format on */
};

static const char first_head[] = "9ba39646dde3b36bae82b2c2114d46f3d8f4e0f8047045d06ca0fc86a5790df5";

/* The chain's memory, which the linker shows us. */
static struct {
	uint8_t *p;
	size_t n;
} kept;

void *__real_mem_alloc_secret(size_t n);
void *__wrap_mem_alloc_secret(size_t n);
void *__wrap_mem_alloc_secret(size_t n)
{
	kept.p = __real_mem_alloc_secret(n);
	kept.n = n;
	return kept.p;
}

static int up(void **state)
{
	for (size_t i = 0; i < sizeof(key); i++)
		key[i] = (uint8_t)(i + 1);
	return crypto_up(state);
}

static struct chain *chain(void)
{
	struct chain *c = NULL;

	assert_int_equal(chain_new(id, FILE_NO, key, &c), OK);
	return c;
}

static enum err append(struct chain *c, const struct row *r, struct buf *out)
{
	struct span members[2];

	for (size_t i = 0; i < 2; i++)
		members[i] = r->members[i] != NULL ? span_str(r->members[i]) : span(NULL, 0);
	return chain_append(c, members, 2, out);
}

static void is_hex(const uint8_t *got, const char *hex)
{
	struct buf right = unhex(hex);

	assert_memory_equal(got, right.p, right.n);
	buf_free(&right);
}

static bool found(const void *where, size_t n, const char *hex)
{
	struct buf what = unhex(hex);
	bool yes = memmem(where, n, what.p, what.n) != NULL;

	buf_free(&what);
	return yes;
}

/*
 * Mutations: roll-key-ratchets, roll-mac-of-head, roll-mac-key, roll-prev-hashed, roll-body-to-quote, roll-head-moves, roll-file-bound,
 * roll-tree-of-heads.
 */
static void test_lines(void **state)
{
	struct chain *c = chain();
	struct buf out = { 0 };

	(void)state;
	is_hex(chain_head(c), first_head);
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint8_t root[CHAIN_HASH];
		size_t was = out.n;

		assert_int_equal(chain_seq(c), i);
		assert_int_equal(append(c, &rows[i], &out), OK);
		assert_int_equal(out.n - was, strlen(rows[i].line));
		assert_memory_equal(out.p + was, rows[i].line, out.n - was);
		assert_int_equal(chain_root(c, root), OK);
		is_hex(root, rows[i].root);
	}
	assert_int_equal(chain_seq(c), COUNT(rows));
	buf_free(&out);
	chain_free(c);
}

/* Another roll or another number is another chain. Mutation: roll-id-bound. */
static void test_identity(void **state)
{
	uint8_t other_id[CHAIN_ID];
	struct chain *a = chain(), *b = NULL, *c = NULL;

	(void)state;
	memcpy(other_id, id, sizeof(id));
	other_id[15] ^= 1;
	assert_int_equal(chain_new(other_id, FILE_NO, key, &b), OK);
	assert_int_equal(chain_new(id, FILE_NO ^ (UINT64_C(1) << 63), key, &c), OK);
	assert_memory_not_equal(chain_head(a), chain_head(b), CHAIN_HASH);
	assert_memory_not_equal(chain_head(a), chain_head(c), CHAIN_HASH);
	chain_free(a);
	chain_free(b);
	chain_free(c);
}

/* No key that was used is in the chain any more. */
static void test_forgets(void **state)
{
	struct chain *c = chain();
	struct buf out = { 0 };

	(void)state;
	assert_ptr_equal(kept.p, c);
	assert_memory_equal(kept.p, key, sizeof(key)); /* where it is kept */
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_int_equal(append(c, &rows[i], &out), OK);
		assert_true(found(kept.p, kept.n, rows[i].key));
		assert_null(memmem(kept.p, kept.n, key, sizeof(key)));
		for (size_t j = 0; j < i; j++)
			assert_false(found(kept.p, kept.n, rows[j].key));
	}
	buf_free(&out);
	chain_free(c);
}

/* A stack of our own, so that what a call left there can be looked at. */
#define STACK_N ((size_t)1 << 20)

static void *append_there(void *arg)
{
	struct buf out = { 0 };

	assert_int_equal(append(arg, &rows[0], &out), OK);
	buf_free(&out);
	return NULL;
}

/* The key as HMAC masks it (RFC 2104). */
static bool masked(const uint8_t *stack, uint8_t with)
{
	uint8_t m[CHAIN_HASH];

	for (size_t i = 0; i < sizeof(m); i++)
		m[i] = key[i] ^ with;
	return memmem(stack, STACK_N, m, sizeof(m)) != NULL;
}

/* Nothing else runs there afterwards and covers what it left. */
static void *mac_there(void *arg)
{
	static uint8_t mac[CHAIN_HASH];

	assert_int_equal(sealing_mac(arg, NULL, 0, mac), OK);
	return NULL;
}

/* The step from the first key to the second. */
static void *ratchet_there(void *arg)
{
	const struct span parts[] = { span_str("rat"), span(arg, CHAIN_HASH) };
	static uint8_t next[CHAIN_HASH];

	assert_int_equal(sealing_digest(parts, 2, next), OK);
	return NULL;
}

/* The second key, as it is and as the words of a state of SHA-256. */
static bool next_key(const uint8_t *stack)
{
	struct buf next = unhex(rows[0].key);
	uint32_t words[CHAIN_HASH / 4];
	bool yes;

	for (size_t i = 0; i < COUNT(words); i++)
		words[i] = (uint32_t)next.p[4 * i] << 24 | (uint32_t)next.p[4 * i + 1] << 16 |
			   (uint32_t)next.p[4 * i + 2] << 8 | next.p[4 * i + 3];
	yes = memmem(stack, STACK_N, next.p, next.n) != NULL ||
	      memmem(stack, STACK_N, words, sizeof(words)) != NULL;
	buf_free(&next);
	return yes;
}

/* Neither the old key nor the new one is on the stack on which f ran. */
static void leaves_no_key(void *(*f)(void *), void *arg)
{
	const int prot = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
	uint8_t *stack = mmap(NULL, STACK_N, prot, flags, -1, 0);
	pthread_attr_t a;
	pthread_t t;

	assert_true(stack != MAP_FAILED);
	assert_int_equal(pthread_attr_init(&a), 0);
	assert_int_equal(pthread_attr_setstack(&a, stack, STACK_N), 0);
	assert_int_equal(pthread_create(&t, &a, f, arg), 0);
	assert_int_equal(pthread_join(t, NULL), 0);
	assert_null(memmem(stack, STACK_N, key, sizeof(key)));
	assert_false(next_key(stack));
	assert_false(masked(stack, 0x36) || masked(stack, 0x5c));
	assert_int_equal(pthread_attr_destroy(&a), 0);
	assert_int_equal(munmap(stack, STACK_N), 0);
}

/* Mutations: roll-step-wiped, sha256-mac-block-wiped, sha256-state-wiped. */
static void test_stack(void **state)
{
	struct chain *c;

	(void)state;
	skip_stack_under_valgrind();
	c = chain();
	leaves_no_key(append_there, c);
	leaves_no_key(mac_there, key);
	leaves_no_key(ratchet_there, key);
	chain_free(c);
}

/* A line may have RECORD_MAX bytes, and the chain does not care what they are. Mutation: roll-line-bound. */
static void test_longest(void **state)
{
	struct chain *c = chain();
	struct buf out = { 0 }, text = { 0 };
	bool fits = true;

	(void)state;
	for (size_t i = 0; i < RECORD_MAX; i++)
		assert_int_equal(buf_put_u8(&text, 'x'), OK);
	for (size_t n = RECORD_MAX - 300; n <= RECORD_MAX; n++) {
		struct span pieces[2] = { span(text.p, 1000), span(text.p, n - 1000) };
		uint64_t seq = chain_seq(c);
		size_t was = out.n;
		enum err e = chain_append(c, pieces, 2, &out);

		if (e == OK) {
			assert_true(fits && out.n - was <= RECORD_MAX);
			out.n = 0;
			continue;
		}
		fits = false;
		assert_int_equal(e, E_DATA_LEN);
		assert_true(chain_seq(c) == seq && out.n == was);
	}
	assert_false(fits);
	assert_true(chain_seq(c) > 0);
	buf_free(&out);
	buf_free(&text);
	chain_free(c);
}

/* The lengths of pieces are not added up beyond what a size_t holds. */
static void test_lengths_overflow(void **state)
{
	struct span pieces[3] = { span("x", 1), span("x", SIZE_MAX), span("x", SIZE_MAX) };
	struct chain *c = chain();
	struct buf out = { 0 };

	(void)state;
	assert_int_equal(chain_append(c, pieces, 3, &out), E_DATA_LEN);
	assert_int_equal(chain_seq(c), 0);
	chain_free(c);
}

/* A buffer that cannot take the line leaves the chain where it was, and the next line is the same. */
static void test_full_buffer(void **state)
{
	struct chain *c = chain();
	struct buf small = { .max = 100 }, out = { 0 };

	(void)state;
	assert_int_equal(buf_put_u8(&small, '!'), OK);
	assert_int_equal(append(c, &rows[0], &small), E_DATA_LEN);
	assert_int_equal(small.n, 1);
	assert_int_equal(chain_seq(c), 0);
	is_hex(chain_head(c), first_head);
	assert_int_equal(append(c, &rows[0], &out), OK);
	assert_memory_equal(out.p, rows[0].line, out.n);
	buf_free(&small);
	buf_free(&out);
	chain_free(c);
}

/* The worst that can be recorded fits twice, as it must when a record is recovered. */
static void test_hostile_line(void **state)
{
	static struct author_id who = { .boot = "?", .exe_n = sizeof(who.exe) };
	static const struct moment at = { 0, 0 };
	static uint8_t text[10240];
	struct roll_event ev = { .kind = EV_SIGN,
				 .label = span(text, sizeof(text)),
				 .id = span(text, sizeof(text)),
				 .unique = span(text, sizeof(text)),
				 .cls = CK_UNAVAILABLE_INFORMATION,
				 .mech = CK_UNAVAILABLE_INFORMATION };
	struct chain *c = chain();
	struct buf members = { 0 }, out = { 0 };
	struct span twice[3];

	(void)state;
	memset(text, '\n', sizeof(text));
	memset(who.exe, '\n', sizeof(who.exe));
	assert_int_equal(encode_who(&members, &who, &at, ev.label), OK);
	assert_int_equal(encode_what(&members, &ev), OK);
	twice[0] = twice[2] = buf_span(&members);
	twice[1] = span(",", 1);
	assert_int_equal(chain_append(c, twice, 3, &out), OK);
	assert_ptr_equal(memchr(out.p, '\n', out.n), out.p + out.n - 1);
	buf_free(&members);
	buf_free(&out);
	chain_free(c);
}

/* A forked child finds nothing of it. */
static void test_fork(void **state)
{
	struct chain *c = chain();
	pid_t child = fork();
	int status = -1;

	(void)state;
	assert_true(child >= 0);
	if (child == 0) {
		static const uint8_t zeros[CHAIN_HASH];

		_exit(memcmp(c, zeros, sizeof(zeros)) == 0 ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	chain_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),       cmocka_unit_test(test_identity),
		cmocka_unit_test(test_forgets),     cmocka_unit_test(test_stack),
		cmocka_unit_test(test_longest),     cmocka_unit_test(test_lengths_overflow),
		cmocka_unit_test(test_full_buffer), cmocka_unit_test(test_hostile_line),
		cmocka_unit_test(test_fork),
	};

	return cmocka_run_group_tests(tests, up, crypto_down);
}
