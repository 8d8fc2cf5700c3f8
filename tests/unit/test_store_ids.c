/* SPDX-License-Identifier: Apache-2.0 */
/* Ids of records: the counter is not sealed, and set back it makes no record take another's place; rows are bound to theirs. */
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

/* A genuine row under another number is another record, and not a genuine one. */
static void test_renumbered(void **state)
{
	struct vault *v = *state;
	struct record r = { 0 };

	vault_must_put(v, true, "private", "01");
	vault_must_put(v, false, "public", "02");
	vault_sql(v, "UPDATE objects SET id = id + 70");
	assert_int_equal(store_get(v->s, v->user, 71, &r), E_CORRUPT);
	assert_int_equal(store_get(v->s, v->user, 72, &r), E_CORRUPT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_set_back, vault_open, vault_close),
		cmocka_unit_test_setup_teardown(test_renumbered, vault_open, vault_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
