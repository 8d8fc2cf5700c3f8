/* SPDX-License-Identifier: Apache-2.0 */
/* Objects: handles, who sees and changes them, other processes, threads that use what others destroy. */
#include "office.h"

#include "core/token_internal.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

static const struct thing token_private = { "token private", "1", true, true };
static const struct thing token_public = { "token public", "2", true, false };
static const struct thing session_private = { "session private", "3", false, true };
static const struct thing session_public = { "session public", "4", false, false };

/* ---- who may ---- */

static enum err try(CK_SESSION_HANDLE h, struct thing t)
{
	enum err e;

	office_thing(h, t, &e);
	return e;
}

static void who_may_create(void **state)
{
	CK_SLOT_ID id;
	CK_SESSION_HANDLE ro, rw;

	office_open(state);
	id = office_token("create");
	ro = office_session(id, false);
	rw = office_session(id, true);
	/* nobody is logged in */
	assert_int_equal(try(ro, session_public), OK);
	assert_int_equal(try(ro, session_private), E_NOT_LOGGED_IN);
	assert_int_equal(try(ro, token_public), E_SESSION_READ_ONLY);
	assert_int_equal(try(rw, token_private), E_NOT_LOGGED_IN);
	assert_int_equal(try(rw, token_public), E_NOT_LOGGED_IN);
	/* the user */
	assert_int_equal(office_login(rw, CKU_USER, USER_PIN), OK);
	assert_int_equal(try(ro, session_private), OK);
	assert_int_equal(try(ro, token_private), E_SESSION_READ_ONLY);
	assert_int_equal(try(rw, token_private), OK);
	assert_int_equal(try(rw, token_public), OK);
	assert_int_equal(office_logout(rw), OK);
	/* the SO */
	assert_int_equal(office_close_session(ro), OK);
	assert_int_equal(office_login(rw, CKU_SO, SO_PIN), OK);
	assert_int_equal(try(rw, token_public), OK);
	assert_int_equal(try(rw, token_private), E_NOT_LOGGED_IN);
	assert_int_equal(try(rw, session_private), E_NOT_LOGGED_IN);
	assert_int_equal(office_find_label(rw, "token private", NULL), 0);
	assert_int_equal(office_find_label(rw, "token public", NULL), 2);
}

static void public_write_if_configured_so(void **state)
{
	CK_SESSION_HANDLE h;
	CK_OBJECT_HANDLE o;
	CK_SLOT_ID id;

	(void)state;
	office_home();
	office_conf("[module]\npublic_write = on\n");
	assert_int_equal(lib_initialize(NULL), OK);
	id = office_token("public");
	h = office_session(id, true);
	o = office_put(h, token_public);
	assert_int_equal(office_set(h, o, 5), OK);
	assert_int_equal(try(h, token_private), E_NOT_LOGGED_IN);
	assert_int_equal(office_destroy(h, o), OK);
}

/* ---- logout ---- */

static void private_handles_die_at_logout(void **state)
{
	CK_SESSION_HANDLE h;
	CK_OBJECT_HANDLE tp, tu, sp, su, again;
	CK_ULONG v = 0;

	office_open(state);
	h = office_user(office_token("logout"));
	tp = office_put(h, token_private);
	tu = office_put(h, token_public);
	sp = office_put(h, session_private);
	su = office_put(h, session_public);
	assert_int_equal(office_find(h, NULL, NULL), 4);
	assert_int_equal(office_logout(h), OK);
	assert_int_equal(office_get(h, tp, &v), E_OBJECT_HANDLE);
	assert_int_equal(office_get(h, sp, &v), E_OBJECT_HANDLE);
	assert_int_equal(office_get(h, tu, &v), OK);
	assert_int_equal(office_get(h, su, &v), OK);
	assert_int_equal(office_find(h, NULL, NULL), 2);
	assert_int_equal(office_login(h, CKU_USER, USER_PIN), OK);
	assert_int_equal(office_get(h, tp, &v), E_OBJECT_HANDLE); /* stays dead */
	assert_int_equal(office_find_label(h, "token private", &again), 1);
	assert_int_not_equal(again, tp);
	assert_int_equal(office_find_label(h, "session private", NULL), 0);
}

/* ---- rows that lay a key open ---- */

