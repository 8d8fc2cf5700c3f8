/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of docs/CASES.md share: objects from values, other processes, and libcrypto as a second opinion. As in
 * p11.h, whatever is not expected fails the test.
 */
#ifndef CHANCERY_TESTS_CASE_H
#define CHANCERY_TESTS_CASE_H

#include "p11.h"

#include <openssl/evp.h>
#include <sys/types.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* ---- objects ---- */

/* How many this session sees. */
CK_ULONG case_objects(CK_SESSION_HANDLE s);
/* The first four attributes of a secret key: class, type and a copy of value, which may be read. */
void case_open_secret(struct templ *t, CK_KEY_TYPE type, const void *value, size_t n);
/* A session object of such a template with these usages. */
#define case_secret(s, type, value, n, ...)         \
	case_secret_list((s), (type), (value), (n), \
			 (const CK_ATTRIBUTE_TYPE[]){ __VA_ARGS__, CK_UNAVAILABLE_INFORMATION })
CK_OBJECT_HANDLE case_secret_list(CK_SESSION_HANDLE s, CK_KEY_TYPE type, const void *value,
				  size_t n, const CK_ATTRIBUTE_TYPE *usage);
/* C_CreateObject; 0 in *h when it fails. */
CK_RV case_create(CK_SESSION_HANDLE s, struct templ *t, CK_OBJECT_HANDLE *h);
/* A token object CKO_DATA, public or private, with this label and value. */
CK_OBJECT_HANDLE case_data(CK_SESSION_HANDLE s, const char *label, const char *value, bool priv);

/* The types of attributes that the standard names, in rising order of their low bits; there are so many at most. */
enum { CASE_TYPES_MAX = 512 };
size_t case_types(CK_ATTRIBUTE_TYPE types[CASE_TYPES_MAX]);

/* ---- processes ---- */

/* C_Finalize, C_Initialize, and a R/W session with nobody logged in, of the same slot. */
CK_SESSION_HANDLE case_restart(void);
/*
 * Runs body in a child of fork, which finds the module as fork leaves it, and leaves by _exit. case_wait fails if an
 * assertion did in there.
 */
pid_t case_start(void (*body)(void));
void case_wait(pid_t pid);
/* Both at once. */
void case_child(void (*body)(void));

/*
 * Whether memory is as the module has it: a sanitizer and valgrind keep what was freed and map terabytes of their own, so a
 * test of memory itself says nothing there.
 */
bool case_plain_memory(void);
/* ThreadSanitizer ends a child that makes threads, when its parent had some. */
bool case_no_threads_after_fork(void);

/* ---- PINs ---- */

CK_RV case_login(CK_SESSION_HANDLE s, CK_USER_TYPE who, const char *pin);
CK_FLAGS case_token_flags(CK_SLOT_ID slot);

/* ---- libcrypto ---- */

/* The public key of an object by its CKA_PUBLIC_KEY_INFO. The caller's: EVP_PKEY_free. */
EVP_PKEY *case_public(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE h);

#endif
