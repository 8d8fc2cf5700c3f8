/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cases of concurrency (docs/CASES.md): B029 many threads on one token, B046 sessions, R07 objects that vanish under
 * their users; and threads that share one session. Whoever asks for a result checks it; errors are counted and printed.
 */
#include "case.h"

#include <openssl/hmac.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

enum { THREADS_MAX = 16 };

static atomic_ulong good, expected, errors;

struct worker {
	pthread_t thread;
	unsigned number; /* of the thread, from 0 */
	CK_SESSION_HANDLE s;
};

/* The first few say what they are. */
static void wrong(const char *what, CK_RV rv)
{
	if (atomic_fetch_add(&errors, 1) < 5)
		print_error("%s: 0x%lx\n", what, rv);
}

/* Counts rv; true when it is CKR_OK. */
static bool count(const char *what, CK_RV rv, const CK_RV *allowed)
{
	if (rv == CKR_OK) {
		atomic_fetch_add(&good, 1);
		return true;
	}
	for (; *allowed != CKR_OK; allowed++)
		if (rv == *allowed) {
			atomic_fetch_add(&expected, 1);
			return false;
		}
	wrong(what, rv);
	return false;
}

static void check(const char *what, bool right)
{
	if (!right)
		wrong(what, CKR_OK);
}

/* Runs body in n threads, each with the session s or, if that is 0, one of its own. */
static void run(unsigned n, CK_SESSION_HANDLE s, void *(*body)(void *))
{
	struct worker w[THREADS_MAX];

	atomic_store(&good, 0);
	atomic_store(&expected, 0);
	atomic_store(&errors, 0);
	for (unsigned i = 0; i < n; i++) {
		w[i].number = i;
		w[i].s = s != 0 ? s : p11_open(p11_slot(), true);
		assert_int_equal(pthread_create(&w[i].thread, NULL, body, &w[i]), 0);
	}
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(pthread_join(w[i].thread, NULL), 0);
		if (s == 0)
			assert_ok(p11->C_CloseSession(w[i].s));
	}
	print_message("  %u threads: %lu calls succeeded, %lu refused as they may be, %lu errors\n",
		      n, atomic_load(&good), atomic_load(&expected), atomic_load(&errors));
	assert_int_equal(atomic_load(&errors), 0);
	assert_true(atomic_load(&good) > 0);
}

static const CK_RV none[] = { CKR_OK };

/* ---- B029 ---- */

static CK_RV generate(CK_SESSION_HANDLE s, unsigned kind, struct pair *k)
{
	static const CK_MECHANISM_TYPE mechs[] = { CKM_EC_KEY_PAIR_GEN, CKM_EC_EDWARDS_KEY_PAIR_GEN,
						   CKM_RSA_PKCS_KEY_PAIR_GEN };
	CK_MECHANISM m = mechanism(mechs[kind], NULL, 0);
	struct templ pub = { 0 }, priv = { 0 };

	if (kind == 0)
		templ_bytes(&pub, CKA_EC_PARAMS, p11_oid_p256, sizeof(p11_oid_p256));
	else if (kind == 1)
		templ_bytes(&pub, CKA_EC_PARAMS, p11_oid_ed25519, sizeof(p11_oid_ed25519));
	else
		templ_ulong(&pub, CKA_MODULUS_BITS, 1024);
	templ_flags(&pub, CKA_VERIFY, CKA_TOKEN);
	templ_flags(&priv, CKA_SIGN, CKA_TOKEN);
	return p11->C_GenerateKeyPair(s, &m, pub.a, pub.n, priv.a, priv.n, &k->pub, &k->priv);
}

