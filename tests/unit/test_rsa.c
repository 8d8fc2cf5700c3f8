/* SPDX-License-Identifier: Apache-2.0 */
/* RSA: generation, import, signatures, recovery and encryption, beside plain OpenSSL. */
#include "pair.h"

#include "base/mem.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct pair rsa2048, rsa1024;

static int up(void **state)
{
	if (crypto_up(state) != 0)
		return -1;
	rsa2048 = pair_rsa(2048);
	rsa1024 = pair_rsa(1024);
	return 0;
}

static int down(void **state)
{
	pair_free(&rsa2048);
	pair_free(&rsa1024);
	return crypto_down(state);
}

static const struct hashed {
	CK_MECHANISM_TYPE pkcs, pss, hash;
	CK_RSA_PKCS_MGF_TYPE mgf;
	const char *name;
	size_t n;
} hashed[] = {
	{ CKM_SHA1_RSA_PKCS, CKM_SHA1_RSA_PKCS_PSS, CKM_SHA_1, CKG_MGF1_SHA1, "SHA1", 20 },
	{ CKM_SHA224_RSA_PKCS, CKM_SHA224_RSA_PKCS_PSS, CKM_SHA224, CKG_MGF1_SHA224, "SHA224", 28 },
	{ CKM_SHA256_RSA_PKCS, CKM_SHA256_RSA_PKCS_PSS, CKM_SHA256, CKG_MGF1_SHA256, "SHA256", 32 },
	{ CKM_SHA384_RSA_PKCS, CKM_SHA384_RSA_PKCS_PSS, CKM_SHA384, CKG_MGF1_SHA384, "SHA384", 48 },
	{ CKM_SHA512_RSA_PKCS, CKM_SHA512_RSA_PKCS_PSS, CKM_SHA512, CKG_MGF1_SHA512, "SHA512", 64 },
	{ CKM_SHA3_224_RSA_PKCS, CKM_SHA3_224_RSA_PKCS_PSS, CKM_SHA3_224, CKG_MGF1_SHA3_224,
	  "SHA3-224", 28 },
	{ CKM_SHA3_256_RSA_PKCS, CKM_SHA3_256_RSA_PKCS_PSS, CKM_SHA3_256, CKG_MGF1_SHA3_256,
	  "SHA3-256", 32 },
	{ CKM_SHA3_384_RSA_PKCS, CKM_SHA3_384_RSA_PKCS_PSS, CKM_SHA3_384, CKG_MGF1_SHA3_384,
	  "SHA3-384", 48 },
	{ CKM_SHA3_512_RSA_PKCS, CKM_SHA3_512_RSA_PKCS_PSS, CKM_SHA3_512, CKG_MGF1_SHA3_512,
	  "SHA3-512", 64 },
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* OpenSSL's own verification. salt -1: PKCS#1 v1.5. */
static bool evp_verify(const struct attrset *pub, const char *md, int salt, struct span msg,
		       struct span sig)
{
	EVP_PKEY *pk = evp_public(pub);
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	EVP_PKEY_CTX *pctx = NULL;
	bool ok;

	assert_true(EVP_DigestVerifyInit_ex(ctx, &pctx, md, NULL, NULL, pk, NULL) > 0);
	if (salt >= 0) {
		assert_true(EVP_PKEY_CTX_set_rsa_padding(pctx, RSA_PKCS1_PSS_PADDING) > 0);
		assert_true(EVP_PKEY_CTX_set_rsa_pss_saltlen(pctx, salt) > 0);
	}
	ok = EVP_DigestVerify(ctx, sig.p, sig.n, msg.p, msg.n) == 1;
	EVP_MD_CTX_free(ctx);
	EVP_PKEY_free(pk);
	return ok;
}

static void signs_with_every_hash(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(hashed); i++) {
		struct call c = { hashed[i].pkcs, NULL, 0 };
		struct span msg = BYTES("a message of some length");
		struct buf sig = { 0 }, parts = { 0 };

		assert_int_equal(work(c, USE_SIGN, rsa2048.priv, msg, 0, &sig), OK);
		assert_int_equal(sig.n, 256);
		assert_true(evp_verify(rsa2048.pub, hashed[i].name, -1, msg, buf_span(&sig)));
		assert_int_equal(work(c, USE_SIGN, rsa2048.priv, msg, 5, &parts), OK);
		assert_true(span_eq(buf_span(&sig), buf_span(&parts)));
		assert_int_equal(check(c, rsa2048.pub, msg, 0, buf_span(&sig)), OK);
		assert_int_equal(check(c, rsa2048.pub, msg, 7, buf_span(&sig)), OK);
		assert_int_equal(check(c, rsa2048.pub, BYTES("another"), 0, buf_span(&sig)),
				 E_SIGNATURE);
		sig.p[9] ^= 1;
		assert_int_equal(check(c, rsa2048.pub, msg, 0, buf_span(&sig)), E_SIGNATURE);
		assert_int_equal(check(c, rsa2048.pub, msg, 0, span(sig.p, 255)), E_SIGNATURE_LEN);
		buf_free(&sig);
		buf_free(&parts);
	}
}

