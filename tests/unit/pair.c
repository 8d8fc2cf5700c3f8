/* SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

#include "crypto/lib.h"

#include <openssl/x509.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

int crypto_up(void **state)
{
	(void)state;
	return crypto_start() == OK ? 0 : -1;
}

int crypto_down(void **state)
{
	(void)state;
	crypto_stop();
	return 0;
}

void set_put(struct attrset *a, CK_ATTRIBUTE_TYPE t, struct span v)
{
	assert_int_equal(attrset_put(a, t, v), OK);
}

void set_put_ulong(struct attrset *a, CK_ATTRIBUTE_TYPE t, CK_ULONG v)
{
	assert_int_equal(attrset_put_ulong(a, t, v), OK);
}

struct attrset *set_new(CK_OBJECT_CLASS class, CK_KEY_TYPE type)
{
	struct attrset *a = attrset_new(true);

	assert_non_null(a);
	set_put_ulong(a, CKA_CLASS, class);
	set_put_ulong(a, CKA_KEY_TYPE, type);
	return a;
}

enum err generate(CK_MECHANISM_TYPE gen, const struct attrset *templ, struct pair *out)
{
	struct attrset *none = attrset_new(false);
	struct param par;
	enum err e;

	memset(&par, 0, sizeof(par));
	out->pub = attrset_new(false);
	out->priv = attrset_new(true);
	assert_true(none != NULL && out->pub != NULL && out->priv != NULL);
	e = mech_generate_pair(mech_find(gen), &par, templ, none, out->pub, out->priv);
	attrset_free(none);
	if (e != OK)
		pair_free(out);
	return e;
}

void pair_free(struct pair *p)
{
	attrset_free(p->pub);
	attrset_free(p->priv);
	p->pub = p->priv = NULL;
}

static struct pair generated(CK_MECHANISM_TYPE gen, struct attrset *templ)
{
	struct pair p;

	assert_int_equal(generate(gen, templ, &p), OK);
	attrset_free(templ);
	return p;
}

struct pair pair_rsa(CK_ULONG bits)
{
	struct attrset *t = attrset_new(false);

	set_put_ulong(t, CKA_MODULUS_BITS, bits);
	return generated(CKM_RSA_PKCS_KEY_PAIR_GEN, t);
}

struct pair pair_curve(CK_MECHANISM_TYPE gen, struct span params)
{
	struct attrset *t = attrset_new(false);

	set_put(t, CKA_EC_PARAMS, params);
	return generated(gen, t);
}

struct pair pair_mldsa(CK_ULONG set)
{
	struct attrset *t = attrset_new(false);

	set_put_ulong(t, CKA_PARAMETER_SET, set);
	return generated(CKM_ML_DSA_KEY_PAIR_GEN, t);
}

struct key *key_of(const struct attrset *a)
{
	struct key *k = NULL;

	assert_int_equal(key_parse(a, &k), OK);
	return k;
}

EVP_PKEY *evp_private(const struct attrset *a)
{
	struct buf der = { .secret = true };
	const uint8_t *p;
	EVP_PKEY *pk;

	assert_int_equal(key_wrap_form(a, &der), OK);
	p = der.p;
	pk = d2i_AutoPrivateKey(NULL, &p, (long)der.n);
	assert_non_null(pk);
	assert_ptr_equal(p, der.p + der.n);
	buf_free(&der);
	return pk;
}

EVP_PKEY *evp_public(const struct attrset *a)
{
	struct span der = attrset_bytes(a, CKA_PUBLIC_KEY_INFO);
	const uint8_t *p = der.p;
	EVP_PKEY *pk = d2i_PUBKEY(NULL, &p, (long)der.n);

	assert_non_null(pk);
	assert_ptr_equal(p, der.p + der.n);
	return pk;
}

void evp_pkcs8(EVP_PKEY *pk, struct buf *out)
{
	PKCS8_PRIV_KEY_INFO *info = EVP_PKEY2PKCS8(pk);
	uint8_t *p = NULL;
	int n;

	assert_non_null(info);
	n = i2d_PKCS8_PRIV_KEY_INFO(info, &p);
	assert_true(n > 0);
	assert_int_equal(buf_put(out, span(p, (size_t)n)), OK);
	OPENSSL_free(p);
	PKCS8_PRIV_KEY_INFO_free(info);
}

enum err import_private(EVP_PKEY *pk, CK_KEY_TYPE type, struct attrset **out)
{
	struct attrset *a = set_new(CKO_PRIVATE_KEY, type);
	struct buf der = { .secret = true };
	enum err e;

	evp_pkcs8(pk, &der);
	e = key_unwrap_form(buf_span(&der), true, a);
	buf_free(&der);
	if (e == OK) {
		*out = a;
		return OK;
	}
	attrset_free(a);
	return e;
}

static enum err take(struct call c, const struct mech *m, struct param *par)
{
	union {
		const void *from;
		void *p;
	} u = { c.param };
	CK_MECHANISM mechanism = { c.type, u.p, c.param_n };
	enum err e;

	memset(par, 0, sizeof(*par));
	e = param_take(m, &mechanism, par);
	if (e != OK)
		param_clear(par);
	return e;
}

static enum err begin(struct run *r, struct call c, enum mech_use use, struct key *k)
{
	const struct mech *m = mech_find(c.type);
	struct param par;
	enum err e;

	assert_non_null(m);
	memset(r, 0, sizeof(*r));
	e = take(c, m, &par);
	return e == OK ? run_begin(r, m, use, k, &par) : e;
}

/* Feeds all in pieces. */
static enum err feed(struct run *r, struct span in, size_t part, struct sink *o)
{
	enum err e = OK;

