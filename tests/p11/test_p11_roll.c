/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every event of audit/events.def that a call leads to is on the roll when the call returns, with what it is about; and what is not to be
 * recorded is not. A row without a call here fails the last test.
 */
#include "case.h"
#include "rolls.h"

#include <chancery/chancery.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static const CK_CHANCERY_FUNCTIONS *vendor;
static CK_SESSION_HANDLE s;
static CK_BYTE data[64], result[8192];

struct row {
	const char *name;
};

/* How often each event was found by a test of this program. */
static size_t seen[64];
static const struct row rows[] = {
#define EVENT(id, text) { text },
#include "audit/events.def"
#undef EVENT
};

static const struct row *row_of(const char *name)
{
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	fail_msg("there is no event %s", name);
	return NULL;
}

/* Between expect and the_record one call makes n records of this event, and none of another. */
static const char *expected;
static size_t before, all_before;

static void expect(const char *event)
{
	expected = event;
	before = rolls_count(event);
	all_before = rolls_count(NULL);
}

static json_t *the_records(size_t n)
{
	json_t *v;

	assert_int_equal(rolls_count(expected), before + n);
	assert_int_equal(rolls_count(NULL), all_before + n);
	seen[row_of(expected) - rows]++;
	v = rolls_last(expected);
	rolls_text(v, "event", expected);
	return v;
}

static json_t *the_record(void)
{
	return the_records(1);
}

static void nothing_more(void)
{
	assert_int_equal(rolls_count(NULL), all_before);
}

static int setup(void **state)
{
	int rc = p11_setup_configured(state, ROLLS_CALM);

	if (rc != 0)
		return rc;
	s = p11_session();
	vendor = p11_vendor();
	return 0;
}

static const CK_BYTE key_id[] = { 0x0a, 0xff };

static CK_OBJECT_HANDLE token_key(CK_MECHANISM_TYPE type, CK_ATTRIBUTE_TYPE use,
				  CK_ATTRIBUTE_TYPE use2)
{
	CK_MECHANISM m = mechanism(type, NULL, 0);
	struct templ t = { 0 };
	CK_OBJECT_HANDLE h;

	templ_ulong(&t, CKA_VALUE_LEN, 32);
	templ_flags(&t, CKA_TOKEN, CKA_EXTRACTABLE, use, use2);
	templ_bool(&t, CKA_SENSITIVE, false);
	templ_text(&t, CKA_LABEL, "the key");
	templ_bytes(&t, CKA_ID, key_id, sizeof(key_id));
	assert_ok(p11->C_GenerateKey(s, &m, t.a, t.n, &h));
	return h;
}

/* What every record about a key says. */
static void about_key(const json_t *v)
{
	rolls_text(v, "key.class", "secret");
	rolls_text(v, "key.label", "the key");
	rolls_text(v, "key.id", "0aff");
	assert_true(json_is_string(json_object_get(json_object_get(v, "key"), "unique")));
	assert_true(json_is_string(json_object_get(v, "serial")));
	assert_true(json_is_string(json_object_get(v, "token")));
	assert_true(json_integer_value(json_object_get(v, "pid")) == getpid());
}

static void bytes_are(const json_t *v, json_int_t n)
{
	assert_true(json_is_integer(json_object_get(v, "bytes")));
	assert_int_equal(json_integer_value(json_object_get(v, "bytes")), n);
}

/* ---- the token ---- */

