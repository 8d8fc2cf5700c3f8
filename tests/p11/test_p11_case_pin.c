/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cases of PINs (docs/CASES.md): B038 lockout, B040 who changes which PIN, B041 what a PIN may be, R02 initialising
 * again, R04 changing. The limit is low, so that no test comes to the delays that grow with the count.
 */
#include "case.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT 3 /* wrong PINs until the lock */
#define WRONG "not the PIN"

#define USER_FLAGS (CKF_USER_PIN_COUNT_LOW | CKF_USER_PIN_FINAL_TRY | CKF_USER_PIN_LOCKED)
#define SO_FLAGS   (CKF_SO_PIN_COUNT_LOW | CKF_SO_PIN_FINAL_TRY | CKF_SO_PIN_LOCKED)

static int setup(void **state)
{
	return p11_setup_configured(state, "[token]\npin_max_failures = 3\n");
}

static CK_RV set_pin(CK_SESSION_HANDLE s, const char *old, const char *new_pin)
{
	CK_UTF8CHAR a[64], b[64];

	memcpy(a, old, strlen(old));
	memcpy(b, new_pin, strlen(new_pin));
	return p11->C_SetPIN(s, a, strlen(old), b, strlen(new_pin));
}

static CK_RV init_pin(CK_SESSION_HANDLE s, const char *pin)
{
	CK_UTF8CHAR a[64];

	memcpy(a, pin, strlen(pin));
	return p11->C_InitPIN(s, a, strlen(pin));
}

static CK_RV init_token(const char *so_pin)
{
	CK_UTF8CHAR pin[64], label[32];

	memset(label, ' ', sizeof(label));
	memcpy(pin, so_pin, strlen(so_pin));
	return p11->C_InitToken(p11_slot(), pin, strlen(so_pin), label);
}

/* The token with nobody logged in, in a session of its own. */
static CK_SESSION_HANDLE logged_out(void)
{
	assert_ok(p11->C_Logout(p11_session()));
	return p11_session();
}

/* ---- B038 ---- */

/* In a process that starts now, for case_child. */
static CK_FLAGS expected_flags;

static void flags_in_child(void)
{
	p11_initialize();
	assert_int_equal(case_token_flags(p11_slot()) & (USER_FLAGS | SO_FLAGS), expected_flags);
}

static void expect_flags(CK_FLAGS flags)
{
	assert_int_equal(case_token_flags(p11_slot()) & (USER_FLAGS | SO_FLAGS), flags);
	expected_flags = flags;
	case_child(flags_in_child);
}

/* The flags follow each wrong PIN, in every process; the right one sets them back; the lock holds for the right PIN, too. */
static void test_B038_user_lockout(void **state)
{
	CK_SESSION_HANDLE s = logged_out();

	(void)state;
	expect_flags(0);
	assert_rv(case_login(s, CKU_USER, WRONG), CKR_PIN_INCORRECT);
	expect_flags(CKF_USER_PIN_COUNT_LOW);
	assert_rv(case_login(s, CKU_USER, WRONG), CKR_PIN_INCORRECT);
	expect_flags(CKF_USER_PIN_COUNT_LOW | CKF_USER_PIN_FINAL_TRY);
	assert_ok(case_login(s, CKU_USER, USER_PIN));
	expect_flags(0);
	assert_ok(p11->C_Logout(s));
	for (int i = 0; i < LIMIT; i++)
		assert_rv(case_login(s, CKU_USER, WRONG), CKR_PIN_INCORRECT);
	expect_flags(CKF_USER_PIN_LOCKED);
	assert_rv(case_login(s, CKU_USER, USER_PIN), CKR_PIN_LOCKED);
	assert_rv(set_pin(s, USER_PIN, "another PIN"), CKR_PIN_LOCKED);
	s = case_restart();
	assert_rv(case_login(s, CKU_USER, USER_PIN), CKR_PIN_LOCKED);
	/* the way out is the SO's */
	assert_ok(case_login(s, CKU_SO, SO_PIN));
	assert_ok(init_pin(s, "a new PIN"));
	assert_ok(p11->C_Logout(s));
	expect_flags(0);
	assert_ok(case_login(s, CKU_USER, "a new PIN"));
}

