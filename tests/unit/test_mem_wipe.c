/* SPDX-License-Identifier: Apache-2.0 */
/* What goes back to the system was wiped before: looked at in the last moment that it is ours. */
#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#define LARGE ((size_t)4 << 20) /* beyond the arena's largest block */

static size_t watched; /* bytes that must be zero in what is given back; 0: nothing is watched */
static unsigned given_back;

static bool all_zero(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != 0)
			return false;
	return true;
}

static void look(const void *p)
{
	size_t n = watched;

	watched = 0;
	if (n == 0)
		return;
	given_back++;
	assert_true(all_zero(p, n));
}

void __real_free(void *p);
void __wrap_free(void *p);
void __wrap_free(void *p)
{
	look(p);
	__real_free(p);
}

int __real_munmap(void *p, size_t n);
int __wrap_munmap(void *p, size_t n);
int __wrap_munmap(void *p, size_t n)
{
	look(p);
	return __real_munmap(p, n);
}

static void wiped(void *p, size_t n)
{
	assert_non_null(p);
	memset(p, 0x5a, n);
	given_back = 0;
	watched = n;
	mem_free(p);
	assert_int_equal(given_back, 1);
}

static void test_normal_memory(void **state)
{
	(void)state;
	wiped(mem_alloc(1000), 1000);
	wiped(mem_crypto_malloc(1000, __FILE__, __LINE__), 1000);
}

static void test_large_secrets(void **state)
{
	(void)state;
	wiped(mem_alloc_secret(LARGE), LARGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_normal_memory),
		cmocka_unit_test(test_large_secrets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