static void token_and_pins(void **state)
{
	CK_UTF8CHAR label[33], wrong[] = "not the PIN", pin[] = USER_PIN, new_pin[] = "another-pin";
	CK_UTF8CHAR so[] = SO_PIN, other_so[] = "another-so-pin";
	char copy[128];
	CK_SLOT_ID made, again;
	json_t *v;

	(void)state;
	v = rolls_last("module.start");
	seen[row_of("module.start") - rows]++;
	json_decref(v);
	assert_ok(p11->C_Logout(s));
	seen[row_of("logout") - rows]++;
	rolls_text(v = rolls_last("logout"), "rv", "CKR_OK");
	json_decref(v);
	expect("login");
	assert_rv(case_login(s, CKU_USER, "not the PIN"), CKR_PIN_INCORRECT);
	rolls_text(v = the_record(), "rv", "CKR_PIN_INCORRECT");
	json_decref(v);
	expect("login");
	assert_ok(case_login(s, CKU_USER, USER_PIN));
	rolls_text(v = the_record(), "rv", "CKR_OK");
	json_decref(v);
	expect("pin.change");
	assert_rv(p11->C_SetPIN(s, wrong, sizeof(wrong) - 1, new_pin, sizeof(new_pin) - 1),
		  CKR_PIN_INCORRECT);
	rolls_text(v = the_record(), "change", NULL);
	json_decref(v);
	expect("pin.change");
	assert_ok(p11->C_SetPIN(s, pin, sizeof(pin) - 1, new_pin, sizeof(new_pin) - 1));
	v = the_record();
	assert_true(json_is_string(json_object_get(v, "change")));
	json_decref(v);
	assert_ok(p11->C_Logout(s));
	expect("login.so");
	assert_ok(case_login(s, CKU_SO, SO_PIN));
	json_decref(the_record());
	expect("pin.init");
	assert_ok(p11->C_InitPIN(s, pin, sizeof(pin) - 1));
	json_decref(the_record());
	expect("pin.change.so");
	assert_ok(p11->C_SetPIN(s, so, sizeof(so) - 1, other_so, sizeof(other_so) - 1));
	json_decref(the_record());
	snprintf((char *)label, sizeof(label), "%-32s", "second");
	expect("token.init");
	assert_ok(vendor->TokenCreate(so, sizeof(so) - 1, label, &made, NULL));
	rolls_text(v = the_record(), "token", "second");
	assert_true(json_is_string(json_object_get(v, "serial")));
	assert_true(json_is_string(json_object_get(v, "change")));
	json_decref(v);
	snprintf((char *)label, sizeof(label), "%-32s", "renamed");
	expect("token.rename");
	assert_ok(vendor->TokenRename(made, so, sizeof(so) - 1, label, NULL));
	rolls_text(v = the_record(), "token", "renamed");
	json_decref(v);
	expect("token.rename");
	assert_rv(vendor->TokenRename(made, wrong, sizeof(wrong) - 1, label, NULL),
		  CKR_PIN_INCORRECT);
	json_decref(the_record());
	expect("token.require-audit");
	assert_ok(vendor->TokenRequireAudit(made, so, sizeof(so) - 1, CK_TRUE, NULL));
	json_decref(the_record());
	expect("token.waive-audit");
	assert_ok(vendor->TokenRequireAudit(made, so, sizeof(so) - 1, CK_FALSE, NULL));
	json_decref(the_record());
	snprintf(copy, sizeof(copy), "%s/copy", p11_home());
	expect("token.backup");
	assert_ok(vendor->TokenBackup(made, so, sizeof(so) - 1, copy, NULL));
	json_decref(the_record());
	expect("token.delete");
	assert_ok(vendor->TokenDelete(made, so, sizeof(so) - 1, NULL));
	json_decref(the_record());
	expect("token.restore");
	assert_ok(vendor->TokenRestore(so, sizeof(so) - 1, copy, &again, NULL));
	rolls_text(v = the_record(), "token", "renamed");
	json_decref(v);
	expect("token.init");
	assert_ok(p11->C_InitToken(again, so, sizeof(so) - 1, label));
	json_decref(the_record());
}

/* ---- objects ---- */

