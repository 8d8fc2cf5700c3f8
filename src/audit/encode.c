/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Room is looked for once for many members, from the lengths of the texts in them; they are then written into a sink, which has an
 * end, so that a wrong estimate would be an error and no overflow.
 */
#include "audit/encode.h"

#include "audit/digits.h"
#include "audit/escape.h"
#include "base/names.h"
#include "base/utf8.h"
#include "crypto/sealing.h"

enum {
	LABEL_N = 32,   /* of CK_TOKEN_INFO */
	SERIAL_N = 16,  /* the same */
	PLAIN_MAX = 96, /* a member that is a number or a name of the standard's */
	WHOLE_MAX = 96, /* a member with the digest of a text */
};

#define PUT(s, text) sink_put((s), span((text), sizeof(text) - 1))

static size_t text_room(struct span text)
{
	size_t n = text.n < RECORD_TEXT_MAX ? text.n : RECORD_TEXT_MAX;

	return ESCAPE_MAX * n + PLAIN_MAX + WHOLE_MAX;
}

/* Where at least room bytes can be written behind b. */
static enum err begin(struct buf *b, size_t room, struct sink *s)
{
	enum err e = buf_reserve(b, room);

	if (e == OK)
		*s = sink(b->p + b->n, b->cap - b->n);
	return e;
}

/* Only what is whole becomes part of b. */
static enum err end(struct buf *b, const struct sink *s, bool ok, enum err bad)
{
	if (!ok)
		return bad;
	b->n += s->n;
	return OK;
}

/* `,"name":` of a name with something appended. */
static bool put_name(struct sink *s, const char *name, const char *more)
{
	return PUT(s, ",\"") && sink_put(s, span_str(name)) && sink_put(s, span_str(more)) &&
	       PUT(s, "\":");
}

static bool put_text(struct sink *s, const char *name, struct span text)
{
	return put_name(s, name, "") && PUT(s, "\"") && escape_put(s, text) && PUT(s, "\"");
}

/* What has nothing to escape. */
static bool put_plain(struct sink *s, const char *name, struct span text)
{
	return put_name(s, name, "") && PUT(s, "\"") && sink_put(s, text) && PUT(s, "\"");
}

static bool put_number(struct sink *s, const char *name, uint64_t v)
{
	char digits[DIGITS_MAX];

	return put_name(s, name, "") && sink_put(s, span(digits, digits_decimal(v, digits)));
}

