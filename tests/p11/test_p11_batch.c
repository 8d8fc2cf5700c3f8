/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches of public answers: which keys may leave one record for many signatures, that it is there before any of them, and that its root is what
 * docs/AUDIT.md says, computed here from the page alone.
 */
#include "case.h"
#include "rolls.h"

#include <openssl/sha.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MANY = 1000, DATA_MAX = 64, SIG_MAX = 4700, UNTOUCHED = 0xee };

static const CK_CHANCERY_FUNCTIONS *vendor;
static CK_SESSION_HANDLE s;
static CK_MECHANISM ecdsa = { CKM_ECDSA_SHA256, NULL, 0 };

/* ---- answers ---- */

struct batch {
	CK_CHANCERY_ANSWER a[MANY];
	CK_BYTE data[MANY][DATA_MAX];
	CK_BYTE *sig; /* SIG_MAX for each */
	CK_ULONG n;
};

/* n answers of different data and lengths, with room enough. */
static struct batch *batch_make(CK_ULONG n)
{
	struct batch *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	b->n = n;
	b->sig = malloc(n * SIG_MAX);
	assert_non_null(b->sig);
	memset(b->sig, UNTOUCHED, n * SIG_MAX);
	for (CK_ULONG i = 0; i < n; i++) {
		memset(b->data[i], (int)(i & 0xff), DATA_MAX);
		b->data[i][0] = (CK_BYTE)(i >> 8);
		b->a[i] = (CK_CHANCERY_ANSWER){ b->data[i], 1 + i % DATA_MAX, b->sig + i * SIG_MAX,
						SIG_MAX };
	}
	return b;
}

static void batch_free(struct batch *b)
{
	free(b->sig);
	free(b);
}

static CK_ULONG batch_bytes(const struct batch *b)
{
	CK_ULONG n = 0;

	for (CK_ULONG i = 0; i < b->n; i++)
		n += b->a[i].dataLen;
	return n;
}

static CK_RV sign(struct batch *b, CK_MECHANISM *m, CK_OBJECT_HANDLE key)
{
	return vendor->SignBatch(s, m, key, b->a, b->n);
}

/* Nothing was written, and no length changed. */
static void assert_untouched(const struct batch *b)
{
	for (CK_ULONG i = 0; i < b->n; i++)
		assert_int_equal(b->a[i].signatureLen, SIG_MAX);
	for (size_t i = 0; i < b->n * SIG_MAX; i++)
		assert_int_equal(b->sig[i], UNTOUCHED);
}

/* Where signatures of len bytes would be there are zeros, and nothing else changed. */
static void assert_zeroed(const struct batch *b, CK_ULONG len)
{
	for (CK_ULONG i = 0; i < b->n; i++) {
		assert_int_equal(b->a[i].signatureLen, SIG_MAX);
		for (size_t j = 0; j < SIG_MAX; j++)
			assert_int_equal(b->a[i].signature[j], j < len ? 0 : UNTOUCHED);
	}
}

/* ---- the root, by the definition of RFC 6962, 2.1 ---- */

static void leaf(const CK_CHANCERY_ANSWER *a, CK_BYTE out[32])
{
	CK_BYTE entry[1 + 32 + 32] = { 0 };

	SHA256(a->data, a->dataLen, entry + 1);
	SHA256(a->signature, a->signatureLen, entry + 33);
	SHA256(entry, sizeof(entry), out);
}

static void merkle(const CK_CHANCERY_ANSWER *a, CK_ULONG n, CK_BYTE out[32])
{
	CK_BYTE node[1 + 32 + 32] = { 1 };
	CK_ULONG k = 1;

	if (n == 1) {
		leaf(a, out);
		return;
	}
	while (k * 2 < n)
		k *= 2;
	merkle(a, k, node + 1);
	merkle(a + k, n - k, node + 33);
	SHA256(node, sizeof(node), out);
}

static json_int_t number(const json_t *v, const char *name)
{
	assert_true(json_is_integer(json_object_get(v, name)));
	return json_integer_value(json_object_get(v, name));
}

