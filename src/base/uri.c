/* SPDX-License-Identifier: Apache-2.0 */
#include "base/uri.h"

#include "base/mem.h"
#include "base/utf8.h"
#include <stdio.h>
#include <strings.h>

#define SCHEME "pkcs11:"

/* What a value may be, once decoded. */
enum form {
	FORM_BYTES,   /* anything */
	FORM_TEXT,    /* UTF-8 without NUL */
	FORM_TYPE,    /* the name of a class */
	FORM_VERSION, /* 1*DIGIT [ "." 1*DIGIT ], each in a byte */
	FORM_NUMBER,  /* 1*DIGIT, in a CK_ULONG */
};

struct row {
	const char *name;
	enum form form;
};

static const struct row rows[URI_ATTR_COUNT] = {
	[URI_TOKEN] = { "token", FORM_TEXT },
	[URI_MANUFACTURER] = { "manufacturer", FORM_TEXT },
	[URI_SERIAL] = { "serial", FORM_TEXT },
	[URI_MODEL] = { "model", FORM_TEXT },
	[URI_LIBRARY_MANUFACTURER] = { "library-manufacturer", FORM_TEXT },
	[URI_LIBRARY_VERSION] = { "library-version", FORM_VERSION },
	[URI_LIBRARY_DESCRIPTION] = { "library-description", FORM_TEXT },
	[URI_OBJECT] = { "object", FORM_TEXT },
	[URI_TYPE] = { "type", FORM_TYPE },
	[URI_ID] = { "id", FORM_BYTES },
	[URI_SLOT_MANUFACTURER] = { "slot-manufacturer", FORM_TEXT },
	[URI_SLOT_DESCRIPTION] = { "slot-description", FORM_TEXT },
	[URI_SLOT_ID] = { "slot-id", FORM_NUMBER },
	[URI_PIN_SOURCE] = { "pin-source", FORM_TEXT },
	[URI_PIN_VALUE] = { "pin-value", FORM_BYTES },
	[URI_MODULE_NAME] = { "module-name", FORM_TEXT },
	[URI_MODULE_PATH] = { "module-path", FORM_TEXT },
};

static const struct {
	const char *name;
	CK_OBJECT_CLASS class;
} types[] = {
	{ "public", CKO_PUBLIC_KEY }, { "private", CKO_PRIVATE_KEY },
	{ "cert", CKO_CERTIFICATE },  { "secret-key", CKO_SECRET_KEY },
	{ "data", CKO_DATA },
};

#define N_TYPES (sizeof(types) / sizeof(types[0]))

/* The two halves of a URI: RFC 7512, 2.3, pk11-path and pk11-query. */
struct half {
	const char *what;
	char separator;
	enum uri_attr first, end;
	const char *others; /* allowed unencoded beside letters, digits and "-._~" */
};

