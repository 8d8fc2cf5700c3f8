/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DER (X.690, 10), as little of it as keys need: tags of one byte, definite and minimal lengths.
 * Reading takes from the front of a span and never copies; writing appends to a buffer.
 */
#ifndef CHANCERY_CRYPTO_DER_H
#define CHANCERY_CRYPTO_DER_H

#include "base/buf.h"

enum {
	DER_INTEGER = 0x02,
	DER_BIT_STRING = 0x03,
	DER_OCTET_STRING = 0x04,
	DER_NULL = 0x05,
	DER_OID = 0x06,
	DER_PRINTABLE_STRING = 0x13,
	DER_SEQUENCE = 0x30,
	DER_CONTEXT = 0x80,            /* + n: [n] IMPLICIT, primitive */
	DER_CONTEXT_CONSTRUCTED = 0xa0 /* + n: [n] EXPLICIT, or IMPLICIT of something constructed */
};

/*
 * Takes one value with this tag; *content is what is in it. False: something else, *in is
 * unchanged.
 */
bool der_take(struct span *in, uint8_t tag, struct span *content);
/* Whether the next value has this tag (it may still be malformed). */
bool der_next(struct span in, uint8_t tag);
/* Takes a non-negative INTEGER: its bytes without leading zeros, none for 0. */
bool der_take_uint(struct span *in, struct span *magnitude);
/* Takes a BIT STRING of whole bytes, under the given tag. */
bool der_take_bits(struct span *in, uint8_t tag, struct span *bytes);
/* Takes an OBJECT IDENTIFIER whose arcs are well formed; *whole is it with its tag and length. */
bool der_take_oid(struct span *in, struct span *whole);

/* The bytes without leading zero bytes: the form of a big integer in PKCS#11. */
struct span der_trim(struct span magnitude);

/* Errors of all that follow: those of buf_put. */
enum err der_put(struct buf *out, uint8_t tag, struct span content);
/* An INTEGER of these big-endian bytes; leading zeros do not matter. */
enum err der_put_uint(struct buf *out, struct span magnitude);
enum err der_put_bits(struct buf *out, uint8_t tag, struct span bytes);
/* Makes all that was written to out from offset `from` on the content of one value. */
enum err der_wrap(struct buf *out, size_t from, uint8_t tag);

#endif
