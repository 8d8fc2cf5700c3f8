/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every function of the standard's list and of the vendor interface is called, in the ways that leaves.def has, and leaves exactly the records
 * that stand there, in their order: also when it fails, when nothing is to be recorded, and when it ends what another began. A function
 * without a row fails the last test.
 */
#include "case.h"
#include "rolls.h"

#include "base/names.h"
#include <stdio.h>

#define TEXT_OF(array) (array), sizeof(array) - 1

static const CK_CHANCERY_FUNCTIONS *vendor;
static CK_SESSION_HANDLE s, other;
static CK_SLOT_ID spare, third;
static CK_OBJECT_HANDLE aes, mac, kek, base, hidden, batch, fresh, made, made2;
static struct pair rsa, ec;
static CK_BYTE data[32], large[16384], result[20000], tag[32], got[64], blob[512], saved[512];
static CK_ULONG n, none, blob_n, saved_n = sizeof(saved);
static CK_UTF8CHAR so[] = SO_PIN, user[] = USER_PIN, wrong[] = "not the PIN", label[33];
static char path[160];

static CK_CHANCERY_ANSWER answers[2];

/* Where results go that nobody looks at. */
static struct {
	CK_INFO info;
	CK_FUNCTION_LIST_PTR functions;
	CK_INTERFACE_PTR interface;
	CK_SLOT_INFO slot;
	CK_TOKEN_INFO token;
	CK_MECHANISM_INFO mechanism;
	CK_SESSION_INFO session;
	CK_SLOT_ID id;
	CK_FLAGS flags;
	CK_ASYNC_DATA async;
	CK_CHANCERY_MEMORY memory;
	CK_CHANCERY_REFERENCE reference;
	CK_CHANCERY_AUDIT audit;
	CK_BBOOL flag;
} any;

static CK_BYTE iv[16];
static CK_MECHANISM ecb = { CKM_AES_ECB, NULL, 0 }, cbc_pad = { CKM_AES_CBC_PAD, iv, sizeof(iv) },
		    sha = { CKM_SHA256, NULL, 0 }, hmac = { CKM_SHA256_HMAC, NULL, 0 },
		    pkcs = { CKM_RSA_PKCS, NULL, 0 }, ecdsa = { CKM_ECDSA, NULL, 0 },
		    kwp = { CKM_AES_KEY_WRAP_KWP, NULL, 0 }, aes_gen = { CKM_AES_KEY_GEN, NULL, 0 },
		    ec_gen = { CKM_EC_KEY_PAIR_GEN, NULL, 0 };
static CK_HKDF_PARAMS hkdf_how = { .bExtract = CK_TRUE,
				   .bExpand = CK_TRUE,
				   .prfHashMechanism = CKM_SHA256,
				   .ulSaltType = CKF_HKDF_SALT_NULL };
static CK_MECHANISM hkdf = { CKM_HKDF_DERIVE, &hkdf_how, sizeof(hkdf_how) };

static struct templ key_of_token, key_of_session, data_of_session, of_session, relabelled, value,
	new_key, fresh_key, new_pub, new_priv, curve, unwrapped, derived;
static CK_ATTRIBUTE value_length = { CKA_VALUE, NULL, 0 }, value_short = { CKA_VALUE, got, 1 },
		    its_label = { CKA_LABEL, got, sizeof(got) };

static void counted(void *arg, const CK_CHANCERY_USE *use)
{
	(void)arg;
	(void)use;
}

static void heard(void *arg, CK_BBOOL good, const char *line)
{
	(void)arg, (void)good, (void)line;
}

/* ---- keys and templates ---- */

static CK_OBJECT_HANDLE token_key(CK_MECHANISM_TYPE type, const char *id, bool readable,
				  CK_ATTRIBUTE_TYPE use, CK_ATTRIBUTE_TYPE use2)
{
	CK_MECHANISM m = mechanism(type, NULL, 0);
	struct templ t = { 0 };
	CK_OBJECT_HANDLE h;

	templ_ulong(&t, CKA_VALUE_LEN, 32);
	templ_flags(&t, CKA_TOKEN, CKA_PRIVATE, use, use2);
	templ_bool(&t, CKA_EXTRACTABLE, readable);
	templ_bool(&t, CKA_SENSITIVE, !readable);
	templ_text(&t, CKA_ID, id);
	assert_ok(p11->C_GenerateKey(s, &m, t.a, t.n, &h));
	return h;
}