static enum err pss(const struct hashed *h, const struct pair *p, CK_ULONG salt, bool generic)
{
	CK_RSA_PKCS_PSS_PARAMS par = { h->hash, h->mgf, salt };
	struct call c = { generic ? CKM_RSA_PKCS_PSS : h->pss, &par, sizeof(par) };
	struct span msg = BYTES("signed with salt"), in = msg;
	uint8_t digest[EVP_MAX_MD_SIZE];
	struct buf sig = { 0 };
	enum err e;

	if (generic) {
		assert_true(EVP_Q_digest(NULL, h->name, NULL, msg.p, msg.n, digest, NULL) > 0);
		in = span(digest, h->n);
	}
	e = work(c, USE_SIGN, p->priv, in, 0, &sig);
	if (e == OK) {
		assert_true(evp_verify(p->pub, h->name, (int)salt, msg, buf_span(&sig)));
		assert_int_equal(check(c, p->pub, in, 0, buf_span(&sig)), OK);
		sig.p[sig.n - 2] ^= 4;
		assert_int_equal(check(c, p->pub, in, 0, buf_span(&sig)), E_SIGNATURE);
	}
	buf_free(&sig);
	return e;
}

static void pss_takes_every_salt_that_fits(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(hashed); i++) {
		CK_ULONG most = 256 - 2 - hashed[i].n;

		for (int generic = 0; generic < 2; generic++) {
			assert_int_equal(pss(&hashed[i], &rsa2048, 0, generic), OK);
			assert_int_equal(pss(&hashed[i], &rsa2048, 20, generic), OK);
			assert_int_equal(pss(&hashed[i], &rsa2048, hashed[i].n, generic), OK);
			assert_int_equal(pss(&hashed[i], &rsa2048, most, generic), OK);
			assert_int_equal(pss(&hashed[i], &rsa2048, most + 1, generic),
					 E_MECHANISM_PARAM);
			assert_int_equal(pss(&hashed[i], &rsa2048, ~0UL, generic),
					 E_MECHANISM_PARAM);
		}
	}
	assert_int_equal(pss(&hashed[4], &rsa1024, 62, true), OK);
	assert_int_equal(pss(&hashed[4], &rsa1024, 63, true), E_MECHANISM_PARAM);
}

/* A modulus of 8n + 1 bits has one byte less for the encoded message. */
static void pss_of_an_odd_modulus(void **state)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
	EVP_PKEY *pk = NULL;
	struct pair p = { set_new(CKO_PUBLIC_KEY, CKK_RSA), NULL };
	BIGNUM *n = NULL;
	struct buf b = { 0 };

	(void)state;
	/* 1025 bits exactly: libcrypto's multi-prime path makes odd sizes */
	assert_true(EVP_PKEY_keygen_init(ctx) > 0 &&
		    EVP_PKEY_CTX_set_rsa_keygen_bits(ctx, 1025) > 0 &&
		    EVP_PKEY_generate(ctx, &pk) > 0);
	assert_int_equal(EVP_PKEY_get_bits(pk), 1025);
	assert_int_equal(import_private(pk, CKK_RSA, &p.priv), OK);
	assert_true(EVP_PKEY_get_bn_param(pk, OSSL_PKEY_PARAM_RSA_N, &n) > 0);
	assert_int_equal(buf_reserve(&b, 200), OK);
	b.n = (size_t)BN_bn2bin(n, b.p);
	set_put(p.pub, CKA_MODULUS, buf_span(&b));
	set_put(p.pub, CKA_PUBLIC_EXPONENT, BYTES("\x01\x00\x01"));
	assert_int_equal(key_complete(p.pub), OK);
	assert_int_equal(attrset_ulong(p.pub, CKA_MODULUS_BITS, 0), 1025);
	assert_int_equal(pss(&hashed[2], &p, 128 - 2 - 32, false), OK);
	assert_int_equal(pss(&hashed[2], &p, 128 - 1 - 32, false), E_MECHANISM_PARAM);
	BN_free(n);
	buf_free(&b);
	pair_free(&p);
	EVP_PKEY_free(pk);
	EVP_PKEY_CTX_free(ctx);
}

