/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Secret keys that are not CKA_PRIVATE and yet may not be read: sealed, there for whoever is logged in, so that the security
 * officer can trust a wrapping key (CKA_TRUSTED) and the user can wrap with it (CKA_WRAP_WITH_TRUSTED).
 */
#include "case.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static CK_BYTE data[32] = "what is to be encrypted", out[256];

/* ---- keys and logins ---- */

static void change_login(CK_SESSION_HANDLE s, CK_USER_TYPE who)
{
	assert_ok(p11->C_Logout(s));
	p11_login(s, who);
}

static void named(struct templ *t, const char *label)
{
	memset(t, 0, sizeof(*t));
	templ_text(t, CKA_LABEL, label);
}

/* The one of this name, or 0. */
static CK_OBJECT_HANDLE find(CK_SESSION_HANDLE s, const char *label)
{
	CK_OBJECT_HANDLE h[2] = { 0, 0 };
	CK_ULONG n = 0;
	struct templ t;

	named(&t, label);
	assert_ok(p11->C_FindObjectsInit(s, t.a, t.n));
	assert_ok(p11->C_FindObjects(s, h, 2, &n));
	assert_ok(p11->C_FindObjectsFinal(s));
	assert_true(n < 2);
	return h[0];
}

/* A key to wrap with: on the token, sensitive, not private. */
static void wrapping_template(struct templ *t, const char *label)
{
	named(t, label);
	templ_ulong(t, CKA_VALUE_LEN, 32);
	templ_bool(t, CKA_PRIVATE, false);
	templ_bool(t, CKA_SENSITIVE, true);
	templ_bool(t, CKA_EXTRACTABLE, false);
	templ_flags(t, CKA_TOKEN, CKA_WRAP, CKA_UNWRAP);
}

static CK_RV generate(CK_SESSION_HANDLE s, struct templ *t, CK_OBJECT_HANDLE *h)
{
	CK_MECHANISM m = mechanism(CKM_AES_KEY_GEN, NULL, 0);

	*h = 0;
	return p11->C_GenerateKey(s, &m, t->a, t->n, h);
}

static CK_OBJECT_HANDLE wrapping_key(CK_SESSION_HANDLE s, const char *label)
{
	struct templ t;
	CK_OBJECT_HANDLE h;

	wrapping_template(&t, label);
	assert_ok(generate(s, &t, &h));
	assert_false(p11_get_bool(s, h, CKA_PRIVATE));
	return h;
}

/* The user's own, that leaves under a trusted key only. */
static CK_OBJECT_HANDLE careful_key(CK_SESSION_HANDLE s)
{
	struct templ t = { 0 };
	CK_OBJECT_HANDLE h;

	templ_ulong(&t, CKA_VALUE_LEN, 32);
	templ_flags(&t, CKA_EXTRACTABLE, CKA_WRAP_WITH_TRUSTED, CKA_ENCRYPT);
	assert_ok(generate(s, &t, &h));
	return h;
}

static CK_RV wrap(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE with, CK_OBJECT_HANDLE key)
{
	CK_MECHANISM m = mechanism(CKM_AES_KEY_WRAP_KWP, NULL, 0);
	CK_ULONG n = sizeof(out);

	return p11->C_WrapKey(s, &m, with, key, out, &n);
}

static CK_RV set_trusted(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE h)
{
	struct templ t = { 0 };

	templ_bool(&t, CKA_TRUSTED, true);
	return p11->C_SetAttributeValue(s, h, t.a, t.n);
}

/* ---- trust ---- */

static void trusted_from_the_first(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	struct templ t;
	CK_OBJECT_HANDLE h;

	(void)state;
	wrapping_template(&t, "trusted");
	templ_bool(&t, CKA_TRUSTED, true);
	assert_rv(generate(s, &t, &h), CKR_ATTRIBUTE_READ_ONLY); /* not by the user */
	change_login(s, CKU_SO);
	assert_ok(generate(s, &t, &h));
	assert_true(p11_get_bool(s, h, CKA_TRUSTED));
	change_login(s, CKU_USER);
	h = find(s, "trusted");
	assert_true(h != 0 && p11_get_bool(s, h, CKA_TRUSTED));
	assert_ok(wrap(s, h, careful_key(s)));
}

