/* SPDX-License-Identifier: Apache-2.0 */
/* Hexadecimal and base64 as the roll writes them: one form for each value, and nothing else is taken. */
#ifndef CHANCERY_AUDITOR_CODE_H
#define CHANCERY_AUDITOR_CODE_H

#include "base/buf.h"
#include "base/span.h"

/* Exactly n bytes from 2n lower-case digits. */
bool code_hex(struct span text, uint8_t *out, size_t n);
void code_hex_put(struct span bytes, char *out); /* 2n digits and an end */
/* RFC 4648, section 4, with its padding and no bit of it set. *n: room on the way in, length on the way out. */
bool code_b64(struct span text, uint8_t *out, size_t *n);
/* The same when the length is known. */
bool code_b64_exact(struct span text, uint8_t *out, size_t n);
enum err code_b64_put(struct span bytes, struct buf *out);
/* A decimal number without leading zeros that fits; the whole text. */
bool code_number(struct span text, uint64_t *v);
/* The texts of records are escaped (docs/AUDIT.md, "Strings"): appends what they stand for, as UTF-8. */
enum err code_unescape(struct span text, struct buf *out);

#endif
