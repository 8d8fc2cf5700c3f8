/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attribute templates. The input says how an object comes to be and who asks, then lists three
 * templates: for the object, for a change, and for reading. Each value is a block of exactly its
 * size, NULL with a length, or a nested template. Lengths that are lies are beyond what any caller
 * has; the template for reading tells none, and its room is zero, as a careful caller's is.
 * Whatever was accepted must keep the promises below.
 */
#include "core/attr.h"
#include "core/schema.h"
#include "crypto/lib.h"

#include <stdlib.h>

#define ENTRIES 24
#define BLOCKS  512
#define DEPTH   6

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const CK_ATTRIBUTE_TYPE types[] = {
#define FORM(type, form, largest) type,
#include "core/schema_types.def"
#undef FORM
	/* the other spelling, and nobody's */
	CKA_ENCAPSULATE_TEMPLATE | CKF_ARRAY_ATTRIBUTE,
	CKA_VENDOR_DEFINED | 1,
	CK_UNAVAILABLE_INFORMATION,
};

enum { TYPES = sizeof(types) / sizeof(types[0]) };

/* ---- from the input to a caller's template ---- */

struct source {
	struct span in;
	void *blocks[BLOCKS];
	size_t n;
	bool reading; /* values are room for answers */
};

static uint8_t byte(struct source *s)
{
	uint8_t v = 0;

	take_u8(&s->in, &v);
	return v;
}

static void *block(struct source *s, size_t n)
{
	void *p = s->n < BLOCKS ? calloc(1, n) : NULL;

	if (p != NULL)
		s->blocks[s->n++] = p;
	return p;
}

static void source_free(struct source *s)
{
	while (s->n > 0)
		free(s->blocks[--s->n]);
}

/* Up to n bytes of the input, the rest zero; all of it where bytes would be pointers. */
static void put_bytes(struct source *s, CK_ATTRIBUTE *a, size_t n)
{
	bool zero = s->reading || schema_form(schema_type(a->type)) == FORM_TEMPLATE;
	struct span v;

	a->pValue = block(s, n);
	a->ulValueLen = a->pValue != NULL ? n : 0;
	if (n > s->in.n)
		n = s->in.n;
	if (a->pValue != NULL && take_bytes(&s->in, n, &v) && v.n != 0 && !zero)
		memcpy(a->pValue, v.p, v.n);
}

enum value {
	VALUE_BYTES,
	VALUE_FLAG,
	VALUE_NUMBER,
	VALUE_LONG,
	VALUE_NULL,
	VALUE_HUGE,
	VALUE_NESTED,
	VALUE_COUNT
};

static CK_ULONG put_template(struct source *s, CK_ATTRIBUTE **t, unsigned depth);

static void put_nested(struct source *s, CK_ATTRIBUTE *a, unsigned depth)
{
	CK_ATTRIBUTE *t = NULL;

	a->ulValueLen = depth > 0 ? put_template(s, &t, depth - 1) * sizeof(*t) : 0;
	a->pValue = t;
}

static void put_value(struct source *s, CK_ATTRIBUTE *a, unsigned depth)
{
	switch ((enum value)(byte(s) % VALUE_COUNT)) {
	case VALUE_BYTES: put_bytes(s, a, byte(s)); break;
	case VALUE_FLAG: put_bytes(s, a, 1); break;
	case VALUE_NUMBER: put_bytes(s, a, sizeof(CK_ULONG)); break;
	case VALUE_LONG: put_bytes(s, a, (size_t)byte(s) << 8); break;
	case VALUE_NULL:
		a->pValue = NULL;
		a->ulValueLen = byte(s) * (CK_ULONG)0x0101010101010101;
		break;
	case VALUE_HUGE:
		put_bytes(s, a, 1);
		a->ulValueLen = CK_UNAVAILABLE_INFORMATION - (s->reading ? 0 : byte(s));
		break;
	case VALUE_NESTED: put_nested(s, a, depth); break;
	case VALUE_COUNT: break;
	}
}

/* Returns the number of entries. */
static CK_ULONG put_template(struct source *s, CK_ATTRIBUTE **t, unsigned depth)
{
	CK_ULONG n = byte(s) % ENTRIES;
	CK_ATTRIBUTE *a = block(s, n * sizeof(*a));

	*t = a;
	for (CK_ULONG i = 0; a != NULL && i < n; i++) {
		a[i].type = types[byte(s) % TYPES];
		put_value(s, &a[i], depth);
	}
	return a != NULL ? n : 0;
}

static struct attrset *taken(struct source *s)
{
	struct attrset *set = NULL;
	CK_ATTRIBUTE *t;
	CK_ULONG n = put_template(s, &t, DEPTH);

	return attr_take(t, n, &set) == OK ? set : NULL;
}

/* ---- promises ---- */

static void demand(bool holds)
{
	if (!holds)
		abort();
}

static bool is_true(const struct attrset *s, CK_ATTRIBUTE_TYPE t)
{
	return attrset_bool(s, t, false);
}