static void sign_and_verify(CK_SESSION_HANDLE s, unsigned kind, struct pair k)
{
	static const CK_MECHANISM_TYPE mechs[] = { CKM_ECDSA_SHA256, CKM_EDDSA,
						   CKM_SHA256_RSA_PKCS };
	CK_MECHANISM m = mechanism(mechs[kind], NULL, 0);
	CK_BYTE data[8] = { 1 }, sig[256];
	CK_ULONG n = sizeof(sig);

	if (count("C_SignInit", p11->C_SignInit(s, &m, k.priv), none) &&
	    count("C_Sign", p11->C_Sign(s, data, sizeof(data), sig, &n), none) &&
	    count("C_VerifyInit", p11->C_VerifyInit(s, &m, k.pub), none))
		count("C_Verify", p11->C_Verify(s, data, sizeof(data), sig, n), none);
}

/* A data object under a label of its own: exactly one is found, with its value, until it is destroyed. */
static void create_find_destroy(CK_SESSION_HANDLE s, unsigned number, unsigned round)
{
	CK_ULONG cls = CKO_DATA, n = 0;
	CK_BBOOL yes = CK_TRUE;
	CK_BYTE label[32], value[32];
	CK_ATTRIBUTE t[] = { { CKA_CLASS, &cls, sizeof(cls) },
			     { CKA_TOKEN, &yes, 1 },
			     { CKA_LABEL, label, 0 } };
	CK_ATTRIBUTE read = { CKA_LABEL, value, sizeof(value) };
	CK_OBJECT_HANDLE h, found[2];

	t[2].ulValueLen =
		(CK_ULONG)snprintf((char *)label, sizeof(label), "thread %u, %u", number, round);
	if (!count("C_CreateObject", p11->C_CreateObject(s, t, 3, &h), none) ||
	    !count("C_FindObjectsInit", p11->C_FindObjectsInit(s, t, 3), none))
		return;
	count("C_FindObjects", p11->C_FindObjects(s, found, 2, &n), none);
	count("C_FindObjectsFinal", p11->C_FindObjectsFinal(s), none);
	check("one object is found", n == 1 && found[0] == h);
	count("C_GetAttributeValue", p11->C_GetAttributeValue(s, h, &read, 1), none);
	check("the label is its own",
	      read.ulValueLen == t[2].ulValueLen && memcmp(value, label, read.ulValueLen) == 0);
	count("C_DestroyObject", p11->C_DestroyObject(s, h), none);
}

static void *own_session(void *arg)
{
	struct worker *w = arg;

	for (unsigned round = 0; round < 4; round++) {
		unsigned kind = (w->number + round) % 3;
		struct pair k;

		create_find_destroy(w->s, w->number, round);
		if (!count("C_GenerateKeyPair", generate(w->s, kind, &k), none))
			continue;
		sign_and_verify(w->s, kind, k);
		count("C_DestroyObject", p11->C_DestroyObject(w->s, k.pub), none);
		count("C_DestroyObject", p11->C_DestroyObject(w->s, k.priv), none);
	}
	return NULL;
}

/* Sixteen threads create, generate, search, sign and destroy on one token: no call fails. */
static void test_B029_threads_on_one_token(void **state)
{
	(void)state;
	run(THREADS_MAX, 0, own_session);
	assert_int_equal(case_objects(p11_session()), 0);
}

static pthread_barrier_t together;
static CK_RV initialized[2];

static void *initialize_once(void *arg)
{
	CK_RV *rv = arg;

	(void)pthread_barrier_wait(&together);
	*rv = p11->C_Initialize(NULL);
	return NULL;
}

/* Of two threads that initialise at once, one does. */
static void test_B029_two_initialise(void **state)
{
	pthread_t t[2];

	(void)state;
	assert_int_equal(pthread_barrier_init(&together, NULL, 2), 0);
	for (int round = 0; round < 20; round++) {
		p11_finalize();
		for (int i = 0; i < 2; i++)
			assert_int_equal(
				pthread_create(&t[i], NULL, initialize_once, &initialized[i]), 0);
		for (int i = 0; i < 2; i++)
			assert_int_equal(pthread_join(t[i], NULL), 0);
		assert_rv_of(initialized[0], CKR_OK, CKR_CRYPTOKI_ALREADY_INITIALIZED);
		assert_rv(initialized[1],
			  initialized[0] == CKR_OK ? CKR_CRYPTOKI_ALREADY_INITIALIZED : CKR_OK);
	}
	assert_int_equal(pthread_barrier_destroy(&together), 0);
}

