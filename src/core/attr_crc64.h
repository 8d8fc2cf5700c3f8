/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHANCERY_CORE_ATTR_CRC64_H
#define CHANCERY_CORE_ATTR_CRC64_H

#include "base/attrset.h"
#include "base/err.h"

/*
 * CKA_PUBLIC_CRC64_VALUE of a public or private key (PKCS#11 3.2, 4.8 and 6.1): CRC-64 as ECMA-182
 * has it, most significant byte first, of CKA_MODULUS or of the public key's CKA_VALUE. Added where
 * the object knows what it is of, compared when it was given (E_ATTR_VALUE). Other objects, and
 * keys whose tables do not say what it is of (elliptic curves), are left alone.
 */
enum err attr_crc64(struct attrset *obj);

#endif
