/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frame of the black-box tests: the module is loaded from CHANCERY_MODULE, asked for one
 * symbol (C_GetInterface) and used through the function list only. Each test has a home of its
 * own.
 *
 * Whatever these functions do not expect fails the test, so they return what was asked for and no
 * error.
 */
#ifndef CHANCERY_TESTS_P11_H
#define CHANCERY_TESTS_P11_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <chancery/chancery.h>
#include <chancery/pkcs11.h>
#include <cmocka.h>

#define SO_PIN   "12345678-so"
#define USER_PIN "12345678-user"

/* The functions of the module under test: there from p11_setup on. */
extern CK_FUNCTION_LIST_3_2 *p11;
/* An exported symbol of the module, or NULL. */
void *p11_symbol(const char *name);
/* The vendor interface of the module, whatever its minor version. */
const CK_CHANCERY_FUNCTIONS *p11_vendor(void);

/* Loads it, unless it is loaded; every setup does. */
void p11_load(void);
/* dlclose. */
void p11_unload(void);

/* ---- life: setup and teardown of a cmocka test ---- */

/* The module loaded, a new home, not initialised. */
int p11_setup_only_loaded(void **state);
/* C_Initialize too. */
int p11_setup(void **state);
/* And a token with a user PIN, and a R/W session of the logged-in user: p11_session(). */
int p11_setup_token(void **state);
/* The same under this chancery.conf; for a setup function to call. */
int p11_setup_configured(void **state, const char *conf);
/* C_Finalize if need be; the home is removed. Fails if a function returned what it may not (watch.h). */
int p11_teardown(void **state);

/* The token, user PIN and session that p11_setup_token makes, once the library is initialised. */
void p11_make_token(void);
CK_SESSION_HANDLE p11_session(void);
CK_SLOT_ID p11_slot(void);
/* The directory that CHANCERY_HOME names. */
const char *p11_home(void);
/* Writes chancery.conf for the next C_Initialize. */
void p11_configure(const char *text);
/* Whether this is under the emulator of another processor, where programs of ours cannot start one another: says that the test is skipped. */
bool p11_emulated(void);
void p11_initialize(void);
void p11_finalize(void);

/* ---- return values ---- */

/* Compares and names both. */
void p11_assert_rv(CK_RV got, CK_RV want, const char *what, const char *file, int line);
#define assert_rv(call, want) p11_assert_rv((call), (want), #call, __FILE__, __LINE__)
#define assert_ok(call)       assert_rv(call, CKR_OK)
/* Any of two: where the standard leaves the choice. */
#define assert_rv_of(call, a, b) p11_assert_rv_of((call), (a), (b), #call, __FILE__, __LINE__)
void p11_assert_rv_of(CK_RV got, CK_RV a, CK_RV b, const char *what, const char *file, int line);

/* ---- tokens and sessions ---- */

/* A new token in the empty slot, with SO_PIN and, unless blank, USER_PIN. */
CK_SLOT_ID p11_new_token(const char *label, bool user_pin);
CK_SESSION_HANDLE p11_open(CK_SLOT_ID slot, bool rw);
void p11_login(CK_SESSION_HANDLE s, CK_USER_TYPE who);

/* ---- templates ---- */

/*
 * Values of flags and numbers are inside, so a template is not copied. `struct templ t = { 0 };`
 * is an empty one.
 */
#define TEMPL_MAX 40
struct templ {
	CK_ATTRIBUTE a[TEMPL_MAX];
	CK_ULONG n;
	CK_ULONG number[TEMPL_MAX];
	CK_BBOOL flag[TEMPL_MAX];
};

void templ_bool(struct templ *t, CK_ATTRIBUTE_TYPE type, bool v);
void templ_ulong(struct templ *t, CK_ATTRIBUTE_TYPE type, CK_ULONG v);
/* Borrows p. */
void templ_bytes(struct templ *t, CK_ATTRIBUTE_TYPE type, const void *p, size_t n);
void templ_text(struct templ *t, CK_ATTRIBUTE_TYPE type, const char *text);
/* TRUE for each of these types. */
#define templ_flags(t, ...)   \
	templ_flags_list((t), \
			 (const CK_ATTRIBUTE_TYPE[]){ __VA_ARGS__, CK_UNAVAILABLE_INFORMATION })
/* The list ends with CK_UNAVAILABLE_INFORMATION. */
void templ_flags_list(struct templ *t, const CK_ATTRIBUTE_TYPE *types);

/* ---- attributes ---- */

CK_ULONG p11_get_ulong(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE h, CK_ATTRIBUTE_TYPE type);
bool p11_get_bool(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE h, CK_ATTRIBUTE_TYPE type);
/* The value's length; it is in p, which has room for n. */
size_t p11_get_bytes(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE h, CK_ATTRIBUTE_TYPE type, void *p,
		     size_t n);
/* How many objects match. */
CK_ULONG p11_count(CK_SESSION_HANDLE s, struct templ *t);

/* ---- keys: session objects unless the template says otherwise ---- */

struct pair {
	CK_OBJECT_HANDLE pub, priv;
};

/* Both templates may be NULL: SIGN and VERIFY are then allowed. */
struct pair p11_rsa(CK_SESSION_HANDLE s, CK_ULONG bits, struct templ *pub, struct templ *priv);
/* P-256. */
struct pair p11_p256(CK_SESSION_HANDLE s, struct templ *pub, struct templ *priv);
struct pair p11_ed25519(CK_SESSION_HANDLE s, struct templ *pub, struct templ *priv);
struct pair p11_mldsa(CK_SESSION_HANDLE s, CK_ULONG set, struct templ *pub, struct templ *priv);
/*
 * A secret key of len bytes that may do what the rest of the arguments, CKA_ENCRYPT and so on,
 * name.
 */
#define p11_secret(s, m, len, ...)       \
	p11_secret_list((s), (m), (len), \
			(const CK_ATTRIBUTE_TYPE[]){ __VA_ARGS__, CK_UNAVAILABLE_INFORMATION })
CK_OBJECT_HANDLE p11_secret_list(CK_SESSION_HANDLE s, CK_MECHANISM_TYPE m, CK_ULONG len,
				 const CK_ATTRIBUTE_TYPE *usage);

/* DER of the parameters of P-256 and Ed25519. */
extern const CK_BYTE p11_oid_p256[10];
extern const CK_BYTE p11_oid_ed25519[5];

/* ---- mechanisms ---- */

static inline CK_MECHANISM mechanism(CK_MECHANISM_TYPE type, void *p, CK_ULONG n)
{
	return (CK_MECHANISM){ type, p, n };
}

#endif
