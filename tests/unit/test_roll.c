/* SPDX-License-Identifier: Apache-2.0 */
/* The roll as its callers see it: everything is there, in order, in files that agree with the index. */
#include "audit/roll.h"

#include "rollbook.h"
#include "rolling.h"
#include "scratch.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void a_roll_without_events_leaves_nothing(void **state)
{
	struct roll *r = rolling_new(state);

	assert_int_equal(roll_ready(r), OK);
	roll_free(r);
	assert_int_equal(scratch_count(state), 0);
}

static void one_writer(void **state)
{
	struct roll *r = rolling_new(state);
	struct roll_state s;
	struct roll_ref ref;
	struct roll_event ev = rolling_event("key");
	struct book b;

	for (uint64_t i = 1; i <= 20; i++) {
		assert_int_equal(roll_commit(r, &ev, &ref), OK);
		assert_int_equal(ref.file, 1);
		assert_int_equal(ref.seq, i);
	}
	roll_state(r, &s);
	assert_true(s.open && s.durable && !s.failed && !s.low);
	assert_int_equal(s.records, 21);
	assert_int_equal(s.barriers, 21);
	roll_free(r);
	book_check(scratch_path(state, "roll"), &b);
	assert_int_equal(b.files, 1);
	assert_int_equal(b.closes, 1);
	assert_int_equal(b.records, 22);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_roll_without_events_leaves_nothing, rolling_setup,
						rolling_teardown),
		cmocka_unit_test_setup_teardown(one_writer, rolling_setup, rolling_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