static void objects(void **state)
{
	CK_OBJECT_HANDLE key, copy, made;
	CK_BYTE value[32];
	struct templ t = { 0 }, label = { 0 }, none = { 0 }, ask = { 0 }, d = { 0 };
	json_t *v;

	(void)state;
	expect("key.generate");
	key = token_key(CKM_AES_KEY_GEN, CKA_ENCRYPT, CKA_DECRYPT);
	about_key(v = the_record());
	rolls_text(v, "mech", "CKM_AES_KEY_GEN");
	assert_true(json_is_string(json_object_get(v, "change")));
	json_decref(v);
	expect("object.copy");
	assert_ok(p11->C_CopyObject(s, key, none.a, 0, &copy));
	about_key(v = the_record());
	json_decref(v);
	templ_text(&label, CKA_LABEL, "renamed");
	expect("object.set");
	assert_ok(p11->C_SetAttributeValue(s, copy, label.a, label.n));
	json_decref(the_record());
	expect("key.read");
	templ_bytes(&ask, CKA_VALUE, value, sizeof(value));
	assert_ok(p11->C_GetAttributeValue(s, key, ask.a, ask.n));
	about_key(v = the_record());
	json_decref(v);
	expect("object.destroy");
	assert_ok(p11->C_DestroyObject(s, copy));
	v = the_record();
	assert_true(json_is_string(json_object_get(v, "change")));
	json_decref(v);
	case_open_secret(&t, CKK_GENERIC_SECRET, value, sizeof(value));
	expect("object.create");
	assert_ok(case_create(s, &t, &made)); /* a session object, but who knows what it is */
	rolls_text(v = the_record(), "change", NULL);
	json_decref(v);
	templ_ulong(&d, CKA_CLASS, CKO_DATA);
	expect("object.create");
	assert_ok(p11->C_CreateObject(s, d.a, d.n, &made)); /* no key, and not the token's */
	nothing_more();
}

/* Both halves, with one barrier. */
static void pair(void **state)
{
	struct templ pub = { 0 }, priv = { 0 };
	CK_CHANCERY_AUDIT a, b;
	json_t *v;

	(void)state;
	templ_flags(&pub, CKA_TOKEN, CKA_VERIFY);
	templ_flags(&priv, CKA_TOKEN, CKA_SIGN);
	assert_ok(vendor->AuditState(&a));
	expect("key.generate");
	(void)p11_p256(s, &pub, &priv);
	rolls_text(v = the_records(2), "key.class", "private");
	json_decref(v);
	assert_ok(vendor->AuditState(&b));
	assert_int_equal(b.barriers, a.barriers + 1);
}

/* ---- uses ---- */

static void uses(void **state)
{
	CK_OBJECT_HANDLE aes = token_key(CKM_AES_KEY_GEN, CKA_ENCRYPT, CKA_DECRYPT);
	CK_OBJECT_HANDLE mac = token_key(CKM_GENERIC_SECRET_KEY_GEN, CKA_SIGN, CKA_VERIFY);
	CK_MECHANISM ecb = mechanism(CKM_AES_ECB, NULL, 0),
		     hmac = mechanism(CKM_SHA256_HMAC, NULL, 0);
	CK_MECHANISM sha = mechanism(CKM_SHA256, NULL, 0);
	CK_ULONG n = sizeof(result);
	json_t *v;

	(void)state;
	assert_ok(p11->C_EncryptInit(s, &ecb, aes));
	expect("encrypt");
	assert_ok(p11->C_Encrypt(s, data, 48, result, &n));
	about_key(v = the_record());
	rolls_text(v, "mech", "CKM_AES_ECB");
	bytes_are(v, 48);
	json_decref(v);
	assert_ok(p11->C_DecryptInit(s, &ecb, aes));
	expect("decrypt");
	assert_ok(p11->C_Decrypt(s, result, n, result, &n));
	about_key(v = the_record());
	json_decref(v);
	assert_ok(p11->C_SignInit(s, &hmac, mac));
	expect("sign");
	n = sizeof(result);
	assert_ok(p11->C_Sign(s, data, 10, result, &n));
	about_key(v = the_record());
	bytes_are(v, 10);
	json_decref(v);
	assert_ok(p11->C_VerifyInit(s, &hmac, mac));
	expect("mac.verify");
	assert_ok(p11->C_Verify(s, data, 10, result, n));
	rolls_text(v = the_record(), "rv", "CKR_OK");
	json_decref(v);
	assert_ok(p11->C_VerifyInit(s, &hmac, mac));
	expect("mac.verify");
	assert_rv(p11->C_Verify(s, data, 11, result, n), CKR_SIGNATURE_INVALID);
	rolls_text(v = the_record(), "rv", "CKR_SIGNATURE_INVALID");
	json_decref(v);
	assert_ok(p11->C_DigestInit(s, &sha));
	expect("key.digest");
	assert_ok(p11->C_DigestKey(s, mac));
	about_key(v = the_record());
	json_decref(v);
	n = sizeof(result);
	assert_ok(p11->C_DigestFinal(s, result, &n));
}

