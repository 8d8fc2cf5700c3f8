/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ways by which the use of a token key might leave the roll: as a copy in the session, through wrapping and unwrapping, as what is derived from
 * it, by its value, and by what has left before an operation is cancelled. None of them does, however many are put one behind another; and a key
 * made fresh for the session is not recorded until it takes such a way.
 *
 * Breaks it: mutations copy-lineage, unwrap-lineage, derive-lineage, create-lineage, enrol-stream-end.
 */
#include "case.h"
#include "rolls.h"

static CK_SESSION_HANDLE s;
static CK_OBJECT_HANDLE kek; /* made fresh for the session: its own use is not recorded */
static CK_BYTE data[64], result[256];

static int setup(void **state)
{
	int rc = p11_setup_token(state);

	if (rc != 0)
		return rc;
	s = p11_session();
	kek = p11_secret(s, CKM_AES_KEY_GEN, 32, CKA_WRAP, CKA_UNWRAP);
	return 0;
}

/* use: CKA_SIGN or CKA_DERIVE, since no key may do both. */
static CK_OBJECT_HANDLE key(bool token, CK_ATTRIBUTE_TYPE use)
{
	CK_MECHANISM m = mechanism(CKM_GENERIC_SECRET_KEY_GEN, NULL, 0);
	struct templ t = { 0 };
	CK_OBJECT_HANDLE h;

	templ_ulong(&t, CKA_VALUE_LEN, 32);
	templ_flags(&t, use, CKA_EXTRACTABLE);
	templ_bool(&t, CKA_SENSITIVE, false);
	templ_bool(&t, CKA_TOKEN, token);
	assert_ok(p11->C_GenerateKey(s, &m, t.a, t.n, &h));
	return h;
}

/* What is unwrapped, or derived from such, must be closed. */
static void describe(struct templ *t, CK_ATTRIBUTE_TYPE use, bool closed)
{
	templ_ulong(t, CKA_CLASS, CKO_SECRET_KEY);
	templ_ulong(t, CKA_KEY_TYPE, CKK_GENERIC_SECRET);
	templ_flags(t, use);
	templ_bool(t, CKA_SENSITIVE, closed);
	templ_bool(t, CKA_EXTRACTABLE, !closed);
}

/* ---- ways: each gives a session's key for this use ---- */

static CK_OBJECT_HANDLE by_copy(CK_OBJECT_HANDLE h, CK_ATTRIBUTE_TYPE use)
{
	CK_OBJECT_HANDLE made;
	struct templ t = { 0 };

	(void)use; /* the same */
	templ_bool(&t, CKA_TOKEN, false);
	assert_ok(p11->C_CopyObject(s, h, t.a, t.n, &made));
	return made;
}

static CK_OBJECT_HANDLE by_wrapping(CK_OBJECT_HANDLE h, CK_ATTRIBUTE_TYPE use)
{
	CK_MECHANISM kwp = mechanism(CKM_AES_KEY_WRAP_KWP, NULL, 0);
	CK_ULONG n = sizeof(result);
	CK_OBJECT_HANDLE made;
	struct templ t = { 0 };

	assert_ok(p11->C_WrapKey(s, &kwp, kek, h, result, &n));
	describe(&t, use, true);
	assert_ok(p11->C_UnwrapKey(s, &kwp, kek, result, n, t.a, t.n, &made));
	return made;
}

static CK_OBJECT_HANDLE by_deriving(CK_OBJECT_HANDLE h, CK_ATTRIBUTE_TYPE use)
{
	CK_HKDF_PARAMS p = { .bExtract = CK_TRUE,
			     .bExpand = CK_TRUE,
			     .prfHashMechanism = CKM_SHA256,
			     .ulSaltType = CKF_HKDF_SALT_NULL };
	CK_MECHANISM m = mechanism(CKM_HKDF_DERIVE, &p, sizeof(p));
	CK_OBJECT_HANDLE made;
	struct templ t = { 0 };

	describe(&t, use, true);
	templ_ulong(&t, CKA_VALUE_LEN, 32);
	assert_ok(p11->C_DeriveKey(s, &m, h, t.a, t.n, &made));
	return made;
}

static CK_OBJECT_HANDLE by_value(CK_OBJECT_HANDLE h, CK_ATTRIBUTE_TYPE use)
{
	CK_BYTE value[64];
	size_t n = p11_get_bytes(s, h, CKA_VALUE, value, sizeof(value));
	CK_OBJECT_HANDLE made;
	struct templ t = { 0 };

	describe(&t, use, false);
	templ_bytes(&t, CKA_VALUE, value, n);
	assert_ok(p11->C_CreateObject(s, t.a, t.n, &made));
	return made;
}

