/* SPDX-License-Identifier: Apache-2.0 */
/* ML-DSA: keys of every form, contexts, hedging, messages in parts, beside plain OpenSSL. */
#include "pair.h"

#include "base/mem.h"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct set {
	CK_ULONG set;
	const char *name;
	size_t public_n, private_n, signature_n;
} sets[] = {
	{ CKP_ML_DSA_44, "ML-DSA-44", 1312, 2560, 2420 },
	{ CKP_ML_DSA_65, "ML-DSA-65", 1952, 4032, 3309 },
	{ CKP_ML_DSA_87, "ML-DSA-87", 2592, 4896, 4627 },
};

static uint8_t context[256] = { 'c' };

static struct call with(const CK_SIGN_ADDITIONAL_CONTEXT *p)
{
	return (struct call){ CKM_ML_DSA, p, sizeof(*p) };
}

static bool evp_verifies(const struct attrset *pub, const char *name, struct span ctx_string,
			 struct span msg, struct span sig)
{
	EVP_PKEY *pk = evp_public(pub);
	EVP_SIGNATURE *alg = EVP_SIGNATURE_fetch(NULL, name, NULL);
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(pk, NULL);
	uint8_t copy[255];
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_octet_string(OSSL_SIGNATURE_PARAM_CONTEXT_STRING, copy,
						  ctx_string.n),
		OSSL_PARAM_construct_end(),
	};
	bool ok;

	memcpy(copy, ctx_string.p, ctx_string.n);
	assert_true(EVP_PKEY_verify_message_init(ctx, alg, params) > 0);
	ok = EVP_PKEY_verify(ctx, sig.p, sig.n, msg.p, msg.n) == 1;
	EVP_PKEY_CTX_free(ctx);
	EVP_SIGNATURE_free(alg);
	EVP_PKEY_free(pk);
	return ok;
}

static void every_set_signs(void **state)
{
	const struct span msg = BYTES("a message long enough to come in parts");

	(void)state;
	for (size_t i = 0; i < COUNT(sets); i++) {
		struct pair p = pair_mldsa(sets[i].set);
		struct call c = { CKM_ML_DSA, NULL, 0 };

		assert_int_equal(attrset_bytes(p.pub, CKA_VALUE).n, sets[i].public_n);
		assert_int_equal(attrset_bytes(p.priv, CKA_VALUE).n, sets[i].private_n);
		assert_int_equal(attrset_bytes(p.priv, CKA_SEED).n, 32);
		for (size_t n = 0; n <= msg.n; n += 19) {
			struct buf sig = { 0 };

			for (size_t part = 0; part < 8; part += 7) {
				buf_clear(&sig);
				assert_int_equal(
					work(c, USE_SIGN, p.priv, span(msg.p, n), part, &sig), OK);
				assert_int_equal(sig.n, sets[i].signature_n);
				assert_true(evp_verifies(p.pub, sets[i].name, BYTES(""),
							 span(msg.p, n), buf_span(&sig)));
				assert_int_equal(check(c, p.pub, span(msg.p, n), 0, buf_span(&sig)),
						 OK);
				assert_int_equal(check(c, p.pub, span(msg.p, n), 5, buf_span(&sig)),
						 OK);
				assert_int_equal(
					check(c, p.pub, span(msg.p, n + 1), 5, buf_span(&sig)),
					E_SIGNATURE);
			}
			assert_int_equal(check(c, p.pub, span(msg.p, n), 0, span(sig.p, sig.n - 1)),
					 E_SIGNATURE_LEN);
			sig.p[99] ^= 1;
			assert_int_equal(check(c, p.pub, span(msg.p, n), 0, buf_span(&sig)),
					 E_SIGNATURE);
			assert_int_equal(check(c, p.pub, span(msg.p, n), 5, buf_span(&sig)),
					 E_SIGNATURE);
			buf_free(&sig);
		}
		pair_free(&p);
	}
}

static void contexts_are_part_of_the_message(void **state)
{
	static const size_t lengths[] = { 0, 1, 2, 255 };
	struct pair p = pair_mldsa(CKP_ML_DSA_44);
	const struct span msg = BYTES("message");

	(void)state;
	for (size_t i = 0; i < COUNT(lengths); i++) {
		CK_SIGN_ADDITIONAL_CONTEXT a = { CKH_HEDGE_PREFERRED, context, lengths[i] };
		struct buf sig = { 0 };

		for (size_t part = 0; part < 4; part += 3) {
			buf_clear(&sig);
			assert_int_equal(work(with(&a), USE_SIGN, p.priv, msg, part, &sig), OK);
			assert_true(evp_verifies(p.pub, "ML-DSA-44", span(context, lengths[i]), msg,
						 buf_span(&sig)));
			for (size_t j = 0; j < COUNT(lengths); j++) {
				CK_SIGN_ADDITIONAL_CONTEXT b = { CKH_HEDGE_PREFERRED, context,
								 lengths[j] };

				assert_int_equal(
					check(with(&b), p.pub, msg, 3 - part, buf_span(&sig)),
					i == j ? OK : E_SIGNATURE);
			}
		}
		buf_free(&sig);
	}
	pair_free(&p);
}

