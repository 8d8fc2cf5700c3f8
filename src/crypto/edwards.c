/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether bytes are a point of edwards25519 or edwards448. libcrypto notices only when a signature
 * is verified; a public key that is none should not get that far. Public values: nothing here is
 * constant time.
 */
#include "crypto/ec.h"

#include "crypto/fetch.h"
#include "crypto/pkey.h"

#include <openssl/bn.h>

/* a*x^2 + y^2 = 1 + d*x^2*y^2 over the field of p */
struct edwards {
	size_t n; /* bytes of a point */
	const char *p;
	const char *d; /* mod p */
	bool minus;    /* a is -1, else 1 */
};

static const struct edwards edwards_curves[] = {
	{ 32, "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed",
	  "52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3", true },
	{ 57,
	  "fffffffffffffffffffffffffffffffffffffffffffffffffffffffe"
	  "ffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
	  "fffffffffffffffffffffffffffffffffffffffffffffffffffffffe"
	  "ffffffffffffffffffffffffffffffffffffffffffffffffffff6756",
	  false },
};

/* The y coordinate and, taken from its top bit, the sign of x. */
static BIGNUM *split(struct span point, bool *sign)
{
	uint8_t y[57];

	memcpy(y, point.p, point.n);
	*sign = (y[point.n - 1] & 0x80) != 0;
	y[point.n - 1] &= 0x7f;
	return BN_lebin2bn(y, (int)point.n, NULL);
}

/* u = y^2 - 1, v = d*y^2 - a: x^2 = u / v */
static bool fraction(const struct edwards *c, const BIGNUM *y, const BIGNUM *p, const BIGNUM *d,
		     BIGNUM *u, BIGNUM *v, BN_CTX *ctx)
{
	BIGNUM *yy = BN_CTX_get(ctx), *one = BN_CTX_get(ctx);

	if (one == NULL || !BN_one(one) || !BN_mod_sqr(yy, y, p, ctx) ||
	    !BN_mod_sub(u, yy, one, p, ctx) || !BN_mod_mul(v, d, yy, p, ctx))
		return false;
	return c->minus ? BN_mod_add(v, v, one, p, ctx) : BN_mod_sub(v, v, one, p, ctx);
}

/*
 * x^2 = u / v has a solution when u * v is a square; v is never 0, because d (d and a) is none. x =
 * 0 has no negative (RFC 8032, 5.1.3, step 4).
 */
static bool has_x(const struct edwards *c, const BIGNUM *y, bool sign, BN_CTX *ctx)
{
	BIGNUM *p = BN_CTX_get(ctx), *d = BN_CTX_get(ctx), *u = BN_CTX_get(ctx),
	       *v = BN_CTX_get(ctx);

	if (v == NULL || !BN_hex2bn(&p, c->p) || !BN_hex2bn(&d, c->d))
		return false;
	if (BN_cmp(y, p) >= 0 || !fraction(c, y, p, d, u, v, ctx) || !BN_mod_mul(v, u, v, p, ctx))
		return false;
	if (BN_is_zero(u))
		return !sign;
	return BN_kronecker(v, p, ctx) == 1;
}

bool edwards_point_ok(const struct curve *c, struct span point)
{
	const struct edwards *ed = &edwards_curves[c->field_n == edwards_curves[0].n ? 0 : 1];
	BN_CTX *ctx = BN_CTX_new_ex(crypto_ctx());
	BIGNUM *y;
	bool sign, ok = false;

	if (point.n != ed->n || ctx == NULL) {
		BN_CTX_free(ctx);
		return false;
	}
	BN_CTX_start(ctx);
	y = split(point, &sign);
	if (y != NULL)
		ok = has_x(ed, y, sign, ctx);
	BN_free(y);
	BN_CTX_end(ctx);
	BN_CTX_free(ctx);
	return ok;
}
