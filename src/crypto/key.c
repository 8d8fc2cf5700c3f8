/* SPDX-License-Identifier: Apache-2.0 */
#include "crypto/key_type.h"

#include "base/mem.h"
#include "crypto/fetch.h"

static const struct key_type_row *const pair_types[] = {
	&rsa_key_type, &ec_key_type, &edwards_key_type, &montgomery_key_type, &mldsa_key_type,
};

static const struct key_type_row *row_of_pair(CK_KEY_TYPE type)
{
	for (size_t i = 0; i < sizeof(pair_types) / sizeof(pair_types[0]); i++)
		if (pair_types[i]->type == type)
			return pair_types[i];
	return NULL;
}

static const struct key_type_row *row_of_secret(CK_KEY_TYPE type)
{
	for (size_t i = 0; i < secret_key_types_n; i++)
		if (secret_key_types[i].type == type)
			return &secret_key_types[i];
	return NULL;
}

/* The row for CKA_KEY_TYPE, which must fit CKA_CLASS. */
static enum err row_find(const struct attrset *a, const struct key_type_row **row)
{
	CK_OBJECT_CLASS class = attrset_ulong(a, CKA_CLASS, CK_UNAVAILABLE_INFORMATION);
	CK_KEY_TYPE type = attrset_ulong(a, CKA_KEY_TYPE, CK_UNAVAILABLE_INFORMATION);

	if (!attrset_has(a, CKA_CLASS) || !attrset_has(a, CKA_KEY_TYPE))
		return E_TEMPLATE_INCOMPLETE;
	if (class != CKO_PUBLIC_KEY && class != CKO_PRIVATE_KEY && class != CKO_SECRET_KEY)
		return E_ATTR_VALUE;
	*row = class == CKO_SECRET_KEY ? row_of_secret(type) : row_of_pair(type);
	if (*row != NULL)
		return OK;
	/* a type of the other sort contradicts the class; what nobody knows is just a bad value */
	*row = class == CKO_SECRET_KEY ? row_of_pair(type) : row_of_secret(type);
	return *row != NULL ? E_TEMPLATE_INCONSISTENT : E_ATTR_VALUE;
}

static enum err parse(const struct key_type_row *row, const struct attrset *a, struct key **out)
{
	struct key *k = mem_alloc(sizeof(*k));
	enum err e;

	if (k == NULL)
		return E_MEMORY;
	atomic_init(&k->refs, 1);
	k->row = row;
	k->class = attrset_ulong(a, CKA_CLASS, 0);
	if (k->class == CKO_PUBLIC_KEY) {
		e = row->parse(a, k);
	} else {
		crypto_secret_enter();
		e = row->parse(a, k);
		crypto_secret_leave();
	}
	if (e != OK) {
		key_unref(k);
		return e;
	}
	*out = k;
	return OK;
}

enum err key_parse(const struct attrset *a, struct key **out)
{
	const struct key_type_row *row;
	enum err e = row_find(a, &row);

	return e == OK ? parse(row, a, out) : e;
}

struct key *key_ref(struct key *k)
{
	atomic_fetch_add_explicit(&k->refs, 1, memory_order_relaxed);
	return k;
}

void key_unref(struct key *k)
{
	if (k == NULL || atomic_fetch_sub_explicit(&k->refs, 1, memory_order_acq_rel) != 1)
		return;
	EVP_PKEY_free(k->pkey);
	mem_free(k->value);
	mem_free(k);
}

CK_KEY_TYPE key_type(const struct key *k)
{
	return k->row->type;
}

CK_OBJECT_CLASS key_class(const struct key *k)
{
	return k->class;
}

CK_ULONG key_size(const struct key *k)
{
	return k->size;
}

size_t key_footprint(const struct key *k)
{
	return k->footprint;
}

/* Puts CKA_PUBLIC_KEY_INFO; one that came with the key must be the same. */
static enum err complete_public_info(const struct key *k, struct attrset *a)
{
	struct span given = attrset_bytes(a, CKA_PUBLIC_KEY_INFO);
	struct buf info = { 0 };
	enum err e = k->row->public_info(k, &info);

