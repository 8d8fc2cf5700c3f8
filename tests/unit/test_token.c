/* SPDX-License-Identifier: Apache-2.0 */
/* Login, logout, PINs and their flags, C_InitToken, a token that goes and comes. */
#include "office.h"

#include "core/slot.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static CK_FLAGS flags_of(CK_SLOT_ID id)
{
	CK_TOKEN_INFO info;

	assert_int_equal(lib_enter(), OK);
	assert_int_equal(slot_token_info(id, &info), OK);
	lib_leave();
	return info.flags;
}

static enum err set_pin(CK_SESSION_HANDLE h, struct span old, struct span new_pin)
{
	struct session *s;
	enum err e;

	assert_int_equal(session_get(h, &s), OK);
	e = token_set_pin(s->token, s, old, new_pin);
	session_put(s);
	return e;
}

static enum err init_pin(CK_SESSION_HANDLE h, const char *pin)
{
	struct session *s;
	enum err e;

	assert_int_equal(session_get(h, &s), OK);
	e = token_init_pin(s->token, s, span_str(pin));
	session_put(s);
	return e;
}

static enum err reinit(CK_SLOT_ID id, const char *so_pin, const char *text)
{
	CK_UTF8CHAR label[32];
	enum err e;

	memset(label, ' ', 32);
	memcpy(label, text, strlen(text));
	assert_int_equal(lib_enter(), OK);
	e = slot_init_token(id, span_str(so_pin), label);
	lib_leave();
	return e;
}

/* ---- login ---- */

static void who_may_log_in(void **state)
{
	CK_SLOT_ID id;
	CK_SESSION_HANDLE a, b;

	office_open(state);
	id = office_token("login");
	a = office_session(id, true);
	b = office_session(id, true);
	assert_int_equal(office_logout(a), E_NOT_LOGGED_IN);
	assert_int_equal(office_login(a, 7, USER_PIN), E_USER_TYPE);
	assert_int_equal(office_login(a, CKU_USER, NULL), E_ARGUMENTS);
	assert_int_equal(office_login(a, CKU_USER, "wrong"), E_PIN_WRONG);
	assert_int_equal(office_login(a, CKU_USER, ""), E_PIN_WRONG);
	assert_int_equal(office_login(a, CKU_USER, USER_PIN), OK);
	assert_int_equal(office_login(b, CKU_USER, USER_PIN), E_ALREADY_LOGGED_IN);
	assert_int_equal(office_login(b, CKU_SO, SO_PIN), E_OTHER_LOGGED_IN);
	assert_int_equal(office_login(b, CKU_CONTEXT_SPECIFIC, USER_PIN), E_NO_OPERATION);
	assert_int_equal(office_logout(b), OK);
	assert_int_equal(office_logout(a), E_NOT_LOGGED_IN);
	assert_int_equal(office_login(b, CKU_SO, SO_PIN), OK);
	assert_int_equal(office_login(a, CKU_USER, USER_PIN), E_OTHER_LOGGED_IN);
	assert_int_equal(office_login(a, CKU_SO, SO_PIN), E_ALREADY_LOGGED_IN);
}

static void epochs_count_logouts(void **state)
{
	CK_SLOT_ID id;
	CK_SESSION_HANDLE h;
	unsigned before;

	office_open(state);
	id = office_token("epoch");
	h = office_user(id);
	before = token_epoch(office_at(id));
	assert_int_equal(office_logout(h), OK);
	assert_int_not_equal(token_epoch(office_at(id)), before);
	before = token_epoch(office_at(id));
	assert_int_equal(office_login(h, CKU_USER, USER_PIN), OK);
	assert_int_equal(token_epoch(office_at(id)), before);
}

static void a_token_without_user_pin(void **state)
{
	CK_SLOT_ID id;
	CK_SESSION_HANDLE h;

	office_open(state);
	id = office_token("unset");
	assert_int_equal(reinit(id, SO_PIN, "unset"), OK);
	assert_int_equal(flags_of(id) & CKF_USER_PIN_INITIALIZED, 0);
	h = office_session(id, true);
	assert_int_equal(office_login(h, CKU_USER, USER_PIN), E_PIN_UNSET);
	assert_int_equal(office_login(h, CKU_SO, SO_PIN), OK);
	assert_int_equal(init_pin(h, USER_PIN), OK);
	assert_int_not_equal(flags_of(id) & CKF_USER_PIN_INITIALIZED, 0);
	assert_int_equal(office_logout(h), OK);
	assert_int_equal(office_login(h, CKU_USER, USER_PIN), OK);
}

