/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Input lengths that no input has, and the edges of those it has, asked of every operation of every listed mechanism:
 * nothing wraps around, a question for the length and the call say the same, and neither reads the input for it. That
 * lies in a page that may not be read.
 *
 * Seen to fail: with the check of op_check_input taken out, and with a bound of bound.h made to wrap around (unit mech).
 */
#include "recipe.h"

#include "base/names.h"

#include <stdint.h>
#include <sys/mman.h>

/* More than any output that does not depend on the input's length, and than what a cipher adds to it. */
enum { OUT_MAX = 8192, OVERHEAD = 64, PAGE = 4096 };

static CK_BYTE *forbidden, out[OUT_MAX];

static int setup(void **state)
{
	forbidden = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(forbidden != MAP_FAILED);
	return p11_setup_configured(state, "[token]\ncompat = on\n");
}

static int teardown(void **state)
{
	assert_int_equal(munmap(forbidden, PAGE), 0);
	return p11_teardown(state);
}

static const CK_ULONG there_may_be[] = { 0, 1, SIZE_MAX / 2 };
static const CK_ULONG there_is_not[] = { SIZE_MAX / 2 + 1, SIZE_MAX - 31, SIZE_MAX - 15,
					 SIZE_MAX - 7, SIZE_MAX };

/* ---- the operations, each in the form that all can have ---- */

static CK_RV digest_init(CK_SESSION_HANDLE s, CK_MECHANISM *m, CK_OBJECT_HANDLE key)
{
	(void)key;
	return p11->C_DigestInit(s, m);
}

#define WITHOUT_OUTPUT(name)                                                                      \
	static CK_RV name(CK_SESSION_HANDLE s, CK_BYTE *p, CK_ULONG n, CK_BYTE *o, CK_ULONG *o_n) \
	{                                                                                         \
		(void)o;                                                                          \
		(void)o_n;                                                                        \
		return p11->C_##name(s, p, n);                                                    \
	}

WITHOUT_OUTPUT(DigestUpdate)
WITHOUT_OUTPUT(SignUpdate)
WITHOUT_OUTPUT(VerifyUpdate)

/* Its output is the verdict. */
static CK_RV verify(CK_SESSION_HANDLE s, CK_BYTE *p, CK_ULONG n, CK_BYTE *o, CK_ULONG *o_n)
{
	(void)o;
	(void)o_n;
	return p11->C_Verify(s, p, n, out, sizeof(out));
}

typedef CK_RV init_fn(CK_SESSION_HANDLE s, CK_MECHANISM *m, CK_OBJECT_HANDLE key);
typedef CK_RV data_fn(CK_SESSION_HANDLE s, CK_BYTE *p, CK_ULONG n, CK_BYTE *o, CK_ULONG *o_n);

struct way {
	CK_FLAGS flag;
	CK_RV too_long; /* what the functions' lists have for it */
	init_fn *init;
	data_fn *once, *update;
	bool asks_once, asks_update; /* they have an output whose length can be asked for */
	bool public;                 /* of a pair the public key */
};

static const struct way *ways(size_t *n)
{
	static struct way all[7];

	all[0] = (struct way){ CKF_ENCRYPT,
			       CKR_DATA_LEN_RANGE,
			       p11->C_EncryptInit,
			       p11->C_Encrypt,
			       p11->C_EncryptUpdate,
			       true,
			       true,
			       true };
	all[1] = (struct way){ CKF_DECRYPT,
			       CKR_ENCRYPTED_DATA_LEN_RANGE,
			       p11->C_DecryptInit,
			       p11->C_Decrypt,
			       p11->C_DecryptUpdate,
			       true,
			       true,
			       false };
	all[2] = (struct way){ CKF_DIGEST,   CKR_ARGUMENTS_BAD,
			       digest_init,  p11->C_Digest,
			       DigestUpdate, true,
			       false,        true };
	all[3] = (struct way){ CKF_SIGN,        CKR_DATA_LEN_RANGE,
			       p11->C_SignInit, p11->C_Sign,
			       SignUpdate,      true,
			       false,           false };
	all[4] = (struct way){ CKF_VERIFY,
			       CKR_DATA_LEN_RANGE,
			       p11->C_VerifyInit,
			       verify,
			       VerifyUpdate,
			       false,
			       false,
			       true };
	all[5] = (struct way){ CKF_SIGN_RECOVER,
			       CKR_DATA_LEN_RANGE,
			       p11->C_SignRecoverInit,
			       p11->C_SignRecover,
			       NULL,
			       true,
			       false,
			       false };
	all[6] = (struct way){ CKF_VERIFY_RECOVER,
			       CKR_SIGNATURE_LEN_RANGE,
			       p11->C_VerifyRecoverInit,
			       p11->C_VerifyRecover,
			       NULL,
			       true,
			       false,
			       true };
	*n = LENGTH(all);
	return all;
}