/* What is in it is for test_p11_batch.c. */
static void batch(void **state)
{
	CK_MECHANISM m = mechanism(CKM_ECDSA_SHA256, NULL, 0);
	CK_CHANCERY_ANSWER a[2] = { { data, 10, result, 64 }, { data, 20, result + 64, 64 } };
	struct templ pub = { 0 }, priv = { 0 };
	struct pair k;
	json_t *v;

	(void)state;
	templ_flags(&priv, CKA_TOKEN, CKA_SIGN);
	templ_ulong(&priv, CKA_CHANCERY_AUDIT, CHANCERY_AUDIT_BATCH);
	templ_text(&priv, CKA_LABEL, "responder");
	k = p11_p256(s, &pub, &priv);
	expect("sign.batch");
	assert_ok(vendor->SignBatch(s, &m, k.priv, a, LENGTH(a)));
	rolls_text(v = the_record(), "key.label", "responder");
	bytes_are(v, 30);
	json_decref(v);
}

static void private_uses(void **state)
{
	struct templ pub = { 0 }, priv = { 0 };
	CK_MECHANISM pkcs = mechanism(CKM_RSA_PKCS, NULL, 0);
	CK_ULONG n = sizeof(result);
	CK_UTF8CHAR pin[] = USER_PIN;
	struct pair k;
	json_t *v;

	(void)state;
	templ_flags(&pub, CKA_VERIFY_RECOVER, CKA_VERIFY);
	templ_flags(&priv, CKA_SIGN_RECOVER, CKA_ALWAYS_AUTHENTICATE);
	k = p11_rsa(s, 2048, &pub, &priv);
	assert_ok(p11->C_SignRecoverInit(s, &pkcs, k.priv));
	expect("login.context");
	assert_ok(p11->C_Login(s, CKU_CONTEXT_SPECIFIC, pin, sizeof(pin) - 1));
	json_decref(the_record());
	expect("sign.recover");
	assert_ok(p11->C_SignRecover(s, data, 20, result, &n));
	rolls_text(v = the_record(), "key.class", "private");
	json_decref(v);
	expect("mac.verify");
	assert_ok(p11->C_VerifyRecoverInit(s, &pkcs, k.pub));
	n = sizeof(result);
	assert_ok(p11->C_VerifyRecover(s, result, 256, result, &n));
	nothing_more(); /* with a public key */
}

/* The beginning before the first byte, the end however it ends. */
static void streams(void **state)
{
	CK_OBJECT_HANDLE aes = token_key(CKM_AES_KEY_GEN, CKA_ENCRYPT, CKA_DECRYPT);
	CK_MECHANISM ecb = mechanism(CKM_AES_ECB, NULL, 0);
	CK_SESSION_HANDLE other = p11_open(p11_slot(), true);
	CK_ULONG n = sizeof(result);
	json_t *v;

	(void)state;
	assert_ok(p11->C_DecryptInit(s, &ecb, aes));
	expect("stream.begin");
	assert_ok(p11->C_DecryptUpdate(s, data, 64, result, &n));
	assert_true(n > 0);
	about_key(v = the_record());
	json_decref(v);
	expect("stream.end");
	assert_ok(p11->C_DecryptInit(s, NULL, aes)); /* cancelled: what it gave out stays known */
	about_key(v = the_record());
	bytes_are(v, 64);
	json_decref(v);
	assert_ok(p11->C_EncryptInit(other, &ecb, aes));
	n = sizeof(result);
	assert_ok(p11->C_EncryptUpdate(other, data, 32, result, &n));
	expect("stream.end");
	assert_ok(p11->C_CloseSession(other));
	bytes_are(v = the_record(), 32);
	json_decref(v);
}