/* ---- wrong PINs ---- */

static void flags_follow_failures(void **state)
{
	CK_SLOT_ID id;
	CK_SESSION_HANDLE h;
	const CK_FLAGS user = CKF_USER_PIN_COUNT_LOW | CKF_USER_PIN_FINAL_TRY | CKF_USER_PIN_LOCKED;

	(void)state;
	office_home();
	office_conf("[token]\npin_max_failures = 3\n");
	assert_int_equal(lib_initialize(NULL), OK);
	id = office_token("failures");
	h = office_session(id, true);
	assert_int_equal(flags_of(id) & user, 0);
	assert_int_equal(office_login(h, CKU_USER, "wrong"), E_PIN_WRONG);
	assert_int_equal(flags_of(id) & user, CKF_USER_PIN_COUNT_LOW);
	assert_int_equal(office_login(h, CKU_USER, USER_PIN), OK); /* starts again */
	assert_int_equal(office_logout(h), OK);
	assert_int_equal(flags_of(id) & user, 0);
	assert_int_equal(office_login(h, CKU_USER, "wrong"), E_PIN_WRONG);
	assert_int_equal(office_login(h, CKU_USER, "wrong"), E_PIN_WRONG);
	assert_int_equal(flags_of(id) & user, CKF_USER_PIN_COUNT_LOW | CKF_USER_PIN_FINAL_TRY);
	office_login(h, CKU_USER, "wrong");
	assert_int_equal(flags_of(id) & user, CKF_USER_PIN_LOCKED);
	assert_int_equal(office_login(h, CKU_USER, USER_PIN), E_PIN_LOCKED);
	assert_int_equal(flags_of(id) & CKF_SO_PIN_COUNT_LOW, 0);
	/* the SO unlocks */
	assert_int_equal(office_login(h, CKU_SO, SO_PIN), OK);
	assert_int_equal(init_pin(h, "new-user-pin"), OK);
	assert_int_equal(office_logout(h), OK);
	assert_int_equal(flags_of(id) & user, 0);
	assert_int_equal(office_login(h, CKU_USER, "new-user-pin"), OK);
}

/* A PIN that is longer than any can be is not cut to one that is right. */
static void pins_that_are_too_long(void **state)
{
	static char longest[TOKEN_PIN_MAX + 2];
	CK_SLOT_ID id;
	CK_SESSION_HANDLE h;

	office_open(state);
	id = office_token("long");
	h = office_user(id);
	memset(longest, 'p', TOKEN_PIN_MAX + 1);
	assert_int_equal(set_pin(h, span_str(USER_PIN), span(longest, TOKEN_PIN_MAX + 1)),
			 E_PIN_LEN);
	assert_int_equal(set_pin(h, span_str(USER_PIN), span(longest, 3)), E_PIN_LEN);
	assert_int_equal(set_pin(h, span_str(USER_PIN), span(longest, TOKEN_PIN_MAX)), OK);
	assert_int_equal(office_logout(h), OK);
	assert_int_equal(office_login(h, CKU_USER, longest), E_PIN_WRONG);
	assert_int_equal(flags_of(id) & CKF_USER_PIN_COUNT_LOW, CKF_USER_PIN_COUNT_LOW);
	longest[TOKEN_PIN_MAX] = '\0';
	assert_int_equal(office_login(h, CKU_USER, longest), OK);
}

/* ---- setting PINs ---- */