/* ---- the questions ---- */

static CK_RV call(struct dish *d, const struct way *w, data_fn *f, CK_ULONG n, CK_BYTE *o,
		  CK_ULONG *o_n)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_RV rv;

	assert_ok(w->init(s, &d->m, w->public ? d->k.pub : d->k.priv));
	rv = f(s, forbidden, n, o, o_n);
	assert_ok(w->init(s, NULL, 0)); /* cancels what is left of it */
	return rv;
}

static void refused(struct dish *d, const struct way *w, data_fn *f, CK_ULONG n)
{
	CK_ULONG room = sizeof(out);

	assert_rv(call(d, w, f, n, NULL, &room), w->too_long);
	room = sizeof(out);
	assert_rv(call(d, w, f, n, out, &room), w->too_long);
}

/* A length that could be is told its output's, unless there is no such function. */
static void told(struct dish *d, const struct way *w, data_fn *f, CK_ULONG n)
{
	CK_ULONG room = 77;
	CK_RV rv = call(d, w, f, n, NULL, &room);

	if (rv == CKR_OPERATION_NOT_INITIALIZED && f == w->update)
		return; /* single-part only */
	assert_rv(rv, CKR_OK);
	assert_true(room <= OUT_MAX || (room >= n - OVERHEAD && room <= n + OVERHEAD));
}

static void ask(struct dish *d, const struct way *w)
{
	for (size_t i = 0; i < LENGTH(there_is_not); i++) {
		refused(d, w, w->once, there_is_not[i]);
		if (w->update != NULL)
			refused(d, w, w->update, there_is_not[i]);
	}
	for (size_t i = 0; i < LENGTH(there_may_be); i++) {
		if (w->asks_once)
			told(d, w, w->once, there_may_be[i]);
		if (w->asks_update)
			told(d, w, w->update, there_may_be[i]);
	}
}

static void test_every_mechanism(void **state)
{
	static struct dish d;
	CK_MECHANISM_TYPE list[512];
	CK_MECHANISM_INFO info;
	CK_ULONG n = LENGTH(list);
	size_t ways_n, asked = 0;
	const struct way *w = ways(&ways_n);

	(void)state;
	assert_ok(p11->C_GetMechanismList(p11_slot(), list, &n));
	for (CK_ULONG i = 0; i < n; i++) {
		assert_ok(p11->C_GetMechanismInfo(p11_slot(), list[i], &info));
		print_message("  %s\n", name_of(NAME_CKM, list[i]));
		for (size_t k = 0; k < ways_n; k++) {
			if ((info.flags & w[k].flag) == 0)
				continue;
			recipe_cook(&d, list[i], w[k].flag);
			ask(&d, &w[k]);
			asked++;
		}
	}
	assert_true(asked > 100);
}

/* A wrapped key is an input, too. */
static void test_wrapped_key(void **state)
{
	static struct dish d;
	static const CK_MECHANISM_TYPE types[] = { CKM_AES_KEY_WRAP_KWP, CKM_AES_CBC_PAD,
						   CKM_AES_GCM, CKM_RSA_PKCS };
	CK_OBJECT_HANDLE h;
	struct templ t;

	(void)state;
	case_open_secret(&t, CKK_GENERIC_SECRET, NULL, 0);
	for (size_t i = 0; i < LENGTH(types); i++) {
		recipe_cook(&d, types[i], CKF_UNWRAP);
		for (size_t k = 0; k < LENGTH(there_is_not); k++)
			assert_rv(p11->C_UnwrapKey(p11_session(), &d.m, d.k.priv, forbidden,
						   there_is_not[k], t.a, t.n, &h),
				  CKR_WRAPPED_KEY_LEN_RANGE);
	}
}

/* A saved state, too, of what is longer than any. Seen to fail, by a signal: without the check of STATE_MAX. */
static void test_saved_state(void **state)
{
	CK_SESSION_HANDLE s = p11_session();

	(void)state;
	for (size_t k = 0; k < LENGTH(there_is_not); k++)
		assert_rv(p11->C_SetOperationState(s, forbidden, there_is_not[k], 0, 0),
			  CKR_SAVED_STATE_INVALID);
	assert_rv(p11->C_SetOperationState(s, forbidden, SIZE_MAX / 2, 0, 0),
		  CKR_SAVED_STATE_INVALID);
	assert_rv(p11->C_SetOperationState(s, forbidden, PAGE, 0, 0), CKR_SAVED_STATE_INVALID);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_every_mechanism),
		TEST(test_wrapped_key),
		TEST(test_saved_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
