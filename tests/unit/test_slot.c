/* SPDX-License-Identifier: Apache-2.0 */
/* C_Initialize and C_Finalize, slots and their numbers, events, forks. */
#include "office.h"

#include "base/conf.h"
#include "core/slot.h"
#include <dirent.h>
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

/* The list, newly read. */
static size_t list(CK_SLOT_ID ids[16])
{
	CK_ULONG n = 0;

	assert_int_equal(lib_enter(), OK);
	assert_int_equal(slot_list(true, NULL, &n), OK);
	assert_in_range(n, 0, 16);
	if (n != 0)
		assert_int_equal(slot_list(true, ids, &n), OK);
	lib_leave();
	return n;
}

/* ---- C_Initialize ---- */

static CK_RV create(CK_VOID_PTR_PTR m)
{
	*m = NULL;
	return CKR_OK;
}

static CK_RV use(CK_VOID_PTR m)
{
	(void)m;
	return CKR_OK;
}

static void arguments_of_initialize(void **state)
{
	static int reserved;
	const struct {
		CK_C_INITIALIZE_ARGS args;
		enum err e;
	} rows[] = {
		{ { .flags = 0 }, OK },
		{ { .flags = CKF_OS_LOCKING_OK }, OK },
		{ { .flags = CKF_LIBRARY_CANT_CREATE_OS_THREADS | CKF_OS_LOCKING_OK }, OK },
		{ { create, use, use, use, CKF_OS_LOCKING_OK, NULL }, OK },
		{ { create, use, use, use, 0, NULL }, E_CANT_LOCK },
		{ { create, NULL, use, use, CKF_OS_LOCKING_OK, NULL }, E_ARGUMENTS },
		{ { create, NULL, NULL, NULL, 0, NULL }, E_ARGUMENTS },
		{ { NULL, NULL, NULL, use, 0, NULL }, E_ARGUMENTS },
		{ { .flags = CKF_OS_LOCKING_OK, .pReserved = &reserved }, E_ARGUMENTS },
	};

	(void)state;
	office_home();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(lib_initialize(&rows[i].args), rows[i].e);
		assert_int_equal(lib_ready(), rows[i].e == OK);
		assert_int_equal(lib_finalize(), rows[i].e == OK ? OK : E_NOT_INITIALIZED);
	}
}

static void nothing_works_outside(void **state)
{
	struct session *s;

	(void)state;
	office_home();
	for (int i = 0; i < 3; i++) {
		assert_int_equal(lib_enter(), E_NOT_INITIALIZED);
		assert_int_equal(session_get(1UL << 24, &s), E_NOT_INITIALIZED);
		assert_int_equal(lib_finalize(), E_NOT_INITIALIZED);
		assert_int_equal(lib_initialize(NULL), OK);
		assert_int_equal(lib_initialize(NULL), E_ALREADY_INITIALIZED);
		assert_int_equal(lib_finalize(), OK);
	}
}

static size_t files_in(const char *path)
{
	DIR *d = opendir(path);
	size_t n = 0;

	assert_non_null(d);
	while (readdir(d) != NULL)
		n++;
	closedir(d);
	return n - 2; /* . and .. */
}

static void a_user_with_nothing(void **state)
{
	CK_SLOT_ID ids[16];
	const char *home = office_home();

	(void)state;
	assert_int_equal(lib_initialize(NULL), OK);
	assert_int_equal(list(ids), 1); /* the empty one */
	assert_int_equal(lib_finalize(), OK);
	assert_int_equal(files_in(home), 0);
}

static void keep_finding(void *arg, bool bad, const char *text)
{
	assert_true(bad);
	snprintf(arg, WHY_MAX, "%s", text);
}