static void keys_from_keys(void **state)
{
	CK_OBJECT_HANDLE kek = token_key(CKM_AES_KEY_GEN, CKA_WRAP, CKA_UNWRAP), key, made;
	CK_OBJECT_HANDLE base = token_key(CKM_HKDF_KEY_GEN, CKA_DERIVE, CKA_DERIVE);
	CK_HKDF_PARAMS p = { .bExtract = CK_TRUE,
			     .bExpand = CK_TRUE,
			     .prfHashMechanism = CKM_SHA256,
			     .ulSaltType = CKF_HKDF_SALT_NULL };
	CK_MECHANISM kwp = mechanism(CKM_AES_KEY_WRAP_KWP, NULL, 0),
		     hkdf = mechanism(CKM_HKDF_DERIVE, &p, sizeof(p));
	CK_ULONG n = sizeof(result);
	struct templ in = { 0 }, out = { 0 };
	json_t *v;

	(void)state;
	key = token_key(CKM_AES_KEY_GEN, CKA_ENCRYPT, CKA_DECRYPT);
	expect("key.wrap");
	assert_ok(p11->C_WrapKey(s, &kwp, kek, key, result, &n));
	about_key(v = the_records(2)); /* of both */
	json_decref(v);
	templ_ulong(&in, CKA_CLASS, CKO_SECRET_KEY);
	templ_ulong(&in, CKA_KEY_TYPE, CKK_AES);
	expect("key.unwrap");
	assert_ok(p11->C_UnwrapKey(s, &kwp, kek, result, n, in.a, in.n, &made));
	json_decref(the_records(2)); /* the use, and what came of it */
	templ_ulong(&out, CKA_VALUE_LEN, 32);
	expect("key.derive");
	assert_ok(p11->C_DeriveKey(s, &hkdf, base, out.a, out.n, &made));
	json_decref(the_records(2));
}

/* ---- what is not recorded ---- */

static void not_recorded(void **state)
{
	CK_MECHANISM sha = mechanism(CKM_SHA256, NULL, 0), ecb = mechanism(CKM_AES_ECB, NULL, 0);
	CK_ULONG n = sizeof(result);
	struct pair k = p11_p256(s, NULL, NULL);
	CK_OBJECT_HANDLE fresh;
	struct templ none = { 0 };

	(void)state;
	expect("encrypt");
	fresh = p11_secret(s, CKM_AES_KEY_GEN, 32, CKA_ENCRYPT);
	assert_ok(p11->C_EncryptInit(s, &ecb, fresh));
	assert_ok(p11->C_Encrypt(s, data, 16, result, &n));
	assert_ok(p11->C_DigestInit(s, &sha));
	n = sizeof(result);
	assert_ok(p11->C_Digest(s, data, 16, result, &n));
	assert_ok(p11->C_GenerateRandom(s, result, 16));
	(void)p11_count(s, &none);
	(void)p11_get_ulong(s, k.priv, CKA_KEY_TYPE);
	nothing_more();
}

static int setup_session_keys(void **state)
{
	int rc = p11_setup_configured(state, ROLLS_CALM "session_keys = on\n");

	if (rc != 0)
		return rc;
	s = p11_session();
	return 0;
}

static void session_keys(void **state)
{
	CK_MECHANISM ecb = mechanism(CKM_AES_ECB, NULL, 0);
	CK_ULONG n = sizeof(result);
	CK_OBJECT_HANDLE fresh;

	(void)state;
	expect("key.generate");
	fresh = p11_secret(s, CKM_AES_KEY_GEN, 32, CKA_ENCRYPT);
	json_decref(the_record());
	assert_ok(p11->C_EncryptInit(s, &ecb, fresh));
	expect("encrypt");
	assert_ok(p11->C_Encrypt(s, data, 16, result, &n));
	json_decref(the_record());
}