static void pss_refuses_at_the_start(void **state)
{
	CK_RSA_PKCS_PSS_PARAMS par = { CKM_SHA384, CKG_MGF1_SHA256, 32 };
	struct call c = { CKM_SHA256_RSA_PKCS_PSS, &par, sizeof(par) };
	uint8_t digest[32] = { 1 };
	struct buf sig = { 0 };

	(void)state;
	assert_int_equal(work(c, USE_SIGN, rsa2048.priv, span(digest, 32), 0, &sig),
			 E_MECHANISM_PARAM);
	c.param_n--;
	assert_int_equal(work(c, USE_SIGN, rsa2048.priv, span(digest, 32), 0, &sig),
			 E_MECHANISM_PARAM);
	/* mixed digests are two digests, not an error */
	par.hashAlg = CKM_SHA256;
	par.mgf = CKG_MGF1_SHA512;
	c = (struct call){ CKM_RSA_PKCS_PSS, &par, sizeof(par) };
	assert_int_equal(work(c, USE_SIGN, rsa2048.priv, span(digest, 31), 0, &sig), E_DATA_LEN);
	assert_int_equal(work(c, USE_SIGN, rsa2048.priv, span(digest, 32), 0, &sig), OK);
	assert_int_equal(check(c, rsa2048.pub, span(digest, 32), 0, buf_span(&sig)), OK);
	assert_int_equal(check(c, rsa2048.pub, span(digest, 31), 0, buf_span(&sig)), E_DATA_LEN);
	buf_free(&sig);
}

static void signs_and_recovers_what_it_is_given(void **state)
{
	const struct call c = { CKM_RSA_PKCS, NULL, 0 };
	uint8_t in[246];
	struct buf sig = { 0 }, back = { 0 };

	(void)state;
	memset(in, 0x5a, sizeof(in));
	for (size_t n = 0; n <= 245; n += 49) {
		assert_int_equal(work(c, USE_SIGN, rsa2048.priv, span(in, n), 0, &sig), OK);
		assert_int_equal(check(c, rsa2048.pub, span(in, n), 0, buf_span(&sig)), OK);
		assert_int_equal(check(c, rsa2048.pub, span(in, n ^ 1), 0, buf_span(&sig)),
				 E_SIGNATURE);
		assert_int_equal(work(c, USE_VERIFY_RECOVER, rsa2048.pub, buf_span(&sig), 0, &back),
				 OK);
		assert_true(span_eq(buf_span(&back), span(in, n)));
		buf_clear(&sig);
		buf_clear(&back);
		assert_int_equal(work(c, USE_SIGN_RECOVER, rsa2048.priv, span(in, n), 0, &sig), OK);
		assert_int_equal(sig.n, 256);
		buf_clear(&sig);
	}
	assert_int_equal(work(c, USE_SIGN, rsa2048.priv, span(in, 246), 0, &sig), E_DATA_LEN);
	assert_int_equal(check(c, rsa2048.pub, span(in, 246), 0, span(in, 246)), E_DATA_LEN);
	assert_int_equal(work(c, USE_VERIFY_RECOVER, rsa2048.pub, span(in, 246), 0, &back),
			 E_SIGNATURE_LEN);
	buf_free(&sig);
	buf_free(&back);
}

