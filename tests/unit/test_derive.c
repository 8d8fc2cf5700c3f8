/* SPDX-License-Identifier: Apache-2.0 */
/* C_DeriveKey with two keys, the base and HKDF's salt key: the second one has the same say as the first. */
#include "office.h"

#include "core/keyops.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static struct session *s;

static int setup(void **state)
{
	office_open(state);
	assert_int_equal(session_get(office_user(office_token("derive")), &s), OK);
	return 0;
}

static int teardown(void **state)
{
	session_put(s);
	return office_close(state);
}

static CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
static CK_ULONG len16 = 16;

/* A readable session key of HKDF; rule: the one entry of its CKA_DERIVE_TEMPLATE, or NULL. */
static CK_OBJECT_HANDLE key(CK_ATTRIBUTE_TYPE use, CK_ATTRIBUTE *rule)
{
	CK_MECHANISM m = { CKM_HKDF_KEY_GEN, NULL, 0 };
	const CK_ATTRIBUTE a[] = {
		{ CKA_VALUE_LEN, &len16, sizeof(len16) },
		{ CKA_TOKEN, &no, 1 },
		{ CKA_EXTRACTABLE, &yes, 1 },
		{ CKA_SENSITIVE, &no, 1 },
		{ use, &yes, 1 },
		{ CKA_DERIVE_TEMPLATE, rule, sizeof(*rule) },
	};
	CK_OBJECT_HANDLE h = 0;

	assert_int_equal(key_generate(s, &m, (struct templ){ a, rule != NULL ? 6 : 5 }, &h), OK);
	return h;
}

/* The template asks for a key that may be read. */
static enum err derive(CK_OBJECT_HANDLE base, CK_OBJECT_HANDLE salt, CK_OBJECT_HANDLE *h)
{
	CK_HKDF_PARAMS p = office_hkdf(salt);
	CK_MECHANISM m = { CKM_HKDF_DERIVE, &p, sizeof(p) };
	const CK_ATTRIBUTE a[] = {
		{ CKA_VALUE_LEN, &len16, sizeof(len16) },
		{ CKA_SENSITIVE, &no, 1 },
	};

	return key_derive(s, &m, base, (struct templ){ a, 2 }, h);
}

static bool may_sign(CK_OBJECT_HANDLE h)
{
	CK_BBOOL b = 7;
	CK_ATTRIBUTE a = { CKA_SIGN, &b, 1 };

	assert_int_equal(obj_get(s, h, &a, 1), OK);
	return b == CK_TRUE;
}

/* What the template says and the key forbids is refused; what it leaves open the key decides. */
static void test_templates(void **state)
{
	CK_ATTRIBUTE hidden = { CKA_SENSITIVE, &yes, 1 }, signs = { CKA_SIGN, &yes, 1 };
	CK_OBJECT_HANDLE plain = key(CKA_DERIVE, NULL), h = 0;

	(void)state;
	assert_int_equal(derive(plain, plain, &h), OK);
	assert_false(may_sign(h));
	assert_int_equal(derive(key(CKA_DERIVE, &hidden), 0, &h), E_TEMPLATE_INCONSISTENT);
	assert_int_equal(derive(key(CKA_DERIVE, &hidden), plain, &h), E_TEMPLATE_INCONSISTENT);
	assert_int_equal(derive(plain, key(CKA_DERIVE, &hidden), &h), E_TEMPLATE_INCONSISTENT);
	assert_int_equal(derive(key(CKA_DERIVE, &signs), 0, &h), OK);
	assert_true(may_sign(h));
	assert_int_equal(derive(plain, key(CKA_DERIVE, &signs), &h), OK);
	assert_true(may_sign(h));
}

/* A key that may not derive gives nothing to a derivation, whichever of the two it is. */
static void test_usage(void **state)
{
	CK_OBJECT_HANDLE may = key(CKA_DERIVE, NULL), may_not = key(CKA_SIGN, NULL), h = 0;

	(void)state;
	assert_int_equal(derive(may_not, 0, &h), E_KEY_USAGE);
	assert_int_equal(derive(may, may_not, &h), E_KEY_USAGE);
	assert_int_equal(derive(may, 4711, &h), E_KEY_HANDLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_templates, setup, teardown),
		cmocka_unit_test_setup_teardown(test_usage, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
