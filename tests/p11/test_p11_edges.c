/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No operation touches a byte beside its input and its output: of every listed mechanism, with every short length of input, good or not,
 * and both ending where a page begins that nobody may touch. What libcrypto does to memory is seen that way too, which no
 * sanitizer sees in the module.
 *
 * Seen to fail: with libcrypto's RFC 5649 unwrapping straight into the caller's buffer, behind which it wipes eight bytes.
 */
#include "recipe.h"

#include "base/names.h"

#include <sys/mman.h>
#include <unistd.h>

/* INPUT_MAX: some blocks, and an RSA modulus of 2048 bits. ROOM: one page. */
enum { INPUT_MAX = 260, STEP_FROM = 72, STEP = 13, ROOM = 4096 };

/* A page, and behind it one that may not be touched. */
static CK_BYTE *fenced(void)
{
	CK_BYTE *p = mmap(NULL, (size_t)2 * ROOM, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(p != MAP_FAILED);
	assert_int_equal(sysconf(_SC_PAGESIZE), ROOM);
	assert_int_equal(mprotect(p + ROOM, ROOM, PROT_NONE), 0);
	return p;
}

static CK_BYTE *input, *output;

static int setup(void **state)
{
	input = fenced();
	output = fenced();
	return p11_setup_configured(state, "[token]\ncompat = on\n");
}

static int teardown(void **state)
{
	assert_int_equal(munmap(input, (size_t)2 * ROOM), 0);
	assert_int_equal(munmap(output, (size_t)2 * ROOM), 0);
	return p11_teardown(state);
}

static CK_RV digest_init(CK_SESSION_HANDLE s, CK_MECHANISM *m, CK_OBJECT_HANDLE key)
{
	(void)key;
	return p11->C_DigestInit(s, m);
}

struct way {
	CK_FLAGS flag;
	CK_RV (*init)(CK_SESSION_HANDLE s, CK_MECHANISM *m, CK_OBJECT_HANDLE key);
	CK_RV (*once)(CK_SESSION_HANDLE s, CK_BYTE *p, CK_ULONG n, CK_BYTE *o, CK_ULONG *o_n);
	bool public; /* of a pair the public key */
};

static size_t ways(struct way w[6])
{
	w[0] = (struct way){ CKF_ENCRYPT, p11->C_EncryptInit, p11->C_Encrypt, true };
	w[1] = (struct way){ CKF_DECRYPT, p11->C_DecryptInit, p11->C_Decrypt, false };
	w[2] = (struct way){ CKF_DIGEST, digest_init, p11->C_Digest, true };
	w[3] = (struct way){ CKF_SIGN, p11->C_SignInit, p11->C_Sign, false };
	w[4] = (struct way){ CKF_SIGN_RECOVER, p11->C_SignRecoverInit, p11->C_SignRecover, false };
	w[5] = (struct way){ CKF_VERIFY_RECOVER, p11->C_VerifyRecoverInit, p11->C_VerifyRecover,
			     true };
	return 6;
}

static CK_BYTE *input_of(CK_ULONG n)
{
	CK_BYTE *p = input + ROOM - n;

	for (CK_ULONG i = 0; i < n; i++)
		p[i] = (CK_BYTE)(i * 7 + n);
	return p;
}

/* With as much room as is asked for; a length that the mechanism refuses is refused. */
static bool one(struct dish *d, const struct way *w, CK_ULONG n, CK_ULONG less)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_BYTE *in = input_of(n);
	CK_ULONG room = 0;
	CK_RV rv;

	assert_ok(w->init(s, &d->m, w->public ? d->k.pub : d->k.priv));
	rv = w->once(s, in, n, NULL, &room);
	if (rv == CKR_OK && room >= less && room <= ROOM) {
		room -= less;
		rv = w->once(s, in, n, output + ROOM - room, &room);
	}
	(void)w->init(s, NULL, 0); /* cancels what is left of it */
	return rv == CKR_OK;
}

/* One operation of each way worked at least, where the input need not be made for it. */
static void edges(struct dish *d, const struct way *w)
{
	for (CK_ULONG n = 0; n <= INPUT_MAX; n += n < STEP_FROM ? 1 : STEP) {
		(void)one(d, w, n, 0);
		(void)one(d, w, n, 1);
	}
	if (w->flag != CKF_DECRYPT && w->flag != CKF_VERIFY_RECOVER)
		assert_true(one(d, w, d->in, 0));
}

static void test_every_mechanism(void **state)
{
	static struct dish d;
	CK_MECHANISM_TYPE list[512];
	CK_MECHANISM_INFO info;
	CK_ULONG n = LENGTH(list);
	struct way w[6];
	size_t ways_n = ways(w), done = 0;

	(void)state;
	assert_ok(p11->C_GetMechanismList(p11_slot(), list, &n));
	for (CK_ULONG i = 0; i < n; i++) {
		assert_ok(p11->C_GetMechanismInfo(p11_slot(), list[i], &info));
		for (size_t k = 0; k < ways_n; k++) {
			if ((info.flags & w[k].flag) == 0)
				continue;
			print_message("  %s\n", name_of(NAME_CKM, list[i]));
			recipe_cook(&d, list[i], w[k].flag);
			edges(&d, &w[k]);
			done++;
		}
	}
	assert_true(done > 80);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_every_mechanism, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