/* It works without tokens, for programs that load every module, and whoever asks is told why. */
static void no_place_for_tokens(void **state)
{
	CK_UTF8CHAR label[32];
	struct why why = { "" };
	char found[WHY_MAX] = "";
	CK_SLOT_ID ids[16], id = 0;

	(void)state;
	office_home();
	assert_int_equal(setenv("CHANCERY_HOME", "relative", 1), 0);
	assert_int_equal(lib_initialize(NULL), OK);
	assert_int_equal(list(ids), 0);
	memset(label, 'x', sizeof(label));
	assert_int_equal(lib_enter(), OK);
	slot_survey(keep_finding, found);
	assert_non_null(strstr(found, "\"relative\": it must be an absolute path"));
	assert_int_equal(slot_create_token(span_str(SO_PIN), label, &id, &why), E_TOKEN_ABSENT);
	assert_non_null(strstr(why.text, found));
	lib_leave();
	assert_int_equal(lib_finalize(), OK);
}

static void a_broken_configuration(void **state)
{
	(void)state;
	office_home();
	office_conf("[module]\nno_such_key = 1\n");
	assert_int_equal(lib_initialize(NULL), E_CONFIG);
	assert_false(lib_ready());
	office_conf("[module]\nempty_slot = off\n");
	assert_int_equal(lib_initialize(NULL), OK);
	assert_false(lib_conf()->module.empty_slot);
	assert_int_equal(lib_finalize(), OK);
}

/* ---- two at once ---- */

static pthread_barrier_t gate;

static void *initialize(void *arg)
{
	enum err *e = arg;

	pthread_barrier_wait(&gate);
	*e = lib_initialize(NULL);
	return NULL;
}

static void exactly_one_initialises(void **state)
{
	(void)state;
	office_home();
	for (int round = 0; round < 50; round++) {
		enum err e[2];
		pthread_t t[2];

		pthread_barrier_init(&gate, NULL, 2);
		for (int i = 0; i < 2; i++)
			assert_int_equal(pthread_create(&t[i], NULL, initialize, &e[i]), 0);
		for (int i = 0; i < 2; i++)
			assert_int_equal(pthread_join(t[i], NULL), 0);
		assert_true((e[0] == OK && e[1] == E_ALREADY_INITIALIZED) ||
			    (e[1] == OK && e[0] == E_ALREADY_INITIALIZED));
		assert_int_equal(lib_finalize(), OK);
		pthread_barrier_destroy(&gate);
	}
}

/* ---- slots ---- */

static void set_label(CK_UTF8CHAR padded[32], const char *text)
{
	memset(padded, ' ', 32);
	memcpy(padded, text, strlen(text));
}

static enum err delete (CK_SLOT_ID id, const char *so_pin) {
	struct why why; enum err e;

	assert_int_equal(lib_enter(), OK);
	e = slot_delete_token(id, span_str(so_pin), &why);
	lib_leave();
	return e;
}

static void slot_numbers_stay(void **state)
{
	CK_SLOT_ID ids[16], a, b, c;

	office_open(state);
	a = office_token("a");
	b = office_token("b");
	c = office_token("c");
	assert_int_equal(list(ids), 4);
	assert_true(ids[0] == a && ids[1] == b && ids[2] == c && ids[3] > c);
	assert_int_equal(delete (b, "wrong-pin"), E_PIN_WRONG);
	assert_int_equal(delete (b, SO_PIN), OK);
	assert_int_equal(list(ids), 3);
	assert_true(ids[0] == a && ids[1] == c);
	assert_int_equal(lib_finalize(), OK);
	assert_int_equal(lib_initialize(NULL), OK);
	assert_int_equal(list(ids), 3);
	assert_true(ids[0] == a && ids[1] == c && ids[2] > c);
	assert_int_not_equal(office_token("d"), b); /* never used again */
}

