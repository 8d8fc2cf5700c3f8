/* SPDX-License-Identifier: Apache-2.0 */
/* Dual-function calls (3.2, 5.17), C_DigestKey (5.12.4), saved states (5.6.6, 5.6.7). */
#include "p11.h"

#define PART  48
#define PARTS 5

static CK_BYTE plain[PART * PARTS], cipher[PART * PARTS + 16], out[512];

struct work {
	CK_SESSION_HANDLE s;
	CK_OBJECT_HANDLE aes, mac;
};

static const CK_BYTE iv[16] = { 9, 8, 7 };

static CK_MECHANISM cbc(void)
{
	static CK_BYTE copy[16];

	memcpy(copy, iv, sizeof(iv));
	return mechanism(CKM_AES_CBC_PAD, copy, sizeof(copy));
}

static CK_MECHANISM sha256(void)
{
	return mechanism(CKM_SHA256, NULL, 0);
}

static CK_MECHANISM hmac(void)
{
	return mechanism(CKM_SHA256_HMAC, NULL, 0);
}

static struct work begin(void)
{
	struct work w = { .s = p11_session() };

	for (size_t i = 0; i < sizeof(plain); i++)
		plain[i] = (CK_BYTE)(i * 3);
	w.aes = p11_secret(w.s, CKM_AES_KEY_GEN, 32, CKA_ENCRYPT, CKA_DECRYPT);
	w.mac = p11_secret(w.s, CKM_GENERIC_SECRET_KEY_GEN, 32, CKA_SIGN, CKA_VERIFY);
	return w;
}

/* What the single functions give: the digest or MAC of the plaintext, and the ciphertext. */
static CK_ULONG plain_digest(struct work *w, CK_BYTE *p)
{
	CK_MECHANISM m = sha256();
	CK_ULONG n = 64;

	assert_ok(p11->C_DigestInit(w->s, &m));
	assert_ok(p11->C_Digest(w->s, plain, sizeof(plain), p, &n));
	return n;
}

static CK_ULONG plain_mac(struct work *w, CK_BYTE *p)
{
	CK_MECHANISM m = hmac();
	CK_ULONG n = 64;

	assert_ok(p11->C_SignInit(w->s, &m, w->mac));
	assert_ok(p11->C_Sign(w->s, plain, sizeof(plain), p, &n));
	return n;
}

static CK_ULONG encrypted(struct work *w)
{
	CK_MECHANISM m = cbc();
	CK_ULONG n = sizeof(cipher);

	assert_ok(p11->C_EncryptInit(w->s, &m, w->aes));
	assert_ok(p11->C_Encrypt(w->s, plain, sizeof(plain), cipher, &n));
	return n;
}

/*
 * All parts through one dual-function call; asks for the length and gives too little room first,
 * which takes nothing.
 */
static CK_ULONG through(CK_C_DigestEncryptUpdate call, CK_SESSION_HANDLE s, CK_BYTE *in, CK_ULONG n)
{
	CK_ULONG total = 0, got, need;

	for (CK_ULONG at = 0; at < n; at += PART) {
		CK_ULONG part = n - at < PART ? n - at : PART;

		assert_ok(call(s, in + at, part, NULL, &need));
		if (need > 0) {
			got = need - 1;
			assert_rv(call(s, in + at, part, out + total, &got), CKR_BUFFER_TOO_SMALL);
			assert_int_equal(got, need);
		}
		got = sizeof(out) - total;
		assert_ok(call(s, in + at, part, out + total, &got));
		total += got;
	}
	return total;
}

static void digest_encrypt(void **state)
{
	struct work w = begin();
	CK_MECHANISM d = sha256(), c = cbc();
	CK_BYTE want[64], md[64];
	CK_ULONG want_n = plain_digest(&w, want), cipher_n = encrypted(&w), n = sizeof(md), total;

	(void)state;
	assert_ok(p11->C_DigestInit(w.s, &d));
	assert_ok(p11->C_EncryptInit(w.s, &c, w.aes));
	total = through(p11->C_DigestEncryptUpdate, w.s, plain, sizeof(plain));
	assert_ok(p11->C_DigestFinal(w.s, md, &n));
	assert_int_equal(n, want_n);
	assert_memory_equal(md, want, n);
	n = sizeof(out) - total;
	assert_ok(p11->C_EncryptFinal(w.s, out + total, &n));
	assert_int_equal(total + n, cipher_n);
	assert_memory_equal(out, cipher, cipher_n);
}

