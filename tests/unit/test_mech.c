/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk over the registry: what a row flags works, what it does not flag is refused, and what it
 * says of keys and parameters is so.
 */
#include "crypto/param_rules.h"
#include "pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define TEXT_N 32

static uint8_t text[256], secret[64], iv[16];
static const uint8_t p256[] = { 6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7 };
static const uint8_t ed25519[] = { 6, 3, 0x2b, 0x65, 0x70 };
static const uint8_t x25519[] = { 6, 3, 0x2b, 0x65, 0x6e };

static struct pair pairs[5]; /* in the order of pair_types */
static const CK_KEY_TYPE pair_types[5] = { CKK_RSA, CKK_EC, CKK_EC_EDWARDS, CKK_EC_MONTGOMERY,
					   CKK_ML_DSA };

static int up(void **state)
{
	int failed = crypto_up(state);

	for (size_t i = 1; i < sizeof(text); i++)
		text[i] = (uint8_t)i; /* begins with 0: below any RSA modulus of as many bytes */
	for (size_t i = 0; i < sizeof(secret); i++)
		secret[i] = (uint8_t)(i * 7 + 1);
	if (failed)
		return failed;
	pairs[0] = pair_rsa(2048);
	pairs[1] = pair_curve(CKM_EC_KEY_PAIR_GEN, span(p256, sizeof(p256)));
	pairs[2] = pair_curve(CKM_EC_EDWARDS_KEY_PAIR_GEN, span(ed25519, sizeof(ed25519)));
	pairs[3] = pair_curve(CKM_EC_MONTGOMERY_KEY_PAIR_GEN, span(x25519, sizeof(x25519)));
	pairs[4] = pair_mldsa(CKP_ML_DSA_44);
	return 0;
}

static int down(void **state)
{
	for (size_t i = 0; i < 5; i++)
		pair_free(&pairs[i]);
	return crypto_down(state);
}

/* Parameters by the rule that takes them: every mechanism with a rule has one that works. */
static CK_RSA_PKCS_PSS_PARAMS pss = { CKM_SHA256, CKG_MGF1_SHA256, 20 };
static CK_RSA_PKCS_OAEP_PARAMS oaep = { CKM_SHA256, CKG_MGF1_SHA256, CKZ_DATA_SPECIFIED, NULL, 0 };
static CK_ECDH1_DERIVE_PARAMS ecdh = { CKD_SHA256_KDF, 0, NULL, 0, NULL };
static CK_AES_CTR_PARAMS ctr = { .ulCounterBits = 64 };
static CK_GCM_PARAMS gcm = { iv, 12, 96, NULL, 0, 128 };
static CK_CCM_PARAMS ccm = { TEXT_N, iv, 12, NULL, 0, 16 };
static CK_MAC_GENERAL_PARAMS mac_n = 10;
static CK_HKDF_PARAMS hkdf = {
	CK_TRUE, CK_TRUE, CKM_SHA256, CKF_HKDF_SALT_NULL, NULL, 0, 0, NULL, 0
};
static CK_PKCS5_PBKD2_PARAMS2 pbkdf2 = {
	CKZ_SALT_SPECIFIED, iv, 16, 2, CKP_PKCS5_PBKD2_HMAC_SHA256, NULL, 0, iv, 8
};
static CK_HASH_SIGN_ADDITIONAL_CONTEXT hash_context = { CKH_HEDGE_PREFERRED, NULL, 0, CKM_SHA256 };

static const struct {
	param_rule *rule;
	void *p;
	CK_ULONG n;
	bool optional;
} params[] = {
	{ param_pss, &pss, sizeof(pss), false },
	{ param_oaep, &oaep, sizeof(oaep), false },
	{ param_ecdh1, &ecdh, sizeof(ecdh), false },
	{ param_eddsa, NULL, 0, true },
	{ param_sign_context, NULL, 0, true },
	{ param_hash_sign_context, &hash_context, sizeof(hash_context), false },
	{ param_iv16, iv, sizeof(iv), false },
	{ param_ctr, &ctr, sizeof(ctr), false },
	{ param_gcm, &gcm, sizeof(gcm), false },
	{ param_gmac, &gcm, sizeof(gcm), false },
	{ param_ccm, &ccm, sizeof(ccm), false },
	{ param_mac_general, &mac_n, sizeof(mac_n), false },
	{ param_kw_iv, NULL, 0, true },
	{ param_kwp_iv, NULL, 0, true },
	{ param_hkdf, &hkdf, sizeof(hkdf), false },
	{ param_pbkdf2, &pbkdf2, sizeof(pbkdf2), false },
};

