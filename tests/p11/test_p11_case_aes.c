/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of AES mechanisms (docs/CASES.md): B017 GCM, B018 key wrapping. libcrypto is the second opinion. */
#include "case.h"

static const CK_BYTE key_bytes[32] = { 1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
				       12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
				       23, 24, 25, 26, 27, 28, 29, 30, 31 };
static CK_BYTE data[100] = "a message that is longer than some blocks of the cipher",
	       iv[300] = "iv", aad[] = "header", out[8192], back[8192];

/* ---- B017: GCM ---- */

/* What programs pass that were built against headers without ulIvBits. */
struct gcm_short {
	CK_BYTE_PTR pIv;
	CK_ULONG ulIvLen;
	CK_BYTE_PTR pAAD;
	CK_ULONG ulAADLen;
	CK_ULONG ulTagBits;
};

static CK_OBJECT_HANDLE gcm_key(void)
{
	return case_secret(p11_session(), CKK_AES, key_bytes, 32, CKA_ENCRYPT, CKA_DECRYPT);
}

static CK_ULONG gcm_encrypt(CK_OBJECT_HANDLE key, CK_MECHANISM m)
{
	CK_ULONG n = sizeof(out);

	assert_ok(p11->C_EncryptInit(p11_session(), &m, key));
	assert_ok(p11->C_Encrypt(p11_session(), data, sizeof(data), out, &n));
	return n;
}

static CK_RV gcm_decrypt(CK_OBJECT_HANDLE key, CK_MECHANISM m, CK_ULONG n)
{
	CK_ULONG back_n = sizeof(back);
	CK_RV rv;

	memset(back, 0xee, sizeof(back));
	assert_ok(p11->C_DecryptInit(p11_session(), &m, key));
	rv = p11->C_Decrypt(p11_session(), out, n, back, &back_n);
	if (rv != CKR_OK)
		return rv;
	assert_int_equal(back_n, sizeof(data));
	assert_memory_equal(back, data, sizeof(data));
	return CKR_OK;
}

/* libcrypto's answer to the same. */
static void expect_gcm(const CK_GCM_PARAMS *p, CK_ULONG n)
{
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	CK_BYTE want[sizeof(data) + 16];
	size_t tag = p->ulTagBits / 8;
	int len;

	assert_int_equal(EVP_EncryptInit_ex(ctx, EVP_aes_256_gcm(), NULL, NULL, NULL), 1);
	assert_int_equal(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, (int)p->ulIvLen, NULL),
			 1);
	assert_int_equal(EVP_EncryptInit_ex(ctx, NULL, NULL, key_bytes, p->pIv), 1);
	if (p->ulAADLen != 0)
		assert_int_equal(EVP_EncryptUpdate(ctx, NULL, &len, p->pAAD, (int)p->ulAADLen), 1);
	assert_int_equal(EVP_EncryptUpdate(ctx, want, &len, data, sizeof(data)), 1);
	assert_int_equal(EVP_EncryptFinal_ex(ctx, want + len, &len), 1);
	assert_int_equal(
		EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, (int)tag, want + sizeof(data)), 1);
	EVP_CIPHER_CTX_free(ctx);
	assert_int_equal(n, sizeof(data) + tag);
	assert_memory_equal(out, want, n);
}

/* All IV lengths but none, whatever ulIvBits says, in both forms of the structure, with AAD and without. */
static void test_B017_gcm_ivs_and_forms(void **state)
{
	static const CK_ULONG lengths[] = { 1, 8, 12, 13, 16, 64, 128, 256 };
	static const CK_ULONG garbage[] = { 0, 96, 7, ~0UL };
	CK_OBJECT_HANDLE key = gcm_key();

	(void)state;
	for (size_t i = 0; i < LENGTH(lengths); i++) {
		bool header = i % 2 == 0;
		CK_GCM_PARAMS p = { iv,
				    lengths[i],
				    garbage[i % LENGTH(garbage)],
				    header ? aad : NULL,
				    header ? sizeof(aad) : 0,
				    128 };
		struct gcm_short old = { p.pIv, p.ulIvLen, p.pAAD, p.ulAADLen, p.ulTagBits };
		CK_MECHANISM m = mechanism(CKM_AES_GCM, &p, sizeof(p)),
			     m_old = mechanism(CKM_AES_GCM, &old, sizeof(old));
		CK_ULONG n = gcm_encrypt(key, m);

		if (lengths[i] <= 128) /* libcrypto's own limit */
			expect_gcm(&p, n);
		assert_ok(gcm_decrypt(key, m, n));
		assert_ok(gcm_decrypt(key, m_old, n));
	}
}