static void information(void **state)
{
	CK_SLOT_INFO slot;
	CK_TOKEN_INFO token;
	CK_SLOT_ID ids[16], a;
	struct token *t;

	office_open(state);
	a = office_token("info");
	assert_int_equal(list(ids), 2);
	assert_int_equal(lib_enter(), OK);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(slot_info(ids[i], &slot), OK);
		assert_int_equal(slot.flags, CKF_TOKEN_PRESENT);
		assert_memory_equal(slot.slotDescription, "Chancery slot ", 14);
		assert_int_equal(slot.slotDescription[63], ' ');
		assert_memory_equal(slot.manufacturerID, "Chancery project                ", 32);
		assert_int_equal(slot_check(ids[i]), OK);
	}
	assert_int_equal(slot_info(99, &slot), E_SLOT);
	assert_int_equal(slot_check(99), E_SLOT);
	assert_int_equal(slot_token_info(99, &token), E_SLOT);
	assert_int_equal(slot_token(99, &t), E_SLOT);
	assert_int_equal(slot_token(ids[1], &t), E_TOKEN_BLANK);

	assert_int_equal(slot_token_info(ids[1], &token), OK);
	assert_int_equal(token.flags & CKF_TOKEN_INITIALIZED, 0);
	assert_int_equal(slot_token_info(a, &token), OK);
	assert_memory_equal(token.label, "info                            ", 32);
	assert_int_equal(token.flags, CKF_RNG | CKF_LOGIN_REQUIRED | CKF_USER_PIN_INITIALIZED |
					      CKF_TOKEN_INITIALIZED | CKF_DUAL_CRYPTO_OPERATIONS);
	assert_int_equal(token.ulMaxSessionCount, CK_EFFECTIVELY_INFINITE);
	assert_int_equal(token.ulMinPinLen, 4);
	assert_int_equal(token.ulMaxPinLen, 255);
	lib_leave();
}

static void list_tells_its_length(void **state)
{
	CK_SLOT_ID ids[4] = { 0 };
	CK_ULONG n = 1;

	office_open(state);
	office_token("one");
	assert_int_equal(lib_enter(), OK);
	assert_int_equal(slot_list(false, ids, &n), E_TOO_SMALL);
	assert_int_equal(n, 2);
	assert_int_equal(slot_list(false, ids, &n), OK);
	lib_leave();
}

static int make_a_token(void *arg)
{
	CK_SLOT_ID *next = arg;

	if (lib_initialize(NULL) != OK)
		return 1;
	return office_token("from the child") == *next ? 0 : 2;
}

/* What another process makes is there when it is named, and listed when the list is read anew. */
static void another_process_makes_a_token(void **state)
{
	CK_SLOT_ID ids[16], next;
	CK_UTF8CHAR label[32];

	office_open(state);
	assert_int_equal(list(ids), 1);
	next = ids[0];
	assert_int_equal(office_in_child(make_a_token, &next), 0);
	set_label(label, "mine");
	assert_int_equal(lib_enter(), OK);
	/* the slot that was offered as empty is not any more: nothing may be lost */
	assert_int_equal(slot_init_token(next, span_str("another-pin"), label), E_SESSION_EXISTS);
	lib_leave();
	assert_int_equal(list(ids), 2);
	office_at(next);
}

static void no_empty_slot_if_configured_so(void **state)
{
	CK_SLOT_ID ids[16], id = 0;
	CK_UTF8CHAR label[32];

	(void)state;
	office_home();
	office_conf("[module]\nempty_slot = off\n");
	assert_int_equal(lib_initialize(NULL), OK);
	assert_int_equal(list(ids), 0);
	set_label(label, "made");
	assert_int_equal(lib_enter(), OK);
	assert_int_equal(slot_create_token(span_str(SO_PIN), label, &id, NULL), OK);
	lib_leave();
	assert_int_equal(list(ids), 1);
	assert_int_equal(ids[0], id);
}

static void labels_and_pins_of_new_tokens(void **state)
{
	CK_SLOT_ID ids[16];
	CK_UTF8CHAR label[32];

	office_open(state);
	list(ids);
	set_label(label, "name");
	assert_int_equal(lib_enter(), OK);
	assert_int_equal(slot_init_token(ids[0], span(NULL, 0), label), E_ARGUMENTS);
	assert_int_equal(slot_init_token(ids[0], span_str("123"), label), E_PIN_LEN);
	assert_int_equal(slot_init_token(ids[0], span_str("\xc3\x28\x61\x62"), label),
			 E_PIN_INVALID);
	lib_leave();
	assert_int_equal(list(ids), 1);
}

