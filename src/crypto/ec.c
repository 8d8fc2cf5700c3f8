/* SPDX-License-Identifier: Apache-2.0 */
/* Key pairs on Weierstrass curves and ECDSA (3.2, 6.3). */
#include "crypto/ec.h"

#include "crypto/asym.h"
#include "crypto/der.h"
#include "crypto/families.h"
#include "crypto/param_rules.h"
#include "crypto/pkey.h"

enum {
	HALF_MAX = 66,                       /* bytes of the longest order: P-521 */
	DER_MAX = 3 + 2 * (2 + 1 + HALF_MAX) /* Ecdsa-Sig-Value (RFC 3279, 2.2.3) of it */
};

static size_t half_n(const struct run *r)
{
	const struct curve *c = r->key->info;

	return c->order_n;
}

/*
 * No digest is set: libcrypto then takes what it gets and cuts it to the order's length (3.2,
 * 6.3.12).
 */
static enum err setup(struct run *r, EVP_PKEY_CTX *ctx)
{
	return asym_init_digest(r, ctx, ALG_ECDSA, NULL) ? OK : E_FAILED;
}

static enum err begin(struct run *r)
{
	return asym_begin(r, setup);
}

static size_t bound(const struct run *r, size_t n, bool last)
{
	(void)n;
	return last ? 2 * half_n(r) : 0;
}

/* Appends v to o, filled up with zeros in front to n bytes. */
static bool put_half(struct sink *o, struct span v, size_t n)
{
	static const uint8_t zeros[HALF_MAX];

	return v.n <= n && sink_put(o, span(zeros, n - v.n)) && sink_put(o, v);
}

/* libcrypto's SEQUENCE of two INTEGERs becomes r || s, each as long as the order. */
static bool put_raw(struct sink *o, struct span der, size_t n)
{
	struct span body, r, s;

	return der_take(&der, DER_SEQUENCE, &body) && der_take_uint(&body, &r) &&
	       der_take_uint(&body, &s) && put_half(o, r, n) && put_half(o, s, n);
}

static enum err sign(struct run *r, struct span in, struct sink *o)
{
	uint8_t der[DER_MAX];
	struct sink d = sink(der, sizeof(der));

	enum err e = asym_apply(r, in, &d, E_FAILED);

	if (e != OK)
		return e;
	return put_raw(o, span(der, d.n), half_n(r)) ? OK : E_FAILED;
}

/* Writes an INTEGER of at most HALF_MAX bytes. */
static void put_integer(struct sink *o, struct span v)
{
	const uint8_t head[] = { DER_INTEGER, 0, 0 };
	bool zero;

	v = der_trim(v);
	zero = v.n == 0 || v.p[0] >= 0x80;
	sink_put(o, span(head, zero ? 3 : 2));
	o->p[o->n - (zero ? 2 : 1)] = (uint8_t)(v.n + zero);
	sink_put(o, v);
}

/* r || s becomes libcrypto's form. On the stack: this is in the way of every verification. */
static struct span make_der(struct span sig, uint8_t der[DER_MAX])
{
	uint8_t body[DER_MAX];
	struct sink b = sink(body, sizeof(body)), o = sink(der, DER_MAX);
	const uint8_t long_form = 0x81;
	uint8_t head[] = { DER_SEQUENCE, 0 };

	put_integer(&b, span(sig.p, sig.n / 2));
	put_integer(&b, span(sig.p + sig.n / 2, sig.n / 2));
	head[1] = (uint8_t)b.n;
	sink_put(&o, span(head, 1));
	if (b.n >= 0x80)
		sink_put(&o, span(&long_form, 1));
	sink_put(&o, span(head + 1, 1));
	sink_put(&o, span(body, b.n));
	return span(der, o.n);
}

/*
 * 3.2, 6.3.12: a signature may be shorter than the order asks for, when both halves are equally
 * long.
 */
static enum err verify(struct run *r, struct span in, struct span sig)
{
	uint8_t der[DER_MAX];

	if (sig.n == 0 || sig.n % 2 != 0 || sig.n > 2 * half_n(r))
		return E_SIGNATURE_LEN;
	return asym_verify(r, in, make_der(sig, der));
}

static enum err hash_final(struct run *r, struct sink *o)
{
	uint8_t digest[EVP_MAX_MD_SIZE];
	size_t n;
	enum err e = asym_hash_final(r, digest, &n);

