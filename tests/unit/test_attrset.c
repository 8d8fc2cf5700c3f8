/* SPDX-License-Identifier: Apache-2.0 */
#include "base/attrset.h"

#include "base/mem.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void put_get_and_replace(void **state)
{
	struct attrset *s = attrset_new(false);

	(void)state;
	assert_non_null(s);
	assert_int_equal(attrset_count(s), 0);
	assert_null(attrset_get(s, CKA_LABEL));
	assert_int_equal(attrset_put(s, CKA_LABEL, span_str("one")), OK);
	assert_int_equal(attrset_put(s, CKA_ID, span_str("")), OK);
	assert_int_equal(attrset_put_bool(s, CKA_TOKEN, true), OK);
	assert_int_equal(attrset_put_ulong(s, CKA_CLASS, CKO_SECRET_KEY), OK);
	assert_int_equal(attrset_count(s), 4);
	assert_int_equal(attrset_put(s, CKA_LABEL, span_str("a longer one")), OK);
	assert_int_equal(attrset_put(s, CKA_LABEL, span_str("two")), OK);
	assert_int_equal(attrset_count(s), 4);
	assert_true(span_eq(attrset_bytes(s, CKA_LABEL), span_str("two")));
	assert_true(attrset_has(s, CKA_ID));
	assert_int_equal(attrset_bytes(s, CKA_ID).n, 0);
	assert_true(attrset_bool(s, CKA_TOKEN, false));
	assert_int_equal(attrset_ulong(s, CKA_CLASS, 0), CKO_SECRET_KEY);
	attrset_free(s);
	attrset_free(NULL);
}

static void typed_reads_want_the_size(void **state)
{
	struct attrset *s = attrset_new(false);

	(void)state;
	assert_int_equal(attrset_put(s, CKA_TOKEN, span("\1\1", 2)), OK);
	assert_int_equal(attrset_put(s, CKA_CLASS, span("\1\0\0\0", 4)), OK);
	assert_true(attrset_bool(s, CKA_TOKEN, true));
	assert_false(attrset_bool(s, CKA_TOKEN, false));
	assert_int_equal(attrset_ulong(s, CKA_CLASS, 77), 77);
	assert_int_equal(attrset_ulong(s, CKA_KEY_TYPE, 78), 78);
	attrset_free(s);
}

static void the_order_is_by_type(void **state)
{
	struct attrset *s = attrset_new(true);

	(void)state;
	for (unsigned long i = 0; i < 500; i++)
		assert_int_equal(attrset_put_ulong(s, (i * 7919) % 500, i), OK);
	assert_int_equal(attrset_count(s), 500);
	for (size_t i = 0; i < 500; i++)
		assert_int_equal(attrset_at(s, i).type, i);
	for (unsigned long i = 0; i < 500; i++)
		assert_int_equal(attrset_ulong(s, (i * 7919) % 500, 0), i);
	attrset_free(s);
}

static void drop_and_default(void **state)
{
	struct attrset *s = attrset_new(false);

	(void)state;
	assert_int_equal(attrset_put(s, 2, span_str("b")), OK);
	assert_int_equal(attrset_put(s, 1, span_str("a")), OK);
	assert_int_equal(attrset_put(s, 3, span_str("c")), OK);
	attrset_drop(s, 2);
	attrset_drop(s, 2);
	attrset_drop(s, 99);
	assert_int_equal(attrset_count(s), 2);
	assert_true(span_eq(attrset_bytes(s, 3), span_str("c")));
	assert_int_equal(attrset_default(s, 3, span_str("other")), OK);
	assert_int_equal(attrset_default(s, 4, span_str("d")), OK);
	assert_true(span_eq(attrset_bytes(s, 3), span_str("c")));
	assert_true(span_eq(attrset_bytes(s, 4), span_str("d")));
	attrset_free(s);
}

/* The value given may be one of the set's own, also when the block must move. */
static void a_value_of_its_own(void **state)
{
	struct attrset *s = attrset_new(false);

	(void)state;
	assert_int_equal(attrset_put(s, 0, span_str("0123456789")), OK);
	for (unsigned long i = 1; i < 200; i++)
		assert_int_equal(attrset_put(s, i, attrset_bytes(s, i - 1)), OK);
	for (unsigned long i = 0; i < 200; i++)
		assert_true(span_eq(attrset_bytes(s, i), span_str("0123456789")));
	assert_int_equal(attrset_put(s, 5, attrset_bytes(s, 5)), OK);
	assert_true(span_eq(attrset_bytes(s, 5), span_str("0123456789")));
	attrset_free(s);
}

/* A reference of plain C beside it, through thousands of random steps. */
static void random_steps_match_a_reference(void **state)
{
	uint8_t model[32][40];
	size_t len[32];
	bool has[32] = { false };
	struct attrset *s = attrset_new(true);
	unsigned seed = 1;

	(void)state;
	for (int step = 0; step < 20000; step++) {
		unsigned t = (unsigned)rand_r(&seed) % 32, n = (unsigned)rand_r(&seed) % 40;

		if (rand_r(&seed) % 4 == 0) {
			attrset_drop(s, t);
			has[t] = false;
			continue;
		}
		memset(model[t], (int)step, n);
		len[t] = n;
		has[t] = true;
		assert_int_equal(attrset_put(s, t, span(model[t], n)), OK);
	}
	for (unsigned t = 0; t < 32; t++) {
		assert_int_equal(attrset_has(s, t), has[t]);
		assert_true(!has[t] || span_eq(attrset_bytes(s, t), span(model[t], len[t])));
	}
	attrset_free(s);
}

