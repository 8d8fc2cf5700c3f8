/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No call tells whether a guess at a key is right without a record of it: a search for the value, a copy that repeats it, a wrapping key whose
 * template demands it, a wrapping key that is the guess.
 */
#include "case.h"
#include "rolls.h"

static CK_BYTE value[32] = "a key that may be read, watched!", blob[64];
static CK_SESSION_HANDLE s;

static int setup(void **state)
{
	int rc = p11_setup_configured(state, ROLLS_CALM);

	s = p11_session();
	return rc;
}

static CK_ULONG found(CK_ATTRIBUTE_TYPE type, const void *p, size_t n)
{
	struct templ t = { 0 };

	templ_bytes(&t, type, p, n);
	return p11_count(s, &t);
}

static CK_OBJECT_HANDLE token_key(void)
{
	struct templ t = { 0 };
	CK_OBJECT_HANDLE h;

	case_open_secret(&t, CKK_AES, value, sizeof(value));
	templ_flags(&t, CKA_TOKEN, CKA_ENCRYPT, CKA_EXTRACTABLE);
	templ_text(&t, CKA_LABEL, "the key");
	assert_ok(case_create(s, &t, &h));
	return h;
}

/* What is not watched is found as ever: a fresh key, and values that are no secrets. */
static void searching(void **state)
{
	CK_BYTE got[32];
	CK_OBJECT_HANDLE fresh;
	struct templ none = { 0 }, open = { 0 };
	CK_MECHANISM gen = mechanism(CKM_AES_KEY_GEN, NULL, 0);
	size_t n;

	(void)state;
	(void)token_key();
	(void)case_data(s, "a text", "is no key", false);
	templ_ulong(&open, CKA_VALUE_LEN, 32);
	templ_bool(&open, CKA_SENSITIVE, false);
	templ_bool(&open, CKA_EXTRACTABLE, true);
	assert_ok(p11->C_GenerateKey(s, &gen, open.a, open.n, &fresh));
	assert_int_equal(p11_get_bytes(s, fresh, CKA_VALUE, got, sizeof(got)), 32);
	n = rolls_count(NULL);
	assert_int_equal(found(CKA_VALUE, value, sizeof(value)), 0);
	assert_int_equal(found(CKA_LABEL, "the key", 7), 1);
	assert_int_equal(found(CKA_VALUE, got, sizeof(got)), 1);
	assert_int_equal(found(CKA_VALUE, "is no key", 9), 1);
	assert_int_equal(p11_count(s, &none), 3);
	assert_int_equal(rolls_count(NULL), n);
}

static void copying(void **state)
{
	CK_OBJECT_HANDLE key = token_key(), h;
	struct templ t = { 0 };

	(void)state;
	templ_bytes(&t, CKA_VALUE, value, sizeof(value));
	assert_rv(p11->C_CopyObject(s, key, t.a, t.n, &h), CKR_ATTRIBUTE_READ_ONLY);
}

/* A session object that wraps; demand NULL: whatever may leave. */
static CK_OBJECT_HANDLE wrapper(const CK_BYTE v[32], const struct templ *demand)
{
	struct templ t = { 0 };
	CK_OBJECT_HANDLE h;

	case_open_secret(&t, CKK_AES, v, 32);
	templ_flags(&t, CKA_WRAP);
	if (demand != NULL)
		templ_bytes(&t, CKA_WRAP_TEMPLATE, demand->a, demand->n * sizeof(demand->a[0]));
	assert_ok(case_create(s, &t, &h));
	return h;
}

static CK_RV wrap(CK_OBJECT_HANDLE by, CK_OBJECT_HANDLE key, CK_BYTE *out)
{
	CK_MECHANISM kwp = mechanism(CKM_AES_KEY_WRAP_KWP, NULL, 0);
	CK_ULONG n = out != NULL ? sizeof(blob) : 0;

	return p11->C_WrapKey(s, &kwp, by, key, out, &n);
}

/* Right or wrong, a guess in the template gets one answer. */
static void demanding(void **state)
{
	static const CK_BYTE other[32] = { 7 };
	struct templ right = { 0 }, wrong = { 0 };
	CK_OBJECT_HANDLE key = token_key(), a, b;

	(void)state;
	templ_bytes(&right, CKA_VALUE, value, sizeof(value));
	templ_bytes(&wrong, CKA_VALUE, other, sizeof(other));
	a = wrapper(other, &right);
	b = wrapper(other, &wrong);
	assert_rv(wrap(a, key, NULL), CKR_KEY_HANDLE_INVALID);
	assert_rv(wrap(b, key, NULL), CKR_KEY_HANDLE_INVALID);
}

/* The length is told of any key; that it is the same key only with a record for both. */
static void wrapping_by_the_guess(void **state)
{
	CK_OBJECT_HANDLE key = token_key(), by = wrapper(value, NULL);
	size_t n;
	json_t *v;

	(void)state;
	n = rolls_count(NULL);
	assert_ok(wrap(by, key, NULL));
	assert_int_equal(rolls_count(NULL), n);
	assert_rv(wrap(by, key, blob), CKR_KEY_NOT_WRAPPABLE);
	assert_int_equal(rolls_count(NULL), n + 2);
	rolls_text(v = rolls_last("key.wrap"), "rv", "CKR_KEY_NOT_WRAPPABLE");
	rolls_text(v, "key.label", "the key");
	json_decref(v);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, p11_teardown)
	const struct CMUnitTest tests[] = {
		TEST(searching),
		TEST(copying),
		TEST(demanding),
		TEST(wrapping_by_the_guess),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