static void raw_operations_fill_up_with_zeros(void **state)
{
	const struct call c = { CKM_RSA_X_509, NULL, 0 };
	uint8_t in[257], full[256] = { 0 };
	struct buf o = { 0 }, back = { 0 };

	(void)state;
	memset(in, 0xff, sizeof(in));
	memset(full + 156, 0xff, 100);
	assert_int_equal(work(c, USE_ENCRYPT, rsa2048.pub, span(in, 100), 0, &o), OK);
	assert_int_equal(work(c, USE_DECRYPT, rsa2048.priv, buf_span(&o), 0, &back), OK);
	assert_true(span_eq(buf_span(&back), span(full, 256)));
	buf_clear(&o);
	buf_clear(&back);
	assert_int_equal(work(c, USE_SIGN, rsa2048.priv, span(in, 100), 0, &o), OK);
	assert_int_equal(check(c, rsa2048.pub, span(in, 100), 0, buf_span(&o)), OK);
	assert_int_equal(check(c, rsa2048.pub, span(full, 256), 0, buf_span(&o)), OK);
	assert_int_equal(check(c, rsa2048.pub, span(in, 99), 0, buf_span(&o)), E_SIGNATURE);
	assert_int_equal(work(c, USE_VERIFY_RECOVER, rsa2048.pub, buf_span(&o), 0, &back), OK);
	assert_true(span_eq(buf_span(&back), span(full, 256)));
	/* 256 bytes of ff are not below the modulus, and 257 are too long anyway */
	assert_int_equal(work(c, USE_ENCRYPT, rsa2048.pub, span(in, 256), 0, &o), E_DATA);
	assert_int_equal(work(c, USE_SIGN, rsa2048.priv, span(in, 256), 0, &o), E_DATA);
	assert_int_equal(work(c, USE_DECRYPT, rsa2048.priv, span(in, 256), 0, &o), E_CIPHERTEXT);
	assert_int_equal(work(c, USE_ENCRYPT, rsa2048.pub, span(in, 257), 0, &o), E_DATA_LEN);
	assert_int_equal(work(c, USE_DECRYPT, rsa2048.priv, span(in, 257), 0, &o),
			 E_CIPHERTEXT_LEN);
	buf_free(&o);
	buf_free(&back);
}

/*
 * Damaged PKCS#1 v1.5 ciphertexts give pseudorandom messages, always the same, and never an error.
 */
static void pkcs_decryption_is_no_oracle(void **state)
{
	const struct call c = { CKM_RSA_PKCS, NULL, 0 };
	struct buf o = { 0 }, back = { 0 }, again = { 0 };

	(void)state;
	assert_int_equal(work(c, USE_ENCRYPT, rsa2048.pub, BYTES("secret"), 0, &o), OK);
	assert_int_equal(work(c, USE_DECRYPT, rsa2048.priv, buf_span(&o), 0, &back), OK);
	assert_true(span_eq(buf_span(&back), BYTES("secret")));
	for (unsigned i = 0; i < 20; i++) {
		o.p[100] = (uint8_t)(o.p[100] + 1);
		buf_clear(&back);
		buf_clear(&again);
		assert_int_equal(work(c, USE_DECRYPT, rsa2048.priv, buf_span(&o), 0, &back), OK);
		assert_int_equal(work(c, USE_DECRYPT, rsa2048.priv, buf_span(&o), 0, &again), OK);
		assert_true(span_eq(buf_span(&back), buf_span(&again)));
	}
	buf_clear(&o);
	buf_clear(&back);
	assert_int_equal(work(c, USE_ENCRYPT, rsa2048.pub, span(NULL, 0), 0, &o), OK);
	assert_int_equal(work(c, USE_DECRYPT, rsa2048.priv, buf_span(&o), 0, &back), OK);
	assert_int_equal(back.n, 0);
	assert_int_equal(work(c, USE_ENCRYPT, rsa2048.pub, span(o.p, 246), 0, &back), E_DATA_LEN);
	assert_int_equal(work(c, USE_DECRYPT, rsa2048.priv, span(o.p, 255), 0, &back),
			 E_CIPHERTEXT_LEN);
	buf_free(&o);
	buf_free(&back);
	buf_free(&again);
}

static struct call oaep_call(CK_RSA_PKCS_OAEP_PARAMS *par)
{
	return (struct call){ CKM_RSA_PKCS_OAEP, par, sizeof(*par) };
}

/* OpenSSL decrypts what we encrypted. */
static void evp_oaep_decrypts(const struct attrset *priv, const char *md, const char *mgf,
			      struct span label, struct span in, struct span want)
{
	EVP_PKEY *pk = evp_private(priv);
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(pk, NULL);
	uint8_t got[256], *copy = NULL;
	size_t n = sizeof(got);

