/* SPDX-License-Identifier: Apache-2.0 */
/* Files of counters that somebody else wrote: each number in them may be anything. */
#include "cli/counts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int setup(void **state)
{
	struct tally *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return -1;
	t->head = tally_head_new();
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

static enum err parse(const struct tally *t, size_t n, struct counts *c)
{
	struct why why = { "" };
	enum err e = counts_parse(span((const void *)t, n), "counters", c, &why);

	assert_true(e != E_DATA || why.text[0] != '\0');
	return e;
}

static void test_empty(void **state)
{
	const struct tally *t = *state;
	struct counts c;

	assert_int_equal(parse(t, sizeof(*t), &c), OK);
	assert_true(c.n == 0 && c.since == 0 && c.lost == 0);
}

/* The head has to be whole and known, and the file as long as it says. */
static void test_head(void **state)
{
	struct tally *t = *state;
	uint32_t *const fields[] = { &t->head.version, &t->head.rows, &t->head.lanes,
				     &t->head.cell };
	struct counts c;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		*fields[i] += 1;
		assert_int_equal(parse(t, sizeof(*t), &c), E_DATA);
		*fields[i] = 0xffffffff;
		assert_int_equal(parse(t, sizeof(*t), &c), E_DATA);
		t->head = tally_head_new();
	}
	assert_int_equal(parse(t, sizeof(*t) - 1, &c), E_DATA);
	assert_int_equal(parse(t, sizeof(t->head), &c), E_DATA);
	assert_int_equal(parse(t, 4, &c), E_DATA);
	assert_int_equal(parse(t, 0, &c), E_ABSENT);
	t->head.magic[0] = 'x';
	assert_int_equal(parse(t, sizeof(*t), &c), E_DATA);
}

static void test_largest(void **state)
{
	struct tally *t = *state;
	struct counts c;

	memset((void *)t->cell, 0xff, sizeof(t->cell));
	t->key[5] = tally_key(TALLY_SIGN, CKM_ECDSA);
	t->head.since = t->head.lost = UINT64_MAX;
	assert_int_equal(parse(t, sizeof(*t), &c), OK);
	assert_true(c.since == INT64_MAX && c.lost == INT64_MAX);
	assert_int_equal(c.n, 1);
	assert_true(c.row[0].done == INT64_MAX && c.row[0].bytes == INT64_MAX &&
		    c.row[0].rejected == INT64_MAX && c.row[0].failed == INT64_MAX &&
		    c.row[0].samples == INT64_MAX && c.row[0].sample_ns == INT64_MAX);
}

/* The same name in each row is one row; names that are none are left out, and uses of a later version are not. */
static void test_names(void **state)
{
	struct tally *t = *state;
	struct counts c;

	for (size_t i = 0; i < TALLY_ROWS; i++) {
		t->key[i] = tally_key(TALLY_SIGN, CKM_ECDSA);
		t->cell[0][i].failed = 1;
	}
	assert_int_equal(parse(t, sizeof(*t), &c), OK);
	assert_true(c.n == 1 && c.row[0].failed == TALLY_ROWS);
	t->key[1] = (uint64_t)1 << 40 | 1;
	t->key[2] = 0;
	t->key[3] = UINT64_MAX;
	t->key[4] = (uint64_t)CKM_ECDSA << 8 | 0xff;
	assert_int_equal(parse(t, sizeof(*t), &c), OK);
	assert_int_equal(c.n, 2);
	assert_true(c.row[0].failed == TALLY_ROWS - 4 && c.row[1].failed == 1);
	assert_null(tally_use_name(c.row[1].use));
}

/* As many names as there can be, in no order. */
static void test_many(void **state)
{
	struct tally *t = *state;
	struct counts c;

	for (unsigned i = 0; i < TALLY_ROWS; i++) {
		t->key[i] = tally_key(i % TALLY_USES, (TALLY_ROWS - i) / TALLY_USES);
		t->cell[i % TALLY_LANES][i].done = 1;
	}
	assert_int_equal(parse(t, sizeof(*t), &c), OK);
	for (size_t i = 1; i < c.n; i++)
		assert_true(c.row[i - 1].mechanism < c.row[i].mechanism ||
			    (c.row[i - 1].mechanism == c.row[i].mechanism &&
			     c.row[i - 1].use < c.row[i].use));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(test_empty), TEST(test_head), TEST(test_largest),
					    TEST(test_names), TEST(test_many) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