/* The SO's PIN locks as well, and then the token cannot be initialised anew, not with the right PIN either. */
static void test_B038_so_lockout(void **state)
{
	CK_SESSION_HANDLE s = logged_out();

	(void)state;
	for (int i = 0; i < LIMIT; i++)
		assert_rv(case_login(s, CKU_SO, WRONG), CKR_PIN_INCORRECT);
	expect_flags(CKF_SO_PIN_LOCKED);
	assert_rv(case_login(s, CKU_SO, SO_PIN), CKR_PIN_LOCKED);
	assert_ok(case_login(s, CKU_USER, USER_PIN)); /* the user works on */
	assert_ok(p11->C_CloseAllSessions(p11_slot()));
	assert_rv(init_token(SO_PIN), CKR_PIN_LOCKED);
}

/* Wherever a PIN is tried, a wrong one counts. */
static void test_B038_every_try_counts(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	struct templ priv = { 0 };
	CK_MECHANISM m = mechanism(CKM_ECDSA_SHA256, NULL, 0);
	struct pair k;

	(void)state;
	templ_flags(&priv, CKA_SIGN, CKA_ALWAYS_AUTHENTICATE);
	k = p11_p256(s, NULL, &priv);
	assert_ok(p11->C_SignInit(s, &m, k.priv));
	assert_rv(case_login(s, CKU_CONTEXT_SPECIFIC, WRONG), CKR_PIN_INCORRECT);
	expect_flags(CKF_USER_PIN_COUNT_LOW);
	assert_rv(set_pin(s, WRONG, "another PIN"), CKR_PIN_INCORRECT);
	expect_flags(CKF_USER_PIN_COUNT_LOW | CKF_USER_PIN_FINAL_TRY);
	assert_rv(set_pin(s, WRONG, "another PIN"), CKR_PIN_INCORRECT);
	expect_flags(CKF_USER_PIN_LOCKED);
	assert_ok(p11->C_CloseAllSessions(p11_slot()));
	assert_rv(init_token(WRONG), CKR_PIN_INCORRECT);
	expect_flags(CKF_USER_PIN_LOCKED | CKF_SO_PIN_COUNT_LOW);
}

/* No PIN, an empty one and one that is too long are wrong PINs or bad arguments, and none of them opens the token. */
static void test_B038_lengths(void **state)
{
	CK_SESSION_HANDLE s = logged_out();
	CK_UTF8CHAR longest[255], longer[300];

	(void)state;
	memset(longest, 'x', sizeof(longest));
	memset(longer, 'x', sizeof(longer));
	assert_rv(p11->C_Login(s, CKU_USER, NULL, 0), CKR_ARGUMENTS_BAD);
	assert_rv(p11->C_Login(s, CKU_USER, NULL, 8), CKR_ARGUMENTS_BAD);
	expect_flags(0);
	assert_rv(p11->C_Login(s, CKU_USER, longest, 0), CKR_PIN_INCORRECT);
	assert_rv(p11->C_Login(s, CKU_USER, longest, sizeof(longest)), CKR_PIN_INCORRECT);
	expect_flags(CKF_USER_PIN_COUNT_LOW | CKF_USER_PIN_FINAL_TRY);
	assert_rv_of(p11->C_Login(s, CKU_USER, longer, sizeof(longer)), CKR_PIN_INCORRECT,
		     CKR_PIN_LEN_RANGE);
}

static int tries[2]; /* a pipe: a byte for each answer */

static void one_wrong_try(void)
{
	CK_SESSION_HANDLE s;
	char answer;
	CK_RV rv;

	p11_initialize();
	s = p11_open(p11_slot(), false);
	rv = case_login(s, CKU_USER, WRONG);
	answer = rv == CKR_PIN_INCORRECT ? 'w' : rv == CKR_PIN_LOCKED ? 'l' : '?';
	assert_int_equal(write(tries[1], &answer, 1), 1);
}

/* Wrong PINs in eight processes at once: as many are tried as the limit allows, and no more. */
static void test_B038_many_processes(void **state)
{
	enum { PROCESSES = 8 };
	pid_t pid[PROCESSES];
	int wrong = 0, locked = 0;
	char answer;

	(void)state;
	logged_out();
	assert_int_equal(pipe(tries), 0);
	for (int i = 0; i < PROCESSES; i++)
		pid[i] = case_start(one_wrong_try);
	for (int i = 0; i < PROCESSES; i++)
		case_wait(pid[i]);
	for (int i = 0; i < PROCESSES; i++) {
		assert_int_equal(read(tries[0], &answer, 1), 1);
		wrong += answer == 'w';
		locked += answer == 'l';
	}
	close(tries[0]);
	close(tries[1]);
	assert_int_equal(wrong, LIMIT);
	assert_int_equal(locked, PROCESSES - LIMIT);
	expect_flags(CKF_USER_PIN_LOCKED);
}

