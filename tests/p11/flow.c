/* SPDX-License-Identifier: Apache-2.0 */
#include "flow.h"

#include "base/names.h"

const struct flow_row flow_rows[] = {
	{ "sha1", FLOW_DIGEST, KEY_NONE, CKM_SHA_1, 300, true, false },
	{ "sha256", FLOW_DIGEST, KEY_NONE, CKM_SHA256, 300, true, false },
	{ "sha512", FLOW_DIGEST, KEY_NONE, CKM_SHA512, 300, true, false },
	{ "sha3-384", FLOW_DIGEST, KEY_NONE, CKM_SHA3_384, 300, true, false },

	{ "sign rsa-pkcs", FLOW_SIGN, KEY_RSA, CKM_RSA_PKCS, 32, false, false },
	{ "sign rsa-raw", FLOW_SIGN, KEY_RSA, CKM_RSA_X_509, 128, false, false },
	{ "sign rsa-pss", FLOW_SIGN, KEY_RSA, CKM_RSA_PKCS_PSS, 32, false, false },
	{ "sign sha256-rsa-pkcs", FLOW_SIGN, KEY_RSA, CKM_SHA256_RSA_PKCS, 300, true, false },
	{ "sign sha256-rsa-pss", FLOW_SIGN, KEY_RSA, CKM_SHA256_RSA_PKCS_PSS, 300, true, false },
	{ "sign ecdsa", FLOW_SIGN, KEY_P256, CKM_ECDSA, 32, false, false },
	{ "sign ecdsa-sha256", FLOW_SIGN, KEY_P256, CKM_ECDSA_SHA256, 300, true, false },
	{ "sign eddsa", FLOW_SIGN, KEY_ED25519, CKM_EDDSA, 300, true, false },
	{ "sign ml-dsa", FLOW_SIGN, KEY_MLDSA, CKM_ML_DSA, 300, true, false },
	{ "sign hmac", FLOW_SIGN, KEY_HMAC, CKM_SHA256_HMAC, 300, true, false },
	{ "sign cmac", FLOW_SIGN, KEY_AES, CKM_AES_CMAC, 300, true, false },

	{ "recover rsa-pkcs", FLOW_SIGN_RECOVER, KEY_RSA, CKM_RSA_PKCS, 32, false, false },
	{ "recovered rsa-pkcs", FLOW_VERIFY_RECOVER, KEY_RSA, CKM_RSA_PKCS, 32, false, false },
	{ "recovered rsa-raw", FLOW_VERIFY_RECOVER, KEY_RSA, CKM_RSA_X_509, 128, false, false },

	{ "encrypt rsa-pkcs", FLOW_ENCRYPT, KEY_RSA, CKM_RSA_PKCS, 32, false, false },
	{ "encrypt rsa-oaep", FLOW_ENCRYPT, KEY_RSA, CKM_RSA_PKCS_OAEP, 32, false, false },
	{ "encrypt aes-ecb", FLOW_ENCRYPT, KEY_AES, CKM_AES_ECB, 320, true, true },
	{ "encrypt aes-cbc", FLOW_ENCRYPT, KEY_AES, CKM_AES_CBC, 320, true, true },
	{ "encrypt aes-cbc-pad", FLOW_ENCRYPT, KEY_AES, CKM_AES_CBC_PAD, 300, true, true },
	{ "encrypt aes-ctr", FLOW_ENCRYPT, KEY_AES, CKM_AES_CTR, 300, true, true },
	{ "encrypt aes-gcm", FLOW_ENCRYPT, KEY_AES, CKM_AES_GCM, 300, true, true },
	{ "encrypt aes-ccm", FLOW_ENCRYPT, KEY_AES, CKM_AES_CCM, 300, true, false },
	{ "encrypt aes-kwp", FLOW_ENCRYPT, KEY_AES, CKM_AES_KEY_WRAP_KWP, 37, false, false },

	{ "decrypt rsa-pkcs", FLOW_DECRYPT, KEY_RSA, CKM_RSA_PKCS, 32, false, false },
	{ "decrypt rsa-oaep", FLOW_DECRYPT, KEY_RSA, CKM_RSA_PKCS_OAEP, 32, false, false },
	{ "decrypt rsa-raw", FLOW_DECRYPT, KEY_RSA, CKM_RSA_X_509, 128, false, false },
	{ "decrypt aes-ecb", FLOW_DECRYPT, KEY_AES, CKM_AES_ECB, 320, true, true },
	{ "decrypt aes-cbc", FLOW_DECRYPT, KEY_AES, CKM_AES_CBC, 320, true, true },
	{ "decrypt aes-cbc-pad", FLOW_DECRYPT, KEY_AES, CKM_AES_CBC_PAD, 300, true, true },
	{ "decrypt aes-ctr", FLOW_DECRYPT, KEY_AES, CKM_AES_CTR, 300, true, true },
	{ "decrypt aes-gcm", FLOW_DECRYPT, KEY_AES, CKM_AES_GCM, 300, true, false },
	{ "decrypt aes-ccm", FLOW_DECRYPT, KEY_AES, CKM_AES_CCM, 300, true, false },
	{ "decrypt aes-kwp", FLOW_DECRYPT, KEY_AES, CKM_AES_KEY_WRAP_KWP, 37, false, false },
};
const size_t flow_rows_n = LENGTH(flow_rows);

