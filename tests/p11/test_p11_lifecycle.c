/* SPDX-License-Identifier: Apache-2.0 */
/* Before C_Initialize, after C_Finalize and in between (case R13), and the arguments of both. */
#include "every.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static void before(void **state)
{
	(void)state;
	every_library_function(CKR_CRYPTOKI_NOT_INITIALIZED);
	every_session_function(1, CKR_CRYPTOKI_NOT_INITIALIZED);
	assert_rv(p11->C_Finalize(NULL), CKR_CRYPTOKI_NOT_INITIALIZED);
}

static void no_session(void **state)
{
	(void)state;
	every_session_function(0, CKR_SESSION_HANDLE_INVALID);
	every_session_function(1, CKR_SESSION_HANDLE_INVALID);
	every_session_function(CK_UNAVAILABLE_INFORMATION, CKR_SESSION_HANDLE_INVALID);
}

/* Nothing survives C_Finalize: not the session, not the login, not the handles. */
static void after(void **state)
{
	struct templ t = { 0 };
	CK_SESSION_HANDLE old = p11_session(), s;
	CK_SESSION_INFO info;
	CK_OBJECT_HANDLE key;
	CK_MECHANISM m = mechanism(CKM_SHA256_HMAC, NULL, 0);

	(void)state;
	key = p11_secret(old, CKM_GENERIC_SECRET_KEY_GEN, 32, CKA_SIGN);
	p11_finalize();
	every_library_function(CKR_CRYPTOKI_NOT_INITIALIZED);
	every_session_function(old, CKR_CRYPTOKI_NOT_INITIALIZED);
	p11_initialize();
	every_session_function(old, CKR_SESSION_HANDLE_INVALID);
	s = p11_open(p11_slot(), true);
	assert_ok(p11->C_GetSessionInfo(s, &info));
	assert_int_equal(info.state, CKS_RW_PUBLIC_SESSION);
	assert_rv(p11->C_SignInit(s, &m, key), CKR_KEY_HANDLE_INVALID);
	assert_int_equal(p11_count(s, &t), 0);
}

static CK_RV create_mutex(CK_VOID_PTR_PTR m)
{
	*m = NULL;
	return CKR_OK;
}

static CK_RV use_mutex(CK_VOID_PTR m)
{
	(void)m;
	return CKR_OK;
}

static void initialize_with(CK_C_INITIALIZE_ARGS args, CK_RV want)
{
	assert_rv(p11->C_Initialize(&args), want);
	if (want == CKR_OK) {
		assert_rv(p11->C_Initialize(&args), CKR_CRYPTOKI_ALREADY_INITIALIZED);
		p11_finalize();
	}
}

static void arguments(void **state)
{
	CK_C_INITIALIZE_ARGS none = { 0 };
	CK_C_INITIALIZE_ARGS all = { create_mutex, use_mutex, use_mutex, use_mutex, 0, NULL };
	CK_C_INITIALIZE_ARGS a;
	int x = 0;

	(void)state;
	assert_ok(p11->C_Initialize(NULL));
	assert_rv(p11->C_Initialize(NULL), CKR_CRYPTOKI_ALREADY_INITIALIZED);
	assert_rv(p11->C_Finalize(&x), CKR_ARGUMENTS_BAD);
	p11_finalize();
	initialize_with(none, CKR_OK);
	initialize_with(all, CKR_CANT_LOCK); /* their mutexes only */
	a = all;
	a.flags = CKF_OS_LOCKING_OK;
	initialize_with(a, CKR_OK);
	a = none;
	a.flags = CKF_OS_LOCKING_OK | CKF_LIBRARY_CANT_CREATE_OS_THREADS;
	initialize_with(a, CKR_OK);
	a = none;
	a.pReserved = &x;
	initialize_with(a, CKR_ARGUMENTS_BAD);
	a = all;
	a.UnlockMutex = NULL;
	initialize_with(a, CKR_ARGUMENTS_BAD);
	a = none;
	a.CreateMutex = create_mutex;
	initialize_with(a, CKR_ARGUMENTS_BAD);
}

static void info(void **state)
{
	CK_INFO i;

	(void)state;
	assert_rv(p11->C_GetInfo(NULL), CKR_ARGUMENTS_BAD);
	assert_ok(p11->C_GetInfo(&i));
	assert_int_equal(i.cryptokiVersion.major, 3);
	assert_int_equal(i.cryptokiVersion.minor, 2);
	assert_memory_equal(i.manufacturerID, "Chancery project                ", 32);
	assert_memory_equal(i.libraryDescription, "Chancery software HSM           ", 32);
	assert_int_equal(i.flags, 0);
}

