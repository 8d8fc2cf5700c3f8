/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cases of a process's life (docs/CASES.md): B032 exit, B034 finalise against everything else, R09 fork. R13, the
 * calls outside of C_Initialize and C_Finalize, is in test_p11_lifecycle.
 */
#include "case.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/rsa.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Asked by LeakSanitizer, if there is one: here processes end without C_Finalize on purpose, and leave what it would have
 * freed. That C_Finalize frees everything is seen in all the other programs.
 */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);

int __lsan_is_turned_off(void)
{
	return 1;
}

/* ---- B032: exit ---- */

/* What a host does when it ends; each runs in a child, whose exit status must be 0. */
struct ending {
	bool handler_first; /* registered before C_Initialize */
	bool finalize;      /* before exit, too */
	bool cleanup;       /* of a libcrypto that the host has itself */
	bool from_thread;
};

static struct ending ending;
static CK_SESSION_HANDLE open_session;
static struct pair exit_pair;

static CK_RV last_signature(void)
{
	CK_MECHANISM m = mechanism(CKM_ECDSA_SHA256, NULL, 0);
	CK_BYTE data[8] = { 0 }, sig[64];
	CK_ULONG n = sizeof(sig);
	CK_RV rv = p11->C_SignInit(open_session, &m, exit_pair.priv);

	return rv == CKR_OK ? p11->C_Sign(open_session, data, sizeof(data), sig, &n) : rv;
}

/*
 * As other libraries do: they know nothing of each other, and come in any order. Until C_Finalize all works: seen to fail
 * with a module that finalises in an exit handler of its own.
 */
static void at_exit(void)
{
	CK_RV rv;

	if (last_signature() != (ending.finalize ? CKR_CRYPTOKI_NOT_INITIALIZED : CKR_OK))
		_exit(6);
	rv = p11->C_CloseSession(open_session);
	if (rv != CKR_OK && rv != CKR_CRYPTOKI_NOT_INITIALIZED && rv != CKR_SESSION_HANDLE_INVALID)
		_exit(2);
	rv = p11->C_Logout(open_session);
	if (rv == CKR_OK)
		_exit(3); /* its session is closed */
	rv = p11->C_Finalize(NULL);
	if (rv != CKR_OK && rv != CKR_CRYPTOKI_NOT_INITIALIZED)
		_exit(4);
	if (p11->C_GetInfo(NULL) != CKR_CRYPTOKI_NOT_INITIALIZED)
		_exit(5);
}

static void *leave(void *arg)
{
	(void)arg;
	exit(0);
}

static void live_and_exit(void)
{
	CK_MECHANISM m = mechanism(CKM_SHA256, NULL, 0);
	pthread_t t;

	if (ending.handler_first)
		assert_int_equal(atexit(at_exit), 0);
	p11_initialize();
	if (!ending.handler_first)
		assert_int_equal(atexit(at_exit), 0);
	open_session = p11_open(p11_slot(), true);
	p11_login(open_session, CKU_USER);
	exit_pair = p11_p256(open_session, NULL, NULL);
	assert_ok(p11->C_DigestInit(open_session, &m)); /* under way at the end */
	if (ending.cleanup)
		OPENSSL_cleanup();
	if (ending.finalize)
		p11_finalize();
	if (!ending.from_thread)
		exit(0);
	assert_int_equal(pthread_create(&t, NULL, leave, NULL), 0);
	for (;;)
		pause();
}

/* A process that did its work ends well, with sessions open or not, whoever's exit handlers run first. */
static void test_B032_exit(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 16; i++) {
		ending = (struct ending){ i & 1, i & 2, i & 4, i & 8 };
		print_message("  handler first %d, finalised %d, cleaned up %d, from a thread %d\n",
			      ending.handler_first, ending.finalize, ending.cleanup,
			      ending.from_thread);
		case_child(live_and_exit);
	}
}

static atomic_uint rounds; /* that work_for_ever did */

