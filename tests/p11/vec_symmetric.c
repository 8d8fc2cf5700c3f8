/* SPDX-License-Identifier: Apache-2.0 */
/* AES in its modes, and MACs. */
#include "vec.h"
#include <stdio.h>

static CK_BYTE out[VEC_MAX + 64];

typedef CK_RV init_fn(CK_SESSION_HANDLE, CK_MECHANISM_PTR, CK_OBJECT_HANDLE);
typedef CK_RV once_fn(CK_SESSION_HANDLE, CK_BYTE_PTR, CK_ULONG, CK_BYTE_PTR, CK_ULONG_PTR);

static CK_RV once(struct vec *v, init_fn *init, once_fn *f, CK_MECHANISM *m, CK_OBJECT_HANDLE key,
		  struct bytes *in, CK_ULONG *n)
{
	CK_RV rv = init(v->s, m, key);

	*n = sizeof(out);
	return rv == CKR_OK ? f(v->s, in->p, in->n, out, n) : rv;
}

/* Encrypts and compares when the vector is valid; decrypts in any case. */
static enum vec_outcome both_ways(struct vec *v, CK_MECHANISM *m, CK_OBJECT_HANDLE key,
				  struct bytes *msg, struct bytes *ct)
{
	CK_ULONG n;
	CK_RV rv;

	if (strcmp(vec_text(v->test, "result"), "valid") == 0) {
		rv = once(v, p11->C_EncryptInit, p11->C_Encrypt, m, key, msg, &n);
		enum vec_outcome o = vec_compare(rv, out, n, ct);
		if (o != VEC_TAKEN)
			return o;
	}
	rv = once(v, p11->C_DecryptInit, p11->C_Decrypt, m, key, ct, &n);
	return vec_compare(rv, out, n, msg);
}

static CK_OBJECT_HANDLE aes_key(struct vec *v, CK_KEY_TYPE type)
{
	static struct bytes value;

	vec_bytes(v->test, "key", &value);
	return vec_secret(v, type, &value, CKA_ENCRYPT, CKA_DECRYPT);
}

static enum vec_outcome with_key(struct vec *v, CK_MECHANISM *m, CK_OBJECT_HANDLE key,
				 struct bytes *msg, struct bytes *ct)
{
	if (key == 0)
		return VEC_REFUSED;
	enum vec_outcome o = both_ways(v, m, key, msg, ct);
	assert_ok(p11->C_DestroyObject(v->s, key));
	return o;
}

static struct bytes iv, aad, msg, ct, tag;

/* AES-CBC with padding, and XTS: the file says which. */
static enum vec_outcome run_block(struct vec *v)
{
	bool xts = strcmp(vec_text(v->file, "algorithm"), "AES-XTS") == 0;
	CK_MECHANISM m = mechanism(xts ? CKM_AES_XTS : CKM_AES_CBC_PAD, iv.p, 16);

	if (xts && vec_number(v->group, "keySize") == 384)
		return VEC_SKIPPED; /* IEEE 1619 has XTS with AES-128 and AES-256 alone */
	vec_bytes(v->test, "iv", &iv);
	vec_bytes(v->test, "msg", &msg);
	vec_bytes(v->test, "ct", &ct);
	if (xts) /* a data unit number of fewer bytes, little-endian */
		memset(iv.p + iv.n, 0, 16 - iv.n);
	return with_key(v, &m, aes_key(v, xts ? CKK_AES_XTS : CKK_AES), &msg, &ct);
}

static void read_aead(struct vec *v)
{
	vec_bytes(v->test, "iv", &iv);
	vec_bytes(v->test, "aad", &aad);
	vec_bytes(v->test, "msg", &msg);
	vec_bytes(v->test, "ct", &ct);
	vec_bytes(v->test, "tag", &tag);
	/* PKCS#11 has the tag at the end of the ciphertext */
	memcpy(ct.p + ct.n, tag.p, tag.n);
	ct.n += tag.n;
}

