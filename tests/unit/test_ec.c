/* SPDX-License-Identifier: Apache-2.0 */
/* Weierstrass curves: names and points in all their forms, keys, and ECDSA beside plain OpenSSL. */
#include "pair.h"

#include "crypto/curve.h"

#include <openssl/ecdsa.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define P256     BYTES("\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07")

static const struct {
	CK_MECHANISM_TYPE mech;
	const char *name;
} hashed[] = {
	{ CKM_ECDSA_SHA1, "SHA1" },         { CKM_ECDSA_SHA224, "SHA224" },
	{ CKM_ECDSA_SHA256, "SHA256" },     { CKM_ECDSA_SHA384, "SHA384" },
	{ CKM_ECDSA_SHA512, "SHA512" },     { CKM_ECDSA_SHA3_224, "SHA3-224" },
	{ CKM_ECDSA_SHA3_256, "SHA3-256" }, { CKM_ECDSA_SHA3_384, "SHA3-384" },
	{ CKM_ECDSA_SHA3_512, "SHA3-512" },
};

/* r || s as OpenSSL takes it. */
static void to_der(struct span raw, struct buf *out)
{
	ECDSA_SIG *sig = ECDSA_SIG_new();
	size_t n = raw.n / 2;
	uint8_t *p = NULL;
	int len;

	assert_true(ECDSA_SIG_set0(sig, BN_bin2bn(raw.p, (int)n, NULL),
				   BN_bin2bn(raw.p + n, (int)n, NULL)));
	len = i2d_ECDSA_SIG(sig, &p);
	assert_int_equal(buf_put(out, span(p, (size_t)len)), OK);
	OPENSSL_free(p);
	ECDSA_SIG_free(sig);
}

static bool evp_verifies(const struct attrset *pub, const char *md, struct span msg,
			 struct span sig)
{
	EVP_PKEY *pk = evp_public(pub);
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	struct buf der = { 0 };
	bool ok;

	to_der(sig, &der);
	assert_true(EVP_DigestVerifyInit_ex(ctx, NULL, md, NULL, NULL, pk, NULL) > 0);
	ok = EVP_DigestVerify(ctx, der.p, der.n, msg.p, msg.n) == 1;
	buf_free(&der);
	EVP_MD_CTX_free(ctx);
	EVP_PKEY_free(pk);
	return ok;
}

static void signs_on(const struct curve *c, const struct pair *p)
{
	const struct span msg = BYTES("one message for every curve");

	for (size_t i = 0; i < COUNT(hashed); i++) {
		struct call call = { hashed[i].mech, NULL, 0 };
		struct buf sig = { 0 };

		assert_int_equal(work(call, USE_SIGN, p->priv, msg, i % 2 ? 4 : 0, &sig), OK);
		assert_int_equal(sig.n, 2 * c->order_n);
		assert_true(evp_verifies(p->pub, hashed[i].name, msg, buf_span(&sig)));
		assert_int_equal(check(call, p->pub, msg, i % 2 ? 0 : 3, buf_span(&sig)), OK);
		sig.p[0] ^= 1;
		assert_int_equal(check(call, p->pub, msg, 0, buf_span(&sig)), E_SIGNATURE);
		buf_free(&sig);
	}
}

static void every_curve_signs(void **state)
{
	(void)state;
	for (size_t i = 0; i < curves_n; i++) {
		struct pair p;
		EVP_PKEY *pk;

		if (curves[i].type != CKK_EC)
			continue;
		p = pair_curve(CKM_EC_KEY_PAIR_GEN, curves[i].oid);
		signs_on(&curves[i], &p);
		pk = evp_private(p.priv);
		assert_int_equal(EVP_PKEY_get_bits(pk), (int)curves[i].bits);
		EVP_PKEY_free(pk);
		assert_int_equal(attrset_bytes(p.pub, CKA_EC_POINT).p[0], 4);
		assert_true(span_eq(attrset_bytes(p.pub, CKA_PUBLIC_KEY_INFO),
				    attrset_bytes(p.priv, CKA_PUBLIC_KEY_INFO)));
		pair_free(&p);
	}
}

static void raw_signatures_take_any_length(void **state)
{
	struct pair p = pair_curve(CKM_EC_KEY_PAIR_GEN, P256);
	struct call c = { CKM_ECDSA, NULL, 0 };
	uint8_t in[100];
	struct buf sig = { 0 };

	(void)state;
	memset(in, 0xc3, sizeof(in));
	for (size_t n = 0; n <= sizeof(in); n += 10) {
		buf_clear(&sig);
		assert_int_equal(work(c, USE_SIGN, p.priv, span(in, n), 0, &sig), OK);
		assert_int_equal(check(c, p.pub, span(in, n), 0, buf_span(&sig)), OK);
		/* only the leftmost bits count, as many as the order has */
		assert_int_equal(check(c, p.pub, span(in, n > 32 ? 32 : n), 0, buf_span(&sig)), OK);
		assert_int_equal(
			check(c, p.pub, span(in, n + 1 > 32 ? 31 : n + 1), 0, buf_span(&sig)),
			E_SIGNATURE);
	}
	buf_free(&sig);
	pair_free(&p);
}