	for (size_t at = 0; e == OK && at < in.n; at += part)
		e = run_update(r, span(in.p + at, in.n - at < part ? in.n - at : part), o);
	return e;
}

enum err work(struct call c, enum mech_use use, const struct attrset *key, struct span in,
	      size_t part, struct buf *out)
{
	struct key *k = key != NULL ? key_of(key) : NULL;
	struct run r;
	struct sink o;
	enum err e = begin(&r, c, use, k);

	if (e == OK) {
		size_t most = run_bound(&r, in.n, true);

		assert_int_equal(buf_reserve(out, most), OK);
		o = sink(out->p + out->n, most);
		if (part == 0) {
			e = run_once(&r, in, &o);
		} else {
			e = feed(&r, in, part, &o);
			e = e == OK ? run_final(&r, &o) : e;
		}
		if (e == OK)
			out->n += o.n;
		run_end(&r);
	}
	run_free(&r);
	key_unref(k);
	return e;
}

enum err check(struct call c, const struct attrset *key, struct span in, size_t part,
	       struct span sig)
{
	struct key *k = key_of(key);
	struct run r;
	enum err e = begin(&r, c, USE_VERIFY, k);

	if (e == OK && part == 0) {
		e = run_verify_once(&r, in, sig);
	} else if (e == OK) {
		e = feed(&r, in, part, NULL);
		e = e == OK ? run_verify_final(&r, sig) : e;
	}
	run_free(&r);
	key_unref(k);
	return e;
}

enum err derive(struct call c, const struct attrset *key, const struct attrset *templ,
		struct buf *out)
{
	const struct mech *m = mech_find(c.type);
	struct attrset *made = attrset_new(true);
	struct key *k = key_of(key);
	struct param par;
	enum err e;

	assert_true(m != NULL && made != NULL);
	e = take(c, m, &par);
	if (e == OK) {
		e = mech_derive(m, &par, k, NULL, templ, made);
		param_clear(&par);
	}
	if (e == OK)
		assert_int_equal(buf_put(out, attrset_bytes(made, CKA_VALUE)), OK);
	attrset_free(made);
	key_unref(k);
	return e;
}

static uint8_t nibble(char c)
{
	return (uint8_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
}

struct buf unhex(const char *hex)
{
	struct buf b = { 0 };

	for (; hex[0] != '\0'; hex += 2)
		assert_int_equal(buf_put_u8(&b, (uint8_t)(nibble(hex[0]) << 4 | nibble(hex[1]))),
				 OK);
	return b;
}
