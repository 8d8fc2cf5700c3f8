/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Case B010 (docs/CASES.md) for stored objects of every class: a change touches what it names and nothing else, a copy has
 * all that its original has; so it is in the file, too, and keys are as useful as before.
 *
 * Seen to fail: with a change that drops CKA_ALLOWED_MECHANISMS.
 */
#include "case.h"

#include "base/names.h"

enum { VALUE_MAX = 8192, ID = 36 };

static CK_ATTRIBUTE_TYPE types[CASE_TYPES_MAX];
static size_t types_n;

/* ---- what an object shows ---- */

struct shown {
	CK_RV rv;
	CK_ULONG n;
	CK_BYTE hash[32];
};

static void look(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE h, struct shown *all)
{
	static CK_BYTE value[VALUE_MAX];

	for (size_t i = 0; i < types_n; i++) {
		CK_ATTRIBUTE a = { types[i], value, sizeof(value) };

		memset(value, 0, sizeof(value)); /* entries of an array: only their lengths */
		all[i].rv = p11->C_GetAttributeValue(s, h, &a, 1);
		all[i].n = a.ulValueLen;
		if (all[i].rv == CKR_OK)
			assert_int_equal(EVP_Q_digest(NULL, "SHA256", NULL, value, a.ulValueLen,
						      all[i].hash, NULL),
					 1);
	}
}

static bool same(const struct shown *a, const struct shown *b)
{
	return a->rv == b->rv && a->n == b->n &&
	       (a->rv != CKR_OK || memcmp(a->hash, b->hash, sizeof(a->hash)) == 0);
}

/* h shows what is in before, but for the attribute that must differ. */
static void expect_but(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE h, const struct shown *before,
		       CK_ATTRIBUTE_TYPE other)
{
	static struct shown now[CASE_TYPES_MAX];

	look(s, h, now);
	for (size_t i = 0; i < types_n; i++)
		if (same(&before[i], &now[i]) != (types[i] != other))
			fail_msg("%s is%s the same", name_of(NAME_CKA, types[i]),
				 types[i] == other ? "" : " not");
}

/* ---- objects ---- */

enum { OBJECTS = 11 };

/* What is known of an object in every process: its CKA_UNIQUE_ID, and what it shows after its change. */
static struct stored {
	CK_OBJECT_HANDLE h;
	CK_BYTE id[ID];
	struct shown all[CASE_TYPES_MAX];
} stored[OBJECTS];

static const CK_MECHANISM_TYPE signs[] = { CKM_SHA256_RSA_PKCS, CKM_ECDSA_SHA256, CKM_EDDSA,
					   CKM_ML_DSA };

/* The halves of pairs are at 2 * i and 2 * i + 1. */
static void make_pairs(CK_SESSION_HANDLE s)
{
	struct templ pub = { 0 }, priv = { 0 };
	struct pair k[LENGTH(signs)];

	templ_flags(&pub, CKA_VERIFY, CKA_TOKEN);
	templ_text(&pub, CKA_ID, "an id");
	templ_flags(&priv, CKA_SIGN, CKA_TOKEN);
	templ_text(&priv, CKA_SUBJECT, "a name");
	templ_bytes(&priv, CKA_ALLOWED_MECHANISMS, signs, sizeof(signs));
	k[0] = p11_rsa(s, 1024, &pub, &priv);
	k[1] = p11_p256(s, &pub, &priv);
	k[2] = p11_ed25519(s, &pub, &priv);
	k[3] = p11_mldsa(s, CKP_ML_DSA_44, &pub, &priv);
	for (size_t i = 0; i < LENGTH(signs); i++) {
		stored[2 * i].h = k[i].pub;
		stored[2 * i + 1].h = k[i].priv;
	}
}

