/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Case R05: once the roll cannot be written, nothing is delivered. Each call that must be recorded is tried as the first one after the roll
 * broke, in two ways: the reader of a FIFO went away, the file was unlinked. It returns an error, gives nothing out, makes nothing, and the state
 * is latched and can be asked for. What needs no record goes on.
 */
#include "case.h"
#include "rolls.h"

#include <chancery/chancery.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum way { READER_GONE, UNLINKED, WAYS };

#define HANDLE 4711

static const CK_CHANCERY_FUNCTIONS *vendor;
static CK_SESSION_HANDLE s;
static CK_OBJECT_HANDLE aes, mac, kek, base, doomed; /* token objects */
static CK_OBJECT_HANDLE made, made2;
static CK_BYTE data[64], blob[64], result[256];
static CK_ULONG blob_n, mac_n, n;
static int reader = -1;

/* ---- the roll ---- */

static void fifo_path(char path[128])
{
	snprintf(path, 128, "%s/fifo", p11_home());
}

static void configure(enum way w)
{
	char path[128], conf[160];

	if (w == UNLINKED) {
		p11_configure("");
		return;
	}
	fifo_path(path);
	(void)unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(reader >= 0);
	snprintf(conf, sizeof(conf), "[module]\naudit = %s\n", path);
	p11_configure(conf);
}

static void break_it(enum way w)
{
	if (w == UNLINKED) {
		rolls_unlink_all();
		return;
	}
	assert_int_equal(close(reader), 0);
	reader = -1;
}

static void assert_latched(void)
{
	CK_CHANCERY_AUDIT st;

	assert_ok(vendor->AuditState(&st));
	assert_true(st.on && st.failed);
	assert_int_not_equal(st.why[0], '\0');
}

/* ---- a token with keys, made while all was well ---- */

static CK_OBJECT_HANDLE key(CK_MECHANISM_TYPE type, const char *label, CK_ATTRIBUTE_TYPE use,
			    CK_ATTRIBUTE_TYPE use2)
{
	CK_MECHANISM m = mechanism(type, NULL, 0);
	struct templ t = { 0 };
	CK_OBJECT_HANDLE h;

	templ_ulong(&t, CKA_VALUE_LEN, 32);
	templ_flags(&t, CKA_TOKEN, CKA_EXTRACTABLE, use, use2);
	templ_bool(&t, CKA_SENSITIVE, false);
	templ_text(&t, CKA_LABEL, label);
	assert_ok(p11->C_GenerateKey(s, &m, t.a, t.n, &h));
	return h;
}

static CK_OBJECT_HANDLE by_label(const char *label)
{
	struct templ t = { 0 };
	CK_OBJECT_HANDLE h = 0;
	CK_ULONG found = 0;

	templ_text(&t, CKA_LABEL, label);
	assert_ok(p11->C_FindObjectsInit(s, t.a, t.n));
	assert_ok(p11->C_FindObjects(s, &h, 1, &found));
	assert_ok(p11->C_FindObjectsFinal(s));
	assert_int_equal(found, 1);
	return h;
}

static int setup(void **state)
{
	CK_MECHANISM kwp = mechanism(CKM_AES_KEY_WRAP_KWP, NULL, 0),
		     hmac = mechanism(CKM_SHA256_HMAC, NULL, 0);
	int rc = p11_setup_token(state);

	if (rc != 0)
		return rc;
	s = p11_session();
	vendor = p11_vendor();
	(void)key(CKM_AES_KEY_GEN, "doomed", CKA_ENCRYPT, CKA_DECRYPT);
	aes = key(CKM_AES_KEY_GEN, "aes", CKA_ENCRYPT, CKA_DECRYPT);
	mac = key(CKM_GENERIC_SECRET_KEY_GEN, "mac", CKA_SIGN, CKA_VERIFY);
	kek = key(CKM_AES_KEY_GEN, "kek", CKA_WRAP, CKA_UNWRAP);
	(void)key(CKM_HKDF_KEY_GEN, "base", CKA_DERIVE, CKA_DERIVE);
	blob_n = sizeof(blob);
	assert_ok(p11->C_WrapKey(s, &kwp, kek, aes, blob, &blob_n));
	assert_ok(p11->C_SignInit(s, &hmac, mac));
	mac_n = sizeof(result);
	assert_ok(p11->C_Sign(s, data, sizeof(data), result, &mac_n));
	memcpy(data, result, mac_n); /* some input */
	p11_finalize();
	return 0;
}

