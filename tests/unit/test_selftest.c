/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every known-answer test passes; every one of them notices a wrong answer; a failure latches. The
 * guard is broken through kat_run, which the linker wraps: see test_selftest.link.
 */
#include "crypto/kat.h"
#include "crypto/sealing.h"
#include "pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum err __real_kat_run(const struct kat *k);
enum err __wrap_kat_run(const struct kat *k);

static enum err forced = OK; /* what the next kat_run answers, unless OK */
static unsigned ran;

enum err __wrap_kat_run(const struct kat *k)
{
	ran++;
	return forced != OK ? forced : __real_kat_run(k);
}

static bool accepts_all; /* every signature is right */

enum err __real_run_verify_once(struct run *r, struct span in, struct span sig);
enum err __wrap_run_verify_once(struct run *r, struct span in, struct span sig);

enum err __wrap_run_verify_once(struct run *r, struct span in, struct span sig)
{
	return accepts_all ? OK : __real_run_verify_once(r, in, sig);
}

static void report(void *arg, const char *name, enum err e)
{
	unsigned *passed = arg;

	if (e != OK)
		print_error("%s: %s\n", name, err_text(e));
	for (; *name != '\0'; name++) /* one style: as libcrypto calls algorithms */
		assert_non_null(strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-/", *name));
	*passed += e == OK;
}

static void test_all_pass(void **state)
{
	unsigned passed = 0;

	(void)state;
	ran = 0;
	assert_int_equal(selftest_all(report, &passed), OK);
	assert_int_equal(passed, ran);
	assert_true(passed > 30);
}

/* A row with one digit of its answer, or of its input, changed. */
static enum err with_changed(const struct kat *k, bool answer)
{
	const char *hex = answer || k->in == NULL ? k->out : k->in;
	char *copy = strdup(hex);
	struct kat bad = *k;
	enum err e;

	assert_non_null(copy);
	copy[strlen(copy) / 2] = copy[strlen(copy) / 2] == '0' ? '1' : '0';
	if (answer || k->in == NULL)
		bad.out = copy;
	else
		bad.in = copy;
	e = __real_kat_run(&bad);
	free(copy);
	return e;
}

static void each_notices(const struct kat *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (with_changed(&rows[i], true) != E_SELFTEST)
			fail_msg("%s does not notice a wrong answer", rows[i].name);
		if (with_changed(&rows[i], false) != E_SELFTEST)
			fail_msg("%s does not notice a wrong input", rows[i].name);
	}
}

static void test_each_notices(void **state)
{
	(void)state;
	each_notices(digest_kats, digest_kats_n);
	each_notices(mac_kats, mac_kats_n);
	each_notices(aes_kats, aes_kats_n);
	each_notices(kdf_kats, kdf_kats_n);
	each_notices(rsa_kats, rsa_kats_n);
	each_notices(ec_kats, ec_kats_n);
	each_notices(ecx_kats, ecx_kats_n);
	each_notices(mldsa_kats, mldsa_kats_n);
}

static void test_once(void **state)
{
	const struct mech *m = mech_find(CKM_SHA384);

	(void)state;
	ran = 0;
	assert_int_equal(selftest_once(m), OK);
	assert_int_equal(ran, 1);
	assert_int_equal(selftest_once(m), OK);
	assert_int_equal(ran, 1);
}

/* HMAC also wants the digest under it tested. */
static void test_digest_inside(void **state)
{
	(void)state;
	ran = 0;
	assert_int_equal(selftest_once(mech_find(CKM_SHA512_HMAC)), OK);
	assert_int_equal(ran, 2);
}

static void test_every_row_has_its_test(void **state)
{
	(void)state;
	for (size_t i = 0; i < mech_count(); i++) {
		enum err e = selftest_once(mech_at(i));

		if (e != OK)
			fail_msg("mechanism 0x%lx: %s", mech_at(i)->type, err_text(e));
	}
}

/* Want of memory is not the algorithm's fault. */
static void test_memory_does_not_latch(void **state)
{
	atomic_uchar fresh = 0;

	(void)state;
	forced = E_MEMORY;
	assert_int_equal(selftest_named("SHA256", &fresh), E_MEMORY);
	forced = OK;
	assert_int_equal(selftest_named("SHA256", &fresh), OK);
}

/* The last one: nothing works afterwards, in this process. */
/* A verification that says yes to everything is as wrong as one that never does. */
static void test_refusals(void **state)
{
	unsigned signatures = 0;

	(void)state;
	for (size_t i = 0; i < ecx_kats_n; i++) {
		const struct kat *k = &ecx_kats[i];

		if (k->kind != KAT_SIGN && k->kind != KAT_PAIRWISE)
			continue;
		signatures++;
		assert_int_equal(__real_kat_run(k), OK);
		accepts_all = true;
		assert_int_equal(__real_kat_run(k), E_SELFTEST);
		accepts_all = false;
	}
	assert_true(signatures > 0);
}

static void test_latch(void **state)
{
	const struct mech *good = mech_find(CKM_SHA256);
	uint8_t digest[SEALING_MAC];
	struct span in = span_str("abc");
	atomic_uchar fresh = 0;
	struct run r = { 0 };
	struct attrset *templ = attrset_new(false), *made = attrset_new(true);

	(void)state;
	assert_true(templ != NULL && made != NULL);
	assert_int_equal(attrset_put_ulong(templ, CKA_VALUE_LEN, 16), OK);
	assert_int_equal(mech_generate(mech_find(CKM_AES_KEY_GEN), NULL, templ, made), OK);
	assert_int_equal(run_begin(&r, good, USE_DIGEST, NULL, NULL), OK);
	forced = E_SELFTEST;
	assert_int_equal(selftest_named("SHA1", &fresh), E_SELFTEST);
	forced = OK;
	assert_int_equal(run_begin(&r, good, USE_DIGEST, NULL, NULL), E_SELFTEST);
	assert_int_equal(selftest_once(good), E_SELFTEST);
	assert_int_equal(selftest_named("SHA1", &fresh), E_SELFTEST);
	assert_int_equal(sealing_digest(&in, 1, digest), E_SELFTEST);
	assert_int_equal(mech_generate(mech_find(CKM_AES_KEY_GEN), NULL, templ, made), E_SELFTEST);
	run_free(&r);
	attrset_free(templ);
	attrset_free(made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_once),
		cmocka_unit_test(test_digest_inside),
		cmocka_unit_test(test_all_pass),
		cmocka_unit_test(test_each_notices),
		cmocka_unit_test(test_every_row_has_its_test),
		cmocka_unit_test(test_memory_does_not_latch),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_latch),
	};

	return cmocka_run_group_tests(tests, crypto_up, crypto_down);
}