static void sign_encrypt(void **state)
{
	struct work w = begin();
	CK_MECHANISM d = hmac(), c = cbc();
	CK_BYTE want[64], mac[64];
	CK_ULONG want_n = plain_mac(&w, want), cipher_n = encrypted(&w), n = sizeof(mac), total;

	(void)state;
	assert_ok(p11->C_SignInit(w.s, &d, w.mac));
	assert_ok(p11->C_EncryptInit(w.s, &c, w.aes));
	total = through(p11->C_SignEncryptUpdate, w.s, plain, sizeof(plain));
	assert_ok(p11->C_SignFinal(w.s, mac, &n));
	assert_int_equal(n, want_n);
	assert_memory_equal(mac, want, n);
	n = sizeof(out) - total;
	assert_ok(p11->C_EncryptFinal(w.s, out + total, &n));
	assert_memory_equal(out, cipher, cipher_n);
}

/* 5.17.2: the last part comes from C_DecryptFinal and is digested by the caller. */
static void decrypt_digest(void **state)
{
	struct work w = begin();
	CK_MECHANISM d = sha256(), c = cbc();
	CK_BYTE want[64], md[64];
	CK_ULONG want_n = plain_digest(&w, want), cipher_n = encrypted(&w), n, total;

	(void)state;
	assert_ok(p11->C_DecryptInit(w.s, &c, w.aes));
	assert_ok(p11->C_DigestInit(w.s, &d));
	total = through(p11->C_DecryptDigestUpdate, w.s, cipher, cipher_n);
	n = sizeof(out) - total;
	assert_ok(p11->C_DecryptFinal(w.s, out + total, &n));
	assert_ok(p11->C_DigestUpdate(w.s, out + total, n));
	assert_int_equal(total + n, sizeof(plain));
	assert_memory_equal(out, plain, sizeof(plain));
	n = sizeof(md);
	assert_ok(p11->C_DigestFinal(w.s, md, &n));
	assert_int_equal(n, want_n);
	assert_memory_equal(md, want, n);
}

static void decrypt_verify(void **state)
{
	struct work w = begin();
	CK_MECHANISM d = hmac(), c = cbc();
	CK_BYTE mac[64];
	CK_ULONG mac_n = plain_mac(&w, mac), cipher_n = encrypted(&w), n, total;

	(void)state;
	for (int good = 0; good < 2; good++) {
		mac[0] ^= 1; /* wrong, and in the second turn right again */
		assert_ok(p11->C_DecryptInit(w.s, &c, w.aes));
		assert_ok(p11->C_VerifyInit(w.s, &d, w.mac));
		total = through(p11->C_DecryptVerifyUpdate, w.s, cipher, cipher_n);
		n = sizeof(out) - total;
		assert_ok(p11->C_DecryptFinal(w.s, out + total, &n));
		assert_ok(p11->C_VerifyUpdate(w.s, out + total, n));
		assert_rv(p11->C_VerifyFinal(w.s, mac, mac_n),
			  good ? CKR_OK : CKR_SIGNATURE_INVALID);
	}
}

/* Ciphertext over the plaintext: the digest is of the plaintext. */
static void in_place(void **state)
{
	struct work w = begin();
	CK_MECHANISM d = sha256(), c = cbc();
	CK_BYTE want[64], md[64], mem[sizeof(plain) + 16];
	CK_ULONG n = sizeof(mem);

	(void)state;
	plain_digest(&w, want);
	encrypted(&w);
	memcpy(mem, plain, sizeof(plain));
	assert_ok(p11->C_DigestInit(w.s, &d));
	assert_ok(p11->C_EncryptInit(w.s, &c, w.aes));
	assert_ok(p11->C_DigestEncryptUpdate(w.s, mem, sizeof(plain), mem, &n));
	assert_memory_equal(mem, cipher, n);
	n = sizeof(md);
	assert_ok(p11->C_DigestFinal(w.s, md, &n));
	assert_memory_equal(md, want, n);
	assert_ok(p11->C_EncryptInit(w.s, NULL, 0));
}