/* ---- the host's words ---- */

static void sign_once(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE mac)
{
	CK_MECHANISM hmac = mechanism(CKM_SHA256_HMAC, NULL, 0);
	CK_ULONG n = sizeof(result);

	assert_ok(p11->C_SignInit(session, &hmac, mac));
	assert_ok(p11->C_Sign(session, data, 10, result, &n));
}

static void on_behalf(void **state)
{
	static CK_UTF8CHAR text[] = "CN=\"x\"\n{\"uid\":0}", big[CHANCERY_ON_BEHALF_MAX + 1];
	CK_OBJECT_HANDLE mac = token_key(CKM_GENERIC_SECRET_KEY_GEN, CKA_SIGN, CKA_VERIFY);
	CK_SESSION_HANDLE other = p11_open(p11_slot(), false);
	json_t *v;

	(void)state;
	assert_rv(vendor->AuditOnBehalf(s, big, sizeof(big)), CKR_DATA_LEN_RANGE);
	assert_rv(vendor->AuditOnBehalf(s, NULL, 1), CKR_ARGUMENTS_BAD);
	assert_rv(vendor->AuditOnBehalf(CK_INVALID_HANDLE, text, 1), CKR_SESSION_HANDLE_INVALID);
	assert_ok(vendor->AuditOnBehalf(s, text, sizeof(text) - 1));
	sign_once(s, mac);
	sign_once(s, mac); /* it stays */
	rolls_text(v = rolls_last("sign"), "on_behalf", (const char *)text);
	assert_int_equal(json_integer_value(json_object_get(v, "uid")), geteuid());
	json_decref(v);
	sign_once(other, mac); /* of its session alone */
	rolls_text(v = rolls_last("sign"), "on_behalf", NULL);
	json_decref(v);
	assert_ok(vendor->AuditOnBehalf(s, NULL, 0));
	sign_once(s, mac);
	rolls_text(v = rolls_last("sign"), "on_behalf", NULL);
	json_decref(v);
	/* nor does it go to whom the session is next */
	assert_ok(vendor->AuditOnBehalf(other, text, 3));
	assert_ok(p11->C_CloseSession(other));
	other = p11_open(p11_slot(), false);
	sign_once(other, mac);
	rolls_text(v = rolls_last("sign"), "on_behalf", NULL);
	json_decref(v);
}

static void reference(void **state)
{
	CK_OBJECT_HANDLE mac = token_key(CKM_GENERIC_SECRET_KEY_GEN, CKA_SIGN, CKA_VERIFY);
	CK_SESSION_HANDLE other = p11_open(p11_slot(), false);
	CK_CHANCERY_REFERENCE a, b;
	CK_CHANCERY_AUDIT st;
	char head[65];
	json_t *v;

	(void)state;
	assert_rv(vendor->AuditReference(other, &a), CKR_OPERATION_NOT_INITIALIZED);
	assert_rv(vendor->AuditReference(s, NULL), CKR_ARGUMENTS_BAD);
	sign_once(other, mac);
	assert_ok(vendor->AuditReference(other, &a));
	v = rolls_last("sign");
	assert_int_equal(json_integer_value(json_object_get(v, "seq")), a.seq);
	json_decref(v);
	sign_once(s, mac);
	assert_ok(vendor->AuditReference(other, &b));
	assert_memory_equal(&a, &b, sizeof(a));
	for (size_t i = 0; i < 32; i++)
		snprintf(head + 2 * i, 3, "%02x", a.head[i]);
	rolls_text(v = rolls_last("sign"), "prev", head); /* what the next one names */
	json_decref(v);
	assert_ok(vendor->AuditState(&st));
	assert_true(st.on && st.open && st.durable && !st.failed);
	assert_int_equal(st.file, a.file);
	assert_ok(vendor->AuditCheckpoint());
	seen[row_of("checkpoint") - rows]++;
	json_decref(rolls_last("checkpoint"));
}

