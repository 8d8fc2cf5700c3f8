/* SPDX-License-Identifier: Apache-2.0 */
#include "recipe.h"

#include "base/names.h"

#include <stdio.h>

static CK_BYTE nonce[16] = { 1, 2, 3 }, password[8] = "password";

/* ---- parameters ---- */

typedef CK_ULONG param_fn(struct dish *d, const char *name); /* its length */

static CK_ULONG no_param(struct dish *d, const char *name)
{
	(void)d;
	(void)name;
	return 0;
}

static CK_ULONG iv16(struct dish *d, const char *name)
{
	(void)name;
	memcpy(d->param.iv, nonce, sizeof(d->param.iv));
	return sizeof(d->param.iv);
}

static CK_ULONG mac_length(struct dish *d, const char *name)
{
	(void)name;
	d->param.number = 8;
	return sizeof(d->param.number);
}

static CK_ULONG gcm(struct dish *d, const char *name)
{
	(void)name;
	d->param.gcm = (CK_GCM_PARAMS){ nonce, 12, 96, NULL, 0, 128 };
	return sizeof(d->param.gcm);
}

static CK_ULONG ccm(struct dish *d, const char *name)
{
	(void)name;
	d->param.ccm = (CK_CCM_PARAMS){ 32, nonce, 12, NULL, 0, 16 };
	return sizeof(d->param.ccm);
}

static CK_ULONG ctr(struct dish *d, const char *name)
{
	(void)name;
	d->param.ctr = (CK_AES_CTR_PARAMS){ .ulCounterBits = 32 };
	return sizeof(d->param.ctr);
}

static CK_ULONG oaep(struct dish *d, const char *name)
{
	(void)name;
	d->param.oaep = (CK_RSA_PKCS_OAEP_PARAMS){ CKM_SHA256, CKG_MGF1_SHA256, CKZ_DATA_SPECIFIED,
						   NULL, 0 };
	return sizeof(d->param.oaep);
}

/* "CKM_SHA3_256_RSA_PKCS_PSS", and "CKM_RSA_PKCS_PSS", which has no hash of its own. */
static CK_ULONG pss(struct dish *d, const char *name)
{
	const char *end = strstr(name, "_RSA_PKCS_PSS");
	char hash[32] = "SHA256", mgf[48];
	CK_ULONG digest = 0, g = 0;

	if (end != name + 3)
		snprintf(hash, sizeof(hash), "%.*s", (int)(end - name - 4), name + 4);
	snprintf(mgf, sizeof(mgf), "CKG_MGF1_%s", hash);
	assert_true(name_value(NAME_CKG_MGF, mgf, &g));
	if (strcmp(hash, "SHA1") == 0)
		digest = CKM_SHA_1;
	else
		assert_true(name_value(NAME_CKM, hash, &digest));
	d->param.pss = (CK_RSA_PKCS_PSS_PARAMS){ digest, g, 20 };
	return sizeof(d->param.pss);
}

static CK_ULONG hkdf(struct dish *d, const char *name)
{
	(void)name;
	d->param.hkdf = (CK_HKDF_PARAMS){ CK_TRUE, CK_TRUE, CKM_SHA256, CKF_HKDF_SALT_NULL, NULL, 0,
					  0,       NULL,    0 };
	return sizeof(d->param.hkdf);
}

/* With itself. */
static CK_ULONG ecdh(struct dish *d, const char *name)
{
	(void)name;
	d->param.ecdh =
		(CK_ECDH1_DERIVE_PARAMS){ CKD_SHA256_KDF, 0, NULL,
					  p11_get_bytes(p11_session(), d->k.pub, CKA_EC_POINT,
							d->point, sizeof(d->point)),
					  d->point };
	return sizeof(d->param.ecdh);
}

static CK_ULONG pbkdf2(struct dish *d, const char *name)
{
	(void)name;
	d->param.pbkdf2 = (CK_PKCS5_PBKD2_PARAMS2){
		CKZ_SALT_SPECIFIED, nonce, 16, 5, CKP_PKCS5_PBKD2_HMAC_SHA256, NULL, 0, password, 8
	};
	return sizeof(d->param.pbkdf2);
}

/* ---- recipes ---- */

#define NO_KEY CK_UNAVAILABLE_INFORMATION

/* The first row whose part is in the name. */
static const struct recipe {
	const char *part;
	CK_MECHANISM_TYPE maker;
	param_fn *param;
} recipes[] = {
	{ "_KEY_GEN", NO_KEY, no_param },
	{ "_KEY_PAIR_GEN", NO_KEY, no_param },
	{ "_PBKD2", NO_KEY, pbkdf2 },
	{ "_HKDF_", CKM_GENERIC_SECRET_KEY_GEN, hkdf },
	{ "_ECDH1_", CKM_EC_KEY_PAIR_GEN, ecdh },
	{ "_OAEP", CKM_RSA_PKCS_KEY_PAIR_GEN, oaep },
	{ "_PSS", CKM_RSA_PKCS_KEY_PAIR_GEN, pss },
	{ "RSA_", CKM_RSA_PKCS_KEY_PAIR_GEN, no_param },
	{ "_ECDSA", CKM_EC_KEY_PAIR_GEN, no_param },
	{ "_EDDSA", CKM_EC_EDWARDS_KEY_PAIR_GEN, no_param },
	{ "_ML_DSA", CKM_ML_DSA_KEY_PAIR_GEN, no_param },
	{ "_AES_XTS", CKM_AES_XTS_KEY_GEN, iv16 },
	{ "_AES_GCM", CKM_AES_KEY_GEN, gcm },
	{ "_AES_GMAC", CKM_AES_KEY_GEN, gcm },
	{ "_AES_CCM", CKM_AES_KEY_GEN, ccm },
	{ "_AES_CTR", CKM_AES_KEY_GEN, ctr },
	{ "_AES_CTS", CKM_AES_KEY_GEN, iv16 },
	{ "_AES_CBC", CKM_AES_KEY_GEN, iv16 },
	{ "_CMAC_GENERAL", CKM_AES_KEY_GEN, mac_length },
	{ "_AES_", CKM_AES_KEY_GEN, no_param },
	{ "_HMAC_GENERAL", CKM_GENERIC_SECRET_KEY_GEN, mac_length },
	{ "_HMAC", CKM_GENERIC_SECRET_KEY_GEN, no_param },
	{ "_SHA", NO_KEY, no_param },
};

