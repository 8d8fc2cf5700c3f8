/* SPDX-License-Identifier: Apache-2.0 */
#include "core/index.h"

#include "base/mem.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define MANY 5000

struct member {
	int value;
	struct link link;
};

static struct member *find(const struct index *x, uint64_t key)
{
	struct link *l = index_first(x, key);

	return l != NULL ? index_member(l, struct member, link) : NULL;
}

static void each_is_found_until_removed(void **state)
{
	struct member *m = mem_alloc(MANY * sizeof(*m));
	struct index x;

	(void)state;
	assert_non_null(m);
	assert_int_equal(index_init(&x), OK);
	for (int i = 0; i < MANY; i++) {
		m[i].value = i;
		index_add(&x, &m[i].link, (uint64_t)i * 3);
	}
	assert_int_equal(x.n, MANY);
	for (int i = 0; i < MANY; i++) {
		assert_ptr_equal(find(&x, (uint64_t)i * 3), &m[i]);
		assert_null(find(&x, (uint64_t)i * 3 + 1));
	}
	for (int i = 0; i < MANY; i += 2)
		index_remove(&x, &m[i].link);
	for (int i = 0; i < MANY; i++)
		assert_ptr_equal(find(&x, (uint64_t)i * 3), i % 2 != 0 ? &m[i] : NULL);
	index_remove(&x, &m[0].link); /* once more does nothing */
	assert_int_equal(x.n, MANY / 2);
	index_free(&x);
	mem_free(m);
}

static void members_may_share_a_key(void **state)
{
	struct member m[3] = { { .value = 1 }, { .value = 2 }, { .value = 4 } };
	struct index x;
	int sum = 0;

	(void)state;
	assert_int_equal(index_init(&x), OK);
	for (int i = 0; i < 3; i++)
		index_add(&x, &m[i].link, 7);
	for (struct link *l = index_first(&x, 7); l != NULL; l = index_next(l))
		sum += index_member(l, struct member, link)->value;
	assert_int_equal(sum, 7);
	index_remove(&x, &m[1].link);
	sum = 0;
	for (struct link *l = index_first(&x, 7); l != NULL; l = index_next(l))
		sum += index_member(l, struct member, link)->value;
	assert_int_equal(sum, 5);
	index_free(&x);
}

/* Vectors of the SipHash paper's reference: key 00..0f, message of n bytes 00..(n-1). */
static void hash_is_siphash(void **state)
{
	static const struct {
		size_t n;
		uint64_t hash;
	} rows[] = {
		{ 0, UINT64_C(0x726fdb47dd0e0e31) },  { 1, UINT64_C(0x74f839c593dc67fd) },
		{ 7, UINT64_C(0xab0200f58b01d137) },  { 8, UINT64_C(0x93f5f5799a932462) },
		{ 15, UINT64_C(0xa129ca6149be45e5) },
	};
	const struct index_secret secret = { { UINT64_C(0x0706050403020100),
					       UINT64_C(0x0f0e0d0c0b0a0908) } };
	uint8_t in[16];

	(void)state;
	for (uint8_t i = 0; i < sizeof(in); i++)
		in[i] = i;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(index_hash(&secret, span(in, rows[i].n)), rows[i].hash);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_found_until_removed),
		cmocka_unit_test(members_may_share_a_key),
		cmocka_unit_test(hash_is_siphash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
