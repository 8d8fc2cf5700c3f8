/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/encode.h"

#include "audit/digits.h"
#include "audit/escape.h"
#include "base/names.h"
#include "base/utf8.h"
#include "crypto/sealing.h"

enum { LABEL_N = 32, SERIAL_N = 16 }; /* CK_TOKEN_INFO */

/* What goes wrong halfway leaves nothing behind. */
static enum err settled(struct buf *b, size_t was, enum err e)
{
	if (e != OK)
		b->n = was;
	return e;
}

static enum err put_str(struct buf *b, const char *s)
{
	return buf_put(b, span_str(s));
}

/* `,"name":` of a name with something appended. */
static enum err put_name(struct buf *b, const char *name, const char *more)
{
	enum err e = put_str(b, ",\"");

	if (e == OK)
		e = put_str(b, name);
	if (e == OK)
		e = put_str(b, more);
	return e == OK ? put_str(b, "\":") : e;
}

static enum err put_text(struct buf *b, const char *name, struct span text)
{
	enum err e = put_name(b, name, "");

	if (e == OK)
		e = buf_put_u8(b, '"');
	if (e == OK)
		e = escape_put(b, text);
	return e == OK ? buf_put_u8(b, '"') : e;
}

static enum err put_hex(struct buf *b, const char *name, const char *more, struct span bytes)
{
	enum err e = put_name(b, name, more);

	if (e == OK)
		e = buf_reserve(b, 2 * bytes.n + 2);
	if (e != OK)
		return e;
	b->p[b->n] = '"';
	digits_hex(bytes, (char *)b->p + b->n + 1);
	b->n += 2 * bytes.n + 2;
	b->p[b->n - 1] = '"';
	return OK;
}

/* The first bytes; of characters, those that are whole. */
static struct span cut(struct span s, bool chars)
{
	size_t n = s.n < RECORD_TEXT_MAX ? s.n : RECORD_TEXT_MAX;

	while (chars && n < s.n && (s.p[n] & 0xc0) == 0x80)
		n--;
	return span(s.p, n);
}

/* After what was cut, the digest of the whole: two that begin alike are told apart. */
static enum err put_whole(struct buf *b, const char *name, struct span whole)
{
	uint8_t digest[SEALING_MAC];
	enum err e = OK;

	if (whole.n <= RECORD_TEXT_MAX)
		return OK;
	e = sealing_digest(&whole, 1, digest);
	return e == OK ? put_hex(b, name, "_sha256", span(digest, sizeof(digest))) : e;
}

enum err encode_text(struct buf *b, const char *name, struct span text)
{
	size_t was = b->n;
	enum err e = utf8_valid(text) ? put_text(b, name, cut(text, true))
				      : put_hex(b, name, "_hex", cut(text, false));

	if (e == OK)
		e = put_whole(b, name, text);
	return settled(b, was, e);
}

enum err encode_bytes(struct buf *b, const char *name, struct span bytes)
{
	size_t was = b->n;
	enum err e = put_hex(b, name, "", cut(bytes, false));

	if (e == OK)
		e = put_whole(b, name, bytes);
	return settled(b, was, e);
}

enum err encode_own(struct buf *b, const char *name, struct span text)
{
	return settled(b, b->n, put_text(b, name, text));
}

enum err encode_number(struct buf *b, const char *name, uint64_t v)
{
	char digits[DIGITS_MAX];
	size_t was = b->n;
	enum err e = put_name(b, name, "");

	if (e == OK)
		e = buf_put(b, span(digits, digits_decimal(v, digits)));
	return settled(b, was, e);
}

enum err encode_open(struct buf *b, const char *name, size_t *at)
{
	size_t was = b->n;
	enum err e = put_name(b, name, "");

	*at = b->n;
	return settled(b, was, e);
}

/* The brace takes the place of the first member's comma. */
enum err encode_close(struct buf *b, size_t at)
{
	enum err e = buf_reserve(b, 2);

	if (e != OK)
		return e;
	if (b->n == at)
		b->n++;
	b->p[at] = '{';
	b->p[b->n++] = '}';
	return OK;
}

static enum err put_ts(struct buf *b, const struct moment *at)
{
	char text[MOMENT_TEXT];
	enum err e = put_str(b, "\"ts\":\"");

	moment_text(at, text);
	if (e == OK)
		e = buf_put(b, span(text, sizeof(text)));
	return e == OK ? buf_put_u8(b, '"') : e;
}

enum err encode_who(struct buf *b, const struct author_id *id, const struct moment *at,
		    struct span on_behalf)
{
	size_t was = b->n;
	enum err e = put_ts(b, at);

	if (e == OK)
		e = encode_own(b, "boot", span_str(id->boot));
	if (e == OK)
		e = encode_number(b, "mono", at->mono_ns);
	if (e == OK)
		e = encode_number(b, "uid", id->uid);
	if (e == OK)
		e = encode_number(b, "pid", id->pid);
	if (e == OK)
		e = encode_text(b, "exe", span(id->exe, id->exe_n));
	if (e == OK && on_behalf.n != 0)
		e = encode_text(b, "on_behalf", on_behalf);
	return settled(b, was, e);
}

