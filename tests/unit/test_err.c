/* SPDX-License-Identifier: Apache-2.0 */
/* The table of errors: complete, and the way from a CK_RV back. */
#include "base/err.h"

#include <chancery/chancery.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sysexits.h>

#include <cmocka.h>

static void every_row_is_complete(void **state)
{
	(void)state;
	for (int i = 0; i < E_COUNT; i++) {
		enum err e = (enum err)i;

		assert_true(strlen(err_text(e)) > 3);
		assert_in_range(err_http(e), 200, 599);
		assert_int_equal(err_http(e) < 400, e == OK);
		assert_true(err_exit(e) == EX_OK ||
			    (err_exit(e) >= EX__BASE && err_exit(e) <= EX__MAX));
		assert_int_equal(err_exit(e) == EX_OK, e == OK);
		assert_int_equal(err_rv(e) == CKR_OK, e == OK);
	}
}

/* What no command can be brought to easily: tests/e2e/told.bats has the other exit statuses of chancery(1). */
static void exit_statuses(void **state)
{
	(void)state;
	assert_int_equal(err_exit(E_FAILED), 70);
	assert_int_equal(err_exit(E_MEMORY), 71);
	assert_int_equal(err_exit(E_BUSY), 75);
}

static void a_return_value_finds_its_error(void **state)
{
	(void)state;
	for (int i = 0; i < E_COUNT; i++)
		assert_int_equal(err_rv(err_of_rv(err_rv((enum err)i))), err_rv((enum err)i));
	assert_int_equal(err_of_rv(CKR_DEVICE_ERROR), E_DEVICE);
	assert_int_equal(err_of_rv(CKR_FUNCTION_FAILED), E_FAILED);
	for (int i = 0; i < E_COUNT; i++)
		if (err_rv_vendor((enum err)i) != err_rv((enum err)i))
			assert_int_equal(err_of_rv(err_rv_vendor((enum err)i)), i);
	assert_int_equal(err_rv_vendor(E_EXISTS), CKR_CHANCERY_EXISTS);
	assert_int_equal(err_rv(E_EXISTS), CKR_FUNCTION_FAILED);
	assert_int_equal(err_of_rv(0x7fffffffUL), E_INTERNAL);
}

static void a_wild_number_is_an_internal_error(void **state)
{
	(void)state;
	assert_int_equal(err_rv((enum err)E_COUNT), CKR_GENERAL_ERROR);
	assert_string_equal(err_text((enum err)(E_COUNT + 1000)), err_text(E_INTERNAL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_is_complete),
		cmocka_unit_test(exit_statuses),
		cmocka_unit_test(a_return_value_finds_its_error),
		cmocka_unit_test(a_wild_number_is_an_internal_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
