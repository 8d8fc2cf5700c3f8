/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which mechanisms are offered is asked of libcrypto once, but what could not be told for lack of memory is asked again:
 * an answer of that moment would hold for the life of the process.
 */
#include "crypto/fetch.h"
#include "crypto/lib.h"
#include "crypto/mech.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define OUR_MECH CKM_PKCS5_PBKD2
#define OUR_NEED "PBKDF2"

static bool memory_short, absent; /* as libcrypto's answer about OUR_NEED */

static bool about_ours(const char *name)
{
	return (memory_short || absent) && strcmp(name, OUR_NEED) == 0;
}

bool __real_fetch_has(const char *name);
bool __wrap_fetch_has(const char *name);
bool __wrap_fetch_has(const char *name)
{
	return !about_ours(name) && __real_fetch_has(name);
}

bool __real_fetch_lacks(const char *name);
bool __wrap_fetch_lacks(const char *name);
bool __wrap_fetch_lacks(const char *name)
{
	return about_ours(name) ? absent && !memory_short : __real_fetch_lacks(name);
}

/* Each slot keeps what it was told, so this is one walk: short of memory, then absent, then for good. */
static void absent_when_it_is_known(void **state)
{
	size_t n;

	(void)state;
	assert_int_equal(crypto_start(), OK);
	memory_short = true;
	assert_non_null(mech_find(OUR_MECH));
	assert_int_equal(mech_count(), 0);
	memory_short = false;
	absent = true;
	assert_null(mech_find(OUR_MECH));
	n = mech_count();
	assert_true(n > 100);
	for (size_t i = 0; i < n; i++)
		assert_int_not_equal(mech_at(i)->type, OUR_MECH);
	absent = false;
	assert_null(mech_find(OUR_MECH)); /* known answers are kept */
	crypto_stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(absent_when_it_is_known) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