static CK_OBJECT_HANDLE session_copy(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE h, bool priv, CK_RV want)
{
	CK_OBJECT_HANDLE copy = 0;
	struct templ t = { 0 };

	templ_bool(&t, CKA_TOKEN, false);
	templ_bool(&t, CKA_PRIVATE, priv);
	assert_rv(p11->C_CopyObject(s, h, t.a, t.n, &copy), want);
	return copy;
}

static void trusted_later(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE h = wrapping_key(s, "later"), other = wrapping_key(s, "other"), careful;

	(void)state;
	assert_rv(set_trusted(s, h), CKR_ATTRIBUTE_READ_ONLY);
	assert_rv(wrap(s, h, careful_key(s)), CKR_KEY_NOT_WRAPPABLE);
	change_login(s, CKU_SO);
	h = find(s, "later");
	assert_int_not_equal(h, 0);
	assert_ok(set_trusted(s, h));
	change_login(s, CKU_USER);
	careful = careful_key(s);
	h = find(s, "later");
	other = find(s, "other");
	assert_ok(wrap(s, h, careful));
	assert_rv(wrap(s, other, careful), CKR_KEY_NOT_WRAPPABLE);
	/* a copy is another key, which nobody trusted; and none is left behind by the logout */
	session_copy(s, h, false, CKR_TEMPLATE_INCONSISTENT);
	assert_rv(wrap(s, session_copy(s, h, true, CKR_OK), careful), CKR_KEY_NOT_WRAPPABLE);
}

/* The other process logs in on its own; what is trusted here is trusted there, and the reverse. */
static void trust_elsewhere(void)
{
	CK_SESSION_HANDLE s;

	p11_initialize();
	s = p11_open(p11_slot(), true);
	p11_login(s, CKU_SO);
	assert_ok(set_trusted(s, find(s, "shared")));
	p11_finalize();
}

static void trusted_by_another_process(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE h = wrapping_key(s, "shared"), careful = careful_key(s);

	(void)state;
	assert_rv(wrap(s, h, careful), CKR_KEY_NOT_WRAPPABLE);
	case_child(trust_elsewhere);
	assert_true(p11_get_bool(s, h, CKA_TRUSTED));
	assert_ok(wrap(s, h, careful));
}

/* ---- who sees it ---- */

static void gone_with_the_login(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE h;
	CK_MECHANISM m = mechanism(CKM_AES_ECB, NULL, 0);
	CK_ULONG n = sizeof(out);
	struct templ t;

	(void)state;
	wrapping_template(&t, "mine");
	t.n -= 2;
	templ_flags(&t, CKA_ENCRYPT);
	assert_ok(generate(s, &t, &h));
	assert_ok(p11->C_EncryptInit(s, &m, h));
	assert_ok(p11->C_Logout(s));
	assert_rv(p11->C_Encrypt(s, data, sizeof(data), out, &n), CKR_OPERATION_NOT_INITIALIZED);
	assert_rv(p11->C_EncryptInit(s, &m, h), CKR_KEY_HANDLE_INVALID);
	assert_int_equal(find(s, "mine"), 0);
	assert_int_equal(case_objects(s), 0);
	assert_rv(generate(s, &t, &h), CKR_USER_NOT_LOGGED_IN);
	p11_login(s, CKU_SO);
	h = find(s, "mine");
	assert_int_not_equal(h, 0);
	assert_ok(p11->C_EncryptInit(s, &m, h));
	assert_ok(p11->C_Encrypt(s, data, sizeof(data), out, &n));
}

static void look_without_login(void)
{
	CK_SESSION_HANDLE s;

	p11_initialize();
	s = p11_open(p11_slot(), true);
	assert_int_equal(find(s, "hidden"), 0);
	assert_int_equal(case_objects(s), 1); /* the control */
	p11_finalize();
}

