/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions: handles, flags, states, the end of a session, many of them, threads. */
#include "office.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

#define MANY 100000

static CK_SLOT_ID slot;

static int open_all(void **state)
{
	office_open(state);
	slot = office_token("sessions");
	return 0;
}

static enum err open_with(CK_FLAGS flags, CK_SESSION_HANDLE *h)
{
	struct token *t = office_at(slot);
	enum err e;

	assert_int_equal(lib_enter(), OK);
	e = session_open(t, flags, NULL, NULL, h);
	lib_leave();
	return e;
}

static enum err alive(CK_SESSION_HANDLE h)
{
	struct session *s;
	enum err e = session_get(h, &s);

	if (e == OK)
		session_put(s);
	return e;
}

static CK_SESSION_INFO info_of(CK_SESSION_HANDLE h)
{
	CK_SESSION_INFO info;
	struct session *s;

	assert_int_equal(session_get(h, &s), OK);
	assert_int_equal(session_info(s, &info), OK);
	session_put(s);
	return info;
}

static void flags_are_checked(void **state)
{
	static const struct {
		CK_FLAGS flags;
		enum err e;
	} rows[] = {
		{ 0, E_SESSION_PARALLEL },
		{ CKF_RW_SESSION, E_SESSION_PARALLEL },
		{ CKF_SERIAL_SESSION | CKF_ASYNC_SESSION, E_SESSION_ASYNC },
		{ CKF_SERIAL_SESSION | 0x100, E_ARGUMENTS },
	};
	CK_SESSION_HANDLE h = 42;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(open_with(rows[i].flags, &h), rows[i].e);
	assert_int_equal(h, 42);
}

static void handles_die_with_their_session(void **state)
{
	CK_SESSION_HANDLE a = office_session(slot, false), b;

	(void)state;
	assert_int_equal(alive(a), OK);
	assert_int_equal(office_close_session(a), OK);
	assert_int_equal(alive(a), E_SESSION);
	assert_int_equal(office_close_session(a), E_SESSION);
	b = office_session(slot, false); /* in the same place */
	assert_int_not_equal(a, b);
	assert_int_equal(alive(a), E_SESSION);
	assert_int_equal(alive(b), OK);
	assert_int_equal(office_close_session(b), OK);
}

static void handles_that_never_were(void **state)
{
	static const CK_SESSION_HANDLE bad[] = { 0, 1, ~0UL, 1UL << 24 | 0xffffff, 1UL << 63 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(alive(bad[i]), E_SESSION);
		assert_int_equal(office_close_session(bad[i]), E_SESSION);
	}
}

static void info_tells_state_and_flags(void **state)
{
	CK_SESSION_HANDLE ro = office_session(slot, false), rw = office_session(slot, true);

	(void)state;
	assert_int_equal(info_of(ro).slotID, slot);
	assert_int_equal(info_of(ro).flags, CKF_SERIAL_SESSION);
	assert_int_equal(info_of(ro).state, CKS_RO_PUBLIC_SESSION);
	assert_int_equal(info_of(rw).flags, CKF_SERIAL_SESSION | CKF_RW_SESSION);
	assert_int_equal(info_of(rw).state, CKS_RW_PUBLIC_SESSION);
	assert_int_equal(office_login(ro, CKU_USER, USER_PIN), OK);
	assert_int_equal(info_of(ro).state, CKS_RO_USER_FUNCTIONS);
	assert_int_equal(info_of(rw).state, CKS_RW_USER_FUNCTIONS);
	assert_int_equal(office_close_session(ro), OK);
	assert_int_equal(info_of(rw).state, CKS_RW_USER_FUNCTIONS);
	assert_int_equal(office_close_session(rw), OK);
}

static void so_and_read_only_exclude_each_other(void **state)
{
	CK_SESSION_HANDLE ro = office_session(slot, false), rw = office_session(slot, true), h;

	(void)state;
	assert_int_equal(office_login(rw, CKU_SO, SO_PIN), E_SESSION_READ_ONLY_EXISTS);
	assert_int_equal(office_close_session(ro), OK);
	assert_int_equal(office_login(rw, CKU_SO, SO_PIN), OK);
	assert_int_equal(info_of(rw).state, CKS_RW_SO_FUNCTIONS);
	assert_int_equal(open_with(CKF_SERIAL_SESSION, &h), E_SESSION_SO_EXISTS);
	assert_int_equal(open_with(CKF_SERIAL_SESSION | CKF_RW_SESSION, &h), OK);
	assert_int_equal(office_close_session(h), OK);
	assert_int_equal(office_close_session(rw), OK);
}

static void the_last_session_logs_out(void **state)
{
	CK_SESSION_HANDLE a = office_user(slot), b = office_session(slot, false);

	(void)state;
	assert_int_equal(office_close_session(a), OK);
	assert_int_equal(info_of(b).state, CKS_RO_USER_FUNCTIONS);
	assert_int_equal(office_close_session(b), OK);
	a = office_session(slot, true);
	assert_int_equal(info_of(a).state, CKS_RW_PUBLIC_SESSION);
	assert_int_equal(office_close_session(a), OK);
}

