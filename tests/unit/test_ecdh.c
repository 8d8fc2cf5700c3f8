/* SPDX-License-Identifier: Apache-2.0 */
/* Key agreement on Weierstrass and Montgomery curves beside plain OpenSSL. */
#include "pair.h"

#include "crypto/curve.h"

#include <openssl/core_names.h>
#include <openssl/kdf.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define P256     BYTES("\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07")
#define X25519   BYTES("\x06\x03\x2b\x65\x6e")

static const struct {
	CK_EC_KDF_TYPE kdf;
	const char *md;
} kdfs[] = {
	{ CKD_SHA1_KDF, "SHA1" },         { CKD_SHA224_KDF, "SHA224" },
	{ CKD_SHA256_KDF, "SHA256" },     { CKD_SHA384_KDF, "SHA384" },
	{ CKD_SHA512_KDF, "SHA512" },     { CKD_SHA3_224_KDF, "SHA3-224" },
	{ CKD_SHA3_256_KDF, "SHA3-256" }, { CKD_SHA3_384_KDF, "SHA3-384" },
	{ CKD_SHA3_512_KDF, "SHA3-512" },
};

static CK_MECHANISM_TYPE generator(const struct curve *c)
{
	return c->type == CKK_EC ? CKM_EC_KEY_PAIR_GEN : CKM_EC_MONTGOMERY_KEY_PAIR_GEN;
}

/* What plain OpenSSL agrees on. */
static void evp_agree(const struct pair *own, const struct pair *peer, struct buf *z)
{
	EVP_PKEY *a = evp_private(own->priv), *b = evp_public(peer->pub);
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(a, NULL);
	size_t n = 0;

	assert_true(EVP_PKEY_derive_init(ctx) > 0 && EVP_PKEY_derive_set_peer(ctx, b) > 0 &&
		    EVP_PKEY_derive(ctx, NULL, &n) > 0);
	assert_int_equal(buf_reserve(z, n), OK);
	assert_true(EVP_PKEY_derive(ctx, z->p + z->n, &n) > 0);
	z->n += n;
	EVP_PKEY_CTX_free(ctx);
	EVP_PKEY_free(a);
	EVP_PKEY_free(b);
}

/* X9.63, written out. */
static void x963(const char *md, struct span z, struct span info, uint8_t *out, size_t n)
{
	EVP_MD *hash = EVP_MD_fetch(NULL, md, NULL);
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	uint8_t digest[EVP_MAX_MD_SIZE];
	unsigned len;

	for (uint32_t i = 1; n != 0; i++) {
		const uint8_t counter[] = { 0, 0, (uint8_t)(i >> 8), (uint8_t)i };
		size_t part;

		assert_true(EVP_DigestInit_ex2(ctx, hash, NULL) &&
			    EVP_DigestUpdate(ctx, z.p, z.n) && EVP_DigestUpdate(ctx, counter, 4) &&
			    EVP_DigestUpdate(ctx, info.p, info.n) &&
			    EVP_DigestFinal_ex(ctx, digest, &len));
		part = n < len ? n : len;
		memcpy(out, digest, part);
		out += part;
		n -= part;
	}
	EVP_MD_CTX_free(ctx);
	EVP_MD_free(hash);
}

static struct attrset *wanted(CK_KEY_TYPE type, size_t n)
{
	struct attrset *t = set_new(CKO_SECRET_KEY, type);

	if (n != 0)
		set_put_ulong(t, CKA_VALUE_LEN, n);
	return t;
}

struct request {
	CK_MECHANISM_TYPE mech;
	CK_EC_KDF_TYPE kdf;
	struct span shared, peer;
	CK_KEY_TYPE type;
	size_t n; /* 0: no CKA_VALUE_LEN */
};

static enum err ask(const struct pair *own, struct request q, struct buf *out)
{
	struct attrset *t = wanted(q.type, q.n);
	uint8_t peer[300], shared[600];
	CK_ECDH1_DERIVE_PARAMS par = { q.kdf, q.shared.n, q.shared.n ? shared : NULL, q.peer.n,
				       peer };
	enum err e;

	memcpy(peer, q.peer.p, q.peer.n);
	memcpy(shared, q.shared.p, q.shared.n);
	buf_clear(out);
	e = derive((struct call){ q.mech, &par, sizeof(par) }, own->priv, t, out);
	attrset_free(t);
	return e;
}