static void lengths_of_signatures(void **state)
{
	struct pair p = pair_curve(CKM_EC_KEY_PAIR_GEN, P256);
	struct call c = { CKM_ECDSA, NULL, 0 };
	uint8_t zeros[64] = { 0 }, longer[70] = { 0 };
	struct buf sig = { 0 };

	(void)state;
	assert_int_equal(work(c, USE_SIGN, p.priv, BYTES("m"), 0, &sig), OK);
	memcpy(longer, sig.p, 64);
	for (size_t n = 0; n < sizeof(longer); n++) {
		enum err want = n == 64 ? OK : E_SIGNATURE;

		if (n == 0 || n > 64 || n % 2 != 0)
			want = E_SIGNATURE_LEN;
		assert_int_equal(check(c, p.pub, BYTES("m"), 0, span(longer, n)), want);
	}
	assert_int_equal(check(c, p.pub, BYTES("m"), 0, span(zeros, 64)), E_SIGNATURE);
	buf_free(&sig);
	pair_free(&p);
}

/*
 * The first byte of each half of a P-521 signature is 0 or 1: every fourth signature has a shorter
 * form.
 */
static void shorter_signatures_verify(void **state)
{
	struct pair p = pair_curve(CKM_EC_KEY_PAIR_GEN, BYTES("\x06\x05\x2b\x81\x04\x00\x23"));
	struct call c = { CKM_ECDSA_SHA512, NULL, 0 };
	struct buf sig = { 0 };

	(void)state;
	do {
		buf_clear(&sig);
		assert_int_equal(work(c, USE_SIGN, p.priv, BYTES("m"), 0, &sig), OK);
	} while (sig.p[0] != 0 || sig.p[66] != 0);
	memmove(sig.p, sig.p + 1, 65);
	memmove(sig.p + 65, sig.p + 67, 65);
	assert_int_equal(check(c, p.pub, BYTES("m"), 0, span(sig.p, 130)), OK);
	buf_free(&sig);
	pair_free(&p);
}

static enum err generate_on(struct span params, CK_MECHANISM_TYPE gen)
{
	struct attrset *t = attrset_new(false);
	struct pair p;
	enum err e;

	set_put(t, CKA_EC_PARAMS, params);
	e = generate(gen, t, &p);
	if (e == OK) {
		assert_true(span_eq(attrset_bytes(p.pub, CKA_EC_PARAMS), params));
		assert_true(span_eq(attrset_bytes(p.priv, CKA_EC_PARAMS), params));
		pair_free(&p);
	}
	attrset_free(t);
	return e;
}

