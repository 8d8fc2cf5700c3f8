/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the module counts of its use: each operation that ends, once, by mechanism, use and result, whoever does it; and nothing that did not
 * begin or was cancelled. The file is read as base/tally.h says.
 */
#include "p11.h"

#include "base/tally.h"
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 8
#define ROUNDS  200
/* The mechanism of what has none. */
#define NO_MECHANISM 0xffffffff

struct sum {
	uint64_t done, bytes, rejected, failed, samples, sample_ns;
};

static CK_BYTE data[64] = "what is counted", out[512];

static void path_of(CK_SLOT_ID slot, char path[PATH_MAX])
{
	assert_true(snprintf(path, PATH_MAX, "%s/tokens/%lu/" TALLY_FILE, p11_home(), slot) <
		    PATH_MAX);
}

/* On some file systems there are no counters (docs/OPERATIONS.md). */
static void need_counters(void)
{
	char path[PATH_MAX];

	path_of(p11_slot(), path);
	if (access(path, F_OK) != 0)
		skip();
}

static struct tally *read_file(CK_SLOT_ID slot)
{
	struct tally *t = malloc(sizeof(*t));
	char path[PATH_MAX];
	int fd;

	path_of(slot, path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_non_null(t);
	assert_int_equal(read(fd, (void *)t, sizeof(*t)), sizeof(*t));
	close(fd);
	assert_true(tally_head_known(&t->head));
	return t;
}

static void add_cell(struct sum *s, const struct tally_cell *c)
{
	s->done += c->done + (c->recent >> TALLY_SHIFT);
	s->bytes += c->bytes + (c->recent & (((uint64_t)1 << TALLY_SHIFT) - 1));
	s->rejected += c->rejected;
	s->failed += c->failed;
	s->samples += c->samples;
	s->sample_ns += c->sample_ns;
}

/* key 0: of everything. */
static struct sum sum_of(CK_SLOT_ID slot, uint64_t key)
{
	struct tally *t = read_file(slot);
	struct sum s = { 0 };