/* Whoever can seal can write any row; but what may not be read is not taken from one that lies there in the clear. */
static void laid_open_is_refused(void **state)
{
	struct record r = { .sight = SIGHT_ALL };
	struct store_change c = { CHANGE_CREATE, &r };
	CK_SESSION_HANDLE h;
	struct token *t;
	CK_SLOT_ID id;

	office_open(state);
	id = office_token("laid open");
	h = office_user(id);
	t = office_at(id);
	r.attrs = ATTRS(NUM(CKA_CLASS, CKO_SECRET_KEY), NUM(CKA_KEY_TYPE, CKK_GENERIC_SECRET),
			FLAG(CKA_TOKEN, true), FLAG(CKA_PRIVATE, false), FLAG(CKA_SENSITIVE, true),
			TEXT(CKA_LABEL, "laid open"), TEXT(CKA_VALUE, "for all to see"));
	assert_int_equal(store_commit(t->access->medium->store, t->access->seal, &c, 1, NULL), OK);
	record_clear(&r);
	assert_int_equal(office_find_label(h, "laid open", NULL), 0);
	assert_int_equal(office_logout(h), OK);
	assert_int_equal(office_find_label(h, "laid open", NULL), 0);
}

/* ---- changes ---- */

static void change_and_destroy(void **state)
{
	CK_SESSION_HANDLE h, ro;
	CK_OBJECT_HANDLE o[2];
	CK_SLOT_ID id;
	CK_ULONG v = 0;

	office_open(state);
	id = office_token("change");
	h = office_user(id);
	ro = office_session(id, false);
	o[0] = office_put(h, token_private);
	o[1] = office_put(h, session_private);
	assert_int_equal(office_set(ro, o[0], 9), E_SESSION_READ_ONLY);
	assert_int_equal(office_destroy(ro, o[0]), E_SESSION_READ_ONLY);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(office_set(h, o[i], 7), OK);
		assert_int_equal(office_get(ro, o[i], &v), OK);
		assert_int_equal(v, 7);
		assert_int_equal(office_destroy(h, o[i]), OK);
		assert_int_equal(office_get(h, o[i], &v), E_OBJECT_HANDLE);
		assert_int_equal(office_destroy(h, o[i]), E_OBJECT_HANDLE);
	}
	assert_int_equal(office_find(h, NULL, NULL), 0);
}

static void two_come_together_or_not_at_all(void **state)
{
	struct object *o[2] = { NULL, NULL };
	CK_OBJECT_HANDLE h[2] = { 0, 0 };
	struct session *s;
	CK_SESSION_HANDLE user;
	struct attrset *pub, *priv;

	office_open(state);
	user = office_session(office_token("pairs"), true);
	pub = ATTRS(NUM(CKA_CLASS, CKO_DATA), FLAG(CKA_TOKEN, false), FLAG(CKA_PRIVATE, false));
	priv = ATTRS(NUM(CKA_CLASS, CKO_DATA), FLAG(CKA_TOKEN, true), FLAG(CKA_PRIVATE, true));
	assert_int_equal(object_new(pub, false, &o[0]), OK);
	assert_int_equal(object_new(priv, false, &o[1]), OK);
	assert_int_equal(session_get(user, &s), OK);
	assert_int_equal(token_add_all(s->token, s, NULL, o, h, 2), E_NOT_LOGGED_IN);
	session_put(s);
	assert_int_equal(office_find(user, NULL, NULL), 0);
}

/* ---- other processes ---- */

struct meeting {
	CK_SLOT_ID slot;
	int to_child[2], to_parent[2]; /* one byte each: your turn */
};

static void pass(int fd)
{
	assert_int_equal(write(fd, "x", 1), 1);
}

static void await(int fd)
{
	char c;

	assert_int_equal(read(fd, &c, 1), 1);
}