/* By the rule for whatever is shown (base/utf8.h), and wherever a label is given. */
static void labels_that_may_not_be_shown(void **state)
{
	static const char *const hostile[] = {
		"a\nb", "a\033[2J", "a\177", "a\xff", "a\xc2\x9b", "a\xe2\x80\xae", "a\xe2\x81\xa6",
	};
	CK_SLOT_ID id = 0, ids[16];
	CK_UTF8CHAR label[32];
	size_t n = 0;

	office_open(state);
	id = office_token("shown");
	n = list(ids);
	assert_int_equal(lib_enter(), OK);
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		CK_SLOT_ID made = 0;

		set_label(label, hostile[i]);
		assert_int_equal(slot_init_token(ids[n - 1], span_str(SO_PIN), label), E_ARGUMENTS);
		assert_int_equal(slot_init_token(id, span_str(SO_PIN), label), E_ARGUMENTS);
		assert_int_equal(slot_create_token(span_str(SO_PIN), label, &made, NULL),
				 E_ARGUMENTS);
		assert_int_equal(slot_rename_token(id, span_str(SO_PIN), label), E_ARGUMENTS);
	}
	set_label(label, "cut");
	label[31] = 0xc3;
	assert_int_equal(slot_init_token(ids[n - 1], span_str(SO_PIN), label), E_ARGUMENTS);
	label[3] = '\0';
	assert_int_equal(slot_init_token(ids[n - 1], span_str(SO_PIN), label), E_ARGUMENTS);
	lib_leave();
	assert_int_equal(list(ids), n);
}

/* ---- events ---- */

static void *wait_for_event(void *arg)
{
	CK_SLOT_ID *id = arg;
	enum err e = lib_enter();

	if (e == OK) {
		pthread_barrier_wait(&gate);
		e = slot_wait(0, id);
		lib_leave();
	}
	return e == OK ? id : NULL;
}

static void events(void **state)
{
	CK_SLOT_ID id = 99, made, seen = 99;
	pthread_t t;
	void *got;

	office_open(state);
	assert_int_equal(lib_enter(), OK);
	assert_int_equal(slot_wait(CKF_DONT_BLOCK, &id), E_NO_EVENT);
	lib_leave();
	made = office_token("event");
	assert_int_equal(lib_enter(), OK);
	assert_int_equal(slot_wait(CKF_DONT_BLOCK, &id), OK);
	assert_int_equal(id, made);
	assert_int_equal(slot_wait(CKF_DONT_BLOCK, &id), E_NO_EVENT);
	lib_leave();

	pthread_barrier_init(&gate, NULL, 2);
	assert_int_equal(pthread_create(&t, NULL, wait_for_event, &seen), 0);
	pthread_barrier_wait(&gate);
	made = office_token("another event");
	assert_int_equal(pthread_join(t, &got), 0);
	assert_ptr_equal(got, &seen);
	assert_int_equal(seen, made);

	assert_int_equal(pthread_create(&t, NULL, wait_for_event, &seen), 0);
	pthread_barrier_wait(&gate);
	usleep(20000);
	assert_int_equal(lib_finalize(), OK); /* ends the waiting */
	assert_int_equal(pthread_join(t, &got), 0);
	assert_null(got);
	pthread_barrier_destroy(&gate);
}

/* ---- finalise against everything ---- */

static atomic_bool stop;
static atomic_ulong unexpected;

static void expect(enum err e)
{
	if (e != OK && e != E_NOT_INITIALIZED && e != E_SESSION && e != E_OBJECT_HANDLE &&
	    e != E_SLOT)
		atomic_fetch_add(&unexpected, 1);
}

static void work(CK_SLOT_ID id)
{
	CK_SESSION_HANDLE h = 0;
	CK_OBJECT_HANDLE o;
	struct token *t = NULL;
	CK_SLOT_INFO info;
	enum err e = lib_enter();

	expect(e);
	if (e != OK)
		return;
	expect(slot_info(id, &info));
	e = slot_token(id, &t);
	if (e == OK)
		e = session_open(t, CKF_SERIAL_SESSION, NULL, NULL, &h);
	expect(e);
	lib_leave();
	for (int i = 0; e == OK && i < 5; i++) {
		CK_ULONG v;

		o = office_thing(h, (struct thing){ "x", NULL, false, false }, &e);
		expect(e);
		expect(office_get(h, o, &v));
	}
	expect(office_close_session(h));
}

