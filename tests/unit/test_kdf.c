/* SPDX-License-Identifier: Apache-2.0 */
/* HKDF and PBKDF2 as mechanisms. The answers were computed with Python's hmac and hashlib. */
#include "pair.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static uint8_t ikm[40], salt[16], info[] = "roll 7";
#define INFO_N (sizeof(info) - 1)

static int up(void **state)
{
	for (size_t i = 0; i < sizeof(ikm); i++)
		ikm[i] = (uint8_t)(i + 1);
	for (size_t i = 0; i < sizeof(salt); i++)
		salt[i] = (uint8_t)(i + 64);
	return crypto_up(state);
}

static CK_HKDF_PARAMS hkdf_of(bool extract, bool expand, CK_MECHANISM_TYPE hash)
{
	return (CK_HKDF_PARAMS){
		.bExtract = extract,
		.bExpand = expand,
		.prfHashMechanism = hash,
		.ulSaltType = CKF_HKDF_SALT_DATA,
		.pSalt = salt,
		.ulSaltLen = sizeof(salt),
		.pInfo = info,
		.ulInfoLen = INFO_N,
	};
}

static struct attrset *base_of(CK_KEY_TYPE type, size_t n)
{
	struct attrset *a = set_new(CKO_SECRET_KEY, type);

	set_put(a, CKA_VALUE, span(ikm, n));
	return a;
}

/* len 0: none in the template. */
static struct attrset *templ_of(CK_KEY_TYPE type, CK_ULONG len)
{
	struct attrset *t = set_new(CKO_SECRET_KEY, type);

	if (len != 0)
		set_put_ulong(t, CKA_VALUE_LEN, len);
	return t;
}

static enum err hkdf_as(CK_MECHANISM_TYPE mech, CK_HKDF_PARAMS p, CK_KEY_TYPE type, CK_ULONG len,
			struct buf *out)
{
	struct attrset *base = base_of(CKK_HKDF, sizeof(ikm)), *t = templ_of(type, len);
	enum err e = derive((struct call){ mech, &p, sizeof(p) }, base, t, out);

	attrset_free(base);
	attrset_free(t);
	return e;
}

static enum err hkdf(CK_HKDF_PARAMS p, CK_ULONG len, struct buf *out)
{
	return hkdf_as(CKM_HKDF_DERIVE, p, CKK_GENERIC_SECRET, len, out);
}

static void expect(CK_HKDF_PARAMS p, CK_ULONG len, const char *answer)
{
	struct buf got = { 0 }, right = unhex(answer);

	assert_int_equal(hkdf(p, len, &got), OK);
	assert_true(span_eq(buf_span(&got), buf_span(&right)));
	buf_free(&got);
	buf_free(&right);
}

static const struct {
	CK_MECHANISM_TYPE hash;
	const char *extract, *both, *expand, *no_salt;
} answers[] = {
	{ CKM_SHA_1, "2d3d42a087467a6d186cf435cd31d47e1e069b46",
	  "bc6e307823750c31fa30dd1575960ed0269f087432a94555abef626ac4bfdb2179c6d629433bf06a97e9",
	  "e0cea645b345478dd68750e4edc427a0a9cef03e69c1e58c08cb6a5bafb11bd23427eee61e1a0936eab016e4"
	  "85d58e561ab5",
	  "e2611ae94e5ec7d92c1f667042452f52495a18bd" },
	{ CKM_SHA256, "2d9a5f21a1dce3892c7db85622c8d384128039f8b0d823f1a408744f0e69c720",
	  "8efe0b611524c0581762e409e4889a21ab201c121b6a21985427e48d7a88c9f189e5be934ee1df8eb509",
	  "56089bc44e32c6b3e324a7de7ba732d36c040ca607a0a04c10828fda4b07e3f38cd6150fa0218f06b2501ae8"
	  "47d3ba23ae13",
	  "ecf937391cda943c1f4373644cb86977cfedf45a95a31e5abc2f0c9c35115942" },
	{ CKM_SHA512,
	  "91eb5975643d6fd657cdbc10e1693e126d502cac2a2ae355b26556ed6af0db53112cf19450582125b9f24278"
	  "04f9d409812b3c5aad6a69228fad8fe05b511612",
	  "cac8fbfc8016a816a97a5f34ffe561eff9d52dbfce3f60a67b5dfa7cbe277307bc19c512a09f92a1c5c1",
	  "89ac7da8cf7ab584cd2d5e975ecbf307aab6eff3b67fdd3dc58b670118157ad23dd342ae92375e2153b686a1"
	  "47ec73d5cbe9",
	  "4cc13e3e7d386613292233975cfc355907675bbfdbba72e9f8a0f25c31cbfabb070c999f65490c5d7dac1115"
	  "4bd571920a3afd8f16c2a8ffeae749af46058da6" },
	{ CKM_SHA3_256, "650a64383dc7c3ecb3762e8d2b07e1194872de6b37a5276f7f4f7fa633760b79",
	  "970d0245d5ca9dd3ef878c7bf32fc8be1ab0198d670d3afe6ee8c579a33471bfeca42924387492f2acd0",
	  "4bd7e3e7e9c27b9aa6c8b350f7d9472f9e8ecff799dd8b3611b9c28d8dd13d2307d9e849831983b7be00bfe0"
	  "379bf04ba45c",
	  "f5c72e90f4e944d028fe0f9786cc2211069b1285e3552c913dc127c3afb727ab" },
};

