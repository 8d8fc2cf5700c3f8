/* SPDX-License-Identifier: Apache-2.0 */
/* The Chinese remainder parts of RSA private keys: computed where they are missing, and checked. */
#include "crypto/rsa.h"

#include "crypto/fetch.h"
#include "crypto/pkey.h"

#include <openssl/bn.h>

enum part { N, E, D, P, Q, DP, DQ, QI, PARTS };

static const CK_ATTRIBUTE_TYPE part_attr[PARTS] = {
	[N] = CKA_MODULUS,     [E] = CKA_PUBLIC_EXPONENT, [D] = CKA_PRIVATE_EXPONENT,
	[P] = CKA_PRIME_1,     [Q] = CKA_PRIME_2,         [DP] = CKA_EXPONENT_1,
	[DQ] = CKA_EXPONENT_2, [QI] = CKA_COEFFICIENT,
};

/* A key as numbers, and room to reckon. */
struct parts {
	BN_CTX *ctx;
	BIGNUM *v[PARTS]; /* NULL: absent */
};

static void parts_free(struct parts *k)
{
	for (enum part i = 0; i < PARTS; i++)
		BN_clear_free(k->v[i]);
	BN_CTX_end(k->ctx);
	BN_CTX_free(k->ctx);
}

static enum err parts_load(const struct attrset *a, struct parts *k)
{
	memset(k, 0, sizeof(*k));
	k->ctx = BN_CTX_new_ex(crypto_ctx());
	if (k->ctx == NULL)
		return E_MEMORY;
	BN_CTX_start(k->ctx);
	for (enum part i = 0; i < PARTS; i++) {
		if (!attrset_has(a, part_attr[i]))
			continue;
		k->v[i] = pkey_attr_number(a, part_attr[i]);
		if (k->v[i] == NULL)
			return attrset_bytes(a, part_attr[i]).n == 0 ? E_ATTR_VALUE : E_MEMORY;
		if (i >= D)
			BN_set_flags(k->v[i], BN_FLG_CONSTTIME);
	}
	return OK;
}

/* k = e*d - 1 = r * 2^t with odd r. False: not even, or so even that it is no key's. */
static bool split_order(const struct parts *k, BIGNUM *r, int *t)
{
	/* a key's t is 1 or 2 and a little luck; the bound keeps hostile values cheap */
	const int t_max = 128;

	if (!BN_mul(r, k->v[E], k->v[D], k->ctx) || !BN_sub_word(r, 1) || BN_is_zero(r))
		return false;
	for (*t = 0; !BN_is_bit_set(r, *t); ++*t)
		if (*t == t_max)
			return false;
	return *t != 0 && BN_rshift(r, r, *t);
}

/*
 * Looks for a square root of 1 other than 1 and -1 among g^r, g^2r, ... g^(r*2^(t-1)); one in x
 * means that gcd(x - 1, n) is a prime of n, which goes to p. 1: found, 0: g does not show any, -1:
 * error.
 */
static int try_witness(const struct parts *k, BN_ULONG g, const BIGNUM *r, int t, BIGNUM *p)
{
	BIGNUM *x = BN_CTX_get(k->ctx), *y = BN_CTX_get(k->ctx), *minus = BN_CTX_get(k->ctx);

	if (minus == NULL || !BN_set_word(y, g) || !BN_copy(minus, k->v[N]) ||
	    !BN_sub_word(minus, 1) || !BN_mod_exp(x, y, r, k->v[N], k->ctx))
		return -1;
	for (int i = 0; i < t && !BN_is_one(x) && BN_cmp(x, minus) != 0; i++) {
		if (!BN_mod_sqr(y, x, k->v[N], k->ctx))
			return -1;
		if (BN_is_one(y))
			return BN_sub_word(x, 1) && BN_gcd(p, x, k->v[N], k->ctx) ? 1 : -1;
		if (!BN_copy(x, y))
			return -1;
	}
	return 0;
}

/*
 * p of n from e and d (NIST SP 800-56B, appendix C). Each witness shows it with probability 1/2 or
 * better.
 */
static enum err factor(struct parts *k, BIGNUM *p)
{
	BIGNUM *r = BN_CTX_get(k->ctx);
	int t, found = 0;

	if (r == NULL)
		return E_MEMORY;
	BN_set_flags(r, BN_FLG_CONSTTIME);
	if (!split_order(k, r, &t))
		return E_ATTR_VALUE;
	for (BN_ULONG g = 2; g < 64 && found == 0; g++) {
		BN_CTX_start(k->ctx);
		found = try_witness(k, g, r, t, p);
		BN_CTX_end(k->ctx);
	}
	if (found < 0)
		return E_MEMORY;
	return found ? OK : E_ATTR_VALUE;
}

/* The other prime: n / p, without remainder. */
static enum err other_prime(struct parts *k, const BIGNUM *p, BIGNUM *q)
{
	BIGNUM *rest = BN_CTX_get(k->ctx);

	if (BN_is_zero(p))
		return E_ATTR_VALUE;
	if (rest == NULL || !BN_div(q, rest, k->v[N], p, k->ctx))
		return E_MEMORY;
	return BN_is_zero(rest) ? OK : E_ATTR_VALUE;
}

static enum err fill_primes(struct parts *k)
{
	enum part given = k->v[P] != NULL ? P : Q, absent = given == P ? Q : P;
	enum err e = OK;