/* The newest record of a batch is about these answers. */
static void assert_recorded(const struct batch *b)
{
	json_t *v = rolls_last("sign.batch");
	CK_BYTE root[32];
	char text[65];

	merkle(b->a, b->n, root);
	for (size_t i = 0; i < sizeof(root); i++)
		snprintf(text + 2 * i, 3, "%02x", root[i]);
	rolls_text(v, "root", text);
	rolls_text(v, "rv", "CKR_OK");
	rolls_text(v, "key.class", "private");
	assert_int_equal(number(v, "count"), b->n);
	assert_int_equal(number(v, "bytes"), batch_bytes(b));
	json_decref(v);
}

/* ---- keys ---- */

static void batch_template(struct templ *t)
{
	*t = (struct templ){ 0 };
	templ_flags(t, CKA_TOKEN, CKA_SIGN);
	templ_ulong(t, CKA_CHANCERY_AUDIT, CHANCERY_AUDIT_BATCH);
}

static struct pair batch_key(void)
{
	struct templ pub = { 0 }, priv;

	batch_template(&priv);
	templ_flags(&pub, CKA_VERIFY);
	return p11_p256(s, &pub, &priv);
}

static int setup(void **state)
{
	int rc = p11_setup_configured(state, ROLLS_CALM);

	s = p11_session();
	vendor = p11_vendor();
	return rc;
}

static int setup_short(void **state)
{
	int rc = p11_setup_configured(state, ROLLS_CALM "[module]\nmax_input_kb = 1\n");

	s = p11_session();
	vendor = p11_vendor();
	return rc;
}

static int setup_off(void **state)
{
	int rc = p11_setup_configured(state, "[module]\naudit = off\n");

	s = p11_session();
	vendor = p11_vendor();
	return rc;
}

static void verify_all(struct batch *b, CK_MECHANISM *m, CK_OBJECT_HANDLE pub)
{
	for (CK_ULONG i = 0; i < b->n; i++) {
		assert_ok(p11->C_VerifyInit(s, m, pub));
		assert_ok(p11->C_Verify(s, b->data[i], b->a[i].dataLen, b->a[i].signature,
					b->a[i].signatureLen));
	}
}

/* ---- one record ---- */

static void one_record(void **state)
{
	struct batch *b = batch_make(MANY);
	struct pair k = batch_key();
	CK_CHANCERY_REFERENCE ref;
	CK_CHANCERY_AUDIT before, after;
	size_t records = rolls_count(NULL);
	json_t *v;

	(void)state;
	assert_ok(vendor->AuditState(&before));
	assert_ok(sign(b, &ecdsa, k.priv));
	assert_int_equal(rolls_count(NULL), records + 1);
	assert_ok(vendor->AuditState(&after));
	assert_int_equal(after.barriers, before.barriers + 1);
	assert_recorded(b);
	verify_all(b, &ecdsa, k.pub);
	assert_ok(vendor->AuditReference(s, &ref));
	v = rolls_last("sign.batch");
	rolls_text(v, "mech", "CKM_ECDSA_SHA256");
	assert_int_equal(number(v, "seq"), ref.seq);
	json_decref(v);
	batch_free(b);
}

/* By each mechanism of private keys that people answer with; also one answer alone, and numbers that make a ragged tree. */
static void mechanisms(void **state)
{
	CK_RSA_PKCS_PSS_PARAMS pss = { CKM_SHA256, CKG_MGF1_SHA256, 32 };
	CK_MECHANISM eddsa = mechanism(CKM_EDDSA, NULL, 0), mldsa = mechanism(CKM_ML_DSA, NULL, 0),
		     pkcs = mechanism(CKM_SHA256_RSA_PKCS, NULL, 0),
		     salted = mechanism(CKM_SHA256_RSA_PKCS_PSS, &pss, sizeof(pss));
	struct templ pub = { 0 }, priv;
	struct pair rsa, ed, ml, ec = batch_key();

	(void)state;
	batch_template(&priv);
	templ_flags(&pub, CKA_VERIFY);
	rsa = p11_rsa(s, 2048, &pub, &priv);
	ed = p11_ed25519(s, &pub, &priv);
	ml = p11_mldsa(s, CKP_ML_DSA_87, &pub, &priv);
	const struct {
		CK_MECHANISM *m;
		struct pair k;
		CK_ULONG n, len;
	} rows[] = {
		{ &ecdsa, ec, 1, 64 },  { &pkcs, rsa, 2, 256 },  { &salted, rsa, 3, 256 },
		{ &eddsa, ed, 31, 64 }, { &mldsa, ml, 7, 4627 },
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct batch *b = batch_make(rows[i].n);

		assert_ok(sign(b, rows[i].m, rows[i].k.priv));
		for (CK_ULONG j = 0; j < b->n; j++)
			assert_int_equal(b->a[j].signatureLen, rows[i].len);
		verify_all(b, rows[i].m, rows[i].k.pub);
		assert_recorded(b);
		batch_free(b);
	}
}

