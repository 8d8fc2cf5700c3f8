/* SPDX-License-Identifier: Apache-2.0 */
/* HKDF and PBKDF2. */
#include "vec.h"

static struct bytes in, salt, info, want;

static void open_template(struct templ *t, CK_ULONG n)
{
	templ_ulong(t, CKA_CLASS, CKO_SECRET_KEY);
	templ_ulong(t, CKA_KEY_TYPE, CKK_GENERIC_SECRET);
	templ_ulong(t, CKA_VALUE_LEN, n);
	templ_bool(t, CKA_SENSITIVE, false);
	templ_bool(t, CKA_EXTRACTABLE, true);
}

static enum vec_outcome compare_object(struct vec *v, CK_RV rv, CK_OBJECT_HANDLE h)
{
	static CK_BYTE got[VEC_MAX];
	CK_ULONG n = 0;

	if (rv == CKR_OK) {
		n = p11_get_bytes(v->s, h, CKA_VALUE, got, sizeof(got));
		assert_ok(p11->C_DestroyObject(v->s, h));
	}
	return vec_compare(rv, got, n, &want);
}

/* "HKDF-SHA-256" */
static enum vec_outcome run_hkdf(struct vec *v)
{
	const struct vec_hash *h = vec_hash(vec_text(v->file, "algorithm") + strlen("HKDF-"));
	CK_OBJECT_HANDLE base, made = 0;
	struct templ t = { 0 };

	vec_bytes(v->test, "ikm", &in);
	vec_bytes(v->test, "salt", &salt);
	vec_bytes(v->test, "info", &info);
	vec_bytes(v->test, "okm", &want);
	CK_HKDF_PARAMS param = { CK_TRUE,
				 CK_TRUE,
				 h->digest,
				 salt.n > 0 ? CKF_HKDF_SALT_DATA : CKF_HKDF_SALT_NULL,
				 salt.n > 0 ? salt.p : NULL,
				 salt.n,
				 0,
				 info.p,
				 info.n };
	CK_MECHANISM m = mechanism(CKM_HKDF_DERIVE, &param, sizeof(param));
	base = vec_secret(v, CKK_GENERIC_SECRET, &in, CKA_DERIVE, CKA_DERIVE);
	if (base == 0)
		return VEC_REFUSED;
	open_template(&t, vec_number(v->test, "size"));
	CK_RV rv = p11->C_DeriveKey(v->s, &m, base, t.a, t.n, &made);
	assert_ok(p11->C_DestroyObject(v->s, base));
	return compare_object(v, rv, made);
}

/* "PBKDF2-HMACSHA256" */
static enum vec_outcome run_pbkdf2(struct vec *v)
{
	char name[16] = "SHA-";
	CK_OBJECT_HANDLE made = 0;
	struct templ t = { 0 };

	strncat(name, vec_text(v->file, "algorithm") + strlen("PBKDF2-HMACSHA"), sizeof(name) - 5);
	const struct vec_hash *h = vec_hash(name);
	vec_bytes(v->test, "password", &in);
	vec_bytes(v->test, "salt", &salt);
	vec_bytes(v->test, "dk", &want);
	CK_PKCS5_PBKD2_PARAMS2 param = { CKZ_SALT_SPECIFIED,
					 salt.p,
					 salt.n,
					 vec_number(v->test, "iterationCount"),
					 h->prf,
					 NULL,
					 0,
					 in.p,
					 in.n };
	CK_MECHANISM m = mechanism(CKM_PKCS5_PBKD2, &param, sizeof(param));
	open_template(&t, vec_number(v->test, "dkLen"));
	CK_RV rv = p11->C_GenerateKey(v->s, &m, t.a, t.n, &made);
	return compare_object(v, rv, made);
}

const struct vec_kind vec_derivation[] = {
	{ "HkdfTest", run_hkdf },
	{ "PbkdfTest", run_pbkdf2 },
	{ NULL, NULL },
};
