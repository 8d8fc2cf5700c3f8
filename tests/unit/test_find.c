/* SPDX-License-Identifier: Apache-2.0 */
/* Searches: exact matches, snapshots, what becomes of a remembered question, many objects. */
#include "office.h"

#include "core/find.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

/* ---- what matches ---- */

static void exact_matches_only(void **state)
{
	CK_SESSION_HANDLE h;
	CK_OBJECT_HANDLE a, b, found;

	office_open(state);
	h = office_user(office_token("match"));
	a = office_put(h, (struct thing){ "label", "id", true, true });
	b = office_put(h, (struct thing){ "label", "other", false, false });
	office_put(h, (struct thing){ "", "", true, false });
	assert_int_equal(office_find(h, NULL, NULL), 3);
	assert_int_equal(office_find_label(h, "label", &found), 2);
	assert_int_equal(found, a); /* the oldest first */
	assert_int_equal(office_find_label(h, "labe", NULL), 0);
	assert_int_equal(office_find_label(h, "label2", NULL), 0);
	assert_int_equal(office_find_label(h, "", NULL), 1);
	assert_int_equal(office_find(h, ATTRS(TEXT(CKA_ID, "id")), &found), 1);
	assert_int_equal(found, a);
	assert_int_equal(
		office_find(h, ATTRS(TEXT(CKA_ID, "other"), TEXT(CKA_LABEL, "label")), &found), 1);
	assert_int_equal(found, b);
	assert_int_equal(office_find(h, ATTRS(TEXT(CKA_ID, "id"), TEXT(CKA_LABEL, "no")), NULL), 0);
	assert_int_equal(office_find(h, ATTRS(FLAG(CKA_TOKEN, true)), NULL), 2);
	assert_int_equal(office_find(h, ATTRS(FLAG(CKA_TOKEN, false)), &found), 1);
	assert_int_equal(found, b);
	assert_int_equal(office_find(h, ATTRS(NUM(CKA_CLASS, CKO_SECRET_KEY)), NULL), 3);
	assert_int_equal(office_find(h, ATTRS(NUM(CKA_CLASS, CKO_CERTIFICATE)), NULL), 0);
	assert_int_equal(office_find(h, ATTRS(NUM(CKA_MODULUS_BITS, 2048)), NULL), 0);
}

/* A process that starts afresh finds the same, by whatever question comes first. */
static void questions_in_any_order(void **state)
{
	CK_SLOT_ID id;
	CK_SESSION_HANDLE h;
	static const char *const labels[] = { "one", "two", "three" };

	office_open(state);
	id = office_token("order");
	h = office_user(id);
	for (size_t i = 0; i < 30; i++)
		office_put(h, (struct thing){ labels[i % 3], i % 2 != 0 ? "odd" : "even", true,
					      i % 5 == 0 });
	for (int first = 0; first < 4; first++) {
		assert_int_equal(lib_finalize(), OK);
		assert_int_equal(lib_initialize(NULL), OK);
		h = office_session(id, true);
		if (first == 0)
			assert_int_equal(office_find_label(h, "one", NULL), 8);
		if (first == 1)
			assert_int_equal(office_find(h, NULL, NULL), 24);
		if (first == 2)
			assert_int_equal(office_find(h, ATTRS(TEXT(CKA_ID, "odd")), NULL), 12);
		assert_int_equal(office_login(h, CKU_USER, USER_PIN), OK);
		assert_int_equal(office_find_label(h, "one", NULL), 10);
		assert_int_equal(office_find_label(h, "two", NULL), 10);
		assert_int_equal(office_find(h, ATTRS(TEXT(CKA_ID, "odd")), NULL), 15);
		assert_int_equal(office_find(h, ATTRS(NUM(CKA_CLASS, CKO_SECRET_KEY)), NULL), 30);
		assert_int_equal(office_find(h, NULL, NULL), 30);
		assert_int_equal(office_logout(h), OK);
		assert_int_equal(office_find_label(h, "one", NULL), 8);
		assert_int_equal(office_find(h, NULL, NULL), 24);
	}
}