static void agrees_on_every_curve(void **state)
{
	(void)state;
	for (size_t i = 0; i < curves_n; i++) {
		struct buf z = { 0 }, got = { 0 };
		struct pair a, b;
		struct request q = { .mech = CKM_ECDH1_DERIVE,
				     .kdf = CKD_NULL,
				     .shared = BYTES(""),
				     .type = CKK_GENERIC_SECRET };

		if (curves[i].type == CKK_EC_EDWARDS)
			continue;
		a = pair_curve(generator(&curves[i]), curves[i].oid);
		b = pair_curve(generator(&curves[i]), curves[i].oid);
		evp_agree(&a, &b, &z);
		assert_int_equal(z.n, curves[i].field_n);
		q.peer = attrset_bytes(b.pub, CKA_EC_POINT);
		assert_int_equal(ask(&a, q, &got), OK);
		assert_true(span_eq(buf_span(&got), buf_span(&z)));
		if (curves[i].type == CKK_EC) {
			/* the bare point, and the cofactor, which is 1 */
			q.peer = span(q.peer.p + q.peer.n - 1 - 2 * curves[i].field_n,
				      1 + 2 * curves[i].field_n);
			q.mech = CKM_ECDH1_COFACTOR_DERIVE;
			assert_int_equal(ask(&a, q, &got), OK);
			assert_true(span_eq(buf_span(&got), buf_span(&z)));
		}
		buf_free(&z);
		buf_free(&got);
		pair_free(&a);
		pair_free(&b);
	}
}

static void every_kdf_with_shared_data(void **state)
{
	static const size_t lengths[] = { 0, 1, 32, 33, 64, 500 };
	struct pair a = pair_curve(CKM_EC_KEY_PAIR_GEN, P256),
		    b = pair_curve(CKM_EC_KEY_PAIR_GEN, P256);
	struct buf z = { 0 }, got = { 0 };
	uint8_t shared[500], want[200];

	(void)state;
	memset(shared, 0x77, sizeof(shared));
	evp_agree(&a, &b, &z);
	for (size_t i = 0; i < COUNT(kdfs); i++) {
		for (size_t j = 0; j < COUNT(lengths); j++) {
			struct request q = {
				CKM_ECDH1_DERIVE,         kdfs[i].kdf,
				span(shared, lengths[j]), attrset_bytes(b.pub, CKA_EC_POINT),
				CKK_GENERIC_SECRET,       200
			};

			x963(kdfs[i].md, buf_span(&z), q.shared, want, sizeof(want));
			assert_int_equal(ask(&a, q, &got), OK);
			assert_true(span_eq(buf_span(&got), span(want, sizeof(want))));
			q.n = 7;
			assert_int_equal(ask(&a, q, &got), OK);
			assert_true(span_eq(buf_span(&got), span(want, 7)));
			q.type = CKK_AES;
			q.n = 32;
			assert_int_equal(ask(&a, q, &got), OK);
			assert_true(span_eq(buf_span(&got), span(want, 32)));
		}
	}
	buf_free(&z);
	buf_free(&got);
	pair_free(&a);
	pair_free(&b);
}

static void lengths_without_a_kdf(void **state)
{
	struct pair a = pair_curve(CKM_EC_KEY_PAIR_GEN, P256),
		    b = pair_curve(CKM_EC_KEY_PAIR_GEN, P256);
	struct request q = { CKM_ECDH1_DERIVE,   CKD_NULL,
			     BYTES(""),          attrset_bytes(b.pub, CKA_EC_POINT),
			     CKK_GENERIC_SECRET, 16 };
	struct buf z = { 0 }, got = { 0 };

	(void)state;
	evp_agree(&a, &b, &z);
	assert_int_equal(ask(&a, q, &got), OK);
	assert_true(span_eq(buf_span(&got), span(z.p + 16, 16)));
	q.n = 33;
	assert_int_equal(ask(&a, q, &got), E_ATTR_VALUE);
	q.type = CKK_AES;
	q.n = 0;
	assert_int_equal(ask(&a, q, &got), OK);
	assert_int_equal(got.n, 32);
	q.n = 17;
	assert_int_equal(ask(&a, q, &got), E_ATTR_VALUE);
	q.n = 16;
	q.shared = BYTES("x");
	assert_int_equal(ask(&a, q, &got), E_MECHANISM_PARAM);
	q.kdf = CKD_SHA256_KDF;
	q.n = 0;
	assert_int_equal(ask(&a, q, &got), E_TEMPLATE_INCOMPLETE);
	q.kdf = CKD_SHA1_KDF_CONCATENATE;
	q.n = 16;
	assert_int_equal(ask(&a, q, &got), E_MECHANISM_PARAM);
	buf_free(&z);
	buf_free(&got);
	pair_free(&a);
	pair_free(&b);
}

/* One secret in 256 begins with a zero byte, which stays. */
static void leading_zeros_stay(void **state)
{
	struct pair a = pair_curve(CKM_EC_KEY_PAIR_GEN, P256);
	struct buf z = { 0 }, got = { 0 };
	unsigned seen = 0;

	(void)state;
	for (unsigned i = 0; i < 4000 && seen < 3; i++) {
		struct pair b = pair_curve(CKM_EC_KEY_PAIR_GEN, P256);
		struct request q = { CKM_ECDH1_DERIVE,   CKD_NULL,
				     BYTES(""),          attrset_bytes(b.pub, CKA_EC_POINT),
				     CKK_GENERIC_SECRET, 0 };

		assert_int_equal(ask(&a, q, &got), OK);
		assert_int_equal(got.n, 32);
		if (got.p[0] == 0) {
			buf_clear(&z);
			evp_agree(&a, &b, &z);
			assert_true(span_eq(buf_span(&got), buf_span(&z)));
			seen++;
		}
		pair_free(&b);
	}
	assert_int_not_equal(seen, 0);
	buf_free(&z);
	buf_free(&got);
	pair_free(&a);
}