/* ---- B040, R04 ---- */

/* Who is logged in changes the own PIN, and if nobody is, the user's; the old one is worth nothing afterwards. */
static void test_B040_who_changes_which_pin(void **state)
{
	CK_SESSION_HANDLE s = logged_out();

	(void)state;
	assert_ok(case_login(s, CKU_SO, SO_PIN));
	assert_rv(set_pin(s, USER_PIN, "second SO PIN"), CKR_PIN_INCORRECT);
	assert_ok(set_pin(s, SO_PIN, "second SO PIN"));
	assert_ok(p11->C_Logout(s));
	assert_rv(case_login(s, CKU_SO, SO_PIN), CKR_PIN_INCORRECT);
	assert_ok(set_pin(s, USER_PIN, "second user PIN")); /* nobody is logged in */
	assert_rv(case_login(s, CKU_USER, USER_PIN), CKR_PIN_INCORRECT);
	assert_ok(case_login(s, CKU_USER, "second user PIN"));
	assert_rv(init_pin(s, USER_PIN), CKR_USER_NOT_LOGGED_IN);
	assert_ok(set_pin(s, "second user PIN", "third user PIN"));
	s = case_restart();
	assert_ok(case_login(s, CKU_SO, "second SO PIN"));
	assert_ok(p11->C_Logout(s));
	assert_ok(case_login(s, CKU_USER, "third user PIN"));
}

static void test_B040_read_only_session(void **state)
{
	CK_SESSION_HANDLE ro = p11_open(p11_slot(), false);

	(void)state;
	assert_rv(set_pin(ro, USER_PIN, "another PIN"), CKR_SESSION_READ_ONLY);
	logged_out();
	assert_rv(set_pin(ro, USER_PIN, "another PIN"), CKR_SESSION_READ_ONLY);
	assert_ok(case_login(ro, CKU_USER, USER_PIN));
}

/* A token gets its user PIN when the SO says so, and the flag says whether it has one. */
static void test_B040_first_user_pin(void **state)
{
	CK_SLOT_ID slot = p11_new_token("no user", false);
	CK_SESSION_HANDLE s = p11_open(slot, true);

	(void)state;
	assert_false(case_token_flags(slot) & CKF_USER_PIN_INITIALIZED);
	assert_rv(case_login(s, CKU_USER, USER_PIN), CKR_USER_PIN_NOT_INITIALIZED);
	assert_ok(case_login(s, CKU_SO, SO_PIN));
	assert_ok(init_pin(s, USER_PIN));
	assert_true(case_token_flags(slot) & CKF_USER_PIN_INITIALIZED);
	assert_ok(p11->C_Logout(s));
	assert_ok(case_login(s, CKU_USER, USER_PIN));
}

static void old_pin_is_dead(void)
{
	CK_SESSION_HANDLE s;

	p11_initialize();
	s = p11_open(p11_slot(), true);
	assert_rv(case_login(s, CKU_USER, USER_PIN), CKR_PIN_INCORRECT);
	assert_ok(case_login(s, CKU_USER, "another PIN"));
	assert_int_equal(case_objects(s), 2);
}

/* A new PIN counts at once in every process, and what it protects is as it was. */
static void test_R04_other_processes(void **state)
{
	CK_SESSION_HANDLE s = p11_session();

	(void)state;
	case_data(s, "public", "1", false);
	case_data(s, "private", "2", true);
	assert_ok(set_pin(s, USER_PIN, "another PIN"));
	assert_int_equal(case_objects(s), 2);
	case_child(old_pin_is_dead);
}

static void change_for_ever(void)
{
	CK_SESSION_HANDLE s;

	p11_initialize();
	s = p11_open(p11_slot(), true);
	for (;;) {
		assert_ok(set_pin(s, USER_PIN, "another PIN"));
		assert_ok(set_pin(s, "another PIN", USER_PIN));
	}
}

