/* SPDX-License-Identifier: Apache-2.0 */
/* A thousand kills. The seed is printed; CHANCERY_TEST_SEED repeats it. */
#include "torture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

static unsigned first_seed(void)
{
	const char *given = getenv("CHANCERY_TEST_SEED");
	unsigned seed = given != NULL ? (unsigned)strtoul(given, NULL, 10) : (unsigned)time(NULL);

	print_message("seed %u\n", seed);
	return seed;
}

static void repeat(struct vault *v, unsigned (*round)(struct vault *v, unsigned seed), unsigned n)
{
	unsigned seed = first_seed(), acknowledged = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned changes = round(v, seed + i);

		assert_true(changes > 0 || (seed + i) % 8 == 0);
		acknowledged += changes;
	}
	print_message("%u kills, %u acknowledged changes, none lost\n", n, acknowledged);
}

static void test_objects(void **state)
{
	struct vault *v = *state;

	/* a new token now and then, so that the rounds do not grow slower */
	for (int i = 0; i < 20; i++) {
		const char label[33] = "again                           ";
		struct seal *so;

		repeat(v, torture_objects, 30);
		assert_int_equal(store_reinit(v->s, text(SO_PIN), label, NULL), OK);
		so = vault_login(v->s, STORE_SO, SO_PIN);
		assert_int_equal(store_init_pin(v->s, so, text(USER_PIN), NULL), OK);
		seal_free(so);
		vault_reopen(v);
	}
}

static void test_pins(void **state)
{
	repeat(*state, torture_pins, 250);
}

static void test_tokens(void **state)
{
	repeat(*state, torture_tokens, 150);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, vault_open, vault_close)
		TEST(test_objects),
		TEST(test_pins),
		TEST(test_tokens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
