/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Case R11 (docs/CASES.md) for objects of every class: whatever attribute can be read finds its object by the value that
 * was read, alone, and does not find it by another; in the process that made the object and in one that starts afresh.
 *
 * Seen to fail: with match_one that takes any value of CKA_SUBJECT; with an empty template that is kept as one, and then
 * not found as it reads; with a question to the store for another class than the template's.
 */
#include "case.h"

#include "base/names.h"

enum { OBJECTS_MAX = 32, VALUE_MAX = 8192 };

static CK_ATTRIBUTE_TYPE types[CASE_TYPES_MAX];
static size_t types_n;

/* ---- objects ---- */

static const CK_ATTRIBUTE_TYPE keeps[] = { CKA_TOKEN, CK_UNAVAILABLE_INFORMATION };

/* A pair's halves, as token objects or not. */
static void halves(struct templ *pub, struct templ *priv, bool token)
{
	memset(pub, 0, sizeof(*pub));
	memset(priv, 0, sizeof(*priv));
	templ_flags(pub, CKA_VERIFY);
	templ_flags(priv, CKA_SIGN);
	templ_text(pub, CKA_LABEL, "the public half");
	templ_text(priv, CKA_ID, "the private half");
	templ_text(priv, CKA_SUBJECT, "a name");
	if (token) {
		templ_flags_list(pub, keeps);
		templ_flags_list(priv, keeps);
	}
}

static void certificate(bool token)
{
	struct templ t = { 0 };
	CK_OBJECT_HANDLE h;

	templ_ulong(&t, CKA_CLASS, CKO_CERTIFICATE);
	templ_ulong(&t, CKA_CERTIFICATE_TYPE, CKC_X_509);
	templ_bool(&t, CKA_TOKEN, token);
	templ_text(&t, CKA_SUBJECT, "the subject");
	templ_text(&t, CKA_ISSUER, "the issuer");
	templ_text(&t, CKA_SERIAL_NUMBER, "the number");
	templ_text(&t, CKA_VALUE, "the certificate");
	templ_text(&t, CKA_LABEL, "a label");
	assert_ok(case_create(p11_session(), &t, &h));
}

static void data_object(bool token)
{
	struct templ t = { 0 };
	CK_OBJECT_HANDLE h;

	templ_ulong(&t, CKA_CLASS, CKO_DATA);
	templ_bool(&t, CKA_TOKEN, token);
	templ_text(&t, CKA_APPLICATION, "the application");
	templ_text(&t, CKA_OBJECT_ID, "the id");
	templ_text(&t, CKA_VALUE, "the value");
	assert_ok(case_create(p11_session(), &t, &h));
}

/* Fresh, and of the session: the value of any other secret key is read with a record, and found by nobody. */
static void readable_key(void)
{
	CK_MECHANISM m = mechanism(CKM_GENERIC_SECRET_KEY_GEN, NULL, 0);
	CK_OBJECT_HANDLE h;
	struct templ t = { 0 };

	templ_ulong(&t, CKA_VALUE_LEN, 15);
	templ_flags(&t, CKA_EXTRACTABLE, CKA_SIGN);
	templ_bool(&t, CKA_SENSITIVE, false);
	assert_ok(p11->C_GenerateKey(p11_session(), &m, t.a, t.n, &h));
}

static void make_objects(bool token)
{
	CK_SESSION_HANDLE s = p11_session();
	struct templ pub, priv;

	halves(&pub, &priv, token);
	p11_rsa(s, 1024, &pub, &priv);
	p11_p256(s, &pub, &priv);
	p11_ed25519(s, &pub, &priv);
	p11_mldsa(s, CKP_ML_DSA_44, &pub, &priv);
	certificate(token);
	data_object(token);
	p11_secret(s, CKM_AES_KEY_GEN, 16, CKA_ENCRYPT);
	readable_key();
}

/* ---- searching ---- */

static CK_ULONG find(CK_SESSION_HANDLE s, CK_ATTRIBUTE *a, CK_ULONG n, CK_OBJECT_HANDLE *h)
{
	CK_ULONG found = 0;

	assert_ok(p11->C_FindObjectsInit(s, a, n));
	assert_ok(p11->C_FindObjects(s, h, OBJECTS_MAX, &found));
	assert_ok(p11->C_FindObjectsFinal(s));
	return found;
}