/* Killed at any instant of a change, the token has exactly one user PIN, and its objects. */
static void test_R04_killed_while_changing(void **state)
{
	CK_SESSION_HANDLE s = p11_session();

	(void)state;
	case_data(s, "private", "2", true);
	for (useconds_t ms = 40; ms <= 200; ms += 40) {
		pid_t pid = case_start(change_for_ever);
		CK_RV first, second;

		usleep(ms * 1000);
		assert_int_equal(kill(pid, SIGKILL), 0);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		s = case_restart();
		first = case_login(s, CKU_USER, USER_PIN);
		if (first == CKR_OK)
			assert_ok(p11->C_Logout(s));
		second = case_login(s, CKU_USER, "another PIN");
		assert_true((first == CKR_OK) != (second == CKR_OK));
		assert_rv_of(first, CKR_OK, CKR_PIN_INCORRECT);
		if (second != CKR_OK)
			assert_ok(case_login(s, CKU_USER, USER_PIN));
		assert_int_equal(case_objects(s), 1);
		if (second == CKR_OK)
			assert_ok(set_pin(s, "another PIN", USER_PIN));
	}
}

/* ---- B041 ---- */

static CK_RV change_to(const void *pin, size_t n)
{
	CK_UTF8CHAR old[] = USER_PIN, copy[300] = { 0 };
	CK_SESSION_HANDLE s = p11_session();
	CK_RV rv;

	memcpy(copy, pin, n);
	rv = p11->C_SetPIN(s, old, sizeof(old) - 1, copy, n);
	if (rv != CKR_OK)
		return rv;
	assert_ok(p11->C_Logout(s));
	assert_ok(p11->C_Login(s, CKU_USER, copy, n));
	assert_ok(p11->C_SetPIN(s, copy, n, old, sizeof(old) - 1));
	return CKR_OK;
}

/* Any valid UTF-8 within the lengths that the token tells is a PIN; nothing else is. */
static void test_B041_what_a_pin_may_be(void **state)
{
	CK_TOKEN_INFO info;
	char text[256];

	(void)state;
	memset(text, 'x', sizeof(text));
	assert_ok(p11->C_GetTokenInfo(p11_slot(), &info));
	assert_true(info.ulMinPinLen > 0 && info.ulMaxPinLen < sizeof(text));
	assert_ok(change_to("p\xc3\xa4ssw\xc3\xb6rd", 10));
	assert_ok(
		change_to("\xf0\x9f\x94\x91\xf0\x9f\x94\x92\xf0\x9f\x97\x9d\xf0\x9f\x8e\xb2", 16));
	assert_ok(change_to(" blanks at both ends ", 21));
	assert_ok(change_to("nul\0inside", 10));
	assert_ok(change_to(text, info.ulMinPinLen));
	assert_ok(change_to(text, info.ulMaxPinLen));
	assert_rv(change_to(text, info.ulMinPinLen - 1), CKR_PIN_LEN_RANGE);
	assert_rv(change_to(text, info.ulMaxPinLen + 1), CKR_PIN_LEN_RANGE);
	assert_rv(change_to("", 0), CKR_PIN_LEN_RANGE);
	assert_rv(change_to("latin\xc3\x28", 7), CKR_PIN_INVALID);
	assert_rv(change_to("\xc0\xaf overlong", 11), CKR_PIN_INVALID);
	assert_rv(change_to("\xed\xa0\x80 surrogate", 13), CKR_PIN_INVALID);
	assert_rv(change_to("cut short \xf0\x9f\x94", 13), CKR_PIN_INVALID);
}

/* PINs are the same only if their bytes are: no other form, no cut, no trimming. */
static void test_B041_bytes_are_exact(void **state)
{
	CK_SESSION_HANDLE s = p11_session();

	(void)state;
	assert_ok(set_pin(s, USER_PIN, "p\xc3\xa4sswort"));
	assert_ok(p11->C_Logout(s));
	assert_rv(case_login(s, CKU_USER, "pa\xcc\x88sswort"), CKR_PIN_INCORRECT); /* NFD */
	assert_rv(case_login(s, CKU_USER, "p\xc3\xa4sswort "), CKR_PIN_INCORRECT);
	assert_ok(case_login(s, CKU_USER, "p\xc3\xa4sswort"));
	assert_ok(p11->C_Logout(s));
	assert_rv(case_login(s, CKU_USER, "p\xc3\xa4sswor"), CKR_PIN_INCORRECT);
	assert_rv(case_login(s, CKU_USER, "p\xc3\xa4sswort\n"), CKR_PIN_INCORRECT);
}

/* ---- R02 ---- */

static void has_session(void)
{
	CK_SESSION_HANDLE s;

	p11_initialize();
	s = p11_open(p11_slot(), true);
	assert_rv(init_token(SO_PIN), CKR_SESSION_EXISTS);
	assert_ok(p11->C_CloseSession(s));
}

