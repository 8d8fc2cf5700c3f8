/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cases of the list of mechanisms (docs/CASES.md): R10, what is listed works and nothing else does; R14, private keys
 * of every kind move to another token. Keys here may do all that their mechanism can: that is what compat is for.
 */
#include "recipe.h"

#include "base/names.h"

static CK_BYTE data[32] = "what the operations work on 123", out[8192], back[8192];

static int setup_compat(void **state)
{
	return p11_setup_configured(state, "[token]\ncompat = on\n");
}

/* ---- R10: one complete operation for each flag ---- */

static void encrypt_decrypt(struct dish *d)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_ULONG n = sizeof(out), back_n = sizeof(back);

	assert_ok(p11->C_EncryptInit(s, &d->m, d->k.pub));
	assert_ok(p11->C_Encrypt(s, data, d->in, out, &n));
	assert_ok(p11->C_DecryptInit(s, &d->m, d->k.priv));
	assert_ok(p11->C_Decrypt(s, out, n, back, &back_n));
	/* the bare RSA operation gives a whole block, zeros in front */
	assert_true(back_n >= d->in);
	assert_memory_equal(back + back_n - d->in, data, d->in);
}

static void digest(struct dish *d)
{
	CK_ULONG n = sizeof(out);

	assert_ok(p11->C_DigestInit(p11_session(), &d->m));
	assert_ok(p11->C_Digest(p11_session(), data, d->in, out, &n));
	assert_true(n >= 20);
}

static void sign_verify(struct dish *d)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_ULONG n = sizeof(out);

	assert_ok(p11->C_SignInit(s, &d->m, d->k.priv));
	assert_ok(p11->C_Sign(s, data, d->in, out, &n));
	assert_ok(p11->C_VerifyInit(s, &d->m, d->k.pub));
	assert_ok(p11->C_Verify(s, data, d->in, out, n));
	data[0] ^= 1;
	assert_ok(p11->C_VerifyInit(s, &d->m, d->k.pub));
	assert_rv(p11->C_Verify(s, data, d->in, out, n), CKR_SIGNATURE_INVALID);
	data[0] ^= 1;
}

static void recover(struct dish *d)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_ULONG n = sizeof(out), back_n = sizeof(back);

	assert_ok(p11->C_SignRecoverInit(s, &d->m, d->k.priv));
	assert_ok(p11->C_SignRecover(s, data, d->in, out, &n));
	assert_ok(p11->C_VerifyRecoverInit(s, &d->m, d->k.pub));
	assert_ok(p11->C_VerifyRecover(s, out, n, back, &back_n));
	assert_true(back_n >= d->in);
	assert_memory_equal(back + back_n - d->in, data, d->in);
}

static void wrap_unwrap(struct dish *d)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE key = case_secret(s, CKK_GENERIC_SECRET, data, 32, CKA_SIGN), h;
	CK_ULONG n = sizeof(out);
	struct templ t;

	assert_ok(p11->C_WrapKey(s, &d->m, d->k.pub, key, out, &n));
	case_open_secret(&t, CKK_GENERIC_SECRET, NULL, 0);
	templ_ulong(&t, CKA_VALUE_LEN, 32);
	assert_ok(p11->C_UnwrapKey(s, &d->m, d->k.priv, out, n, t.a, t.n, &h));
	assert_int_equal(p11_get_bytes(s, h, CKA_VALUE, back, sizeof(back)), 32);
	assert_memory_equal(back, data, 32);
}

static void derive(struct dish *d)
{
	CK_OBJECT_HANDLE h;
	struct templ t = { 0 };

	templ_ulong(&t, CKA_VALUE_LEN, 32);
	if (d->m.mechanism != CKM_HKDF_DATA)
		templ_ulong(&t, CKA_KEY_TYPE, CKK_AES);
	assert_ok(p11->C_DeriveKey(p11_session(), &d->m, d->k.priv, t.a, t.n, &h));
}

static void generate(struct dish *d)
{
	struct pair k = { 0, 0 };

	assert_ok(recipe_generate(&d->m, 0, &k));
	if (d->flags & CKF_GENERATE_KEY_PAIR)
		assert_int_equal(p11_get_ulong(p11_session(), k.priv, CKA_KEY_GEN_MECHANISM),
				 d->m.mechanism);
}

