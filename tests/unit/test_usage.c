/* SPDX-License-Identifier: Apache-2.0 */
/*
 * May this key do this: each of the questions by itself. The objects are made here without the rules for new ones, which
 * would not let most of them be; what a token holds is not taken on trust.
 */
#include "office.h"

#include "core/usage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static CK_SLOT_ID slot;
static CK_SESSION_HANDLE user;
static struct token *t;

static int setup(void **state)
{
	office_open(state);
	slot = office_token("usage");
	user = office_user(slot);
	t = office_at(slot);
	return 0;
}

/* attrs is freed. */
static CK_OBJECT_HANDLE add(struct attrset *attrs)
{
	struct object *o = NULL;
	struct session *s;
	CK_OBJECT_HANDLE h = 0;

	assert_int_equal(object_new(attrs, false, &o), OK);
	assert_int_equal(session_get(user, &s), OK);
	assert_int_equal(token_add(t, s, o, &h), OK);
	session_put(s);
	return h;
}

/* With every usage attribute that counts here. */
static CK_OBJECT_HANDLE object(CK_OBJECT_CLASS cls, CK_KEY_TYPE type)
{
	static const uint8_t value[16] = { 1 };

	return add(ATTRS(NUM(CKA_CLASS, cls), NUM(CKA_KEY_TYPE, type), FLAG(CKA_TOKEN, false),
			 FLAG(CKA_PRIVATE, false), FLAG(CKA_ENCRYPT, true), FLAG(CKA_DECRYPT, true),
			 FLAG(CKA_SIGN, true), FLAG(CKA_VERIFY, true), FLAG(CKA_WRAP, true),
			 FLAG(CKA_UNWRAP, true), FLAG(CKA_DERIVE, true),
			 BYTES(CKA_VALUE, value, sizeof(value))));
}

static enum err use(CK_OBJECT_HANDLE h, enum usage u, const struct mech *m)
{
	struct used_key k;
	enum err e = usage_key(t, h, u, m, &k);

	if (e != OK)
		assert_true(k.object == NULL && k.key == NULL);
	usage_done(&k);
	return e;
}

static enum err use_type(CK_OBJECT_HANDLE h, enum usage u, CK_MECHANISM_TYPE type)
{
	return use(h, u, mech_find(type));
}

static void what_is_no_key(void **state)
{
	CK_OBJECT_HANDLE data = object(CKO_DATA, CKK_AES);

	(void)state;
	assert_int_equal(use_type(data, USAGE_ENCRYPT, CKM_AES_ECB), E_KEY_HANDLE);
	assert_int_equal(use_type(data, USAGE_WRAP, CKM_AES_KEY_WRAP), E_WRAP_HANDLE);
	assert_int_equal(use_type(data, USAGE_UNWRAP, CKM_AES_KEY_WRAP), E_UNWRAP_HANDLE);
	assert_int_equal(use_type(4711, USAGE_WRAP, CKM_AES_KEY_WRAP), E_WRAP_HANDLE);
}

/* The usage attribute alone does not make a public key sign. */
static void the_class(void **state)
{
	CK_OBJECT_HANDLE pub = object(CKO_PUBLIC_KEY, CKK_RSA),
			 priv = object(CKO_PRIVATE_KEY, CKK_RSA);

	(void)state;
	assert_int_equal(use_type(pub, USAGE_SIGN, CKM_RSA_PKCS), E_KEY_USAGE);
	assert_int_equal(use_type(pub, USAGE_DECRYPT, CKM_RSA_PKCS), E_KEY_USAGE);
	assert_int_equal(use_type(pub, USAGE_UNWRAP, CKM_RSA_PKCS), E_UNWRAP_USAGE);
	assert_int_equal(use_type(priv, USAGE_VERIFY, CKM_RSA_PKCS), E_KEY_USAGE);
	assert_int_equal(use_type(priv, USAGE_ENCRYPT, CKM_RSA_PKCS), E_KEY_USAGE);
	assert_int_equal(use_type(priv, USAGE_WRAP, CKM_RSA_PKCS), E_WRAP_USAGE);
}

static void the_key_type(void **state)
{
	CK_OBJECT_HANDLE generic = object(CKO_SECRET_KEY, CKK_GENERIC_SECRET);

	(void)state;
	assert_int_equal(use_type(generic, USAGE_ENCRYPT, CKM_AES_ECB), E_KEY_TYPE);
	assert_int_equal(use_type(generic, USAGE_WRAP, CKM_AES_KEY_WRAP), E_WRAP_TYPE);
	assert_int_equal(use_type(generic, USAGE_UNWRAP, CKM_AES_KEY_WRAP), E_UNWRAP_TYPE);
}

static void the_flag_of_the_mechanism(void **state)
{
	CK_OBJECT_HANDLE aes = object(CKO_SECRET_KEY, CKK_AES);

	(void)state;
	assert_int_equal(use_type(aes, USAGE_SIGN, CKM_AES_ECB), E_MECHANISM);
	assert_int_equal(use_type(aes, USAGE_ENCRYPT, CKM_AES_CMAC), E_MECHANISM);
	assert_int_equal(use_type(aes, USAGE_DERIVE, CKM_AES_KEY_WRAP), E_MECHANISM);
	assert_int_equal(use_type(aes, USAGE_ENCRYPT, CKM_AES_ECB), OK);
}

/* Every AES key is in range of what there is for AES: a narrower mechanism is made up. */
static void the_size(void **state)
{
	CK_OBJECT_HANDLE aes = object(CKO_SECRET_KEY, CKK_AES);
	struct mech m = *mech_find(CKM_AES_KEY_WRAP);

	(void)state;
	m.min_key = m.max_key = 16;
	assert_int_equal(use(aes, USAGE_WRAP, &m), OK);
	m.min_key = m.max_key = 17;
	assert_int_equal(use(aes, USAGE_ENCRYPT, &m), E_KEY_SIZE);
	assert_int_equal(use(aes, USAGE_WRAP, &m), E_WRAP_SIZE);
	m.min_key = m.max_key = 15;
	assert_int_equal(use(aes, USAGE_UNWRAP, &m), E_UNWRAP_SIZE);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, office_close)
	const struct CMUnitTest tests[] = {
		TEST(what_is_no_key), TEST(the_class),
		TEST(the_key_type),   TEST(the_flag_of_the_mechanism),
		TEST(the_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