/* A key that carries a template, and that may be read. */
static CK_OBJECT_HANDLE secret(CK_SESSION_HANDLE s)
{
	struct templ inner = { 0 }, t;
	CK_OBJECT_HANDLE h;

	templ_text(&inner, CKA_LABEL, "what it unwraps");
	templ_bool(&inner, CKA_EXTRACTABLE, false);
	case_open_secret(&t, CKK_AES, "0123456789abcdef", 16);
	templ_flags(&t, CKA_TOKEN, CKA_UNWRAP);
	templ_bytes(&t, CKA_UNWRAP_TEMPLATE, inner.a, inner.n * sizeof(inner.a[0]));
	templ_text(&t, CKA_START_DATE, "20260101");
	assert_ok(case_create(s, &t, &h));
	return h;
}

static CK_OBJECT_HANDLE certificate(CK_SESSION_HANDLE s)
{
	struct templ t = { 0 };
	CK_OBJECT_HANDLE h;

	templ_ulong(&t, CKA_CLASS, CKO_CERTIFICATE);
	templ_ulong(&t, CKA_CERTIFICATE_TYPE, CKC_X_509);
	templ_flags(&t, CKA_TOKEN);
	templ_text(&t, CKA_SUBJECT, "the subject");
	templ_text(&t, CKA_VALUE, "the certificate");
	assert_ok(case_create(s, &t, &h));
	return h;
}

static void make_objects(CK_SESSION_HANDLE s)
{
	make_pairs(s);
	stored[8].h = secret(s);
	stored[9].h = certificate(s);
	stored[10].h = case_data(s, "a label", "a value", true);
}

/* ---- changes ---- */

static void change_label(CK_SESSION_HANDLE s, struct stored *o)
{
	struct templ t = { 0 };

	look(s, o->h, o->all);
	templ_text(&t, CKA_LABEL, "another label");
	assert_ok(p11->C_SetAttributeValue(s, o->h, t.a, t.n));
	expect_but(s, o->h, o->all, CKA_LABEL);
	look(s, o->h, o->all);
	assert_int_equal(p11_get_bytes(s, o->h, CKA_UNIQUE_ID, o->id, ID), ID);
}

/* A copy is another object, and has all the rest. */
static void copy(CK_SESSION_HANDLE s, const struct stored *o)
{
	CK_OBJECT_HANDLE h;

	assert_ok(p11->C_CopyObject(s, o->h, NULL, 0, &h));
	expect_but(s, h, o->all, CKA_UNIQUE_ID);
	assert_ok(p11->C_DestroyObject(s, h));
}

static void find_again(CK_SESSION_HANDLE s, struct stored *o)
{
	struct templ t = { 0 };
	CK_ULONG n = 0;

	templ_bytes(&t, CKA_UNIQUE_ID, o->id, ID);
	assert_ok(p11->C_FindObjectsInit(s, t.a, t.n));
	assert_ok(p11->C_FindObjects(s, &o->h, 1, &n));
	assert_ok(p11->C_FindObjectsFinal(s));
	assert_int_equal(n, 1);
	expect_but(s, o->h, o->all, CK_UNAVAILABLE_INFORMATION);
}

static void use_pairs(CK_SESSION_HANDLE s)
{
	static CK_BYTE data[32], sig[4096];

	for (size_t i = 0; i < LENGTH(signs); i++) {
		CK_MECHANISM m = mechanism(signs[i], NULL, 0);
		CK_ULONG n = sizeof(sig);

		assert_ok(p11->C_SignInit(s, &m, stored[2 * i + 1].h));
		assert_ok(p11->C_Sign(s, data, sizeof(data), sig, &n));
		assert_ok(p11->C_VerifyInit(s, &m, stored[2 * i].h));
		assert_ok(p11->C_Verify(s, data, sizeof(data), sig, n));
	}
}

static void test_B010_the_rest_stays(void **state)
{
	CK_SESSION_HANDLE s = p11_session();

	(void)state;
	types_n = case_types(types);
	make_objects(s);
	for (size_t i = 0; i < OBJECTS; i++) {
		change_label(s, &stored[i]);
		copy(s, &stored[i]);
	}
	use_pairs(s);
	s = case_restart();
	p11_login(s, CKU_USER);
	for (size_t i = 0; i < OBJECTS; i++)
		find_again(s, &stored[i]);
	use_pairs(s);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, p11_setup_token, p11_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_B010_the_rest_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
