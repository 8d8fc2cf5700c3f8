/* SPDX-License-Identifier: Apache-2.0 */
/* Parsed keys are kept, but not beyond the limit, and never taken away from who uses them. */
#include "attrs.h"

#include "core/keycache.h"
#include "crypto/lib.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define KEYS    32
#define THREADS 6
#define ROUNDS  20000

static struct object *objects[KEYS];
static size_t footprint;

static struct object *make(void)
{
	struct object *o = NULL;
	struct attrset *a =
		ATTRS(NUM(CKA_CLASS, CKO_SECRET_KEY), NUM(CKA_KEY_TYPE, CKK_GENERIC_SECRET),
		      TEXT(CKA_VALUE, "sixteen bytes of"));

	assert_int_equal(object_new(a, false, &o), OK);
	return o;
}

static struct key *key_of(struct object *o)
{
	struct key *k = NULL;

	assert_int_equal(object_key(o, &k), OK);
	assert_non_null(k);
	return k;
}

static struct keycache_stats stats(void)
{
	struct keycache_stats s;

	keycache_stats(&s);
	return s;
}

static int begin(void **state)
{
	struct key *k;

	(void)state;
	assert_int_equal(crypto_start(), OK);
	keycache_start();
	keycache_limit(SIZE_MAX);
	for (size_t i = 0; i < KEYS; i++)
		objects[i] = make();
	k = key_of(objects[0]);
	footprint = key_footprint(k) != 0 ? key_footprint(k) : 1;
	key_unref(k);
	return 0;
}

static int end(void **state)
{
	(void)state;
	for (size_t i = 0; i < KEYS; i++)
		object_unref(objects[i]);
	assert_int_equal(stats().keys, 0);
	assert_int_equal(stats().bytes, 0);
	crypto_stop();
	return 0;
}

static void a_key_is_parsed_once(void **state)
{
	struct key *a, *b;

	(void)state;
	a = key_of(objects[1]);
	b = key_of(objects[1]);
	assert_ptr_equal(a, b);
	assert_int_equal(stats().keys, 2);
	assert_int_equal(stats().bytes, 2 * footprint);
	key_unref(a);
	key_unref(b);
}

static void what_is_used_stays(void **state)
{
	struct key *often, *k;

	(void)state;
	keycache_limit(4 * footprint);
	often = key_of(objects[0]);
	key_unref(often);
	for (size_t i = 1; i < KEYS; i++) {
		key_unref(key_of(objects[i]));
		k = key_of(objects[0]);
		assert_ptr_equal(k, often);
		key_unref(k);
		assert_true(stats().keys <= 4);
	}
	assert_int_equal(stats().evictions, KEYS - 4);
}

static void what_is_held_outlives_the_cache(void **state)
{
	struct key *k = key_of(objects[2]);

	(void)state;
	keycache_trim();
	assert_int_equal(stats().keys, 0);
	assert_int_equal(key_type(k), CKK_GENERIC_SECRET);
	key_unref(k);
	keycache_limit(0); /* nothing is kept, everything works */
	key_unref(key_of(objects[2]));
	assert_int_equal(stats().keys, 0);
}

static void an_object_takes_its_key_along(void **state)
{
	struct object *o = make();

	(void)state;
	key_unref(key_of(o));
	assert_int_equal(stats().keys, 2);
	object_unref(o);
	assert_int_equal(stats().keys, 1);
}

/* ---- threads: users, a limit that keys do not fit into, objects that come and go ---- */

static void *use(void *arg)
{
	unsigned x = *(const unsigned *)arg;

	for (int i = 0; i < ROUNDS; i++) {
		struct object *own;

		x = x * 1103515245 + 12345;
		key_unref(key_of(objects[x / 65536 % KEYS]));
		if (i % 8 != 0)
			continue;
		own = make();
		key_unref(key_of(own));
		object_unref(own);
	}
	return NULL;
}

static void threads_use_more_than_fits(void **state)
{
	static unsigned seed[THREADS] = { 1, 2, 3, 4, 5, 6 };
	pthread_t t[THREADS];

	(void)state;
	keycache_limit(KEYS / 4 * footprint);
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&t[i], NULL, use, &seed[i]), 0);
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(t[i], NULL), 0);
	assert_true(stats().keys <= KEYS / 4);
	assert_true(stats().evictions > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_key_is_parsed_once, begin, end),
		cmocka_unit_test_setup_teardown(what_is_used_stays, begin, end),
		cmocka_unit_test_setup_teardown(what_is_held_outlives_the_cache, begin, end),
		cmocka_unit_test_setup_teardown(an_object_takes_its_key_along, begin, end),
		cmocka_unit_test_setup_teardown(threads_use_more_than_fits, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
