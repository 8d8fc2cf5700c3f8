/* SPDX-License-Identifier: Apache-2.0 */
/* EdDSA in all its schemes beside plain OpenSSL, and Edwards points. */
#include "pair.h"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define ED25519  BYTES("\x06\x03\x2b\x65\x70")
#define ED448    BYTES("\x06\x03\x2b\x65\x71")

static uint8_t context[256];

static CK_EDDSA_PARAMS params(bool ph, size_t context_n)
{
	return (CK_EDDSA_PARAMS){ ph, context_n, context_n != 0 ? context : NULL };
}

static struct call plain(void)
{
	return (struct call){ CKM_EDDSA, NULL, 0 };
}

static struct call with(const CK_EDDSA_PARAMS *p)
{
	return (struct call){ CKM_EDDSA, p, sizeof(*p) };
}

/* The signature that plain OpenSSL makes in the named scheme. */
static void evp_sign(const struct attrset *priv, const char *scheme, size_t context_n,
		     struct span msg, struct buf *out)
{
	EVP_PKEY *pk = evp_private(priv);
	EVP_SIGNATURE *alg = EVP_SIGNATURE_fetch(NULL, scheme, NULL);
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(pk, NULL);
	OSSL_PARAM par[] = {
		OSSL_PARAM_construct_octet_string(OSSL_SIGNATURE_PARAM_CONTEXT_STRING, context,
						  context_n),
		OSSL_PARAM_construct_end(),
	};
	size_t n = 114;

	assert_true(EVP_PKEY_sign_message_init(ctx, alg, context_n != 0 ? par : NULL) > 0);
	assert_int_equal(buf_reserve(out, n), OK);
	assert_true(EVP_PKEY_sign(ctx, out->p, &n, msg.p, msg.n) > 0);
	out->n = n;
	EVP_PKEY_CTX_free(ctx);
	EVP_SIGNATURE_free(alg);
	EVP_PKEY_free(pk);
}