static void *work_for_ever(void *arg)
{
	CK_MECHANISM m = mechanism(CKM_ECDSA_SHA256, NULL, 0);
	const CK_OBJECT_HANDLE *key = arg;
	CK_SESSION_HANDLE s;
	CK_RV rv =
		p11->C_OpenSession(p11_slot(), CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, &s);

	while (rv != CKR_CRYPTOKI_NOT_INITIALIZED) {
		CK_BYTE data[8] = { 0 }, sig[64];
		CK_ULONG n = sizeof(sig);
		struct templ t = { 0 };
		CK_OBJECT_HANDLE h;

		templ_ulong(&t, CKA_CLASS, CKO_DATA);
		templ_flags(&t, CKA_TOKEN);
		rv = p11->C_SignInit(s, &m, *key);
		if (rv == CKR_OK)
			rv = p11->C_Sign(s, data, sizeof(data), sig, &n);
		if (rv == CKR_OK)
			rv = p11->C_CreateObject(s, t.a, t.n, &h);
		if (rv == CKR_OK)
			atomic_fetch_add(&rounds, 1);
	}
	return NULL;
}

/* The first handler of exit: the others, the module's among them, find threads that sign and store. */
static void still_at_work(void)
{
	const unsigned seen = atomic_load(&rounds);

	for (int i = 0; i < 10000; i++) {
		if (atomic_load(&rounds) > seen + 4)
			return;
		usleep(1000);
	}
	fprintf(stderr, "no thread is at work\n");
	_exit(1);
}

static useconds_t work_for;

static void exit_at_work(void)
{
	static struct pair k;
	pthread_t t;

	p11_initialize();
	open_session = p11_open(p11_slot(), true);
	p11_login(open_session, CKU_USER);
	k = p11_p256(open_session, NULL, NULL);
	for (int i = 0; i < 4; i++)
		assert_true(pthread_create(&t, NULL, work_for_ever, &k.priv) == 0 &&
			    pthread_detach(t) == 0);
	usleep(work_for);
	assert_int_equal(atexit(still_at_work), 0);
	exit(0);
}

/* Threads that sign and store go on while the process leaves: it ends well, and the store is in order. */
static void test_B032_exit_at_work(void **state)
{
	CK_ULONG before, after = 0;

	(void)state;
	for (work_for = 5000; work_for <= 45000; work_for += 10000) {
		before = after;
		case_child(exit_at_work);
		after = case_objects(p11_session());
		assert_true(after >= before);
	}
	assert_true(after > 0);
}

static bool finalize_first;

static void unload_and_load(void)
{
	for (int round = 0; round < 3; round++) {
		p11_initialize();
		open_session = p11_open(p11_slot(), true);
		p11_login(open_session, CKU_USER);
		p11_p256(open_session, NULL, NULL);
		if (finalize_first)
			p11_finalize();
		p11_unload();
		p11_load();
		/* linked with -z nodelete, it is where and as it was left */
		assert_rv(p11->C_Finalize(NULL),
			  finalize_first ? CKR_CRYPTOKI_NOT_INITIALIZED : CKR_OK);
	}
	p11_initialize();
	p11_unload();
	exit(0);
}

/* Closed, finalised or not, the module can be opened again, and the process still ends well. */
static void test_B032_dlclose(void **state)
{
	(void)state;
	for (int i = 0; i <= 1; i++) {
		finalize_first = i != 0;
		case_child(unload_and_load);
	}
}

/* ---- B034: finalise ---- */

static CK_RV waited;
static CK_SLOT_ID event_slot;

static void *wait_for_event(void *arg)
{
	(void)arg;
	waited = p11->C_WaitForSlotEvent(0, &event_slot, NULL);
	return NULL;
}

/* Who waits for an event when the library ends is woken and told. */
static void test_B034_waiter_wakes(void **state)
{
	CK_SLOT_ID slot;
	pthread_t t;

	(void)state;
	while (p11->C_WaitForSlotEvent(CKF_DONT_BLOCK, &slot, NULL) == CKR_OK)
		continue; /* the events of the setup */
	assert_int_equal(pthread_create(&t, NULL, wait_for_event, NULL), 0);
	usleep(100000);
	p11_finalize();
	assert_int_equal(pthread_join(t, NULL), 0);
	assert_rv(waited, CKR_CRYPTOKI_NOT_INITIALIZED);
	p11_initialize();
}

static atomic_bool stop;
static atomic_ulong good, refused, errors;

