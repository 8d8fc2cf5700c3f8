/* SPDX-License-Identifier: Apache-2.0 */
/* CKA_ID, by which other software pairs a public key, its private key and its certificates. */
#ifndef CHANCERY_CLI_KEYID_H
#define CHANCERY_CLI_KEYID_H

#include "client/object.h"

/*
 * The usual id of a public key: the first 20 bytes of SHA-256 over its SubjectPublicKeyInfo (RFC 7093, 2, method 4), or over its
 * point, modulus or value where a module does not tell that. The same for a key and a certificate made of it later.
 */
enum err keyid_of(struct desk d, CK_OBJECT_HANDLE pub, struct buf *id, struct why *why);
/* Sets it on both halves; priv 0: there is only the public one. */
enum err keyid_assign(struct desk d, CK_OBJECT_HANDLE pub, CK_OBJECT_HANDLE priv, struct why *why);

#endif
