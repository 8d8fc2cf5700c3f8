/* SPDX-License-Identifier: Apache-2.0 */
/* The private libcrypto: start and stop, forks, first use by many threads at once, random bytes. */
#include "crypto/fetch.h"
#include "crypto/lib.h"
#include "pair.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/crypto.h>

#include <cmocka.h>

#define THREADS 8

/* SHA-256 of "abc", and an HMAC, whose state is in the secret arena. */
static bool computes(void)
{
	static const uint8_t start[4] = { 0xba, 0x78, 0x16, 0xbf };
	const struct mech *m = mech_find(CKM_SHA256), *h = mech_find(CKM_SHA256_HMAC);
	struct attrset *a = attrset_new(true);
	struct run r = { 0 };
	struct key *k = NULL;
	uint8_t out[32];
	struct sink o = sink(out, sizeof(out));
	bool ok = m != NULL && run_begin(&r, m, USE_DIGEST, NULL, NULL) == OK &&
		  run_once(&r, span_str("abc"), &o) == OK && memcmp(out, start, 4) == 0;

	run_end(&r);
	ok = ok && attrset_put_ulong(a, CKA_CLASS, CKO_SECRET_KEY) == OK &&
	     attrset_put_ulong(a, CKA_KEY_TYPE, CKK_GENERIC_SECRET) == OK &&
	     attrset_put(a, CKA_VALUE, span_str("key")) == OK && key_parse(a, &k) == OK;
	o = sink(out, sizeof(out));
	ok = ok && h != NULL && run_begin(&r, h, USE_SIGN, k, NULL) == OK &&
	     run_once(&r, span_str("abc"), &o) == OK;
	run_free(&r);
	key_unref(k);
	attrset_free(a);
	return ok;
}

/* First of all tests: nothing has been fetched or tested yet. */
static void *first_use(void *arg)
{
	return computes() && mech_count() > 100 ? arg : NULL;
}

static void test_first_use_by_many(void **state)
{
	pthread_t t[THREADS];
	void *result;

	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&t[i], NULL, first_use, state), 0);
	for (size_t i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(t[i], &result), 0);
		assert_non_null(result);
	}
}

static void test_start_again(void **state)
{
	(void)state;
	for (size_t i = 0; i < 20; i++) {
		crypto_stop();
		assert_int_equal(crypto_start(), OK);
		assert_true(computes());
	}
}

/* The child's own context; its random bytes are not the parent's. */
static int child(int to)
{
	uint8_t bytes[32];

	if (crypto_start() != OK || !computes() || crypto_random(bytes, sizeof(bytes)) != OK)
		return 1;
	crypto_stop();
	return write(to, bytes, sizeof(bytes)) == sizeof(bytes) ? 0 : 1;
}

static void fork_once(uint8_t got[32])
{
	int ends[2], status;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(child(ends[1]));
	assert_int_equal(read(ends[0], got, 32), 32);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	close(ends[0]);
	close(ends[1]);
}

static void test_fork(void **state)
{
	uint8_t own[32], of_child[3][32];

	(void)state;
	for (size_t i = 0; i < 3; i++)
		fork_once(of_child[i]);
	assert_int_equal(crypto_random(own, sizeof(own)), OK);
	assert_true(computes());
	assert_memory_not_equal(own, of_child[0], 32);
	assert_memory_not_equal(of_child[0], of_child[1], 32);
	assert_memory_not_equal(of_child[1], of_child[2], 32);
}

/* A grandchild, forked while an operation of the child is under way. */
static void test_fork_in_fork(void **state)
{
	struct run r = { 0 };
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(run_begin(&r, mech_find(CKM_SHA3_256), USE_DIGEST, NULL, NULL), OK);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		uint8_t bytes[32];

		if (crypto_start() != OK || !computes())
			_exit(1);
		fork_once(bytes);
		_exit(computes() ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	run_free(&r);
}

/* libcrypto's handlers for the end of a thread point to the parent's context there. */
static void *forks(void *arg)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (crypto_start() != OK || !computes())
			_exit(1);
		OPENSSL_thread_stop(); /* what the end of the thread calls */
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return NULL;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 && computes() ? arg : NULL;
}

static void test_thread_forks_and_ends(void **state)
{
	pthread_t t;
	void *result;

	assert_int_equal(pthread_create(&t, NULL, forks, state), 0);
	assert_int_equal(pthread_join(t, &result), 0);
	assert_non_null(result);
}

static void test_random(void **state)
{
	uint8_t a[100000], seed[1000] = { 1 };
	size_t ones = 0;

	(void)state;
	assert_int_equal(crypto_random(a, sizeof(a)), OK);
	for (size_t i = 0; i < sizeof(a); i++)
		ones += (size_t)__builtin_popcount(a[i]);
	/* 400,000 expected; the deviation is below 8 standard deviations but for 1 in 10^15 */
	assert_true(ones > 396400 && ones < 403600);
	assert_int_equal(crypto_seed(span(seed, sizeof(seed))), OK);
	assert_int_equal(crypto_seed(span(NULL, 0)), OK);
	assert_int_equal(crypto_random(NULL, 0), OK);
	assert_non_null(strstr(crypto_version(), "OpenSSL 3."));
}

static void test_fetch(void **state)
{
	(void)state;
	assert_non_null(fetch_md(ALG_SHA256));
	assert_ptr_equal(fetch_md(ALG_SHA256), fetch_md(ALG_SHA256));
	assert_null(fetch_cipher(ALG_SHA256));
	assert_true(fetch_has("AES-256-GCM"));
	assert_false(fetch_has("ROT13"));
	for (enum alg a = 0; a < ALG_COUNT; a++)
		if (!fetch_has(fetch_name(a)))
			print_message("this libcrypto has no %s\n", fetch_name(a));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_use_by_many),
		cmocka_unit_test(test_start_again),
		cmocka_unit_test(test_fork),
		cmocka_unit_test(test_fork_in_fork),
		cmocka_unit_test(test_thread_forks_and_ends),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_fetch),
	};

	return cmocka_run_group_tests(tests, crypto_up, crypto_down);
}
