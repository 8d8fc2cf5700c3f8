/* SPDX-License-Identifier: Apache-2.0 */
/* ECDSA signatures: PKCS#11 has r and s side by side (6.3.1), X.509 and OpenSSL have them in DER. */
#ifndef CHANCERY_CLI_ECSIG_H
#define CHANCERY_CLI_ECSIG_H

#include "client/object.h"

/* Bits of an EC key's curve, from its CKA_EC_PARAMS; 0 when the curve is not known. */
unsigned ec_key_bits(struct desk d, CK_OBJECT_HANDLE key);
/* Replaces the contents of sig. */
enum err ecsig_to_der(struct buf *sig, struct why *why);
/* E_SIGNATURE: it is no DER signature, or one for a smaller curve than bits. */
enum err ecsig_from_der(struct buf *sig, unsigned bits, struct why *why);

#endif