static void test_hkdf(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		CK_HKDF_PARAMS p = hkdf_of(true, false, answers[i].hash);

		expect(p, 0, answers[i].extract);
		expect(p, strlen(answers[i].extract) / 2, answers[i].extract);
		p.ulSaltType = CKF_HKDF_SALT_NULL;
		expect(p, 0, answers[i].no_salt);
		p.ulSaltType = CKF_HKDF_SALT_DATA;
		p.pSalt = NULL;
		p.ulSaltLen = 0;
		expect(p, 0, answers[i].no_salt);
		expect(hkdf_of(true, true, answers[i].hash), 42, answers[i].both);
		expect(hkdf_of(false, true, answers[i].hash), 50, answers[i].expand);
	}
}

/* The salt as another key. */
static void test_salt_key(void **state)
{
	const struct mech *m = mech_find(CKM_HKDF_DERIVE);
	CK_HKDF_PARAMS s = hkdf_of(true, true, CKM_SHA256);
	CK_MECHANISM mech = { CKM_HKDF_DERIVE, &s, sizeof(s) };
	struct attrset *a = base_of(CKK_HKDF, sizeof(ikm)), *b = set_new(CKO_SECRET_KEY, CKK_HKDF);
	struct attrset *t = templ_of(CKK_GENERIC_SECRET, 42), *made = attrset_new(true);
	struct buf right = unhex(answers[1].both);
	struct key *base, *extra;
	struct param par = { 0 };

	(void)state;
	set_put(b, CKA_VALUE, span(salt, sizeof(salt)));
	base = key_of(a);
	extra = key_of(b);
	s.ulSaltType = CKF_HKDF_SALT_KEY;
	s.hSaltKey = 77;
	assert_int_equal(param_take(m, &mech, &par), OK);
	assert_int_equal(par.key, 77);
	assert_int_equal(mech_derive(m, &par, base, NULL, t, made), E_MECHANISM_PARAM);
	assert_int_equal(mech_derive(m, &par, base, extra, t, made), OK);
	assert_true(span_eq(attrset_bytes(made, CKA_VALUE), buf_span(&right)));
	param_clear(&par);
	buf_free(&right);
	key_unref(base);
	key_unref(extra);
	attrset_free(a);
	attrset_free(b);
	attrset_free(t);
	attrset_free(made);
}

static void test_hkdf_lengths(void **state)
{
	struct buf out = { 0 };

	(void)state;
	assert_int_equal(hkdf(hkdf_of(true, true, CKM_SHA256), 0, &out), E_TEMPLATE_INCOMPLETE);
	assert_int_equal(hkdf(hkdf_of(true, true, CKM_SHA256), 255 * 32, &out), OK);
	assert_int_equal(out.n, 255 * 32);
	assert_int_equal(hkdf(hkdf_of(true, true, CKM_SHA512), 255 * 64, &out), OK);
	buf_clear(&out);
	assert_int_equal(hkdf(hkdf_of(true, true, CKM_SHA256), 255 * 32 + 1, &out),
			 E_TEMPLATE_INCONSISTENT);
	assert_int_equal(hkdf(hkdf_of(true, false, CKM_SHA256), 31, &out), E_TEMPLATE_INCONSISTENT);
	assert_int_equal(
		hkdf_as(CKM_HKDF_DERIVE, hkdf_of(true, true, CKM_SHA256), CKK_AES, 17, &out),
		E_ATTR_VALUE);
	assert_int_equal(out.n, 0);
	assert_int_equal(
		hkdf_as(CKM_HKDF_DERIVE, hkdf_of(true, false, CKM_SHA256), CKK_AES, 0, &out), OK);
	assert_int_equal(out.n, 32);
	buf_free(&out);
}