/* Asked for lengths, or given too little room, it signs nothing and records nothing. */
static void lengths(void **state)
{
	struct batch *b = batch_make(3);
	struct pair k = batch_key();
	size_t records = rolls_count(NULL);

	(void)state;
	b->a[2].signatureLen = 63;
	assert_rv(sign(b, &ecdsa, k.priv), CKR_BUFFER_TOO_SMALL);
	for (CK_ULONG i = 0; i < 3; i++) {
		assert_int_equal(b->a[i].signatureLen, 64);
		b->a[i].signatureLen = SIG_MAX;
	}
	b->a[1].signature = NULL;
	assert_rv(sign(b, &ecdsa, k.priv), CKR_BUFFER_TOO_SMALL);
	b->a[0].signature = b->a[2].signature = NULL;
	b->a[0].signatureLen = b->a[1].signatureLen = b->a[2].signatureLen = SIG_MAX;
	assert_ok(sign(b, &ecdsa, k.priv));
	for (CK_ULONG i = 0; i < 3; i++) {
		assert_int_equal(b->a[i].signatureLen, 64);
		b->a[i].signature = b->sig + i * SIG_MAX;
		assert_int_equal(b->sig[i * SIG_MAX], UNTOUCHED);
	}
	assert_int_equal(rolls_count(NULL), records);
	assert_ok(sign(b, &ecdsa, k.priv)); /* the very room */
	assert_recorded(b);
	batch_free(b);
}

/* What is signed is read before anything is written, and read once. */
static void in_place(void **state)
{
	CK_BYTE room[2][64];
	CK_CHANCERY_ANSWER a[2] = { { room[1], 64, room[0], 64 }, { room[0], 64, room[1], 64 } };
	CK_BYTE data[2][64];
	struct pair k = batch_key();

	(void)state;
	memset(room, 7, sizeof(room));
	memcpy(data, room, sizeof(data));
	assert_ok(vendor->SignBatch(s, &ecdsa, k.priv, a, 2));
	for (size_t i = 0; i < 2; i++) {
		assert_ok(p11->C_VerifyInit(s, &ecdsa, k.pub));
		assert_ok(p11->C_Verify(s, data[1 - i], 64, room[i], 64));
	}
}

/* The session's own operation is not touched. */
static void beside_another(void **state)
{
	struct batch *b = batch_make(2);
	struct pair k = batch_key();
	CK_BYTE sig[64];
	CK_ULONG n = sizeof(sig);

	(void)state;
	assert_ok(p11->C_SignInit(s, &ecdsa, k.priv));
	assert_ok(p11->C_SignUpdate(s, b->data[0], 1));
	assert_ok(sign(b, &ecdsa, k.priv));
	assert_ok(p11->C_SignFinal(s, sig, &n));
	assert_ok(p11->C_VerifyInit(s, &ecdsa, k.pub));
	assert_ok(p11->C_Verify(s, b->data[0], 1, sig, n));
	batch_free(b);
}

/* C_Sign with such a key has its own record, each time. */
static void signed_alone(void **state)
{
	struct pair k = batch_key();
	CK_BYTE sig[64];
	CK_ULONG n = sizeof(sig);
	size_t records = rolls_count("sign");

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		assert_ok(p11->C_SignInit(s, &ecdsa, k.priv));
		assert_ok(p11->C_Sign(s, sig, 32, sig, &n));
	}
	assert_int_equal(rolls_count("sign"), records + 3);
	assert_int_equal(rolls_count("sign.batch"), 0);
}

