/* SPDX-License-Identifier: Apache-2.0 */
/* The counter of ids is not sealed: set back, it makes no new record take the place of one that is there. */
#include "vault.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void test_set_back(void **state)
{
	struct vault *v = *state;
	uint64_t first = vault_must_put(v, true, "first", "01"), id = 0;

	vault_must_put(v, true, "second", "02");
	vault_sql(v, "UPDATE token SET next_id = 1");
	assert_int_not_equal(vault_put(v->s, v->user, true, "third", "03", &id), OK);
	vault_expect(v->s, v->user, first, "first");
	assert_int_equal(vault_count(v->s, v->user), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_set_back, vault_open, vault_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