static CK_SESSION_HANDLE start(void)
{
	p11_initialize();
	return p11_open(p11_slot(), true);
}

static void begin(enum way w)
{
	configure(w);
	s = start();
	p11_login(s, CKU_USER);
	doomed = by_label("doomed");
	aes = by_label("aes");
	mac = by_label("mac");
	kek = by_label("kek");
	base = by_label("base");
	made = made2 = HANDLE;
	n = sizeof(result);
	memset(result, 0xee, sizeof(result));
}

/* ---- calls: what comes before the roll breaks, and the one after ---- */

static CK_MECHANISM ecb = { CKM_AES_ECB, NULL, 0 }, hmac256 = { CKM_SHA256_HMAC, NULL, 0 },
		    wrapping = { CKM_AES_KEY_WRAP_KWP, NULL, 0 };

static void sign_init(void)
{
	assert_ok(p11->C_SignInit(s, &hmac256, mac));
}

static CK_RV sign(void)
{
	return p11->C_Sign(s, data, 32, result, &n);
}

static void sign_update(void)
{
	sign_init();
	assert_ok(p11->C_SignUpdate(s, data, 32));
}

static CK_RV sign_final(void)
{
	return p11->C_SignFinal(s, result, &n);
}

static void verify_init(void)
{
	assert_ok(p11->C_VerifyInit(s, &hmac256, mac));
}

static CK_RV verify(void)
{
	return p11->C_Verify(s, data, 32, data, 32);
}

static void encrypt_init(void)
{
	assert_ok(p11->C_EncryptInit(s, &ecb, aes));
}

static CK_RV encrypt(void)
{
	return p11->C_Encrypt(s, data, 32, result, &n);
}

static CK_RV encrypt_update(void)
{
	return p11->C_EncryptUpdate(s, data, 32, result, &n);
}

static void decrypt_init(void)
{
	assert_ok(p11->C_DecryptInit(s, &ecb, aes));
}

static CK_RV decrypt(void)
{
	return p11->C_Decrypt(s, data, 32, result, &n);
}

static CK_RV decrypt_update(void)
{
	return p11->C_DecryptUpdate(s, data, 64, result, &n);
}

static CK_RV wrap(void)
{
	return p11->C_WrapKey(s, &wrapping, kek, aes, result, &n);
}

static CK_RV unwrap(void)
{
	struct templ t = { 0 };

	templ_ulong(&t, CKA_CLASS, CKO_SECRET_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, CKK_AES);
	templ_bool(&t, CKA_TOKEN, true);
	return p11->C_UnwrapKey(s, &wrapping, kek, blob, blob_n, t.a, t.n, &made);
}

static CK_RV generate(void)
{
	CK_MECHANISM m = mechanism(CKM_AES_KEY_GEN, NULL, 0);
	struct templ t = { 0 };

	templ_ulong(&t, CKA_VALUE_LEN, 32);
	templ_bool(&t, CKA_TOKEN, true);
	return p11->C_GenerateKey(s, &m, t.a, t.n, &made);
}

static CK_RV generate_pair(void)
{
	CK_MECHANISM m = mechanism(CKM_EC_KEY_PAIR_GEN, NULL, 0);
	struct templ pub = { 0 }, priv = { 0 };

	templ_bytes(&pub, CKA_EC_PARAMS, p11_oid_p256, sizeof(p11_oid_p256));
	templ_bool(&priv, CKA_TOKEN, true);
	return p11->C_GenerateKeyPair(s, &m, pub.a, pub.n, priv.a, priv.n, &made, &made2);
}

/* A private key is watched wherever it lies. */
static CK_RV generate_session_pair(void)
{
	CK_MECHANISM m = mechanism(CKM_EC_KEY_PAIR_GEN, NULL, 0);
	struct templ pub = { 0 }, priv = { 0 };

	templ_bytes(&pub, CKA_EC_PARAMS, p11_oid_p256, sizeof(p11_oid_p256));
	return p11->C_GenerateKeyPair(s, &m, pub.a, pub.n, priv.a, 0, &made, &made2);
}