static void count(CK_RV rv)
{
	if (rv == CKR_OK)
		atomic_fetch_add(&good, 1);
	else if (rv == CKR_CRYPTOKI_NOT_INITIALIZED || rv == CKR_SESSION_HANDLE_INVALID)
		atomic_fetch_add(&refused, 1);
	else
		atomic_fetch_add(&errors, 1);
}

/* Signs with a key of its own session; whatever ends it must say so by one of these. */
static void *sign_on(void *arg)
{
	CK_MECHANISM m = mechanism(CKM_SHA256_HMAC, NULL, 0);
	CK_MECHANISM gen = mechanism(CKM_GENERIC_SECRET_KEY_GEN, NULL, 0);
	CK_BYTE data[16] = { 0 }, mac[32];

	(void)arg;
	while (!atomic_load(&stop)) {
		struct templ t = { 0 };
		CK_OBJECT_HANDLE h;
		CK_SESSION_HANDLE s;
		CK_ULONG n = sizeof(mac);
		CK_INFO info;
		CK_RV rv = p11->C_GetInfo(&info);

		templ_ulong(&t, CKA_VALUE_LEN, 32);
		templ_bool(&t, CKA_PRIVATE, false);
		templ_flags(&t, CKA_SIGN);
		if (rv == CKR_OK)
			rv = p11->C_OpenSession(p11_slot(), CKF_SERIAL_SESSION, NULL, NULL, &s);
		if (rv == CKR_OK)
			rv = p11->C_GenerateKey(s, &gen, t.a, t.n, &h);
		if (rv == CKR_OK)
			rv = p11->C_SignInit(s, &m, h);
		if (rv == CKR_OK)
			rv = p11->C_Sign(s, data, sizeof(data), mac, &n);
		if (rv == CKR_OK)
			rv = p11->C_CloseSession(s);
		count(rv);
	}
	return NULL;
}

/* Eight threads work while the library ends and begins again: nothing crashes, and each error is one of the two. */
static void test_B034_finalize_under_load(void **state)
{
	enum { THREADS = 8, ROUNDS = 60 };
	pthread_t t[THREADS];

	(void)state;
	atomic_store(&stop, false);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&t[i], NULL, sign_on, NULL), 0);
	for (int i = 0; i < ROUNDS; i++) {
		usleep(1000);
		p11_finalize();
		p11_initialize();
	}
	atomic_store(&stop, true);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(t[i], NULL), 0);
	print_message("  %lu signed, %lu refused, %lu wrong errors\n", atomic_load(&good),
		      atomic_load(&refused), atomic_load(&errors));
	assert_int_equal(atomic_load(&errors), 0);
	assert_true(atomic_load(&good) > 0);
}

static pthread_barrier_t together;

static void *finalize_once(void *arg)
{
	(void)pthread_barrier_wait(&together);
	*(CK_RV *)arg = p11->C_Finalize(NULL);
	return NULL;
}

/* Of threads that finalise at once, one does, and the others are told. */
static void test_B034_many_finalize(void **state)
{
	enum { THREADS = 4, ROUNDS = 20 };
	pthread_t t[THREADS];
	CK_RV rv[THREADS];

	(void)state;
	assert_int_equal(pthread_barrier_init(&together, NULL, THREADS), 0);
	for (int round = 0; round < ROUNDS; round++) {
		int done = 0;

		for (int i = 0; i < THREADS; i++)
			assert_int_equal(pthread_create(&t[i], NULL, finalize_once, &rv[i]), 0);
		for (int i = 0; i < THREADS; i++) {
			assert_int_equal(pthread_join(t[i], NULL), 0);
			assert_rv_of(rv[i], CKR_OK, CKR_CRYPTOKI_NOT_INITIALIZED);
			done += rv[i] == CKR_OK;
		}
		assert_int_equal(done, 1);
		p11_initialize();
	}
	assert_int_equal(pthread_barrier_destroy(&together), 0);
}

static atomic_ulong mutex_calls;

static CK_RV create_mutex(CK_VOID_PTR_PTR m)
{
	*m = NULL;
	atomic_fetch_add(&mutex_calls, 1);
	return CKR_OK;
}