	assert_true(EVP_PKEY_decrypt_init(ctx) > 0);
	assert_true(EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_OAEP_PADDING) > 0);
	assert_true(EVP_PKEY_CTX_set_rsa_oaep_md_name(ctx, md, NULL) > 0);
	assert_true(EVP_PKEY_CTX_set_rsa_mgf1_md_name(ctx, mgf, NULL) > 0);
	if (label.n != 0) {
		copy = OPENSSL_memdup(label.p, label.n);
		assert_true(EVP_PKEY_CTX_set0_rsa_oaep_label(ctx, copy, (int)label.n) > 0);
	}
	assert_true(EVP_PKEY_decrypt(ctx, got, &n, in.p, in.n) > 0);
	assert_true(span_eq(span(got, n), want));
	EVP_PKEY_CTX_free(ctx);
	EVP_PKEY_free(pk);
}

static void oaep_with_every_pair_of_digests(void **state)
{
	uint8_t label[] = { 'l', 'a', 'b' };
	uint8_t msg[256];

	(void)state;
	memset(msg, 7, sizeof(msg));
	for (size_t i = 0; i < COUNT(hashed) * COUNT(hashed) * 2; i++) {
		const struct hashed *h = &hashed[i / 2 % COUNT(hashed)],
				    *g = &hashed[i / 2 / COUNT(hashed)];
		CK_RSA_PKCS_OAEP_PARAMS par = { h->hash, g->mgf, CKZ_DATA_SPECIFIED,
						i % 2 ? label : NULL, i % 2 ? 3 : 0 };
		size_t most = 256 - 2 - 2 * h->n;
		struct buf o = { 0 }, back = { 0 };

		assert_int_equal(
			work(oaep_call(&par), USE_ENCRYPT, rsa2048.pub, span(msg, most), 0, &o),
			OK);
		assert_int_equal(
			work(oaep_call(&par), USE_DECRYPT, rsa2048.priv, buf_span(&o), 0, &back),
			OK);
		assert_true(span_eq(buf_span(&back), span(msg, most)));
		evp_oaep_decrypts(rsa2048.priv, h->name, g->name, span(label, par.ulSourceDataLen),
				  buf_span(&o), span(msg, most));
		assert_int_equal(work(oaep_call(&par), USE_ENCRYPT, rsa2048.pub,
				      span(msg, most + 1), 0, &back),
				 E_DATA_LEN);
		buf_free(&o);
		buf_free(&back);
	}
}

static void oaep_has_one_error(void **state)
{
	uint8_t label[] = "label";
	CK_RSA_PKCS_OAEP_PARAMS par = { CKM_SHA256, CKG_MGF1_SHA256, CKZ_DATA_SPECIFIED, label, 5 };
	struct buf o = { 0 }, back = { 0 };

	(void)state;
	assert_int_equal(work(oaep_call(&par), USE_ENCRYPT, rsa2048.pub, BYTES("m"), 0, &o), OK);
	par.ulSourceDataLen = 4;
	assert_int_equal(work(oaep_call(&par), USE_DECRYPT, rsa2048.priv, buf_span(&o), 0, &back),
			 E_CIPHERTEXT);
	par.ulSourceDataLen = 5;
	par.mgf = CKG_MGF1_SHA1;
	assert_int_equal(work(oaep_call(&par), USE_DECRYPT, rsa2048.priv, buf_span(&o), 0, &back),
			 E_CIPHERTEXT);
	par.mgf = CKG_MGF1_SHA256;
	o.p[200] ^= 1;
	assert_int_equal(work(oaep_call(&par), USE_DECRYPT, rsa2048.priv, buf_span(&o), 0, &back),
			 E_CIPHERTEXT);
	memset(o.p, 0xff, o.n);
	assert_int_equal(work(oaep_call(&par), USE_DECRYPT, rsa2048.priv, buf_span(&o), 0, &back),
			 E_CIPHERTEXT);
	par.pSourceData = NULL;
	assert_int_equal(work(oaep_call(&par), USE_DECRYPT, rsa2048.priv, buf_span(&o), 0, &back),
			 E_MECHANISM_PARAM);
	par.source = 0;
	par.ulSourceDataLen = 0;
	buf_clear(&o);
	assert_int_equal(work(oaep_call(&par), USE_ENCRYPT, rsa2048.pub, BYTES("m"), 0, &o), OK);
	par.hashAlg = CKM_SHA512;
	assert_int_equal(work(oaep_call(&par), USE_ENCRYPT, rsa1024.pub, BYTES("m"), 0, &o),
			 E_MECHANISM_PARAM);
	buf_free(&o);
	buf_free(&back);
}

static enum err generate_with(CK_ULONG bits, const struct span *exponent, struct pair *out)
{
	struct attrset *t = attrset_new(false);
	enum err e;