static CK_RV create(void)
{
	struct templ t = { 0 };

	case_open_secret(&t, CKK_GENERIC_SECRET, data, 32);
	templ_bool(&t, CKA_TOKEN, true);
	return p11->C_CreateObject(s, t.a, t.n, &made);
}

static CK_RV create_for_session(void)
{
	struct templ t = { 0 };

	case_open_secret(&t, CKK_GENERIC_SECRET, data, 32);
	return p11->C_CreateObject(s, t.a, t.n, &made);
}

static CK_RV copy(void)
{
	struct templ t = { 0 };

	templ_bool(&t, CKA_TOKEN, false);
	return p11->C_CopyObject(s, aes, t.a, t.n, &made);
}

static CK_RV derive(void)
{
	CK_HKDF_PARAMS p = { .bExtract = CK_TRUE,
			     .bExpand = CK_TRUE,
			     .prfHashMechanism = CKM_SHA256,
			     .ulSaltType = CKF_HKDF_SALT_NULL };
	CK_MECHANISM m = mechanism(CKM_HKDF_DERIVE, &p, sizeof(p));
	struct templ t = { 0 };

	templ_ulong(&t, CKA_VALUE_LEN, 32);
	return p11->C_DeriveKey(s, &m, base, t.a, t.n, &made);
}

static CK_RV read_secret(void)
{
	CK_ATTRIBUTE a = { CKA_VALUE, result, 32 };

	return p11->C_GetAttributeValue(s, aes, &a, 1);
}

static void digest_init(void)
{
	CK_MECHANISM sha = mechanism(CKM_SHA256, NULL, 0);

	assert_ok(p11->C_DigestInit(s, &sha));
}

static CK_RV digest_key(void)
{
	return p11->C_DigestKey(s, mac);
}

static CK_RV set(void)
{
	struct templ t = { 0 };

	templ_text(&t, CKA_ID, "after");
	return p11->C_SetAttributeValue(s, aes, t.a, t.n);
}

static CK_RV destroy(void)
{
	return p11->C_DestroyObject(s, doomed);
}

static CK_RV set_pin(void)
{
	CK_UTF8CHAR pin[] = USER_PIN;

	return p11->C_SetPIN(s, pin, sizeof(pin) - 1, pin, sizeof(pin) - 1);
}

/* A change of what is there stays, since it is durable; what is kept of its event is recorded later (owed). */
static const struct deed {
	const char *name;
	void (*before)(void);
	CK_RV (*call)(void);
	enum { USES, MAKES, CHANGES } kind;
} deeds[] = {
	{ "C_Sign", sign_init, sign, USES },
	{ "C_SignFinal", sign_update, sign_final, USES },
	{ "C_Verify", verify_init, verify, USES },
	{ "C_Encrypt", encrypt_init, encrypt, USES },
	{ "C_EncryptUpdate", encrypt_init, encrypt_update, USES },
	{ "C_Decrypt", decrypt_init, decrypt, USES },
	{ "C_DecryptUpdate", decrypt_init, decrypt_update, USES },
	{ "C_WrapKey", NULL, wrap, USES },
	{ "C_UnwrapKey", NULL, unwrap, MAKES },
	{ "C_GenerateKey", NULL, generate, MAKES },
	{ "C_GenerateKeyPair", NULL, generate_pair, MAKES },
	{ "C_GenerateKeyPair of the session", NULL, generate_session_pair, USES },
	{ "C_CreateObject", NULL, create, MAKES },
	{ "C_CreateObject of the session", NULL, create_for_session, USES },
	{ "C_CopyObject", NULL, copy, USES },
	{ "C_DeriveKey", NULL, derive, USES },
	{ "C_GetAttributeValue", NULL, read_secret, USES },
	{ "C_DigestKey", digest_init, digest_key, USES },
	{ "C_SetPIN", NULL, set_pin, USES },
	{ "C_SetAttributeValue", NULL, set, CHANGES },
	{ "C_DestroyObject", NULL, destroy, CHANGES },
};

/* ---- what goes on ---- */