static void curves_by_oid_and_by_name(void **state)
{
	const struct {
		struct span params;
		CK_MECHANISM_TYPE gen;
		enum err want;
	} rows[] = {
		{ P256, CKM_EC_KEY_PAIR_GEN, OK },
		{ BYTES("\x13\x09secp256r1"), CKM_EC_KEY_PAIR_GEN, OK },
		{ BYTES("\x13\x0aprime256v1"), CKM_EC_KEY_PAIR_GEN, OK },
		{ BYTES("\x13\x05P-256"), CKM_EC_KEY_PAIR_GEN, OK },
		{ BYTES("\x13\x09secp384r1"), CKM_EC_KEY_PAIR_GEN, OK },
		{ BYTES("\x13\x0csecp256r1xyz"), CKM_EC_KEY_PAIR_GEN, E_CURVE },
		{ BYTES("\x13\x08secp256r"), CKM_EC_KEY_PAIR_GEN, E_CURVE },
		{ BYTES("\x13\x00"), CKM_EC_KEY_PAIR_GEN, E_CURVE },
		{ BYTES("\x13\x0bsecp256r1"), CKM_EC_KEY_PAIR_GEN, E_ATTR_VALUE },
		{ BYTES("\x13\x08secp256r1"), CKM_EC_KEY_PAIR_GEN, E_ATTR_VALUE },
		{ BYTES("\x06\x03\x2b\x65\x70"), CKM_EC_KEY_PAIR_GEN, E_CURVE },
		{ BYTES("\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x01"), CKM_EC_KEY_PAIR_GEN, E_CURVE },
		{ BYTES("\x06\x08\x2a\x86\x48\xce\x3d\x03\x01"), CKM_EC_KEY_PAIR_GEN,
		  E_ATTR_VALUE },
		{ BYTES("\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07\x00"), CKM_EC_KEY_PAIR_GEN,
		  E_ATTR_VALUE },
		{ BYTES("\x06\x02\x80\x01"), CKM_EC_KEY_PAIR_GEN, E_ATTR_VALUE },
		{ BYTES("\x06\x01\x81"), CKM_EC_KEY_PAIR_GEN, E_ATTR_VALUE },
		{ BYTES("\x06\x00"), CKM_EC_KEY_PAIR_GEN, E_ATTR_VALUE },
		{ BYTES("\x06\x81\x08\x2a\x86\x48\xce\x3d\x03\x01\x07"), CKM_EC_KEY_PAIR_GEN,
		  E_ATTR_VALUE },
		{ BYTES("\x30\x03\x02\x01\x01"), CKM_EC_KEY_PAIR_GEN, E_DOMAIN_PARAMS },
		{ BYTES("\x05\x00"), CKM_EC_KEY_PAIR_GEN, E_DOMAIN_PARAMS },
		{ BYTES("secp256r1"), CKM_EC_KEY_PAIR_GEN, E_ATTR_VALUE },
		{ BYTES(""), CKM_EC_KEY_PAIR_GEN, E_ATTR_VALUE },
		{ BYTES("\x06\x03\x2b\x65\x70"), CKM_EC_EDWARDS_KEY_PAIR_GEN, OK },
		{ BYTES("\x13\x0c"
			"edwards25519"),
		  CKM_EC_EDWARDS_KEY_PAIR_GEN, OK },
		{ BYTES("\x06\x03\x2b\x65\x71"), CKM_EC_EDWARDS_KEY_PAIR_GEN, OK },
		{ BYTES("\x13\x0a"
			"edwards448"),
		  CKM_EC_EDWARDS_KEY_PAIR_GEN, OK },
		{ BYTES("\x13\x0a"
			"curve25519"),
		  CKM_EC_EDWARDS_KEY_PAIR_GEN, E_CURVE },
		{ BYTES("\x06\x03\x2b\x65\x6e"), CKM_EC_EDWARDS_KEY_PAIR_GEN, E_CURVE },
		{ P256, CKM_EC_EDWARDS_KEY_PAIR_GEN, E_CURVE },
		{ BYTES("\x06\x03\x2b\x65\x6e"), CKM_EC_MONTGOMERY_KEY_PAIR_GEN, OK },
		{ BYTES("\x13\x0a"
			"curve25519"),
		  CKM_EC_MONTGOMERY_KEY_PAIR_GEN, OK },
		{ BYTES("\x06\x03\x2b\x65\x6f"), CKM_EC_MONTGOMERY_KEY_PAIR_GEN, OK },
		{ BYTES("\x13\x08"
			"curve448"),
		  CKM_EC_MONTGOMERY_KEY_PAIR_GEN, OK },
		{ BYTES("\x13\x0b"
			"curve25519"),
		  CKM_EC_MONTGOMERY_KEY_PAIR_GEN, E_ATTR_VALUE },
	};
	struct attrset *none = attrset_new(false);
	struct pair p;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(generate_on(rows[i].params, rows[i].gen), rows[i].want);
	assert_int_equal(generate(CKM_EC_KEY_PAIR_GEN, none, &p), E_TEMPLATE_INCOMPLETE);
	attrset_free(none);
}

static enum err create_public(struct span point, struct buf *back)
{
	struct attrset *a = set_new(CKO_PUBLIC_KEY, CKK_EC);
	enum err e;

	set_put(a, CKA_EC_PARAMS, P256);
	assert_int_equal(key_complete(a), E_TEMPLATE_INCOMPLETE);
	set_put(a, CKA_EC_POINT, point);
	e = key_complete(a);
	buf_clear(back);
	if (e == OK)
		assert_int_equal(buf_put(back, attrset_bytes(a, CKA_EC_POINT)), OK);
	attrset_free(a);
	return e;
}