static void without_roll(void **state)
{
	struct batch *b = batch_make(2);
	struct pair k = batch_key();

	(void)state;
	assert_ok(sign(b, &ecdsa, k.priv));
	verify_all(b, &ecdsa, k.pub);
	batch_free(b);
}

/* ---- refused ---- */

static void arguments(void **state)
{
	struct batch *b = batch_make(2);
	struct pair k = batch_key();
	CK_MECHANISM digest = mechanism(CKM_SHA256, NULL, 0),
		     hmac = mechanism(CKM_SHA256_HMAC, NULL, 0),
		     wrong = mechanism(CKM_ECDSA_SHA256, b->data, 8);
	CK_CHANCERY_ANSWER *many = calloc(CHANCERY_BATCH_MAX + 1, sizeof(*many));
	size_t records = rolls_count(NULL);

	(void)state;
	assert_non_null(many);
	assert_rv(vendor->SignBatch(s, &ecdsa, k.priv, NULL, 1), CKR_ARGUMENTS_BAD);
	assert_rv(vendor->SignBatch(s, &ecdsa, k.priv, b->a, 0), CKR_ARGUMENTS_BAD);
	assert_rv(vendor->SignBatch(s, NULL, k.priv, b->a, 2), CKR_ARGUMENTS_BAD);
	assert_rv(vendor->SignBatch(s, &ecdsa, k.priv, many, CHANCERY_BATCH_MAX + 1),
		  CKR_ARGUMENTS_BAD);
	assert_ok(vendor->SignBatch(s, &ecdsa, k.priv, many, CHANCERY_BATCH_MAX));
	assert_rv(vendor->SignBatch(s + 1000, &ecdsa, k.priv, b->a, 2), CKR_SESSION_HANDLE_INVALID);
	assert_rv(sign(b, &ecdsa, 4711), CKR_KEY_HANDLE_INVALID);
	assert_rv(sign(b, &digest, k.priv), CKR_MECHANISM_INVALID);
	assert_rv(sign(b, &hmac, k.priv), CKR_KEY_TYPE_INCONSISTENT);
	assert_rv(sign(b, &wrong, k.priv), CKR_MECHANISM_PARAM_INVALID);
	b->a[1].data = NULL;
	assert_rv(sign(b, &ecdsa, k.priv), CKR_ARGUMENTS_BAD);
	b->a[1].data = b->data[1];
	b->a[1].dataLen = ~0UL;
	assert_rv(sign(b, &ecdsa, k.priv), CKR_DATA_LEN_RANGE);
	assert_untouched(b);
	assert_int_equal(rolls_count(NULL), records);
	free(many);
	batch_free(b);
}

/* Only the private key that has the attribute, and only by the mechanisms that it allows. */
static void other_keys(void **state)
{
	struct batch *b = batch_make(2);
	CK_MECHANISM hmac = mechanism(CKM_SHA256_HMAC, NULL, 0);
	CK_MECHANISM_TYPE other = CKM_ECDSA;
	struct templ pub = { 0 }, priv;
	struct pair k = batch_key(), each = p11_p256(s, NULL, NULL), limited;
	CK_OBJECT_HANDLE mac = p11_secret(s, CKM_GENERIC_SECRET_KEY_GEN, 32, CKA_SIGN);
	size_t records;

	(void)state;
	batch_template(&priv);
	templ_bytes(&priv, CKA_ALLOWED_MECHANISMS, &other, sizeof(other));
	limited = p11_p256(s, &pub, &priv);
	records = rolls_count(NULL);
	assert_rv(sign(b, &ecdsa, each.priv), CKR_KEY_FUNCTION_NOT_PERMITTED);
	assert_rv(sign(b, &hmac, mac), CKR_KEY_FUNCTION_NOT_PERMITTED);
	assert_rv(sign(b, &ecdsa, k.pub), CKR_KEY_FUNCTION_NOT_PERMITTED);
	assert_rv(sign(b, &ecdsa, limited.priv), CKR_MECHANISM_INVALID);
	assert_untouched(b);
	assert_int_equal(rolls_count(NULL), records);
	assert_ok(p11->C_Logout(s));
	assert_rv(sign(b, &ecdsa, k.priv), CKR_KEY_HANDLE_INVALID);
	assert_untouched(b);
	batch_free(b);
}