static void *worker(void *arg)
{
	const CK_SLOT_ID *id = arg;

	while (!atomic_load(&stop))
		work(*id);
	return NULL;
}

static void finalise_races_with_calls(void **state)
{
	CK_SLOT_ID id;
	pthread_t t[8];

	office_open(state);
	id = office_token("race");
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(pthread_create(&t[i], NULL, worker, &id), 0);
	for (int i = 0; i < 300; i++) {
		assert_int_equal(lib_finalize(), OK);
		assert_int_equal(lib_initialize(NULL), OK);
		usleep(200);
	}
	atomic_store(&stop, true);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(pthread_join(t[i], NULL), 0);
	assert_int_equal(atomic_load(&unexpected), 0);
}

/* ---- fork ---- */

struct inherited {
	CK_SLOT_ID slot;
	CK_SESSION_HANDLE session;
};

static int child_of_a_user(void *arg)
{
	const struct inherited *in = arg;
	struct session *s;

	if (lib_ready() || lib_enter() != E_NOT_INITIALIZED ||
	    session_get(in->session, &s) != E_NOT_INITIALIZED)
		return 1;
	if (lib_initialize(NULL) != OK)
		return 2;
	if (session_get(in->session, &s) != E_SESSION)
		return 3;
	if (token_who(office_at(in->slot)).user)
		return 4;
	if (office_find_label(office_session(in->slot, false), "private", NULL) != 0)
		return 5;
	if (office_find_label(office_user(in->slot), "private", NULL) != 1)
		return 6;
	return lib_finalize() == OK ? 0 : 7;
}

static void a_child_begins_with_nothing(void **state)
{
	struct inherited in;
	CK_OBJECT_HANDLE o;
	CK_ULONG v;

	office_open(state);
	in.slot = office_token("fork");
	in.session = office_user(in.slot);
	o = office_put(in.session, (struct thing){ "private", NULL, true, true });
	for (int i = 0; i < 3; i++)
		assert_int_equal(office_in_child(child_of_a_user, &in), 0);
	assert_int_equal(office_get(in.session, o, &v), OK); /* the parent goes on */
}

static int child_among_threads(void *arg)
{
	const struct inherited *in = arg;

	if (lib_initialize(NULL) != OK)
		return 1;
	office_session(in->slot, false);
	return 0;
}

/* Whatever other threads were doing at that moment, the child works. */
static void forks_among_threads(void **state)
{
	struct inherited in;
	pthread_t t[4];

	office_open(state);
	in.slot = office_token("forks");
	atomic_store(&stop, false);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&t[i], NULL, worker, &in.slot), 0);
	for (int i = 0; i < 50; i++)
		assert_int_equal(office_in_child(child_among_threads, &in), 0);
	atomic_store(&stop, true);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pthread_join(t[i], NULL), 0);
	assert_int_equal(atomic_load(&unexpected), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(arguments_of_initialize, office_reset),
		cmocka_unit_test_teardown(nothing_works_outside, office_reset),
		cmocka_unit_test_teardown(a_user_with_nothing, office_reset),
		cmocka_unit_test_teardown(no_place_for_tokens, office_reset),
		cmocka_unit_test_teardown(a_broken_configuration, office_reset),
		cmocka_unit_test_teardown(exactly_one_initialises, office_reset),
		cmocka_unit_test_teardown(slot_numbers_stay, office_reset),
		cmocka_unit_test_teardown(information, office_reset),
		cmocka_unit_test_teardown(list_tells_its_length, office_reset),
		cmocka_unit_test_teardown(another_process_makes_a_token, office_reset),
		cmocka_unit_test_teardown(no_empty_slot_if_configured_so, office_reset),
		cmocka_unit_test_teardown(labels_and_pins_of_new_tokens, office_reset),
		cmocka_unit_test_teardown(labels_that_may_not_be_shown, office_reset),
		cmocka_unit_test_teardown(events, office_reset),
		cmocka_unit_test_teardown(finalise_races_with_calls, office_reset),
		cmocka_unit_test_teardown(a_child_begins_with_nothing, office_reset),
		cmocka_unit_test_teardown(forks_among_threads, office_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
