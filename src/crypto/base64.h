/* SPDX-License-Identifier: Apache-2.0 */
/* Base64 (RFC 4648, 4), with its padding and without line ends. */
#ifndef CHANCERY_CRYPTO_BASE64_H
#define CHANCERY_CRYPTO_BASE64_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

/* Appended to out. E_MEMORY, E_DATA_LEN. Not constant time: for public bytes only. */
enum err base64_put(struct buf *out, struct span bytes);
/*
 * Appends what text stands for. E_DATA: it is not exactly what base64_put makes of anything (blanks, missing padding, bits that are
 * lost). On error out is as it was.
 */
enum err base64_take(struct span text, struct buf *out);

#endif