/* ---- one session for all ---- */

static CK_OBJECT_HANDLE shared_key;
static const CK_BYTE shared_value[32] = "a key that the tests know, too";

/*
 * All use the same key and mechanism, so it does not matter whose Init it was: what comes back must be of the data that
 * went in with the same call. Another thread may have begun or ended the operation in between.
 */
static const CK_RV in_the_way[] = { CKR_OPERATION_ACTIVE, CKR_OPERATION_NOT_INITIALIZED, CKR_OK };

static void shared_mac(struct worker *w, unsigned round)
{
	CK_MECHANISM m = mechanism(CKM_SHA256_HMAC, NULL, 0);
	CK_BYTE data[64] = { 0 }, mac[32], want[32];
	CK_ULONG n = sizeof(mac);
	unsigned want_n = 0;

	memcpy(data, &w->number, sizeof(w->number));
	memcpy(data + 8, &round, sizeof(round));
	count("C_SignInit", p11->C_SignInit(w->s, &m, shared_key), in_the_way);
	(void)sched_yield();
	if (!count("C_Sign", p11->C_Sign(w->s, data, sizeof(data), mac, &n), in_the_way))
		return;
	HMAC(EVP_sha256(), shared_value, 32, data, sizeof(data), want, &want_n);
	check("the MAC is of the own data", n == 32 && memcmp(mac, want, 32) == 0);
}

static void shared_digest(struct worker *w, unsigned round)
{
	CK_MECHANISM m = mechanism(CKM_SHA256, NULL, 0);
	CK_BYTE data[200] = { 0 }, md[32], want[32];
	CK_ULONG n = sizeof(md);

	memcpy(data, &w->number, sizeof(w->number));
	memcpy(data + 8, &round, sizeof(round));
	count("C_DigestInit", p11->C_DigestInit(w->s, &m), in_the_way);
	(void)sched_yield();
	if (!count("C_Digest", p11->C_Digest(w->s, data, sizeof(data), md, &n), in_the_way))
		return;
	EVP_Q_digest(NULL, "SHA256", NULL, data, sizeof(data), want, NULL);
	check("the digest is of the own data", n == 32 && memcmp(md, want, 32) == 0);
}

/* Calls that are whole in themselves never meet another thread's. */
static void shared_object(struct worker *w, unsigned round)
{
	CK_ULONG cls = CKO_SECRET_KEY, type = CKK_AES;
	CK_BYTE value[16] = { 0 }, got[16];
	CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
	CK_ATTRIBUTE t[] = { { CKA_CLASS, &cls, sizeof(cls) },
			     { CKA_KEY_TYPE, &type, sizeof(type) },
			     { CKA_VALUE, value, sizeof(value) },
			     { CKA_SENSITIVE, &no, 1 },
			     { CKA_EXTRACTABLE, &yes, 1 } };
	CK_ATTRIBUTE read = { CKA_VALUE, got, sizeof(got) };
	CK_OBJECT_HANDLE h;

	memcpy(value, &w->number, sizeof(w->number));
	memcpy(value + 8, &round, sizeof(round));
	if (!count("C_CreateObject", p11->C_CreateObject(w->s, t, LENGTH(t), &h), none))
		return;
	count("C_GetAttributeValue", p11->C_GetAttributeValue(w->s, h, &read, 1), none);
	check("the key is the own one", memcmp(got, value, sizeof(value)) == 0);
	count("C_DestroyObject", p11->C_DestroyObject(w->s, h), none);
}