/* ---- the functions of a kind ---- */

/* Members of the list, by their offset: p11 is known only when the module is loaded. */
struct calls {
	size_t init, once, update, final;
	bool no_output; /* Update has none */
	CK_FLAGS flag;
};

#define AT(name) offsetof(CK_FUNCTION_LIST_3_2, name)

static const struct calls calls[] = {
	[FLOW_ENCRYPT] = { AT(C_EncryptInit), AT(C_Encrypt), AT(C_EncryptUpdate),
			   AT(C_EncryptFinal), false, CKF_ENCRYPT },
	[FLOW_DECRYPT] = { AT(C_DecryptInit), AT(C_Decrypt), AT(C_DecryptUpdate),
			   AT(C_DecryptFinal), false, CKF_DECRYPT },
	[FLOW_DIGEST] = { 0, AT(C_Digest), AT(C_DigestUpdate), AT(C_DigestFinal), true,
			  CKF_DIGEST },
	[FLOW_SIGN] = { AT(C_SignInit), AT(C_Sign), AT(C_SignUpdate), AT(C_SignFinal), true,
			CKF_SIGN },
	[FLOW_SIGN_RECOVER] = { AT(C_SignRecoverInit), AT(C_SignRecover), 0, 0, true,
				CKF_SIGN_RECOVER },
	[FLOW_VERIFY_RECOVER] = { AT(C_VerifyRecoverInit), AT(C_VerifyRecover), 0, 0, true,
				  CKF_VERIFY_RECOVER },
};

static const struct calls *calls_of(const struct flow *f)
{
	return &calls[f->row->kind];
}

/* The functions of the kinds have the same types but for their names. */
#define CALL(type, offset) (*(type *)(void *)((char *)p11 + (offset)))

static CK_RV init_with(struct flow *f, CK_MECHANISM *m)
{
	if (f->row->kind == FLOW_DIGEST)
		return p11->C_DigestInit(f->s, m);
	return CALL(CK_C_SignInit, calls_of(f)->init)(f->s, m, f->key);
}

CK_RV flow_init(struct flow *f)
{
	return init_with(f, &f->m);
}

CK_RV flow_cancel(struct flow *f)
{
	return init_with(f, NULL);
}

CK_RV flow_once(struct flow *f, CK_BYTE *in, CK_ULONG n, CK_BYTE *out, CK_ULONG *out_n)
{
	return CALL(CK_C_Sign, calls_of(f)->once)(f->s, in, n, out, out_n);
}

CK_RV flow_update(struct flow *f, CK_BYTE *in, CK_ULONG n, CK_BYTE *out, CK_ULONG *out_n)
{
	if (!calls_of(f)->no_output)
		return CALL(CK_C_EncryptUpdate, calls_of(f)->update)(f->s, in, n, out, out_n);
	if (out_n != NULL)
		*out_n = 0;
	return CALL(CK_C_SignUpdate, calls_of(f)->update)(f->s, in, n);
}

CK_RV flow_final(struct flow *f, CK_BYTE *out, CK_ULONG *out_n)
{
	return CALL(CK_C_SignFinal, calls_of(f)->final)(f->s, out, out_n);
}

CK_FLAGS flow_flag_of(enum flow_kind kind)
{
	return calls[kind].flag;
}

CK_FLAGS flow_flag(const struct flow *f)
{
	return flow_flag_of(f->row->kind);
}

/* ---- parameters ---- */

