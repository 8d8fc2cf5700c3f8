/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the derive ops of all mechanisms have in common: how long the new key is, and its
 * attributes.
 */
#ifndef CHANCERY_CRYPTO_DERIVED_H
#define CHANCERY_CRYPTO_DERIVED_H

#include "base/attrset.h"

/*
 * Bytes of the key that templ asks for: its CKA_VALUE_LEN, else the length that its CKA_KEY_TYPE
 * always has, else `natural` (0: the mechanism has no length of its own, then
 * E_TEMPLATE_INCOMPLETE). E_TEMPLATE_INCONSISTENT: the template says another length than the type
 * has. E_KEY_SIZE: 0.
 */
enum err derived_length(const struct attrset *templ, size_t natural, size_t *n);

/*
 * Puts the value and the class and key type of templ (a generic secret key unless it says
 * otherwise) into made, and completes a key. Errors of key_complete.
 */
enum err derived_put(const struct attrset *templ, struct span value, struct attrset *made);

#endif
