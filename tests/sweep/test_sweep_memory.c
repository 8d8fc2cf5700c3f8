/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation of the module's, of libcrypto's and of SQLite's fails once, in every call of the standard: it says that
 * memory was short, leaves everything as it was, and works the next time.
 *
 * Not reached: libc's own allocations (opendir and the like), which the linker cannot wrap; the search for primes of an
 * RSA pair, of which each run is long and what follows it is swept in unit.keyfault; and new tokens, logins and PINs, which are swept
 * in unit.store_alloc, where a PIN costs nothing. Breaking it: fetch.c without its count of errors takes a want of memory
 * for a libcrypto without elliptic curves, for good.
 */
#include "flow.h"
#include "recipe.h"

#include <cmocka.h>

#include "memfault.h"

static CK_SESSION_HANDLE session;

/* What a deed works with, made before and checked after. */
static struct {
	CK_OBJECT_HANDLE object, made[2];
	CK_SESSION_HANDLE opened;
	CK_MECHANISM_TYPE maker;
	struct flow flow;
	struct dish dish;
	struct pair wrapping;
	CK_BYTE out[FLOW_MAX];
	CK_ULONG n;
} on;

struct deed {
	const char *name;
	void (*prepare)(void);
	CK_RV (*run)(void);
	void (*settle)(CK_RV rv);
};

static void make_object(void)
{
	on.object = case_data(session, "label", "value", true);
}

static void drop(CK_OBJECT_HANDLE h)
{
	assert_ok(p11->C_DestroyObject(session, h));
}

static void drop_object(CK_RV rv)
{
	(void)rv;
	drop(on.object);
}

/* ---- objects ---- */

static CK_RV create(bool token)
{
	struct templ t = { 0 };

	templ_ulong(&t, CKA_CLASS, CKO_DATA);
	templ_bool(&t, CKA_TOKEN, token);
	templ_text(&t, CKA_LABEL, "made");
	on.made[0] = on.made[1] = 0;
	return p11->C_CreateObject(session, t.a, t.n, &on.made[0]);
}

static CK_RV create_token_object(void)
{
	return create(true);
}

static CK_RV create_session_object(void)
{
	return create(false);
}

/* Those handles that a failed call leaves are those of no object. */
static void drop_made(CK_RV rv)
{
	for (int i = 0; i < 2 && rv == CKR_OK; i++)
		if (on.made[i] != 0 && (i == 0 || on.made[1] != on.made[0]))
			drop(on.made[i]);
}

static CK_RV find(void)
{
	CK_OBJECT_HANDLE h[4];
	CK_RV rv = p11->C_FindObjectsInit(session, NULL, 0), end;

	on.n = 0;
	if (rv != CKR_OK)
		return rv;
	rv = p11->C_FindObjects(session, h, 4, &on.n);
	end = p11->C_FindObjectsFinal(session);
	return rv != CKR_OK ? rv : end;
}

static CK_RV get_attributes(void)
{
	CK_BYTE label[16], value[16];
	CK_ATTRIBUTE a[] = { { CKA_LABEL, label, sizeof(label) },
			     { CKA_VALUE, value, sizeof(value) } };

	return p11->C_GetAttributeValue(session, on.object, a, LENGTH(a));
}

static CK_RV set_attributes(void)
{
	struct templ t = { 0 };

	templ_text(&t, CKA_LABEL, "other");
	return p11->C_SetAttributeValue(session, on.object, t.a, t.n);
}

static void settle_set(CK_RV rv)
{
	const char *want = rv == CKR_OK ? "other" : "label";
	CK_BYTE label[16];

	assert_int_equal(p11_get_bytes(session, on.object, CKA_LABEL, label, sizeof(label)), 5);
	assert_memory_equal(label, want, 5);
	drop(on.object);
}

static CK_RV copy(void)
{
	on.made[1] = 0;
	return p11->C_CopyObject(session, on.object, NULL, 0, &on.made[0]);
}

static void settle_copy(CK_RV rv)
{
	drop_made(rv);
	drop(on.object);
}

static CK_RV destroy(void)
{
	return p11->C_DestroyObject(session, on.object);
}

static void settle_destroy(CK_RV rv)
{
	if (rv != CKR_OK)
		drop(on.object);
}

/* ---- keys ---- */

