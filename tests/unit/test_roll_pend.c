/* SPDX-License-Identifier: Apache-2.0 */
/* Records that a process owes for its changes: who makes them up when it is gone, and that nobody does while it lives. */
#include "audit/roll.h"

#include "audit/members.h"
#include "rollbook.h"
#include "rolling.h"
#include "scratch.h"
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define SERIAL "00000000000007f3"

static void pend(struct roll *r, struct buf *body)
{
	struct roll_event ev = rolling_event("a \"key\"\n");

	ev.kind = EV_GENERATE;
	ev.on_behalf = span_str("CN=somebody");
	assert_int_equal(roll_pend(r, &ev, body), OK);
	assert_true(body->n > 0);
}

static bool recover(struct roll *r, const struct buf *body)
{
	bool owed = false;

	assert_int_equal(roll_recover(r, buf_span(body), SERIAL, 17, &owed), OK);
	return owed;
}

static size_t recovered(void **state, unsigned n)
{
	char name[32];

	snprintf(name, sizeof(name), "roll/roll.%06u", n);
	return book_count(scratch_path(state, name), ",\"rv\":\"CKR_OK\",\"change\":\"" SERIAL
						     ":17\",\"recovered\":{\"ts\":\"");
}

static void what_a_dead_process_owes_is_recorded(void **state)
{
	struct buf body = { 0 };
	struct roll *r = rolling_new(state);
	struct book b;
	int owes[2], lives[2];
	uint8_t text[8192];
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(owes), 0);
	assert_int_equal(pipe(lives), 0);
	pid = fork();
	if (pid == 0) {
		struct roll *child = rolling_new(state);

		pend(child, &body);
		(void)!write(owes[1], body.p, body.n);
		pause();
	}
	n = read(owes[0], text, sizeof(text));
	assert_true(n > 0);
	assert_int_equal(buf_put(&body, span(text, (size_t)n)), OK);
	assert_false(recover(r, &body));
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(recover(r, &body));
	assert_int_equal(recovered(state, 2), 1);
	assert_int_equal(book_count(scratch_path(state, "roll/roll.000002"),
				    "\"event\":\"key.generate\",\"token\":\"office\""),
			 1);
	roll_free(r);
	book_check(scratch_path(state, "roll"), &b);
	assert_int_equal(b.records, 4); /* start; start, recovered, stop */
	assert_int_equal(b.lefts, 1);
	buf_free(&body);
}

static void a_process_that_goes_on_does_it_itself(void **state)
{
	struct roll_policy p = rolling_policy(state);
	struct buf body = { 0 };
	struct roll *r, *other;
	struct roll_state s;

	p.rotate_bytes = 3000;
	assert_int_equal(roll_new(&p, &r), OK);
	other = rolling_new(state);
	pend(r, &body);
	assert_false(recover(r, &body));
	assert_false(recover(other, &body));
	for (int i = 0; i < 20; i++)
		rolling_sign(r);
	roll_state(r, &s);
	assert_true(s.file > 1); /* its file has ended, and it has not */
	assert_false(recover(other, &body));
	roll_free(r);
	assert_true(recover(other, &body));
	roll_free(other);
	buf_free(&body);
}

static void a_directory_that_is_gone_has_no_author(void **state)
{
	struct buf body = { 0 };
	struct roll *r = rolling_new(state), *other;
	struct roll_policy p = rolling_policy(state);

	pend(r, &body);
	p.target = scratch_path(state, "other");
	assert_int_equal(roll_new(&p, &other), OK);
	assert_false(recover(other, &body));
	assert_int_equal(rename(scratch_path(state, "roll"), scratch_path(state, "away")), 0);
	assert_true(recover(other, &body));
	roll_free(other);
	roll_free(r);
	buf_free(&body);
}

static void of_a_stream_the_process_is_asked(void **state)
{
	const struct roll_policy p = { .target = "/dev/null" };
	struct buf body = { 0 };
	struct roll *r;

	(void)state;
	assert_int_equal(roll_new(&p, &r), OK);
	pend(r, &body);
	assert_false(recover(r, &body));
	roll_free(r);
	assert_int_equal(roll_new(&p, &r), OK);
	assert_true(recover(r, &body));
	roll_free(r);
	buf_free(&body);
}

static void without_a_roll_nothing_is_kept(void **state)
{
	const struct roll_event ev = rolling_event("key");
	struct buf body = { 0 };
	bool owed = true;

	(void)state;
	assert_int_equal(roll_pend(NULL, &ev, &body), OK);
	assert_int_equal(body.n, 0);
	assert_int_equal(roll_recover(NULL, span(NULL, 0), SERIAL, 1, &owed), OK);
	assert_false(owed);
}

/* Whatever a store was made to hold: what comes of it is a record, or E_DATA. */
static void a_hostile_body_is_refused_or_harmless(void **state)
{
	struct roll *r = rolling_new(state), *gone = rolling_new(state);
	struct buf body = { 0 };
	struct book b;
	bool owed;

	pend(gone, &body);
	roll_free(gone);
	for (size_t n = 0; n < body.n; n++)
		assert_int_equal(roll_recover(r, span(body.p, n), SERIAL, 1, &owed), E_DATA);
	for (size_t i = 1; i < body.n; i += 3) {
		enum err e;

		body.p[i] ^= 0x22;
		e = roll_recover(r, buf_span(&body), SERIAL, 1, &owed);
		assert_true(e == OK || e == E_DATA);
		body.p[i] ^= 0x22;
	}
	assert_int_equal(buf_put_u8(&body, 'x'), OK);
	assert_int_equal(roll_recover(r, buf_span(&body), SERIAL, 1, &owed), E_DATA);
	roll_free(r);
	book_check(scratch_path(state, "roll"), &b);
	assert_int_equal(b.closes, 2);
	buf_free(&body);
}

static void members_and_nothing_else(void **state)
{
	static const char *const good[] = {
		"\"a\":1",
		"\"a_b\":\"\"",
		"\"a\":\"\\\"\\\\\\u00e9\",\"b\":{\"c\":\"d\",\"e\":2}",
	};
	static const char *const bad[] = {
		"",
		",",
		"\"a\":1,",
		",\"a\":1",
		"\"a\":",
		"\"a\":-1",
		"\"a\":01",
		"\"a\":123456789012345678901",
		"\"a\":\"b",
		"\"a\":\"b\"}",
		"\"a\":\"\n\"",
		"\"a\":\"\x7f\"",
		"\"a\":\"\\n\"",
		"\"a\":\"\\u00E9\"",
		"\"a\":\"\\u00e\"",
		"\"a\":{}",
		"\"a\":{\"b\":{\"c\":1}}",
		"\"a\":{\"b\":1",
		"\"a\":[1]",
		"\"a\":true",
		"\"A\":1",
		"\"\":1",
		"a:1",
		"\"a\" :1",
		"\"a\":\"b\",\"prev\":\"x\"},{\"seq\":1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(members_ok(span_str(good[i])));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(members_ok(span_str(bad[i])));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, rolling_setup, rolling_teardown)
	const struct CMUnitTest tests[] = {
		TEST(what_a_dead_process_owes_is_recorded),
		TEST(a_process_that_goes_on_does_it_itself),
		TEST(a_directory_that_is_gone_has_no_author),
		TEST(of_a_stream_the_process_is_asked),
		TEST(without_a_roll_nothing_is_kept),
		TEST(a_hostile_body_is_refused_or_harmless),
		TEST(members_and_nothing_else),
	};

	return cmocka_run_group_tests(tests, rolling_forks, NULL);
}