/* Without leading zeros. */
static enum err put_0x(struct buf *b, const char *name, uint64_t v)
{
	const uint8_t bytes[] = { (uint8_t)(v >> 56), (uint8_t)(v >> 48), (uint8_t)(v >> 40),
				  (uint8_t)(v >> 32), (uint8_t)(v >> 24), (uint8_t)(v >> 16),
				  (uint8_t)(v >> 8),  (uint8_t)v };
	char digits[2 * sizeof(bytes)];
	size_t from = 0;
	enum err e = put_name(b, name, "");

	digits_hex(span(bytes, sizeof(bytes)), digits);
	while (from < sizeof(digits) - 1 && digits[from] == '0')
		from++;
	if (e == OK)
		e = put_str(b, "\"0x");
	if (e == OK)
		e = buf_put(b, span(digits + from, sizeof(digits) - from));
	return e == OK ? buf_put_u8(b, '"') : e;
}

/* A number by its name in the standard, or as it is. */
static enum err put_named(struct buf *b, const char *name, const char *text, CK_ULONG v)
{
	return text != NULL ? put_text(b, name, span_str(text)) : put_0x(b, name, v);
}

static const char *class_name(CK_OBJECT_CLASS cls)
{
	static const char *const names[] = {
		[CKO_DATA] = "data",
		[CKO_CERTIFICATE] = "certificate",
		[CKO_PUBLIC_KEY] = "public",
		[CKO_PRIVATE_KEY] = "private",
		[CKO_SECRET_KEY] = "secret",
		[CKO_HW_FEATURE] = "feature",
		[CKO_DOMAIN_PARAMETERS] = "parameters",
		[CKO_MECHANISM] = "mechanism",
		[CKO_OTP_KEY] = "otp",
		[CKO_PROFILE] = "profile",
		[CKO_VALIDATION] = "validation",
		[CKO_TRUST] = "trust",
	};

	return cls < sizeof(names) / sizeof(names[0]) ? names[cls] : NULL;
}

static bool has_class(const struct roll_event *ev)
{
	return ev->cls != CK_UNAVAILABLE_INFORMATION;
}

static enum err put_key(struct buf *b, const struct roll_event *ev)
{
	size_t at = 0;
	enum err e;

	if (!has_class(ev) && ev->label.n == 0 && ev->id.n == 0 && ev->unique.n == 0)
		return OK;
	e = encode_open(b, "key", &at);
	if (e == OK && has_class(ev))
		e = put_named(b, "class", class_name(ev->cls), ev->cls);
	if (e == OK && ev->label.n != 0)
		e = encode_text(b, "label", ev->label);
	if (e == OK && ev->id.n != 0)
		e = encode_bytes(b, "id", ev->id);
	if (e == OK && ev->unique.n != 0)
		e = encode_text(b, "unique", ev->unique);
	return e == OK ? encode_close(b, at) : e;
}

static struct span unpadded(const char *text, size_t n)
{
	while (n != 0 && text[n - 1] == ' ')
		n--;
	return span(text, n);
}

static enum err put_token(struct buf *b, const struct roll_event *ev)
{
	enum err e = OK;

	if (ev->token != NULL)
		e = encode_text(b, "token", unpadded(ev->token, LABEL_N));
	if (e == OK && ev->serial != NULL)
		e = encode_text(b, "serial", unpadded(ev->serial, SERIAL_N));
	return e;
}

static enum err put_change(struct buf *b, const struct roll_event *ev)
{
	char text[SERIAL_N + 1 + DIGITS_MAX];
	struct span serial;

	if (ev->serial == NULL)
		return E_ARGUMENTS;
	serial = unpadded(ev->serial, SERIAL_N);
	memcpy(text, serial.p, serial.n);
	text[serial.n] = ':';
	return encode_text(
		b, "change",
		span(text, serial.n + 1 + digits_decimal(ev->change, text + serial.n + 1)));
}

enum err encode_what(struct buf *b, const struct roll_event *ev)
{
	CK_RV rv = err_rv(ev->result);
	size_t was = b->n;
	enum err e = encode_own(b, "event", span_str(roll_event_name(ev->kind)));

	if (e == OK)
		e = put_token(b, ev);
	if (e == OK)
		e = put_key(b, ev);
	if (e == OK && ev->mech != CK_UNAVAILABLE_INFORMATION)
		e = put_named(b, "mech", name_of(NAME_CKM, ev->mech), ev->mech);
	if (e == OK && ev->measured)
		e = encode_number(b, "bytes", ev->bytes);
	if (e == OK)
		e = put_named(b, "rv", name_of(NAME_CKR, rv), rv);
	if (e == OK && ev->change != 0)
		e = put_change(b, ev);
	return settled(b, was, e);
}
