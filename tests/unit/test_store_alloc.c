/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation of the store's, of libcrypto's and of SQLite's fails once, in every call: it says so, changes nothing, and
 * works the next time. Breaking it: without its look at the error queue, kdfctx.c takes a right PIN for a wrong one.
 */
#include "deed.h"

#include "base/mem.h"
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static struct fault ours, sqlites;

/* A wrapped function: NULL instead of the call. */
#define WRAP(name, params, args)                                         \
	void *__real_##name params;                                      \
	void *__wrap_##name params;                                      \
	void *__wrap_##name params                                       \
	{                                                                \
		return fault_strikes(&ours) ? NULL : __real_##name args; \
	}

/* clang-format off */
WRAP(mem_alloc, (size_t n), (n))
WRAP(mem_alloc_secret, (size_t n), (n))
WRAP(mem_realloc, (void *p, size_t n), (p, n))
WRAP(mem_crypto_malloc, (size_t n, const char *file, int line), (n, file, line))
WRAP(mem_crypto_realloc, (void *p, size_t n, const char *file, int line), (p, n, file, line))
/* clang-format on */

static sqlite3_mem_methods sqlite_mem;

static void *sqlite_malloc(int n)
{
	return fault_strikes(&sqlites) ? NULL : sqlite_mem.xMalloc(n);
}

static void *sqlite_realloc(void *p, int n)
{
	return fault_strikes(&sqlites) ? NULL : sqlite_mem.xRealloc(p, n);
}

/* Before SQLite is used for the first time in this process, and in no process but a test. */
static void hook_sqlite(void)
{
	sqlite3_mem_methods mine;

	assert_int_equal(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &sqlite_mem), SQLITE_OK);
	mine = sqlite_mem;
	mine.xMalloc = sqlite_malloc;
	mine.xRealloc = sqlite_realloc;
	assert_int_equal(sqlite3_config(SQLITE_CONFIG_MALLOC, &mine), SQLITE_OK);
}

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
