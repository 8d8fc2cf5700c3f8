/* SPDX-License-Identifier: Apache-2.0 */
/* Public keys of any module in the form that the rest of the world has: SubjectPublicKeyInfo (RFC 5280, 4.1). */
#ifndef CHANCERY_CLI_PUBKEY_H
#define CHANCERY_CLI_PUBKEY_H

#include "client/object.h"

/* DER of the key's SubjectPublicKeyInfo: CKA_PUBLIC_KEY_INFO where the module gives it, else made of the key's own attributes. */
enum err pubkey_info(struct desk d, const struct object_info *key, struct buf *der,
		     struct why *why);
/* The same in PEM. */
enum err pubkey_pem(struct span der, struct buf *pem, struct why *why);

#endif
