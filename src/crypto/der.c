/* SPDX-License-Identifier: Apache-2.0 */
#include "crypto/der.h"

#define DER_HEAD_MAX 6 /* tag, 0x84, four bytes: more than any buffer holds */

/* Takes a length, which must be minimal and not beyond what follows it. */
static bool take_length(struct span *in, size_t *n)
{
	uint8_t first, b;
	size_t v = 0;

	if (!take_u8(in, &first))
		return false;
	if (first < 0x80) {
		*n = first;
		return first <= in->n;
	}
	first &= 0x7f;
	if (first == 0 || first > DER_HEAD_MAX - 2)
		return false;
	for (unsigned i = 0; i < first; i++) {
		if (!take_u8(in, &b) || (i == 0 && b == 0))
			return false;
		v = v << 8 | b;
	}
	*n = v;
	return v >= 0x80 && v <= in->n;
}

bool der_take(struct span *in, uint8_t tag, struct span *content)
{
	struct span s = *in;
	uint8_t t;
	size_t n;

	if (!take_u8(&s, &t) || t != tag || !take_length(&s, &n) || !take_bytes(&s, n, content))
		return false;
	*in = s;
	return true;
}

bool der_next(struct span in, uint8_t tag)
{
	return in.n != 0 && in.p[0] == tag;
}

bool der_take_uint(struct span *in, struct span *magnitude)
{
	struct span s = *in, v;

	if (!der_take(&s, DER_INTEGER, &v) || v.n == 0 || v.p[0] >= 0x80)
		return false;
	if (v.n > 1 && v.p[0] == 0 && v.p[1] < 0x80)
		return false; /* X.690, 8.3.2: the shortest form */
	*magnitude = der_trim(v);
	*in = s;
	return true;
}

bool der_take_bits(struct span *in, uint8_t tag, struct span *bytes)
{
	struct span s = *in, v;
	uint8_t unused;

	if (!der_take(&s, tag, &v) || !take_u8(&v, &unused) || unused != 0)
		return false;
	*bytes = v;
	*in = s;
	return true;
}

/* X.690, 8.19.2: an arc does not begin with a zero digit, and the last byte ends an arc. */
static bool arcs_ok(struct span oid)
{
	bool start = true;

	for (size_t i = 0; i < oid.n; i++) {
		if (start && oid.p[i] == 0x80)
			return false;
		start = oid.p[i] < 0x80;
	}
	return oid.n != 0 && start;
}

bool der_take_oid(struct span *in, struct span *whole)
{
	struct span s = *in, arcs;

	if (!der_take(&s, DER_OID, &arcs) || !arcs_ok(arcs))
		return false;
	*whole = span(in->p, in->n - s.n);
	*in = s;
	return true;
}

struct span der_trim(struct span magnitude)
{
	while (magnitude.n != 0 && magnitude.p[0] == 0) {
		magnitude.p++;
		magnitude.n--;
	}
	return magnitude;
}

/* Writes tag and length of a value of n bytes; the number of bytes written. */
static size_t put_head(uint8_t head[DER_HEAD_MAX], uint8_t tag, size_t n)
{
	size_t bytes = 0;

	head[0] = tag;
	if (n < 0x80) {
		head[1] = (uint8_t)n;
		return 2;
	}
	for (size_t v = n; v != 0; v >>= 8)
		bytes++;
	head[1] = (uint8_t)(0x80 | bytes);
	for (size_t i = 0; i < bytes; i++)
		head[2 + i] = (uint8_t)(n >> (8 * (bytes - 1 - i)));
	return 2 + bytes;
}

enum err der_wrap(struct buf *out, size_t from, uint8_t tag)
{
	uint8_t head[DER_HEAD_MAX];
	size_t body = out->n - from, n;
	enum err e;

	if (body > UINT32_MAX)
		return E_DATA_LEN;
	n = put_head(head, tag, body);
	if ((e = buf_reserve(out, n)) != OK)
		return e;
	if (body != 0)
		memmove(out->p + from + n, out->p + from, body);
	memcpy(out->p + from, head, n);
	out->n += n;
	return OK;
}

enum err der_put(struct buf *out, uint8_t tag, struct span content)
{
	size_t from = out->n;
	enum err e = buf_put(out, content);

	return e == OK ? der_wrap(out, from, tag) : e;
}

/* A value whose content is a zero byte, when wanted, and then bytes. */
static enum err put_after_zero(struct buf *out, uint8_t tag, bool zero, struct span bytes)
{
	size_t from = out->n;
	enum err e = OK;

	if (zero)
		e = buf_put_u8(out, 0);
	if (e == OK)
		e = buf_put(out, bytes);
	return e == OK ? der_wrap(out, from, tag) : e;
}

enum err der_put_uint(struct buf *out, struct span magnitude)
{
	struct span v = der_trim(magnitude);

	return put_after_zero(out, DER_INTEGER, v.n == 0 || v.p[0] >= 0x80, v);
}

enum err der_put_bits(struct buf *out, uint8_t tag, struct span bytes)
{
	return put_after_zero(out, tag, true, bytes);
}
