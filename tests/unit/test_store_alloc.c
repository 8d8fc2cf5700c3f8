/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation of the store's, of libcrypto's and of SQLite's fails once, in every call: it says so, changes nothing, and
 * works the next time. Breaking it: without its look at the error queue, kdfctx.c takes a right PIN for a wrong one.
 */
#include "deed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "memfault.h"

/* *f is one of the two. SQLite does without some of its memory; and what is only cleaned up may be left for later. */
static void sweep(struct vault *v, struct fault *f)
{
	static const enum err allowed[] = { E_MEMORY, E_FAILED, OK };
	struct stage *st = stage_open(v);

	for (size_t i = 0; i < deeds_n; i++)
		print_message("%s: %u failures\n", deeds[i].name,
			      deed_sweep(st, &deeds[i], f, allowed));
	stage_close(st);
}

static void test_ours(void **state)
{
	sweep(*state, &ours);
}

static void test_sqlites(void **state)
{
	sweep(*state, &sqlites);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_ours, vault_open, vault_close),
		cmocka_unit_test_setup_teardown(test_sqlites, vault_open, vault_close),
	};

	hook_sqlite();
	if (access("/dev/shm", W_OK) == 0)
		setenv("TMPDIR", "/dev/shm", 1); /* what lasts is not the question here */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
