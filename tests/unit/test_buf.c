/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include "base/mem.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void it_grows_and_keeps_its_bytes(void **state)
{
	struct buf b = { 0 };

	(void)state;
	for (unsigned i = 0; i < 10000; i++)
		assert_int_equal(buf_put_u8(&b, (uint8_t)i), OK);
	assert_int_equal(b.n, 10000);
	for (unsigned i = 0; i < 10000; i++)
		assert_int_equal(b.p[i], (uint8_t)i);
	buf_free(&b);
	assert_null(b.p);
	assert_int_equal(buf_put(&b, span_str("again")), OK);
	buf_free(&b);
}

static void it_stops_at_its_bound(void **state)
{
	struct buf b = { .max = 10 };

	(void)state;
	assert_int_equal(buf_put(&b, span_str("1234567")), OK);
	assert_int_equal(buf_put(&b, span_str("8901")), E_DATA_LEN);
	assert_int_equal(b.n, 7);
	assert_memory_equal(b.p, "1234567", 7);
	assert_int_equal(buf_put(&b, span_str("890")), OK);
	assert_int_equal(buf_put_u8(&b, 1), E_DATA_LEN);
	assert_int_equal(buf_reserve(&b, 0), OK);
	assert_int_equal(buf_reserve(&b, SIZE_MAX), E_DATA_LEN);
	buf_free(&b);
}

static void the_default_bound_holds(void **state)
{
	struct buf b = { 0 };

	(void)state;
	assert_int_equal(buf_reserve(&b, BUF_MAX_DEFAULT + 1), E_DATA_LEN);
	assert_int_equal(buf_reserve(&b, BUF_MAX_DEFAULT), OK);
	buf_free(&b);
}

static void clearing_wipes_and_keeps_the_memory(void **state)
{
	struct buf b = { .secret = true };
	uint8_t *p;

	(void)state;
	assert_int_equal(buf_put(&b, span_str("secret")), OK);
	p = b.p;
	buf_clear(&b);
	assert_int_equal(b.n, 0);
	assert_ptr_equal(b.p, p);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(p[i], 0);
	buf_free(&b);
}

static void secret_bytes_come_from_the_secret_arena(void **state)
{
	struct buf b = { .secret = true };
	struct mem_stats before, after;

	(void)state;
	mem_stats(&before);
	assert_int_equal(buf_put(&b, span_str("secret")), OK);
	mem_stats(&after);
	assert_true(after.secret_used > before.secret_used);
	buf_free(&b);
	mem_stats(&after);
	assert_int_equal(after.secret_used, before.secret_used);
}

static void numbers_are_little_endian(void **state)
{
	static const uint8_t want[] = { 0x01, 0x05, 0x04, 0x03, 0x02, 0x0d, 0x0c,
					0x0b, 0x0a, 0x09, 0x08, 0x07, 0x06 };
	struct buf b = { 0 };
	struct span s;
	uint64_t v64 = 0;
	uint32_t v32 = 0;
	uint8_t v8 = 0;

	(void)state;
	assert_int_equal(buf_put_u8(&b, 1), OK);
	assert_int_equal(buf_put_u32(&b, 0x02030405), OK);
	assert_int_equal(buf_put_u64(&b, 0x060708090a0b0c0d), OK);
	assert_int_equal(b.n, sizeof(want));
	assert_memory_equal(b.p, want, sizeof(want));
	s = buf_span(&b);
	assert_true(take_u8(&s, &v8));
	assert_true(take_u32(&s, &v32));
	assert_true(take_u64(&s, &v64));
	assert_int_equal(v8, 1);
	assert_int_equal(v32, 0x02030405);
	assert_true(v64 == 0x060708090a0b0c0d);
	assert_int_equal(s.n, 0);
	buf_free(&b);
}

static void too_short_takes_nothing(void **state)
{
	const uint8_t bytes[7] = { 0 };
	struct span s = span(bytes, sizeof(bytes)), v, empty = span(NULL, 0);
	uint64_t v64 = 0;
	uint32_t v32 = 0;
	uint8_t v8 = 0;

	(void)state;
	assert_false(take_u64(&s, &v64));
	assert_false(take_bytes(&s, 8, &v));
	assert_false(take_bytes(&s, SIZE_MAX, &v));
	assert_ptr_equal(s.p, bytes);
	assert_int_equal(s.n, 7);
	assert_true(take_bytes(&s, 7, &v));
	assert_int_equal(v.n, 7);
	assert_false(take_u8(&empty, &v8));
	assert_false(take_u32(&empty, &v32));
	assert_true(take_bytes(&empty, 0, &v));
	assert_int_equal(v.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_grows_and_keeps_its_bytes),
		cmocka_unit_test(it_stops_at_its_bound),
		cmocka_unit_test(the_default_bound_holds),
		cmocka_unit_test(clearing_wipes_and_keeps_the_memory),
		cmocka_unit_test(secret_bytes_come_from_the_secret_arena),
		cmocka_unit_test(numbers_are_little_endian),
		cmocka_unit_test(too_short_takes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