static void both_needed(void **state)
{
	struct work w = begin();
	CK_MECHANISM d = sha256(), c = cbc();
	CK_ULONG n = sizeof(out);

	(void)state;
	assert_rv(p11->C_DigestEncryptUpdate(w.s, plain, PART, out, &n),
		  CKR_OPERATION_NOT_INITIALIZED);
	assert_ok(p11->C_DigestInit(w.s, &d));
	assert_rv(p11->C_DigestEncryptUpdate(w.s, plain, PART, out, &n),
		  CKR_OPERATION_NOT_INITIALIZED);
	assert_ok(p11->C_EncryptInit(w.s, &c, w.aes));
	assert_rv(p11->C_DecryptDigestUpdate(w.s, plain, PART, out, &n),
		  CKR_OPERATION_NOT_INITIALIZED);
	n = sizeof(out);
	assert_ok(p11->C_DigestEncryptUpdate(w.s, plain, PART, out, &n));
	/* an error ends both */
	assert_rv(p11->C_DigestEncryptUpdate(w.s, NULL, PART, out, &n), CKR_ARGUMENTS_BAD);
	assert_rv(p11->C_DigestFinal(w.s, out, &n), CKR_OPERATION_NOT_INITIALIZED);
	assert_rv(p11->C_EncryptFinal(w.s, out, &n), CKR_OPERATION_NOT_INITIALIZED);
}

/* ---- C_DigestKey ---- */

static CK_OBJECT_HANDLE known_key(CK_SESSION_HANDLE s, CK_BYTE *value, CK_ULONG n)
{
	struct templ t = { 0 };
	CK_OBJECT_HANDLE h = 0;

	templ_ulong(&t, CKA_CLASS, CKO_SECRET_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, CKK_GENERIC_SECRET);
	templ_bytes(&t, CKA_VALUE, value, n);
	templ_bool(&t, CKA_SENSITIVE, false);
	templ_flags(&t, CKA_EXTRACTABLE);
	assert_ok(p11->C_CreateObject(s, t.a, t.n, &h));
	return h;
}

static void digest_key(void **state)
{
	struct work w = begin();
	CK_MECHANISM d = sha256();
	CK_OBJECT_HANDLE key = known_key(w.s, plain + 48, 48);
	CK_BYTE want[64], md[64];
	CK_ULONG n = sizeof(md);
	struct pair pair = p11_p256(w.s, NULL, NULL);

	(void)state;
	plain_digest(&w, want);
	assert_rv(p11->C_DigestKey(w.s, key), CKR_OPERATION_NOT_INITIALIZED);
	assert_ok(p11->C_DigestInit(w.s, &d));
	assert_ok(p11->C_DigestUpdate(w.s, plain, 48));
	assert_ok(p11->C_DigestKey(w.s, key));
	assert_ok(p11->C_DigestUpdate(w.s, plain + 96, sizeof(plain) - 96));
	assert_ok(p11->C_DigestFinal(w.s, md, &n));
	assert_memory_equal(md, want, n);

	assert_ok(p11->C_DigestInit(w.s, &d));
	assert_rv(p11->C_DigestKey(w.s, pair.priv), CKR_KEY_INDIGESTIBLE);
	assert_ok(p11->C_DigestInit(w.s, &d)); /* it has ended */
	assert_rv(p11->C_DigestKey(w.s, 99999), CKR_KEY_HANDLE_INVALID);
	/* what a key went into cannot be saved in the clear */
	assert_ok(p11->C_DigestInit(w.s, &d));
	assert_ok(p11->C_DigestKey(w.s, key));
	assert_rv(p11->C_GetOperationState(w.s, NULL, &n), CKR_STATE_UNSAVEABLE);
}

/* ---- saved states ---- */

static CK_ULONG save(CK_SESSION_HANDLE s, CK_BYTE *p, CK_ULONG room)
{
	CK_ULONG need = 0, n = 1;

	assert_ok(p11->C_GetOperationState(s, NULL, &need));
	assert_rv(p11->C_GetOperationState(s, p, &n), CKR_BUFFER_TOO_SMALL);
	assert_int_equal(n, need);
	assert_true(n <= room);
	assert_ok(p11->C_GetOperationState(s, p, &n));
	assert_int_equal(n, need);
	return n;
}