static void bad_points_are_refused(void **state)
{
	struct pair a = pair_curve(CKM_EC_KEY_PAIR_GEN, P256),
		    b = pair_curve(CKM_EC_KEY_PAIR_GEN, P256);
	struct pair x = pair_curve(CKM_EC_MONTGOMERY_KEY_PAIR_GEN, X25519);
	struct request q = {
		CKM_ECDH1_DERIVE, CKD_NULL, BYTES(""), BYTES(""), CKK_GENERIC_SECRET, 0
	};
	uint8_t point[70] = { 0 };
	struct buf got = { 0 };

	(void)state;
	memcpy(point, attrset_bytes(b.pub, CKA_EC_POINT).p, 67);
	for (size_t n = 0; n < 70; n++) {
		q.peer = span(point, n);
		assert_int_equal(ask(&a, q, &got), n == 67 ? OK : E_MECHANISM_PARAM);
	}
	point[50] ^= 1;
	q.peer = span(point, 67);
	assert_int_equal(ask(&a, q, &got), E_MECHANISM_PARAM);
	q.peer = attrset_bytes(x.pub, CKA_EC_POINT);
	assert_int_equal(ask(&a, q, &got), E_MECHANISM_PARAM);
	assert_int_equal(ask(&x, q, &got), OK);
	/* the small-order points 0 and 1 make the secret zero */
	memset(point, 0, sizeof(point));
	q.peer = span(point, 32);
	assert_int_equal(ask(&x, q, &got), E_MECHANISM_PARAM);
	point[0] = 1;
	assert_int_equal(ask(&x, q, &got), E_MECHANISM_PARAM);
	q.peer = span(point, 31);
	assert_int_equal(ask(&x, q, &got), E_MECHANISM_PARAM);
	buf_free(&got);
	pair_free(&a);
	pair_free(&b);
	pair_free(&x);
}

static enum err create(struct span point, struct attrset **out)
{
	struct attrset *a = set_new(CKO_PUBLIC_KEY, CKK_EC_MONTGOMERY);
	enum err e;

	set_put(a, CKA_EC_PARAMS, X25519);
	set_put(a, CKA_EC_POINT, point);
	e = key_complete(a);
	if (e == OK)
		*out = a;
	else
		attrset_free(a);
	return e;
}

/* A key that looks like DER is still told by its length. */
static void montgomery_points_in_every_form(void **state)
{
	uint8_t key[32] = { 4, 0x1e, 9, 9, 9 }, der[40] = { 4, 32 }, bits[40] = { 3, 33, 0 };
	const struct span forms[] = { span(key, 32), span(der, 34), span(bits, 35) };
	struct pair p = { NULL, NULL }, own = pair_curve(CKM_EC_MONTGOMERY_KEY_PAIR_GEN, X25519);
	struct buf z = { 0 }, got = { 0 };

	(void)state;
	memcpy(der + 2, key, 32);
	memcpy(bits + 3, key, 32);
	for (size_t i = 0; i < COUNT(forms); i++) {
		struct request q = { CKM_ECDH1_DERIVE, CKD_NULL,           BYTES(""),
				     forms[i],         CKK_GENERIC_SECRET, 0 };

		assert_int_equal(create(forms[i], &p.pub), OK);
		assert_true(span_eq(attrset_bytes(p.pub, CKA_EC_POINT), span(key, 32)));
		buf_clear(&z);
		evp_agree(&own, &p, &z);
		assert_int_equal(ask(&own, q, &got), OK);
		assert_true(span_eq(buf_span(&got), buf_span(&z)));
		attrset_free(p.pub);
	}
	assert_int_equal(create(span(key, 31), &p.pub), E_ATTR_VALUE);
	assert_int_equal(create(span(der, 33), &p.pub), E_ATTR_VALUE);
	assert_int_equal(create(span(der, 35), &p.pub), E_ATTR_VALUE);
	assert_int_equal(create(span(bits, 36), &p.pub), E_ATTR_VALUE);
	bits[2] = 1;
	assert_int_equal(create(span(bits, 35), &p.pub), E_ATTR_VALUE);
	buf_free(&z);
	buf_free(&got);
	pair_free(&own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_on_every_curve),
		cmocka_unit_test(every_kdf_with_shared_data),
		cmocka_unit_test(lengths_without_a_kdf),
		cmocka_unit_test(leading_zeros_stay),
		cmocka_unit_test(bad_points_are_refused),
		cmocka_unit_test(montgomery_points_in_every_form),
	};

	return cmocka_run_group_tests(tests, crypto_up, crypto_down);
}