static CK_RV use_mutex(CK_VOID_PTR m)
{
	(void)m;
	atomic_fetch_add(&mutex_calls, 1);
	return CKR_OK;
}

/* Callbacks may come from a library that is gone after C_Finalize: they are forgotten there. */
static void test_B034_callbacks_are_forgotten(void **state)
{
	CK_C_INITIALIZE_ARGS args = { create_mutex, use_mutex,         use_mutex,
				      use_mutex,    CKF_OS_LOCKING_OK, NULL };
	CK_SESSION_HANDLE s;
	CK_ULONG calls;

	(void)state;
	p11_finalize();
	assert_ok(p11->C_Initialize(&args));
	p11_finalize();
	calls = atomic_load(&mutex_calls);
	assert_ok(p11->C_Initialize(NULL));
	s = p11_open(p11_slot(), true);
	p11_login(s, CKU_USER);
	p11_p256(s, NULL, NULL);
	assert_int_equal(atomic_load(&mutex_calls), calls);
}

static unsigned threads_of_process(void)
{
	char line[128];
	unsigned n = 0;
	FILE *f = fopen("/proc/self/status", "r");

	assert_non_null(f);
	while (fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "Threads: %u", &n) == 1)
			break;
	(void)fclose(f);
	return n;
}

/* The module starts no thread, so none is left in its code when it goes; a host that forbids threads gets the same. */
static void test_B034_no_threads(void **state)
{
	CK_C_INITIALIZE_ARGS args = { .flags = CKF_OS_LOCKING_OK |
					       CKF_LIBRARY_CANT_CREATE_OS_THREADS };
	unsigned before = threads_of_process();
	CK_SESSION_HANDLE s;

	(void)state;
	p11_finalize();
	assert_ok(p11->C_Initialize(&args));
	s = p11_open(p11_slot(), true);
	p11_login(s, CKU_USER);
	p11_rsa(s, 1024, NULL, NULL);
	case_data(s, "stored", "1", true);
	assert_int_equal(threads_of_process(), before);
}

/* ---- R09: fork ---- */

static CK_OBJECT_HANDLE parents_key;
static int random_pipe[2];

/* Secrets to look for, so that the test has no copy of its own; each in the order of its bytes, and in that of numbers in memory. */
enum { SECRET = 32, SECRETS_MAX = 4, BOTH_WAYS = 2 };
static CK_BYTE masked[SECRETS_MAX][BOTH_WAYS][SECRET];
static unsigned secrets_n;

/* The last 32 bytes of p, which are wiped. */
static void remember(CK_BYTE *p, size_t n)
{
	const CK_BYTE *last = p + n - SECRET;

	assert_true(secrets_n < SECRETS_MAX && n >= SECRET);
	for (size_t i = 0; i < SECRET; i++) {
		masked[secrets_n][0][i] = last[i] ^ 0x5a;
		masked[secrets_n][1][i] = last[SECRET - 1 - i] ^ 0x5a;
	}
	secrets_n++;
	OPENSSL_cleanse(p, n);
}

static void sign_with(CK_SESSION_HANDLE s, CK_RV want_init)
{
	CK_MECHANISM m = mechanism(CKM_SHA256_HMAC, NULL, 0);

	assert_rv(p11->C_SignInit(s, &m, parents_key), want_init);
}

static bool is_masked(const CK_BYTE *p, const CK_BYTE *m)
{
	for (size_t i = 0; i < SECRET; i++)
		if (p[i] != (CK_BYTE)(m[i] ^ 0x5a))
			return false;
	return true;
}

/* A bit for each secret that begins at p. */
static unsigned secrets_at(const CK_BYTE *p)
{
	unsigned found = 0;

	for (unsigned k = 0; k < secrets_n; k++)
		if (is_masked(p, masked[k][0]) || is_masked(p, masked[k][1]))
			found |= 1U << k;
	return found;
}

/* Keys are aligned, so none lies across two pages. */
static unsigned secrets_in_page(FILE *mem, unsigned long at)
{
	static CK_BYTE page[4096];
	unsigned found = 0;

	if (fseek(mem, (long)at, SEEK_SET) != 0 || fread(page, sizeof(page), 1, mem) != 1)
		return 0;
	for (size_t i = 0; i + SECRET <= sizeof(page); i++)
		found |= secrets_at(page + i);
	OPENSSL_cleanse(page, sizeof(page));
	return found;
}