static size_t param_of(const struct mech *m)
{
	for (size_t i = 0; i < sizeof(params) / sizeof(params[0]); i++)
		if (params[i].rule == m->param)
			return i;
	fail_msg("mechanism 0x%lx has a rule that this test does not know", m->type);
	return 0;
}

static struct call call_of(const struct mech *m)
{
	size_t i;

	if (m->param == NULL)
		return (struct call){ m->type, NULL, 0 };
	i = param_of(m);
	if (m->hash != CK_UNAVAILABLE_INFORMATION)
		pss.hashAlg = m->hash;
	else
		pss.hashAlg = CKM_SHA256;
	return (struct call){ m->type, params[i].p, params[i].n };
}

static const struct pair *pair_for(CK_KEY_TYPE type)
{
	for (size_t i = 0; i < 5; i++)
		if (pair_types[i] == type)
			return &pairs[i];
	return NULL;
}

static struct attrset *secret_for(CK_KEY_TYPE type)
{
	struct attrset *a = set_new(CKO_SECRET_KEY, type);

	set_put(a, CKA_VALUE, span(secret, type == CKK_AES_XTS ? 64 : 32));
	return a;
}

/* The key for a use; *made is one to be freed. */
static const struct attrset *key_for(CK_KEY_TYPE type, enum mech_use use, struct attrset **made)
{
	const struct pair *p = pair_for(type);
	bool public = use == USE_ENCRYPT || use == USE_VERIFY || use == USE_VERIFY_RECOVER;

	*made = NULL;
	if (type == CK_UNAVAILABLE_INFORMATION)
		return NULL;
	if (p != NULL)
		return public ? p->pub : p->priv;
	*made = secret_for(type);
	return *made;
}

static enum err do_work(const struct mech *m, CK_KEY_TYPE type, enum mech_use use, struct span in,
			struct buf *out)
{
	struct attrset *made;
	const struct attrset *key = key_for(type, use, &made);
	enum err e = work(call_of(m), use, key, in, 0, out);

	attrset_free(made);
	return e;
}

/* Raw RSA works on whole blocks; everything else takes 32 bytes. */
static struct span input_for(const struct mech *m)
{
	return span(text, m->type == CKM_RSA_X_509 ? sizeof(text) : TEXT_N);
}

static void there_and_back(const struct mech *m, CK_KEY_TYPE type, enum mech_use there,
			   enum mech_use back)
{
	struct buf out = { 0 }, in = { 0 };

	assert_int_equal(do_work(m, type, there, input_for(m), &out), OK);
	assert_int_equal(do_work(m, type, back, buf_span(&out), &in), OK);
	assert_true(span_eq(buf_span(&in), input_for(m)));
	buf_free(&out);
	buf_free(&in);
}

static void sign_and_verify(const struct mech *m, CK_KEY_TYPE type)
{
	struct buf sig = { 0 };
	struct attrset *made;
	const struct attrset *key;

	/* raw PSS and HASH_ML_DSA take a digest of the hash named, which is SHA-256 here */
	assert_int_equal(do_work(m, type, USE_SIGN, input_for(m), &sig), OK);
	key = key_for(type, USE_VERIFY, &made);
	assert_int_equal(check(call_of(m), key, input_for(m), 0, buf_span(&sig)), OK);
	sig.p[sig.n / 2] ^= 1;
	assert_int_equal(check(call_of(m), key, input_for(m), 0, buf_span(&sig)), E_SIGNATURE);
	attrset_free(made);
	buf_free(&sig);
}

static void flagged_works(const struct mech *m, CK_KEY_TYPE type)
{
	struct buf out = { 0 };

	if (m->flags & CKF_DIGEST)
		assert_int_equal(do_work(m, type, USE_DIGEST, input_for(m), &out), OK);
	if (m->flags & CKF_ENCRYPT)
		there_and_back(m, type, USE_ENCRYPT, USE_DECRYPT);
	if (m->flags & CKF_SIGN)
		sign_and_verify(m, type);
	if (m->flags & CKF_SIGN_RECOVER)
		there_and_back(m, type, USE_SIGN_RECOVER, USE_VERIFY_RECOVER);
	buf_free(&out);
}