static const struct half path_half = { "path", ';', URI_TOKEN, URI_PIN_SOURCE, ":[]@!$'()*+,=&" };
static const struct half query_half = { "query", '&', URI_PIN_SOURCE, URI_ATTR_COUNT,
					":[]@!$'()*+,=/?|" };

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static bool is_alnum(uint8_t c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* RFC 3986, 2.3 */
static bool is_unreserved(uint8_t c)
{
	return is_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

static bool is_one_of(uint8_t c, const char *set)
{
	return c != '\0' && strchr(set, c) != NULL;
}

static int hex_digit(uint8_t c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Decodes the character at the front of *s and moves past it; -1: it may not stand there. */
static int take_char(struct span *s, const char *others)
{
	uint8_t c = s->p[0];
	int high, low;

	if (c != '%') {
		*s = span(s->p + 1, s->n - 1);
		return is_unreserved(c) || is_one_of(c, others) ? c : -1;
	}
	if (s->n < 3)
		return -1;
	high = hex_digit(s->p[1]);
	low = hex_digit(s->p[2]);
	*s = span(s->p + 3, s->n - 3);
	return high < 0 || low < 0 ? -1 : high << 4 | low;
}

static bool decode(struct span in, const char *others, struct sink *to)
{
	while (in.n != 0) {
		int c = take_char(&in, others);
		uint8_t byte = (uint8_t)c;

		if (c < 0 || !sink_put(to, span(&byte, 1)))
			return false;
	}
	return true;
}

/* Takes the decimal number at the front of *s; false: none, or above max. */
static bool take_number(struct span *s, unsigned long max, unsigned long *v)
{
	unsigned long n = 0;
	size_t digits = 0;

	for (; s->n != 0 && is_digit(s->p[0]); digits++) {
		unsigned long d = (unsigned long)(s->p[0] - '0');

		if (n > (max - d) / 10)
			return false;
		n = n * 10 + d;
		*s = span(s->p + 1, s->n - 1);
	}
	*v = n;
	return digits != 0;
}

/* RFC 7512, 2.3: a version without a minor number has 0. */
static bool version_of(struct span s, CK_VERSION *v)
{
	unsigned long major, minor = 0;

	if (!take_number(&s, 255, &major))
		return false;
	if (s.n != 0) {
		if (s.p[0] != '.')
			return false;
		s = span(s.p + 1, s.n - 1);
		if (!take_number(&s, 255, &minor))
			return false;
	}
	*v = (CK_VERSION){ (CK_BYTE)major, (CK_BYTE)minor };
	return s.n == 0;
}

static bool class_of(struct span s, CK_OBJECT_CLASS *class)
{
	for (size_t i = 0; i < N_TYPES; i++) {
		if (span_eq(s, span_str(types[i].name))) {
			*class = types[i].class;
			return true;
		}
	}
	return false;
}

static bool number_of(struct span s, unsigned long *v)
{
	return take_number(&s, (unsigned long)-1, v) && s.n == 0;
}

static bool form_ok(enum form form, struct span v)
{
	CK_OBJECT_CLASS class;
	CK_VERSION version;
	unsigned long number;

	switch (form) {
	case FORM_BYTES: return true;
	case FORM_TEXT: return utf8_valid(v) && (v.n == 0 || memchr(v.p, 0, v.n) == NULL);
	case FORM_TYPE: return class_of(v, &class);
	case FORM_VERSION: return version_of(v, &version);
	case FORM_NUMBER: return number_of(v, &number);
	}
	return false;
}

static enum uri_attr attr_of(struct span name)
{
	int a = 0;

	while (a < URI_ATTR_COUNT && !span_eq(name, span_str(rows[a].name)))
		a++;
	return (enum uri_attr)a;
}

/* pk11-v-attr-nm-char */
static bool name_ok(struct span name)
{
	for (size_t i = 0; i < name.n; i++) {
		if (!is_alnum(name.p[i]) && name.p[i] != '-' && name.p[i] != '_')
			return false;
	}
	return name.n != 0;
}

/*
 * An attribute that is not ours. In the path it narrows down what is meant, in a way we do not
 * know, so it is refused; in the query it is a hint, and ignored.
 */
static enum err other_attr(const struct half *h, struct span name, enum uri_attr a, struct why *why)
{
	if (a != URI_ATTR_COUNT)
		return why_fail(why, E_DATA,
				"PKCS#11 URI: %s does not belong in the %s: it goes %s the \"?\"",
				rows[a].name, h->what, a < URI_PIN_SOURCE ? "before" : "after");
	if (h == &path_half)
		return why_fail(why, E_DATA, "PKCS#11 URI: unknown attribute %.*s", (int)name.n,
				(const char *)name.p);
	return OK;
}

/* Keeps the value of a known attribute. Values are left out of messages: one is a PIN. */
static enum err keep(struct uri *u, enum uri_attr a, struct span v, struct why *why)
{
	if (u->has[a])
		return why_fail(why, E_DATA, "PKCS#11 URI: %s is given twice", rows[a].name);
	if (!form_ok(rows[a].form, v))
		return why_fail(why, E_DATA, "PKCS#11 URI: bad value of %s", rows[a].name);
	uri_set(u, a, v);
	return OK;
}

/* One attribute, name=value; its value is decoded to the end of store. */
static enum err parse_attr(struct uri *u, const struct half *h, struct span in, struct sink *store,
			   struct why *why)
{
	const uint8_t *eq = in.n != 0 ? memchr(in.p, '=', in.n) : NULL;
	size_t start = store->n;
	struct span name;
	enum uri_attr a;

	if (eq == NULL)
		return why_fail(why, E_DATA, "PKCS#11 URI: an attribute in the %s lacks its \"=\"",
				h->what);
	name = span(in.p, (size_t)(eq - in.p));
	if (!name_ok(name))
		return why_fail(why, E_DATA, "PKCS#11 URI: bad name of an attribute in the %s",
				h->what);
	if (!decode(span(eq + 1, in.n - name.n - 1), h->others, store))
		return why_fail(
			why, E_DATA,
			"PKCS#11 URI: bad character or percent-encoding in the value of %.*s",
			(int)name.n, (const char *)name.p);
	a = attr_of(name);
	if (a < h->first || a >= h->end)
		return other_attr(h, name, a, why);
	return keep(u, a, span(store->p + start, store->n - start), why);
}

/* Splits at the separator; an empty half has no attributes, an empty attribute is an error. */
static enum err parse_half(struct uri *u, const struct half *h, struct span in, struct sink *store,
			   struct why *why)
{
	enum err e = OK;

	while (e == OK && in.n != 0) {
		const uint8_t *end = memchr(in.p, h->separator, in.n);
		size_t n = end != NULL ? (size_t)(end - in.p) : in.n;

		e = parse_attr(u, h, span(in.p, n), store, why);
		if (e == OK && end != NULL && n + 1 == in.n)
			e = why_fail(why, E_DATA, "PKCS#11 URI: \"%c\" at the end of the %s",
				     h->separator, h->what);
		in = end != NULL ? span(end + 1, in.n - n - 1) : span(NULL, 0);
	}
	return e;
}

static enum err parse(struct uri *u, struct span in, struct sink *store, struct why *why)
{
	const uint8_t *mark = in.n != 0 ? memchr(in.p, '?', in.n) : NULL;
	size_t n = mark != NULL ? (size_t)(mark - in.p) : in.n;
	enum err e = parse_half(u, &path_half, span(in.p, n), store, why);

	if (e == OK && mark != NULL)
		e = parse_half(u, &query_half, span(mark + 1, in.n - n - 1), store, why);
	/* RFC 7512, 2.4 */
	if (e == OK && u->has[URI_PIN_SOURCE] && u->has[URI_PIN_VALUE])
		e = why_fail(why, E_DATA, "PKCS#11 URI: pin-source and pin-value together");
	return e;
}

enum err uri_parse(const char *text, struct uri *u, struct why *why)
{
	size_t n = strnlen(text, URI_MAX + 1), scheme = strlen(SCHEME);
	struct sink store;
	enum err e;

	memset(u, 0, sizeof(*u));
	if (n > URI_MAX)
		return why_fail(why, E_DATA_LEN, "PKCS#11 URI: longer than %d bytes", URI_MAX);
	if (n < scheme || strncasecmp(text, SCHEME, scheme) != 0)
		return why_fail(why, E_DATA,
				"not a PKCS#11 URI: it must begin with \"" SCHEME "\"");
	u->own = mem_alloc_secret(n); /* a decoded value is never longer */
	if (u->own == NULL)
		return why_fail(why, E_MEMORY, "no memory for a PKCS#11 URI");
	store = sink(u->own, n);
	e = parse(u, span(text + scheme, n - scheme), &store, why);
	if (e != OK)
		uri_free(u);
	return e;
}

void uri_free(struct uri *u)
{
	mem_free(u->own);
	memset(u, 0, sizeof(*u));
}

void uri_set(struct uri *u, enum uri_attr a, struct span v)
{
	u->v[a] = v;
	u->has[a] = true;
}

/* Some modules end a field with NUL instead of padding it with blanks. */
static struct span unpadded(const CK_UTF8CHAR *field, size_t n)
{
	size_t len = n != 0 ? strnlen((const char *)field, n) : 0;

	while (len > 0 && field[len - 1] == ' ')
		len--;
	return span(field, len);
}

void uri_set_field(struct uri *u, enum uri_attr a, const CK_UTF8CHAR *field, size_t n)
{
	uri_set(u, a, unpadded(field, n));
}

static enum err format_value(struct span v, bool all, struct buf *out)
{
	enum err e = OK;

	for (size_t i = 0; e == OK && i < v.n; i++) {
		char code[4];

		if (!all && is_unreserved(v.p[i])) {
			e = buf_put_u8(out, v.p[i]);
			continue;
		}
		(void)snprintf(code, sizeof(code), "%%%02X", v.p[i]);
		e = buf_put(out, span(code, 3));
	}
	return e;
}

static enum err format_attr(const struct uri *u, enum uri_attr a, const char *before,
			    struct buf *out)
{
	enum err e = buf_put(out, span_str(before));

	if (e == OK)
		e = buf_put(out, span_str(rows[a].name));
	if (e == OK)
		e = buf_put_u8(out, '=');
	/* RFC 7512, 2.3: id is best encoded throughout */
	return e == OK ? format_value(u->v[a], a == URI_ID, out) : e;
}

static enum err format_half(const struct uri *u, const struct half *h, const char *before,
			    struct buf *out)
{
	char between[2] = { h->separator, '\0' };
	enum err e = OK;

	for (int a = (int)h->first; e == OK && a < (int)h->end; a++) {
		if (!u->has[a])
			continue;
		e = format_attr(u, (enum uri_attr)a, before, out);
		before = between;
	}
	return e;
}

enum err uri_format(const struct uri *u, struct buf *out)
{
	enum err e = format_half(u, &path_half, SCHEME, out);
	bool empty = true;

	for (int a = URI_TOKEN; a < URI_PIN_SOURCE; a++)
		empty = empty && !u->has[a];
	if (e == OK && empty)
		e = buf_put(out, span_str(SCHEME));
	return e == OK ? format_half(u, &query_half, "?", out) : e;
}

bool uri_class(const struct uri *u, CK_OBJECT_CLASS *class)
{
	return u->has[URI_TYPE] && class_of(u->v[URI_TYPE], class);
}

bool uri_slot_id(const struct uri *u, CK_SLOT_ID *id)
{
	return u->has[URI_SLOT_ID] && number_of(u->v[URI_SLOT_ID], id);
}

const char *uri_type_of(CK_OBJECT_CLASS class)
{
	for (size_t i = 0; i < N_TYPES; i++) {
		if (types[i].class == class)
			return types[i].name;
	}
	return NULL;
}

/* An absent attribute fits everything. */
static bool fits(const struct uri *u, enum uri_attr a, struct span v)
{
	return !u->has[a] || span_eq(u->v[a], v);
}

/* Padding does not count on either side. */
static bool fits_field(const struct uri *u, enum uri_attr a, const CK_UTF8CHAR *field, size_t n)
{
	return !u->has[a] || span_eq(unpadded(u->v[a].p, u->v[a].n), unpadded(field, n));
}

bool uri_match_library(const struct uri *u, const CK_INFO *info)
{
	CK_VERSION v;

	if (u->has[URI_LIBRARY_VERSION] &&
	    (!version_of(u->v[URI_LIBRARY_VERSION], &v) || v.major != info->libraryVersion.major ||
	     v.minor != info->libraryVersion.minor))
		return false;
	return fits_field(u, URI_LIBRARY_MANUFACTURER, info->manufacturerID,
			  sizeof(info->manufacturerID)) &&
	       fits_field(u, URI_LIBRARY_DESCRIPTION, info->libraryDescription,
			  sizeof(info->libraryDescription));
}

bool uri_match_slot(const struct uri *u, CK_SLOT_ID id, const CK_SLOT_INFO *info)
{
	CK_SLOT_ID want;

	if (u->has[URI_SLOT_ID] && (!uri_slot_id(u, &want) || want != id))
		return false;
	return fits_field(u, URI_SLOT_MANUFACTURER, info->manufacturerID,
			  sizeof(info->manufacturerID)) &&
	       fits_field(u, URI_SLOT_DESCRIPTION, info->slotDescription,
			  sizeof(info->slotDescription));
}

bool uri_match_token(const struct uri *u, const CK_TOKEN_INFO *info)
{
	return fits_field(u, URI_TOKEN, info->label, sizeof(info->label)) &&
	       fits_field(u, URI_MANUFACTURER, info->manufacturerID,
			  sizeof(info->manufacturerID)) &&
	       fits_field(u, URI_SERIAL, info->serialNumber, sizeof(info->serialNumber)) &&
	       fits_field(u, URI_MODEL, info->model, sizeof(info->model));
}

bool uri_match_object(const struct uri *u, struct span label, struct span id, CK_OBJECT_CLASS class)
{
	CK_OBJECT_CLASS want;

	if (u->has[URI_TYPE] && (!uri_class(u, &want) || want != class))
		return false;
	return fits(u, URI_OBJECT, label) && fits(u, URI_ID, id);
}