static void states(void **state)
{
	static const CK_MECHANISM_TYPE types[] = { CKM_SHA_1, CKM_SHA224, CKM_SHA256, CKM_SHA384,
						   CKM_SHA512 };
	struct work w = begin();
	CK_SESSION_HANDLE other = p11_open(p11_slot(), false);
	CK_BYTE saved[512], want[64], md[64];

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		CK_MECHANISM m = mechanism(types[i], NULL, 0);
		CK_ULONG n = sizeof(want), saved_n;

		assert_ok(p11->C_DigestInit(w.s, &m));
		assert_ok(p11->C_Digest(w.s, plain, sizeof(plain), want, &n));
		assert_ok(p11->C_DigestInit(w.s, &m));
		assert_ok(p11->C_DigestUpdate(w.s, plain, 100));
		saved_n = save(w.s, saved, sizeof(saved));
		/* the session goes on with something else, and comes back to where it was */
		assert_ok(p11->C_DigestUpdate(w.s, plain, 7));
		assert_ok(p11->C_SetOperationState(w.s, saved, saved_n, 0, 0));
		/* another one does, too */
		assert_ok(p11->C_SetOperationState(other, saved, saved_n, 0, 0));
		for (int k = 0; k < 2; k++) {
			CK_SESSION_HANDLE s = k == 0 ? w.s : other;

			n = sizeof(md);
			assert_rv(p11->C_DigestInit(s, &m), CKR_OPERATION_ACTIVE);
			assert_ok(p11->C_DigestUpdate(s, plain + 100, sizeof(plain) - 100));
			assert_ok(p11->C_DigestFinal(s, md, &n));
			assert_memory_equal(md, want, n);
		}
	}
}

/* A state that was touched anywhere, or cut, is refused, and what is active stays. */
static void bad_states(void **state)
{
	struct work w = begin();
	CK_MECHANISM m = sha256();
	CK_BYTE saved[512], md[64];
	CK_ULONG n, saved_n;

	(void)state;
	assert_ok(p11->C_DigestInit(w.s, &m));
	saved_n = save(w.s, saved, sizeof(saved));
	for (CK_ULONG i = 0; i < saved_n; i++) {
		saved[i] ^= 0x40;
		assert_rv(p11->C_SetOperationState(w.s, saved, saved_n, 0, 0),
			  CKR_SAVED_STATE_INVALID);
		saved[i] ^= 0x40;
		assert_rv(p11->C_SetOperationState(w.s, saved, i, 0, 0), CKR_SAVED_STATE_INVALID);
	}
	assert_rv(p11->C_SetOperationState(w.s, NULL, 5, 0, 0), CKR_ARGUMENTS_BAD);
	assert_rv(p11->C_SetOperationState(w.s, saved, saved_n, w.aes, 0), CKR_KEY_NOT_NEEDED);
	assert_rv(p11->C_SetOperationState(w.s, saved, saved_n, 0, w.mac), CKR_KEY_NOT_NEEDED);
	n = sizeof(md);
	assert_ok(p11->C_DigestFinal(w.s, md, &n));
}

static void unsaveable(void **state)
{
	struct work w = begin();
	CK_MECHANISM d = sha256(), c = cbc(), sha3 = mechanism(CKM_SHA3_256, NULL, 0);
	CK_ULONG n = 0;

	(void)state;
	assert_rv(p11->C_GetOperationState(w.s, NULL, NULL), CKR_ARGUMENTS_BAD);
	assert_rv(p11->C_GetOperationState(w.s, NULL, &n), CKR_OPERATION_NOT_INITIALIZED);
	assert_ok(p11->C_EncryptInit(w.s, &c, w.aes));
	assert_rv(p11->C_GetOperationState(w.s, NULL, &n), CKR_STATE_UNSAVEABLE);
	assert_ok(p11->C_DigestInit(w.s, &d));
	assert_rv(p11->C_GetOperationState(w.s, NULL, &n), CKR_STATE_UNSAVEABLE);
	assert_ok(p11->C_SessionCancel(w.s, CKF_ENCRYPT | CKF_DIGEST));
	assert_ok(p11->C_DigestInit(w.s, &sha3));
	assert_rv(p11->C_GetOperationState(w.s, NULL, &n), CKR_STATE_UNSAVEABLE);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, p11_setup_token, p11_teardown)
	const struct CMUnitTest tests[] = {
		TEST(digest_encrypt), TEST(sign_encrypt), TEST(decrypt_digest),
		TEST(decrypt_verify), TEST(in_place),     TEST(both_needed),
		TEST(digest_key),     TEST(states),       TEST(bad_states),
		TEST(unsaveable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