static void what_changes_is_found_by_what_it_is_now(void **state)
{
	CK_SESSION_HANDLE h;
	CK_OBJECT_HANDLE o, found;

	office_open(state);
	h = office_user(office_token("now"));
	assert_int_equal(office_find_label(h, "later", NULL), 0); /* remembered */
	o = office_put(h, (struct thing){ "later", NULL, true, true });
	assert_int_equal(office_find_label(h, "later", &found), 1);
	assert_int_equal(found, o);
	assert_int_equal(office_find(h, ATTRS(NUM(CKA_VALUE, 1)), NULL), 1);
	assert_int_equal(office_set(h, o, 2), OK);
	assert_int_equal(office_find(h, ATTRS(NUM(CKA_VALUE, 1)), NULL), 0);
	assert_int_equal(office_find(h, ATTRS(NUM(CKA_VALUE, 2)), NULL), 1);
	assert_int_equal(office_destroy(h, o), OK);
	assert_int_equal(office_find_label(h, "later", NULL), 0);
}

/* ---- the calls ---- */

static enum err begin(CK_SESSION_HANDLE h, struct templ t)
{
	struct session *s;
	enum err e;

	assert_int_equal(session_get(h, &s), OK);
	e = find_init(s, t);
	session_put(s);
	return e;
}

static enum err next(CK_SESSION_HANDLE h, CK_OBJECT_HANDLE *o, CK_ULONG max, CK_ULONG *n)
{
	struct session *s;
	enum err e;

	assert_int_equal(session_get(h, &s), OK);
	e = find_next(s, o, max, n);
	session_put(s);
	return e;
}

static enum err end(CK_SESSION_HANDLE h)
{
	struct session *s;
	enum err e;

	assert_int_equal(session_get(h, &s), OK);
	e = find_final(s);
	session_put(s);
	return e;
}

static void a_search_is_a_snapshot(void **state)
{
	CK_OBJECT_HANDLE o[4], got[8];
	CK_SESSION_HANDLE h;
	CK_ULONG n = 0;

	office_open(state);
	h = office_user(office_token("snapshot"));
	for (size_t i = 0; i < 4; i++)
		o[i] = office_put(h, (struct thing){ "s", NULL, i % 2 == 0, i < 3 });
	assert_int_equal(next(h, got, 1, &n), E_NO_OPERATION);
	assert_int_equal(end(h), E_NO_OPERATION);
	assert_int_equal(begin(h, (struct templ){ NULL, 0 }), OK);
	assert_int_equal(begin(h, (struct templ){ NULL, 0 }), E_OPERATION_ACTIVE);
	assert_int_equal(next(h, got, 1, &n), OK);
	assert_int_equal(n, 1);
	assert_int_equal(got[0], o[0]);
	assert_int_equal(office_destroy(h, o[1]), OK);              /* is skipped */
	office_put(h, (struct thing){ "new", NULL, false, false }); /* is not seen */
	assert_int_equal(next(h, got, 8, &n), OK);
	assert_int_equal(n, 2);
	assert_true(got[0] == o[2] && got[1] == o[3]);
	assert_int_equal(next(h, got, 8, &n), OK);
	assert_int_equal(n, 0);
	assert_int_equal(end(h), OK);
	assert_int_equal(end(h), E_NO_OPERATION);
	/* after a logout, no private objects */
	assert_int_equal(begin(h, (struct templ){ NULL, 0 }), OK);
	assert_int_equal(office_logout(h), OK);
	assert_int_equal(next(h, got, 8, &n), OK);
	assert_int_equal(n, 2);
	assert_int_equal(end(h), OK);
}