static CK_RV generate(void)
{
	CK_MECHANISM m = mechanism(on.maker, NULL, 0);
	struct pair k = { 0 };
	CK_RV rv = recipe_generate(&m, CKF_SIGN | CKF_VERIFY, &k);

	on.made[0] = k.priv;
	on.made[1] = k.pub;
	return rv;
}

static CK_RV derive(void)
{
	struct templ t = { 0 };

	templ_ulong(&t, CKA_CLASS, CKO_SECRET_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, CKK_AES);
	templ_ulong(&t, CKA_VALUE_LEN, 16);
	on.made[1] = 0;
	return p11->C_DeriveKey(session, &on.dish.m, on.dish.k.priv, t.a, t.n, &on.made[0]);
}

static void wrapping_keys(void)
{
	on.wrapping.pub = p11_secret(session, CKM_AES_KEY_GEN, 32, CKA_WRAP, CKA_UNWRAP);
	on.wrapping.priv = p11_secret(session, CKM_AES_KEY_GEN, 32, CKA_EXTRACTABLE);
}

static CK_RV wrap(void)
{
	CK_MECHANISM m = mechanism(CKM_AES_KEY_WRAP_KWP, NULL, 0);

	on.n = sizeof(on.out);
	return p11->C_WrapKey(session, &m, on.wrapping.pub, on.wrapping.priv, on.out, &on.n);
}

static void prepare_unwrap(void)
{
	assert_ok(wrap());
}

static CK_RV unwrap(void)
{
	CK_MECHANISM m = mechanism(CKM_AES_KEY_WRAP_KWP, NULL, 0);
	struct templ t = { 0 };

	templ_ulong(&t, CKA_CLASS, CKO_SECRET_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, CKK_AES);
	on.made[1] = 0;
	return p11->C_UnwrapKey(session, &m, on.wrapping.pub, on.out, on.n, t.a, t.n, &on.made[0]);
}

/* ---- operations ---- */

static CK_RV once(void)
{
	CK_RV rv = flow_init(&on.flow);

	on.n = sizeof(on.out);
	return rv == CKR_OK ? flow_once(&on.flow, on.flow.in, on.flow.n, on.out, &on.n) : rv;
}

static CK_RV in_parts(void)
{
	CK_ULONG part = sizeof(on.out), rest;
	CK_RV rv = flow_init(&on.flow);

	if (rv == CKR_OK)
		rv = flow_update(&on.flow, on.flow.in, on.flow.n, on.out, &part);
	if (!on.flow.row->streams)
		part = 0;
	rest = sizeof(on.out) - part;
	if (rv == CKR_OK)
		rv = flow_final(&on.flow, on.out + part, &rest);
	on.n = part + rest;
	return rv;
}

/* An operation that failed has ended. */
static void settle_flow(CK_RV rv)
{
	if (rv == CKR_OK)
		flow_check(&on.flow, on.out, on.n);
	assert_ok(flow_init(&on.flow));
	assert_ok(flow_cancel(&on.flow));
}

/* ---- sessions ---- */

static CK_RV open_session(void)
{
	return p11->C_OpenSession(p11_slot(), CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL,
				  &on.opened);
}

static void settle_open(CK_RV rv)
{
	if (rv == CKR_OK)
		assert_ok(p11->C_CloseSession(on.opened));
}

static CK_RV token_info(void)
{
	CK_TOKEN_INFO info;

	return p11->C_GetTokenInfo(p11_slot(), &info);
}

/* ---- the sweep ---- */

/* Objects are as many as before, whatever the call said. */
static void sweep(const struct deed *d, struct fault *f)
{
	unsigned n = 0, refused = 0;

	do {
		CK_ULONG before = case_objects(session);
		CK_RV rv;

		if (d->prepare != NULL)
			d->prepare();
		f->met = false;
		f->left = ++n;
		rv = d->run();
		f->left = 0;
		if (rv != CKR_OK && !f->met)
			assert_ok(rv);
		if (rv != CKR_OK) {
			if (rv != CKR_HOST_MEMORY && rv != CKR_FUNCTION_FAILED)
				print_message("%s, failure %u\n", d->name, n);
			assert_rv_of(rv, CKR_HOST_MEMORY, CKR_FUNCTION_FAILED);
			refused++;
		}
		if (d->settle != NULL)
			d->settle(rv);
		assert_int_equal(case_objects(session), before);
	} while (f->met);
	print_message("%s: %u\n", d->name, refused);
}

static void sweep_all(const struct deed *d, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		sweep(&d[i], &ours);
		sweep(&d[i], &sqlites);
	}
}