static CK_BYTE iv16[16] = { 1, 2, 3 };
static CK_BYTE iv12[12] = { 4, 5, 6 };
static CK_BYTE aad[20] = { 7, 8, 9 };
static CK_BYTE nonce[12] = { 10, 11, 12 };
static CK_BYTE kwp_iv[4] = { 0xa6, 0x59, 0x59, 0xa6 };
static CK_RSA_PKCS_PSS_PARAMS pss = { CKM_SHA256, CKG_MGF1_SHA256, 32 };
static CK_RSA_PKCS_OAEP_PARAMS oaep = { CKM_SHA256, CKG_MGF1_SHA256, CKZ_DATA_SPECIFIED, NULL, 0 };
static CK_AES_CTR_PARAMS ctr = { 128, { 0xff, 0xff, 1 } };
static CK_GCM_PARAMS gcm = { iv12, 12, 96, aad, sizeof(aad), 128 };
static CK_CCM_PARAMS ccm = { 300, nonce, sizeof(nonce), aad, sizeof(aad), 16 };

static const struct {
	CK_MECHANISM_TYPE type;
	void *p;
	CK_ULONG n;
	bool random; /* the result differs from time to time */
} params[] = {
	{ CKM_RSA_PKCS_PSS, &pss, sizeof(pss), true },
	{ CKM_SHA256_RSA_PKCS_PSS, &pss, sizeof(pss), true },
	{ CKM_RSA_PKCS_OAEP, &oaep, sizeof(oaep), true },
	{ CKM_ECDSA, NULL, 0, true },
	{ CKM_ECDSA_SHA256, NULL, 0, true },
	{ CKM_ML_DSA, NULL, 0, true },
	{ CKM_AES_CBC, iv16, sizeof(iv16), false },
	{ CKM_AES_CBC_PAD, iv16, sizeof(iv16), false },
	{ CKM_AES_CTR, &ctr, sizeof(ctr), false },
	{ CKM_AES_GCM, &gcm, sizeof(gcm), false },
	{ CKM_AES_CCM, &ccm, sizeof(ccm), false },
	{ CKM_AES_KEY_WRAP_KWP, kwp_iv, sizeof(kwp_iv), false },
};

static void choose_mechanism(struct flow *f)
{
	const struct flow_row *r = f->row;

	f->m = mechanism(r->mech, NULL, 0);
	f->random = r->kind == FLOW_ENCRYPT && r->mech == CKM_RSA_PKCS;
	for (size_t i = 0; i < LENGTH(params); i++) {
		if (params[i].type != r->mech)
			continue;
		f->m = mechanism(r->mech, params[i].p, params[i].n);
		f->random = params[i].random;
	}
}

/* ---- keys ---- */

/* What the pair needs for this kind; decrypting rows encrypt their input first. */
static struct pair make_pair(struct flow *f)
{
	static const CK_ATTRIBUTE_TYPE pub_use[] = {
		[FLOW_ENCRYPT] = CKA_ENCRYPT,
		[FLOW_DECRYPT] = CKA_ENCRYPT,
		[FLOW_SIGN] = CKA_VERIFY,
		[FLOW_SIGN_RECOVER] = CKA_VERIFY_RECOVER,
		[FLOW_VERIFY_RECOVER] = CKA_VERIFY_RECOVER,
	};
	static const CK_ATTRIBUTE_TYPE priv_use[] = {
		[FLOW_ENCRYPT] = CKA_DECRYPT,
		[FLOW_DECRYPT] = CKA_DECRYPT,
		[FLOW_SIGN] = CKA_SIGN,
		[FLOW_SIGN_RECOVER] = CKA_SIGN_RECOVER,
		[FLOW_VERIFY_RECOVER] = CKA_SIGN_RECOVER,
	};
	struct templ pub = { 0 }, priv = { 0 };

	templ_flags(&pub, pub_use[f->row->kind]);
	templ_flags(&priv, priv_use[f->row->kind]);
	switch (f->row->key) {
	case KEY_RSA: return p11_rsa(f->s, 1024, &pub, &priv);
	case KEY_P256: return p11_p256(f->s, &pub, &priv);
	case KEY_ED25519: return p11_ed25519(f->s, &pub, &priv);
	default: return p11_mldsa(f->s, CKP_ML_DSA_44, &pub, &priv);
	}
}

static struct pair make_keys(struct flow *f)
{
	struct pair k = { 0, 0 };

	if (f->row->key == KEY_NONE)
		return k;
	if (f->row->key == KEY_AES)
		k.pub = p11_secret(f->s, CKM_AES_KEY_GEN, 32, CKA_ENCRYPT, CKA_DECRYPT, CKA_SIGN);
	else if (f->row->key == KEY_HMAC)
		k.pub = p11_secret(f->s, CKM_GENERIC_SECRET_KEY_GEN, 32, CKA_SIGN);
	else
		return make_pair(f);
	k.priv = k.pub;
	return k;
}