static const struct {
	CK_FLAGS flags; /* one flag, or two that go together */
	void (*run)(struct dish *d);
} whole[] = {
	{ CKF_ENCRYPT | CKF_DECRYPT, encrypt_decrypt },
	{ CKF_DIGEST, digest },
	{ CKF_SIGN | CKF_VERIFY, sign_verify },
	{ CKF_SIGN_RECOVER | CKF_VERIFY_RECOVER, recover },
	{ CKF_WRAP | CKF_UNWRAP, wrap_unwrap },
	{ CKF_DERIVE, derive },
	{ CKF_GENERATE, generate },
	{ CKF_GENERATE_KEY_PAIR, generate },
};

#define ALL_USES                                                                             \
	(CKF_ENCRYPT | CKF_DECRYPT | CKF_DIGEST | CKF_SIGN | CKF_VERIFY | CKF_SIGN_RECOVER | \
	 CKF_VERIFY_RECOVER | CKF_WRAP | CKF_UNWRAP | CKF_DERIVE | CKF_GENERATE |            \
	 CKF_GENERATE_KEY_PAIR)

/* Every function that begins with a mechanism and is not among flags refuses it. */
static void refused_but(struct dish *d, CK_FLAGS flags)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_MECHANISM *m = &d->m;
	CK_OBJECT_HANDLE a = d->k.pub, b = d->k.priv, h;
	CK_ULONG n = sizeof(out);
	struct templ t = { 0 };

#define REFUSED(flag, call)        \
	if ((flags & (flag)) == 0) \
	assert_rv(p11->call, CKR_MECHANISM_INVALID)
	templ_ulong(&t, CKA_VALUE_LEN, 32);
	REFUSED(CKF_ENCRYPT, C_EncryptInit(s, m, a));
	REFUSED(CKF_DECRYPT, C_DecryptInit(s, m, b));
	REFUSED(CKF_DIGEST, C_DigestInit(s, m));
	REFUSED(CKF_SIGN, C_SignInit(s, m, b));
	REFUSED(CKF_VERIFY, C_VerifyInit(s, m, a));
	REFUSED(CKF_SIGN_RECOVER, C_SignRecoverInit(s, m, b));
	REFUSED(CKF_VERIFY_RECOVER, C_VerifyRecoverInit(s, m, a));
	REFUSED(CKF_WRAP, C_WrapKey(s, m, a, b, out, &n));
	REFUSED(CKF_UNWRAP, C_UnwrapKey(s, m, b, out, 40, t.a, t.n, &h));
	REFUSED(CKF_DERIVE, C_DeriveKey(s, m, b, t.a, t.n, &h));
	REFUSED(CKF_GENERATE, C_GenerateKey(s, m, t.a, t.n, &h));
	REFUSED(CKF_GENERATE_KEY_PAIR, C_GenerateKeyPair(s, m, t.a, t.n, t.a, t.n, &h, &h));
#undef REFUSED
}

static void use_mechanism(CK_MECHANISM_TYPE type)
{
	static struct dish d;
	CK_MECHANISM_INFO info;
	CK_FLAGS done = 0;

	assert_ok(p11->C_GetMechanismInfo(p11_slot(), type, &info));
	recipe_cook(&d, type, info.flags & ALL_USES);
	for (size_t i = 0; i < LENGTH(whole); i++) {
		if ((info.flags & whole[i].flags) == 0)
			continue;
		assert_int_equal(info.flags & whole[i].flags, whole[i].flags);
		whole[i].run(&d);
		done |= whole[i].flags;
	}
	assert_true(done != 0);
	assert_int_equal(done, info.flags & ALL_USES);
	refused_but(&d, done);
}

enum { LIST_MAX = 512, NUMBERS = 0x5000 };

static CK_MECHANISM_TYPE list[LIST_MAX];

static CK_ULONG mechanisms(void)
{
	CK_ULONG n = LIST_MAX;

	assert_ok(p11->C_GetMechanismList(p11_slot(), list, &n));
	assert_true(n > 50);
	return n;
}

/* Each row of the list has a name of the standard and does what its flags say, in full, and nothing else. */
static void test_R10_listed_works(void **state)
{
	CK_ULONG n = mechanisms();

	(void)state;
	for (CK_ULONG i = 0; i < n; i++) {
		const char *name = name_of(NAME_CKM, list[i]);

		print_message("  %s\n", name != NULL ? name : "(no name)");
		for (CK_ULONG j = 0; j < i; j++)
			assert_true(list[j] != list[i]);
		use_mechanism(list[i]);
	}
}

