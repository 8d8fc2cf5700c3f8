/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the standard's tables say about attributes, as rows: which attributes an object of a class
 * and type has, and what may be done with each. Constant data: no locks, no initialisation.
 *
 * An object's rows lie in up to five groups, the most special first: those of its key, certificate
 * or feature type, then those of its class and of what the class inherits from. The first row of an
 * attribute counts; a special group overrides a general one by having a row of its own.
 */
#ifndef CHANCERY_CORE_SCHEMA_H
#define CHANCERY_CORE_SCHEMA_H

#include "base/attrset.h"
#include "base/span.h"
#include <chancery/chancery.h>

/* How the bytes of a value are to be read. */
enum schema_form {
	FORM_UNKNOWN, /* not an attribute of the standard */
	FORM_BOOL,
	FORM_ULONG,
	FORM_BYTES,
	FORM_BIGINT,   /* bytes, most significant first */
	FORM_STRING,   /* UTF-8, not checked: tokens of others hold all kinds of labels */
	FORM_DATE,     /* CK_DATE or empty */
	FORM_ULONGS,   /* array of CK_ULONG */
	FORM_TEMPLATE, /* array of CK_ATTRIBUTE; inside an attrset in the form of attrset_encode */
	FORM_VERSION,  /* CK_VERSION */
	FORM_COUNT
};

/* The footnotes of the standard's attribute tables (PKCS#11 3.2, 4.2), then our own columns. */
enum schema_rule {
	CREATE_REQ = 1 << 0,   /* 1: must be given to C_CreateObject */
	CREATE_NEVER = 1 << 1, /* 2: must not be */
	GEN_REQ = 1 << 2,      /* 3: must be given to C_GenerateKey or C_GenerateKeyPair */
	GEN_NEVER = 1 << 3,    /* 4: must not be; nor to C_DeriveKey */
	UNWRAP_REQ = 1 << 4,   /* 5: must be given to C_UnwrapKey */
	UNWRAP_NEVER = 1 << 5, /* 6: must not be */
	SECRET = 1 << 6,    /* 7: not shown while CKA_SENSITIVE is TRUE or CKA_EXTRACTABLE FALSE */
	CHANGE = 1 << 7,    /* 8: C_SetAttributeValue and C_CopyObject may change it */
	SO_ONLY = 1 << 8,   /* 10: only the security officer sets it to TRUE */
	ONCE_TRUE = 1 << 9, /* 11: stays TRUE */
	ONCE_FALSE = 1 << 10,   /* 12: stays FALSE */
	CHANGE_COPY = 1 << 11,  /* only C_CopyObject may change it */
	CHANGE_CLEAR = 1 << 12, /* may only be emptied (CKA_CHECK_VALUE) */
	DERIVE_ONLY = 1 << 13,  /* a word to the deriving mechanism, no attribute of the object */

	READ_ONLY = CREATE_NEVER | GEN_NEVER | UNWRAP_NEVER /* the module alone sets it */
};

/* For "no number": no default in a row, no type given. */
#define SCHEMA_NONE CK_UNAVAILABLE_INFORMATION

struct schema_row {
	CK_ATTRIBUTE_TYPE type;
	unsigned rules; /* enum schema_rule */
	CK_ULONG dflt;  /* for FORM_BOOL and FORM_ULONG; SCHEMA_NONE: none */
};

struct schema_group {
	const struct schema_row *rows; /* sorted by type */
	size_t n;
};

/* One kind of object: a class and the type within it. */
struct schema_kind {
	CK_OBJECT_CLASS cls;
	CK_ULONG sub; /* CKK_, CKC_, CKH_ …; SCHEMA_NONE: the class has none, or any other */
	struct schema_group own;
};

/* NULL: not a class of the standard, or no such type in it. */
const struct schema_kind *schema_kind(CK_OBJECT_CLASS cls, CK_ULONG sub);
/* The kind of an object by its CKA_CLASS and the attribute that tells its type. */
const struct schema_kind *schema_kind_of(const struct attrset *obj);
/* Every kind, in order of class and type; for tests and listings. */
size_t schema_kinds(void);
const struct schema_kind *schema_kind_at(size_t i);

/* The attribute that tells the type within a class (CKA_KEY_TYPE …); SCHEMA_NONE: none does. */
CK_ATTRIBUTE_TYPE schema_sub(CK_OBJECT_CLASS cls);
/* Whether objects of the class come to be in that way: a bit 1 << enum attr_how each. */
unsigned schema_ways(CK_OBJECT_CLASS cls);

/* The row in force for an attribute of k; NULL: such an object has no such attribute. */
const struct schema_row *schema_row(const struct schema_kind *k, CK_ATTRIBUTE_TYPE t);

/* All rows in force of one kind: `struct schema_walk w = { .kind = k };`, NULL after the last. */
struct schema_walk {
	const struct schema_kind *kind;
	size_t group, i;
};
const struct schema_row *schema_next(struct schema_walk *w);

/*
 * CKA_ENCAPSULATE_TEMPLATE and CKA_DECAPSULATE_TEMPLATE are numbered without CKF_ARRAY_ATTRIBUTE in
 * the header of 3.2 and with it in the draft of 3.3. Both are taken; this gives the one we keep
 * (3.2).
 */
CK_ATTRIBUTE_TYPE schema_type(CK_ATTRIBUTE_TYPE t);
enum schema_form schema_form(CK_ATTRIBUTE_TYPE t);
/* The same as comparing with FORM_TEMPLATE, without the search for most attributes. */
static inline bool schema_is_template(CK_ATTRIBUTE_TYPE t)
{
	bool unmarked = t == CKA_ENCAPSULATE_TEMPLATE || t == CKA_DECAPSULATE_TEMPLATE;

	return unmarked || ((t & CKF_ARRAY_ATTRIBUTE) != 0 && schema_form(t) == FORM_TEMPLATE);
}
/* Whether v has the size and form that every value of this attribute has. */
bool schema_value_ok(CK_ATTRIBUTE_TYPE t, struct span v);
/* Whether a well-formed v is also one of the values that an application may set. */
bool schema_value_in_range(CK_ATTRIBUTE_TYPE t, struct span v);

#endif