static void points_in_every_form(void **state)
{
	struct pair p = pair_curve(CKM_EC_KEY_PAIR_GEN, P256);
	struct span der = attrset_bytes(p.pub, CKA_EC_POINT); /* 04 41 04 X Y */
	struct buf back = { 0 };
	uint8_t b[80];

	(void)state;
	assert_int_equal(der.n, 67);
	assert_int_equal(create_public(der, &back), OK);
	assert_true(span_eq(buf_span(&back), der));
	assert_int_equal(create_public(span(der.p + 2, 65), &back), OK);
	assert_true(span_eq(buf_span(&back), der));
	/* compressed, in DER and bare */
	memcpy(b, "\x04\x21", 2);
	b[2] = (uint8_t)(2 + (der.p[66] & 1));
	memcpy(b + 3, der.p + 3, 32);
	assert_int_equal(create_public(span(b, 35), &back), OK);
	assert_true(span_eq(buf_span(&back), der));
	assert_int_equal(create_public(span(b + 2, 33), &back), OK);
	assert_true(span_eq(buf_span(&back), der));
	/* hybrid */
	memcpy(b, der.p, 67);
	b[2] = (uint8_t)(6 + (der.p[66] & 1));
	assert_int_equal(create_public(span(b, 67), &back), E_ATTR_VALUE);
	/* off the curve */
	memcpy(b, der.p, 67);
	b[66] ^= 1;
	assert_int_equal(create_public(span(b, 67), &back), E_ATTR_VALUE);
	memset(b + 3, 0xff, 64);
	assert_int_equal(create_public(span(b, 67), &back), E_ATTR_VALUE);
	/* infinity, truncated, trailing, empty */
	assert_int_equal(create_public(BYTES("\x04\x01\x00"), &back), E_ATTR_VALUE);
	assert_int_equal(create_public(BYTES("\x00"), &back), E_ATTR_VALUE);
	memcpy(b, der.p, 67);
	b[67] = 0;
	assert_int_equal(create_public(span(b, 66), &back), E_ATTR_VALUE);
	assert_int_equal(create_public(span(b, 68), &back), E_ATTR_VALUE);
	assert_int_equal(create_public(span(b, 0), &back), E_ATTR_VALUE);
	b[0] = 3;
	assert_int_equal(create_public(span(b, 67), &back), E_ATTR_VALUE);
	buf_free(&back);
	pair_free(&p);
}

static enum err create_private(struct span value, struct span point)
{
	struct attrset *a = set_new(CKO_PRIVATE_KEY, CKK_EC);
	enum err e;

	set_put(a, CKA_EC_PARAMS, P256);
	set_put(a, CKA_VALUE, value);
	if (point.n != 0)
		set_put(a, CKA_EC_POINT, point);
	e = key_complete(a);
	if (e == OK) {
		assert_false(attrset_has(a, CKA_EC_POINT));
		assert_int_not_equal(attrset_bytes(a, CKA_VALUE).p[0], 0);
	}
	attrset_free(a);
	return e;
}

static void private_values_are_in_range(void **state)
{
	/* the order of P-256, and one less */
	struct buf order =
		unhex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551");
	struct pair p = pair_curve(CKM_EC_KEY_PAIR_GEN, P256),
		    q = pair_curve(CKM_EC_KEY_PAIR_GEN, P256);
	struct span none = span(NULL, 0);
	struct buf padded = { 0 };

	(void)state;
	assert_int_equal(create_private(buf_span(&order), none), E_ATTR_VALUE);
	order.p[31]--;
	assert_int_equal(create_private(buf_span(&order), none), OK);
	assert_int_equal(create_private(BYTES("\x01"), none), OK);
	assert_int_equal(create_private(BYTES("\0\0\x01"), none), OK);
	assert_int_equal(create_private(BYTES("\0"), none), E_ATTR_VALUE);
	assert_int_equal(create_private(none, none), E_ATTR_VALUE);
	assert_int_equal(buf_put(&padded, BYTES("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0")), OK);
	assert_int_equal(buf_put(&padded, attrset_bytes(p.priv, CKA_VALUE)), OK);
	assert_int_equal(create_private(buf_span(&padded), none), OK);
	assert_int_equal(create_private(attrset_bytes(p.priv, CKA_VALUE),
					attrset_bytes(p.pub, CKA_EC_POINT)),
			 OK);
	assert_int_equal(create_private(attrset_bytes(p.priv, CKA_VALUE),
					attrset_bytes(q.pub, CKA_EC_POINT)),
			 E_ATTR_VALUE);
	assert_int_equal(create_private(attrset_bytes(p.priv, CKA_VALUE), BYTES("\x04\x01\x00")),
			 E_ATTR_VALUE);
	buf_free(&padded);
	buf_free(&order);
	pair_free(&p);
	pair_free(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_curve_signs),
		cmocka_unit_test(raw_signatures_take_any_length),
		cmocka_unit_test(lengths_of_signatures),
		cmocka_unit_test(shorter_signatures_verify),
		cmocka_unit_test(curves_by_oid_and_by_name),
		cmocka_unit_test(points_in_every_form),
		cmocka_unit_test(private_values_are_in_range),
	};

	return cmocka_run_group_tests(tests, crypto_up, crypto_down);
}