static void test_objects(void **state)
{
	static const struct deed deeds[] = {
		{ "create", NULL, create_token_object, drop_made },
		{ "create for the session", NULL, create_session_object, drop_made },
		{ "find", NULL, find, NULL },
		{ "get", make_object, get_attributes, drop_object },
		{ "set", make_object, set_attributes, settle_set },
		{ "copy", make_object, copy, settle_copy },
		{ "destroy", make_object, destroy, settle_destroy },
	};

	(void)state;
	session = p11_session();
	sweep_all(deeds, LENGTH(deeds));
}

static void test_keys(void **state)
{
	static const CK_MECHANISM_TYPE makers[] = {
		CKM_AES_KEY_GEN,     CKM_GENERIC_SECRET_KEY_GEN,  CKM_AES_XTS_KEY_GEN,
		CKM_EC_KEY_PAIR_GEN, CKM_EC_EDWARDS_KEY_PAIR_GEN, CKM_ML_DSA_KEY_PAIR_GEN,
	};
	static const struct deed made = { "generate", NULL, generate, drop_made };

	(void)state;
	session = p11_session();
	for (size_t i = 0; i < LENGTH(makers); i++) {
		on.maker = makers[i];
		sweep(&made, &ours);
	}
}

static void test_derive_and_wrap(void **state)
{
	static const CK_MECHANISM_TYPE derivers[] = { CKM_HKDF_DERIVE, CKM_ECDH1_DERIVE };
	static const struct deed derived = { "derive", NULL, derive, drop_made };
	static const struct deed wrapped = { "wrap", NULL, wrap, NULL };
	static const struct deed unwrapped = { "unwrap", prepare_unwrap, unwrap, drop_made };

	(void)state;
	session = p11_session();
	for (size_t i = 0; i < LENGTH(derivers); i++) {
		recipe_cook(&on.dish, derivers[i], CKF_DERIVE);
		sweep(&derived, &ours);
	}
	wrapping_keys();
	sweep(&wrapped, &ours);
	sweep(&unwrapped, &ours);
}

static void test_operations(void **state)
{
	(void)state;
	session = p11_session();
	for (size_t i = 0; i < flow_rows_n; i++) {
		const struct deed whole = { flow_rows[i].name, NULL, once, settle_flow };
		const struct deed parts = { flow_rows[i].name, NULL, in_parts, settle_flow };

		flow_make(&on.flow, &flow_rows[i], session);
		sweep(&whole, &ours);
		if (flow_rows[i].multi)
			sweep(&parts, &ours);
	}
}

static void test_sessions(void **state)
{
	static const struct deed deeds[] = {
		{ "open session", NULL, open_session, settle_open },
		{ "token info", NULL, token_info, NULL },
	};

	(void)state;
	session = p11_session();
	sweep_all(deeds, LENGTH(deeds));
}

/* ---- the library, without sessions ---- */

static CK_RV initialize(void)
{
	CK_C_INITIALIZE_ARGS args = { .flags = CKF_OS_LOCKING_OK };

	return p11->C_Initialize(&args);
}

static void sweep_initialize(struct fault *f)
{
	unsigned n = 0;

	do {
		CK_RV rv;

		f->met = false;
		f->left = ++n;
		rv = initialize();
		f->left = 0;
		if (rv != CKR_OK) {
			assert_true(f->met);
			assert_rv_of(rv, CKR_HOST_MEMORY, CKR_FUNCTION_FAILED);
			assert_ok(initialize());
		}
		assert_ok(p11->C_Finalize(NULL));
	} while (f->met);
	print_message("initialize: %u\n", n - 1);
}

static void test_initialize(void **state)
{
	(void)state;
	sweep_initialize(&ours);
	sweep_initialize(&sqlites);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, p11_setup_token, p11_teardown)
		TEST(test_objects),
		TEST(test_keys),
		TEST(test_derive_and_wrap),
		TEST(test_operations),
		TEST(test_sessions),
		cmocka_unit_test_setup_teardown(test_initialize, p11_setup_only_loaded,
						p11_teardown),
	};
	CK_VERSION v = { 3, 2 };
	CK_INTERFACE_PTR i = NULL;

	hook_sqlite();
	if (C_GetInterface(NULL, &v, &i, 0) != CKR_OK)
		return 1;
	p11 = i->pFunctionList; /* linked, so that the linker can wrap */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