static void hedging(void **state)
{
	struct pair p = pair_mldsa(CKP_ML_DSA_65);
	static const CK_HEDGE_TYPE types[] = { CKH_HEDGE_PREFERRED, CKH_HEDGE_REQUIRED,
					       CKH_DETERMINISTIC_REQUIRED };

	(void)state;
	for (size_t i = 0; i < COUNT(types); i++) {
		CK_SIGN_ADDITIONAL_CONTEXT c = { types[i], NULL, 0 },
					   other = { types[(i + 1) % 3], NULL, 0 };
		struct buf one = { 0 }, two = { 0 };

		assert_int_equal(work(with(&c), USE_SIGN, p.priv, BYTES("m"), 0, &one), OK);
		assert_int_equal(work(with(&c), USE_SIGN, p.priv, BYTES("m"), 1, &two), OK);
		assert_int_equal(span_eq(buf_span(&one), buf_span(&two)),
				 types[i] == CKH_DETERMINISTIC_REQUIRED);
		assert_int_equal(check(with(&other), p.pub, BYTES("m"), 0, buf_span(&one)), OK);
		buf_free(&one);
		buf_free(&two);
	}
	pair_free(&p);
}

static void bad_parameters_are_refused_at_the_start(void **state)
{
	const CK_SIGN_ADDITIONAL_CONTEXT bad[] = {
		{ 3, NULL, 0 },
		{ 99, NULL, 0 },
		{ CKH_HEDGE_PREFERRED, context, 256 },
		{ CKH_HEDGE_PREFERRED, NULL, 5 },
	};
	struct pair p = pair_mldsa(CKP_ML_DSA_44);
	struct buf sig = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		assert_int_equal(work(with(&bad[i]), USE_SIGN, p.priv, BYTES("m"), 0, &sig),
				 E_MECHANISM_PARAM);
		assert_int_equal(check(with(&bad[i]), p.pub, BYTES("m"), 0, BYTES("s")),
				 E_MECHANISM_PARAM);
	}
	assert_int_equal(work((struct call){ CKM_ML_DSA, &bad[0], 23 }, USE_SIGN, p.priv,
			      BYTES("m"), 0, &sig),
			 E_MECHANISM_PARAM);
	assert_int_equal(
		work((struct call){ CKM_ML_DSA, NULL, 24 }, USE_SIGN, p.priv, BYTES("m"), 0, &sig),
		E_MECHANISM_PARAM);
	buf_free(&sig);
	pair_free(&p);
}

/* One run: parts, whole messages, contexts and keys after each other. */
static void a_run_is_used_again(void **state)
{
	struct pair p[] = { pair_mldsa(CKP_ML_DSA_44), pair_mldsa(CKP_ML_DSA_44) };
	const struct mech *m = mech_find(CKM_ML_DSA);
	uint8_t sig[2420];
	struct run r;

	(void)state;
	memset(&r, 0, sizeof(r));
	for (unsigned i = 0; i < 48; i++) {
		CK_SIGN_ADDITIONAL_CONTEXT c = { i % 3, context, i / 3 % 2 };
		CK_MECHANISM mechanism = { CKM_ML_DSA, &c, sizeof(c) };
		struct pair *own = &p[i / 12 % 2];
		struct key *k = key_of(own->priv);
		struct sink o = sink(sig, sizeof(sig));
		struct param par;

		memset(&par, 0, sizeof(par));
		assert_int_equal(param_take(m, &mechanism, &par), OK);
		assert_int_equal(run_begin(&r, m, USE_SIGN, k, &par), OK);
		if (i % 5 < 2) {
			assert_int_equal(run_update(&r, BYTES("me"), &o), OK);
			if (i % 5 == 0) /* given up in the middle */
				goto next;
			assert_int_equal(run_update(&r, BYTES("ssage"), &o), OK);
			assert_int_equal(run_final(&r, &o), OK);
		} else {
			assert_int_equal(run_once(&r, BYTES("message"), &o), OK);
		}
		assert_true(evp_verifies(own->pub, "ML-DSA-44", span(context, c.ulContextLen),
					 BYTES("message"), span(sig, o.n)));
next:
		run_end(&r);
		key_unref(k);
	}
	run_free(&r);
	pair_free(&p[0]);
	pair_free(&p[1]);
}

static enum err create(const struct attrset *from, bool seed, bool value, struct attrset **out)
{
	struct attrset *a = set_new(CKO_PRIVATE_KEY, CKK_ML_DSA);
	enum err e;

	set_put(a, CKA_PARAMETER_SET, attrset_bytes(from, CKA_PARAMETER_SET));
	if (seed)
		set_put(a, CKA_SEED, attrset_bytes(from, CKA_SEED));
	if (value)
		set_put(a, CKA_VALUE, attrset_bytes(from, CKA_VALUE));
	e = key_complete(a);
	if (e == OK)
		*out = a;
	else
		attrset_free(a);
	return e;
}

