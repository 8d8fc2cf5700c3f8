/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Public records that somebody else altered in the file, or put there: as they are without a login, refused with one,
 * also through a handle from before. With public_write = on nobody vouches for them, so they are trusted with nothing.
 */
#include "office.h"

#include "core/keyops.h"
#include "store/place.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static CK_SLOT_ID slot;

static const struct thing notice = { "notice", NULL, true, false };

/* A token with one public object, its file at rest, and the library new: nobody is logged in. */
static void with_notice(const char *conf)
{
	CK_SESSION_HANDLE h;

	office_home();
	if (conf != NULL)
		office_conf(conf);
	assert_int_equal(lib_initialize(NULL), OK);
	slot = office_token("vouched");
	h = office_user(slot);
	office_put(h, notice);
}

static void alter(const char *sql)
{
	char path[PATH_MAX];
	sqlite3 *c = NULL;

	assert_int_equal(lib_finalize(), OK);
	snprintf(path, sizeof(path), "%s/tokens/%lu/%s", getenv("CHANCERY_HOME"), slot, PLACE_FILE);
	assert_int_equal(sqlite3_open_v2(path, &c, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_exec(c, sql, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_changes(c), 1);
	sqlite3_close(c);
	assert_int_equal(lib_initialize(NULL), OK);
}

/* Seen without a login; with one it is not there, by its handle either. */
static void refused_after_login(const char *sql)
{
	CK_SESSION_HANDLE h;
	CK_OBJECT_HANDLE o;
	CK_ULONG v;

	with_notice(NULL);
	alter(sql);
	h = office_session(slot, true);
	assert_int_equal(office_find_label(h, notice.label, &o), 1);
	assert_int_equal(office_get(h, o, &v), OK);
	assert_int_equal(office_login(h, CKU_USER, USER_PIN), OK);
	assert_int_equal(office_get(h, o, &v), E_OBJECT_HANDLE);
	assert_int_equal(office_find_label(h, notice.label, NULL), 0);
	assert_int_equal(office_logout(h), OK);
}

static void without_a_seal(void **state)
{
	(void)state;
	refused_after_login("UPDATE objects SET tag = x''");
}

/* CKA_VALUE as it lies in the record: type and length, and then what is made another value. */
#define VALUE_HEAD "x'110000000000000008000000'"

static void altered(void **state)
{
	(void)state;
	refused_after_login("UPDATE objects SET blob = CAST(substr(blob, 1, instr(blob, " VALUE_HEAD
			    ") + 11) || x'02' || substr(blob, instr(blob, " VALUE_HEAD
			    ") + 13) AS BLOB)");
}

/* ---- public_write = on ---- */

#define PUBLIC_WRITE "[module]\npublic_write = on\n"

static void configured_so(void **state)
{
	CK_SESSION_HANDLE h;
	CK_OBJECT_HANDLE o;
	CK_ULONG v;

	(void)state;
	with_notice(PUBLIC_WRITE);
	alter("UPDATE objects SET tag = x''");
	h = office_user(slot);
	assert_int_equal(office_find_label(h, notice.label, &o), 1);
	assert_int_equal(office_get(h, o, &v), OK);
}

static CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
static CK_ULONG len16 = 16;
static CK_OBJECT_CLASS secret_class = CKO_SECRET_KEY;
static CK_KEY_TYPE aes_type = CKK_AES;
static CK_BYTE value[16] = "a wrapping key's";

/* A key that the security officer trusts. */
static void trust_a_key(void)
{
	const CK_ATTRIBUTE a[] = {
		{ CKA_CLASS, &secret_class, sizeof(secret_class) },
		{ CKA_KEY_TYPE, &aes_type, sizeof(aes_type) },
		{ CKA_TOKEN, &yes, 1 },
		{ CKA_PRIVATE, &no, 1 },
		{ CKA_SENSITIVE, &no, 1 },
		{ CKA_EXTRACTABLE, &yes, 1 },
		{ CKA_WRAP, &yes, 1 },
		{ CKA_TRUSTED, &yes, 1 },
		{ CKA_LABEL, (CK_VOID_PTR)(uintptr_t) "trusted", 7 },
		{ CKA_VALUE, value, sizeof(value) },
	};
	CK_SESSION_HANDLE h = office_session(slot, true);
	CK_OBJECT_HANDLE o = 0;
	struct session *s;

	assert_int_equal(office_login(h, CKU_SO, SO_PIN), OK);
	assert_int_equal(session_get(h, &s), OK);
	assert_int_equal(obj_create(s, (struct templ){ a, sizeof(a) / sizeof(a[0]) }, &o), OK);
	session_put(s);
	assert_int_equal(office_close_session(h), OK);
}

/* Wraps a key that leaves under a trusted one only. */
static enum err wrap_under_trusted(void)
{
	CK_MECHANISM gen = { CKM_AES_KEY_GEN, NULL, 0 }, kw = { CKM_AES_KEY_WRAP, NULL, 0 };
	const CK_ATTRIBUTE a[] = {
		{ CKA_VALUE_LEN, &len16, sizeof(len16) },
		{ CKA_TOKEN, &no, 1 },
		{ CKA_EXTRACTABLE, &yes, 1 },
		{ CKA_WRAP_WITH_TRUSTED, &yes, 1 },
	};
	CK_SESSION_HANDLE h = office_user(slot);
	CK_OBJECT_HANDLE wrapper, key = 0;
	CK_BYTE out_bytes[64];
	CK_ULONG n = sizeof(out_bytes);
	struct session *s;
	enum err e;

	assert_int_equal(office_find_label(h, "trusted", &wrapper), 1);
	assert_int_equal(session_get(h, &s), OK);
	assert_int_equal(key_generate(s, &gen, (struct templ){ a, 4 }, &key), OK);
	e = key_wrap(s, &kw, wrapper, key, out(out_bytes, &n));
	session_put(s);
	assert_int_equal(office_close_session(h), OK);
	return e;
}

/* Whoever can write to the file can write CKA_TRUSTED into it. */
static void trusted_by_nobody(void **state)
{
	(void)state;
	office_home();
	office_conf(PUBLIC_WRITE);
	assert_int_equal(lib_initialize(NULL), OK);
	slot = office_token("vouched");
	trust_a_key();
	assert_int_equal(wrap_under_trusted(), OK);
	alter("UPDATE objects SET tag = x''");
	assert_int_equal(wrap_under_trusted(), E_KEY_NOT_WRAPPABLE);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_teardown(f, office_reset)
	const struct CMUnitTest tests[] = {
		TEST(without_a_seal),
		TEST(altered),
		TEST(configured_so),
		TEST(trusted_by_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