static void the_rest_goes_on(void)
{
	CK_MECHANISM sha = mechanism(CKM_SHA256, NULL, 0),
		     gen = mechanism(CKM_AES_KEY_GEN, NULL, 0);
	CK_OBJECT_HANDLE h = HANDLE;
	struct templ t = { 0 };
	CK_BYTE out[64];
	CK_ULONG len = sizeof(out);

	(void)p11->C_DigestInit(s, NULL);
	assert_ok(p11->C_DigestInit(s, &sha));
	assert_ok(p11->C_Digest(s, data, 16, out, &len));
	assert_ok(p11->C_GenerateRandom(s, out, 16));
	assert_int_equal(p11_get_ulong(s, kek, CKA_KEY_TYPE), CKK_AES);
	/* no key is used, nor made: not even one whose uses are not recorded */
	assert_rv(p11->C_SignInit(s, &hmac256, mac), CKR_DEVICE_ERROR);
	templ_ulong(&t, CKA_VALUE_LEN, 32);
	assert_rv(p11->C_GenerateKey(s, &gen, t.a, t.n, &h), CKR_DEVICE_ERROR);
	assert_int_equal(h, HANDLE);
	assert_latched();
}

static void assert_withheld(const char *name)
{
	for (size_t i = 0; i < sizeof(result); i++)
		if (result[i] != 0xee && result[i] != 0)
			fail_msg("%s gave out something", name);
	if (made != HANDLE || made2 != HANDLE)
		fail_msg("%s gave a handle", name);
}

static void try(const struct deed *d, enum way w)
{
	struct templ all = { 0 };
	CK_ULONG objects;
	CK_RV rv;

	begin(w);
	objects = p11_count(s, &all);
	if (d->before != NULL)
		d->before();
	break_it(w);
	rv = d->call();
	if (rv != CKR_DEVICE_ERROR)
		fail_msg("%s: 0x%lx", d->name, rv);
	assert_withheld(d->name);
	assert_latched();
	if (d->kind != CHANGES && p11_count(s, &all) != objects)
		fail_msg("%s made something", d->name);
	the_rest_goes_on();
	p11_finalize();
	if (d->kind != MAKES)
		return;
	configure(UNLINKED); /* a roll that works */
	s = start();
	p11_login(s, CKU_USER);
	if (p11_count(s, &all) != objects)
		fail_msg("%s left something behind", d->name);
	p11_finalize();
}

static void reader_gone(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(deeds); i++) {
		if (deeds[i].kind != CHANGES)
			try(&deeds[i], READER_GONE);
	}
}

static void unlinked(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(deeds); i++)
		try(&deeds[i], UNLINKED);
}

/* Nothing can be recorded from the beginning: nobody logs in, and no token is made. */
static void full(void **state)
{
	static CK_UTF8CHAR so[] = SO_PIN, label[33] = "full                            ";
	CK_SLOT_ID slot = 4711;

	(void)state;
	p11_configure("[module]\naudit = /dev/full\n");
	s = start();
	assert_rv(case_login(s, CKU_USER, USER_PIN), CKR_DEVICE_ERROR);
	assert_latched();
	assert_rv(case_login(s, CKU_USER, "not the PIN"), CKR_DEVICE_ERROR); /* not even tried */
	assert_int_equal(case_token_flags(p11_slot()) & CKF_USER_PIN_COUNT_LOW, 0);
	assert_rv(vendor->TokenCreate(so, sizeof(so) - 1, label, &slot, NULL), CKR_DEVICE_ERROR);
	assert_int_equal(slot, 4711);
	p11_finalize();
}

/*
 * A change whose record failed stays owed while its process lives, and is recorded by the next one that opens the token, once. The
 * roll of that process is another one in the same directory.
 */
static void change_then_break(void)
{
	s = start();
	p11_login(s, CKU_USER);
	aes = by_label("aes");
	rolls_unlink_all();
	assert_rv(set(), CKR_DEVICE_ERROR);
	p11_finalize(); /* what is owed stays, also when the store is closed */
	_exit(0);
}

static void owed(void **state)
{
	struct templ after = { 0 };
	json_t *v;

	(void)state;
	p11_configure("");
	case_child(change_then_break);
	assert_int_equal(rolls_count("object.set"), 0);
	s = start();
	v = rolls_last("object.set");
	assert_int_equal(rolls_count("object.set"), 1);
	assert_non_null(json_object_get(v, "recovered"));
	assert_non_null(json_object_get(v, "change"));
	json_decref(v);
	p11_login(s, CKU_USER);
	templ_text(&after, CKA_ID, "after");
	assert_int_equal(p11_count(s, &after), 1);
	p11_finalize();
	s = start();
	assert_int_equal(rolls_count("object.set"), 1);
	p11_finalize();
}

