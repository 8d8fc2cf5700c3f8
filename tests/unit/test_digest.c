/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Digests against OpenSSL's EVP, in one call and in pieces, and the saved state of those that have
 * one.
 */
#include "pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define LONGEST 400

static const struct {
	CK_MECHANISM_TYPE mech;
	const char *name;
	bool saveable;
} rows[] = {
	{ CKM_SHA_1, "SHA1", true },
	{ CKM_SHA224, "SHA224", true },
	{ CKM_SHA256, "SHA256", true },
	{ CKM_SHA384, "SHA384", true },
	{ CKM_SHA512, "SHA512", true },
	{ CKM_SHA512_224, "SHA512-224", true },
	{ CKM_SHA512_256, "SHA512-256", true },
	{ CKM_SHA3_224, "SHA3-224", false },
	{ CKM_SHA3_256, "SHA3-256", false },
	{ CKM_SHA3_384, "SHA3-384", false },
	{ CKM_SHA3_512, "SHA3-512", false },
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static uint8_t text[LONGEST];

static int up(void **state)
{
	for (size_t i = 0; i < LONGEST; i++)
		text[i] = (uint8_t)(i * 7 + 3);
	return crypto_up(state);
}

static void expect(size_t row, struct span in, struct span got)
{
	EVP_MD *md = EVP_MD_fetch(NULL, rows[row].name, NULL);
	uint8_t right[EVP_MAX_MD_SIZE];
	unsigned n = 0;

	assert_int_equal(EVP_Digest(in.p, in.n, right, &n, md, NULL), 1);
	assert_int_equal(got.n, n);
	assert_memory_equal(got.p, right, n);
	EVP_MD_free(md);
}

static void test_lengths(void **state)
{
	static const size_t parts[] = { 0, 1, 63, 64, 129 };
	struct buf out = { 0 };

	(void)state;
	for (size_t row = 0; row < ROWS; row++) {
		for (size_t n = 0; n <= LONGEST; n += n < 150 ? 1 : 83) {
			size_t part = parts[n % 5];

			assert_int_equal(work((struct call){ rows[row].mech, NULL, 0 }, USE_DIGEST,
					      NULL, span(text, n), part, &out),
					 OK);
			expect(row, span(text, n), buf_span(&out));
			buf_clear(&out);
		}
	}
	buf_free(&out);
}

static void begin(struct run *r, size_t row)
{
	assert_int_equal(run_begin(r, mech_find(rows[row].mech), USE_DIGEST, NULL, NULL), OK);
}

static void finish(struct run *r, size_t row, size_t n)
{
	uint8_t digest[EVP_MAX_MD_SIZE];
	struct sink o = sink(digest, run_bound(r, 0, true));

	assert_int_equal(run_final(r, &o), OK);
	assert_int_equal(o.n, o.cap);
	expect(row, span(text, n), span(digest, o.n));
	run_end(r);
}

/* Too little room is told before anything is lost. */
static void test_too_small(void **state)
{
	struct run r = { 0 };
	uint8_t digest[EVP_MAX_MD_SIZE];

	(void)state;
	for (size_t row = 0; row < ROWS; row++) {
		struct sink small = sink(digest, 0);

		begin(&r, row);
		assert_int_equal(run_update(&r, span(text, 77), NULL), OK);
		small.cap = run_bound(&r, 0, true) - 1;
		assert_int_equal(run_final(&r, &small), E_TOO_SMALL);
		finish(&r, row, 77);
	}
	run_free(&r);
}

/* Saved after `at` bytes, loaded into another run, and both go on to the same end. */
static void save_and_go_on(size_t row, size_t at)
{
	struct run a = { 0 }, b = { 0 };
	struct buf saved = { 0 };

	begin(&a, row);
	begin(&b, row);
	assert_int_equal(run_update(&a, span(text, at), NULL), OK);
	assert_int_equal(run_update(&b, span(text, 5), NULL), OK);
	assert_int_equal(a.mech->ops->save(&a, &saved), OK);
	assert_int_equal(b.mech->ops->load(&b, buf_span(&saved)), OK);
	assert_int_equal(run_update(&a, span(text + at, LONGEST - at), NULL), OK);
	assert_int_equal(run_update(&b, span(text + at, LONGEST - at), NULL), OK);
	finish(&a, row, LONGEST);
	finish(&b, row, LONGEST);
	buf_free(&saved);
	run_free(&a);
	run_free(&b);
}

static void test_save_load(void **state)
{
	(void)state;
	for (size_t row = 0; row < ROWS; row++) {
		const struct mech_ops *ops = mech_find(rows[row].mech)->ops;

		assert_int_equal(ops->save != NULL, rows[row].saveable);
		assert_int_equal(ops->load != NULL, rows[row].saveable);
		for (size_t at = 0; rows[row].saveable && at <= 260; at++)
			save_and_go_on(row, at);
	}
}

/* What was not saved by this digest is refused, and the running digest does not notice. */
static void refuse_damaged(size_t row)
{
	struct run r = { 0 };
	struct buf saved = { 0 };
	struct span s;

	begin(&r, row);
	assert_int_equal(run_update(&r, span(text, 130), NULL), OK);
	assert_int_equal(r.mech->ops->save(&r, &saved), OK);
	for (size_t n = 0; n < saved.n; n++)
		assert_int_equal(r.mech->ops->load(&r, span(saved.p, n)), E_STATE_INVALID);
	assert_int_equal(buf_put_u8(&saved, 0), OK);
	assert_int_equal(r.mech->ops->load(&r, buf_span(&saved)), E_STATE_INVALID);
	s = span(saved.p, saved.n - 1);
	saved.p[0]++; /* version */
	assert_int_equal(r.mech->ops->load(&r, s), E_STATE_INVALID);
	saved.p[0]--;
	saved.p[1]++; /* mechanism */
	assert_int_equal(r.mech->ops->load(&r, s), E_STATE_INVALID);
	finish(&r, row, 130);
	buf_free(&saved);
	run_free(&r);
}

static void test_damaged_state(void **state)
{
	(void)state;
	for (size_t row = 0; row < ROWS; row++)
		if (rows[row].saveable)
			refuse_damaged(row);
}

/* A count of pending bytes that a block cannot have must not become an index. */
static void test_pending_count(void **state)
{
	struct run r = { 0 };
	struct buf saved = { 0 };
	size_t at;

	(void)state;
	begin(&r, 2);
	assert_int_equal(r.mech->ops->save(&r, &saved), OK);
	at = saved.n - 4;
	for (uint32_t count = 64; count < 70; count++) {
		struct buf bad = { 0 };

		assert_int_equal(buf_put(&bad, span(saved.p, at)), OK);
		assert_int_equal(buf_put_u32(&bad, count), OK);
		assert_int_equal(buf_put(&bad, span(text, count)), OK);
		assert_int_equal(r.mech->ops->load(&r, buf_span(&bad)), E_STATE_INVALID);
		buf_free(&bad);
	}
	buf_free(&saved);
	run_free(&r);
}

/* One run serves all digests one after the other, and keeps its state where it can. */
static void test_reuse(void **state)
{
	struct run r = { 0 };
	void *kept;

	(void)state;
	for (size_t row = 0; row < ROWS; row++) {
		begin(&r, row);
		assert_int_equal(run_update(&r, span(text, 99), NULL), OK);
		finish(&r, row, 99);
	}
	begin(&r, 0);
	kept = r.state;
	run_end(&r);
	begin(&r, 4);
	assert_ptr_equal(r.state, kept);
	finish(&r, 4, 0);
	run_free(&r);
	assert_null(r.state);
}

static void test_no_key_no_other_use(void **state)
{
	const struct mech *m = mech_find(CKM_SHA256);
	struct run r = { 0 };

	(void)state;
	for (enum mech_use u = 0; u < USE_COUNT; u++)
		if (u != USE_DIGEST)
			assert_int_equal(run_begin(&r, m, u, NULL, NULL), E_MECHANISM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_too_small),
		cmocka_unit_test(test_save_load),
		cmocka_unit_test(test_damaged_state),
		cmocka_unit_test(test_pending_count),
		cmocka_unit_test(test_reuse),
		cmocka_unit_test(test_no_key_no_other_use),
	};

	return cmocka_run_group_tests(tests, up, crypto_down);
}