/* No IV, a tag of a size that SP 800-38D does not have, a pointer that is missing: refused at Init, both ways. */
static void test_B017_gcm_refusals(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE key = gcm_key();
	const CK_GCM_PARAMS bad[] = {
		{ iv, 0, 0, NULL, 0, 128 },     { NULL, 0, 0, NULL, 0, 128 },
		{ NULL, 12, 96, NULL, 0, 128 }, { iv, 12, 96, NULL, 5, 128 },
		{ iv, 12, 96, NULL, 0, 0 },     { iv, 12, 96, NULL, 0, 4 },
		{ iv, 12, 96, NULL, 0, 8 },     { iv, 12, 96, NULL, 0, 33 },
		{ iv, 12, 96, NULL, 0, 72 },    { iv, 12, 96, NULL, 0, 88 },
		{ iv, 12, 96, NULL, 0, 100 },   { iv, 12, 96, NULL, 0, 129 },
		{ iv, 12, 96, NULL, 0, 136 },   { iv, 12, 96, NULL, 0, ~0UL },
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(bad); i++) {
		CK_GCM_PARAMS p = bad[i];
		CK_MECHANISM m = mechanism(CKM_AES_GCM, &p, sizeof(p));

		assert_rv(p11->C_EncryptInit(s, &m, key), CKR_MECHANISM_PARAM_INVALID);
		assert_rv(p11->C_DecryptInit(s, &m, key), CKR_MECHANISM_PARAM_INVALID);
	}
	CK_GCM_PARAMS p = { iv, 12, 96, NULL, 0, 128 };
	/* a third form, CK_GCM_WRAP_PARAMS, is 8 bytes longer; what claims to be as long must be as long */
	for (CK_ULONG n = 0; n < sizeof(p) + 8; n += 4) {
		CK_BYTE room[sizeof(p) + 8] = { 0 };
		CK_MECHANISM m = mechanism(CKM_AES_GCM, room, n);

		memcpy(room, &p, sizeof(p));
		if (n == sizeof(p) || n == sizeof(struct gcm_short))
			continue;
		assert_rv(p11->C_EncryptInit(s, &m, key), CKR_MECHANISM_PARAM_INVALID);
	}
}

/* Each size of tag that SP 800-38D has is made and checked; a changed bit anywhere gives an error and no plaintext. */
static void test_B017_gcm_tags(void **state)
{
	static const CK_ULONG tags[] = { 32, 64, 96, 104, 112, 120, 128 };
	CK_OBJECT_HANDLE key = gcm_key();

	(void)state;
	for (size_t i = 0; i < LENGTH(tags); i++) {
		CK_GCM_PARAMS p = { iv, 12, 96, aad, sizeof(aad), tags[i] };
		CK_MECHANISM m = mechanism(CKM_AES_GCM, &p, sizeof(p));
		CK_ULONG n = gcm_encrypt(key, m);

		expect_gcm(&p, n);
		assert_ok(gcm_decrypt(key, m, n));
		for (CK_ULONG at = 0; at < n; at += n - at == 1 ? 1 : (n - at) / 2) {
			out[at] ^= 0x10;
			assert_rv_of(gcm_decrypt(key, m, n), CKR_ENCRYPTED_DATA_INVALID,
				     CKR_AEAD_DECRYPT_FAILED);
			for (size_t b = 0; b < sizeof(data); b++)
				assert_true(back[b] == 0xee || back[b] == 0);
			out[at] ^= 0x10;
		}
		aad[0] ^= 1;
		assert_rv_of(gcm_decrypt(key, m, n), CKR_ENCRYPTED_DATA_INVALID,
			     CKR_AEAD_DECRYPT_FAILED);
		aad[0] ^= 1;
		assert_rv_of(gcm_decrypt(key, m, tags[i] / 8 - 1), CKR_ENCRYPTED_DATA_LEN_RANGE,
			     CKR_ENCRYPTED_DATA_INVALID);
	}
}