static bool is_listed(CK_MECHANISM_TYPE type, CK_ULONG n)
{
	for (CK_ULONG i = 0; i < n; i++)
		if (list[i] == type)
			return true;
	return false;
}

/* A number that is not in the list, whether the standard names it or not, works nowhere. */
static void test_R10_not_listed_does_not(void **state)
{
	CK_ULONG n = mechanisms();
	CK_MECHANISM_INFO info;
	struct dish d = { 0 };
	unsigned tried = 0;

	(void)state;
	d.k.pub = d.k.priv =
		p11_secret(p11_session(), CKM_AES_KEY_GEN, 32, CKA_ENCRYPT, CKA_DECRYPT, CKA_SIGN,
			   CKA_VERIFY, CKA_WRAP, CKA_UNWRAP, CKA_DERIVE);
	for (CK_MECHANISM_TYPE type = 0; type < NUMBERS; type++) {
		if (is_listed(type, n) || (name_of(NAME_CKM, type) == NULL && type % 64 != 0))
			continue;
		assert_rv(p11->C_GetMechanismInfo(p11_slot(), type, &info), CKR_MECHANISM_INVALID);
		d.m = mechanism(type, NULL, 0);
		refused_but(&d, 0);
		tried++;
	}
	assert_true(tried > 200);
	d.m.mechanism = CKM_VENDOR_DEFINED | 1;
	refused_but(&d, 0);
}

/* ---- R14: private keys move ---- */

static const struct movable {
	CK_MECHANISM_TYPE gen;
	CK_KEY_TYPE type;
	CK_ATTRIBUTE_TYPE need;
	const char *params; /* of a curve; else number counts */
	CK_ULONG number;
	CK_MECHANISM_TYPE sign; /* NONE: it derives */
} movables[] = {
#define NONE CK_UNAVAILABLE_INFORMATION
#define EC   CKM_EC_KEY_PAIR_GEN, CKK_EC, CKA_EC_PARAMS
#define ED   CKM_EC_EDWARDS_KEY_PAIR_GEN, CKK_EC_EDWARDS, CKA_EC_PARAMS
#define MO   CKM_EC_MONTGOMERY_KEY_PAIR_GEN, CKK_EC_MONTGOMERY, CKA_EC_PARAMS
#define ML   CKM_ML_DSA_KEY_PAIR_GEN, CKK_ML_DSA, CKA_PARAMETER_SET
	{ CKM_RSA_PKCS_KEY_PAIR_GEN, CKK_RSA, CKA_MODULUS_BITS, NULL, 2048, CKM_SHA256_RSA_PKCS },
	{ EC, "\x06\x05\x2b\x81\x04\x00\x21", 0, CKM_ECDSA_SHA256 }, /* P-224 */
	{ EC, "\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07", 0, CKM_ECDSA_SHA256 },
	{ EC, "\x06\x05\x2b\x81\x04\x00\x22", 0, CKM_ECDSA_SHA256 },
	{ EC, "\x06\x05\x2b\x81\x04\x00\x23", 0, CKM_ECDSA_SHA256 },
	{ EC, "\x06\x05\x2b\x81\x04\x00\x0a", 0, CKM_ECDSA_SHA256 }, /* secp256k1 */
	{ EC, "\x06\x09\x2b\x24\x03\x03\x02\x08\x01\x01\x0d", 0, CKM_ECDSA_SHA256 },
	{ ED, "\x06\x03\x2b\x65\x70", 0, CKM_EDDSA },
	{ ED, "\x06\x03\x2b\x65\x71", 0, CKM_EDDSA },
	{ MO, "\x06\x03\x2b\x65\x6e", 0, NONE },
	{ MO, "\x06\x03\x2b\x65\x6f", 0, NONE },
	{ ML, NULL, CKP_ML_DSA_44, CKM_ML_DSA },
	{ ML, NULL, CKP_ML_DSA_65, CKM_ML_DSA },
	{ ML, NULL, CKP_ML_DSA_87, CKM_ML_DSA },
#undef EC
#undef ED
#undef MO
#undef ML
};