static void bad_templates(void **state)
{
	CK_BBOOL two = 2;
	CK_ATTRIBUTE bad[] = { { CKA_TOKEN, &two, sizeof(two) } };
	CK_SESSION_HANDLE h;

	office_open(state);
	h = office_session(office_token("bad"), false);
	assert_int_equal(begin(h, (struct templ){ NULL, 1 }), E_ARGUMENTS);
	assert_int_equal(begin(h, (struct templ){ bad, 1 }), E_ATTR_VALUE);
	assert_int_equal(begin(h, (struct templ){ NULL, 0 }), OK); /* nothing was left active */
	assert_int_equal(end(h), OK);
}

/* ---- a question is asked while others write ---- */

#define WRITERS 3
#define READERS 2
#define EACH    60

static CK_SLOT_ID slot;
static atomic_int written;
static atomic_ulong missed;

static void *write_some(void *arg)
{
	CK_SESSION_HANDLE h = office_session(slot, true);
	char label[16];

	for (int i = 0; i < EACH; i++) {
		snprintf(label, sizeof(label), "%d-%d", *(const int *)arg, i);
		office_put(h, (struct thing){ label, "all", true, true });
		/* what is acknowledged is found at once */
		if (office_find_label(h, label, NULL) != 1)
			atomic_fetch_add(&missed, 1);
		atomic_fetch_add(&written, 1);
	}
	office_close_session(h);
	return NULL;
}

static void *read_some(void *arg)
{
	CK_SESSION_HANDLE h = office_session(slot, false);

	(void)arg;
	while (atomic_load(&written) < WRITERS * EACH) {
		size_t before = (size_t)atomic_load(&written);

		if (office_find(h, ATTRS(TEXT(CKA_ID, "all")), NULL) < before)
			atomic_fetch_add(&missed, 1);
	}
	office_close_session(h);
	return NULL;
}

static void threads_write_and_search(void **state)
{
	static int number[WRITERS] = { 0, 1, 2 };
	pthread_t t[WRITERS + READERS];
	CK_SESSION_HANDLE h;

	office_open(state);
	slot = office_token("threads");
	h = office_user(slot);
	for (size_t i = 0; i < WRITERS; i++)
		assert_int_equal(pthread_create(&t[i], NULL, write_some, &number[i]), 0);
	for (size_t i = WRITERS; i < WRITERS + READERS; i++)
		assert_int_equal(pthread_create(&t[i], NULL, read_some, NULL), 0);
	for (size_t i = 0; i < WRITERS + READERS; i++)
		assert_int_equal(pthread_join(t[i], NULL), 0);
	assert_int_equal(atomic_load(&missed), 0);
	assert_int_equal(office_find(h, ATTRS(TEXT(CKA_ID, "all")), NULL), WRITERS * EACH);
}

static int write_in_process(void *arg)
{
	int number = *(const int *)arg;

	if (lib_initialize(NULL) != OK)
		return 1;
	office_user(slot);
	write_some(&number);
	return atomic_load(&missed) == 0 ? 0 : 2;
}

/* Questions that were answered stay complete whatever other processes add. */
static void processes_write_and_we_search(void **state)
{
	int number = 7;
	CK_SESSION_HANDLE h;
	size_t n = 0, now;
	pid_t pid;

	office_open(state);
	slot = office_token("processes");
	h = office_user(slot);
	pid = office_fork(write_in_process, &number);
	while (n < EACH) {
		now = office_find(h, ATTRS(TEXT(CKA_ID, "all")), NULL);
		assert_true(now >= n);
		n = now;
	}
	assert_int_equal(office_wait(pid), 0);
	assert_int_equal(office_find_label(h, "7-59", NULL), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(exact_matches_only, office_reset),
		cmocka_unit_test_teardown(questions_in_any_order, office_reset),
		cmocka_unit_test_teardown(what_changes_is_found_by_what_it_is_now, office_reset),
		cmocka_unit_test_teardown(a_search_is_a_snapshot, office_reset),
		cmocka_unit_test_teardown(bad_templates, office_reset),
		cmocka_unit_test_teardown(threads_write_and_search, office_reset),
		cmocka_unit_test_teardown(processes_write_and_we_search, office_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