static enum err try_begin(const struct mech *m, enum mech_use use, const struct attrset *key)
{
	struct key *k = key != NULL ? key_of(key) : NULL;
	struct run r = { 0 };
	enum err e = run_begin(&r, m, use, k, NULL);

	run_free(&r);
	key_unref(k);
	return e;
}

static void unflagged_refuses(const struct mech *m)
{
	for (enum mech_use use = 0; use < USE_COUNT; use++) {
		struct attrset *made;
		const struct attrset *key = key_for(m->key_type, use, &made);

		if ((m->flags & mech_use_flag(use)) == 0)
			assert_int_equal(try_begin(m, use, key), E_MECHANISM);
		attrset_free(made);
	}
}

/* What belongs together: ciphers go both ways, and so on. */
static void flags_agree(const struct mech *m)
{
	const CK_FLAGS both[][2] = { { CKF_ENCRYPT, CKF_DECRYPT },
				     { CKF_SIGN, CKF_VERIFY },
				     { CKF_SIGN_RECOVER, CKF_VERIFY_RECOVER },
				     { CKF_WRAP, CKF_UNWRAP } };
	const CK_FLAGS runs = CKF_ENCRYPT | CKF_DIGEST | CKF_SIGN | CKF_SIGN_RECOVER;

	for (size_t i = 0; i < 4; i++)
		assert_int_equal((m->flags & both[i][0]) != 0, (m->flags & both[i][1]) != 0);
	assert_int_equal((m->flags & runs) != 0, m->ops != NULL);
	/* C_WrapKey encrypts with the same ops */
	assert_true((m->flags & CKF_WRAP) == 0 || (m->flags & CKF_ENCRYPT) != 0);
	assert_int_equal((m->flags & CKF_GENERATE) != 0,
			 m->make != NULL && m->make->generate != NULL);
	assert_int_equal((m->flags & CKF_GENERATE_KEY_PAIR) != 0,
			 m->make != NULL && m->make->generate_pair != NULL);
	assert_int_equal((m->flags & CKF_DERIVE) != 0, m->make != NULL && m->make->derive != NULL);
	assert_true(m->flags != 0);
}

static void keys_agree(const struct mech *m)
{
	struct attrset *wrong = secret_for(CKK_HKDF);

	assert_true(m->min_key <= m->max_key);
	assert_true(mech_takes(m, m->key_type) == (m->key_type != CK_UNAVAILABLE_INFORMATION));
	assert_true(mech_takes(m, m->key_type2) == (m->key_type != CK_UNAVAILABLE_INFORMATION));
	for (enum mech_use use = 0; use < USE_COUNT; use++)
		if ((m->flags & mech_use_flag(use)) != 0 && m->ops != NULL) {
			assert_int_equal(try_begin(m, use, wrong), E_KEY_TYPE);
			if (m->key_type != CK_UNAVAILABLE_INFORMATION)
				assert_int_equal(try_begin(m, use, NULL), E_KEY_TYPE);
		}
	attrset_free(wrong);
}

static void params_agree(const struct mech *m)
{
	CK_MECHANISM none = { m->type, NULL, 0 }, odd = { m->type, secret, 3 };
	struct param par = { 0 };
	bool optional = m->param == NULL || params[param_of(m)].optional;

	assert_int_equal(param_take(m, &none, &par), optional ? OK : E_MECHANISM_PARAM);
	param_clear(&par);
	assert_int_equal(param_take(m, &odd, &par), E_MECHANISM_PARAM);
	param_clear(&par);
}

static void test_walk(void **state)
{
	(void)state;
	assert_true(mech_count() > 100);
	for (size_t i = 0; i < mech_count(); i++) {
		const struct mech *m = mech_at(i);

		print_message("0x%lx ", m->type);
		flags_agree(m);
		keys_agree(m);
		params_agree(m);
		unflagged_refuses(m);
		flagged_works(m, m->key_type);
		if (m->key_type2 != m->key_type && (m->flags & CKF_DERIVE) == 0)
			flagged_works(m, m->key_type2);
	}
	print_message("\n");
}

/* ---- bounds ---- */