/* Asking for the length ends nothing; nothing comes out of C_DecryptUpdate; input and output may be one buffer. */
static void test_B017_gcm_decrypting_in_parts(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE key = gcm_key();
	CK_GCM_PARAMS p = { iv, 12, 96, NULL, 0, 128 };
	CK_MECHANISM m = mechanism(CKM_AES_GCM, &p, sizeof(p));
	CK_ULONG n = gcm_encrypt(key, m), back_n = 0;

	(void)state;
	assert_ok(p11->C_DecryptInit(s, &m, key));
	assert_ok(p11->C_Decrypt(s, out, n, NULL, &back_n));
	assert_true(back_n >= sizeof(data));
	assert_ok(p11->C_Decrypt(s, out, n, out, &back_n)); /* in place */
	assert_int_equal(back_n, sizeof(data));
	assert_memory_equal(out, data, sizeof(data));
	n = gcm_encrypt(key, m);
	for (int damaged = 0; damaged <= 1; damaged++) {
		out[n - 1] ^= (CK_BYTE)damaged;
		assert_ok(p11->C_DecryptInit(s, &m, key));
		for (CK_ULONG done = 0; done < n; done += 29) {
			back_n = sizeof(back);
			assert_ok(p11->C_DecryptUpdate(s, out + done, n - done < 29 ? n - done : 29,
						       back, &back_n));
			assert_int_equal(back_n, 0);
		}
		back_n = sizeof(back);
		memset(back, 0xee, sizeof(back));
		if (damaged)
			assert_rv_of(p11->C_DecryptFinal(s, back, &back_n),
				     CKR_ENCRYPTED_DATA_INVALID, CKR_AEAD_DECRYPT_FAILED);
		else
			assert_ok(p11->C_DecryptFinal(s, back, &back_n));
		assert_int_equal(memcmp(back, data, sizeof(data)) == 0, !damaged);
	}
}

/* ---- B018: wrapping ---- */

static CK_GCM_PARAMS wrap_gcm = { iv, 12, 96, NULL, 0, 128 };

static const struct wrap_row {
	CK_MECHANISM_TYPE mech;
	void *param;
	CK_ULONG param_n;
} wraps[] = {
	{ CKM_AES_KEY_WRAP, NULL, 0 },     { CKM_AES_KEY_WRAP_KWP, NULL, 0 },
	{ CKM_AES_KEY_WRAP_PAD, NULL, 0 }, { CKM_AES_KEY_WRAP_PKCS7, NULL, 0 },
	{ CKM_AES_CBC_PAD, iv, 16 },       { CKM_AES_GCM, &wrap_gcm, sizeof(wrap_gcm) },
};

/* What was unwrapped can be read and compared: the default policy would refuse that. */
static int setup_compat(void **state)
{
	return p11_setup_configured(state, "[token]\ncompat = on\n");
}

static CK_MECHANISM wrap_mechanism(size_t i)
{
	return mechanism(wraps[i].mech, wraps[i].param, wraps[i].param_n);
}

static CK_OBJECT_HANDLE kek_of(CK_SESSION_HANDLE s)
{
	return case_secret(s, CKK_AES, key_bytes, 32, CKA_WRAP, CKA_UNWRAP);
}

static CK_RV unwrap_secret(size_t i, CK_OBJECT_HANDLE kek, CK_ULONG n, CK_ULONG len,
			   CK_OBJECT_HANDLE *h)
{
	CK_MECHANISM m = wrap_mechanism(i);
	struct templ t = { 0 };

	templ_ulong(&t, CKA_CLASS, CKO_SECRET_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, CKK_GENERIC_SECRET);
	templ_bool(&t, CKA_SENSITIVE, false);
	templ_bool(&t, CKA_EXTRACTABLE, true);
	if (len != 0)
		templ_ulong(&t, CKA_VALUE_LEN, len);
	return p11->C_UnwrapKey(p11_session(), &m, kek, out, n, t.a, t.n, h);
}