static void fill_creating(void)
{
	case_open_secret(&key_of_token, CKK_GENERIC_SECRET, large, 20);
	templ_flags(&key_of_token, CKA_TOKEN, CKA_SIGN);
	case_open_secret(&key_of_session, CKK_GENERIC_SECRET, large, 20);
	templ_ulong(&data_of_session, CKA_CLASS, CKO_DATA);
	templ_bool(&of_session, CKA_TOKEN, false);
	templ_text(&relabelled, CKA_LABEL, "another");
	templ_bytes(&value, CKA_VALUE, got, 32);
}

static void fill_making(void)
{
	templ_ulong(&new_key, CKA_VALUE_LEN, 32);
	templ_flags(&new_key, CKA_TOKEN, CKA_ENCRYPT);
	templ_ulong(&fresh_key, CKA_VALUE_LEN, 32);
	templ_flags(&fresh_key, CKA_EXTRACTABLE, CKA_ENCRYPT);
	templ_bool(&fresh_key, CKA_SENSITIVE, false);
	templ_bytes(&curve, CKA_EC_PARAMS, p11_oid_p256, sizeof(p11_oid_p256));
	templ_bytes(&new_pub, CKA_EC_PARAMS, p11_oid_p256, sizeof(p11_oid_p256));
	templ_flags(&new_pub, CKA_TOKEN, CKA_VERIFY);
	templ_flags(&new_priv, CKA_TOKEN, CKA_SIGN);
	templ_ulong(&unwrapped, CKA_CLASS, CKO_SECRET_KEY);
	templ_ulong(&unwrapped, CKA_KEY_TYPE, CKK_AES);
	templ_ulong(&derived, CKA_VALUE_LEN, 32);
}

static void make_pairs(void)
{
	struct templ pub = { 0 }, priv = { 0 };

	templ_flags(&pub, CKA_VERIFY_RECOVER, CKA_ENCRYPT);
	templ_flags(&priv, CKA_SIGN_RECOVER, CKA_DECRYPT, CKA_ALWAYS_AUTHENTICATE, CKA_PRIVATE);
	rsa = p11_rsa(s, 2048, &pub, &priv);
	ec = p11_p256(s, NULL, NULL);
}

static void make_batch_key(void)
{
	struct templ pub = { 0 }, priv = { 0 };

	templ_ulong(&priv, CKA_CHANCERY_AUDIT, CHANCERY_AUDIT_BATCH);
	templ_flags(&priv, CKA_TOKEN, CKA_PRIVATE, CKA_SIGN);
	templ_text(&priv, CKA_ID, "batch");
	batch = p11_p256(s, &pub, &priv).priv;
}

static void make_keys(void)
{
	aes = token_key(CKM_AES_KEY_GEN, "aes", true, CKA_ENCRYPT, CKA_DECRYPT);
	mac = token_key(CKM_GENERIC_SECRET_KEY_GEN, "mac", true, CKA_SIGN, CKA_VERIFY);
	kek = token_key(CKM_AES_KEY_GEN, "kek", true, CKA_WRAP, CKA_UNWRAP);
	base = token_key(CKM_HKDF_KEY_GEN, "base", true, CKA_DERIVE, CKA_DERIVE);
	hidden = token_key(CKM_AES_KEY_GEN, "hidden", false, CKA_ENCRYPT, CKA_DECRYPT);
	make_batch_key();
	assert_ok(p11->C_SignInit(s, &hmac, mac));
	n = sizeof(tag);
	assert_ok(p11->C_Sign(s, data, 16, tag, &n));
}

static CK_OBJECT_HANDLE by_id(const char *id)
{
	struct templ t = { 0 };
	CK_OBJECT_HANDLE h = 0;
	CK_ULONG k = 0;

	templ_text(&t, CKA_ID, id);
	templ_bool(&t, CKA_TOKEN, true);
	assert_ok(p11->C_FindObjectsInit(s, t.a, t.n));
	assert_ok(p11->C_FindObjects(s, &h, 1, &k));
	assert_ok(p11->C_FindObjectsFinal(s));
	assert_int_equal(k, 1);
	return h;
}

/* They have other handles after another login; the pairs are of the session, and went with the former. */
static void find_keys(void)
{
	aes = by_id("aes");
	mac = by_id("mac");
	kek = by_id("kek");
	base = by_id("base");
	hidden = by_id("hidden");
	batch = by_id("batch");
	make_pairs();
}

static int setup(void **state)
{
	int rc = p11_setup_configured(state, ROLLS_CALM);

	if (rc != 0)
		return rc;
	s = p11_session();
	vendor = p11_vendor();
	spare = p11_new_token("spare", false);
	snprintf((char *)label, sizeof(label), "%-32s", "some label");
	while (p11->C_WaitForSlotEvent(CKF_DONT_BLOCK, &any.id, NULL) == CKR_OK)
		continue; /* of the tokens that were made just now */
	snprintf(path, sizeof(path), "%s/copy", p11_home());
	fill_creating();
	fill_making();
	make_keys();
	make_pairs();
	return 0;
}