	if (k->v[P] != NULL && k->v[Q] != NULL)
		return OK;
	if (k->v[given] == NULL) {
		given = P;
		absent = Q;
		k->v[P] = BN_new();
		e = k->v[P] != NULL ? factor(k, k->v[P]) : E_MEMORY;
	}
	if (e != OK)
		return e;
	k->v[absent] = BN_new();
	if (k->v[absent] == NULL)
		return E_MEMORY;
	BN_set_flags(k->v[P], BN_FLG_CONSTTIME);
	BN_set_flags(k->v[absent], BN_FLG_CONSTTIME);
	return other_prime(k, k->v[given], k->v[absent]);
}

/* out = d mod (prime - 1) */
static bool reduce(const struct parts *k, enum part prime, BIGNUM *out)
{
	BIGNUM *m = BN_CTX_get(k->ctx);

	return m != NULL && BN_copy(m, k->v[prime]) != NULL && BN_sub_word(m, 1) &&
	       BN_mod(out, k->v[D], m, k->ctx);
}

static bool reckon(const struct parts *k, enum part what, BIGNUM *out)
{
	if (what == QI)
		return BN_mod_inverse(out, k->v[Q], k->v[P], k->ctx) != NULL;
	return reduce(k, what == DP ? P : Q, out);
}

/* Computes the exponents and the coefficient that are absent. */
static enum err fill_rest(struct parts *k)
{
	for (enum part i = DP; i <= QI; i++) {
		if (k->v[i] != NULL)
			continue;
		k->v[i] = BN_new();
		if (k->v[i] == NULL)
			return E_MEMORY;
		if (!reckon(k, i, k->v[i]) || BN_is_zero(k->v[i]))
			return E_ATTR_VALUE;
	}
	return OK;
}

enum err rsa_crt_fill(struct attrset *a)
{
	struct parts k;
	enum err e = parts_load(a, &k);

	if (e == OK)
		e = fill_primes(&k);
	if (e == OK &&
	    (BN_is_zero(k.v[P]) || BN_is_zero(k.v[Q]) || BN_is_one(k.v[P]) || BN_is_one(k.v[Q])))
		e = E_ATTR_VALUE;
	if (e == OK)
		e = fill_rest(&k);
	for (enum part i = P; e == OK && i < PARTS; i++)
		if (!attrset_has(a, part_attr[i]))
			e = pkey_put_bn(a, part_attr[i], k.v[i]);
	parts_free(&k);
	return e == OK ? OK : pkey_fail(e);
}

/* e * (the exponent for the prime) = 1 mod (prime - 1), and that exponent is d's remainder. */
static bool exponent_fits(const struct parts *k, enum part prime, enum part exponent)
{
	BIGNUM *m = BN_CTX_get(k->ctx), *x = BN_CTX_get(k->ctx);

	if (x == NULL || !BN_copy(m, k->v[prime]) || !BN_sub_word(m, 1))
		return false;
	if (!BN_mod(x, k->v[D], m, k->ctx) || BN_cmp(x, k->v[exponent]) != 0)
		return false;
	return BN_mod_mul(x, k->v[E], k->v[exponent], m, k->ctx) && BN_is_one(x);
}

/*
 * 2^(prime - 1) = 1 mod prime. Not a proof of primality: whoever makes a key of false primes harms
 * only that key. It finds damage, at the price of one exponentiation.
 */
static bool looks_prime(const struct parts *k, enum part prime)
{
	BIGNUM *x = BN_CTX_get(k->ctx), *m = BN_CTX_get(k->ctx), *two = BN_CTX_get(k->ctx);

	if (two == NULL || !BN_set_word(two, 2) || !BN_copy(m, k->v[prime]) || !BN_sub_word(m, 1))
		return false;
	if (!BN_is_odd(k->v[prime]) || BN_is_one(k->v[prime]))
		return false;
	return BN_mod_exp(x, two, m, k->v[prime], k->ctx) && BN_is_one(x);
}

static bool modulus_fits(const struct parts *k)
{
	BIGNUM *x = BN_CTX_get(k->ctx);

	return x != NULL && BN_mul(x, k->v[P], k->v[Q], k->ctx) && BN_cmp(x, k->v[N]) == 0 &&
	       BN_cmp(k->v[P], k->v[Q]) != 0 && BN_cmp(k->v[D], k->v[N]) < 0;
}

static bool coefficient_fits(const struct parts *k)
{
	BIGNUM *x = BN_CTX_get(k->ctx);

	return x != NULL && BN_cmp(k->v[QI], k->v[P]) < 0 &&
	       BN_mod_mul(x, k->v[Q], k->v[QI], k->v[P], k->ctx) && BN_is_one(x);
}

enum err rsa_crt_check(const struct attrset *a)
{
	struct parts k;
	enum err e = parts_load(a, &k);

	for (enum part i = 0; e == OK && i < PARTS; i++)
		if (k.v[i] == NULL)
			e = E_TEMPLATE_INCOMPLETE;
	if (e == OK &&
	    !(modulus_fits(&k) && looks_prime(&k, P) && looks_prime(&k, Q) &&
	      exponent_fits(&k, P, DP) && exponent_fits(&k, Q, DQ) && coefficient_fits(&k)))
		e = E_ATTR_VALUE;
	parts_free(&k);
	return e == OK ? OK : pkey_fail(e);
}