static bool put_hex(struct sink *s, const char *name, const char *more, struct span bytes)
{
	char digits[2 * RECORD_TEXT_MAX];

	digits_hex(bytes, digits);
	return put_name(s, name, more) && PUT(s, "\"") && sink_put(s, span(digits, 2 * bytes.n)) &&
	       PUT(s, "\"");
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
static bool put_whole(struct sink *s, const char *name, struct span whole)
{
	uint8_t digest[SEALING_MAC];

	return whole.n <= RECORD_TEXT_MAX ||
	       (sealing_digest(&whole, 1, digest) == OK &&
		put_hex(s, name, "_sha256", span(digest, sizeof(digest))));
}

static bool put_foreign(struct sink *s, const char *name, struct span text)
{
	bool ok = utf8_valid(text) ? put_text(s, name, cut(text, true))
				   : put_hex(s, name, "_hex", cut(text, false));

	return ok && put_whole(s, name, text);
}

/* For what may be left out. */
static bool put_if_any(struct sink *s, const char *name, struct span text)
{
	return text.n == 0 || put_foreign(s, name, text);
}

static bool put_bytes(struct sink *s, const char *name, struct span bytes)
{
	return put_hex(s, name, "", cut(bytes, false)) && put_whole(s, name, bytes);
}

enum err encode_text(struct buf *b, const char *name, struct span text)
{
	struct sink s;
	enum err e = begin(b, text_room(text), &s);

	return e == OK ? end(b, &s, put_foreign(&s, name, text), E_FAILED) : e;
}

enum err encode_bytes(struct buf *b, const char *name, struct span bytes)
{
	struct sink s;
	enum err e = begin(b, text_room(bytes), &s);

	return e == OK ? end(b, &s, put_bytes(&s, name, bytes), E_FAILED) : e;
}

enum err encode_own(struct buf *b, const char *name, struct span text)
{
	struct sink s;
	enum err e = OK;

	if (text.n > RECORD_MAX)
		return E_DATA_LEN;
	e = begin(b, ESCAPE_MAX * text.n + PLAIN_MAX, &s);
	return e == OK ? end(b, &s, put_text(&s, name, text), E_DATA) : e;
}

enum err encode_number(struct buf *b, const char *name, uint64_t v)
{
	struct sink s;
	enum err e = begin(b, PLAIN_MAX, &s);

	return e == OK ? end(b, &s, put_number(&s, name, v), E_INTERNAL) : e;
}

enum err encode_open(struct buf *b, const char *name, size_t *at)
{
	struct sink s;
	enum err e = begin(b, PLAIN_MAX, &s);

	if (e == OK)
		e = end(b, &s, put_name(&s, name, ""), E_INTERNAL);
	*at = b->n;
	return e;
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

static bool put_ts(struct sink *s, const struct moment *at)
{
	char text[MOMENT_TEXT];

	moment_text(at, text);
	return PUT(s, "\"ts\":\"") && sink_put(s, span(text, sizeof(text))) && PUT(s, "\"");
}

enum err encode_who(struct buf *b, const struct author_id *id, const struct moment *at,
		    struct span on_behalf)
{
	struct span exe = span(id->exe, id->exe_n);
	struct sink s;
	enum err e = begin(b, 5 * PLAIN_MAX + text_room(exe) + text_room(on_behalf), &s);

	if (e != OK)
		return e;
	return end(b, &s,
		   put_ts(&s, at) && put_plain(&s, "boot", span_str(id->boot)) &&
			   put_number(&s, "mono", at->mono_ns) && put_number(&s, "uid", id->uid) &&
			   put_number(&s, "pid", id->pid) && put_foreign(&s, "exe", exe) &&
			   put_if_any(&s, "on_behalf", on_behalf),
		   E_FAILED);
}

/* A number by its name in the standard, or as it is, without leading zeros. */
static bool put_named(struct sink *s, const char *name, const char *text, CK_ULONG v)
{
	char digits[2 + 2 * sizeof(v)];
	size_t n = sizeof(digits);

	if (text != NULL)
		return put_plain(s, name, span_str(text));
	do {
		digits[--n] = "0123456789abcdef"[v & 15];
		v >>= 4;
	} while (v != 0);
	digits[--n] = 'x';
	digits[--n] = '0';
	return put_plain(s, name, span(digits + n, sizeof(digits) - n));
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

static bool put_key(struct sink *s, const struct roll_event *ev)
{
	size_t at;

	if (!has_class(ev) && ev->label.n == 0 && ev->id.n == 0 && ev->unique.n == 0)
		return true;
	if (!put_name(s, "key", ""))
		return false;
	at = s->n;
	if ((has_class(ev) && !put_named(s, "class", class_name(ev->cls), ev->cls)) ||
	    !put_if_any(s, "label", ev->label) || (ev->id.n != 0 && !put_bytes(s, "id", ev->id)) ||
	    !put_if_any(s, "unique", ev->unique) || (ev->session && !PUT(s, ",\"session\":true")))
		return false;
	s->p[at] = '{'; /* where the first member's comma was */
	return PUT(s, "}");
}

/* Of a field that is filled up with blanks, or is not there. */
static struct span unpadded(const char *field, size_t n)
{
	if (field == NULL)
		return span(NULL, 0);
	while (n != 0 && field[n - 1] == ' ')
		n--;
	return span(field, n);
}

static bool put_token(struct sink *s, const struct roll_event *ev)
{
	struct span label = unpadded(ev->token, LABEL_N), serial = unpadded(ev->serial, SERIAL_N);

	return (ev->token == NULL || put_foreign(s, "token", label)) &&
	       (ev->serial == NULL || put_foreign(s, "serial", serial));
}

static bool put_change(struct sink *s, const struct roll_event *ev)
{
	char text[SERIAL_N + 1 + DIGITS_MAX];
	struct span serial = unpadded(ev->serial, SERIAL_N);
	size_t n = serial.n;

	memcpy(text, serial.p, n);
	text[n++] = ':';
	n += digits_decimal(ev->change, text + n);
	return put_foreign(s, "change", span(text, n));
}

static bool put_what(struct sink *s, const struct roll_event *ev)
{
	CK_RV rv = err_rv(ev->result);

	return put_plain(s, "event", span_str(roll_event_name(ev->kind))) && put_token(s, ev) &&
	       put_key(s, ev) &&
	       (ev->mech == CK_UNAVAILABLE_INFORMATION ||
		put_named(s, "mech", name_of(NAME_CKM, ev->mech), ev->mech)) &&
	       (!ev->measured || put_number(s, "bytes", ev->bytes)) &&
	       (!ev->counted || put_number(s, "count", ev->count)) &&
	       (ev->root.n == 0 || put_bytes(s, "root", ev->root)) &&
	       put_named(s, "rv", name_of(NAME_CKR, rv), rv) &&
	       (ev->change == 0 || put_change(s, ev));
}

static size_t what_room(const struct roll_event *ev)
{
	const size_t fields = LABEL_N + SERIAL_N + (SERIAL_N + 1 + DIGITS_MAX);

	return 12 * PLAIN_MAX + ESCAPE_MAX * fields + text_room(ev->label) + text_room(ev->id) +
	       text_room(ev->unique);
}

enum err encode_what(struct buf *b, const struct roll_event *ev)
{
	struct sink s;
	enum err e = OK;

	if (ev->change != 0 && ev->serial == NULL)
		return E_ARGUMENTS;
	e = begin(b, what_room(ev), &s);
	return e == OK ? end(b, &s, put_what(&s, ev), E_FAILED) : e;
}