/* ---- before a call ---- */

static void nothing(void)
{
}

static void nobody(void)
{
	assert_ok(p11->C_Logout(s));
}

static void officer(void)
{
	nobody();
	p11_login(s, CKU_SO);
}

static void encrypting(void)
{
	assert_ok(p11->C_EncryptInit(s, &ecb, aes));
}

static void encrypting_on(void)
{
	encrypting();
	n = sizeof(result);
	assert_ok(p11->C_EncryptUpdate(s, data, 16, result, &n));
}

static void encrypting_public(void)
{
	assert_ok(p11->C_EncryptInit(s, &pkcs, rsa.pub));
}

static void encrypting_fresh(void)
{
	assert_ok(p11->C_EncryptInit(s, &ecb, fresh));
}

static void decrypting(void)
{
	assert_ok(p11->C_DecryptInit(s, &ecb, aes));
}

static void unpadding(void)
{
	assert_ok(p11->C_DecryptInit(s, &cbc_pad, aes));
}

static void decrypting_private(void)
{
	encrypting_public();
	blob_n = sizeof(blob);
	assert_ok(p11->C_Encrypt(s, data, 16, blob, &blob_n));
	assert_ok(p11->C_DecryptInit(s, &pkcs, rsa.priv));
	assert_ok(p11->C_Login(s, CKU_CONTEXT_SPECIFIC, TEXT_OF(user)));
}

static void stream_of(CK_SESSION_HANDLE h)
{
	assert_ok(p11->C_DecryptInit(h, &ecb, aes));
	n = sizeof(result);
	assert_ok(p11->C_DecryptUpdate(h, data, 16, result, &n));
}

static void streaming(void)
{
	stream_of(s);
}

static void streaming_elsewhere(void)
{
	other = p11_open(p11_slot(), false);
	stream_of(other);
}

static void streaming_logged_out(void)
{
	streaming();
	nobody();
}

static void hashing(void)
{
	assert_ok(p11->C_DigestInit(s, &sha));
}

static void digesting(void)
{
	hashing();
	assert_ok(p11->C_DigestUpdate(s, data, 16));
}

static void digesting_key(void)
{
	digesting();
	assert_ok(p11->C_DigestKey(s, mac));
}

static void signing_once(void)
{
	assert_ok(p11->C_SignInit(s, &hmac, mac));
}

static void signing(void)
{
	signing_once();
	assert_ok(p11->C_SignUpdate(s, data, 16));
}

static void signing_logged_out(void)
{
	signing();
	nobody();
}

static void signing_private(void)
{
	assert_ok(p11->C_SignInit(s, &ecdsa, ec.priv));
}

static void waiting(void)
{
	assert_ok(p11->C_SignRecoverInit(s, &pkcs, rsa.priv));
}

static void recovering(void)
{
	waiting();
	assert_ok(p11->C_Login(s, CKU_CONTEXT_SPECIFIC, TEXT_OF(user)));
}

static void recovering_public(void)
{
	memset(blob, 1, sizeof(blob));
	assert_ok(p11->C_VerifyRecoverInit(s, &pkcs, rsa.pub));
}

static void verifying(void)
{
	assert_ok(p11->C_VerifyInit(s, &hmac, mac));
}

static void verifying_on(void)
{
	verifying();
	assert_ok(p11->C_VerifyUpdate(s, data, 16));
}

static void verifying_public(void)
{
	memset(result, 1, 64);
	assert_ok(p11->C_VerifyInit(s, &ecdsa, ec.pub));
}

static void verifying_signature(void)
{
	assert_ok(p11->C_VerifySignatureInit(s, &hmac, mac, tag, sizeof(tag)));
}

static void verifying_signature_on(void)
{
	verifying_signature();
	assert_ok(p11->C_VerifySignatureUpdate(s, data, 16));
}

static void digest_and_encrypt(void)
{
	digesting();
	encrypting();
}

static void decrypt_and_digest(void)
{
	digesting();
	decrypting();
}

static void sign_and_encrypt(void)
{
	signing_once();
	encrypting();
}

static void decrypt_and_verify(void)
{
	verifying();
	decrypting();
}

static void finding(void)
{
	assert_ok(p11->C_FindObjectsInit(s, NULL, 0));
}

static void doomed_key(void)
{
	made = token_key(CKM_AES_KEY_GEN, "doomed", true, CKA_ENCRYPT, CKA_DECRYPT);
}