/* ---- the attribute ---- */

static CK_RV make_p256(struct templ *priv, CK_OBJECT_HANDLE *h)
{
	CK_MECHANISM m = mechanism(CKM_EC_KEY_PAIR_GEN, NULL, 0);
	struct templ pub = { 0 };
	CK_OBJECT_HANDLE other;

	templ_bytes(&pub, CKA_EC_PARAMS, p11_oid_p256, sizeof(p11_oid_p256));
	return p11->C_GenerateKeyPair(s, &m, pub.a, pub.n, priv->a, priv->n, &other, h);
}

static void what_it_wants(void **state)
{
	static const CK_ATTRIBUTE_TYPE never[] = { CKA_SIGN_RECOVER, CKA_DECRYPT,
						   CKA_UNWRAP,       CKA_DERIVE,
						   CKA_DECAPSULATE,  CKA_ALWAYS_AUTHENTICATE };
	static const CK_ATTRIBUTE_TYPE must[] = { CKA_TOKEN, CKA_PRIVATE, CKA_SIGN };
	CK_MECHANISM aes = mechanism(CKM_AES_KEY_GEN, NULL, 0);
	struct templ t;
	CK_OBJECT_HANDLE h;

	(void)state;
	for (size_t i = 0; i < LENGTH(never); i++) {
		batch_template(&t);
		templ_bool(&t, never[i], true);
		assert_rv(make_p256(&t, &h), CKR_TEMPLATE_INCONSISTENT);
		t.a[2].ulValueLen = sizeof(CK_ULONG);
		t.number[2] = CHANCERY_AUDIT_EACH; /* without it they are fine */
		if (never[i] != CKA_DECAPSULATE)
			assert_ok(make_p256(&t, &h));
	}
	for (size_t i = 0; i < LENGTH(must); i++) {
		t = (struct templ){ 0 };
		for (size_t j = 0; j < LENGTH(must); j++)
			templ_bool(&t, must[j], j != i);
		templ_ulong(&t, CKA_CHANCERY_AUDIT, CHANCERY_AUDIT_BATCH);
		assert_rv(make_p256(&t, &h), CKR_TEMPLATE_INCONSISTENT);
	}
	t = (struct templ){ 0 };
	templ_flags(&t, CKA_TOKEN, CKA_SIGN);
	templ_ulong(&t, CKA_CHANCERY_AUDIT, 2);
	assert_rv(make_p256(&t, &h), CKR_ATTRIBUTE_VALUE_INVALID);
	t = (struct templ){ 0 };
	templ_ulong(&t, CKA_VALUE_LEN, 32);
	templ_flags(&t, CKA_TOKEN, CKA_SIGN);
	templ_ulong(&t, CKA_CHANCERY_AUDIT, CHANCERY_AUDIT_BATCH);
	assert_rv(p11->C_GenerateKey(s, &aes, t.a, t.n, &h), CKR_TEMPLATE_INCONSISTENT);
}

static CK_ULONG audit_of(CK_OBJECT_HANDLE h)
{
	return p11_get_ulong(s, h, CKA_CHANCERY_AUDIT);
}

static CK_RV set_audit(CK_OBJECT_HANDLE h, CK_ULONG v)
{
	struct templ t = { 0 };

	templ_ulong(&t, CKA_CHANCERY_AUDIT, v);
	return p11->C_SetAttributeValue(s, h, t.a, t.n);
}

