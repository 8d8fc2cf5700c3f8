/* SPDX-License-Identifier: Apache-2.0 */
/* Roots, against those of a program in Python that follows the definition of RFC 6962, 2.1. */
#include "audit/tree.h"
#include "crypto/sealing.h"
#include "pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { LEAVES = 300 };

static void add(struct tree *t, unsigned i)
{
	char leaf[16];
	int n = snprintf(leaf, sizeof(leaf), "leaf %u", i);

	assert_int_equal(tree_add(t, span(leaf, (size_t)n)), OK);
}

/* Mutations: roll-tree-leaf-mark, roll-tree-order. */
static void test_roots(void **state)
{
	static const struct {
		unsigned n;
		const char *root;
	} rows[] = {
		{ 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
		{ 1, "1bb97dcc21635d47e2663efdfd0a174686d98dd701352dd2cd06e8b43fd3d305" },
		{ 2, "fc5f6b88ff8554f75bb2f9e6f39c31b1936d44b69276edf7b1205a955b9761e3" },
		{ 3, "d4f92c8fbb89720eb3b55677c7d7efaddfeb10d11a1a84a0ba8f1a23337faa95" },
		{ 7, "5a61fc2b54f9cfa71774f2432143dd40c6cb2b11947faf65a7d3da5cb65199c8" },
		{ 8, "c5c2c820ed342fdda8ce896b6b9cf5b8c00a21cc4b20714cc6e5d3c05c35240b" },
		{ 300, "e7afc82d38944fc7930545328091d45823288c1f734cbdac06396713ebd4b5d5" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf right = unhex(rows[i].root);
		struct tree t = { 0 };
		uint8_t root[TREE_HASH];

		for (unsigned j = 0; j < rows[i].n; j++)
			add(&t, j);
		assert_int_equal(t.size, rows[i].n);
		assert_int_equal(tree_root(&t, root), OK);
		assert_memory_equal(root, right.p, sizeof(root));
		buf_free(&right);
	}
}

/* The digest of the roots of all sizes up to LEAVES, one behind the other. */
static void test_every_size(void **state)
{
	struct buf right =
		unhex("83e005aab220bccc1d32840c4b72f357dab811c3ae5c27bb298996518b28747b");
	struct buf all = { 0 };
	struct tree t = { 0 };
	uint8_t root[TREE_HASH];
	struct span s;

	(void)state;
	for (unsigned n = 0; n <= LEAVES; n++) {
		assert_int_equal(tree_root(&t, root), OK);
		assert_int_equal(buf_put(&all, span(root, sizeof(root))), OK);
		add(&t, n);
	}
	s = buf_span(&all);
	assert_int_equal(sealing_digest(&s, 1, root), OK);
	assert_memory_equal(root, right.p, sizeof(root));
	buf_free(&all);
	buf_free(&right);
}

/* Mutation: roll-tree-bound. */
static void test_full(void **state)
{
	struct tree t = { .size = (UINT64_C(1) << TREE_HEIGHT) - 2 }, before;
	uint8_t root[TREE_HASH];

	(void)state;
	add(&t, 0);
	assert_int_equal(tree_root(&t, root), OK);
	before = t;
	assert_int_equal(tree_add(&t, span("x", 1)), E_DATA_LEN);
	assert_memory_equal(&t, &before, sizeof(t));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_roots),
		cmocka_unit_test(test_every_size),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, crypto_up, crypto_down);
}