/* Looks for the secrets in all memory that this process can write. */
static unsigned secrets_in_memory(void)
{
	FILE *maps = fopen("/proc/self/maps", "r"), *mem = fopen("/proc/self/mem", "r");
	unsigned long from, to;
	char line[512], mode[8];
	unsigned found = 0;

	assert_true(maps != NULL && mem != NULL);
	(void)setvbuf(mem, NULL, _IONBF, 0);
	while (fgets(line, sizeof(line), maps) != NULL)
		if (sscanf(line, "%lx-%lx %7s", &from, &to, mode) == 3 && mode[0] == 'r' &&
		    mode[1] == 'w')
			for (; from < to; from += 4096)
				found |= secrets_in_page(mem, from);
	(void)fclose(maps);
	(void)fclose(mem);
	return found;
}

/* Where they should be, the search finds them: all, or none. */
static void expect_in_memory(bool there)
{
	if (case_plain_memory())
		assert_int_equal(secrets_in_memory(), there ? (1U << secrets_n) - 1 : 0);
}

static void child_of_login(void)
{
	CK_SESSION_HANDLE old = p11_session(), s;
	CK_SESSION_INFO info;
	CK_BYTE random[32];

	expect_in_memory(false);
	sign_with(old, CKR_CRYPTOKI_NOT_INITIALIZED);
	assert_rv(p11->C_FindObjectsInit(old, NULL, 0), CKR_CRYPTOKI_NOT_INITIALIZED);
	assert_rv(p11->C_GetSessionInfo(old, &info), CKR_CRYPTOKI_NOT_INITIALIZED);
	assert_rv(p11->C_Finalize(NULL), CKR_CRYPTOKI_NOT_INITIALIZED);
	p11_initialize();
	assert_rv(p11->C_GetSessionInfo(old, &info), CKR_SESSION_HANDLE_INVALID);
	s = p11_open(p11_slot(), true);
	assert_ok(p11->C_GetSessionInfo(s, &info));
	assert_int_equal(info.state, CKS_RW_PUBLIC_SESSION);
	sign_with(s, CKR_KEY_HANDLE_INVALID);
	assert_int_equal(case_objects(s), 0);
	assert_ok(p11->C_GenerateRandom(s, random, sizeof(random)));
	assert_int_equal(write(random_pipe[1], random, sizeof(random)), sizeof(random));
	p11_login(s, CKU_USER);
	assert_int_equal(case_objects(s), 1); /* the stored one; session objects are the parent's */
	p11_finalize();
}

/* A child has nothing of its parent's: neither library nor login nor key bytes; the parent goes on undisturbed. */
static void test_R09_fork(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_BYTE mac[32], plain[32], childs[32];
	CK_ULONG n = sizeof(mac);
	struct templ t;

	(void)state;
	assert_ok(p11->C_GenerateRandom(s, plain, sizeof(plain)));
	case_open_secret(&t, CKK_GENERIC_SECRET, plain, sizeof(plain));
	templ_flags(&t, CKA_SIGN);
	assert_ok(case_create(s, &t, &parents_key));
	secrets_n = 0;
	remember(plain, sizeof(plain));
	case_data(s, "private", "1", true);
	sign_with(s, CKR_OK); /* an operation under way, and the key parsed for it */
	expect_in_memory(true);
	assert_int_equal(pipe(random_pipe), 0);
	case_child(child_of_login);
	assert_ok(p11->C_Sign(s, plain, sizeof(plain), mac, &n));
	assert_ok(p11->C_GenerateRandom(s, plain, sizeof(plain)));
	assert_int_equal(read(random_pipe[0], childs, sizeof(childs)), sizeof(childs));
	assert_memory_not_equal(plain, childs, sizeof(plain));
	close(random_pipe[0]);
	close(random_pipe[1]);
}

/* Copies a number of k into room, for a template. */
static size_t number_of(EVP_PKEY *k, const char *name, CK_BYTE *room)
{
	BIGNUM *v = NULL;
	int n;

	assert_int_equal(EVP_PKEY_get_bn_param(k, name, &v), 1);
	n = BN_bn2bin(v, room);
	BN_clear_free(v);
	return (size_t)n;
}