/* One thread asks for the record of another's session, and makes one of its own. */
struct asking {
	CK_SESSION_HANDLE theirs, ours;
	CK_OBJECT_HANDLE mac;
	CK_CHANCERY_REFERENCE of_theirs, of_ours;
};

static void *ask(void *arg)
{
	struct asking *a = arg;
	CK_MECHANISM hmac = mechanism(CKM_SHA256_HMAC, NULL, 0);
	CK_BYTE out[32];
	CK_ULONG n = sizeof(out);

	if (p11->C_SignInit(a->ours, &hmac, a->mac) != CKR_OK ||
	    p11->C_Sign(a->ours, data, 10, out, &n) != CKR_OK)
		return NULL;
	(void)vendor->AuditReference(a->theirs, &a->of_theirs);
	(void)vendor->AuditReference(a->ours, &a->of_ours);
	return NULL;
}

/* It belongs to the session, whatever thread asks; a call that is not recorded leaves it, and the session's end takes it. */
static void reference_of_its_session(void **state)
{
	CK_OBJECT_HANDLE mac = token_key(CKM_GENERIC_SECRET_KEY_GEN, CKA_SIGN, CKA_VERIFY);
	CK_SESSION_HANDLE other = p11_open(p11_slot(), false);
	struct asking a = { .theirs = s, .ours = other, .mac = mac };
	CK_CHANCERY_REFERENCE before_it, after;
	pthread_t t;

	(void)state;
	sign_once(s, mac);
	assert_ok(vendor->AuditReference(s, &before_it));
	assert_int_equal(pthread_create(&t, NULL, ask, &a), 0);
	assert_int_equal(pthread_join(t, NULL), 0);
	assert_memory_equal(&a.of_theirs, &before_it, sizeof(before_it));
	assert_int_equal(a.of_ours.seq, before_it.seq + 1);
	assert_ok(p11->C_GenerateRandom(s, result, 16));
	assert_ok(vendor->AuditReference(s, &after));
	assert_memory_equal(&after, &before_it, sizeof(after));
	assert_ok(p11->C_CloseSession(other));
	other = p11_open(p11_slot(), false);
	assert_rv(vendor->AuditReference(other, &after), CKR_OPERATION_NOT_INITIALIZED);
}

/* ---- the end ---- */

static void module_stop(void **state)
{
	(void)state;
	p11_finalize();
	json_decref(rolls_last("module.stop"));
	seen[row_of("module.stop") - rows]++;
}

/* A process that only looks leaves no file. */
static void only_looks(void **state)
{
	size_t n;
	struct templ none = { 0 };
	CK_TOKEN_INFO info;

	(void)state;
	s = case_restart();
	n = rolls_count("module.start");
	(void)p11_count(s, &none);
	assert_ok(p11->C_GetTokenInfo(p11_slot(), &info));
	p11_finalize();
	assert_int_equal(rolls_count("module.start"), n);
}

static void every_row_was_met(void **state)
{
	static const char *const elsewhere[] = { "roll.rotate", "roll.continue",
						 "roll.low" }; /* unit.roll */
	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		bool skip = false;

		for (size_t j = 0; j < LENGTH(elsewhere); j++)
			skip = skip || strcmp(rows[i].name, elsewhere[j]) == 0;
		if (!skip && seen[i] == 0)
			fail_msg("no call of this test leads to %s", rows[i].name);
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, p11_teardown)
	const struct CMUnitTest tests[] = {
		TEST(token_and_pins),
		TEST(objects),
		TEST(pair),
		TEST(uses),
		TEST(batch),
		TEST(private_uses),
		TEST(streams),
		TEST(keys_from_keys),
		TEST(not_recorded),
		cmocka_unit_test_setup_teardown(session_keys, setup_session_keys, p11_teardown),
		TEST(on_behalf),
		TEST(reference),
		TEST(reference_of_its_session),
		TEST(module_stop),
		TEST(only_looks),
		cmocka_unit_test(every_row_was_met),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
