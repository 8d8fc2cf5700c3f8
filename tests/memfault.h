/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocations that fail: those of the project and of libcrypto, which the linker wraps (a test's .link file), and SQLite's.
 * For one C file of a test.
 */
#ifndef CHANCERY_TESTS_MEMFAULT_H
#define CHANCERY_TESTS_MEMFAULT_H

#include "base/mem.h"
#include "fault.h"

#include <sqlite3.h>

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

#endif