/* Changes one object, destroys one, adds one, whenever it is its turn. */
static int other_process(void *arg)
{
	const struct meeting *m = arg;
	CK_SESSION_HANDLE h;
	CK_OBJECT_HANDLE o;

	await(m->to_child[0]);
	assert_int_equal(lib_initialize(NULL), OK);
	h = office_user(m->slot);
	assert_int_equal(office_find_label(h, "changed", &o), 1);
	assert_int_equal(office_set(h, o, 77), OK);
	assert_int_equal(office_find_label(h, "destroyed", &o), 1);
	assert_int_equal(office_destroy(h, o), OK);
	office_put(h, (struct thing){ "added", NULL, true, true });
	pass(m->to_parent[1]);
	await(m->to_child[0]);
	/* and sees what the parent did meanwhile */
	assert_int_equal(office_find_label(h, "by the parent", NULL), 1);
	assert_int_equal(office_find_label(h, "added", NULL), 0);
	return 0;
}

static void processes_see_each_other(void **state)
{
	struct meeting m;
	CK_SESSION_HANDLE h;
	CK_OBJECT_HANDLE changed, destroyed, added;
	CK_ULONG v = 0;
	pid_t pid;

	office_open(state);
	m.slot = office_token("meeting");
	assert_int_equal(pipe(m.to_child), 0);
	assert_int_equal(pipe(m.to_parent), 0);
	pid = office_fork(other_process, &m);
	h = office_user(m.slot);
	changed = office_put(h, (struct thing){ "changed", NULL, true, true });
	destroyed = office_put(h, (struct thing){ "destroyed", NULL, true, false });
	assert_int_equal(office_find_label(h, "added", NULL), 0); /* asked before it is there */
	pass(m.to_child[1]);
	await(m.to_parent[0]);
	assert_int_equal(office_get(h, changed, &v), OK);
	assert_int_equal(v, 77);
	assert_int_equal(office_get(h, destroyed, &v), E_OBJECT_HANDLE);
	assert_int_equal(office_find_label(h, "added", &added), 1);
	assert_int_equal(office_destroy(h, added), OK);
	office_put(h, (struct thing){ "by the parent", NULL, true, false });
	pass(m.to_child[1]);
	assert_int_equal(office_wait(pid), 0);
	for (int i = 0; i < 2; i++) {
		close(m.to_child[i]);
		close(m.to_parent[i]);
	}
}

#define WRITERS 4
#define EACH    50

static int writer(void *arg)
{
	const CK_SLOT_ID *id = arg;
	CK_SESSION_HANDLE h;
	CK_OBJECT_HANDLE sum;

	if (lib_initialize(NULL) != OK)
		return 1;
	h = office_user(*id);
	if (office_find_label(h, "sum", &sum) != 1)
		return 2;
	for (int i = 0; i < EACH; i++) {
		office_put(h, (struct thing){ "new", NULL, true, true });
		if (office_add(h, sum, 1) != OK)
			return 3;
	}
	return 0;
}

/* Nothing that was acknowledged is lost, whoever else writes. */
static void processes_write_at_once(void **state)
{
	CK_SESSION_HANDLE h;
	CK_OBJECT_HANDLE sum;
	CK_SLOT_ID id;
	CK_ULONG v = 0;
	pid_t pid[WRITERS];

	office_open(state);
	id = office_token("writers");
	h = office_user(id);
	sum = office_put(h, (struct thing){ "sum", NULL, true, true });
	for (size_t i = 0; i < WRITERS; i++)
		pid[i] = office_fork(writer, &id);
	for (size_t i = 0; i < WRITERS; i++)
		assert_int_equal(office_wait(pid[i]), 0);
	assert_int_equal(office_find_label(h, "new", NULL), WRITERS * EACH);
	assert_int_equal(office_get(h, sum, &v), OK);
	assert_int_equal(v, WRITERS * EACH + 1);
}

/* ---- threads that change one object ---- */

#define ADDERS 4
#define ADDS   60

struct adder {
	CK_SLOT_ID slot;
	CK_OBJECT_HANDLE sum;
	enum err e;
};

static void *add_up(void *arg)
{
	struct adder *a = arg;
	CK_SESSION_HANDLE h = office_session(a->slot, true);

	for (int i = 0; i < ADDS && a->e == OK; i++)
		a->e = office_add(h, a->sum, 1);
	office_close_session(h);
	return NULL;
}

