/* SPDX-License-Identifier: Apache-2.0 */
/* ECDH, X25519 and X448. */
#include "vec.h"

static struct bytes pub, priv, shared;

static const struct {
	const char *name;
	CK_KEY_TYPE type;
	CK_MECHANISM_TYPE mech;
	const char *oid;
	CK_ULONG n; /* bytes of a private key */
} curves[] = {
	{ "secp256r1", CKK_EC, CKM_ECDH1_DERIVE, "\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07", 32 },
	{ "secp384r1", CKK_EC, CKM_ECDH1_DERIVE, "\x06\x05\x2b\x81\x04\x00\x22", 48 },
	{ "curve25519", CKK_EC_MONTGOMERY, CKM_ECDH1_DERIVE, "\x06\x03\x2b\x65\x6e", 32 },
	{ "curve448", CKK_EC_MONTGOMERY, CKM_ECDH1_DERIVE, "\x06\x03\x2b\x65\x6f", 56 },
};

static size_t curve_of(const char *name)
{
	size_t i = 0;

	while (strcmp(curves[i].name, name) != 0)
		i++;
	return i;
}

/* A scalar in the curve's length: the files have big integers, with or without leading zeros. */
static void scalar_pad(CK_ULONG n)
{
	const struct bytes given = priv;
	CK_ULONG zeros = 0, kept;

	while (given.n - zeros > n && given.p[zeros] == 0)
		zeros++;
	kept = given.n - zeros;
	priv.n = kept < n ? n : kept;
	memset(priv.p, 0, priv.n - kept);
	memcpy(priv.p + priv.n - kept, given.p + zeros, kept);
}

static CK_OBJECT_HANDLE make_key(struct vec *v, size_t c)
{
	struct templ t = { 0 };

	templ_ulong(&t, CKA_CLASS, CKO_PRIVATE_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, curves[c].type);
	templ_bytes(&t, CKA_EC_PARAMS, curves[c].oid, 2 + (size_t)curves[c].oid[1]);
	templ_bytes(&t, CKA_VALUE, priv.p, priv.n);
	templ_flags(&t, CKA_DERIVE);
	return vec_create(v, &t);
}

static enum vec_outcome agree(struct vec *v, size_t c, CK_OBJECT_HANDLE key)
{
	CK_ECDH1_DERIVE_PARAMS param = { CKD_NULL, 0, NULL, pub.n, pub.p };
	CK_MECHANISM m = mechanism(curves[c].mech, &param, sizeof(param));
	CK_OBJECT_HANDLE h = 0;
	struct templ t = { 0 };
	CK_BYTE got[80];
	CK_ULONG n = 0;

	templ_ulong(&t, CKA_CLASS, CKO_SECRET_KEY);
	templ_ulong(&t, CKA_KEY_TYPE, CKK_GENERIC_SECRET);
	templ_bool(&t, CKA_SENSITIVE, false);
	templ_bool(&t, CKA_EXTRACTABLE, true);
	CK_RV rv = p11->C_DeriveKey(v->s, &m, key, t.a, t.n, &h);
	if (rv == CKR_OK) {
		n = p11_get_bytes(v->s, h, CKA_VALUE, got, sizeof(got));
		assert_ok(p11->C_DestroyObject(v->s, h));
	}
	return vec_compare(rv, got, n, &shared);
}

static enum vec_outcome with_key(struct vec *v, size_t c)
{
	CK_OBJECT_HANDLE key = make_key(v, c);

	if (key == 0)
		return VEC_REFUSED;
	enum vec_outcome o = agree(v, c, key);
	assert_ok(p11->C_DestroyObject(v->s, key));
	return o;
}

static enum vec_outcome run_raw(struct vec *v)
{
	size_t c = curve_of(vec_text(v->group, "curve"));

	vec_bytes(v->test, "public", &pub);
	vec_bytes(v->test, "private", &priv);
	vec_bytes(v->test, "shared", &shared);
	if (curves[c].type == CKK_EC)
		scalar_pad(curves[c].n);
	return with_key(v, c);
}

/* The same values in DER, of which the key is the end. Not by memmove(): memcheck takes its checked form for a memcpy, and the overlap for a fault. */
static bool cut(struct bytes *b, CK_ULONG head, CK_ULONG n)
{
	if (b->n != head + n)
		return false;
	for (CK_ULONG i = 0; i < n; i++)
		b->p[i] = b->p[head + i];
	b->n = n;
	return true;
}

static enum vec_outcome run_asn(struct vec *v)
{
	size_t c = curve_of(vec_text(v->group, "curve"));

	vec_bytes(v->test, "public", &pub);
	vec_bytes(v->test, "private", &priv);
	vec_bytes(v->test, "shared", &shared);
	if (!cut(&pub, 12, curves[c].n) || !cut(&priv, 16, curves[c].n))
		return VEC_SKIPPED; /* not in the usual form: no matter of ours */
	return with_key(v, c);
}

const struct vec_kind vec_agreement[] = {
	{ "EcdhEcpointTest", run_raw },
	{ "XdhComp", run_raw },
	{ "XdhAsnComp", run_asn },
	{ NULL, NULL },
};