/* More input never asks for less room: what did would have wrapped around. */
static void bounds_grow(const struct mech *m, enum mech_use use)
{
	static const size_t lengths[] = { 0,
					  1,
					  15,
					  16,
					  17,
					  64,
					  SIZE_MAX / 2,
					  SIZE_MAX - 31,
					  SIZE_MAX - 16,
					  SIZE_MAX - 15,
					  SIZE_MAX - 8,
					  SIZE_MAX - 7,
					  SIZE_MAX - 1,
					  SIZE_MAX };
	struct call c = call_of(m);
	CK_MECHANISM mech = { m->type, NULL, c.param_n };
	struct param par = { 0 };
	struct attrset *made;
	const struct attrset *a = key_for(m->key_type, use, &made);
	struct key *k = a != NULL ? key_of(a) : NULL;
	struct run r = { 0 };

	memcpy(&mech.pParameter, &c.param, sizeof(mech.pParameter));
	assert_int_equal(param_take(m, &mech, &par), OK);
	assert_int_equal(run_begin(&r, m, use, k, &par), OK);
	for (int last = 0; last <= 1; last++)
		for (size_t i = 1; i < sizeof(lengths) / sizeof(lengths[0]); i++)
			assert_true(run_bound(&r, lengths[i], last) >=
				    run_bound(&r, lengths[i - 1], last));
	run_free(&r);
	key_unref(k);
	attrset_free(made);
}

static void test_bounds(void **state)
{
	(void)state;
	for (size_t i = 0; i < mech_count(); i++)
		for (enum mech_use use = 0; use < USE_COUNT; use++)
			if ((mech_at(i)->flags & mech_use_flag(use)) != 0)
				bounds_grow(mech_at(i), use);
}

static void test_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < mech_count(); i++) {
		const struct mech *m = mech_at(i);

		assert_ptr_equal(mech_find(m->type), m);
		if (i > 0)
			assert_true(mech_at(i - 1)->type < m->type);
	}
	assert_null(mech_at(mech_count()));
	assert_null(mech_find(CK_UNAVAILABLE_INFORMATION));
	assert_null(mech_find(CKM_VENDOR_DEFINED));
	assert_null(mech_find(CKM_AES_MAC));
}

static void test_unlisted(void **state)
{
	size_t found = 0;

	(void)state;
	for (CK_MECHANISM_TYPE t = 0; t < 0x10000; t++)
		found += mech_find(t) != NULL;
	assert_int_equal(found, mech_count());
}

static void generated(const struct mech *m)
{
	struct attrset *t = attrset_new(false), *made = attrset_new(true);
	struct call c = call_of(m);
	CK_MECHANISM mech = { m->type, NULL, c.param_n };
	struct param par = { 0 };
	CK_KEY_TYPE type = m->param != NULL ? CKK_AES : m->key_type;

	memcpy(&mech.pParameter, &c.param, sizeof(mech.pParameter));
	set_put_ulong(t, CKA_KEY_TYPE, type);
	set_put_ulong(t, CKA_VALUE_LEN, 32);
	assert_int_equal(param_take(m, &mech, &par), OK);
	assert_int_equal(mech_generate(m, &par, t, made), OK);
	assert_int_equal(attrset_ulong(made, CKA_CLASS, 0), CKO_SECRET_KEY);
	assert_int_equal(attrset_ulong(made, CKA_KEY_TYPE, 0), type);
	assert_int_equal(attrset_bytes(made, CKA_VALUE).n, 32);
	assert_int_equal(attrset_bytes(made, CKA_CHECK_VALUE).n, 3);
	param_clear(&par);
	attrset_free(t);
	attrset_free(made);
}

static void derived(const struct mech *m, CK_KEY_TYPE type)
{
	const struct pair *p = pair_for(type);
	struct attrset *made, *t = set_new(CKO_SECRET_KEY, CKK_AES);
	const struct attrset *base = key_for(type, USE_DECRYPT, &made);
	struct buf out = { 0 };

	if (p != NULL) {
		struct span point = attrset_bytes(p->pub, CKA_EC_POINT);

		memcpy(&ecdh.pPublicData, &point.p, sizeof(point.p));
		ecdh.ulPublicDataLen = point.n;
	}
	set_put_ulong(t, CKA_VALUE_LEN, 32);
	assert_int_equal(derive(call_of(m), base, t, &out), OK);
	assert_int_equal(out.n, 32);
	buf_free(&out);
	attrset_free(t);
	attrset_free(made);
}