static const struct way {
	const char *name;
	CK_OBJECT_HANDLE (*go)(CK_OBJECT_HANDLE h, CK_ATTRIBUTE_TYPE use);
	bool derives, needs_value, closes; /* the value cannot be had any more */
	bool marks;                        /* also a key made fresh: nobody knows what comes back */
} ways[] = {
	{ "C_CopyObject", by_copy, false, false, false, false },
	{ "C_UnwrapKey", by_wrapping, false, true, true, true },
	{ "C_DeriveKey", by_deriving, true, false, true, false },
	{ "C_CreateObject", by_value, false, true, false, true },
};

/* What a key must be good for to go this way to that use. */
static CK_ATTRIBUTE_TYPE needs(const struct way *w, CK_ATTRIBUTE_TYPE use)
{
	return w->derives ? CKA_DERIVE : use;
}

/* ---- */

static bool is_recorded(CK_OBJECT_HANDLE h)
{
	CK_MECHANISM m = mechanism(CKM_SHA256_HMAC, NULL, 0);
	const size_t before = rolls_count("sign");
	CK_ULONG n = sizeof(result);

	assert_ok(p11->C_SignInit(s, &m, h));
	assert_ok(p11->C_Sign(s, data, 10, result, &n));
	return rolls_count("sign") == before + 1;
}

static CK_OBJECT_HANDLE go_both(const struct way *a, const struct way *b)
{
	const CK_ATTRIBUTE_TYPE between = needs(b, CKA_SIGN);

	return b->go(a->go(key(true, needs(a, between)), between), CKA_SIGN);
}

static void no_way_leads_out(void **state)
{
	(void)state;
	assert_true(is_recorded(key(true, CKA_SIGN)));
	for (size_t i = 0; i < LENGTH(ways); i++)
		for (size_t j = 0; j < LENGTH(ways); j++)
			if (!(ways[i].closes && ways[j].needs_value) &&
			    !is_recorded(go_both(&ways[i], &ways[j])))
				fail_msg("%s and %s lead out", ways[i].name, ways[j].name);
}

static void fresh_until_it_goes_one(void **state)
{
	(void)state;
	assert_false(is_recorded(key(false, CKA_SIGN)));
	for (size_t i = 0; i < LENGTH(ways); i++) {
		CK_OBJECT_HANDLE h = key(false, needs(&ways[i], CKA_SIGN));

		if (is_recorded(ways[i].go(h, CKA_SIGN)) != ways[i].marks)
			fail_msg("a fresh key, by %s", ways[i].name);
	}
}

/* Its two halves are records of their own, whoever has what came out. */
static void cancelled(void **state)
{
	CK_MECHANISM ecb = mechanism(CKM_AES_ECB, NULL, 0),
		     gen = mechanism(CKM_AES_KEY_GEN, NULL, 0);
	const size_t ends = rolls_count("stream.end");
	CK_ULONG n = sizeof(result);
	struct templ t = { 0 };
	CK_OBJECT_HANDLE h;
	json_t *v;

	(void)state;
	templ_ulong(&t, CKA_VALUE_LEN, 32);
	templ_flags(&t, CKA_TOKEN, CKA_DECRYPT);
	assert_ok(p11->C_GenerateKey(s, &gen, t.a, t.n, &h));
	h = by_copy(h, CKA_DECRYPT);
	assert_ok(p11->C_DecryptInit(s, &ecb, h));
	assert_ok(p11->C_DecryptUpdate(s, data, 48, result, &n));
	assert_true(n > 0);
	assert_int_equal(rolls_count("stream.begin"), 1);
	assert_ok(p11->C_SessionCancel(s, CKF_DECRYPT));
	assert_int_equal(rolls_count("decrypt"), 0);
	assert_true(rolls_count("stream.end") >= ends);
	p11_finalize(); /* nothing waits for that record */
	v = rolls_last("stream.end");
	assert_int_equal(json_integer_value(json_object_get(v, "bytes")), 48);
	json_decref(v);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, p11_teardown)
	const struct CMUnitTest tests[] = {
		TEST(no_way_leads_out),
		TEST(fresh_until_it_goes_one),
		TEST(cancelled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
