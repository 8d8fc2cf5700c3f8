/* SPDX-License-Identifier: Apache-2.0 */
/* A raw RSA signature is a raw decryption: not with a key that unwraps, or did, for it would read what was wrapped for it. */
#include "office.h"

#include "core/keyops.h"
#include "core/op.h"
#include "core/policy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
static struct session *s; /* held */

static int teardown(void **state)
{
	if (s != NULL)
		session_put(s);
	return office_reset(state);
}

/* ---- the rule ---- */

static struct attrset *rsa_key(bool unwraps, const struct attr_who *who)
{
	struct attrset *k = ATTRS(NUM(CKA_CLASS, CKO_PRIVATE_KEY), NUM(CKA_KEY_TYPE, CKK_RSA),
				  FLAG(CKA_SIGN, true), FLAG(CKA_UNWRAP, unwraps));

	assert_int_equal(policy_roles(who, NULL, k), OK);
	return k;
}

static void test_rule(void **state)
{
	const struct attr_who user = { .user = true }, compat = { .user = true, .compat = true };
	struct attrset *signs = rsa_key(false, &user), *unwraps = rsa_key(true, &user), *once;

	(void)state;
	assert_int_equal(policy_sign(&user, CKM_RSA_X_509, signs), OK);
	assert_int_equal(policy_sign(&user, CKM_RSA_X_509, unwraps), E_KEY_USAGE);
	assert_int_equal(policy_sign(&user, CKM_RSA_PKCS, unwraps), OK);
	assert_int_equal(policy_sign(&compat, CKM_RSA_X_509, unwraps), OK);
	/* taking CKA_UNWRAP back changes nothing */
	once = attrset_copy(unwraps, false);
	assert_non_null(once);
	assert_int_equal(attrset_put_bool(once, CKA_UNWRAP, false), OK);
	assert_int_equal(policy_roles(&user, unwraps, once), OK);
	assert_int_equal(policy_sign(&user, CKM_RSA_X_509, once), E_KEY_USAGE);
	attrset_free(signs);
	attrset_free(unwraps);
	attrset_free(once);
}

/* ---- whoever signs asks it ---- */

static CK_OBJECT_HANDLE generate(CK_ATTRIBUTE_TYPE also)
{
	CK_MECHANISM m = { CKM_RSA_PKCS_KEY_PAIR_GEN, NULL, 0 };
	CK_ULONG bits = 2048;
	CK_BYTE e[] = { 1, 0, 1 };
	const CK_ATTRIBUTE pub[] = { { CKA_MODULUS_BITS, &bits, sizeof(bits) },
				     { CKA_PUBLIC_EXPONENT, e, sizeof(e) },
				     { CKA_TOKEN, &no, 1 } };
	const CK_ATTRIBUTE priv[] = { { CKA_TOKEN, &no, 1 },
				      { CKA_SIGN, &yes, 1 },
				      { CKA_SIGN_RECOVER, &yes, 1 },
				      { also, &yes, 1 } };
	CK_OBJECT_HANDLE hpub, hpriv = 0;

	assert_int_equal(key_generate_pair(s, &m, (struct templ){ pub, 3 },
					   (struct templ){ priv, 4 }, &hpub, &hpriv),
			 OK);
	return hpriv;
}

static enum err begin(enum op_kind k, CK_MECHANISM_TYPE type, CK_OBJECT_HANDLE h)
{
	CK_MECHANISM m = { type, NULL, 0 }, *cancel = NULL;
	enum err e = op_init(s, k, &m, h, span(NULL, 0));

	assert_int_equal(op_init(s, k, cancel, 0, span(NULL, 0)), OK);
	return e;
}

static void test_asked(void **state)
{
	CK_OBJECT_HANDLE signs, unwraps;

	office_open(state);
	assert_int_equal(session_get(office_user(office_token("raw")), &s), OK);
	signs = generate(CKA_SENSITIVE);
	unwraps = generate(CKA_UNWRAP);
	assert_int_equal(begin(OP_SIGN, CKM_RSA_X_509, signs), OK);
	assert_int_equal(begin(OP_SIGN_RECOVER, CKM_RSA_X_509, signs), OK);
	assert_int_equal(begin(OP_SIGN, CKM_RSA_X_509, unwraps), E_KEY_USAGE);
	assert_int_equal(begin(OP_SIGN_RECOVER, CKM_RSA_X_509, unwraps), E_KEY_USAGE);
	assert_int_equal(begin(OP_SIGN, CKM_RSA_PKCS, unwraps), OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rule),
		cmocka_unit_test_teardown(test_asked, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