/* CKM_HKDF_DATA gives a data object, CKM_HKDF_DERIVE never does, whatever the template says. */
static void test_hkdf_data(void **state)
{
	static const CK_MECHANISM_TYPE mechs[] = { CKM_HKDF_DATA, CKM_HKDF_DERIVE };
	static const CK_OBJECT_CLASS classes[] = { CKO_DATA, CKO_SECRET_KEY };
	CK_HKDF_PARAMS s = hkdf_of(true, true, CKM_SHA256);

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct mech *m = mech_find(mechs[i]);
		CK_MECHANISM mech = { mechs[i], &s, sizeof(s) };
		struct attrset *a = base_of(CKK_GENERIC_SECRET, sizeof(ikm));
		struct attrset *t = templ_of(CKK_GENERIC_SECRET, 42), *made = attrset_new(true);
		struct buf right = unhex(answers[1].both);
		struct key *base = key_of(a);
		struct param par = { 0 };

		set_put_ulong(t, CKA_CLASS, classes[1 - i]);
		assert_int_equal(param_take(m, &mech, &par), OK);
		assert_int_equal(mech_derive(m, &par, base, NULL, t, made), OK);
		assert_int_equal(attrset_ulong(made, CKA_CLASS, 0), classes[i]);
		assert_true(span_eq(attrset_bytes(made, CKA_VALUE), buf_span(&right)));
		assert_int_equal(attrset_has(made, CKA_KEY_TYPE), i == 1);
		param_clear(&par);
		buf_free(&right);
		key_unref(base);
		attrset_free(a);
		attrset_free(t);
		attrset_free(made);
	}
}

static void test_base_types(void **state)
{
	CK_HKDF_PARAMS p = hkdf_of(true, false, CKM_SHA256);
	struct call c = { CKM_HKDF_DERIVE, &p, sizeof(p) };
	struct attrset *aes = base_of(CKK_AES, 32), *tiny = base_of(CKK_GENERIC_SECRET, 1);
	struct attrset *t = templ_of(CKK_GENERIC_SECRET, 0);
	struct buf out = { 0 };

	(void)state;
	assert_int_equal(derive(c, aes, t, &out), E_KEY_TYPE);
	assert_int_equal(derive(c, tiny, t, &out), OK);
	assert_int_equal(out.n, 32);
	buf_free(&out);
	attrset_free(aes);
	attrset_free(tiny);
	attrset_free(t);
}

static uint8_t password[] = "pass\0word", pb_salt[] = "salt of the clerk";

static CK_PKCS5_PBKD2_PARAMS2 pbkdf2_of(CK_ULONG prf)
{
	return (CK_PKCS5_PBKD2_PARAMS2){
		.saltSource = CKZ_SALT_SPECIFIED,
		.pSaltSourceData = pb_salt,
		.ulSaltSourceDataLen = sizeof(pb_salt) - 1,
		.iterations = 7,
		.prf = prf,
		.pPassword = password,
		.ulPasswordLen = sizeof(password) - 1,
	};
}

static enum err pbkdf2(CK_PKCS5_PBKD2_PARAMS2 s, const struct attrset *templ, struct attrset *made)
{
	const struct mech *m = mech_find(CKM_PKCS5_PBKD2);
	CK_MECHANISM mech = { CKM_PKCS5_PBKD2, &s, sizeof(s) };
	struct param par = { 0 };
	enum err e = param_take(m, &mech, &par);

	if (e == OK)
		e = mech_generate(m, &par, templ, made);
	param_clear(&par);
	return e;
}