/* ---- input and expected output ---- */

/* Makes the input of a reversing kind from plain input, by the kind that it reverses. */
static void reverse(struct flow *f, enum flow_kind forward, CK_OBJECT_HANDLE forward_key)
{
	struct flow_row row = *f->row;
	const struct flow_row *mine = f->row;
	CK_OBJECT_HANDLE key = f->key;

	memcpy(f->want, f->in, f->n);
	f->want_n = f->n;
	row.kind = forward;
	f->row = &row;
	f->key = forward_key;
	f->n = sizeof(f->in);
	assert_ok(flow_init(f));
	assert_ok(flow_once(f, f->want, f->want_n, f->in, &f->n));
	f->row = mine;
	f->key = key;
	f->random = false;
}

/* Whether the kind reverses another, which then made the input; f->want is what went into that. */
static bool reversed(struct flow *f, const struct pair *k)
{
	if (f->row->kind == FLOW_DECRYPT)
		reverse(f, FLOW_ENCRYPT, k->pub);
	else if (f->row->kind == FLOW_VERIFY_RECOVER)
		reverse(f, FLOW_SIGN_RECOVER, k->priv);
	else
		return false;
	return true;
}

static CK_ULONG result(struct flow *f, CK_BYTE *out, CK_ULONG room)
{
	assert_ok(flow_init(f));
	assert_ok(flow_once(f, f->in, f->n, out, &room));
	return room;
}

/* The first byte is 0: raw RSA wants less than the modulus. */
static void fill_input(struct flow *f, CK_ULONG n)
{
	f->n = n;
	for (CK_ULONG i = 1; i < n; i++)
		f->in[i] = (CK_BYTE)(i * 7);
}

static void choose_key(struct flow *f, const struct pair *k)
{
	bool pub = f->row->kind == FLOW_ENCRYPT || f->row->kind == FLOW_VERIFY_RECOVER;

	f->key = pub ? k->pub : k->priv;
}

void flow_make(struct flow *f, const struct flow_row *row, CK_SESSION_HANDLE s)
{
	struct pair k;

	memset(f, 0, sizeof(*f));
	f->row = row;
	f->s = s;
	choose_mechanism(f);
	k = make_keys(f);
	choose_key(f, &k);
	fill_input(f, row->in);
	if (!reversed(f, &k))
		f->want_n = result(f, f->want, sizeof(f->want));
}

/* ---- any mechanism ---- */

/* What the key may do: for a reversing kind, what it reverses, too. */
static CK_FLAGS uses(enum flow_kind kind)
{
	static const CK_FLAGS others[FLOW_KINDS] = {
		[FLOW_DECRYPT] = CKF_ENCRYPT,
		[FLOW_VERIFY_RECOVER] = CKF_SIGN_RECOVER,
	};

	return flow_flag_of(kind) | others[kind];
}

static bool has_parts(struct flow *f)
{
	CK_ULONG n = sizeof(f->want);
	CK_RV rv;

	if (calls_of(f)->update == 0)
		return false;
	assert_ok(flow_init(f));
	rv = flow_update(f, NULL, 0, f->want, &n);
	assert_rv_of(rv, CKR_OK, CKR_OPERATION_NOT_INITIALIZED);
	assert_ok(flow_cancel(f));
	return rv == CKR_OK;
}

void flow_cook(struct flow *f, struct flow_row *row, enum flow_kind kind, CK_MECHANISM_TYPE type)
{
	static CK_BYTE again[FLOW_MAX];
	static struct dish d; /* f->m points into it */

	recipe_cook(&d, type, uses(kind));
	memset(f, 0, sizeof(*f));
	*row = (struct flow_row){ .name = name_of(NAME_CKM, type), .kind = kind, .mech = type };
	f->row = row;
	f->s = p11_session();
	f->m = d.m;
	choose_key(f, &d.k);
	fill_input(f, d.in);
	(void)reversed(f, &d.k);
	row->multi = has_parts(f);
	f->want_n = result(f, f->want, sizeof(f->want));
	assert_int_equal(result(f, again, sizeof(again)), f->want_n);
	f->random = memcmp(again, f->want, f->want_n) != 0;
}

void flow_check(struct flow *f, const CK_BYTE *out, CK_ULONG n)
{
	assert_int_equal(n, f->want_n);
	if (!f->random)
		assert_memory_equal(out, f->want, n);
}
