/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHANCERY_CORE_ATTR_CHECK_VALUE_H
#define CHANCERY_CORE_ATTR_CHECK_VALUE_H

#include "base/attrset.h"
#include "base/err.h"

/*
 * CKA_CHECK_VALUE of a certificate (PKCS#11 3.2, 4.6.1): added when the template had none, left out
 * when it had an empty one, compared otherwise (E_ATTR_VALUE). Other objects are left alone: those
 * of keys come from key_complete.
 */
enum err attr_check_value(struct attrset *obj);

#endif