/* errno is the host's, whatever a call does inside and however it ends. */
static void errno_kept(void **state)
{
	CK_OBJECT_HANDLE key, stored;
	CK_MECHANISM m = mechanism(CKM_SHA256, NULL, 0);
	struct templ t = { 0 };
	CK_ULONG n = 0;

	(void)state;
	templ_ulong(&t, CKA_CLASS, CKO_DATA);
	templ_bool(&t, CKA_TOKEN, true);
	errno = 12345;
	assert_ok(p11->C_CreateObject(p11_session(), t.a, t.n, &stored));
	assert_int_equal(errno, 12345);
	assert_ok(p11->C_DestroyObject(p11_session(), stored));
	assert_int_equal(errno, 12345);
	key = p11_secret(p11_session(), CKM_AES_KEY_GEN, 32, CKA_ENCRYPT);
	assert_ok(p11->C_DestroyObject(p11_session(), key));
	assert_ok(p11->C_DigestInit(p11_session(), &m));
	assert_rv(p11->C_Digest(p11_session(), NULL, 5, NULL, &n), CKR_ARGUMENTS_BAD);
	assert_rv(p11->C_CloseSession(0), CKR_SESSION_HANDLE_INVALID);
	assert_int_equal(errno, 12345);
}

static void unsupported(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_MECHANISM m = mechanism(CKM_AES_GCM, NULL, 0);
	CK_OBJECT_HANDLE h;
	CK_ULONG n = 0;

	(void)state;
	assert_rv(p11->C_MessageEncryptInit(s, &m, 1), CKR_FUNCTION_NOT_SUPPORTED);
	assert_rv(p11->C_EncryptMessage(s, NULL, 0, NULL, 0, NULL, 0, NULL, NULL),
		  CKR_ARGUMENTS_BAD);
	assert_rv(p11->C_EncryptMessage(s, NULL, 0, NULL, 0, NULL, 0, NULL, &n),
		  CKR_FUNCTION_NOT_SUPPORTED);
	assert_rv(p11->C_EncapsulateKey(s, &m, 1, NULL, 0, NULL, &n, &h),
		  CKR_FUNCTION_NOT_SUPPORTED);
	assert_rv(p11->C_EncapsulateKey(s, NULL, 1, NULL, 0, NULL, &n, &h), CKR_ARGUMENTS_BAD);
	assert_rv(p11->C_GetFunctionStatus(s), CKR_FUNCTION_NOT_PARALLEL);
	assert_rv(p11->C_CancelFunction(s), CKR_FUNCTION_NOT_PARALLEL);
}

static void validation_flags(void **state)
{
	CK_FLAGS flags = ~0UL;

	(void)state;
	assert_rv(p11->C_GetSessionValidationFlags(p11_session(), CKS_LAST_VALIDATION_OK, NULL),
		  CKR_ARGUMENTS_BAD);
	assert_rv(p11->C_GetSessionValidationFlags(p11_session(), 99, &flags), CKR_ARGUMENTS_BAD);
	assert_ok(p11->C_GetSessionValidationFlags(p11_session(), CKS_LAST_VALIDATION_OK, &flags));
	assert_int_equal(flags, 0);
}

/* ---- C_Finalize against calls of other threads ---- */

static atomic_bool stop;
static atomic_ulong calls;

/* A worker checks what it gets: a right digest, or an error that says why there is none. */
static void *worker(void *arg)
{
	static const CK_BYTE want[4] = { 0xba, 0x78, 0x16, 0xbf }; /* SHA-256("abc") */
	CK_BYTE abc[] = "abc", md[32];
	CK_MECHANISM m = mechanism(CKM_SHA256, NULL, 0);
	CK_SLOT_ID id = *(CK_SLOT_ID *)arg;

	while (!atomic_load(&stop)) {
		CK_ULONG n = sizeof(md);
		CK_SESSION_HANDLE s;
		CK_RV rv = p11->C_OpenSession(id, CKF_SERIAL_SESSION, NULL, NULL, &s);

		if (rv == CKR_OK)
			rv = p11->C_DigestInit(s, &m);
		if (rv == CKR_OK)
			rv = p11->C_Digest(s, abc, 3, md, &n);
		if (rv == CKR_OK && memcmp(md, want, sizeof(want)) != 0)
			return arg;
		if (rv == CKR_OK)
			rv = p11->C_CloseSession(s);
		if (rv != CKR_OK && rv != CKR_CRYPTOKI_NOT_INITIALIZED &&
		    rv != CKR_SESSION_HANDLE_INVALID)
			return arg;
		atomic_fetch_add(&calls, 1);
	}
	return NULL;
}

static void finalize_under_load(void **state)
{
	enum { THREADS = 4, ROUNDS = 100 };
	CK_SLOT_ID id = p11_slot();
	pthread_t t[THREADS];
	void *bad = NULL;

	(void)state;
	atomic_store(&stop, false);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&t[i], NULL, worker, &id), 0);
	for (int i = 0; i < ROUNDS; i++) {
		usleep(500);
		p11_finalize();
		p11_initialize();
	}
	atomic_store(&stop, true);
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(t[i], &bad), 0);
		assert_null(bad);
	}
	assert_true(atomic_load(&calls) > 0);
}

int main(void)
{
#define TEST(f, setup) cmocka_unit_test_setup_teardown(f, setup, p11_teardown)
	const struct CMUnitTest tests[] = {
		TEST(before, p11_setup_only_loaded),
		TEST(no_session, p11_setup),
		TEST(after, p11_setup_token),
		TEST(arguments, p11_setup_only_loaded),
		TEST(info, p11_setup),
		TEST(errno_kept, p11_setup_token),
		TEST(unsupported, p11_setup_token),
		TEST(validation_flags, p11_setup_token),
		TEST(finalize_under_load, p11_setup_token),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