/* It is as it was made, for good: neither taken on nor laid down later. */
static void sealed(void **state)
{
	struct templ t, find;
	CK_OBJECT_HANDLE batch, each;
	CK_ULONG found = 0;

	(void)state;
	batch_template(&t);
	templ_flags(&t, CKA_EXTRACTABLE);
	templ_bool(&t, CKA_SENSITIVE, false); /* a key that may be given more uses later */
	assert_ok(make_p256(&t, &batch));
	t.number[2] = CHANCERY_AUDIT_EACH;
	assert_ok(make_p256(&t, &each));
	for (CK_ULONG v = CHANCERY_AUDIT_EACH; v <= CHANCERY_AUDIT_BATCH; v++) {
		assert_rv(set_audit(batch, v), CKR_ATTRIBUTE_READ_ONLY);
		assert_rv(set_audit(each, v), CKR_ATTRIBUTE_READ_ONLY);
	}
	find = (struct templ){ 0 };
	templ_flags(&find, CKA_DERIVE);
	assert_rv(p11->C_SetAttributeValue(s, batch, find.a, find.n), CKR_TEMPLATE_INCONSISTENT);
	assert_ok(p11->C_SetAttributeValue(s, each, find.a, find.n));
	find = (struct templ){ 0 };
	templ_bool(&find, CKA_SIGN, false);
	assert_rv(p11->C_SetAttributeValue(s, batch, find.a, find.n), CKR_TEMPLATE_INCONSISTENT);
	s = case_restart();
	p11_login(s, CKU_USER);
	batch_template(&find);
	assert_ok(p11->C_FindObjectsInit(s, find.a, find.n));
	assert_ok(p11->C_FindObjects(s, &batch, 1, &found));
	assert_ok(p11->C_FindObjectsFinal(s));
	assert_int_equal(found, 1);
	assert_int_equal(audit_of(batch), CHANCERY_AUDIT_BATCH);
}

/* A copy is recorded use by use, on the token and in memory, and cannot be asked to be otherwise. */
static void copies(void **state)
{
	struct pair k = batch_key(), each = p11_p256(s, NULL, NULL);
	struct templ none = { 0 }, memory = { 0 }, batch = { 0 }, plain = { 0 };
	struct batch *b = batch_make(2);
	CK_OBJECT_HANDLE copy;

	(void)state;
	templ_bool(&memory, CKA_TOKEN, false);
	templ_ulong(&batch, CKA_CHANCERY_AUDIT, CHANCERY_AUDIT_BATCH);
	templ_ulong(&plain, CKA_CHANCERY_AUDIT, CHANCERY_AUDIT_EACH);
	struct templ *taken[] = { &none, &memory, &plain };
	for (size_t i = 0; i < LENGTH(taken); i++) {
		assert_ok(p11->C_CopyObject(s, k.priv, taken[i]->a, taken[i]->n, &copy));
		assert_int_equal(audit_of(copy), CHANCERY_AUDIT_EACH);
		assert_rv(sign(b, &ecdsa, copy), CKR_KEY_FUNCTION_NOT_PERMITTED);
	}
	assert_int_equal(audit_of(k.priv), CHANCERY_AUDIT_BATCH);
	assert_rv(p11->C_CopyObject(s, k.priv, batch.a, batch.n, &copy), CKR_ATTRIBUTE_READ_ONLY);
	assert_rv(p11->C_CopyObject(s, each.priv, batch.a, batch.n, &copy),
		  CKR_ATTRIBUTE_READ_ONLY);
	assert_untouched(b);
	batch_free(b);
}

/* A key that comes in wrapped has what its template says, and nothing else. */
static void unwrapped(void **state)
{
	CK_OBJECT_HANDLE kek = p11_secret(s, CKM_AES_KEY_GEN, 32, CKA_WRAP, CKA_UNWRAP), h;
	CK_MECHANISM kwp = mechanism(CKM_AES_KEY_WRAP_KWP, NULL, 0);
	struct templ priv, t = { 0 };
	struct batch *b = batch_make(2);
	CK_BYTE blob[512];
	CK_ULONG n = sizeof(blob);
	CK_OBJECT_HANDLE key;

	(void)state;
	batch_template(&priv);
	templ_flags(&priv, CKA_EXTRACTABLE);
	assert_ok(make_p256(&priv, &key));
	assert_ok(p11->C_WrapKey(s, &kwp, kek, key, blob, &n));
	templ_ulong(&t, CKA_CLASS, CKO_PRIVATE_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, CKK_EC);
	templ_flags(&t, CKA_TOKEN, CKA_SIGN);
	assert_ok(p11->C_UnwrapKey(s, &kwp, kek, blob, n, t.a, t.n, &h));
	assert_int_equal(audit_of(h), CHANCERY_AUDIT_EACH);
	templ_ulong(&t, CKA_CHANCERY_AUDIT, CHANCERY_AUDIT_BATCH);
	assert_ok(p11->C_UnwrapKey(s, &kwp, kek, blob, n, t.a, t.n, &h));
	assert_ok(sign(b, &ecdsa, h));
	assert_recorded(b);
	batch_free(b);
}