	for (size_t row = 0; row < TALLY_ROWS; row++)
		for (size_t lane = 0; lane < TALLY_LANES; lane++)
			if (key == 0 || t->key[row] == key)
				add_cell(&s, &t->cell[lane][row]);
	free(t);
	return s;
}

/* All that there is of a use of a mechanism. */
static void expect(enum tally_use use, CK_MECHANISM_TYPE m, uint64_t done, uint64_t bytes,
		   uint64_t rejected, uint64_t failed)
{
	const struct sum s = sum_of(p11_slot(), tally_key(use, m));

	assert_int_equal(s.done, done);
	assert_int_equal(s.bytes, bytes);
	assert_int_equal(s.rejected, rejected);
	assert_int_equal(s.failed, failed);
}

static uint64_t everything(void)
{
	const struct sum s = sum_of(p11_slot(), 0);

	return s.done + s.rejected + s.failed;
}

/* ---- operations ---- */

static void signatures(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	struct pair k = p11_p256(s, NULL, NULL);
	CK_MECHANISM m = mechanism(CKM_ECDSA_SHA256, NULL, 0);
	CK_ULONG n = sizeof(out);

	(void)state;
	need_counters();
	expect(TALLY_GENERATE, CKM_EC_KEY_PAIR_GEN, 1, 0, 0, 0);
	assert_ok(p11->C_SignInit(s, &m, k.priv));
	assert_ok(p11->C_Sign(s, data, 10, NULL, &n));
	n = 1;
	assert_rv(p11->C_Sign(s, data, 10, out, &n), CKR_BUFFER_TOO_SMALL);
	expect(TALLY_SIGN, CKM_ECDSA_SHA256, 0, 0, 0, 0);
	n = sizeof(out);
	assert_ok(p11->C_Sign(s, data, 10, out, &n));
	expect(TALLY_SIGN, CKM_ECDSA_SHA256, 1, 10, 0, 0);
	assert_ok(p11->C_VerifyInit(s, &m, k.pub));
	assert_ok(p11->C_VerifyUpdate(s, data, 4));
	assert_ok(p11->C_VerifyUpdate(s, data + 4, 6));
	assert_ok(p11->C_VerifyFinal(s, out, n));
	expect(TALLY_VERIFY, CKM_ECDSA_SHA256, 1, 10, 0, 0);
	assert_ok(p11->C_VerifyInit(s, &m, k.pub));
	assert_rv(p11->C_Verify(s, data, 11, out, n), CKR_SIGNATURE_INVALID);
	expect(TALLY_VERIFY, CKM_ECDSA_SHA256, 1, 10, 1, 0);
	assert_ok(p11->C_SignInit(s, &m, k.priv));
	assert_ok(p11->C_Logout(s));
	n = sizeof(out);
	assert_rv(p11->C_Sign(s, data, 10, out, &n), CKR_USER_NOT_LOGGED_IN);
	expect(TALLY_SIGN, CKM_ECDSA_SHA256, 1, 10, 0, 1);
}

/* Each answer of a batch, as if it had been signed alone; of one that failed, those that the key worked on. */
static void batches(void **state)
{
	CK_MECHANISM m = mechanism(CKM_RSA_PKCS, NULL, 0);
	CK_CHANCERY_ANSWER a[3] = { { data, 20, out, 256 },
				    { data, 30, out + 256, 256 },
				    { data, 40, NULL, 256 } };
	struct templ pub = { 0 }, priv = { 0 };
	CK_BYTE more[256], longer[300] = { 0 };
	struct pair k;

	(void)state;
	need_counters();
	templ_flags(&priv, CKA_TOKEN, CKA_SIGN);
	templ_ulong(&priv, CKA_CHANCERY_AUDIT, CHANCERY_AUDIT_BATCH);
	k = p11_rsa(p11_session(), 2048, &pub, &priv);
	a[2].signature = more;
	assert_ok(p11_vendor()->SignBatch(p11_session(), &m, k.priv, a, 3));
	expect(TALLY_SIGN, CKM_RSA_PKCS, 3, 90, 0, 0);
	a[1].data = longer;
	a[1].dataLen = sizeof(longer);
	assert_rv(p11_vendor()->SignBatch(p11_session(), &m, k.priv, a, 3), CKR_DATA_LEN_RANGE);
	expect(TALLY_SIGN, CKM_RSA_PKCS, 3, 90, 2, 0);
}

static void ciphers(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE aes = p11_secret(s, CKM_AES_KEY_GEN, 32, CKA_ENCRYPT, CKA_DECRYPT);
	CK_BYTE iv[16] = { 1 };
	CK_MECHANISM m = mechanism(CKM_AES_CBC_PAD, iv, sizeof(iv));
	CK_ULONG n = sizeof(out), all = 0;

	(void)state;
	need_counters();
	expect(TALLY_GENERATE, CKM_AES_KEY_GEN, 1, 0, 0, 0);
	assert_ok(p11->C_EncryptInit(s, &m, aes));
	assert_ok(p11->C_EncryptUpdate(s, data, 40, out, &n));
	all = n;
	n = sizeof(out) - all;
	expect(TALLY_ENCRYPT, CKM_AES_CBC_PAD, 0, 0, 0, 0);
	assert_ok(p11->C_EncryptFinal(s, out + all, &n));
	all += n;
	expect(TALLY_ENCRYPT, CKM_AES_CBC_PAD, 1, 40, 0, 0);
	assert_ok(p11->C_DecryptInit(s, &m, aes));
	n = sizeof(data);
	assert_ok(p11->C_Decrypt(s, out, all, data, &n));
	expect(TALLY_DECRYPT, CKM_AES_CBC_PAD, 1, all, 0, 0);
	assert_ok(p11->C_DecryptInit(s, &m, aes));
	n = sizeof(data);
	assert_rv(p11->C_Decrypt(s, out, 15, data, &n), CKR_ENCRYPTED_DATA_LEN_RANGE);
	expect(TALLY_DECRYPT, CKM_AES_CBC_PAD, 1, all, 1, 0);
}

/* Two operations, by one call. */
static void dual(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE aes = p11_secret(s, CKM_AES_KEY_GEN, 32, CKA_ENCRYPT, CKA_DECRYPT);
	CK_BYTE iv[16] = { 1 };
	CK_MECHANISM m = mechanism(CKM_AES_CBC, iv, sizeof(iv)),
		     sha = mechanism(CKM_SHA256, NULL, 0);
	CK_ULONG n = sizeof(out);

	(void)state;
	need_counters();
	assert_ok(p11->C_DigestInit(s, &sha));
	assert_ok(p11->C_EncryptInit(s, &m, aes));
	assert_ok(p11->C_DigestEncryptUpdate(s, data, 32, out, &n));
	n = sizeof(out);
	assert_ok(p11->C_DigestFinal(s, out, &n));
	n = sizeof(out);
	assert_ok(p11->C_EncryptFinal(s, out, &n));
	expect(TALLY_DIGEST, CKM_SHA256, 1, 32, 0, 0);
	expect(TALLY_ENCRYPT, CKM_AES_CBC, 1, 32, 0, 0);
}

/* ---- keys ---- */

static void wrapping(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE kek = p11_secret(s, CKM_AES_KEY_GEN, 32, CKA_WRAP, CKA_UNWRAP), key, back;
	CK_MECHANISM gen = mechanism(CKM_AES_KEY_GEN, NULL, 0),
		     m = mechanism(CKM_AES_KEY_WRAP, NULL, 0);
	struct templ t = { 0 }, u = { 0 };
	CK_ULONG n = 0;

	(void)state;
	need_counters();
	templ_ulong(&t, CKA_VALUE_LEN, 16);
	templ_bool(&t, CKA_EXTRACTABLE, true);
	assert_ok(p11->C_GenerateKey(s, &gen, t.a, t.n, &key));
	expect(TALLY_GENERATE, CKM_AES_KEY_GEN, 2, 0, 0, 0);
	assert_ok(p11->C_WrapKey(s, &m, kek, key, NULL, &n));
	n = 1;
	assert_rv(p11->C_WrapKey(s, &m, kek, key, out, &n), CKR_BUFFER_TOO_SMALL);
	expect(TALLY_WRAP, CKM_AES_KEY_WRAP, 0, 0, 0, 0);
	n = sizeof(out);
	assert_ok(p11->C_WrapKey(s, &m, kek, key, out, &n));
	expect(TALLY_WRAP, CKM_AES_KEY_WRAP, 1, 24, 0, 0);
	templ_ulong(&u, CKA_CLASS, CKO_SECRET_KEY);
	templ_ulong(&u, CKA_KEY_TYPE, CKK_AES);
	assert_ok(p11->C_UnwrapKey(s, &m, kek, out, n, u.a, u.n, &back));
	out[3] ^= 1;
	assert_rv(p11->C_UnwrapKey(s, &m, kek, out, n, u.a, u.n, &back), CKR_WRAPPED_KEY_INVALID);
	expect(TALLY_UNWRAP, CKM_AES_KEY_WRAP, 1, 24, 1, 0);
	assert_rv(p11->C_WrapKey(s, &m, kek, kek, out, &n), CKR_KEY_UNEXTRACTABLE);
	expect(TALLY_WRAP, CKM_AES_KEY_WRAP, 1, 24, 0, 1);
}

static void deriving(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE base = p11_secret(s, CKM_GENERIC_SECRET_KEY_GEN, 32, CKA_DERIVE), h;
	CK_HKDF_PARAMS par = { .bExpand = CK_TRUE,
			       .bExtract = CK_TRUE,
			       .prfHashMechanism = CKM_SHA256,
			       .ulSaltType = CKF_HKDF_SALT_NULL };
	CK_MECHANISM m = mechanism(CKM_HKDF_DERIVE, &par, sizeof(par));
	struct templ t = { 0 };

	(void)state;
	need_counters();
	templ_ulong(&t, CKA_CLASS, CKO_SECRET_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, CKK_GENERIC_SECRET);
	templ_ulong(&t, CKA_VALUE_LEN, 32);
	assert_ok(p11->C_DeriveKey(s, &m, base, t.a, t.n, &h));
	assert_rv(p11->C_DeriveKey(s, &m, 99999, t.a, t.n, &h), CKR_KEY_HANDLE_INVALID);
	expect(TALLY_DERIVE, CKM_HKDF_DERIVE, 1, 0, 0, 1);
}

static void random_numbers(void **state)
{
	struct sum before;

	(void)state;
	need_counters();
	before = sum_of(p11_slot(), tally_key(TALLY_RANDOM, NO_MECHANISM));
	assert_ok(p11->C_GenerateRandom(p11_session(), out, 100));
	assert_ok(p11->C_GenerateRandom(p11_session(), out, 28));
	expect(TALLY_RANDOM, NO_MECHANISM, before.done + 2, before.bytes + 128, 0, 0);
}

/* ---- what is none ---- */

static void not_operations(void **state)
{
	CK_SESSION_HANDLE s = p11_session(), other = p11_open(p11_slot(), false);
	struct pair k = p11_p256(s, NULL, NULL);
	CK_MECHANISM m = mechanism(CKM_ECDSA_SHA256, NULL, 0), sha = mechanism(CKM_SHA256, NULL, 0),
		     none = mechanism(CKM_DES_ECB, NULL, 0);
	CK_ULONG n = sizeof(out);
	uint64_t before;

	(void)state;
	need_counters();
	before = everything();
	assert_rv(p11->C_SignInit(s, &m, k.pub), CKR_KEY_FUNCTION_NOT_PERMITTED);
	assert_rv(p11->C_EncryptInit(s, &none, k.pub), CKR_MECHANISM_INVALID);
	assert_rv(p11->C_Sign(s, data, 1, out, &n), CKR_OPERATION_NOT_INITIALIZED);
	assert_ok(p11->C_DigestInit(s, &sha));
	assert_ok(p11->C_DigestUpdate(s, data, 10));
	assert_ok(p11->C_DigestInit(s, NULL));
	assert_ok(p11->C_SignInit(s, &m, k.priv));
	assert_ok(((CK_FUNCTION_LIST_3_0 *)p11)->C_SessionCancel(s, CKF_SIGN));
	assert_ok(p11->C_DigestInit(other, &sha));
	assert_ok(p11->C_DigestUpdate(other, data, 10));
	assert_ok(p11->C_CloseSession(other));
	assert_int_equal(everything(), before);
}

/* ---- who ---- */

static void *digest_much(void *arg)
{
	const CK_SESSION_HANDLE s = *(const CK_SESSION_HANDLE *)arg;
	CK_MECHANISM m = mechanism(CKM_SHA256, NULL, 0);
	CK_BYTE sum[32];

	for (int i = 0; i < ROUNDS; i++) {
		CK_ULONG n = sizeof(sum);

		if (p11->C_DigestInit(s, &m) != CKR_OK ||
		    p11->C_Digest(s, data, 7, sum, &n) != CKR_OK)
			return arg;
	}
	return NULL;
}

static void digest_in_threads(void)
{
	CK_SESSION_HANDLE s[THREADS];
	pthread_t t[THREADS];
	void *failed;

	for (int i = 0; i < THREADS; i++) {
		s[i] = p11_open(p11_slot(), false);
		assert_int_equal(pthread_create(&t[i], NULL, digest_much, &s[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(t[i], &failed), 0);
		assert_null(failed);
		assert_ok(p11->C_CloseSession(s[i]));
	}
}

static void threads(void **state)
{
	struct sum s;

	(void)state;
	need_counters();
	digest_in_threads();
	expect(TALLY_DIGEST, CKM_SHA256, THREADS * ROUNDS, THREADS * ROUNDS * 7, 0, 0);
	s = sum_of(p11_slot(), tally_key(TALLY_DIGEST, CKM_SHA256));
	/* each thread was sampled at every 64th, wherever it began */
	assert_in_range(s.samples, THREADS * (ROUNDS / TALLY_SAMPLE),
			THREADS * (ROUNDS / TALLY_SAMPLE + 1));
	assert_true(s.sample_ns > 0);
}

/* The child of a fork counts in the same file, with a mapping of its own; the parent goes on. */
static void forked(void **state)
{
	int status = 0;
	pid_t child;

	(void)state;
	need_counters();
	digest_in_threads();
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		CK_SESSION_HANDLE s;

		if (p11->C_Initialize(NULL) != CKR_OK ||
		    p11->C_OpenSession(p11_slot(), CKF_SERIAL_SESSION, NULL, NULL, &s) != CKR_OK ||
		    digest_much(&s) != NULL)
			_exit(1);
		_exit(0); /* without a word, as if it were killed */
	}
	digest_in_threads();
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	expect(TALLY_DIGEST, CKM_SHA256, (2 * THREADS + 1) * ROUNDS, (2 * THREADS + 1) * ROUNDS * 7,
	       0, 0);
}

/* ---- the token ---- */

/* They outlive the module, and begin anew with the token. */
static void life(void **state)
{
	static CK_UTF8CHAR label[33] = "anew                            ", so[] = SO_PIN;
	struct tally *t;
	uint64_t first;

	(void)state;
	need_counters();
	digest_in_threads();
	p11_finalize();
	expect(TALLY_DIGEST, CKM_SHA256, THREADS * ROUNDS, THREADS * ROUNDS * 7, 0, 0);
	p11_initialize();
	assert_ok(p11->C_InitToken(p11_slot(), so, sizeof(so) - 1, label));
	assert_int_equal(everything(), 0);
	t = read_file(p11_slot());
	first = t->head.label[0];
	free(t);
	assert_memory_equal(&first, label, sizeof(first));
}

static void no_file(void **state)
{
	char path[PATH_MAX];

	(void)state;
	path_of(p11_slot(), path);
	digest_in_threads();
	assert_int_not_equal(access(path, F_OK), 0);
}

static int setup_off(void **state)
{
	return p11_setup_configured(state, "[module]\ncounters = off\n");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, p11_setup_token, p11_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(signatures),
		TEST(batches),
		TEST(ciphers),
		TEST(dual),
		TEST(wrapping),
		TEST(deriving),
		TEST(random_numbers),
		TEST(not_operations),
		TEST(threads),
		TEST(forked),
		TEST(life),
		cmocka_unit_test_setup_teardown(no_file, setup_off, p11_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