	return e == OK ? sign(r, span(digest, n), o) : e;
}

static enum err hash_verify_final(struct run *r, struct span sig)
{
	uint8_t digest[EVP_MAX_MD_SIZE];
	size_t n;
	enum err e = asym_hash_final(r, digest, &n);

	return e == OK ? verify(r, span(digest, n), sig) : e;
}

static const struct mech_ops ecdsa_ops = {
	.begin = begin,
	.bound = bound,
	.once = sign,
	.verify_once = verify,
	.drop = asym_drop,
};

static const struct mech_ops ecdsa_hash_ops = {
	.begin = begin,
	.bound = bound,
	.update = asym_hash_update,
	.final = hash_final,
	.verify_final = hash_verify_final,
	.drop = asym_drop,
};

#define NO_HASH  CK_UNAVAILABLE_INFORMATION
#define EC_FORMS (CKF_EC_F_P | CKF_EC_OID | CKF_EC_CURVENAME | CKF_EC_UNCOMPRESS | CKF_EC_COMPRESS)

#define EC_ROW(mech, f, t, h)                                                        \
	.type = (mech), .key_type = CKK_EC, .flags = (f) | EC_FORMS, .min_key = 224, \
	.max_key = 521, .traits = (t), .hash = (h)

#define ECDSA_HASHED(mech, hash, more)                                                     \
	{                                                                                  \
		EC_ROW(mech, CKF_SIGN | CKF_VERIFY, MECH_VERIFY_SIG_FIRST | (more), hash), \
			.key_type2 = CKK_EC, .ops = &ecdsa_hash_ops, .needs = "ECDSA",     \
			.kat = "ECDSA-P256-SHA256"                                         \
	}

const struct mech ec_mechs[] = {
	{ EC_ROW(CKM_EC_KEY_PAIR_GEN, CKF_GENERATE_KEY_PAIR, MECH_APPROVED, NO_HASH),
	  .key_type2 = CKK_EC, .make = &curve_make, .needs = "EC", .kat = "ECDSA-P256-SHA256" },
	{ EC_ROW(CKM_ECDSA, CKF_SIGN | CKF_VERIFY,
		 MECH_SINGLE | MECH_VERIFY_SIG_FIRST | MECH_APPROVED, NO_HASH),
	  .key_type2 = CKK_EC, .ops = &ecdsa_ops, .needs = "ECDSA", .kat = "ECDSA-P256-SHA256" },
	ECDSA_HASHED(CKM_ECDSA_SHA1, CKM_SHA_1, 0),
	ECDSA_HASHED(CKM_ECDSA_SHA224, CKM_SHA224, MECH_APPROVED),
	ECDSA_HASHED(CKM_ECDSA_SHA256, CKM_SHA256, MECH_APPROVED),
	ECDSA_HASHED(CKM_ECDSA_SHA384, CKM_SHA384, MECH_APPROVED),
	ECDSA_HASHED(CKM_ECDSA_SHA512, CKM_SHA512, MECH_APPROVED),
	ECDSA_HASHED(CKM_ECDSA_SHA3_224, CKM_SHA3_224, MECH_APPROVED),
	ECDSA_HASHED(CKM_ECDSA_SHA3_256, CKM_SHA3_256, MECH_APPROVED),
	ECDSA_HASHED(CKM_ECDSA_SHA3_384, CKM_SHA3_384, MECH_APPROVED),
	ECDSA_HASHED(CKM_ECDSA_SHA3_512, CKM_SHA3_512, MECH_APPROVED),
	{ EC_ROW(CKM_ECDH1_DERIVE, CKF_DERIVE, MECH_APPROVED | MECH_DERIVE_OPEN, NO_HASH),
	  .key_type2 = CKK_EC_MONTGOMERY, .param = param_ecdh1, .make = &ecdh_make, .needs = "ECDH",
	  .kat = "ECDH-P256" },
	{ EC_ROW(CKM_ECDH1_COFACTOR_DERIVE, CKF_DERIVE, MECH_APPROVED | MECH_DERIVE_OPEN, NO_HASH),
	  .key_type2 = CKK_EC, .param = param_ecdh1, .make = &ecdh_make, .needs = "ECDH",
	  .kat = "ECDH-P256" },
};
const size_t ec_mechs_n = sizeof(ec_mechs) / sizeof(ec_mechs[0]);
