/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What PKCS#11 permits and we refuse, because it lets keys leave that must not: known attacks on
 * the interface. `compat = on` for a token switches these rules off and nothing else. Pure
 * functions.
 */
#ifndef CHANCERY_CORE_POLICY_H
#define CHANCERY_CORE_POLICY_H

#include "base/attrset.h"
#include "base/err.h"
#include "core/attr.h"

/*
 * Roles that undo each other must not meet in one private or secret key, not even one after the
 * other: obj remembers every role that it or the object it was copied from ever had (old: that
 * object or the former version, or NULL), and a conflict that is new is E_TEMPLATE_INCONSISTENT. So
 * is every role that a key gets whose value could not be seen before.
 */
enum err policy_roles(const struct attr_who *who, const struct attrset *old, struct attrset *obj);
/*
 * The security officer trusts an existing secret or private key only if it was made here (CKA_LOCAL):
 * of another, somebody may have the value, or a twin with other roles. E_TEMPLATE_INCONSISTENT.
 */
enum err policy_trust(const struct attr_who *who, const struct attrset *old,
		      const struct attrset *obj);
/*
 * What C_UnwrapKey makes is sensitive and stays, unless the unwrapping key's CKA_UNWRAP_TEMPLATE
 * says otherwise.
 */
enum err policy_unwrap(const struct attr_who *who, const struct attrset *unwrapper,
		       const struct attrset *obj);
/*
 * Unwrapping that does not authenticate answers questions about what it decrypts: not with a key
 * whose value may not be seen, E_MECHANISM. Nor with one whose tag is so short (tag bytes; 0: there is
 * none) that it can be tried out, E_MECHANISM_PARAM. For C_UnwrapKey, before anything is decrypted.
 */
enum err policy_unwrapper(const struct attr_who *who, const struct mech *m, size_t tag,
			  const struct attrset *unwrapper);
/*
 * A MAC is not verified in so few bytes (0: it is not cut) that whoever asks often enough finds it
 * piece by piece, with a key whose value may not be seen: E_MECHANISM_PARAM. For C_VerifyInit.
 */
enum err policy_verify(const struct attr_who *who, size_t mac, const struct attrset *key);
/*
 * What comes of a base key whose value may not be seen may not be seen either, unless m is an
 * agreement: E_TEMPLATE_INCONSISTENT. base may be NULL, and m (then it is none).
 */
enum err policy_derive(const struct attr_who *who, const struct mech *m, const struct attrset *base,
		       const struct attrset *obj);
/*
 * A key that may not be seen, made from one, is not so short that it can be guessed, or its own check
 * value tells it: with a series of them, each a byte longer, a whole key could be read. obj is complete;
 * base may be NULL. E_TEMPLATE_INCONSISTENT.
 */
enum err policy_derived(const struct attr_who *who, const struct attrset *base,
			const struct attrset *obj);
/* A key whose value may not be seen gives out no keystream: E_KEY_NOT_WRAPPABLE. For C_WrapKey. */
enum err policy_wrapper(const struct attr_who *who, const struct mech *m,
			const struct attrset *wrapper);
/*
 * A key does not wrap itself or a copy of itself: E_KEY_NOT_WRAPPABLE. For C_WrapKey; that two values are the same is an
 * answer, to be recorded as a use is.
 */
enum err policy_wrap(const struct attr_who *who, const struct attrset *wrapper,
		     const struct attrset *key);
/*
 * A raw RSA signature of a wrapped key is its decryption: not with a key that ever unwrapped. For
 * C_SignInit and C_SignRecoverInit.
 */
enum err policy_sign(const struct attr_who *who, CK_MECHANISM_TYPE m, const struct attrset *key);
/*
 * A digest of a key whose value may not be seen is the key that HMAC uses in place of a long one, and an answer to every
 * guess at a short one: E_KEY_INDIGESTIBLE. For C_DigestKey.
 */
enum err policy_digest(const struct attr_who *who, const struct attrset *key);
/* A copy of a key is seen by nobody who does not see the key: it must not outlive the logout as a session object. */
enum err policy_copy(const struct attr_who *who, const struct attrset *old,
		     const struct attrset *obj);

#endif