static CK_ULONG wrap_with(size_t i, CK_OBJECT_HANDLE kek, CK_OBJECT_HANDLE key)
{
	CK_MECHANISM m = wrap_mechanism(i);
	CK_ULONG n = sizeof(out);

	assert_ok(p11->C_WrapKey(p11_session(), &m, kek, key, out, &n));
	return n;
}

/* Secrets of any length come back the same; a length that contradicts the blob does not. */
static void test_B018_secrets_round_trip(void **state)
{
	static const CK_ULONG lengths[] = { 16, 20, 32 };
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE kek = kek_of(s), h;

	(void)state;
	for (size_t l = 0; l < LENGTH(lengths); l++) {
		CK_OBJECT_HANDLE key =
			case_secret(s, CKK_GENERIC_SECRET, data, lengths[l], CKA_SIGN);

		for (size_t i = 0; i < LENGTH(wraps); i++) {
			CK_ULONG n = wrap_with(i, kek, key);

			assert_ok(unwrap_secret(i, kek, n, lengths[l], &h));
			assert_int_equal(p11_get_bytes(s, h, CKA_VALUE, back, sizeof(back)),
					 lengths[l]);
			assert_memory_equal(back, data, lengths[l]);
			assert_rv(unwrap_secret(i, kek, n, 200, &h), CKR_WRAPPED_KEY_LEN_RANGE);
		}
	}
}

/* A changed bit is found, but where the mechanism has no check of its own. */
static void test_B018_damage(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE kek = kek_of(s), h,
			 key = case_secret(s, CKK_GENERIC_SECRET, data, 32, CKA_SIGN);
	CK_ULONG before;

	(void)state;
	before = case_objects(s);
	for (size_t i = 0; i < LENGTH(wraps); i++) {
		CK_ULONG n = wrap_with(i, kek, key);

		if (wraps[i].mech == CKM_AES_CBC_PAD)
			continue;
		for (CK_ULONG bit = 0; bit < 8 * n; bit += 7) {
			out[bit / 8] ^= (CK_BYTE)(1 << bit % 8);
			assert_rv(unwrap_secret(i, kek, n, 0, &h), CKR_WRAPPED_KEY_INVALID);
			out[bit / 8] ^= (CK_BYTE)(1 << bit % 8);
		}
		assert_rv_of(unwrap_secret(i, kek, n - 1, 0, &h), CKR_WRAPPED_KEY_LEN_RANGE,
			     CKR_WRAPPED_KEY_INVALID);
		assert_rv(unwrap_secret(i, kek, 0, 0, &h), CKR_WRAPPED_KEY_LEN_RANGE);
	}
	assert_int_equal(case_objects(s), before);
}