	if (bits != 0)
		set_put_ulong(t, CKA_MODULUS_BITS, bits);
	if (exponent != NULL)
		set_put(t, CKA_PUBLIC_EXPONENT, *exponent);
	e = generate(CKM_RSA_PKCS_KEY_PAIR_GEN, t, out);
	attrset_free(t);
	return e;
}

static void exponents_of_generated_keys(void **state)
{
	static const uint8_t huge[33] = { [0] = 1, [32] = 1 };
	const struct {
		struct span given, want; /* want empty: refused */
	} rows[] = {
		{ BYTES("\x01\x00\x01"), BYTES("\x01\x00\x01") },
		{ BYTES("\x00\x01\x00\x01"), BYTES("\x01\x00\x01") },
		{ BYTES("\x01\x00\x00\x00\x01"), BYTES("\x01\x00\x00\x00\x01") },
		{ BYTES("\x03"), BYTES("\x03") },
		{ BYTES("\x11"), BYTES("\x11") },
		{ BYTES("\x00"), span(NULL, 0) },
		{ BYTES("\x01"), span(NULL, 0) },
		{ BYTES("\x02"), span(NULL, 0) },
		{ BYTES("\x01\x00\x00"), span(NULL, 0) },
		{ span(huge, sizeof(huge)), span(NULL, 0) },
		{ span(NULL, 0), span(NULL, 0) },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct pair p;
		enum err e = generate_with(1024, &rows[i].given, &p);

		assert_int_equal(e, rows[i].want.n != 0 ? OK : E_ATTR_VALUE);
		if (e != OK)
			continue;
		assert_true(span_eq(attrset_bytes(p.pub, CKA_PUBLIC_EXPONENT), rows[i].want));
		assert_true(span_eq(attrset_bytes(p.priv, CKA_PUBLIC_EXPONENT), rows[i].want));
		assert_true(span_eq(attrset_bytes(p.priv, CKA_PUBLIC_KEY_INFO),
				    attrset_bytes(p.pub, CKA_PUBLIC_KEY_INFO)));
		pair_free(&p);
	}
	assert_true(
		span_eq(attrset_bytes(rsa2048.pub, CKA_PUBLIC_EXPONENT), BYTES("\x01\x00\x01")));
	assert_true(
		span_eq(attrset_bytes(rsa2048.priv, CKA_PUBLIC_EXPONENT), BYTES("\x01\x00\x01")));
}

static void sizes_of_generated_keys(void **state)
{
	static const CK_ULONG refused[] = { 1, 512, 1000, 1023, 2047, 2049, 16385, 16386, ~0UL };
	struct pair p;

	(void)state;
	for (size_t i = 0; i < COUNT(refused); i++)
		assert_int_equal(generate_with(refused[i], NULL, &p), E_KEY_SIZE);
	assert_int_equal(generate_with(0, NULL, &p), E_TEMPLATE_INCOMPLETE);
	p = pair_rsa(1026);
	assert_int_equal(attrset_ulong(p.pub, CKA_MODULUS_BITS, 0), 1026);
	pair_free(&p);
	assert_int_equal(attrset_ulong(rsa2048.pub, CKA_MODULUS_BITS, 0), 2048);
	assert_false(attrset_has(rsa2048.priv, CKA_MODULUS_BITS));
}

/* A private key like rsa2048 without some parts. */
static struct attrset *without(const CK_ATTRIBUTE_TYPE *drop, size_t n)
{
	struct attrset *a = attrset_copy(rsa2048.priv, true);

	assert_non_null(a);
	attrset_drop(a, CKA_PUBLIC_KEY_INFO);
	for (size_t i = 0; i < n; i++)
		attrset_drop(a, drop[i]);
	return a;
}

static const CK_ATTRIBUTE_TYPE crt[] = { CKA_PRIME_1, CKA_PRIME_2, CKA_EXPONENT_1, CKA_EXPONENT_2,
					 CKA_COEFFICIENT };

/*
 * Whatever parts are missing, the completed key is the whole key, perhaps with its primes the other
 * way round.
 */