static void doomed_copy(void)
{
	assert_ok(p11->C_CopyObject(s, aes, of_session.a, of_session.n, &made));
}

static void wrapped(void)
{
	blob_n = sizeof(blob);
	assert_ok(p11->C_WrapKey(s, &kwp, kek, aes, blob, &blob_n));
}

static void answering(void)
{
	for (size_t i = 0; i < LENGTH(answers); i++)
		answers[i] = (CK_CHANCERY_ANSWER){ data, 32, result + 64 * i, 64 };
}

static void spare_deleted(void)
{
	assert_ok(vendor->TokenDelete(spare, TEXT_OF(so), NULL));
}

/* ---- the table ---- */

#define LEAVES(row, function, before, arguments, rv, events) \
	static CK_RV row##_call(void)                        \
	{                                                    \
		return p11->function arguments;              \
	}
#define VENDOR_LEAVES(row, function, before, arguments, rv, events) \
	static CK_RV vendor_##row##_call(void)                      \
	{                                                           \
		return vendor->function arguments;                  \
	}
#include "leaves.def"
#undef LEAVES
#undef VENDOR_LEAVES

static const struct row {
	const char *name, *function;
	void (*before)(void);
	CK_RV (*call)(void);
	CK_RV rv;
	const char *events;
} rows[] = {
#define LEAVES(row, function, before, arguments, rv, events) \
	{ #row, #function, before, row##_call, rv, events },
#define VENDOR_LEAVES(row, function, before, arguments, rv, events) \
	{ #row, #function, before, vendor_##row##_call, rv, events },
#include "leaves.def"
#undef LEAVES
#undef VENDOR_LEAVES
};

/* The user is logged in, in a session with no operation, and there is a key that nobody watches. */
static void set_back(void)
{
	CK_SESSION_INFO i;

	if (p11->C_GetSessionInfo(s, &i) != CKR_OK) {
		s = p11_open(p11_slot(), true);
		assert_ok(p11->C_GetSessionInfo(s, &i));
	}
	assert_ok(p11->C_SessionCancel(s, ~(CK_FLAGS)0));
	if (i.state == CKS_RW_SO_FUNCTIONS)
		assert_ok(p11->C_Logout(s));
	if (i.state != CKS_RW_USER_FUNCTIONS) {
		p11_login(s, CKU_USER);
		find_keys();
	}
	assert_ok(p11->C_GenerateKey(s, &aes_gen, fresh_key.a, fresh_key.n, &fresh));
	n = sizeof(result);
	none = 0;
	value.a[0].ulValueLen = 32;
}

static bool as_it_should(const struct row *r)
{
	char left[512];
	size_t mark;
	CK_RV rv;

	set_back();
	r->before();
	mark = rolls_count(NULL);
	n = sizeof(result);
	rv = r->call();
	rolls_since(mark, left, sizeof(left));
	if (rv == r->rv && strcmp(left, r->events) == 0)
		return true;
	print_error("%s: %s gave %s and left \"%s\", not %s and \"%s\"\n", r->name, r->function,
		    name_of(NAME_CKR, rv), left, name_of(NAME_CKR, r->rv), r->events);
	return false;
}

static void every_row(void **state)
{
	bool good = true;

	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++)
		good = as_it_should(&rows[i]) && good;
	assert_true(good);
}

/* ---- that the table is complete ---- */

static bool has_row(const char *function)
{
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (strcmp(rows[i].function, function) == 0)
			return true;
	return false;
}

/* Different functions of the vendor interface in the table, which has them in groups. */
static size_t vendor_functions(void)
{
	const char *last = "";
	size_t k = 0;

	for (size_t i = 0; i < LENGTH(rows); i++) {
		bool ours = strncmp(rows[i].function, "C_", 2) != 0;

		k += ours && strcmp(rows[i].function, last) != 0;
		last = rows[i].function;
	}
	return k;
}

static void every_function_has_a_row(void **state)
{
	static const char *const standard[] = {
#define WATCH(name, params, args) #name,
#include "watch.def"
#undef WATCH
	};
	const size_t members =
		(sizeof(CK_CHANCERY_FUNCTIONS) - offsetof(CK_CHANCERY_FUNCTIONS, TokenCreate)) /
		sizeof(void (*)(void));

	(void)state;
	for (size_t i = 0; i < LENGTH(standard); i++)
		if (!has_row(standard[i]))
			fail_msg("%s has no row in leaves.def", standard[i]);
	assert_int_equal(vendor_functions(), members - 1); /* CryptoVersion gives a constant */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_row, setup, p11_teardown),
		cmocka_unit_test(every_function_has_a_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