/* EdDSA is deterministic: byte for byte what OpenSSL signs. */
static void the_signatures_of_openssl(void **state)
{
	const CK_EDDSA_PARAMS pars[] = { params(false, 0), params(false, 9), params(true, 0),
					 params(true, 255) };
	const struct {
		struct span curve;
		const CK_EDDSA_PARAMS *par;
		const char *scheme;
	} rows[] = {
		{ ED25519, NULL, "ED25519" },       { ED25519, &pars[1], "ED25519ctx" },
		{ ED25519, &pars[2], "ED25519ph" }, { ED25519, &pars[3], "ED25519ph" },
		{ ED448, NULL, "ED448" },           { ED448, &pars[0], "ED448" },
		{ ED448, &pars[1], "ED448" },       { ED448, &pars[2], "ED448ph" },
		{ ED448, &pars[3], "ED448ph" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct pair p = pair_curve(CKM_EC_EDWARDS_KEY_PAIR_GEN, rows[i].curve);
		const CK_EDDSA_PARAMS *par = rows[i].par;

		for (size_t n = 0; n <= sizeof(context); n += 64) {
			struct buf got = { 0 }, want = { 0 };
			struct span msg = span(context, n);

			evp_sign(p.priv, rows[i].scheme, par != NULL ? par->ulContextDataLen : 0,
				 msg, &want);
			assert_int_equal(work(par != NULL ? with(par) : plain(), USE_SIGN, p.priv,
					      msg, 0, &got),
					 OK);
			assert_true(span_eq(buf_span(&got), buf_span(&want)));
			buf_free(&got);
			buf_free(&want);
		}
		pair_free(&p);
	}
}

/* Every scheme verifies under itself and under no other. */
static void schemes_are_kept_apart(struct span curve, bool ed448)
{
	struct pair p = pair_curve(CKM_EC_EDWARDS_KEY_PAIR_GEN, curve);
	const CK_EDDSA_PARAMS pars[] = { params(false, 1), params(false, 255), params(true, 0),
					 params(true, 1), params(false, 0) };
	const struct call calls[] = { plain(),        with(&pars[0]), with(&pars[1]),
				      with(&pars[2]), with(&pars[3]), with(&pars[4]) };
	const size_t n = COUNT(calls) - (ed448 ? 0 : 1);
	const struct span msg = BYTES("a message");

	for (size_t i = 0; i < n; i++) {
		struct buf sig = { 0 };

		assert_int_equal(work(calls[i], USE_SIGN, p.priv, msg, 0, &sig), OK);
		assert_int_equal(sig.n, ed448 ? 114 : 64);
		for (size_t j = 0; j < n; j++) {
			/* Ed448 without a parameter is Ed448 with an empty context */
			bool same = i == j || (ed448 && i % 5 == 0 && j % 5 == 0);

			assert_int_equal(check(calls[j], p.pub, msg, 0, buf_span(&sig)),
					 same ? OK : E_SIGNATURE);
		}
		assert_int_equal(check(calls[i], p.pub, msg, 0, span(sig.p, sig.n - 1)),
				 E_SIGNATURE_LEN);
		buf_free(&sig);
	}
	pair_free(&p);
}

static void schemes(void **state)
{
	(void)state;
	schemes_are_kept_apart(ED25519, false);
	schemes_are_kept_apart(ED448, true);
}

static void parameters_are_never_ignored(void **state)
{
	struct pair p = pair_curve(CKM_EC_EDWARDS_KEY_PAIR_GEN, ED25519);
	CK_EDDSA_PARAMS par = params(false, 0);
	struct buf sig = { 0 };
	struct call c = with(&par);

	(void)state;
	assert_int_equal(work(c, USE_SIGN, p.priv, BYTES("m"), 0, &sig), E_MECHANISM_PARAM);
	par = (CK_EDDSA_PARAMS){ CK_FALSE, 256, context };
	assert_int_equal(work(c, USE_SIGN, p.priv, BYTES("m"), 0, &sig), E_MECHANISM_PARAM);
	par = (CK_EDDSA_PARAMS){ CK_FALSE, 5, NULL };
	assert_int_equal(work(c, USE_SIGN, p.priv, BYTES("m"), 0, &sig), E_MECHANISM_PARAM);
	par = (CK_EDDSA_PARAMS){ 2, 1, context };
	assert_int_equal(work(c, USE_SIGN, p.priv, BYTES("m"), 0, &sig), E_MECHANISM_PARAM);
	c.param_n = 1;
	assert_int_equal(work(c, USE_SIGN, p.priv, BYTES("m"), 0, &sig), E_MECHANISM_PARAM);
	c = (struct call){ CKM_EDDSA, NULL, sizeof(par) };
	assert_int_equal(work(c, USE_SIGN, p.priv, BYTES("m"), 0, &sig), E_MECHANISM_PARAM);
	buf_free(&sig);
	pair_free(&p);
}

static enum err create(struct span curve, struct span point)
{
	struct attrset *a = set_new(CKO_PUBLIC_KEY, CKK_EC_EDWARDS);
	enum err e;

	set_put(a, CKA_EC_PARAMS, curve);
	set_put(a, CKA_EC_POINT, point);
	e = key_complete(a);
	if (e == OK) /* the bare form */
		assert_int_equal(attrset_bytes(a, CKA_EC_POINT).n, curve.p[4] == 0x70 ? 32 : 57);
	attrset_free(a);
	return e;
}

/* libcrypto knows whether bytes are a point only when it verifies: half of all y have no x. */
static void points_are_on_the_curve(struct span curve, size_t n)
{
	uint8_t point[64] = { 0 };
	unsigned on = 0;

	for (unsigned y = 2; y < 200; y++) {
		struct attrset *a = set_new(CKO_PUBLIC_KEY, CKK_EC_EDWARDS);

		point[0] = (uint8_t)y;
		if (create(curve, span(point, n)) == OK)
			on++;
		else
			assert_int_equal(create(curve, span(point, n)), E_ATTR_VALUE);
		attrset_free(a);
	}
	assert_in_range(on, 60, 140);
	/* y = 1 is x = 0, which has no sign; y = p and above is no y */
	point[0] = 1;
	assert_int_equal(create(curve, span(point, n)), OK);
	point[n - 1] |= 0x80;
	assert_int_equal(create(curve, span(point, n)), E_ATTR_VALUE);
	memset(point, 0xff, n);
	assert_int_equal(create(curve, span(point, n)), E_ATTR_VALUE);
	assert_int_equal(create(curve, span(point, n - 1)), E_ATTR_VALUE);
	assert_int_equal(create(curve, span(point, n + 1)), E_ATTR_VALUE);
	assert_int_equal(create(curve, span(point, 0)), E_ATTR_VALUE);
}

static void points(void **state)
{
	(void)state;
	points_are_on_the_curve(ED25519, 32);
	points_are_on_the_curve(ED448, 57);
	for (unsigned i = 0; i < 50; i++) {
		struct pair p = pair_curve(CKM_EC_EDWARDS_KEY_PAIR_GEN, i % 2 ? ED25519 : ED448);
		struct span point = attrset_bytes(p.pub, CKA_EC_POINT);
		uint8_t der[70] = { 4, (uint8_t)point.n };

		memcpy(der + 2, point.p, point.n);
		assert_int_equal(create(i % 2 ? ED25519 : ED448, span(der, point.n + 2)), OK);
		pair_free(&p);
	}
}

static void private_values_have_one_length(void **state)
{
	struct attrset *a = set_new(CKO_PRIVATE_KEY, CKK_EC_EDWARDS);
	uint8_t value[58] = { 1 };

	(void)state;
	assert_int_equal(key_complete(a), E_TEMPLATE_INCOMPLETE);
	set_put(a, CKA_EC_PARAMS, ED25519);
	assert_int_equal(key_complete(a), E_TEMPLATE_INCOMPLETE);
	for (size_t n = 0; n < sizeof(value); n++) {
		set_put(a, CKA_VALUE, span(value, n));
		assert_int_equal(key_complete(a), n == 32 ? OK : E_ATTR_VALUE);
	}
	attrset_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_signatures_of_openssl),      cmocka_unit_test(schemes),
		cmocka_unit_test(parameters_are_never_ignored),   cmocka_unit_test(points),
		cmocka_unit_test(private_values_have_one_length),
	};

	return cmocka_run_group_tests(tests, crypto_up, crypto_down);
}