static void missing_parts_are_computed(void **state)
{
	(void)state;
	for (unsigned set = 0; set < 1u << COUNT(crt); set++) {
		struct attrset *a = without(NULL, 0);
		struct buf sig = { 0 };

		for (size_t i = 0; i < COUNT(crt); i++)
			if ((set >> i & 1) != 0)
				attrset_drop(a, crt[i]);
		/* without both primes their exponents cannot be told apart: only all five may go */
		if ((set & 3) == 3 && set != 31) {
			attrset_free(a);
			continue;
		}
		assert_int_equal(key_complete(a), OK);
		for (size_t i = 0; i < COUNT(crt); i++)
			assert_true(attrset_has(a, crt[i]));
		if (set != 31)
			assert_true(span_eq(attrset_bytes(a, CKA_COEFFICIENT),
					    attrset_bytes(rsa2048.priv, CKA_COEFFICIENT)));
		assert_true(span_eq(attrset_bytes(a, CKA_PUBLIC_KEY_INFO),
				    attrset_bytes(rsa2048.pub, CKA_PUBLIC_KEY_INFO)));
		assert_int_equal(work((struct call){ CKM_SHA256_RSA_PKCS, NULL, 0 }, USE_SIGN, a,
				      BYTES("m"), 0, &sig),
				 OK);
		assert_int_equal(check((struct call){ CKM_SHA256_RSA_PKCS, NULL, 0 }, rsa2048.pub,
				       BYTES("m"), 0, buf_span(&sig)),
				 OK);
		buf_free(&sig);
		attrset_free(a);
	}
}

static void required_parts(void **state)
{
	static const CK_ATTRIBUTE_TYPE needed[] = { CKA_MODULUS, CKA_PUBLIC_EXPONENT,
						    CKA_PRIVATE_EXPONENT };

	(void)state;
	for (size_t i = 0; i < COUNT(needed); i++) {
		struct attrset *a = without(&needed[i], 1);

		assert_int_equal(key_complete(a), E_TEMPLATE_INCOMPLETE);
		set_put(a, needed[i], span(NULL, 0));
		assert_int_equal(key_complete(a), E_ATTR_VALUE);
		set_put(a, needed[i], BYTES("\0\0"));
		assert_int_equal(key_complete(a), E_ATTR_VALUE);
		attrset_free(a);
	}
}

/* One bit anywhere in any part, and the parts do not belong together. */
static void parts_must_belong_together(void **state)
{
	static const CK_ATTRIBUTE_TYPE parts[] = { CKA_MODULUS,          CKA_PUBLIC_EXPONENT,
						   CKA_PRIVATE_EXPONENT, CKA_PRIME_1,
						   CKA_PRIME_2,          CKA_EXPONENT_1,
						   CKA_EXPONENT_2,       CKA_COEFFICIENT };

	(void)state;
	for (size_t i = 0; i < COUNT(parts); i++) {
		struct attrset *a = without(NULL, 0);
		struct span v = attrset_bytes(a, parts[i]);
		struct buf b = { 0 };

		assert_int_equal(buf_put(&b, v), OK);
		b.p[b.n - 1] ^= 2;
		set_put(a, parts[i], buf_span(&b));
		assert_int_equal(key_complete(a), E_ATTR_VALUE);
		attrset_free(a);
		buf_free(&b);
	}
	/* and neither do a modulus and exponents alone */
	struct attrset *a = without(crt, COUNT(crt));

	set_put(a, CKA_PRIVATE_EXPONENT, attrset_bytes(rsa1024.priv, CKA_PRIVATE_EXPONENT));
	assert_int_equal(key_complete(a), E_ATTR_VALUE);
	attrset_free(a);
}

static void leading_zeros_are_taken_off(void **state)
{
	struct attrset *a = without(NULL, 0);
	static const CK_ATTRIBUTE_TYPE all[] = { CKA_MODULUS, CKA_PUBLIC_EXPONENT,
						 CKA_PRIVATE_EXPONENT, CKA_PRIME_1,
						 CKA_COEFFICIENT };

	(void)state;
	for (size_t i = 0; i < COUNT(all); i++) {
		struct buf b = { .secret = true };

		assert_int_equal(buf_put(&b, BYTES("\0\0\0")), OK);
		assert_int_equal(buf_put(&b, attrset_bytes(a, all[i])), OK);
		set_put(a, all[i], buf_span(&b));
		buf_free(&b);
	}
	assert_int_equal(key_complete(a), OK);
	for (size_t i = 0; i < COUNT(all); i++)
		assert_true(span_eq(attrset_bytes(a, all[i]), attrset_bytes(rsa2048.priv, all[i])));
	attrset_free(a);
}