static void *share(void *arg)
{
	struct worker *w = arg;

	for (unsigned round = 0; round < 400; round++) {
		shared_mac(w, round);
		shared_digest(w, round);
		shared_object(w, round);
	}
	return NULL;
}

/* Calls of several threads on one session come one after the other, and each gets its own answer. */
static void test_R07_threads_share_a_session(void **state)
{
	CK_SESSION_HANDLE s = p11_session();

	(void)state;
	shared_key = case_secret(s, CKK_GENERIC_SECRET, shared_value, 32, CKA_SIGN);
	run(4, s, share);
	run(8, s, share);
}

/* ---- R07: objects vanish ---- */

enum { OBJECTS = 16, USERS = 6, CHANGERS = 2, ROUNDS = 600 };

static _Atomic CK_OBJECT_HANDLE objects[OBJECTS];

/* What a call may say of a key that is gone by now. */
static const CK_RV gone[] = { CKR_KEY_HANDLE_INVALID, CKR_OBJECT_HANDLE_INVALID, CKR_OK };

/* All keys have the same value, so every MAC is known. */
static void use(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE h)
{
	CK_MECHANISM hmac = mechanism(CKM_SHA256_HMAC, NULL, 0);
	CK_BYTE data[8] = { 1 }, mac[32], want[32], label[32], value[32];
	CK_ATTRIBUTE t[] = { { CKA_LABEL, label, sizeof(label) },
			     { CKA_VALUE, value, sizeof(value) } };
	CK_ULONG n = sizeof(mac);
	unsigned want_n = 0;

	if (count("C_SignInit", p11->C_SignInit(s, &hmac, h), gone) && sched_yield() == 0 &&
	    count("C_Sign", p11->C_Sign(s, data, sizeof(data), mac, &n), gone)) {
		HMAC(EVP_sha256(), shared_value, 32, data, sizeof(data), want, &want_n);
		check("the MAC is right", memcmp(mac, want, 32) == 0);
	}
	(void)p11->C_SignInit(s, NULL, 0);
	if (count("C_GetAttributeValue", p11->C_GetAttributeValue(s, h, t, 2), gone))
		check("the value is whole",
		      t[1].ulValueLen == 32 && memcmp(value, shared_value, 32) == 0);
}

static CK_RV new_object(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE *h)
{
	CK_ULONG cls = CKO_SECRET_KEY, type = CKK_GENERIC_SECRET;
	CK_BYTE value[32];
	CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
	CK_ATTRIBUTE t[] = {
		{ CKA_CLASS, &cls, sizeof(cls) },    { CKA_KEY_TYPE, &type, sizeof(type) },
		{ CKA_VALUE, value, sizeof(value) }, { CKA_SENSITIVE, &no, 1 },
		{ CKA_EXTRACTABLE, &yes, 1 },        { CKA_SIGN, &yes, 1 }
	};

	memcpy(value, shared_value, sizeof(value));
	return p11->C_CreateObject(s, t, LENGTH(t), h);
}

static void change(CK_SESSION_HANDLE s, unsigned at, unsigned round)
{
	CK_OBJECT_HANDLE h = atomic_load(&objects[at]), next = 0;
	CK_BYTE label[32];
	CK_ATTRIBUTE t = { CKA_LABEL, label, 0 };

	t.ulValueLen = (CK_ULONG)snprintf((char *)label, sizeof(label), "%u", round);
	count("C_SetAttributeValue", p11->C_SetAttributeValue(s, h, &t, 1), gone);
	if (round % 2 == 0) {
		if (!count("C_CopyObject", p11->C_CopyObject(s, h, &t, 1, &next), gone))
			return;
	} else if (!count("C_CreateObject", new_object(s, &next), none)) {
		return;
	}
	h = atomic_exchange(&objects[at], next);
	count("C_DestroyObject", p11->C_DestroyObject(s, h), gone);
}

