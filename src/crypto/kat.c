/* SPDX-License-Identifier: Apache-2.0 */
#include "crypto/kat.h"

#include "base/mem.h"
#include "crypto/registry.h"

/* Work in progress of one row. */
struct work {
	const struct kat *k;
	const struct mech *m;
	struct key *priv, *pub; /* pub is priv for secret keys */
	struct buf in, out;     /* the row's bytes */
	struct buf got;         /* an answer */
	struct run run;
};

static unsigned nibble(char c)
{
	return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* Of our own rows, lower case and of even length. NULL: empty. */
static enum err unhex(const char *hex, struct buf *out)
{
	enum err e = OK;

	for (; e == OK && hex != NULL && *hex != '\0'; hex += 2)
		e = buf_put_u8(out, (uint8_t)(nibble(hex[0]) << 4 | nibble(hex[1])));
	return e;
}

static enum err attr_put(struct attrset *a, const struct kat_attr *ka)
{
	struct buf v = { .secret = true };
	enum err e = unhex(ka->hex, &v);

	if (e == OK)
		e = attrset_put(a, ka->type, buf_span(&v));
	buf_free(&v);
	return e;
}

static enum err key_make(const struct kat *k, CK_OBJECT_CLASS class, const struct kat_attr *attrs,
			 struct key **out)
{
	struct attrset *a = attrset_new(true);
	enum err e = E_MEMORY;

	if (a == NULL)
		return e;
	e = attrset_put_ulong(a, CKA_CLASS, class);
	if (e == OK)
		e = attrset_put_ulong(a, CKA_KEY_TYPE, k->key_type);
	for (size_t i = 0; e == OK && i < KAT_ATTRS && attrs[i].hex != NULL; i++)
		e = attr_put(a, &attrs[i]);
	if (e == OK)
		e = key_parse(a, out);
	attrset_free(a);
	return e;
}

static enum err keys_make(struct work *w)
{
	const struct kat *k = w->k;
	enum err e = OK;

	if (k->priv[0].hex != NULL)
		e = key_make(k, k->class, k->priv, &w->priv);
	if (e == OK && k->pub[0].hex != NULL)
		e = key_make(k, CKO_PUBLIC_KEY, k->pub, &w->pub);
	else if (e == OK && w->priv != NULL)
		w->pub = key_ref(w->priv);
	return e;
}

static enum err take_param(const struct work *w, struct param *par)
{
	union {
		const void *given;
		void *taken;
	} p = { .given = w->k->param };
	CK_MECHANISM mechanism = { w->k->mech, p.taken, w->k->param_n };

	return param_take(w->m, &mechanism, par);
}

static enum err start(struct work *w, enum mech_use use, struct key *key)
{
	struct param par = { 0 };
	enum err e = take_param(w, &par);

	if (e == OK)
		e = run_start(&w->run, w->m, use, key, &par);
	param_clear(&par);
	return e;
}

/* One whole operation, its output in w->got. */
static enum err compute(struct work *w, enum mech_use use, struct key *key, struct span in)
{
	struct sink o;
	enum err e = start(w, use, key);

	if (e != OK)
		return e;
	buf_clear(&w->got);
	e = buf_reserve(&w->got, run_bound(&w->run, in.n, true));
	o = sink(w->got.p, w->got.cap);
	if (e == OK)
		e = run_once(&w->run, in, &o);
	if (e == OK)
		w->got.n = o.n;
	run_end(&w->run);
	return e;
}

static enum err verify(struct work *w, struct span sig)
{
	enum err e = start(w, USE_VERIFY, w->pub);

	if (e == OK)
		e = run_verify_once(&w->run, buf_span(&w->in), sig);
	run_end(&w->run);
	return e;
}

static enum err expect(struct span got, const struct buf *right)
{
	return span_eq(got, buf_span(right)) ? OK : E_SELFTEST;
}

static enum err expect_refusal(enum err got, enum err right)
{
	if (got == right)
		return OK;
	return got == OK ? E_SELFTEST : got;
}

static void spoil(struct buf *b)
{
	b->p[b->n / 2] ^= 1;
}

static enum err run_digest(struct work *w)
{
	enum err e = compute(w, USE_DIGEST, NULL, buf_span(&w->in));

	return e == OK ? expect(buf_span(&w->got), &w->out) : e;
}

/* A signature that was just made, in w->got. */
static enum err check_signature(struct work *w)
{
	enum err e = verify(w, buf_span(&w->got));

	if (e != OK)
		return e;
	spoil(&w->got);
	return expect_refusal(verify(w, buf_span(&w->got)), E_SIGNATURE);
}

static enum err run_sign(struct work *w)
{
	enum err e = compute(w, USE_SIGN, w->priv, buf_span(&w->in));

	if (e == OK)
		e = expect(buf_span(&w->got), &w->out);
	return e == OK ? check_signature(w) : e;
}

static enum err run_pairwise(struct work *w)
{
	enum err e = verify(w, buf_span(&w->out));

	if (e == OK)
		e = compute(w, USE_SIGN, w->priv, buf_span(&w->in));
	return e == OK ? check_signature(w) : e;
}

static enum err run_cipher(struct work *w)
{
	enum err e = compute(w, USE_ENCRYPT, w->pub, buf_span(&w->in));

	if (e == OK)
		e = expect(buf_span(&w->got), &w->out);
	if (e == OK)
		e = compute(w, USE_DECRYPT, w->priv, buf_span(&w->out));
	return e == OK ? expect(buf_span(&w->got), &w->in) : e;
}

static enum err run_aead(struct work *w)
{
	enum err e = run_cipher(w);

	if (e != OK)
		return e;
	spoil(&w->out);
	return expect_refusal(compute(w, USE_DECRYPT, w->priv, buf_span(&w->out)), E_AEAD);
}

static enum err run_decrypt(struct work *w)
{
	struct buf fresh = { 0 };
	enum err e = compute(w, USE_DECRYPT, w->priv, buf_span(&w->out));

	if (e == OK)
		e = expect(buf_span(&w->got), &w->in);
	if (e == OK)
		e = compute(w, USE_ENCRYPT, w->pub, buf_span(&w->in));
	if (e == OK)
		e = buf_put(&fresh, buf_span(&w->got));
	if (e == OK)
		e = compute(w, USE_DECRYPT, w->priv, buf_span(&fresh));
	buf_free(&fresh);
	return e == OK ? expect(buf_span(&w->got), &w->in) : e;
}

/* The op of mech.make for the row; templ says how long the key is. */
static enum err make(struct work *w, const struct attrset *templ, struct attrset *made)
{
	struct param par = { 0 };
	enum err e = take_param(w, &par);

	if (e == OK && w->k->kind == KAT_GENERATE)
		e = w->m->make->generate(w->m, &par, templ, made);
	else if (e == OK)
		e = w->m->make->derive(w->m, &par, w->priv, NULL, templ, made);
	param_clear(&par);
	return e;
}

static enum err run_make(struct work *w)
{
	struct attrset *templ = attrset_new(false), *made = attrset_new(true);
	enum err e = E_MEMORY;

	if (templ == NULL || made == NULL)
		goto out;
	e = attrset_put_ulong(templ, CKA_KEY_TYPE, CKK_GENERIC_SECRET);
	if (e == OK)
		e = attrset_put_ulong(templ, CKA_VALUE_LEN, w->out.n);
	if (e == OK)
		e = make(w, templ, made);
	if (e == OK)
		e = expect(attrset_bytes(made, CKA_VALUE), &w->out);
out:
	attrset_free(templ);
	attrset_free(made);
	return e;
}

static enum err run_call(struct work *w)
{
	enum err e = buf_reserve(&w->got, w->out.n);

	if (e == OK)
		e = w->k->call(w->got.p, w->out.n);
	return e == OK ? expect(span(w->got.p, w->out.n), &w->out) : e;
}

static enum err (*const kinds[])(struct work *w) = {
	[KAT_DIGEST] = run_digest, [KAT_SIGN] = run_sign,     [KAT_PAIRWISE] = run_pairwise,
	[KAT_CIPHER] = run_cipher, [KAT_AEAD] = run_aead,     [KAT_DECRYPT] = run_decrypt,
	[KAT_DERIVE] = run_make,   [KAT_GENERATE] = run_make, [KAT_CALL] = run_call,
};

/* Errors that say nothing about the algorithm stay; every other is a wrong answer. */
static enum err verdict(enum err e)
{
	return e == OK || e == E_MEMORY || e == E_FAILED ? e : E_SELFTEST;
}

enum err kat_run(const struct kat *k)
{
	struct work w = { .k = k,
			  .in = { .secret = true },
			  .out = { .secret = true },
			  .got = { .secret = true } };
	enum err e = OK;

	if (k->kind != KAT_CALL) {
		w.m = registry_row(k->mech);
		if (w.m == NULL)
			return E_MECHANISM;
		e = keys_make(&w);
	}
	if (e == OK)
		e = unhex(k->in, &w.in);
	if (e == OK)
		e = unhex(k->out, &w.out);
	if (e == OK)
		e = kinds[k->kind](&w);
	run_free(&w.run);
	buf_free(&w.in);
	buf_free(&w.out);
	buf_free(&w.got);
	key_unref(w.priv);
	key_unref(w.pub);
	return verdict(e);
}