/* ---- failures ---- */

/* A message in the middle that cannot be signed: no signature is given out, and the record says what happened. */
static void one_is_bad(void **state)
{
	CK_MECHANISM pkcs = mechanism(CKM_RSA_PKCS, NULL, 0);
	struct batch *b = batch_make(4);
	struct templ pub = { 0 }, priv;
	CK_BYTE longer[300] = { 0 };
	struct pair k;
	json_t *v;

	(void)state;
	batch_template(&priv);
	k = p11_rsa(s, 2048, &pub, &priv);
	b->a[2].data = longer;
	b->a[2].dataLen = sizeof(longer);
	assert_rv(sign(b, &pkcs, k.priv), CKR_DATA_LEN_RANGE);
	assert_zeroed(b, 256);
	v = rolls_last("sign.batch");
	rolls_text(v, "rv", "CKR_DATA_LEN_RANGE");
	rolls_text(v, "root", NULL);
	assert_int_equal(number(v, "count"), 2);
	assert_int_equal(number(v, "bytes"), 1 + 2 + (json_int_t)sizeof(longer));
	json_decref(v);
	assert_int_equal(rolls_count("sign.batch"), 1);
	b->a[2].dataLen = 3;
	assert_ok(sign(b, &pkcs, k.priv));
	assert_recorded(b);
	batch_free(b);
}

static void longer_than_kept(void **state)
{
	static const CK_BYTE kib[1025];
	struct batch *b = batch_make(2);
	struct pair k = batch_key();

	(void)state;
	b->a[1].data = kib;
	b->a[1].dataLen = 1025;
	assert_rv(sign(b, &ecdsa, k.priv), CKR_DATA_LEN_RANGE);
	assert_zeroed(b, 64);
	assert_int_equal(rolls_count("sign.batch"), 1);
	b->a[1].dataLen = 1024;
	assert_ok(sign(b, &ecdsa, k.priv));
	assert_recorded(b);
	batch_free(b);
}

/* What was to be signed is still there, also where its signature would have gone. */
static void in_place_broken(void **state)
{
	struct batch *b = batch_make(2);
	struct pair k = batch_key();

	(void)state;
	b->a[0].data = b->a[0].signature;
	rolls_unlink_all();
	assert_rv(sign(b, &ecdsa, k.priv), CKR_DEVICE_ERROR);
	for (size_t i = 0; i < 64; i++) {
		assert_int_equal(b->a[0].signature[i], UNTOUCHED);
		assert_int_equal(b->a[1].signature[i], 0);
	}
	batch_free(b);
}

static void roll_broken(void **state)
{
	struct batch *b = batch_make(5);
	struct pair k = batch_key();

	(void)state;
	rolls_unlink_all();
	assert_rv(sign(b, &ecdsa, k.priv), CKR_DEVICE_ERROR);
	assert_zeroed(b, 64);
	memset(b->sig, UNTOUCHED, b->n * SIG_MAX);
	assert_rv(sign(b, &ecdsa, k.priv), CKR_DEVICE_ERROR); /* not even tried */
	assert_untouched(b);
	batch_free(b);
}

/* The caller's memory cannot be written to: the process ends when the first signature is given out, and its record is there. */
static void sign_into_nothing(void)
{
	struct templ find;
	CK_OBJECT_HANDLE key;
	CK_CHANCERY_ANSWER a = { (const CK_BYTE *)"x", 1, NULL, 64 };
	CK_ULONG found;

	p11_initialize();
	s = p11_open(p11_slot(), true);
	p11_login(s, CKU_USER);
	batch_template(&find);
	assert_ok(p11->C_FindObjectsInit(s, find.a, find.n));
	assert_ok(p11->C_FindObjects(s, &key, 1, &found));
	assert_ok(p11->C_FindObjectsFinal(s));
	a.signature = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(a.signature != MAP_FAILED);
	(void)vendor->SignBatch(s, &ecdsa, key, &a, 1);
	_exit(0);
}