/* A token that requires the roll is of no use without: not to be logged in to, and nothing of it changes; what is public can be seen. */
static void required(void **state)
{
	static CK_UTF8CHAR so[] = SO_PIN;
	CK_OBJECT_HANDLE h = HANDLE;
	struct templ t = { 0 };
	CK_TOKEN_INFO info;
	CK_BBOOL on = CK_FALSE;

	(void)state;
	p11_configure("");
	s = start();
	assert_rv(vendor->TokenRequireAudit(p11_slot(), data, 8, CK_TRUE, NULL), CKR_PIN_INCORRECT);
	assert_ok(vendor->TokenRequireAudit(p11_slot(), so, sizeof(so) - 1, CK_TRUE, NULL));
	p11_login(s, CKU_USER); /* with the roll all is as it was */
	mac = by_label("mac");
	sign_init();
	n = sizeof(result);
	assert_ok(sign());
	p11_finalize();
	p11_configure("[module]\naudit = off\npublic_write = on\n");
	s = start();
	assert_rv(case_login(s, CKU_USER, USER_PIN), CKR_DEVICE_ERROR);
	templ_ulong(&t, CKA_CLASS, CKO_DATA);
	templ_bool(&t, CKA_TOKEN, true);
	assert_rv(p11->C_CreateObject(s, t.a, t.n, &h), CKR_DEVICE_ERROR);
	assert_int_equal(h, HANDLE);
	assert_ok(p11->C_GetTokenInfo(p11_slot(), &info));
	assert_int_not_equal(info.flags & CKF_ERROR_STATE, 0);
	assert_ok(vendor->TokenRequiresAudit(p11_slot(), &on));
	assert_int_equal(on, CK_TRUE);
	/* nor is the demand taken back without a record */
	assert_rv(vendor->TokenRequireAudit(p11_slot(), so, sizeof(so) - 1, CK_FALSE, NULL),
		  CKR_DEVICE_ERROR);
	p11_finalize();
	p11_configure("");
	s = start();
	assert_ok(vendor->TokenRequireAudit(p11_slot(), so, sizeof(so) - 1, CK_FALSE, NULL));
	p11_finalize();
	p11_configure("[module]\naudit = off\n");
	s = start();
	p11_login(s, CKU_USER);
	mac = by_label("mac");
	sign_init();
	assert_ok(sign());
	p11_finalize();
}

/* As without: what goes to a stream is kept by nobody here. A token that requires nothing works on. */
static void required_of_a_stream(void **state)
{
	static CK_UTF8CHAR so[] = SO_PIN;
	CK_TOKEN_INFO info;

	(void)state;
	p11_configure("");
	s = start();
	assert_ok(vendor->TokenRequireAudit(p11_slot(), so, sizeof(so) - 1, CK_TRUE, NULL));
	p11_finalize();
	p11_configure("[module]\naudit = /dev/null\n");
	s = start();
	assert_rv(case_login(s, CKU_USER, USER_PIN), CKR_DEVICE_ERROR);
	assert_ok(p11->C_GetTokenInfo(p11_slot(), &info));
	assert_int_not_equal(info.flags & CKF_ERROR_STATE, 0);
	assert_rv(vendor->TokenRequireAudit(p11_slot(), so, sizeof(so) - 1, CK_FALSE, NULL),
		  CKR_DEVICE_ERROR);
	p11_finalize();
	configure(READER_GONE);
	s = start();
	assert_rv(case_login(s, CKU_USER, USER_PIN), CKR_DEVICE_ERROR);
	(void)p11_new_token("another",
			    true); /* its own user is logged in there, and the stream open */
	assert_rv(case_login(s, CKU_USER, USER_PIN), CKR_DEVICE_ERROR);
	p11_finalize();
	break_it(READER_GONE);
	p11_configure("");
	s = start();
	p11_login(s, CKU_USER);
	mac = by_label("mac");
	sign_init();
	n = sizeof(result);
	assert_ok(sign());
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, p11_teardown)
	const struct CMUnitTest tests[] = {
		TEST(reader_gone), TEST(unlinked), TEST(full),
		TEST(owed),        TEST(required), TEST(required_of_a_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