static void threads_change_one_object(void **state)
{
	struct adder a[ADDERS];
	pthread_t t[ADDERS];
	CK_SESSION_HANDLE h;
	CK_OBJECT_HANDLE sum;
	CK_SLOT_ID id;
	CK_ULONG v = 0;

	office_open(state);
	id = office_token("adders");
	h = office_user(id);
	for (int token = 0; token < 2; token++) {
		sum = office_put(h, (struct thing){ "sum", NULL, token != 0, true });
		for (size_t i = 0; i < ADDERS; i++) {
			a[i] = (struct adder){ id, sum, OK };
			assert_int_equal(pthread_create(&t[i], NULL, add_up, &a[i]), 0);
		}
		for (size_t i = 0; i < ADDERS; i++) {
			assert_int_equal(pthread_join(t[i], NULL), 0);
			assert_int_equal(a[i].e, OK);
		}
		assert_int_equal(office_get(h, sum, &v), OK);
		assert_int_equal(v, ADDERS * ADDS + 1);
	}
}

/* ---- threads: users of objects that others change, destroy and hide ---- */

#define THREADS 6
#define OBJECTS 8
#define ROUNDS  3000

static CK_SLOT_ID slot;
static _Atomic(CK_OBJECT_HANDLE) handles[OBJECTS];
static atomic_ulong ok, refused, unexpected;

static void count(enum err e)
{
	if (e == OK)
		atomic_fetch_add(&ok, 1);
	else if (e == E_OBJECT_HANDLE || e == E_NOT_LOGGED_IN)
		atomic_fetch_add(&refused, 1);
	else
		atomic_fetch_add(&unexpected, 1);
}

static void *reader(void *arg)
{
	CK_SESSION_HANDLE h = office_session(slot, true);

	(void)arg;
	for (int i = 0; i < ROUNDS; i++) {
		CK_ULONG v = 0;
		enum err e = office_get(h, atomic_load(&handles[i % OBJECTS]), &v);

		count(e);
		if (e == OK && v == 0)
			atomic_fetch_add(&unexpected, 1);
		if (i % 50 == 0)
			office_find(h, NULL, NULL);
	}
	office_close_session(h);
	return NULL;
}

static void *changer(void *arg)
{
	CK_SESSION_HANDLE h = office_session(slot, true);

	(void)arg;
	for (int i = 0; i < ROUNDS / 10; i++) {
		struct thing t = { "thing", "id", i % 3 == 0, i % 2 == 0 };
		CK_OBJECT_HANDLE o;
		enum err e;

		o = office_thing(h, t, &e);
		count(e);
		if (e != OK)
			continue;
		count(office_set(h, o, 2));
		count(office_destroy(h, atomic_exchange(&handles[i % OBJECTS], o)));
	}
	office_close_session(h);
	return NULL;
}

static void *login_and_out(void *arg)
{
	CK_SESSION_HANDLE h = office_session(slot, true);

	(void)arg;
	for (int i = 0; i < ROUNDS / 300; i++) {
		office_logout(h);
		office_login(h, CKU_USER, USER_PIN);
		usleep(2000);
	}
	office_close_session(h);
	return NULL;
}

static void threads_use_what_others_destroy(void **state)
{
	pthread_t t[THREADS];
	CK_SESSION_HANDLE h;

	office_open(state);
	slot = office_token("stress");
	h = office_user(slot);
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&t[i], NULL,
						i == 0       ? login_and_out
						: i % 2 != 0 ? reader
							     : changer,
						NULL),
				 0);
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(t[i], NULL), 0);
	print_message("ok %lu, refused %lu\n", atomic_load(&ok), atomic_load(&refused));
	assert_int_equal(atomic_load(&unexpected), 0);
	assert_true(atomic_load(&ok) > 0);
	office_close_session(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(who_may_create, office_reset),
		cmocka_unit_test_teardown(public_write_if_configured_so, office_reset),
		cmocka_unit_test_teardown(private_handles_die_at_logout, office_reset),
		cmocka_unit_test_teardown(laid_open_is_refused, office_reset),
		cmocka_unit_test_teardown(change_and_destroy, office_reset),
		cmocka_unit_test_teardown(two_come_together_or_not_at_all, office_reset),
		cmocka_unit_test_teardown(processes_see_each_other, office_reset),
		cmocka_unit_test_teardown(processes_write_at_once, office_reset),
		cmocka_unit_test_teardown(threads_change_one_object, office_reset),
		cmocka_unit_test_teardown(threads_use_what_others_destroy, office_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