static bool finds(CK_SESSION_HANDLE s, CK_ATTRIBUTE *a, CK_OBJECT_HANDLE wanted)
{
	CK_OBJECT_HANDLE h[OBJECTS_MAX];
	CK_ULONG n = find(s, a, 1, h);

	for (CK_ULONG i = 0; i < n; i++)
		if (h[i] == wanted)
			return true;
	return false;
}

static void expect(CK_SESSION_HANDLE s, CK_ATTRIBUTE *a, CK_OBJECT_HANDLE h, bool found)
{
	if (finds(s, a, h) != found)
		fail_msg("object %lu is%s found by %s of %lu bytes", h, found ? " not" : "",
			 name_of(NAME_CKA, a->type), a->ulValueLen);
}

/* Whether h has the attribute, and is found by it as it should. */
static bool by_one(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE h, CK_ATTRIBUTE_TYPE type)
{
	static CK_BYTE value[VALUE_MAX];
	CK_ATTRIBUTE a = { type, value, sizeof(value) };

	if (p11->C_GetAttributeValue(s, h, &a, 1) != CKR_OK)
		return false;
	expect(s, &a, h, true);
	if (a.ulValueLen == 0)
		return true;
	value[a.ulValueLen - 1] ^= 1;
	expect(s, &a, h, false);
	return true;
}

/* By every attribute of every object. */
static void walk(CK_SESSION_HANDLE s)
{
	CK_OBJECT_HANDLE h[OBJECTS_MAX];
	CK_ULONG n = find(s, NULL, 0, h);
	unsigned tried = 0;

	assert_int_equal(n, 12);
	for (CK_ULONG i = 0; i < n; i++)
		for (size_t t = 0; t < types_n; t++)
			tried += by_one(s, h[i], types[t]);
	print_message("  %u searches by an attribute\n", tried);
	assert_true(tried > 20 * n);
}

static void test_R11_whatever_can_be_read_is_found_by(void **state)
{
	(void)state;
	types_n = case_types(types);
	make_objects(false);
	walk(p11_session());
}

/* ---- in a process that starts afresh ---- */

static CK_SESSION_HANDLE afresh(void)
{
	CK_SESSION_HANDLE s = case_restart();

	p11_login(s, CKU_USER);
	return s;
}

/* Reads a into value; false: h does not show it. */
static bool show(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE h, CK_ATTRIBUTE *a)
{
	a->ulValueLen = VALUE_MAX;
	return p11->C_GetAttributeValue(s, h, a, 1) == CKR_OK;
}

/* The value of the first object that shows the attribute, and how many have the same: by a look at each. */
static CK_ULONG look(CK_SESSION_HANDLE s, CK_ATTRIBUTE *a)
{
	static CK_BYTE room[VALUE_MAX];
	CK_ATTRIBUTE other = { a->type, room, 0 };
	CK_OBJECT_HANDLE h[OBJECTS_MAX];
	CK_ULONG n = find(s, NULL, 0, h), same = 0, i = 0;

	assert_int_equal(n, 10); /* all that was stored */
	while (i < n && !show(s, h[i], a))
		i++;
	for (; i < n; i++)
		same += show(s, h[i], &other) && other.ulValueLen == a->ulValueLen &&
			memcmp(room, a->pValue, a->ulValueLen) == 0;
	return same;
}

/* The first question of a process is put to the file, not to what is in memory; any attribute may be in it. */
static void test_R11_the_first_question(void **state)
{
	static CK_BYTE value[VALUE_MAX];
	CK_OBJECT_HANDLE h[OBJECTS_MAX];
	unsigned asked = 0;

	(void)state;
	types_n = case_types(types);
	make_objects(true);
	for (size_t t = 0; t < types_n; t++) {
		CK_ATTRIBUTE a = { types[t], value, 0 };
		CK_ULONG want = look(asked == 0 ? afresh() : p11_open(p11_slot(), false), &a);

		if (want == 0)
			continue;
		asked++;
		if (find(afresh(), &a, 1, h) != want)
			fail_msg("not %lu objects by %s", want, name_of(NAME_CKA, types[t]));
	}
	print_message("  %u questions\n", asked);
	assert_true(asked > 40);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, p11_setup_token, p11_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_R11_whatever_can_be_read_is_found_by),
		TEST(test_R11_the_first_question),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