static void *use_or_change(void *arg)
{
	struct worker *w = arg;

	for (unsigned round = 0; round < ROUNDS; round++) {
		unsigned at = (round * 7 + w->number * 3) % OBJECTS;

		if (w->number < USERS)
			use(w->s, atomic_load(&objects[at]));
		else
			change(w->s, at, round);
	}
	return NULL;
}

/* Keys are used while others change, copy and destroy them: a right result, or the word that the key is gone. */
static void test_R07_destroyed_under_use(void **state)
{
	CK_OBJECT_HANDLE h;

	(void)state;
	for (size_t i = 0; i < OBJECTS; i++) {
		assert_ok(new_object(p11_session(), &h));
		atomic_store(&objects[i], h);
	}
	run(USERS + CHANGERS, 0, use_or_change);
}

/* ---- B046 ---- */

/* The limits that are told are those that hold: here, none. */
static void test_B046_session_limits(void **state)
{
	enum { MANY = 2000 };
	static CK_SESSION_HANDLE s[MANY];
	CK_TOKEN_INFO info;

	(void)state;
	assert_ok(p11->C_GetTokenInfo(p11_slot(), &info));
	assert_int_equal(info.ulMaxSessionCount, CK_EFFECTIVELY_INFINITE);
	assert_int_equal(info.ulMaxRwSessionCount, CK_EFFECTIVELY_INFINITE);
	for (size_t i = 0; i < MANY; i++)
		s[i] = p11_open(p11_slot(), i % 2 == 0);
	assert_ok(p11->C_GetTokenInfo(p11_slot(), &info));
	assert_int_equal(info.ulSessionCount, MANY + 1);
	assert_int_equal(info.ulRwSessionCount, MANY / 2 + 1);
	for (size_t i = 0; i < MANY; i++)
		assert_ok(p11->C_CloseSession(s[i]));
	assert_ok(p11->C_GetTokenInfo(p11_slot(), &info));
	assert_int_equal(info.ulSessionCount, 1);
}

static CK_STATE state_of(CK_SESSION_HANDLE s)
{
	CK_SESSION_INFO info;

	assert_ok(p11->C_GetSessionInfo(s, &info));
	return info.state;
}

/* The login lasts until the last session closes, whichever session it was made in. */
static void test_B046_last_session_logs_out(void **state)
{
	CK_SESSION_HANDLE first = p11_session(), second = p11_open(p11_slot(), false);

	(void)state;
	assert_ok(p11->C_CloseSession(first));
	assert_int_equal(state_of(second), CKS_RO_USER_FUNCTIONS);
	assert_ok(p11->C_CloseSession(second));
	assert_int_equal(state_of(p11_open(p11_slot(), true)), CKS_RW_PUBLIC_SESSION);
}

static unsigned long resident_pages(void)
{
	unsigned long size = 0, resident = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%lu %lu", &size, &resident), 2);
	(void)fclose(f);
	return resident;
}

static void open_create_close(unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++) {
		CK_SESSION_HANDLE s = p11_open(p11_slot(), true);
		CK_OBJECT_HANDLE h;

		assert_ok(new_object(s, &h));
		assert_ok(p11->C_CloseSession(s));
	}
}

/* A session's objects and memory go with it: opened and closed over and over, the process does not grow. */
static void test_B046_sessions_leave_nothing(void **state)
{
	unsigned long before;

	(void)state;
	open_create_close(500);
	before = resident_pages();
	open_create_close(5000);
	print_message("  grew by %ld pages\n", (long)(resident_pages() - before));
	if (case_plain_memory())
		assert_true(resident_pages() < before + 64);
	assert_int_equal(case_objects(p11_session()), 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, p11_setup_token, p11_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_B029_threads_on_one_token),   TEST(test_B029_two_initialise),
		TEST(test_R07_threads_share_a_session), TEST(test_R07_destroyed_under_use),
		TEST(test_B046_session_limits),         TEST(test_B046_last_session_logs_out),
		TEST(test_B046_sessions_leave_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
