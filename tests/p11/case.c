/* SPDX-License-Identifier: Apache-2.0 */
#include "case.h"

#include "base/names.h"

#include <openssl/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- objects ---- */

CK_ULONG case_objects(CK_SESSION_HANDLE s)
{
	struct templ all = { 0 };

	return p11_count(s, &all);
}

void case_open_secret(struct templ *t, CK_KEY_TYPE type, const void *value, size_t n)
{
	memset(t, 0, sizeof(*t));
	templ_ulong(t, CKA_CLASS, CKO_SECRET_KEY);
	templ_ulong(t, CKA_KEY_TYPE, type);
	if (value != NULL)
		templ_bytes(t, CKA_VALUE, value, n);
	templ_bool(t, CKA_SENSITIVE, false);
	templ_bool(t, CKA_EXTRACTABLE, true);
}

CK_RV case_create(CK_SESSION_HANDLE s, struct templ *t, CK_OBJECT_HANDLE *h)
{
	*h = CK_INVALID_HANDLE;
	return p11->C_CreateObject(s, t->a, t->n, h);
}

CK_OBJECT_HANDLE case_secret_list(CK_SESSION_HANDLE s, CK_KEY_TYPE type, const void *value,
				  size_t n, const CK_ATTRIBUTE_TYPE *usage)
{
	struct templ t;
	CK_OBJECT_HANDLE h;

	case_open_secret(&t, type, value, n);
	templ_flags_list(&t, usage);
	assert_ok(case_create(s, &t, &h));
	return h;
}

CK_OBJECT_HANDLE case_data(CK_SESSION_HANDLE s, const char *label, const char *value, bool priv)
{
	struct templ t = { 0 };
	CK_OBJECT_HANDLE h;

	templ_ulong(&t, CKA_CLASS, CKO_DATA);
	templ_bool(&t, CKA_TOKEN, true);
	templ_bool(&t, CKA_PRIVATE, priv);
	templ_text(&t, CKA_LABEL, label);
	templ_text(&t, CKA_VALUE, value);
	assert_ok(case_create(s, &t, &h));
	return h;
}

/* In either range of numbers: those of arrays have a bit of their own. */
size_t case_types(CK_ATTRIBUTE_TYPE types[CASE_TYPES_MAX])
{
	size_t n = 0;

	for (CK_ULONG low = 0; low < 0x700; low++)
		for (CK_ULONG bit = 0; bit <= CKF_ARRAY_ATTRIBUTE; bit += CKF_ARRAY_ATTRIBUTE) {
			if (name_of(NAME_CKA, low | bit) == NULL)
				continue;
			assert_true(n < CASE_TYPES_MAX);
			types[n++] = low | bit;
		}
	assert_true(n > 120);
	return n;
}

/* ---- processes ---- */

CK_SESSION_HANDLE case_restart(void)
{
	p11_finalize();
	p11_initialize();
	return p11_open(p11_slot(), true);
}

pid_t case_start(void (*body)(void))
{
	pid_t pid;

	(void)fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		/* else cmocka would go on with the other tests, in the child */
		(void)setenv("CMOCKA_TEST_ABORT", "1", 1);
		body();
		_exit(0);
	}
	return pid;
}

void case_wait(pid_t pid)
{
	int status = 0;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

void case_child(void (*body)(void))
{
	case_wait(case_start(body));
}

bool case_plain_memory(void)
{
	const char *sanitizer = getenv("CHANCERY_SANITIZE");

	return (sanitizer == NULL || sanitizer[0] == '\0') &&
	       getenv("CHANCERY_UNDER_VALGRIND") == NULL;
}

bool case_no_threads_after_fork(void)
{
	const char *sanitizer = getenv("CHANCERY_SANITIZE");

	return sanitizer != NULL && strcmp(sanitizer, "thread") == 0;
}

/* ---- PINs ---- */

CK_RV case_login(CK_SESSION_HANDLE s, CK_USER_TYPE who, const char *pin)
{
	CK_UTF8CHAR copy[512];
	size_t n = strlen(pin);

	assert_true(n <= sizeof(copy));
	memcpy(copy, pin, n);
	return p11->C_Login(s, who, copy, n);
}

CK_FLAGS case_token_flags(CK_SLOT_ID slot)
{
	CK_TOKEN_INFO info;

	assert_ok(p11->C_GetTokenInfo(slot, &info));
	return info.flags;
}

/* ---- libcrypto ---- */

EVP_PKEY *case_public(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE h)
{
	CK_BYTE der[4096];
	const unsigned char *p = der;
	size_t n = p11_get_bytes(s, h, CKA_PUBLIC_KEY_INFO, der, sizeof(der));
	EVP_PKEY *k = d2i_PUBKEY(NULL, &p, (long)n);

	assert_non_null(k);
	return k;
}
