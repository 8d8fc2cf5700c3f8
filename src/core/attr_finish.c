/* SPDX-License-Identifier: Apache-2.0 */
/* An object is complete: what the module alone says about it. */
#include "core/attr_internal.h"

#include "core/attr_check_value.h"
#include "core/attr_crc64.h"
#include "core/policy.h"
#include "crypto/lib.h"

enum { UUID_BYTES = 16, UUID_TEXT = 36 };

/* The text of a random UUID (RFC 9562, version 4). */
static void uuid_text(uint8_t id[UUID_BYTES], char text[UUID_TEXT])
{
	static const char hex[] = "0123456789abcdef";
	size_t at = 0;

	id[6] = (uint8_t)(0x40 | (id[6] & 0x0f));
	id[8] = (uint8_t)(0x80 | (id[8] & 0x3f));
	for (size_t i = 0; i < UUID_BYTES; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			text[at++] = '-';
		text[at++] = hex[id[i] >> 4];
		text[at++] = hex[id[i] & 0x0f];
	}
}

enum err attr_unique_id(struct attrset *obj)
{
	uint8_t id[UUID_BYTES];
	char text[UUID_TEXT];
	enum err e = crypto_random(id, sizeof(id));

	if (e != OK)
		return e;
	uuid_text(id, text);
	return attrset_put(obj, CKA_UNIQUE_ID, span(text, sizeof(text)));
}

/* Puts what only some kinds of objects have. */
static enum err put_bool(const struct schema_kind *k, struct attrset *obj, CK_ATTRIBUTE_TYPE t,
			 bool v)
{
	return schema_row(k, t) != NULL ? attrset_put_bool(obj, t, v) : OK;
}

static enum err put_ulong(const struct schema_kind *k, struct attrset *obj, CK_ATTRIBUTE_TYPE t,
			  CK_ULONG v)
{
	return schema_row(k, t) != NULL ? attrset_put_ulong(obj, t, v) : OK;
}

/* 4.7: made here by a generation mechanism, or not. */
static enum err put_origin(enum attr_how how, const struct mech *m, const struct schema_kind *k,
			   struct attrset *obj)
{
	bool local = how == HOW_GENERATE;
	enum err e = put_bool(k, obj, CKA_LOCAL, local);

	if (e == OK)
		e = put_ulong(k, obj, CKA_KEY_GEN_MECHANISM,
			      local && m != NULL ? m->type : CK_UNAVAILABLE_INFORMATION);
	return e;
}

/*
 * 4.9, 4.10: a key that came from outside was once outside; a derived key is what it is and what
 * its base key always was.
 */
static enum err put_history(enum attr_how how, const struct schema_kind *k,
			    const struct attrset *base, struct attrset *obj)
{
	bool sensitive = attrset_bool(obj, CKA_SENSITIVE, false);
	bool kept = !attrset_bool(obj, CKA_EXTRACTABLE, true);
	enum err e;

	if (how == HOW_DERIVE) {
		sensitive = sensitive && base != NULL &&
			    attrset_bool(base, CKA_ALWAYS_SENSITIVE, false);
		kept = kept && base != NULL && attrset_bool(base, CKA_NEVER_EXTRACTABLE, false);
	} else if (how != HOW_GENERATE) {
		sensitive = kept = false;
	}
	e = put_bool(k, obj, CKA_ALWAYS_SENSITIVE, sensitive);
	if (e == OK)
		e = put_bool(k, obj, CKA_NEVER_EXTRACTABLE, kept);
	return e;
}

/* Words to the mechanism are not attributes. */
static void drop_words(const struct schema_kind *k, struct attrset *obj)
{
	struct schema_walk w = { .kind = k };
	const struct schema_row *row;

	while ((row = schema_next(&w)) != NULL)
		if ((row->rules & DERIVE_ONLY) != 0)
			attrset_drop(obj, row->type);
}

enum err attr_finish(enum attr_how how, const struct attr_who *who, const struct mech *m,
		     const struct attrset *base, struct attrset *obj)
{
	const struct schema_kind *k = schema_kind_of(obj);
	enum err e = k != NULL ? OK : E_INTERNAL;

	if (e == OK && how == HOW_UNWRAP)
		e = policy_unwrap(who, base, obj);
	if (e == OK)
		e = put_origin(how, m, k, obj);
	if (e == OK)
		e = put_history(how, k, base, obj);
	if (e == OK)
		e = attr_check_value(obj);
	if (e == OK)
		e = attr_crc64(obj);
	if (e == OK)
		e = attr_unique_id(obj);
	if (e == OK)
		drop_words(k, obj);
	return e;
}