static void session_objects_die_with_it(void **state)
{
	CK_SESSION_HANDLE a = office_session(slot, false), b = office_session(slot, false);
	CK_OBJECT_HANDLE of_a = office_put(a, (struct thing){ "of a", NULL, false, false });
	CK_OBJECT_HANDLE of_b = office_put(b, (struct thing){ "of b", NULL, false, false });
	CK_ULONG v = 0;

	(void)state;
	assert_int_equal(office_get(b, of_a, &v), OK); /* seen by every session */
	assert_int_equal(office_close_session(a), OK);
	assert_int_equal(office_get(b, of_a, &v), E_OBJECT_HANDLE);
	assert_int_equal(office_get(b, of_b, &v), OK);
	assert_int_equal(office_find(b, NULL, NULL), 1);
	assert_int_equal(office_close_session(b), OK);
}

static void close_all_closes_those_of_one_token(void **state)
{
	CK_SLOT_ID other = office_token("other");
	CK_SESSION_HANDLE mine[50], its = office_session(other, false);
	struct token *t = office_at(slot);

	(void)state;
	for (size_t i = 0; i < 50; i++)
		mine[i] = office_session(slot, i % 2 != 0);
	assert_int_equal(lib_enter(), OK);
	assert_int_equal(session_close_all(t), OK);
	lib_leave();
	for (size_t i = 0; i < 50; i++)
		assert_int_equal(alive(mine[i]), E_SESSION);
	assert_int_equal(alive(its), OK);
	assert_int_equal(office_close_session(its), OK);
}

/* The last handle of many works and logs in. */
static void many_sessions(void **state)
{
	CK_SESSION_HANDLE *h = calloc(MANY, sizeof(*h));

	(void)state;
	assert_non_null(h);
	for (size_t i = 0; i < MANY; i++)
		assert_int_equal(open_with(CKF_SERIAL_SESSION | CKF_RW_SESSION, &h[i]), OK);
	assert_int_equal(office_login(h[MANY - 1], CKU_USER, USER_PIN), OK);
	assert_int_equal(info_of(h[0]).state, CKS_RW_USER_FUNCTIONS);
	for (size_t i = 0; i < MANY; i++)
		assert_int_equal(office_close_session(h[i]), OK);
	free(h);
}

/* ---- two threads in one session ---- */

static atomic_bool inside;

static void *enter(void *arg)
{
	struct session *s;
	const CK_SESSION_HANDLE *h = arg;

	assert_int_equal(session_get(*h, &s), OK);
	atomic_store(&inside, true);
	session_put(s);
	return NULL;
}

/* The second one waits until the first has left. */
static void one_after_the_other(void **state)
{
	const struct timespec while_we_are_inside = { 0, 50000000 };
	CK_SESSION_HANDLE h;
	struct session *s;
	pthread_t other;

	(void)state;
	h = office_session(slot, true);
	assert_int_equal(session_get(h, &s), OK);
	atomic_store(&inside, false);
	assert_int_equal(pthread_create(&other, NULL, enter, &h), 0);
	nanosleep(&while_we_are_inside, NULL);
	assert_false(atomic_load(&inside));
	session_put(s);
	assert_int_equal(pthread_join(other, NULL), 0);
	assert_true(atomic_load(&inside));
	assert_int_equal(office_close_session(h), OK);
}

/* ---- threads ---- */

#define THREADS 8
#define ROUNDS  20000

static _Atomic(CK_SESSION_HANDLE) shared;
static atomic_ulong unexpected;

static void expect(enum err e, enum err allowed)
{
	if (e != OK && e != allowed)
		atomic_fetch_add(&unexpected, 1);
}

/* Opens and closes its own, and closes and uses what others have opened. */
static void *traffic(void *arg)
{
	struct token *t = arg;

	for (int i = 0; i < ROUNDS; i++) {
		CK_SESSION_HANDLE h = 0, old;

		expect(lib_enter(), OK);
		expect(session_open(t, CKF_SERIAL_SESSION, NULL, NULL, &h), OK);
		lib_leave();
		expect(alive(h), i % 4 == 0 ? OK : E_SESSION);
		if (i % 4 == 0) {
			old = atomic_exchange(&shared, h);
			expect(alive(old), E_SESSION);
			expect(office_close_session(old), E_SESSION);
		} else {
			expect(office_close_session(h), OK);
		}
		expect(alive(atomic_load(&shared)), E_SESSION);
	}
	return NULL;
}

static void threads_open_and_close(void **state)
{
	struct token *t = office_at(slot);
	pthread_t threads[THREADS];

	(void)state;
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, traffic, t), 0);
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(atomic_load(&unexpected), 0);
	assert_int_equal(office_close_session(atomic_load(&shared)), OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flags_are_checked),
		cmocka_unit_test(handles_die_with_their_session),
		cmocka_unit_test(handles_that_never_were),
		cmocka_unit_test(info_tells_state_and_flags),
		cmocka_unit_test(so_and_read_only_exclude_each_other),
		cmocka_unit_test(the_last_session_logs_out),
		cmocka_unit_test(session_objects_die_with_it),
		cmocka_unit_test(close_all_closes_those_of_one_token),
		cmocka_unit_test(many_sessions),
		cmocka_unit_test(one_after_the_other),
		cmocka_unit_test(threads_open_and_close),
	};

	return cmocka_run_group_tests(tests, open_all, office_close);
}