static void copy_and_merge(void **state)
{
	struct attrset *a = attrset_new(false), *b = attrset_new(false), *c;

	(void)state;
	assert_int_equal(attrset_put(a, 1, span_str("a1")), OK);
	assert_int_equal(attrset_put(a, 2, span_str("a2")), OK);
	assert_int_equal(attrset_put(b, 2, span_str("b2, longer")), OK);
	assert_int_equal(attrset_put(b, 3, span_str("")), OK);
	c = attrset_copy(a, true);
	assert_non_null(c);
	assert_int_equal(attrset_merge(c, b), OK);
	attrset_free(a);
	attrset_free(b);
	assert_int_equal(attrset_count(c), 3);
	assert_true(span_eq(attrset_bytes(c, 1), span_str("a1")));
	assert_true(span_eq(attrset_bytes(c, 2), span_str("b2, longer")));
	assert_true(attrset_has(c, 3));
	attrset_free(c);
	a = attrset_new(false);
	b = attrset_copy(a, false);
	assert_int_equal(attrset_count(b), 0);
	assert_int_equal(attrset_put_bool(b, 1, true), OK);
	attrset_free(a);
	attrset_free(b);
}

static void encoded_and_back(void **state)
{
	struct attrset *s = attrset_new(false), *t = NULL;
	struct buf b = { 0 };

	(void)state;
	assert_int_equal(attrset_put(s, CKA_LABEL, span_str("label")), OK);
	assert_int_equal(attrset_put(s, CKA_ID, span_str("")), OK);
	assert_int_equal(attrset_put_ulong(s, CKA_VALUE_LEN, 32), OK);
	assert_int_equal(attrset_encode(s, &b), OK);
	assert_int_equal(attrset_decode(buf_span(&b), true, &t), OK);
	assert_int_equal(attrset_count(t), 3);
	assert_true(span_eq(attrset_bytes(t, CKA_LABEL), span_str("label")));
	assert_int_equal(attrset_ulong(t, CKA_VALUE_LEN, 0), 32);
	/* A decoded set can be changed like any other. */
	assert_int_equal(attrset_put(t, CKA_LABEL, span_str("a new and longer label")), OK);
	attrset_free(t);
	attrset_free(s);
	buf_free(&b);
}

static void every_cut_is_corrupt(void **state)
{
	struct attrset *s = attrset_new(false), *t = NULL;
	struct buf b = { 0 };

	(void)state;
	assert_int_equal(attrset_put(s, 1, span_str("one")), OK);
	assert_int_equal(attrset_put(s, 2, span_str("two")), OK);
	assert_int_equal(attrset_encode(s, &b), OK);
	for (size_t n = 0; n < b.n; n++) {
		assert_int_equal(attrset_decode(span(b.p, n), false, &t), E_CORRUPT);
		assert_null(t);
	}
	assert_int_equal(buf_put_u8(&b, 0), OK);
	assert_int_equal(attrset_decode(buf_span(&b), false, &t), E_CORRUPT);
	attrset_free(s);
	buf_free(&b);
}

/* Two attributes of one byte each, of which the types and the first length are given. */
static enum err decode_two(uint32_t count, uint64_t t1, uint32_t n1, uint64_t t2)
{
	struct attrset *s = NULL;
	struct buf b = { 0 };
	enum err e;

	assert_int_equal(buf_put_u32(&b, count), OK);
	assert_int_equal(buf_put_u64(&b, t1), OK);
	assert_int_equal(buf_put_u32(&b, n1), OK);
	assert_int_equal(buf_put_u8(&b, 0xaa), OK);
	assert_int_equal(buf_put_u64(&b, t2), OK);
	assert_int_equal(buf_put_u32(&b, 1), OK);
	assert_int_equal(buf_put_u8(&b, 0xbb), OK);
	e = attrset_decode(buf_span(&b), false, &s);
	attrset_free(s);
	buf_free(&b);
	return e;
}

static void hostile_forms_are_corrupt(void **state)
{
	(void)state;
	assert_int_equal(decode_two(2, 1, 1, 2), OK);
	assert_int_equal(decode_two(2, 2, 1, 1), E_CORRUPT);
	assert_int_equal(decode_two(2, 1, 1, 1), E_CORRUPT);
	assert_int_equal(decode_two(1, 1, 1, 2), E_CORRUPT);
	assert_int_equal(decode_two(3, 1, 1, 2), E_CORRUPT);
	assert_int_equal(decode_two(0xffffffff, 1, 1, 2), E_CORRUPT);
	assert_int_equal(decode_two(2, 1, 0xffffffff, 2), E_CORRUPT);
	assert_int_equal(decode_two(2, 1, 14, 2), E_CORRUPT);
	assert_int_equal(decode_two(1, 1, 14, 2), OK);
}

static void encoding_respects_the_buffer(void **state)
{
	struct attrset *s = attrset_new(false);
	struct buf b = { .max = 20 };

	(void)state;
	assert_int_equal(attrset_put(s, 1, span_str("12345")), OK);
	assert_int_equal(attrset_encode(s, &b), E_DATA_LEN);
	assert_int_equal(b.n, 0);
	buf_free(&b);
	attrset_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(put_get_and_replace),
		cmocka_unit_test(typed_reads_want_the_size),
		cmocka_unit_test(the_order_is_by_type),
		cmocka_unit_test(drop_and_default),
		cmocka_unit_test(a_value_of_its_own),
		cmocka_unit_test(random_steps_match_a_reference),
		cmocka_unit_test(copy_and_merge),
		cmocka_unit_test(encoded_and_back),
		cmocka_unit_test(every_cut_is_corrupt),
		cmocka_unit_test(hostile_forms_are_corrupt),
		cmocka_unit_test(encoding_respects_the_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