static const struct recipe *find(const char *name)
{
	for (size_t i = 0; name != NULL && i < LENGTH(recipes); i++)
		if (strstr(name, recipes[i].part) != NULL)
			return &recipes[i];
	fail_msg("no recipe for %s", name != NULL ? name : "a mechanism without a name");
	return NULL;
}

/* ---- keys ---- */

/* What a mechanism does, and what that asks of the key that it is done with. */
static const struct {
	CK_FLAGS flag;
	CK_ATTRIBUTE_TYPE pub, priv; /* the same of a secret key; NO_KEY: nothing */
} usages[] = {
	{ CKF_ENCRYPT, CKA_ENCRYPT, NO_KEY },
	{ CKF_DECRYPT, NO_KEY, CKA_DECRYPT },
	{ CKF_SIGN, NO_KEY, CKA_SIGN },
	{ CKF_VERIFY, CKA_VERIFY, NO_KEY },
	{ CKF_SIGN_RECOVER, NO_KEY, CKA_SIGN_RECOVER },
	{ CKF_VERIFY_RECOVER, CKA_VERIFY_RECOVER, NO_KEY },
	{ CKF_WRAP, CKA_WRAP, NO_KEY },
	{ CKF_UNWRAP, NO_KEY, CKA_UNWRAP },
	{ CKF_DERIVE, NO_KEY, CKA_DERIVE },
};

/* pub and priv are one template for a secret key. */
static void put_usages(CK_FLAGS flags, struct templ *pub, struct templ *priv)
{
	for (size_t i = 0; i < LENGTH(usages); i++) {
		if ((flags & usages[i].flag) == 0)
			continue;
		if (usages[i].pub != NO_KEY)
			templ_bool(pub, usages[i].pub, true);
		if (usages[i].priv != NO_KEY)
			templ_bool(priv, usages[i].priv, true);
	}
}

static CK_RV generate_secret(CK_MECHANISM *m, CK_FLAGS flags, struct pair *k)
{
	struct templ t = { 0 };
	CK_RV rv;

	if (m->mechanism == CKM_PKCS5_PBKD2)
		templ_ulong(&t, CKA_KEY_TYPE, CKK_GENERIC_SECRET);
	templ_ulong(&t, CKA_VALUE_LEN, m->mechanism == CKM_AES_XTS_KEY_GEN ? 64 : 32);
	put_usages(flags, &t, &t);
	rv = p11->C_GenerateKey(p11_session(), m, t.a, t.n, &k->priv);
	k->pub = k->priv;
	return rv;
}

static const CK_BYTE oid_x25519[] = { 0x06, 0x03, 0x2b, 0x65, 0x6e };

static void need_of_pair(CK_MECHANISM_TYPE type, struct templ *pub)
{
	if (type == CKM_RSA_PKCS_KEY_PAIR_GEN)
		templ_ulong(pub, CKA_MODULUS_BITS, 2048);
	else if (type == CKM_ML_DSA_KEY_PAIR_GEN)
		templ_ulong(pub, CKA_PARAMETER_SET, CKP_ML_DSA_44);
	else if (type == CKM_EC_EDWARDS_KEY_PAIR_GEN)
		templ_bytes(pub, CKA_EC_PARAMS, p11_oid_ed25519, sizeof(p11_oid_ed25519));
	else if (type == CKM_EC_MONTGOMERY_KEY_PAIR_GEN)
		templ_bytes(pub, CKA_EC_PARAMS, oid_x25519, sizeof(oid_x25519));
	else
		templ_bytes(pub, CKA_EC_PARAMS, p11_oid_p256, sizeof(p11_oid_p256));
}

CK_RV recipe_generate(CK_MECHANISM *m, CK_FLAGS flags, struct pair *k)
{
	const char *name = name_of(NAME_CKM, m->mechanism);
	struct templ pub = { 0 }, priv = { 0 };

	if (name == NULL || strstr(name, "_PAIR_GEN") == NULL)
		return generate_secret(m, flags, k);
	need_of_pair(m->mechanism, &pub);
	put_usages(flags, &pub, &priv);
	return p11->C_GenerateKeyPair(p11_session(), m, pub.a, pub.n, priv.a, priv.n, &k->pub,
				      &k->priv);
}

void recipe_cook(struct dish *d, CK_MECHANISM_TYPE type, CK_FLAGS flags)
{
	const char *name = name_of(NAME_CKM, type);
	const struct recipe *r = find(name);

	memset(d, 0, sizeof(*d));
	d->flags = flags;
	d->maker = r->maker;
	d->in = 32;
	if (r->maker != NO_KEY) {
		CK_MECHANISM maker = mechanism(r->maker, NULL, 0);

		assert_ok(recipe_generate(&maker, flags, &d->k));
	}
	d->m = mechanism(type, &d->param, 0);
	d->m.ulParameterLen = r->param(d, name);
	if (d->m.ulParameterLen == 0)
		d->m.pParameter = NULL;
}