/* Only the right SO PIN, and no open session, lets a token begin anew; then all of before is gone. */
static void test_R02_initialising_again(void **state)
{
	CK_SESSION_HANDLE s = p11_session();

	(void)state;
	case_data(s, "public", "1", false);
	case_data(s, "private", "2", true);
	assert_rv(init_token(SO_PIN), CKR_SESSION_EXISTS);
	assert_ok(p11->C_CloseAllSessions(p11_slot()));
	case_child(has_session);
	assert_rv(init_token(WRONG), CKR_PIN_INCORRECT);
	assert_true(case_token_flags(p11_slot()) & CKF_SO_PIN_COUNT_LOW);
	s = p11_open(p11_slot(), true);
	p11_login(s, CKU_USER);
	assert_int_equal(case_objects(s), 2); /* a wrong PIN destroyed nothing */
	assert_ok(p11->C_CloseSession(s));
	assert_ok(init_token(SO_PIN));
	s = p11_open(p11_slot(), true);
	assert_int_equal(case_objects(s), 0);
	assert_rv(case_login(s, CKU_USER, USER_PIN), CKR_USER_PIN_NOT_INITIALIZED);
	assert_ok(case_login(s, CKU_SO, SO_PIN));
	assert_ok(init_pin(s, "a new PIN"));
	assert_ok(p11->C_Logout(s));
	assert_ok(case_login(s, CKU_USER, "a new PIN"));
	assert_int_equal(case_objects(s), 0);
}

/* ---- R02: the other process ---- */

static int ready[2], go_on[2]; /* pipes */

static void tell(const int *p)
{
	assert_int_equal(write(p[1], "x", 1), 1);
}

static void await(const int *p)
{
	char c;

	assert_int_equal(read(p[0], &c, 1), 1);
}

/* At work while the token begins anew elsewhere: from the next call on there is nothing left to work with. */
static void works_meanwhile(void)
{
	CK_MECHANISM m = mechanism(CKM_ECDSA_SHA256, NULL, 0);
	struct templ stored = { 0 };
	CK_SESSION_HANDLE s;
	CK_SESSION_INFO info;
	struct pair k;

	p11_initialize();
	s = p11_open(p11_slot(), true);
	p11_login(s, CKU_USER);
	templ_flags(&stored, CKA_SIGN, CKA_TOKEN);
	k = p11_p256(s, NULL, &stored);
	assert_ok(p11->C_SignInit(s, &m, k.priv));
	assert_ok(p11->C_SignInit(s, NULL, 0));
	tell(ready);
	await(go_on);
	assert_rv_of(p11->C_SignInit(s, &m, k.priv), CKR_DEVICE_REMOVED,
		     CKR_SESSION_HANDLE_INVALID);
	assert_rv(p11->C_GetSessionInfo(s, &info), CKR_SESSION_HANDLE_INVALID);
	s = p11_open(p11_slot(), true);
	assert_ok(p11->C_GetSessionInfo(s, &info));
	assert_int_equal(info.state, CKS_RW_PUBLIC_SESSION);
	assert_int_equal(case_objects(s), 0);
	assert_rv(case_login(s, CKU_USER, USER_PIN), CKR_USER_PIN_NOT_INITIALIZED);
	assert_ok(case_login(s, CKU_SO, SO_PIN));
}

/* What another process had open of a token that was made anew is over there, too: keys, login, session. */
static void test_R02_while_others_work(void **state)
{
	pid_t pid;

	(void)state;
	assert_ok(p11->C_CloseAllSessions(p11_slot()));
	assert_true(pipe(ready) == 0 && pipe(go_on) == 0);
	pid = case_start(works_meanwhile);
	await(ready);
	assert_ok(init_token(SO_PIN));
	tell(go_on);
	case_wait(pid);
	for (int i = 0; i < 2; i++) {
		close(ready[i]);
		close(go_on[i]);
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, p11_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_B038_user_lockout),      TEST(test_B038_so_lockout),
		TEST(test_B038_every_try_counts),  TEST(test_B038_lengths),
		TEST(test_B038_many_processes),    TEST(test_B040_who_changes_which_pin),
		TEST(test_B040_read_only_session), TEST(test_B040_first_user_pin),
		TEST(test_R04_other_processes),    TEST(test_R04_killed_while_changing),
		TEST(test_B041_what_a_pin_may_be), TEST(test_B041_bytes_are_exact),
		TEST(test_R02_initialising_again), TEST(test_R02_while_others_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