static void public_keys_are_checked(void **state)
{
	struct attrset *a = set_new(CKO_PUBLIC_KEY, CKK_RSA);
	struct buf n = { 0 };

	(void)state;
	assert_int_equal(key_complete(a), E_TEMPLATE_INCOMPLETE);
	assert_int_equal(buf_put(&n, attrset_bytes(rsa2048.pub, CKA_MODULUS)), OK);
	set_put(a, CKA_MODULUS, buf_span(&n));
	set_put(a, CKA_PUBLIC_EXPONENT, BYTES("\x04"));
	assert_int_equal(key_complete(a), E_ATTR_VALUE);
	set_put(a, CKA_PUBLIC_EXPONENT, BYTES("\x01\x00\x01"));
	n.p[n.n - 1] ^= 1;
	set_put(a, CKA_MODULUS, buf_span(&n));
	assert_int_equal(key_complete(a), E_ATTR_VALUE);
	set_put(a, CKA_MODULUS, span(n.p, 64));
	assert_int_equal(key_complete(a), E_KEY_SIZE);
	attrset_free(a);
	buf_free(&n);
}

static void the_wrong_half_is_refused(void **state)
{
	struct buf o = { 0 };

	(void)state;
	assert_int_equal(work((struct call){ CKM_RSA_PKCS, NULL, 0 }, USE_SIGN, rsa2048.pub,
			      BYTES("m"), 0, &o),
			 E_KEY_TYPE);
	assert_int_equal(work((struct call){ CKM_RSA_PKCS, NULL, 0 }, USE_DECRYPT, rsa2048.pub,
			      BYTES("m"), 0, &o),
			 E_KEY_TYPE);
	buf_free(&o);
}

/*
 * One run under changing keys, mechanisms and parameters never answers with an earlier one's
 * context.
 */
static void a_run_is_used_again(void **state)
{
	CK_RSA_PKCS_PSS_PARAMS par = { CKM_SHA256, CKG_MGF1_SHA256, 32 };
	const struct mech *ms[] = { mech_find(CKM_SHA256_RSA_PKCS), mech_find(CKM_SHA512_RSA_PKCS),
				    mech_find(CKM_SHA256_RSA_PKCS_PSS) };
	struct run r;
	uint8_t sig[256];

	(void)state;
	memset(&r, 0, sizeof(r));
	for (unsigned i = 0; i < 60; i++) {
		const struct pair *p = i % 5 < 3 ? &rsa2048 : &rsa1024;
		const struct mech *m = ms[i / 2 % 3];
		struct key *k = key_of(p->priv);
		CK_MECHANISM mechanism = { m->type, m->param != NULL ? &par : NULL,
					   m->param != NULL ? sizeof(par) : 0 };
		struct sink o = sink(sig, sizeof(sig));
		struct param taken;

		memset(&taken, 0, sizeof(taken));
		par.sLen = i % 7;
		assert_int_equal(param_take(m, &mechanism, &taken), OK);
		assert_int_equal(run_begin(&r, m, USE_SIGN, k, &taken), OK);
		assert_int_equal(run_once(&r, BYTES("again"), &o), OK);
		run_end(&r);
		key_unref(k);
		assert_true(evp_verify(p->pub, i / 2 % 3 == 1 ? "SHA512" : "SHA256",
				       m->param != NULL ? (int)par.sLen : -1, BYTES("again"),
				       span(sig, o.n)));
	}
	run_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signs_with_every_hash),
		cmocka_unit_test(pss_takes_every_salt_that_fits),
		cmocka_unit_test(pss_of_an_odd_modulus),
		cmocka_unit_test(pss_refuses_at_the_start),
		cmocka_unit_test(signs_and_recovers_what_it_is_given),
		cmocka_unit_test(raw_operations_fill_up_with_zeros),
		cmocka_unit_test(pkcs_decryption_is_no_oracle),
		cmocka_unit_test(oaep_with_every_pair_of_digests),
		cmocka_unit_test(oaep_has_one_error),
		cmocka_unit_test(exponents_of_generated_keys),
		cmocka_unit_test(sizes_of_generated_keys),
		cmocka_unit_test(missing_parts_are_computed),
		cmocka_unit_test(required_parts),
		cmocka_unit_test(parts_must_belong_together),
		cmocka_unit_test(leading_zeros_are_taken_off),
		cmocka_unit_test(public_keys_are_checked),
		cmocka_unit_test(the_wrong_half_is_refused),
		cmocka_unit_test(a_run_is_used_again),
	};

	return cmocka_run_group_tests(tests, up, down);
}