static enum vec_outcome run_aead(struct vec *v)
{
	CK_GCM_PARAMS gcm;
	CK_CCM_PARAMS ccm;
	CK_MECHANISM m;
	CK_ULONG tag_bits = vec_number(v->group, "tagSize");

	read_aead(v);
	gcm = (CK_GCM_PARAMS){ iv.p, iv.n, iv.n * 8, aad.p, aad.n, tag_bits };
	ccm = (CK_CCM_PARAMS){ msg.n, iv.p, iv.n, aad.p, aad.n, tag_bits / 8 };
	if (strcmp(vec_text(v->file, "algorithm"), "AES-GCM") == 0)
		m = mechanism(CKM_AES_GCM, &gcm, sizeof(gcm));
	else
		m = mechanism(CKM_AES_CCM, &ccm, sizeof(ccm));
	return with_key(v, &m, aes_key(v, CKK_AES), &msg, &ct);
}

static enum vec_outcome run_keywrap(struct vec *v)
{
	CK_MECHANISM m = mechanism(CKM_AES_KEY_WRAP, NULL, 0);

	vec_bytes(v->test, "msg", &msg);
	vec_bytes(v->test, "ct", &ct);
	return with_key(v, &m, aes_key(v, CKK_AES), &msg, &ct);
}

/* ---- MACs ---- */

static CK_RV mac_verify(struct vec *v, CK_MECHANISM *m, CK_OBJECT_HANDLE key)
{
	CK_RV rv = p11->C_VerifyInit(v->s, m, key);

	return rv == CKR_OK ? p11->C_Verify(v->s, msg.p, msg.n, tag.p, tag.n) : rv;
}

static enum vec_outcome mac(struct vec *v, CK_MECHANISM *m, CK_KEY_TYPE type)
{
	struct bytes *value = &ct;
	CK_OBJECT_HANDLE key;
	CK_RV rv;

	vec_bytes(v->test, "key", value);
	vec_bytes(v->test, "msg", &msg);
	vec_bytes(v->test, "tag", &tag);
	key = vec_secret(v, type, value, CKA_SIGN, CKA_VERIFY);
	if (key == 0)
		return VEC_REFUSED;
	rv = mac_verify(v, m, key);
	assert_ok(p11->C_DestroyObject(v->s, key));
	return rv == CKR_OK ? VEC_TAKEN : VEC_REFUSED;
}

/* "HMACSHA512/224", "HMACSHA3-256", "HMACSHA1" */
static const struct vec_hash *hmac_hash(const char *algorithm)
{
	char name[32];
	const char *rest = algorithm + strlen("HMACSHA");

	snprintf(name, sizeof(name), strncmp(rest, "3-", 2) == 0 ? "SHA%s" : "SHA-%s", rest);
	return vec_hash(name);
}

static enum vec_outcome run_mac(struct vec *v)
{
	const struct vec_hash *h = hmac_hash(vec_text(v->file, "algorithm"));
	CK_MAC_GENERAL_PARAMS n = vec_number(v->group, "tagSize") / 8;
	CK_MECHANISM whole, general;

	if (h == NULL)
		return VEC_SKIPPED;
	whole = mechanism(h->hmac, NULL, 0);
	general = mechanism(h->hmac_general, &n, sizeof(n));
	return mac(v, n == h->n ? &whole : &general, CKK_GENERIC_SECRET);
}

static enum vec_outcome run_gmac(struct vec *v)
{
	CK_GCM_PARAMS param;
	CK_MECHANISM m = mechanism(CKM_AES_GMAC, &param, sizeof(param));

	vec_bytes(v->test, "iv", &iv);
	param = (CK_GCM_PARAMS){ iv.p, iv.n, iv.n * 8, NULL, 0, vec_number(v->group, "tagSize") };
	return mac(v, &m, CKK_AES);
}

const struct vec_kind vec_symmetric[] = {
	{ "IndCpaTest", run_block }, { "AeadTest", run_aead },      { "KeywrapTest", run_keywrap },
	{ "MacTest", run_mac },      { "MacWithIvTest", run_gmac }, { NULL, NULL },
};
