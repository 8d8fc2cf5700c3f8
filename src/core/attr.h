/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What PKCS#11 says about attributes: applies the rows of schema.c to templates and objects.
 * Pure functions over attribute sets: no locks, no tokens.
 */
#ifndef CHANCERY_CORE_ATTR_H
#define CHANCERY_CORE_ATTR_H

#include "base/attrset.h"
#include "base/err.h"
#include "crypto/mech.h"

/* How an object comes to be or changes: the column of the schema that applies. */
enum attr_how { HOW_CREATE, HOW_GENERATE, HOW_UNWRAP, HOW_DERIVE, HOW_COPY, HOW_SET };

/* Who asks, and under which policy of the token. */
struct attr_who {
	bool user; /* the user is logged in */
	bool so;   /* the security officer is */
	bool compat; /* compat = on: known API attacks are not refused */
};

/*
 * Copies a caller's template (3.2, 4.1.1): NULL pointers, lengths, sizes by type, CK_BBOOL other than 0 and 1,
 * the same attribute twice (E_TEMPLATE_INCONSISTENT), nested templates. Unknown types pass, the later steps refuse them.
 * E_ARGUMENTS, E_ATTR_VALUE, E_TEMPLATE_INCONSISTENT, E_MEMORY. *out is the caller's, in the secret arena.
 */
enum err attr_take(const CK_ATTRIBUTE *t, CK_ULONG n, struct attrset **out);

/*
 * A template becomes the beginning of an object: CKA_CLASS and CKA_KEY_TYPE are settled (cls, kt:
 * CK_UNAVAILABLE_INFORMATION when the template alone decides; a contradiction is E_TEMPLATE_INCONSISTENT), every attribute is allowed for the class, type
 * and way (footnotes of Table 9), what must be there is (only what the key material does not bring), who may set it (CKA_TRUSTED: SO), defaults are
 * added. obj is changed in place.
 */
enum err attr_begin(enum attr_how how, const struct attr_who *who, CK_OBJECT_CLASS cls, CK_KEY_TYPE kt,
		    struct attrset *obj);
/*
 * After the key material was merged in: history flags (CKA_LOCAL, CKA_ALWAYS_SENSITIVE, CKA_NEVER_EXTRACTABLE, CKA_KEY_GEN_MECHANISM), a fresh
 * CKA_UNIQUE_ID, cross-field rules, and policy (role mixes). base: attributes of the base key when deriving (may be NULL),
 * m: generation mechanism or NULL.
 */
enum err attr_finish(enum attr_how how, const struct attr_who *who, const struct mech *m, const struct attrset *base,
		     struct attrset *obj);

/* C_SetAttributeValue: old with change applied, or why not (E_PROHIBITED, E_ATTR_READ_ONLY, E_ATTR_TYPE, …). *out is the caller's. */
enum err attr_set(const struct attr_who *who, const struct attrset *old, const struct attrset *change,
		  struct attrset **out);
/* C_CopyObject. */
enum err attr_copy(const struct attr_who *who, const struct attrset *old, const struct attrset *change,
		   struct attrset **out);
/*
 * C_GetAttributeValue (5.7.5): every entry is processed; the result is E_ATTR_SENSITIVE, E_ATTR_TYPE, E_TOO_SMALL or OK.
 * verified false: CKA_TRUSTED reads FALSE. *secret: whether a value was given that CKA_SENSITIVE or EXTRACTABLE could have hidden (for the roll).
 */
enum err attr_get(const struct attrset *obj, bool verified, CK_ATTRIBUTE *t, CK_ULONG n, bool *secret);
/* C_FindObjects: exact match of every attribute; one the object does not have, or may not show, matches nothing. */
bool attr_match(const struct attrset *obj, bool verified, const struct attrset *templ);
/* CKA_WRAP_TEMPLATE, UNWRAP_TEMPLATE, DERIVE_TEMPLATE of key: obj (or template obj) agrees with it (E_TEMPLATE_INCONSISTENT / for wrap E_KEY_HANDLE is chosen by the caller); unwrap and derive also add what the template lacks. */
bool attr_agrees(const struct attrset *key, CK_ATTRIBUTE_TYPE which, const struct attrset *obj);
enum err attr_impose(const struct attrset *key, CK_ATTRIBUTE_TYPE which, struct attrset *templ);

#endif