static void who_sets_which_pin(void **state)
{
	CK_SLOT_ID id;
	CK_SESSION_HANDLE ro, rw;

	office_open(state);
	id = office_token("pins");
	ro = office_session(id, false);
	assert_int_equal(set_pin(ro, span_str(USER_PIN), span_str("1234")), E_SESSION_READ_ONLY);
	assert_int_equal(office_close_session(ro), OK);
	rw = office_session(id, true);
	assert_int_equal(init_pin(rw, "1234"), E_NOT_LOGGED_IN);
	/* nobody is logged in: the user's */
	assert_int_equal(set_pin(rw, span_str("wrong"), span_str("1234")), E_PIN_WRONG);
	assert_int_equal(set_pin(rw, span_str(USER_PIN), span_str("p\xc3\xa4sswort")), OK);
	assert_int_equal(set_pin(rw, span_str("p\xc3\xa4sswort"), span_str("\xc3(ab")),
			 E_PIN_INVALID);
	assert_int_equal(office_login(rw, CKU_USER, "p\xc3\xa4sswort"), OK);
	assert_int_equal(init_pin(rw, "1234"), E_NOT_LOGGED_IN);
	assert_int_equal(office_logout(rw), OK);
	/* the SO is: his */
	assert_int_equal(office_login(rw, CKU_SO, SO_PIN), OK);
	assert_int_equal(set_pin(rw, span_str(SO_PIN), span_str("second-so-pin")), OK);
	assert_int_equal(office_logout(rw), OK);
	assert_int_equal(office_login(rw, CKU_SO, SO_PIN), E_PIN_WRONG);
	assert_int_equal(office_login(rw, CKU_SO, "second-so-pin"), OK);
}

static void objects_survive_another_pin(void **state)
{
	CK_SLOT_ID id;
	CK_SESSION_HANDLE h;
	CK_OBJECT_HANDLE o;
	CK_ULONG v = 0;

	office_open(state);
	id = office_token("survive");
	h = office_user(id);
	o = office_put(h, (struct thing){ "kept", "1", true, true });
	assert_int_equal(set_pin(h, span_str(USER_PIN), span_str("another-pin")), OK);
	assert_int_equal(office_get(h, o, &v), OK);
	assert_int_equal(lib_finalize(), OK);
	assert_int_equal(lib_initialize(NULL), OK);
	h = office_session(id, true);
	assert_int_equal(office_login(h, CKU_USER, USER_PIN), E_PIN_WRONG);
	assert_int_equal(office_login(h, CKU_USER, "another-pin"), OK);
	assert_int_equal(office_find_label(h, "kept", &o), 1);
	assert_int_equal(office_get(h, o, &v), OK);
	assert_int_equal(v, 1);
}

/* ---- C_InitToken ---- */

static void initialising_again(void **state)
{
	CK_SLOT_ID id;
	CK_SESSION_HANDLE h;

	office_open(state);
	id = office_token("first");
	h = office_user(id);
	office_put(h, (struct thing){ "public", NULL, true, false });
	office_put(h, (struct thing){ "private", NULL, true, true });
	assert_int_equal(reinit(id, SO_PIN, "second"), E_SESSION_EXISTS);
	assert_int_equal(office_close_session(h), OK);
	assert_int_equal(reinit(id, "wrong-so-pin", "second"), E_PIN_WRONG);
	assert_int_not_equal(flags_of(id) & CKF_SO_PIN_COUNT_LOW, 0);
	h = office_user(id);
	assert_int_equal(office_find(h, NULL, NULL), 2);
	assert_int_equal(office_close_session(h), OK);
	assert_int_equal(reinit(id, SO_PIN, "second"), OK);
	assert_memory_equal(token_label(office_at(id)), "second                          ", 32);
	h = office_session(id, true);
	assert_int_equal(office_find(h, NULL, NULL), 0);
	assert_int_equal(office_login(h, CKU_USER, USER_PIN), E_PIN_UNSET);
}

/* ---- configuration ---- */

static void the_pin_comes_from_a_file(void **state)
{
	char path[128], text[256];
	CK_SLOT_ID id;
	CK_SESSION_HANDLE h;
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/pin", office_home());
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(USER_PIN "\n", f);
	assert_int_equal(fchmod(fileno(f), 0600), 0);
	fclose(f);
	snprintf(text, sizeof(text), "[token.by-file]\npin_source = file:%s\n", path);
	office_conf(text);
	assert_int_equal(lib_initialize(NULL), OK);
	id = office_token("by-file");
	assert_int_not_equal(flags_of(id) & CKF_PROTECTED_AUTHENTICATION_PATH, 0);
	h = office_session(id, true);
	assert_int_equal(office_login(h, CKU_USER, NULL), OK);
	assert_int_equal(office_logout(h), OK);
	assert_int_equal(office_login(h, CKU_SO, NULL), E_ARGUMENTS);
	assert_int_equal(office_login(h, CKU_USER, USER_PIN), OK);
	assert_int_equal(office_logout(h), OK);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(office_login(h, CKU_USER, NULL), E_FAILED);
	id = office_token("without");
	assert_int_equal(flags_of(id) & CKF_PROTECTED_AUTHENTICATION_PATH, 0);
}