/* What was taken is what a store can keep. */
static void check_round_trip(const struct attrset *s)
{
	struct attrset *again = NULL;
	struct buf form = { 0 };

	demand(attrset_encode(s, &form) == OK);
	demand(attrset_decode(buf_span(&form), true, &again) == OK);
	demand(attrset_count(again) == attrset_count(s));
	attrset_free(again);
	buf_free(&form);
}

/* No secret of a sensitive object is shown or found; everything else reads as it is. */
static void check_reading(const struct attrset *obj)
{
	const struct schema_kind *k = schema_kind_of(obj);
	bool hidden = is_true(obj, CKA_SENSITIVE) || !attrset_bool(obj, CKA_EXTRACTABLE, true);

	demand(k != NULL);
	for (size_t i = 0; i < attrset_count(obj); i++) {
		struct attr a = attrset_at(obj, i);
		const struct schema_row *row = schema_row(k, a.type);
		CK_ATTRIBUTE t = { a.type, NULL, 0 };
		bool secret = row != NULL && (row->rules & SECRET) != 0, given;
		enum err e = attr_get(obj, true, &t, 1, true, &given);

		demand(!given);
		if (row == NULL || (row->rules & DERIVE_ONLY) != 0)
			demand(e == E_ATTR_TYPE);
		else
			demand(e == (secret && hidden ? E_ATTR_SENSITIVE : OK));
		demand((t.ulValueLen == CK_UNAVAILABLE_INFORMATION) == (e != OK));
	}
}

/* No change and no copy undoes what may not be undone, or touches what the object is. */
static void check_change(const struct attr_who *who, const struct attrset *old,
			 const struct attrset *s)
{
	static const CK_ATTRIBUTE_TYPE fixed[] = { CKA_CLASS,
						   CKA_KEY_TYPE,
						   CKA_LOCAL,
						   CKA_ALWAYS_SENSITIVE,
						   CKA_NEVER_EXTRACTABLE,
						   CKA_KEY_GEN_MECHANISM,
						   CKA_ALLOWED_MECHANISMS,
						   CKA_MODULUS,
						   CKA_PRIVATE_EXPONENT };

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		demand(span_eq(attrset_bytes(old, fixed[i]), attrset_bytes(s, fixed[i])));
	demand(!is_true(old, CKA_SENSITIVE) || is_true(s, CKA_SENSITIVE));
	demand(attrset_bool(old, CKA_EXTRACTABLE, true) || !attrset_bool(s, CKA_EXTRACTABLE, true));
	demand(!is_true(old, CKA_WRAP_WITH_TRUSTED) || is_true(s, CKA_WRAP_WITH_TRUSTED));
	demand(who->so || is_true(old, CKA_TRUSTED) || !is_true(s, CKA_TRUSTED));
}

/* ---- one input ---- */

typedef enum err change_fn(const struct attr_who *who, const struct attrset *old,
			   const struct attrset *change, struct attrset **out);

static void change(change_fn *fn, const struct attr_who *who, const struct attrset *obj,
		   const struct attrset *by)
{
	struct attrset *out = NULL;

	if (fn(who, obj, by, &out) != OK)
		return;
	check_change(who, obj, out);
	check_reading(out);
	attrset_free(out);
}

static void use(struct source *s, const struct attr_who *who, struct attrset *obj)
{
	struct attrset *by = taken(s);
	CK_ATTRIBUTE *t;
	CK_ULONG n;
	bool secret;

	s->reading = true;
	n = put_template(s, &t, DEPTH);
	check_round_trip(obj);
	check_reading(obj);
	attr_get(obj, who->user, t, n, true, &secret);
	if (by == NULL)
		return;
	change(attr_set, who, obj, by);
	change(attr_copy, who, obj, by);
	attr_match(obj, true, true, by);
	attr_agrees(obj, CKA_WRAP_TEMPLATE, by);
	if (attr_impose(obj, CKA_UNWRAP_TEMPLATE, by) == OK)
		demand(attr_impose(obj, CKA_UNWRAP_TEMPLATE, by) == OK);
	attrset_free(by);
}

static void once(struct source *s)
{
	uint8_t flags = byte(s);
	enum attr_how how = (enum attr_how)(flags & 3);
	const struct attr_who who = { (flags & 4) != 0, (flags & 8) != 0, (flags & 16) != 0 };
	struct attrset *obj = taken(s);

	if (obj == NULL)
		return;
	check_round_trip(obj);
	if (attr_begin(how, &who, CK_UNAVAILABLE_INFORMATION, CK_UNAVAILABLE_INFORMATION, obj) ==
		    OK &&
	    attr_finish(how, &who, NULL, NULL, obj) == OK)
		use(s, &who, obj);
	attrset_free(obj);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct source s = { .in = span(data, size) };

	if (crypto_start() != OK)
		abort();
	once(&s);
	source_free(&s);
	return 0;
}