static void recorded_first(void **state)
{
	int status = 0;
	pid_t pid;

	(void)state;
	(void)batch_key();
	p11_finalize();
	pid = case_start(sign_into_nothing);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_int_equal(rolls_count("sign.batch"), 1);
	p11_initialize();
}

/* ---- others at the same time ---- */

static atomic_bool going;
static CK_SESSION_HANDLE second;

static void *log_out(void *arg)
{
	(void)arg;
	while (!atomic_load(&going))
		(void)usleep(1000);
	(void)usleep(50000);
	assert_ok(p11->C_Logout(second));
	return NULL;
}

/* A logout ends a batch that is under way; what was signed by then is not given out. */
static void logged_out(void **state)
{
	struct batch *b = batch_make(MANY);
	struct templ pub = { 0 }, priv;
	CK_MECHANISM pkcs = mechanism(CKM_SHA256_RSA_PKCS, NULL, 0);
	pthread_t t;
	struct pair k;
	json_t *v;

	(void)state;
	batch_template(&priv);
	k = p11_rsa(s, 4096, &pub, &priv);
	second = p11_open(p11_slot(), true);
	atomic_store(&going, false);
	assert_int_equal(pthread_create(&t, NULL, log_out, NULL), 0);
	atomic_store(&going, true);
	assert_rv(sign(b, &pkcs, k.priv), CKR_USER_NOT_LOGGED_IN);
	assert_int_equal(pthread_join(t, NULL), 0);
	assert_zeroed(b, 512);
	v = rolls_last("sign.batch");
	rolls_text(v, "rv", "CKR_USER_NOT_LOGGED_IN");
	rolls_text(v, "root", NULL);
	assert_true(number(v, "count") < MANY);
	json_decref(v);
	batch_free(b);
}

enum { THREADS = 8, ROUNDS = 10, EACH = 20 };

static CK_OBJECT_HANDLE shared;
static atomic_uint wrong;

static void *sign_often(void *arg)
{
	CK_SESSION_HANDLE own = *(CK_SESSION_HANDLE *)arg;
	struct batch *b = batch_make(EACH);

	for (size_t i = 0; i < ROUNDS; i++)
		if (vendor->SignBatch(own, &ecdsa, shared, b->a, b->n) != CKR_OK)
			atomic_fetch_add(&wrong, 1);
	batch_free(b);
	return NULL;
}

static void threads(void **state)
{
	pthread_t t[THREADS];
	CK_SESSION_HANDLE own[THREADS];

	(void)state;
	shared = batch_key().priv;
	for (size_t i = 0; i < THREADS; i++) {
		own[i] = i % 2 == 0 ? p11_open(p11_slot(), true) : own[i - 1];
		assert_int_equal(pthread_create(&t[i], NULL, sign_often, &own[i]), 0);
	}
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(t[i], NULL), 0);
	assert_int_equal(atomic_load(&wrong), 0);
	assert_int_equal(rolls_count("sign.batch"), THREADS * ROUNDS);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, p11_teardown)
	const struct CMUnitTest tests[] = {
		TEST(one_record),
		TEST(mechanisms),
		TEST(lengths),
		TEST(in_place),
		TEST(beside_another),
		TEST(signed_alone),
		cmocka_unit_test_setup_teardown(without_roll, setup_off, p11_teardown),
		TEST(arguments),
		TEST(other_keys),
		TEST(what_it_wants),
		TEST(sealed),
		TEST(copies),
		TEST(unwrapped),
		TEST(one_is_bad),
		cmocka_unit_test_setup_teardown(longer_than_kept, setup_short, p11_teardown),
		TEST(in_place_broken),
		TEST(roll_broken),
		TEST(recorded_first),
		TEST(logged_out),
		TEST(threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
