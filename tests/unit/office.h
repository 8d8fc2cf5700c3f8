/* SPDX-License-Identifier: Apache-2.0 */
/* A library with tokens, in a directory of its own, for tests of core. */
#ifndef CHANCERY_TESTS_OFFICE_H
#define CHANCERY_TESTS_OFFICE_H

#include "attrs.h"
#include "core/lib.h"
#include "core/session.h"
#include "core/token.h"
#include <sys/types.h>

#define SO_PIN   "so-officer-pin"
#define USER_PIN "user-pin"

/* A new empty directory as CHANCERY_HOME, and no configuration. Fails the test when it cannot. */
const char *office_home(void);
/* As much as `[section]\nkey = value\n` of configuration for the next lib_initialize. */
void office_conf(const char *text);
/* Takes the directory away. */
void office_gone(void);

/* office_home and lib_initialize; lib_finalize and office_gone. For cmocka's setup and teardown, too. */
int office_open(void **state);
int office_close(void **state);
/* After a test, whatever became of it: finalised, and the directory gone. */
int office_reset(void **state);

/* A token with both PINs set and no session open; its slot. */
CK_SLOT_ID office_token(const char *label);
/* The token in a slot; the library is ready and nobody finalises it. */
struct token *office_at(CK_SLOT_ID id);

/* A session, open and not held. */
CK_SESSION_HANDLE office_session(CK_SLOT_ID id, bool rw);
/* The same, logged in as the user. */
CK_SESSION_HANDLE office_user(CK_SLOT_ID id);
enum err office_login(CK_SESSION_HANDLE h, CK_USER_TYPE who, const char *pin);
enum err office_logout(CK_SESSION_HANDLE h);
enum err office_close_session(CK_SESSION_HANDLE h);

/* A secret key: label, id (number as text), token or session object, private or public. 0 and *e when it fails. */
struct thing {
	const char *label, *id;
	bool token, priv;
};
CK_OBJECT_HANDLE office_thing(CK_SESSION_HANDLE h, struct thing t, enum err *e);
/* As office_thing, which must succeed. */
CK_OBJECT_HANDLE office_put(CK_SESSION_HANDLE h, struct thing t);
/* Its CKA_VALUE, a number that office_set changes; not 0 at first. E_OBJECT_HANDLE. */
enum err office_get(CK_SESSION_HANDLE h, CK_OBJECT_HANDLE o, CK_ULONG *value);
enum err office_set(CK_SESSION_HANDLE h, CK_OBJECT_HANDLE o, CK_ULONG value);
/*
 * Adds to it, as C_SetAttributeValue would: when somebody else came first, on what that one left, which must then be
 * there to be found (else E_OBJECT_HANDLE).
 */
enum err office_add(CK_SESSION_HANDLE h, CK_OBJECT_HANDLE o, CK_ULONG n);
enum err office_destroy(CK_SESSION_HANDLE h, CK_OBJECT_HANDLE o);
/* How many match; the first one in *first if it is not NULL. templ is freed; NULL: all. */
size_t office_find(CK_SESSION_HANDLE h, struct attrset *templ, CK_OBJECT_HANDLE *first);
size_t office_find_label(CK_SESSION_HANDLE h, const char *label, CK_OBJECT_HANDLE *first);

/* The parameter of CKM_HKDF_DERIVE; salt 0: none. */
static inline CK_HKDF_PARAMS office_hkdf(CK_OBJECT_HANDLE salt)
{
	return (CK_HKDF_PARAMS){
		.bExtract = CK_TRUE,
		.bExpand = CK_TRUE,
		.prfHashMechanism = CKM_SHA256,
		.ulSaltType = salt != 0 ? CKF_HKDF_SALT_KEY : CKF_HKDF_SALT_NULL,
		.hSaltKey = salt,
	};
}

/* A child process that runs f and exits with what it returns; office_wait gives that (128: it was killed). */
pid_t office_fork(int (*f)(void *), void *arg);
int office_wait(pid_t pid);
int office_in_child(int (*f)(void *), void *arg);

#endif