static int libcrypto_unwraps(const EVP_CIPHER *c, CK_ULONG n)
{
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	int len = 0;

	EVP_CIPHER_CTX_set_flags(ctx, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
	assert_int_equal(EVP_DecryptInit_ex(ctx, c, NULL, key_bytes, NULL), 1);
	assert_int_equal(EVP_DecryptUpdate(ctx, back, &len, out, (int)n), 1);
	EVP_CIPHER_CTX_free(ctx);
	return len;
}

/* KWP is RFC 5649; the other two padded ones are one mechanism: PKCS#7 padding, then RFC 3394. */
static void test_B018_what_the_names_mean(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE kek = kek_of(s),
			 key = case_secret(s, CKK_GENERIC_SECRET, data, 20, CKA_SIGN), h;

	(void)state;
	assert_int_equal(libcrypto_unwraps(EVP_aes_256_wrap_pad(), wrap_with(1, kek, key)), 20);
	assert_memory_equal(back, data, 20);
	assert_int_equal(libcrypto_unwraps(EVP_aes_256_wrap(), wrap_with(0, kek, key)), 24);
	assert_memory_equal(back, data, 20);
	assert_memory_equal(back + 20, "\0\0\0\0", 4);
	for (size_t i = 2; i <= 3; i++) {
		CK_ULONG n = wrap_with(i, kek, key);

		assert_int_equal(libcrypto_unwraps(EVP_aes_256_wrap(), n), 24);
		assert_memory_equal(back, data, 20);
		assert_memory_equal(back + 20, "\4\4\4\4", 4);
		assert_ok(
			unwrap_secret(5 - i, kek, n, 0, &h)); /* each reads what the other wrote */
	}
}

/* The IV is left out or has the mechanism's own length. */
static void test_B018_iv_lengths(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE kek = kek_of(s),
			 key = case_secret(s, CKK_GENERIC_SECRET, data, 24, CKA_SIGN);

	(void)state;
	for (size_t i = 0; i < 4; i++)
		for (CK_ULONG len = 0; len <= 16; len++) {
			CK_ULONG own = wraps[i].mech == CKM_AES_KEY_WRAP_KWP ? 4 : 8,
				 n = sizeof(out);
			CK_MECHANISM m = mechanism(wraps[i].mech, len != 0 ? iv : NULL, len);

			assert_rv(p11->C_WrapKey(s, &m, kek, key, out, &n),
				  len == 0 || len == own ? CKR_OK : CKR_MECHANISM_PARAM_INVALID);
		}
}

static struct templ *may_leave(struct templ *t)
{
	memset(t, 0, sizeof(*t));
	templ_flags(t, CKA_SIGN, CKA_EXTRACTABLE);
	return t;
}

/* Every mechanism carries private keys of every length, whatever the padding. */
static void carry(struct pair k, CK_KEY_TYPE type, CK_MECHANISM_TYPE sign)
{
	CK_SESSION_HANDLE s = p11_session();
	CK_OBJECT_HANDLE kek = kek_of(s), h;
	CK_MECHANISM how = mechanism(sign, NULL, 0);

	for (size_t i = 0; i < LENGTH(wraps); i++) {
		CK_MECHANISM m = wrap_mechanism(i);
		CK_ULONG n = wrap_with(i, kek, k.priv), sig_n = sizeof(back);
		struct templ t = { 0 };

		templ_ulong(&t, CKA_CLASS, CKO_PRIVATE_KEY);
		templ_ulong(&t, CKA_KEY_TYPE, type);
		templ_bool(&t, CKA_EXTRACTABLE, false);
		templ_flags(&t, CKA_SIGN);
		assert_ok(p11->C_UnwrapKey(s, &m, kek, out, n, t.a, t.n, &h));
		assert_ok(p11->C_SignInit(s, &how, h));
		assert_ok(p11->C_Sign(s, data, sizeof(data), back, &sig_n));
		assert_ok(p11->C_VerifyInit(s, &how, k.pub));
		assert_ok(p11->C_Verify(s, data, sizeof(data), back, sig_n));
	}
}

static void test_B018_private_keys(void **state)
{
	CK_SESSION_HANDLE s = p11_session();
	struct templ t;

	(void)state;
	carry(p11_rsa(s, 2048, NULL, may_leave(&t)), CKK_RSA, CKM_SHA256_RSA_PKCS);
	carry(p11_p256(s, NULL, may_leave(&t)), CKK_EC, CKM_ECDSA_SHA256);
	carry(p11_ed25519(s, NULL, may_leave(&t)), CKK_EC_EDWARDS, CKM_EDDSA);
	carry(p11_mldsa(s, CKP_ML_DSA_44, NULL, may_leave(&t)), CKK_ML_DSA, CKM_ML_DSA);
}

int main(void)
{
#define TEST(f)   cmocka_unit_test_setup_teardown(f, p11_setup_token, p11_teardown)
#define COMPAT(f) cmocka_unit_test_setup_teardown(f, setup_compat, p11_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_B017_gcm_ivs_and_forms),
		TEST(test_B017_gcm_refusals),
		TEST(test_B017_gcm_tags),
		TEST(test_B017_gcm_decrypting_in_parts),
		COMPAT(test_B018_secrets_round_trip),
		COMPAT(test_B018_damage),
		COMPAT(test_B018_what_the_names_mean),
		TEST(test_B018_iv_lengths),
		TEST(test_B018_private_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