/* ---- what lies in the file ---- */

static const char secret[] = "a value that must not be in the file", plain[] = "a value that may";

static CK_OBJECT_HANDLE store_value(CK_SESSION_HANDLE s, const char *label, const char *value,
				    bool sensitive)
{
	struct templ t;
	CK_OBJECT_HANDLE h;

	named(&t, label);
	templ_ulong(&t, CKA_CLASS, CKO_SECRET_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, CKK_GENERIC_SECRET);
	templ_text(&t, CKA_VALUE, value);
	templ_bool(&t, CKA_TOKEN, true);
	templ_bool(&t, CKA_PRIVATE, false);
	templ_bool(&t, CKA_SENSITIVE, sensitive);
	templ_bool(&t, CKA_EXTRACTABLE, true);
	assert_ok(case_create(s, &t, &h));
	return h;
}

static bool token_has(const char *text)
{
	char path[512];
	const size_t n = 1 << 20, k = strlen(text);
	CK_BYTE *p = malloc(n);
	ssize_t got;
	int fd;
	bool has = false;

	snprintf(path, sizeof(path), "%s/tokens/%lu/token.db", p11_home(), p11_slot());
	fd = open(path, O_RDONLY);
	assert_true(p != NULL && fd >= 0);
	got = read(fd, p, n);
	close(fd);
	assert_true(got > 0);
	for (size_t i = 0; !has && i + k <= (size_t)got; i++)
		has = memcmp(p + i, text, k) == 0;
	free(p);
	return has;
}

/* Broken once by storing it in the clear (attr_sealed false), and by showing it (seal_sight of nobody: SIGHT_LOGIN). */
static void sealed_in_the_file(void **state)
{
	CK_SESSION_HANDLE s = p11_session();

	(void)state;
	store_value(s, "control", plain, false);
	store_value(s, "hidden", secret, true);
	assert_true(token_has(plain)); /* so this finds what is there */
	assert_false(token_has(secret));
	case_child(look_without_login);
}

static int from_parent[2], to_parent[2];

/* Sees the key while it may be read, and not after. */
static void watch(void)
{
	CK_SESSION_HANDLE s;
	CK_OBJECT_HANDLE h;
	char c = 0;

	close(from_parent[1]); /* so that a parent that failed is not waited for */
	p11_initialize();
	s = p11_open(p11_slot(), true);
	h = find(s, "turns");
	assert_int_not_equal(h, 0);
	assert_int_equal(write(to_parent[1], &c, 1), 1);
	assert_int_equal(read(from_parent[0], &c, 1), 1);
	assert_int_equal(find(s, "turns"), 0);
	assert_rv(p11->C_GetAttributeValue(s, h, &(CK_ATTRIBUTE){ CKA_LABEL, NULL, 0 }, 1),
		  CKR_OBJECT_HANDLE_INVALID);
	p11_finalize();
}

/* CKA_SENSITIVE can be set later: from then on the key is sealed, for other processes too. */
static void sealed_later(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE h = store_value(s, "turns", secret, false);
	struct templ t = { 0 };
	char c = 0;
	pid_t pid;

	(void)state;
	assert_true(token_has(secret));
	assert_true(pipe(from_parent) == 0 && pipe(to_parent) == 0);
	pid = case_start(watch);
	close(to_parent[1]);
	assert_int_equal(read(to_parent[0], &c, 1), 1);
	templ_bool(&t, CKA_SENSITIVE, true);
	assert_ok(p11->C_SetAttributeValue(s, h, t.a, t.n));
	assert_false(token_has(secret));
	assert_int_equal(write(from_parent[1], &c, 1), 1);
	case_wait(pid);
	assert_int_equal(find(s, "turns"), h);
	assert_ok(p11->C_Logout(s));
	assert_int_equal(find(s, "turns"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, p11_setup_token, p11_teardown)
		TEST(trusted_from_the_first),     TEST(trusted_later),
		TEST(trusted_by_another_process), TEST(gone_with_the_login),
		TEST(sealed_in_the_file),         TEST(sealed_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
