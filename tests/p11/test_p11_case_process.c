/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cases of a process's life (docs/CASES.md): B032 exit, B034 finalise against everything else, R09 fork. R13, the
 * calls outside of C_Initialize and C_Finalize, is in test_p11_lifecycle.
 */
#include "case.h"

#include <openssl/crypto.h>
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

/* As other libraries do: they know nothing of each other, and come in any order. */
static void at_exit(void)
{
	CK_RV rv = p11->C_CloseSession(open_session);

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
	p11_p256(open_session, NULL, NULL);
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
static CK_BYTE masked[32]; /* the key, so that the test has no copy of its own */
static int random_pipe[2];

static void sign_with(CK_SESSION_HANDLE s, CK_RV want_init)
{
	CK_MECHANISM m = mechanism(CKM_SHA256_HMAC, NULL, 0);

	assert_rv(p11->C_SignInit(s, &m, parents_key), want_init);
}

static bool is_key(const CK_BYTE *p)
{
	for (size_t i = 0; i < sizeof(masked); i++)
		if (p[i] != (CK_BYTE)(masked[i] ^ 0x5a))
			return false;
	return true;
}

/* Keys are aligned, so none lies across two pages. */
static bool key_in_page(FILE *mem, unsigned long at)
{
	static CK_BYTE page[4096];

	if (fseek(mem, (long)at, SEEK_SET) != 0 || fread(page, sizeof(page), 1, mem) != 1)
		return false;
	for (size_t i = 0; i + sizeof(masked) <= sizeof(page); i++)
		if (is_key(page + i))
			return true;
	return false;
}

/* Looks for the key in all memory that this process can write. */
static bool key_in_memory(void)
{
	FILE *maps = fopen("/proc/self/maps", "r"), *mem = fopen("/proc/self/mem", "r");
	unsigned long from, to;
	char line[512], mode[8];
	bool found = false;

	assert_true(maps != NULL && mem != NULL);
	(void)setvbuf(mem, NULL, _IONBF, 0);
	while (!found && fgets(line, sizeof(line), maps) != NULL)
		if (sscanf(line, "%lx-%lx %7s", &from, &to, mode) == 3 && mode[0] == 'r' &&
		    mode[1] == 'w')
			for (; from < to && !found; from += 4096)
				found = key_in_page(mem, from);
	(void)fclose(maps);
	(void)fclose(mem);
	return found;
}

static void child_of_login(void)
{
	CK_SESSION_HANDLE old = p11_session(), s;
	CK_SESSION_INFO info;
	CK_BYTE random[32];

	if (case_plain_memory())
		assert_false(key_in_memory());
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
	for (size_t i = 0; i < sizeof(plain); i++) {
		masked[i] = plain[i] ^ 0x5a;
		plain[i] = 0;
	}
	case_data(s, "private", "1", true);
	sign_with(s, CKR_OK); /* an operation under way, and the key parsed for it */
	if (case_plain_memory())
		assert_true(key_in_memory()); /* where it should be, the search finds it */
	assert_int_equal(pipe(random_pipe), 0);
	case_child(child_of_login);
	assert_ok(p11->C_Sign(s, plain, sizeof(plain), mac, &n));
	assert_ok(p11->C_GenerateRandom(s, plain, sizeof(plain)));
	assert_int_equal(read(random_pipe[0], childs, sizeof(childs)), sizeof(childs));
	assert_memory_not_equal(plain, childs, sizeof(plain));
	close(random_pipe[0]);
	close(random_pipe[1]);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, p11_setup_token, p11_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_B032_exit),
		TEST(test_B032_dlclose),
		TEST(test_B034_waiter_wakes),
		TEST(test_B034_finalize_under_load),
		TEST(test_B034_callbacks_are_forgotten),
		TEST(test_B034_no_threads),
		TEST(test_R09_fork),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