static void policy_of_the_token(void **state)
{
	(void)state;
	office_home();
	office_conf("[token.old]\ncompat = on\n");
	assert_int_equal(lib_initialize(NULL), OK);
	assert_true(token_who(office_at(office_token("old"))).compat);
	assert_false(token_who(office_at(office_token("new"))).compat);
}

/* ---- the token goes and comes ---- */

static void token_removed_and_restored(void **state)
{
	char there[128], away[160];
	CK_SLOT_ID id;
	CK_SESSION_HANDLE h, again;
	CK_OBJECT_HANDLE o;
	CK_ULONG v;
	struct token *t;
	enum err e = OK;

	(void)state;
	snprintf(there, sizeof(there), "%s/tokens", office_home());
	snprintf(away, sizeof(away), "%s.away", there);
	assert_int_equal(lib_initialize(NULL), OK);
	id = office_token("removable");
	h = office_user(id);
	o = office_put(h, (struct thing){ "thing", NULL, true, true });
	assert_int_equal(rename(there, away), 0);
	/* that the path leads elsewhere is not looked for every time */
	for (int i = 0; i < 200 && e == OK; i++)
		e = office_get(h, o, &v);
	assert_int_equal(e, E_DEVICE_REMOVED);
	assert_int_equal(office_get(h, o, &v), E_SESSION);
	assert_int_equal(lib_enter(), OK);
	assert_int_equal(slot_token(id, &t), E_TOKEN_ABSENT);
	lib_leave();
	assert_int_equal(rename(away, there), 0);
	again = office_session(id, true);
	assert_int_equal(office_get(again, o, &v), E_OBJECT_HANDLE);
	assert_false(token_who(office_at(id)).user);
	assert_int_equal(office_login(again, CKU_USER, USER_PIN), OK);
	assert_int_equal(office_find_label(again, "thing", NULL), 1);
	assert_int_equal(office_close_session(h), E_SESSION);
}

/* ---- threads ---- */

#define THREADS 4
#define ROUNDS  20

static atomic_ulong unexpected;

static void say_unexpected(const char *what, int round, enum err e)
{
	atomic_fetch_add(&unexpected, 1);
	print_error("%s, round %d: %s\n", what, round, err_text(e));
}

static void *in_and_out(void *arg)
{
	CK_SESSION_HANDLE h = *(CK_SESSION_HANDLE *)arg;

	for (int i = 0; i < ROUNDS; i++) {
		enum err e = office_login(h, CKU_USER, USER_PIN);

		if (e != OK && e != E_ALREADY_LOGGED_IN)
			say_unexpected("login", i, e);
		e = office_logout(h);
		if (e != OK && e != E_NOT_LOGGED_IN)
			say_unexpected("logout", i, e);
	}
	return NULL;
}

static void threads_log_in_and_out(void **state)
{
	CK_SESSION_HANDLE h[THREADS];
	pthread_t t[THREADS];
	CK_SLOT_ID id;

	office_open(state);
	id = office_token("threads");
	for (size_t i = 0; i < THREADS; i++) {
		h[i] = office_session(id, true);
		assert_int_equal(pthread_create(&t[i], NULL, in_and_out, &h[i]), 0);
	}
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(t[i], NULL), 0);
	assert_int_equal(atomic_load(&unexpected), 0);
	assert_false(token_who(office_at(id)).user);
	assert_int_equal(flags_of(id) & CKF_USER_PIN_COUNT_LOW, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(who_may_log_in, office_reset),
		cmocka_unit_test_teardown(epochs_count_logouts, office_reset),
		cmocka_unit_test_teardown(a_token_without_user_pin, office_reset),
		cmocka_unit_test_teardown(flags_follow_failures, office_reset),
		cmocka_unit_test_teardown(pins_that_are_too_long, office_reset),
		cmocka_unit_test_teardown(who_sets_which_pin, office_reset),
		cmocka_unit_test_teardown(objects_survive_another_pin, office_reset),
		cmocka_unit_test_teardown(initialising_again, office_reset),
		cmocka_unit_test_teardown(the_pin_comes_from_a_file, office_reset),
		cmocka_unit_test_teardown(policy_of_the_token, office_reset),
		cmocka_unit_test_teardown(token_removed_and_restored, office_reset),
		cmocka_unit_test_teardown(threads_log_in_and_out, office_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