static void expect_pbkdf2(CK_PKCS5_PBKD2_PARAMS2 s, const char *answer)
{
	struct buf right = unhex(answer);
	struct attrset *t = templ_of(CKK_GENERIC_SECRET, right.n), *made = attrset_new(true);

	assert_int_equal(pbkdf2(s, t, made), OK);
	assert_true(span_eq(attrset_bytes(made, CKA_VALUE), buf_span(&right)));
	assert_int_equal(attrset_ulong(made, CKA_VALUE_LEN, 0), right.n);
	assert_int_equal(attrset_ulong(made, CKA_CLASS, 0), CKO_SECRET_KEY);
	attrset_free(t);
	attrset_free(made);
	buf_free(&right);
}

static void test_pbkdf2(void **state)
{
	static const struct {
		CK_ULONG prf;
		const char *answer;
	} rows[] = {
		{ CKP_PKCS5_PBKD2_HMAC_SHA1, "ca01e7a8af49371c216f2e636487598355700c6411c57db53e" },
		{ CKP_PKCS5_PBKD2_HMAC_SHA224,
		  "d58f8b18adc2c00e3d30d101e75ea05022a15e97cedcff4629" },
		{ CKP_PKCS5_PBKD2_HMAC_SHA256,
		  "379ae5f15c0e647c9ce91a3205479b39e40fb28261e2c409ae" },
		{ CKP_PKCS5_PBKD2_HMAC_SHA384,
		  "c8fca9c0d59bb3fcfd2ba76a4824d5bb6ee3c382b4d09a1e4e" },
		{ CKP_PKCS5_PBKD2_HMAC_SHA512,
		  "c77cbd023e0a050618bee4d7b79876cca0b054c70f5dae761c" },
		{ CKP_PKCS5_PBKD2_HMAC_SHA512_224,
		  "186aa0080ef5a8ad271db7006d7642ecdc63ac20b57236e069" },
		{ CKP_PKCS5_PBKD2_HMAC_SHA512_256,
		  "2153069d058e2631bd69ef9bc0d5cb4f57c1c1c92d97cda38f" },
	};
	CK_PKCS5_PBKD2_PARAMS2 empty = pbkdf2_of(CKP_PKCS5_PBKD2_HMAC_SHA256);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect_pbkdf2(pbkdf2_of(rows[i].prf), rows[i].answer);
	empty.pSaltSourceData = NULL;
	empty.ulSaltSourceDataLen = 0;
	empty.pPassword = NULL;
	empty.ulPasswordLen = 0;
	empty.iterations = 1;
	expect_pbkdf2(empty, "f7ce0b653d2d72a4108cf5abe912ffdd");
}

/* Case B022: the older structure, where the length stands behind a pointer. */
static void test_pbkdf2_older_form(void **state)
{
	CK_PKCS5_PBKD2_PARAMS2 s = pbkdf2_of(CKP_PKCS5_PBKD2_HMAC_SHA256);
	CK_ULONG n = s.ulPasswordLen;

	(void)state;
	s.ulPasswordLen = (CK_ULONG)&n;
	expect_pbkdf2(s, "379ae5f15c0e647c9ce91a3205479b39e40fb28261e2c409ae");
}

static void test_pbkdf2_templates(void **state)
{
	CK_PKCS5_PBKD2_PARAMS2 s = pbkdf2_of(CKP_PKCS5_PBKD2_HMAC_SHA256);
	struct attrset *none = attrset_new(false), *no_len = templ_of(CKK_AES, 0);
	struct attrset *bad = templ_of(CKK_AES, 17), *rsa = templ_of(CKK_RSA, 16);
	struct attrset *made = attrset_new(true);

	(void)state;
	assert_int_equal(pbkdf2(s, none, made), E_TEMPLATE_INCOMPLETE);
	assert_int_equal(pbkdf2(s, no_len, made), E_TEMPLATE_INCOMPLETE);
	assert_int_equal(pbkdf2(s, bad, made), E_ATTR_VALUE);
	assert_int_not_equal(pbkdf2(s, rsa, made), OK);
	attrset_free(none);
	attrset_free(no_len);
	attrset_free(bad);
	attrset_free(rsa);
	attrset_free(made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hkdf),
		cmocka_unit_test(test_salt_key),
		cmocka_unit_test(test_hkdf_lengths),
		cmocka_unit_test(test_hkdf_data),
		cmocka_unit_test(test_base_types),
		cmocka_unit_test(test_pbkdf2),
		cmocka_unit_test(test_pbkdf2_older_form),
		cmocka_unit_test(test_pbkdf2_templates),
	};

	return cmocka_run_group_tests(tests, up, crypto_down);
}
