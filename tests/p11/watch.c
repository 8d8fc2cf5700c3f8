/* SPDX-License-Identifier: Apache-2.0 */
#include "watch.h"

#include "p11.h"

#include "base/names.h"
#include "unit/ref.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* ---- what may be returned ---- */

enum fn {
#define WATCH(name, params, args) FN_##name,
#include "watch.def"
#undef WATCH
	FN_COUNT
};

enum { VALUES_MAX = 64 };

struct values {
	CK_RV rv[VALUES_MAX];
	size_t n;
};

static const struct {
	const char *name, *params;
} fns[FN_COUNT] = {
#define WATCH(name, params, args) { #name, #params },
#include "watch.def"
#undef WATCH
};

/* Values that no list has and that are the better answer nevertheless. */
static const struct {
	const char *function; /* NULL: any */
	CK_RV rv;
	const char *why;
} exceptions[] = {
	{ NULL, CKR_FUNCTION_NOT_SUPPORTED,
	  "5.1.6: what a function that a library does not have returns; it is in no list" },
	{ "C_DeriveKey", CKR_KEY_FUNCTION_NOT_PERMITTED,
	  "CKA_DERIVE is missing: 5.1.6 defines this value for just that, and the list has nothing near it" },
	{ "C_Decrypt", CKR_AEAD_DECRYPT_FAILED,
	  "a wrong tag: 5.1.6 defines this value for it, and the lists of the message functions have it" },
	{ "C_DecryptFinal", CKR_AEAD_DECRYPT_FAILED, "the same" },
	{ "C_GenerateKeyPair", CKR_KEY_SIZE_RANGE,
	  "CKA_MODULUS_BITS that the mechanism does not make: 5.1.6 defines this value for it" },
	{ "C_CreateObject", CKR_KEY_SIZE_RANGE, "the same of a modulus that is given" },
	{ "C_InitToken", CKR_PIN_LEN_RANGE,
	  "a PIN that may not be one: of the list only CKR_PIN_INCORRECT is about PINs, and that is another thing" },
	{ "C_GetSessionValidationFlags", CKR_ARGUMENTS_BAD,
	  "a NULL pointer or an unknown type of flags: the list has only values that blame the token" },
};

static struct values of_function[FN_COUNT], universal, session, token;
static CK_FUNCTION_LIST_3_2 *module;
static atomic_uint violations;
static atomic_bool failed[FN_COUNT];

/* What the row of the table lists, appended. */
static void take_values(const char *text, struct values *v)
{
	char name[64];
	int used = 0;

	for (; sscanf(text, "%63[A-Z_0-9]%n", name, &used) == 1;
	     text += used + (text[used] == ',')) {
		assert_true(v->n < VALUES_MAX);
		assert_true(name_value(NAME_CKR, name, &v->rv[v->n]));
		v->n++;
	}
}

static struct values *values_of(const char *name)
{
	if (strcmp(name, "<universal>") == 0)
		return &universal;
	if (strcmp(name, "<session>") == 0)
		return &session;
	if (strcmp(name, "<token>") == 0)
		return &token;
	for (size_t i = 0; i < FN_COUNT; i++)
		if (strcmp(fns[i].name, name) == 0)
			return &of_function[i];
	return NULL;
}

static void read_table(FILE *f)
{
	static struct ref_row row;
	struct values *v;

	while (ref_next(f, &row)) {
		v = values_of(row.col[0]);
		if (v == NULL)
			continue; /* rules about callbacks and mechanisms that are not ours */
		take_values(row.col[2], v);
		take_values(row.col[3], v);
	}
	assert_true(universal.n != 0 && session.n != 0 && token.n != 0);
}

static bool has(const struct values *v, CK_RV rv)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->rv[i] == rv)
			return true;
	return false;
}

static bool uses_session(enum fn f)
{
	return strncmp(fns[f].params, "(CK_SESSION_HANDLE", 18) == 0;
}

/* The general rule names the functions that do not. */
static bool uses_token(enum fn f)
{
	static const enum fn none[] = { FN_C_Initialize,      FN_C_Finalize,    FN_C_GetInfo,
					FN_C_GetFunctionList, FN_C_GetSlotList, FN_C_GetSlotInfo,
					FN_C_WaitForSlotEvent };

	for (size_t i = 0; i < LENGTH(none); i++)
		if (none[i] == f)
			return false;
	return true;
}

static bool excepted(enum fn f, CK_RV rv)
{
	for (size_t i = 0; i < LENGTH(exceptions); i++)
		if (exceptions[i].rv == rv && (exceptions[i].function == NULL ||
					       strcmp(exceptions[i].function, fns[f].name) == 0))
			return true;
	return false;
}

/* C_AsyncComplete has no list: it returns what some other function does. */
static bool listed(enum fn f, CK_RV rv)
{
	return has(&of_function[f], rv) || has(&universal, rv) ||
	       (uses_session(f) && has(&session, rv)) || (uses_token(f) && has(&token, rv)) ||
	       f == FN_C_AsyncComplete || excepted(f, rv);
}

static CK_RV seen(enum fn f, CK_RV rv)
{
	const char *name = name_of(NAME_CKR, rv);

	if (rv != CKR_OK)
		failed[f] = true;
	if (listed(f, rv))
		return rv;
	fprintf(stderr, "%s returned %s, which is not in its list\n", fns[f].name,
		name != NULL ? name : "no CKR");
	if (getenv("CMOCKA_TEST_ABORT") != NULL)
		abort();
	violations++;
	return rv;
}

/* ---- the list ---- */

#define WATCH(name, params, args)                          \
	static CK_RV watch_##name params                   \
	{                                                  \
		return seen(FN_##name, module->name args); \
	}
#include "watch.def"
#undef WATCH

static CK_FUNCTION_LIST_3_2 watched = {
#define WATCH(name, params, args) .name = watch_##name,
#include "watch.def"
#undef WATCH
};

CK_FUNCTION_LIST_3_2 *watch(CK_FUNCTION_LIST_3_2 *real)
{
	module = real;
	watched.version = real->version;
	return watch_on() ? &watched : real;
}

bool watch_on(void)
{
	static bool looked;
	FILE *f;

	if (looked)
		return universal.n != 0;
	looked = true;
	f = ref_open("pkcs11-v3.2-errors.tsv");
	if (f == NULL) {
		printf("return values are not compared with the standard's lists\n");
		return false;
	}
	read_table(f);
	assert_int_equal(fclose(f), 0);
	return true;
}

unsigned watch_violations(void)
{
	return atomic_exchange(&violations, 0);
}

unsigned watch_never_failed(void)
{
	unsigned n = 0;

	for (size_t i = 0; i < FN_COUNT; i++) {
		if (failed[i])
			continue;
		fprintf(stderr, "%s was never refused\n", fns[i].name);
		n++;
	}
	return n;
}
