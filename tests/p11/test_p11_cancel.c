/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that the host cancels ends after its call, with whatever that did; nobody else waits for what it held. Each call is made with the
 * cancellation pending, so the first system call within that is a cancellation point would end it. Broken by hand: call-ends-cancelled.
 */
#include "case.h"
#include "rolls.h"

#include <pthread.h>
#include <unistd.h>

enum { HANGS_AFTER_S = 60 };

static CK_OBJECT_HANDLE key;

static CK_RV call_sign(CK_SESSION_HANDLE s)
{
	CK_MECHANISM m = mechanism(CKM_SHA256_HMAC, NULL, 0);
	CK_BYTE data[8] = { 1 }, tag[64];
	CK_ULONG n = sizeof(tag);
	CK_RV rv = p11->C_SignInit(s, &m, key);

	return rv == CKR_OK ? p11->C_Sign(s, data, sizeof(data), tag, &n) : rv;
}

static CK_RV call_generate(CK_SESSION_HANDLE s)
{
	CK_MECHANISM m = mechanism(CKM_GENERIC_SECRET_KEY_GEN, NULL, 0);
	struct templ t = { 0 };

	templ_ulong(&t, CKA_VALUE_LEN, 32);
	templ_flags(&t, CKA_TOKEN, CKA_SIGN, CKA_VERIFY);
	return p11->C_GenerateKey(s, &m, t.a, t.n, &key);
}

static CK_RV call_checkpoint(CK_SESSION_HANDLE s)
{
	(void)s;
	return p11_vendor()->AuditCheckpoint();
}

static CK_RV call_again(CK_SESSION_HANDLE s)
{
	CK_C_INITIALIZE_ARGS args = { .flags = CKF_OS_LOCKING_OK };
	CK_RV rv = p11->C_Finalize(NULL);

	(void)s;
	return rv == CKR_OK ? p11->C_Initialize(&args) : rv;
}

struct cancelled {
	CK_RV (*call)(CK_SESSION_HANDLE s);
	CK_SESSION_HANDLE s;
	CK_RV rv; /* CKR_CANCEL: the call did not come to its end */
};

static void *work(void *arg)
{
	struct cancelled *c = arg;

	(void)pthread_cancel(pthread_self());
	c->rv = c->call(c->s);
	pthread_testcancel();
	return NULL;
}

static void cancel_in(CK_RV (*call)(CK_SESSION_HANDLE s), CK_SESSION_HANDLE s)
{
	struct cancelled c = { call, s, CKR_CANCEL };
	void *end = NULL;
	pthread_t t;

	assert_int_equal(pthread_create(&t, NULL, work, &c), 0);
	assert_int_equal(pthread_join(t, &end), 0);
	assert_rv(c.rv, CKR_OK);
	assert_ptr_equal(end, PTHREAD_CANCELED);
}

static void test_cancelled(void **state)
{
	CK_SESSION_HANDLE s = p11_session();

	(void)state;
	alarm(HANGS_AFTER_S);
	cancel_in(call_generate, s);
	cancel_in(call_sign, s);
	cancel_in(call_checkpoint, s);
	assert_ok(call_sign(s));
	cancel_in(call_again, s);
	p11_finalize();
	alarm(0);
	assert_int_equal(rolls_verify(""), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_cancelled, p11_setup_token, p11_teardown),
	};

	return cmocka_run_group_tests_name("p11_cancel", tests, NULL, NULL);
}