/* Pairs are generated by up() already. */
static void test_makes(void **state)
{
	(void)state;
	for (size_t i = 0; i < mech_count(); i++) {
		const struct mech *m = mech_at(i);

		if (m->flags & CKF_GENERATE)
			generated(m);
		if (m->flags & CKF_DERIVE) {
			derived(m, m->key_type);
			derived(m, m->key_type2);
		}
		if (m->flags & CKF_GENERATE_KEY_PAIR)
			assert_non_null(pair_for(m->key_type));
	}
}

/* What a row has no op for. */
static void test_no_make(void **state)
{
	const struct mech *m = mech_find(CKM_SHA256);
	struct attrset *a = attrset_new(false);
	struct param par = { 0 };

	(void)state;
	assert_int_equal(mech_generate(m, &par, a, a), E_MECHANISM);
	assert_int_equal(mech_generate_pair(m, &par, a, a, a, a), E_MECHANISM);
	assert_int_equal(mech_derive(m, &par, NULL, NULL, a, a), E_MECHANISM);
	attrset_free(a);
}

static void test_profiles(void **state)
{
	size_t standard = mech_count(), approved;

	(void)state;
	mech_profile_set(PROFILE_APPROVED);
	approved = mech_count();
	assert_true(approved > 0 && approved < standard);
	for (size_t i = 0; i < approved; i++)
		assert_true(mech_at(i)->traits & MECH_APPROVED);
	assert_null(mech_find(CKM_AES_KEY_WRAP_PKCS7));
	assert_non_null(mech_find(CKM_AES_KEY_WRAP_KWP));
	mech_profile_set(PROFILE_INTEROP);
	assert_true(mech_count() >= standard);
	mech_profile_set(PROFILE_STANDARD);
	assert_int_equal(mech_count(), standard);
	for (size_t i = 0; i < standard; i++)
		assert_false(mech_at(i)->traits & MECH_INTEROP);
}

/* Key sizes at the edges of a row, and beyond. */
static void test_key_sizes(void **state)
{
	struct attrset *generic = set_new(CKO_SECRET_KEY, CKK_GENERIC_SECRET);
	struct mech narrow = *mech_find(CKM_SHA256_HMAC);
	struct buf out = { 0 };

	(void)state;
	set_put(generic, CKA_VALUE, span(secret, 1));
	assert_int_equal(work((struct call){ CKM_SHA256_HMAC, NULL, 0 }, USE_SIGN, generic,
			      span(text, 1), 0, &out),
			 OK);
	narrow.min_key = 2;
	assert_int_equal(try_begin(&narrow, USE_SIGN, generic), E_KEY_SIZE);
	narrow.min_key = 0;
	narrow.max_key = 0; /* no range: and then it is not of the registry, which is noticed too */
	assert_int_equal(try_begin(&narrow, USE_SIGN, generic), E_MECHANISM);
	buf_free(&out);
	attrset_free(generic);
}

/* An error at begin leaves the run idle and the parameter freed. */
static void test_begin_fails(void **state)
{
	const struct mech *m = mech_find(CKM_AES_GCM);
	CK_GCM_PARAMS s = { iv, 12, 0, text, 200, 128 };
	CK_MECHANISM mech = { CKM_AES_GCM, &s, sizeof(s) };
	struct attrset *a = secret_for(CKK_GENERIC_SECRET);
	struct key *k = key_of(a);
	struct param par = { 0 }, zero = { 0 };
	struct run r = { 0 };

	(void)state;
	assert_int_equal(param_take(m, &mech, &par), OK);
	assert_int_equal(run_begin(&r, m, USE_ENCRYPT, k, &par), E_KEY_TYPE);
	assert_memory_equal(&par, &zero, sizeof(par));
	assert_null(r.mech);
	assert_null(r.key);
	run_free(&r);
	key_unref(k);
	attrset_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),     cmocka_unit_test(test_walk),
		cmocka_unit_test(test_unlisted),  cmocka_unit_test(test_makes),
		cmocka_unit_test(test_no_make),   cmocka_unit_test(test_profiles),
		cmocka_unit_test(test_key_sizes), cmocka_unit_test(test_begin_fails),
		cmocka_unit_test(test_bounds),
	};

	return cmocka_run_group_tests(tests, up, down);
}
