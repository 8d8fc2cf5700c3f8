/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What PKCS#11 says about attributes: applies the rows of schema.h to templates and objects, and
 * the rules of policy.h. Pure functions over attribute sets: no locks, no tokens.
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
	bool user;   /* the user is logged in */
	bool so;     /* the security officer is */
	bool compat; /* compat = on: known API attacks are not refused */
};

/*
 * Copies a caller's template (3.2, 4.1.1). Refused are NULL pointers with a length, sizes and forms
 * that the attribute cannot have, a CK_BBOOL other than 0 and 1, dates that are none
 * (E_ATTR_VALUE), and two values for one attribute (E_TEMPLATE_INCONSISTENT; the same value twice
 * counts once); nested templates likewise. Attributes that are not the standard's pass, the later
 * steps refuse them. Other errors: E_ARGUMENTS, E_MEMORY. *out is the caller's, in the secret
 * arena.
 */
enum err attr_take(const CK_ATTRIBUTE *t, CK_ULONG n, struct attrset **out);

/*
 * A template becomes the beginning of an object. CKA_CLASS and the type are settled (cls, kt:
 * CK_UNAVAILABLE_INFORMATION when the template alone decides; a contradiction is
 * E_TEMPLATE_INCONSISTENT), every attribute is allowed for the class, type and way (footnotes 1 to
 * 6), what must be there is, who may set it (footnote 10), its value is one that may be set;
 * defaults are added; the rules between attributes and of roles (policy.h) hold. attr_impose comes
 * before, if at all. obj is changed in place, also on error: the caller frees it.
 * E_TEMPLATE_INCOMPLETE, E_TEMPLATE_INCONSISTENT, E_ATTR_READ_ONLY, E_ATTR_TYPE, E_ATTR_VALUE,
 * E_MEMORY.
 */
enum err attr_begin(enum attr_how how, const struct attr_who *who, CK_OBJECT_CLASS cls,
		    CK_KEY_TYPE kt, struct attrset *obj);
/*
 * After the key material was merged in and completed: the origin and the history (CKA_LOCAL,
 * CKA_KEY_GEN_MECHANISM, CKA_ALWAYS_SENSITIVE, CKA_NEVER_EXTRACTABLE), CKA_CHECK_VALUE of
 * certificates, CKA_PUBLIC_CRC64_VALUE, a fresh CKA_UNIQUE_ID, and what policy says about what was
 * unwrapped. base: the attributes of the base key when deriving and of the unwrapping key when
 * unwrapping (NULL: there is none). m: the mechanism that generated or derived it, or NULL.
 */
enum err attr_finish(enum attr_how how, const struct attr_who *who, const struct mech *m,
		     const struct attrset *base, struct attrset *obj);

/*
 * C_SetAttributeValue: old with change applied, or why not (E_PROHIBITED, E_ATTR_READ_ONLY,
 * E_ATTR_TYPE, E_ATTR_VALUE, E_TEMPLATE_INCONSISTENT). *out is the caller's.
 */
enum err attr_set(const struct attr_who *who, const struct attrset *old,
		  const struct attrset *change, struct attrset **out);
/*
 * C_CopyObject: as attr_set, for a new object. The copy is CKA_TRUSTED only when the SO makes it, and never
 * CHANCERY_AUDIT_BATCH.
 */
enum err attr_copy(const struct attr_who *who, const struct attrset *old,
		   const struct attrset *change, struct attrset **out);

/*
 * C_GetAttributeValue (5.7.5): every entry is processed; the result is the first of
 * E_ATTR_SENSITIVE, E_ATTR_TYPE and E_TOO_SMALL that was met, or OK. verified false: CKA_TRUSTED
 * reads FALSE. *secret: whether there is a value to give that CKA_SENSITIVE or CKA_EXTRACTABLE
 * could have hidden (for the roll); secrets false: its entry stays as it is, for a second call.
 * Allocates nothing.
 */
enum err attr_get(const struct attrset *obj, bool verified, CK_ATTRIBUTE *t, CK_ULONG n,
		  bool secrets, bool *secret);
/*
 * C_FindObjects: exact match of every attribute; one the object cannot have or may not show matches
 * nothing. secrets false: nor does one that CKA_SENSITIVE or CKA_EXTRACTABLE could have hidden.
 */
bool attr_match(const struct attrset *obj, bool verified, bool secrets,
		const struct attrset *templ);

/*
 * A token key whose value may not be read although it is not CKA_PRIVATE: it must not lie on the disk as
 * it is, so it is sealed, and seen by whoever is logged in (docs/STORE.md, "Records").
 */
bool attr_sealed(const struct attrset *obj);

/*
 * The template that key carries under CKA_WRAP_TEMPLATE, CKA_UNWRAP_TEMPLATE, CKA_DERIVE_TEMPLATE
 * and so on; a key without one agrees with everything. attr_agrees: obj has every attribute of it
 * with the same value, and none is a secret one (what C_WrapKey answers otherwise is the caller's to choose). attr_impose:
 * adds what templ lacks; a contradiction is E_TEMPLATE_INCONSISTENT.
 */
bool attr_agrees(const struct attrset *key, CK_ATTRIBUTE_TYPE which, const struct attrset *obj);
enum err attr_impose(const struct attrset *key, CK_ATTRIBUTE_TYPE which, struct attrset *templ);

#endif