static void private_keys_of_every_form(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(sets); i++) {
		struct pair p = pair_mldsa(sets[i].set);

		for (unsigned form = 1; form < 4; form++) {
			struct attrset *a = NULL;

			assert_int_equal(create(p.priv, form & 1, form & 2, &a), OK);
			assert_true(span_eq(attrset_bytes(a, CKA_VALUE),
					    attrset_bytes(p.priv, CKA_VALUE)));
			assert_int_equal(attrset_has(a, CKA_SEED), form & 1);
			assert_true(span_eq(attrset_bytes(a, CKA_PUBLIC_KEY_INFO),
					    attrset_bytes(p.pub, CKA_PUBLIC_KEY_INFO)));
			attrset_free(a);
		}
		pair_free(&p);
	}
}

/*
 * One changed bit anywhere in an expanded key: refused, or at least the same public key and good
 * signatures.
 */
static void damaged_private_keys(void **state)
{
	struct pair p = pair_mldsa(CKP_ML_DSA_44), q = pair_mldsa(CKP_ML_DSA_44);
	struct attrset *a = NULL, *mixed = attrset_copy(p.priv, true);
	struct span v = attrset_bytes(p.priv, CKA_VALUE);
	unsigned refused = 0;

	(void)state;
	attrset_drop(mixed, CKA_PUBLIC_KEY_INFO);
	for (size_t at = 0; at < v.n; at += 61) {
		struct buf b = { .secret = true };

		assert_int_equal(buf_put(&b, v), OK);
		b.p[at] ^= 0x10;
		set_put(mixed, CKA_VALUE, buf_span(&b));
		assert_int_equal(create(mixed, true, true, &a), E_ATTR_VALUE);
		if (create(mixed, false, true, &a) == OK)
			attrset_free(a);
		else
			refused++;
		buf_free(&b);
	}
	/*
	 * all but K, 32 bytes that only feed the signature's randomness, and rho, which changes the
	 * key
	 */
	assert_true(refused >= v.n / 61 - 2);
	set_put(mixed, CKA_VALUE, span(v.p, v.n - 1));
	assert_int_equal(create(mixed, false, true, &a), E_ATTR_VALUE);
	set_put(mixed, CKA_VALUE, v);
	set_put(mixed, CKA_SEED, attrset_bytes(q.priv, CKA_SEED));
	assert_int_equal(create(mixed, true, true, &a), E_ATTR_VALUE);
	set_put(mixed, CKA_SEED, span(v.p, 31));
	assert_int_equal(create(mixed, true, false, &a), E_ATTR_VALUE);
	assert_int_equal(create(mixed, false, false, &a), E_TEMPLATE_INCOMPLETE);
	set_put_ulong(mixed, CKA_PARAMETER_SET, CKP_ML_DSA_65);
	assert_int_equal(create(mixed, false, true, &a), E_ATTR_VALUE);
	set_put_ulong(mixed, CKA_PARAMETER_SET, 4);
	assert_int_equal(create(mixed, false, true, &a), E_PARAMETER_SET);
	attrset_free(mixed);
	pair_free(&p);
	pair_free(&q);
}

static void public_keys(void **state)
{
	struct pair p = pair_mldsa(CKP_ML_DSA_65);
	struct attrset *a = set_new(CKO_PUBLIC_KEY, CKK_ML_DSA);
	struct attrset *t = attrset_new(false);
	struct span v = attrset_bytes(p.pub, CKA_VALUE);
	struct pair none;

	(void)state;
	set_put(a, CKA_VALUE, v);
	assert_int_equal(key_complete(a), E_TEMPLATE_INCOMPLETE);
	set_put_ulong(a, CKA_PARAMETER_SET, CKP_ML_DSA_65);
	assert_int_equal(key_complete(a), OK);
	set_put(a, CKA_VALUE, span(v.p, v.n - 1));
	attrset_drop(a, CKA_PUBLIC_KEY_INFO);
	assert_int_equal(key_complete(a), E_ATTR_VALUE);
	attrset_drop(a, CKA_VALUE);
	assert_int_equal(key_complete(a), E_TEMPLATE_INCOMPLETE);
	assert_int_equal(generate(CKM_ML_DSA_KEY_PAIR_GEN, t, &none), E_TEMPLATE_INCOMPLETE);
	set_put_ulong(t, CKA_PARAMETER_SET, 0);
	assert_int_equal(generate(CKM_ML_DSA_KEY_PAIR_GEN, t, &none), E_PARAMETER_SET);
	attrset_free(t);
	attrset_free(a);
	pair_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_set_signs),
		cmocka_unit_test(contexts_are_part_of_the_message),
		cmocka_unit_test(hedging),
		cmocka_unit_test(bad_parameters_are_refused_at_the_start),
		cmocka_unit_test(a_run_is_used_again),
		cmocka_unit_test(private_keys_of_every_form),
		cmocka_unit_test(damaged_private_keys),
		cmocka_unit_test(public_keys),
	};

	return cmocka_run_group_tests(tests, crypto_up, crypto_down);
}