/* Whose primes are remembered. */
static CK_OBJECT_HANDLE import_rsa(CK_SESSION_HANDLE s)
{
	static const struct {
		CK_ATTRIBUTE_TYPE type;
		const char *name;
	} parts[] = { { CKA_MODULUS, OSSL_PKEY_PARAM_RSA_N },
		      { CKA_PUBLIC_EXPONENT, OSSL_PKEY_PARAM_RSA_E },
		      { CKA_PRIVATE_EXPONENT, OSSL_PKEY_PARAM_RSA_D },
		      { CKA_PRIME_1, OSSL_PKEY_PARAM_RSA_FACTOR1 },
		      { CKA_PRIME_2, OSSL_PKEY_PARAM_RSA_FACTOR2 } };
	static CK_BYTE room[LENGTH(parts)][128];
	EVP_PKEY *k = EVP_RSA_gen(1024);
	struct templ t = { 0 };
	CK_OBJECT_HANDLE h;

	templ_ulong(&t, CKA_CLASS, CKO_PRIVATE_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, CKK_RSA);
	templ_flags(&t, CKA_SIGN);
	for (size_t i = 0; i < LENGTH(parts); i++)
		templ_bytes(&t, parts[i].type, room[i], number_of(k, parts[i].name, room[i]));
	assert_ok(case_create(s, &t, &h));
	remember(room[3], 64);
	remember(room[4], 64);
	OPENSSL_cleanse(room, sizeof(room));
	EVP_PKEY_free(k);
	return h;
}

static CK_OBJECT_HANDLE import_p256(CK_SESSION_HANDLE s)
{
	CK_BYTE d[SECRET];
	struct templ t = { 0 };
	CK_OBJECT_HANDLE h;

	assert_ok(p11->C_GenerateRandom(s, d, sizeof(d)));
	d[0] = 1; /* below the order of the curve */
	templ_ulong(&t, CKA_CLASS, CKO_PRIVATE_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, CKK_EC);
	templ_bytes(&t, CKA_EC_PARAMS, p11_oid_p256, sizeof(p11_oid_p256));
	templ_bytes(&t, CKA_VALUE, d, sizeof(d));
	templ_flags(&t, CKA_SIGN);
	assert_ok(case_create(s, &t, &h));
	remember(d, sizeof(d));
	return h;
}

static void sign_some(CK_SESSION_HANDLE s, CK_MECHANISM_TYPE type, CK_OBJECT_HANDLE key)
{
	CK_MECHANISM m = mechanism(type, NULL, 0);
	CK_BYTE data[8] = { 0 }, sig[128];
	CK_ULONG n = sizeof(sig);

	assert_ok(p11->C_SignInit(s, &m, key));
	assert_ok(p11->C_Sign(s, data, sizeof(data), sig, &n));
}

static void look_for_secrets(void)
{
	expect_in_memory(false);
}

/*
 * What libcrypto makes of keys when it uses them goes with them: into no child, and at C_Finalize for good. Seen to fail:
 * with keys that are parsed into common memory.
 */
static void test_R09_numbers_of_pairs(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE rsa, ec;

	(void)state;
	secrets_n = 0;
	rsa = import_rsa(s);
	ec = import_p256(s);
	for (int i = 0; i < 2; i++) {
		sign_some(s, CKM_SHA256_RSA_PKCS, rsa);
		sign_some(s, CKM_ECDSA_SHA256, ec);
	}
	expect_in_memory(true);
	case_child(look_for_secrets);
	p11_finalize();
	expect_in_memory(false);
	p11_initialize();
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, p11_setup_token, p11_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_B032_exit),
		TEST(test_B032_exit_at_work),
		TEST(test_B032_dlclose),
		TEST(test_B034_waiter_wakes),
		TEST(test_B034_finalize_under_load),
		TEST(test_B034_many_finalize),
		TEST(test_B034_callbacks_are_forgotten),
		TEST(test_B034_no_threads),
		TEST(test_R09_fork),
		TEST(test_R09_numbers_of_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