	if (e == OK && given.n != 0 && !span_eq(given, buf_span(&info)))
		e = E_ATTR_VALUE;
	if (e == OK)
		e = attrset_put(a, CKA_PUBLIC_KEY_INFO, buf_span(&info));
	buf_free(&info);
	return e;
}

static enum err complete(const struct key_type_row *row, struct attrset *a)
{
	struct key *k = NULL;
	enum err e = OK;

	if (row->normalise != NULL)
		e = row->normalise(a);
	if (e == OK)
		e = parse(row, a, &k);
	if (e == OK && row->complete != NULL)
		e = row->complete(k, a);
	if (e == OK && row->public_info != NULL)
		e = complete_public_info(k, a);
	key_unref(k);
	return e;
}

enum err key_complete(struct attrset *a)
{
	const struct key_type_row *row;
	enum err e = row_find(a, &row);

	if (e != OK)
		return e;
	crypto_secret_enter();
	e = complete(row, a);
	crypto_secret_leave();
	return e;
}

static enum err finish_half(CK_OBJECT_CLASS class, CK_KEY_TYPE type, struct attrset *a)
{
	enum err e;

	if ((e = attrset_put_ulong(a, CKA_CLASS, class)) != OK ||
	    (e = attrset_put_ulong(a, CKA_KEY_TYPE, type)) != OK)
		return e;
	return key_complete(a);
}

enum err key_pair_finish(CK_KEY_TYPE type, struct attrset *pub, struct attrset *priv)
{
	enum err e = finish_half(CKO_PUBLIC_KEY, type, pub);

	return e == OK ? finish_half(CKO_PRIVATE_KEY, type, priv) : e;
}

/* Appends what write makes of the parsed key; on error out is as it was. */
static enum err append(const struct attrset *a, struct buf *out,
		       enum err (*write)(const struct key *k, const struct attrset *a,
					 struct buf *out))
{
	size_t before = out->n;
	struct key *k = NULL;
	enum err e = key_parse(a, &k);

	if (e == OK) {
		crypto_secret_enter();
		e = write(k, a, out);
		crypto_secret_leave();
	}
	key_unref(k);
	if (e != OK && out->n > before) {
		mem_wipe(out->p + before, out->n - before);
		out->n = before;
	}
	return e;
}

static enum err write_wrap_form(const struct key *k, const struct attrset *a, struct buf *out)
{
	if (k->class == CKO_PUBLIC_KEY)
		return E_KEY_NOT_WRAPPABLE;
	return k->row->wrap_form(k, a, out);
}

enum err key_wrap_form(const struct attrset *a, struct buf *out)
{
	return append(a, out, write_wrap_form);
}

static enum err write_public_info(const struct key *k, const struct attrset *a, struct buf *out)
{
	(void)a;
	return k->row->public_info != NULL ? k->row->public_info(k, out) : E_KEY_TYPE;
}

enum err key_public_info(const struct attrset *a, struct buf *out)
{
	return append(a, out, write_public_info);
}

/*
 * What is wrong inside a wrapped private key is wrong with the wrapped key (3.2, 5.18.4), not with the
 * caller's template. A curve or a parameter set that this library does not do keeps its own error.
 */
static enum err unwrap_error(enum err e)
{
	if (e == E_ATTR_VALUE || e == E_TEMPLATE_INCOMPLETE || e == E_TEMPLATE_INCONSISTENT)
		return E_WRAPPED_INVALID;
	return e == E_KEY_SIZE ? E_WRAPPED_LEN : e;
}

enum err key_unwrap_form(struct span in, bool len_exact, struct attrset *a)
{
	const struct key_type_row *row;
	enum err e = row_find(a, &row);

	if (e != OK)
		return e;
	if (attrset_ulong(a, CKA_CLASS, 0) == CKO_PUBLIC_KEY)
		return E_TEMPLATE_INCONSISTENT;
	crypto_secret_enter();
	e = row->unwrap_form(in, len_exact, a);
	if (e == OK) {
		e = complete(row, a);
		e = row->secret ? e : unwrap_error(e);
	}
	crypto_secret_leave();
	return e;
}