/* The template says that the private key may leave, and so it may. */
static void make_movable(const struct movable *v, CK_SESSION_HANDLE s, struct pair *k)
{
	CK_MECHANISM m = mechanism(v->gen, NULL, 0);
	struct templ pub = { 0 }, priv = { 0 };

	if (v->params != NULL)
		templ_bytes(&pub, v->need, v->params, 2 + (size_t)v->params[1]);
	else
		templ_ulong(&pub, v->need, v->number);
	if (v->sign != NONE)
		templ_flags(&pub, CKA_VERIFY);
	templ_flags(&priv, v->sign != NONE ? CKA_SIGN : CKA_DERIVE, CKA_EXTRACTABLE);
	assert_ok(p11->C_GenerateKeyPair(s, &m, pub.a, pub.n, priv.a, priv.n, &k->pub, &k->priv));
	assert_true(p11_get_bool(s, k->priv, CKA_EXTRACTABLE));
	assert_false(p11_get_bool(s, k->priv, CKA_NEVER_EXTRACTABLE));
}

/* Signed there, verified here. */
static void signs_there(const struct movable *v, CK_SESSION_HANDLE here, CK_OBJECT_HANDLE pub,
			CK_SESSION_HANDLE there, CK_OBJECT_HANDLE priv)
{
	CK_MECHANISM m = mechanism(v->sign, NULL, 0);
	CK_ULONG n = sizeof(out);

	assert_ok(p11->C_SignInit(there, &m, priv));
	assert_ok(p11->C_Sign(there, data, sizeof(data), out, &n));
	assert_ok(p11->C_VerifyInit(here, &m, pub));
	assert_ok(p11->C_Verify(here, data, sizeof(data), out, n));
}

static void same_public_key(CK_SESSION_HANDLE here, CK_OBJECT_HANDLE a, CK_SESSION_HANDLE there,
			    CK_OBJECT_HANDLE b)
{
	size_t n = p11_get_bytes(here, a, CKA_PUBLIC_KEY_INFO, out, sizeof(out));

	assert_true(n > 0);
	assert_int_equal(p11_get_bytes(there, b, CKA_PUBLIC_KEY_INFO, back, sizeof(back)), n);
	assert_memory_equal(out, back, n);
}

/* Two tokens that have the same wrapping key: every kind of private key goes from one to the other. */
static void test_R14_to_another_token(void **state)
{
	CK_SESSION_HANDLE here = p11_session(), there;
	CK_MECHANISM kwp = mechanism(CKM_AES_KEY_WRAP_KWP, NULL, 0);
	CK_OBJECT_HANDLE kek_here = case_secret(here, CKK_AES, data, 32, CKA_WRAP), kek_there, h;
	CK_SLOT_ID second = p11_new_token("second", true);

	(void)state;
	there = p11_open(second, true);
	p11_login(there, CKU_USER);
	kek_there = case_secret(there, CKK_AES, data, 32, CKA_UNWRAP);
	for (size_t i = 0; i < LENGTH(movables); i++) {
		const struct movable *v = &movables[i];
		CK_ULONG n = sizeof(out);
		struct templ t = { 0 };
		struct pair k;

		make_movable(v, here, &k);
		assert_ok(p11->C_WrapKey(here, &kwp, kek_here, k.priv, out, &n));
		templ_ulong(&t, CKA_CLASS, CKO_PRIVATE_KEY);
		templ_ulong(&t, CKA_KEY_TYPE, v->type);
		templ_bool(&t, CKA_EXTRACTABLE, false);
		templ_flags(&t, v->sign != NONE ? CKA_SIGN : CKA_DERIVE, CKA_TOKEN);
		assert_ok(p11->C_UnwrapKey(there, &kwp, kek_there, out, n, t.a, t.n, &h));
		same_public_key(here, k.pub, there, h);
		if (v->sign != NONE)
			signs_there(v, here, k.pub, there, h);
	}
}

int main(void)
{
#define TEST(f)   cmocka_unit_test_setup_teardown(f, p11_setup_token, p11_teardown)
#define COMPAT(f) cmocka_unit_test_setup_teardown(f, setup_compat, p11_teardown)
	const struct CMUnitTest tests[] = {
		COMPAT(test_R10_listed_works),
		COMPAT(test_R10_not_listed_does_not),
		TEST(test_R14_to_another_token),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
